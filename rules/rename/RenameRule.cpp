// Names that are called otherwise in HIP: API functions, types, enumerators,
// headers, macros. What changes is data (the .inc rows of this folder); this file
// only looks names up.
//
//   #include <cuda_fp16.h>   ──▶  #include <hip/hip_fp16.h>
//   cudaMalloc(&p, n)        ──▶  hipMalloc(&p, n)
//   #if __CUDA_ARCH__ >= 800 ──▶  #if LP_CUDA_ARCH >= 800
//
// The last is no rename of a thing HIP has: __CUDA_ARCH__ is undefined there, and
// a guard such as the above would empty a kernel in silence. So the output defines
// LP_CUDA_ARCH, on the device side only, to the architecture the port was read as.
#include "device/Runtime.h"
#include "rename/BlasCompute.h"
#include "rename/Tables.h"
#include "source/Macros.h"
#include "source/Match.h"
#include "source/TorchScope.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace layout_port {

namespace {

// Functions of the runtime API that C++ overloads by their number of arguments, where HIP
// has a name for each. `tail` is what HIP's takes behind them.
struct Overload {
  llvm::StringRef cuda;
  unsigned arguments;
  llvm::StringRef hip, tail;
};
constexpr Overload overloads[] = {
    {"cudaEventCreate", 2, "hipEventCreateWithFlags", ""},
    {"cudaGraphInstantiate", 2, "hipGraphInstantiate", ", nullptr, nullptr, 0"},
    {"cudaGraphInstantiate", 3, "hipGraphInstantiateWithFlags", ""},
    // https://github.com/pytorch/pytorch, c10/cuda/CUDAException.h, and rename/Torch.inc
    {"C10_CUDA_KERNEL_LAUNCH_CHECK", 0, "C10_HIP_CHECK", "hipGetLastError()"},
};

// Macros of nvcc that select code: kept under a name that the output defines.
llvm::StringRef versionMacro(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("__CUDA_ARCH__", "LP_CUDA_ARCH")
      .Case("__CUDACC_VER_MAJOR__", "LP_CUDACC_VER_MAJOR")
      .Case("__CUDACC_VER_MINOR__", "LP_CUDACC_VER_MINOR")
      .Case("CUDA_VERSION", "LP_CUDA_VERSION")
      .Case("CUDART_VERSION", "LP_CUDA_VERSION")
      .Cases({"__CUDA_RUNTIME_H__", "__DRIVER_TYPES_H__"}, "LP_CUDA_RUNTIME_H")
      .Default("");
}

// The chunk that defines them, with the architecture this port was read as.
RuntimeChunk versionChunk(unsigned cudaArch) {
  for (RuntimeChunk chunk : deviceRuntime()) {
    if (chunk.name != "cuda_version")
      continue;
    const llvm::StringRef mark = "LP_CUDA_ARCH 800";
    const size_t at = chunk.text.find(mark.str());
    if (at != std::string::npos)
      chunk.text.replace(at, mark.size(), "LP_CUDA_ARCH " + std::to_string(cudaArch));
    return chunk;
  }
  return {};
}

class RenameRule : public Rule {
public:
  explicit RenameRule(std::vector<RuntimeChunk> &made) : made_(made) {}

  llvm::StringRef name() const override { return "rename"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    const std::set<Place> others = claimedNames(sites);
    const MacroUses macros(program);
    const std::map<Place, std::string> computeTypes = blasComputeTypes(program);
    made_.push_back(versionChunk(program.cudaArch));
    for (unsigned f = 0; f < program.files.size(); ++f) {
      renameIncludes(program, f, others, sites);
      renameIdentifiers(program, f, others, macros, sites);
    }
    for (Site &site : sites)
      if (const auto type = computeTypes.find({site.file, site.begin});
          type != computeTypes.end() && site.rule == name() && site.edits.size() == 1) {
        site.edits.front().text = type->second;
        site.reason = "what hipBLAS computes in has a type of its own";
      }
  }

private:
  // <name> or "name" in an #include line, as offsets of the name.
  static bool headerName(const SourceFile &file, const Directive &d, unsigned &begin,
                         unsigned &end) {
    const llvm::StringRef line = file.text().slice(d.begin, d.end);
    const size_t open = line.find_first_of("<\"");
    if (open == llvm::StringRef::npos)
      return false;
    const size_t close = line.find_first_of(">\"", open + 1);
    if (close == llvm::StringRef::npos)
      return false;
    begin = d.begin + open + 1;
    end = d.begin + close;
    return true;
  }

  // A header of the user's that happens to be called like one in the tables.
  static bool isUserHeader(const Program &program, unsigned f, const Directive &d) {
    return llvm::any_of(program.includes, [&](const Include &include) {
      return include.file == f && include.begin == d.begin && include.target >= 0;
    });
  }

  void renameIncludes(const Program &program, unsigned f, const std::set<Place> &others,
                      std::vector<Site> &sites) const {
    const SourceFile &file = program.file(f);
    for (const Directive &d : file.tokens.directives()) {
      unsigned begin = 0, end = 0;
      if (d.name != "include" || others.count({f, d.begin}) || !headerName(file, d, begin, end))
        continue;
      const rename::Name *row = rename::lookup(file.text().slice(begin, end));
      if (row && row->section == rename::Section::Header && !isUserHeader(program, f, d))
        sites.push_back(include(f, file, d, begin, end, *row));
    }
  }

  Site include(unsigned f, const SourceFile &file, const Directive &d, unsigned begin, unsigned end,
               const rename::Name &row) const {
    Site site = siteAt(file, f, d.firstToken, d.lastToken, name(), "include", Tier::Renamed,
                       "the header's HIP name");
    site.construct = ("#include " + file.text().slice(begin - 1, end + 1)).str();
    if (!row.note.empty())
      site.reason = row.note;
    if (row.support == rename::Support::Unsupported) {
      site.tier = Tier::Manual;
      return site;
    }
    if (!row.hip.empty()) {
      llvm::SmallVector<llvm::StringRef, 2> names;
      llvm::StringRef(row.hip).split(names, ' ');
      site.edits.push_back(
          {f, begin - 1, end + 1 - (begin - 1), "<" + llvm::join(names, ">\n#include <") + ">"});
      return site;
    }
    // Nothing is needed in its place: the line stays for the reader, as a comment.
    site.edits.push_back({f, d.begin, 0, "// "});
    return site;
  }

  // CUDA's names are not members: prop.warpSize is, but a member call x.cudaFoo is a user's.
  static bool isMember(const TokenStream &tokens, size_t i) {
    return i > 0 && (tokens.is(i - 1, ".") || tokens.is(i - 1, "->"));
  }

  // Places where a name that another rule ported begins.
  static std::set<Place> claimedNames(const std::vector<Site> &sites) {
    std::set<Place> places;
    for (const Site &site : sites)
      if (site.tier != Tier::Manual)
        places.insert({site.file, site.begin});
    return places;
  }

  void renameIdentifiers(const Program &program, unsigned f, const std::set<Place> &others,
                         const MacroUses &macros, std::vector<Site> &sites) const {
    const SourceFile &file = program.file(f);
    const TokenStream &tokens = file.tokens;
    const bool usesTorch = usesTorchNames(tokens);
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != tok::raw_identifier || isMember(tokens, i))
        continue;
      const int directive = tokens[i].directive;
      if (directive >= 0 && tokens.directives()[directive].name == "include")
        continue;
      const llvm::StringRef spelled = tokens.spelling(i);
      if (program.facts.userNames.count(spelled.str()))
        continue;
      if (spelled == "cuda" && renameNamespace(f, file, i, sites))
        continue;
      if (const llvm::StringRef macro = versionMacro(spelled); !macro.empty()) {
        sites.push_back(version(f, file, i, macro));
        continue;
      }
      if (llvm::is_contained({"__launch_bounds__", "warpSize"}, spelled))
        continue; // rules of their own
      size_t first = i;
      if (const rename::Name *row = rowOf(tokens, i, usesTorch, first))
        identifier(f, file, first, i, *row, others, macros, sites);
    }
  }

  // `using namespace at::cuda;`, `using c10::cuda::CUDAGuard;`
  static bool usesTorchNames(const TokenStream &tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      const size_t scope = i + (tokens.is(i + 1, "namespace") ? 2 : 1);
      if (tokens.is(i, "using") && tokens.is(scope + 1, "::") && tokens.is(scope + 2, "cuda") &&
          (tokens.is(scope, "at") || tokens.is(scope, "c10")))
        return true;
    }
    return false;
  }

  // cuda::std is the standard library, but for atomics, which HIP's has on the host only;
  // thrust::cuda is thrust::hip (https://rocm.docs.amd.com/projects/rocThrust/).
  bool renameNamespace(unsigned f, const SourceFile &file, size_t i,
                       std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    const bool isThrust = i >= 2 && tokens.is(i - 1, "::") && tokens.is(i - 2, "thrust");
    const bool isStd = tokens.is(i + 1, "::") && tokens.is(i + 2, "std") &&
                       tokens.is(i + 3, "::") && !tokens.spelling(i + 4).starts_with("atomic");
    if (!isThrust && !isStd)
      return false;
    const size_t last = i + 2;
    Site site = siteAt(file, f, i, std::min(last + 1, tokens.size()), name(),
                       isStd ? "cuda::std" : "thrust::cuda", Tier::Renamed, "its HIP name");
    site.edits.push_back({f, tokens[i].offset,
                          isStd ? tokens[last].offset - tokens[i].offset : tokens[i].length,
                          isStd ? "" : "hip"});
    sites.push_back(std::move(site));
    return true;
  }

  // A name of at::cuda may be one of c10::cuda.
  static const rename::Name *torchRow(llvm::StringRef outer, llvm::StringRef name) {
    const rename::Name *row = rename::lookup((outer + "::cuda::" + name).str());
    return row || outer != "at" ? row : torchRow("c10", name);
  }

  // The row of the name at token i, which begins at `first`, with its namespace.
  static const rename::Name *rowOf(const TokenStream &tokens, size_t i, bool usesTorch,
                                   size_t &first) {
    first = i;
    const llvm::StringRef outer = torchScope(tokens, i);
    if (!outer.empty()) {
      first = i - torchScopeLength;
      return torchRow(outer, tokens.spelling(i));
    }
    const rename::Name *row = rename::lookup(tokens.spelling(i));
    if (row)
      return row->section == rename::Section::Header ? nullptr : row;
    return usesTorch && !tokens.is(i - 1, "::") ? torchRow("at", tokens.spelling(i)) : nullptr;
  }

  Site version(unsigned f, const SourceFile &file, size_t i, llvm::StringRef macro) const {
    Site site = siteAt(file, f, i, i + 1, name(), file.tokens.spelling(i), Tier::Renamed,
                       "undefined in HIP: the output defines what this port was read as");
    site.edits.push_back({f, site.begin, site.end - site.begin, macro.str()});
    site.runtime = {"cuda_version"};
    return site;
  }

  // A call with a number of arguments that HIP has a name of its own for.
  static bool renameOverload(unsigned f, const SourceFile &file, size_t i, Site &site) {
    std::vector<TokenStream::Range> arguments;
    size_t close = 0;
    if (!file.tokens.callArguments(i + 1, arguments, close))
      return false;
    const auto row = llvm::find_if(overloads, [&](const Overload &overload) {
      return overload.cuda == file.tokens.spelling(i) && overload.arguments == arguments.size();
    });
    if (row == std::end(overloads))
      return false;
    site.edits.push_back({f, site.begin, site.end - site.begin, row->hip.str()});
    if (!row->tail.empty())
      site.edits.push_back({f, file.tokens[close].offset, 0, row->tail.str()});
    return true;
  }

  // The name of tokens [first, i].
  void identifier(unsigned f, const SourceFile &file, size_t first, size_t i,
                  const rename::Name &row, const std::set<Place> &others, const MacroUses &macros,
                  std::vector<Site> &sites) const {
    const llvm::StringRef spelled = file.tokens.textOf({first, i + 1});
    Site site = siteAt(file, f, first, i + 1, name(), spelled, Tier::Renamed, "its HIP name");
    if (!row.note.empty())
      site.reason = row.note;
    if (renameOverload(f, file, i, site)) {
      sites.push_back(site);
      return;
    }
    switch (row.support) {
    case rename::Support::Renamed:
    case rename::Support::Adapted:
      site.edits.push_back({f, site.begin, site.end - site.begin, std::string(row.hip)});
      break;
    case rename::Support::Kept:
      break;
    case rename::Support::Dropped:
      site.edits.push_back({f, site.begin, site.end - site.begin, ""});
      break;
    case rename::Support::DeviceRuntime:
    case rename::Support::Unsupported:
      // Another rule may have ported this very name.
      if (others.count({f, site.begin}))
        return;
      site.tier = Tier::Manual;
      site.unreached =
          row.support == rename::Support::Unsupported && macros.isInUnusedMacro(file, i);
      if (row.note.empty())
        site.reason = "HIP has no counterpart of " + spelled.str();
      else
        site.reason = spelled.str() + ": " + std::string(row.note);
      break;
    }
    sites.push_back(site);
  }

  std::vector<RuntimeChunk> &made_;
};

} // namespace

std::unique_ptr<Rule> makeRenameRule(std::vector<RuntimeChunk> &made) {
  return std::make_unique<RenameRule>(made);
}

} // namespace layout_port
