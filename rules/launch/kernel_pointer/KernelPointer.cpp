// Functions that take a kernel: CUDA has overloads for any function pointer, HIP
// takes const void *.
//
//   cudaFuncSetAttribute(kernel, ...)   ──▶  hipFuncSetAttribute(reinterpret_cast<const void
//   *>(kernel), ...)
//
// https://rocm.docs.amd.com/projects/HIP/en/latest/reference/hip_runtime_api/modules/execution_control.html
#include "source/Edits.h"
#include "source/Match.h"

namespace layout_port {

namespace {

struct KernelArgument {
  llvm::StringRef function;
  unsigned before, after; // arguments on either side of the kernel
};

constexpr KernelArgument kernelArguments[] = {
    {"cudaFuncSetAttribute", 0, 2},
    {"cudaFuncSetCacheConfig", 0, 1},
    {"cudaFuncSetSharedMemConfig", 0, 1},
    {"cudaFuncGetAttributes", 1, 0},
};

class KernelPointerRule : public Rule {
public:
  llvm::StringRef name() const override { return "launch-kernel-pointer"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      for (const KernelArgument &row : kernelArguments)
        if (isCallOf(file.tokens, i, row.function))
          cast(f, file, i, row, sites);
    });
  }

private:
  void cast(unsigned f, const SourceFile &file, size_t i, const KernelArgument &row,
            std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    std::vector<TokenStream::Range> args;
    size_t close = i;
    if (!tokens.callArguments(i + 1, args, close) || args.size() <= row.before + row.after)
      return;
    // A template's arguments have commas of their own: kernel<128, T> is one argument.
    const TokenStream::Range argument{args[row.before].first,
                                      args[args.size() - row.after - 1].last};
    if (tokens.textOf(argument).contains("void"))
      return; // the author's own cast
    Site site = siteAt(file, f, argument.first, argument.last, name(), row.function, Tier::Renamed,
                       "HIP takes the kernel as const void *");
    site.edits.push_back(
        {f, site.begin, site.end - site.begin,
         "reinterpret_cast<const void *>(" + sourceRange(site.begin, site.end) + ")"});
    sites.push_back(site);
  }
};

} // namespace

std::unique_ptr<Rule> makeKernelPointerRule() { return std::make_unique<KernelPointerRule>(); }

} // namespace layout_port
