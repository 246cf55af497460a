// Warp barriers of the whole warp in both arms of a branch that splits the warp.
//
//   if (lane < 16) { s[0] = v; __syncwarp(); }
//   else           { __syncwarp(); v = s[0]; }
//
// Since Volta the arms meet at the barrier. A wave of AMD runs one arm to its end
// and then the other, in an order of the compiler's: what the first arm writes behind
// its barrier, or the second before its own, comes at the wrong time. Barriers that
// name only the lanes of their own arm are right as they are.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#independent-thread-scheduling
#include "source/Match.h"
#include "warp/uniform/Uniform.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port {

namespace {

// __syncwarp() or __syncwarp(0xffffffff): of all 32 lanes.
bool isWholeWarpBarrier(const TokenStream &tokens, size_t i) {
  std::vector<TokenStream::Range> args;
  size_t close = 0;
  if (!isCallOf(tokens, i, "__syncwarp") || !tokens.callArguments(i + 1, args, close))
    return false;
  if (args.empty())
    return true;
  const std::string mask = tokens.textOf(args[0]).rtrim("uUlL").lower();
  return mask == "0xffffffff" || mask == "~0" || mask == "-1";
}

bool hasWholeWarpBarrier(const TokenStream &tokens, TokenStream::Range range) {
  for (size_t i = range.first; i < range.last; ++i)
    if (isWholeWarpBarrier(tokens, i))
      return true;
  return false;
}

class ArmsRule : public Rule {
public:
  llvm::StringRef name() const override { return "warp-arms"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      if (isCallOf(file.tokens, i, "if"))
        branch(f, file, i, sites);
    });
  }

private:
  void branch(unsigned f, const SourceFile &file, size_t i, std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    const size_t close = tokens.matching(i + 1);
    if (close >= tokens.size())
      return;
    const size_t middle = endOfStatement(tokens, close + 1), end = endOfStatement(tokens, i);
    if (!tokens.is(middle, "else") || !hasWholeWarpBarrier(tokens, {close, middle}) ||
        !hasWholeWarpBarrier(tokens, {middle, end}) ||
        Uniformity(tokens, i).of({i + 2, close}) != Varies::ByLane)
      return;
    sites.push_back(siteAt(file, f, i, close + 1, name(), "__syncwarp", Tier::Manual,
                           "both arms of a branch inside a warp meet at __syncwarp: a wave runs "
                           "one arm to its end before the other"));
  }
};

} // namespace

std::unique_ptr<Rule> makeArmsRule() { return std::make_unique<ArmsRule>(); }

} // namespace layout_port
