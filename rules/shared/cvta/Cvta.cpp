// Conversions between generic and shared addresses.
//
//   __cvta_generic_to_shared(p)  ──▶  lp::cvta_generic_to_shared(p)
//
// An LDS address is 32 bits wide, like a CUDA shared address; the function keeps
// CUDA's size_t so that the author's casts stay as they are.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#address-space-conversion-functions
#include "source/Match.h"

namespace layout_port {

namespace {

class CvtaRule : public Rule {
public:
  llvm::StringRef name() const override { return "shared-cvta"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    static constexpr llvm::StringRef names[] = {
        "__cvta_generic_to_shared", "__cvta_shared_to_generic", "__cvta_generic_to_global",
        "__cvta_global_to_generic"};
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      for (const llvm::StringRef cvta : names)
        if (isCallOf(file.tokens, i, cvta))
          sites.push_back(port(f, file, i, cvta));
    });
  }

private:
  Site port(unsigned f, const SourceFile &file, size_t i, llvm::StringRef cvta) const {
    Site site = siteAt(file, f, i, i + 1, name(), cvta, Tier::Emulated,
                       "an address-space cast of clang");
    const std::string function = cvta.drop_front(2).str();
    site.edits.push_back({f, file.tokens[i].offset, file.tokens[i].length, "lp::" + function});
    site.runtime = {function};
    return site;
  }
};

} // namespace

std::unique_ptr<Rule> makeCvtaRule() { return std::make_unique<CvtaRule>(); }

} // namespace layout_port
