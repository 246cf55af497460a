// Sums of rows of results by an mma with constants (RowSums.h), between the products:
//
//   asm("mma ... {%0, ph, %1, ph}, ..." : "=f"(d[0]), "=f"(d[1]) : "r"(p[0]), ..., "f"(d[1]));
//
//   ──▶  lp::add_row_sums<_Float16>(d[0], d[1], p[0], p[1], p[2], p[3], 1006648320, 1006648320);
//
// What was rows r and r + 8 are the two warps here, of results and of values of rows alike
// (Exchange.h). The author's function stays what it is; its asm is written anew.
#include "native/Recovery.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

// Whether the warps of a wave come to it together is checked as for any product.
void Recovery::noteRowSums(const TextRange &site) { rowSums_.push_back(site); }

std::string Recovery::writeRowSums(const GCCAsmStmt &stmt, const RowSums &sums) {
  const auto range = texts_.statement(stmt.getSourceRange());
  if (!range || range->file != out_.range.file || stmt.getBeginLoc().isMacroID())
    return "it stands in a macro or another file";
  std::vector<std::string> arguments;
  const auto add = [&](const Expr *expr) {
    const auto its = texts_.range(expr->getSourceRange());
    if (!its || its->file != range->file || expr->getBeginLoc().isMacroID() ||
        expr->getEndLoc().isMacroID())
      return false;
    arguments.push_back(sourceRange(its->begin, its->end));
    return true;
  };
  if (!llvm::all_of(sums.sums, add) || !llvm::all_of(sums.first, add))
    return "its operands stand in a macro";
  for (size_t i = 0; i < sums.weights.size(); ++i)
    if (!sums.saidWeights[i] || !add(sums.saidWeights[i]))
      arguments.push_back("0x" + llvm::utohexstr(sums.weights[i], /*LowerCase=*/true) + "u");
  const std::string type = sums.type == ptx::Type::BF16 ? "__bf16" : "_Float16";
  const std::string text = "lp::add_row_sums<" + type + ">(" + llvm::join(arguments, ", ") + ")";
  return addBetween(out_, {*range, text}) ? "" : "it is written in several ways";
}

bool Recovery::lookAtRowSums(Exchange &exchange, const Between &between) {
  const auto isInside = [&](const TextRange &at) { return between.region.contains(at); };
  for (const auto &[stmt, sums] : exchange.rowSums) {
    std::string why;
    if (const CallExpr *other = exchangedElsewhere({stmt}, isInside))
      why = "'" + nameCalled(*other) + "' is called elsewhere, too";
    if (why.empty())
      why = writeRowSums(*stmt, sums);
    if (!why.empty()) {
      fail(exchange, "rows of results are summed up by an mma with constants: " + why,
           stmt->getBeginLoc());
      return false;
    }
  }
  return true;
}

} // namespace layout_port::native
