// Atomic functions of CUDA on types that HIP's do not take:
//
//   atomicAdd(h, x)          h: __half *, __half2 *, __nv_bfloat16 *, __nv_bfloat162 *,
//                               float2 *, float4 *
//     ──▶  lp::atomicAdd(h, x)              by compare and swap of the word, or by elements
//   atomicCAS(s, a, b)       s: unsigned short *
//     ──▶  lp::atomicCAS(s, a, b)
//
// The types are those of all instantiations; lp::atomicAdd of any other type is HIP's.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#atomic-functions
#include "source/Match.h"

#include "llvm/ADT/StringSwitch.h"

namespace layout_port {

namespace {

// The chunk of the device runtime for a canonical type, or nothing where HIP's
// function takes it.
llvm::StringRef chunkFor(llvm::StringRef type) {
  type.consume_front("struct ");
  return llvm::StringSwitch<llvm::StringRef>(type)
      .Case("__half", "atomic_call_half")
      .Case("__half2", "atomic_call_half2")
      .Case("__nv_bfloat16", "atomic_call_bfloat16")
      .Case("__nv_bfloat162", "atomic_call_bfloat162")
      .Case("float2", "atomic_call_float2")
      .Case("float4", "atomic_call_float4")
      .Case("unsigned short", "atomic_call_ushort")
      .Default("");
}

class AtomicCallRule : public Rule {
public:
  llvm::StringRef name() const override { return "memory-atomic"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      const llvm::StringRef function = file.tokens.spelling(i);
      if (function != "atomicAdd" && function != "atomicCAS")
        return;
      const auto types = program.facts.shuffleTypes.find({f, file.tokens[i].offset});
      if (types == program.facts.shuffleTypes.end())
        return;
      Site site =
          siteAt(file, f, i, i + 1, name(), function, Tier::Emulated,
                 "HIP's does not take this type: by compare and swap, or element by element");
      for (const std::string &type : types->second)
        if (const llvm::StringRef chunk = chunkFor(type); !chunk.empty())
          site.runtime.push_back(chunk.str());
      if (site.runtime.empty())
        return;
      site.edits.push_back({f, site.begin, 0, "lp::"});
      sites.push_back(std::move(site));
    });
  }
};

} // namespace

std::unique_ptr<Rule> makeAtomicCallRule() { return std::make_unique<AtomicCallRule>(); }

} // namespace layout_port
