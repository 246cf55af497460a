// Functions of cuBLAS on halves: hipBLAS takes their bits, uint16_t.
//
//   cublasHgemm(h, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc)
//     ──▶  hipblasHgemm(h, ta, tb, m, n, k, (hipblasHalf *)(&alpha), (hipblasHalf *)(a), lda, ...)
//
// https://rocm.docs.amd.com/projects/hipBLAS/en/latest/reference/hipblas-api-functions.html
#include "source/Edits.h"
#include "source/Match.h"

namespace layout_port {

namespace {

struct HalfArguments {
  llvm::StringRef function;
  unsigned pointers; // bit i: argument i points to halves
};

constexpr HalfArguments halfArguments[] = {
    {"cublasHgemm", 1u << 6 | 1u << 7 | 1u << 9 | 1u << 11 | 1u << 12},
    {"cublasHgemmStridedBatched", 1u << 6 | 1u << 7 | 1u << 10 | 1u << 13 | 1u << 14},
};

class BlasHalvesRule : public Rule {
public:
  llvm::StringRef name() const override { return "rename"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      for (const HalfArguments &row : halfArguments)
        if (isCallOf(file.tokens, i, row.function) &&
            !program.facts.userNames.count(row.function.str()))
          cast(f, file, i, row, sites);
    });
  }

private:
  void cast(unsigned f, const SourceFile &file, size_t i, const HalfArguments &row,
            std::vector<Site> &sites) const {
    std::vector<TokenStream::Range> args;
    size_t close = i;
    if (!file.tokens.callArguments(i + 1, args, close))
      return;
    for (size_t a = 0; a < args.size(); ++a) {
      if (!(row.pointers >> a & 1) || args[a].first == args[a].last)
        continue;
      Site site = siteAt(file, f, args[a].first, args[a].last, name(), row.function, Tier::Renamed,
                         "hipBLAS takes halves as their bits");
      site.edits.push_back({f, site.begin, site.end - site.begin,
                            "(hipblasHalf *)(" + sourceRange(site.begin, site.end) + ")"});
      sites.push_back(std::move(site));
    }
  }
};

} // namespace

std::unique_ptr<Rule> makeBlasHalvesRule() { return std::make_unique<BlasHalvesRule>(); }

} // namespace layout_port
