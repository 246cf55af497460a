// A question for AMD in a CUDA source: read as nvcc reads it, it has one answer, and the output
// keeps that one. hipcc defines these macros (and a build of PyTorch for ROCm some more), and would
// take the arms of another port, written for warps of 64, into this one.
//
//   #ifdef __HIP_PLATFORM_AMD__     ──▶   #ifdef LP_UNDEFINED /* __HIP_PLATFORM_AMD__ */
//   #define WARP 64                       #define WARP 64
//   #else                                 #else
//
// Not where the command line or the program itself defines the macro: then its arms were read.
// Names: clang/lib/Basic/Targets/AMDGPU.cpp and clang/lib/Frontend/InitPreprocessor.cpp,
// hip/hip_version.h, PyTorch's torch/utils/cpp_extension.py.
#include "source/Match.h"

#include "llvm/ADT/StringSwitch.h"

namespace layout_port {

namespace {

bool asksForAmd(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"__HIP__", "__HIPCC__", "__HIPCC_RTC__", "__HIP_DEVICE_COMPILE__"}, true)
      .Cases({"__HIP_PLATFORM_AMD__", "__HIP_PLATFORM_HCC__", "__HCC__"}, true)
      .Cases({"__AMDGCN__", "__AMDGPU__", "__AMD__", "__AMDGCN_WAVEFRONT_SIZE__"}, true)
      .Cases({"__AMDGCN_WAVEFRONT_SIZE", "HIP_VERSION", "HIP_VERSION_MAJOR"}, true)
      .Cases({"HIP_VERSION_MINOR", "HIP_VERSION_PATCH", "TORCH_HIP_VERSION"}, true)
      .Cases({"USE_ROCM", "ROCM_VERSION", "ROCM_VERSION_MAJOR"}, true)
      .Default(name.starts_with("__gfx") || name.starts_with("__GFX") ||
               name.starts_with("__HIP_ARCH_"));
}

bool isCondition(const TokenStream &tokens, size_t i) {
  if (tokens[i].directive < 0)
    return false;
  const llvm::StringRef name = tokens.directives()[tokens[i].directive].name;
  return name.starts_with("if") || name.starts_with("elif");
}

class HipGuardsRule : public Rule {
public:
  llvm::StringRef name() const override { return "rename"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    for (unsigned f = 0; f < program.files.size(); ++f) {
      const SourceFile &file = program.file(f);
      const TokenStream &tokens = file.tokens;
      for (size_t i = 0; i < tokens.size(); ++i) {
        const llvm::StringRef macro = tokens.spelling(i);
        if (!isCondition(tokens, i) || !asksForAmd(macro) ||
            program.facts.userNames.count(macro.str()) ||
            program.flagMacros.count(macro.str()))
          continue;
        Site site = siteAt(file, f, i, i + 1, name(), macro, Tier::Renamed,
                           "undefined as the source was read: hipcc defines it");
        site.edits.push_back(
            {f, site.begin, site.end - site.begin, ("LP_UNDEFINED /* " + macro + " */").str()});
        sites.push_back(std::move(site));
      }
    }
  }
};

} // namespace

std::unique_ptr<Rule> makeHipGuardsRule() { return std::make_unique<HipGuardsRule>(); }

} // namespace layout_port
