// Rule pages and the globs of --rules.
#include "pages/Pages.h"
#include "pages/Globs.h"

#include "PortText.h"

#include <gtest/gtest.h>

using namespace layout_port;

TEST(Pages, HeadingNamesTheRulesAndTheFirstSentenceIsTheSummary) {
  const RulePage page =
      readPage("# warp-a, warp-b\n\n```diff\n-x.\n```\n\nTurns `a.b` into\n**c**. "
               "More.\n\nAnd more.\n");
  EXPECT_EQ(page.names, (std::vector<std::string>{"warp-a", "warp-b"}));
  EXPECT_EQ(page.summary, "Turns a.b into c");
}

TEST(Pages, TextWithoutHeadingIsNoPage) { EXPECT_TRUE(readPage("warp-a\n").names.empty()); }

// What a report says can be asked for with --explain.
TEST(Pages, EveryRuleThatReportsHasAPage) {
  const PortedText port = portText(R"(#include <cuda_runtime.h>
    __global__ void __launch_bounds__(128, 2) k(int *p, unsigned *q) {
      asm volatile("frobnicate;");
      asm volatile("cp.async.commit_group;" ::);
      asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(q[0]) : "f"(1.f), "f"(2.f));
      q[1] = __cvta_generic_to_shared(p);
      p[0] = __shfl_xor_sync(~0u, p[1], 1) + __any_sync(~0u, p[2]) + warpSize;
      p[3] = __match_any_sync(~0u, p[4]);
    })");
  EXPECT_GE(port.ported.sites.size(), 10u);
  for (const Site &site : port.ported.sites)
    EXPECT_NE(findRulePage(site.rule), nullptr) << site.rule;
}

static bool allows(const std::vector<std::string> &patterns, llvm::StringRef rule) {
  RuleGlobs globs;
  EXPECT_EQ(globs.set(patterns), "");
  return globs.allows(rule);
}

TEST(Globs, NothingGivenAllowsAll) { EXPECT_TRUE(RuleGlobs().allows("tensor-mma")); }

TEST(Globs, APlainListStartsFromNone) {
  EXPECT_TRUE(allows({"tensor-*"}, "tensor-mma"));
  EXPECT_FALSE(allows({"tensor-*"}, "warp-vote"));
}

TEST(Globs, AListThatBeginsWithAMinusStartsFromAll) {
  EXPECT_FALSE(allows({"-tensor-*"}, "tensor-mma"));
  EXPECT_TRUE(allows({"-tensor-*"}, "warp-vote"));
}

TEST(Globs, TheLastPatternThatFitsDecides) {
  EXPECT_TRUE(allows({"*", "-tensor-*", "*-mma"}, "tensor-mma"));
  EXPECT_FALSE(allows({"*", "-tensor-*", "*-mma"}, "tensor-ldmatrix"));
}

TEST(Globs, APatternThatFitsNoRuleIsAnError) {
  EXPECT_EQ(RuleGlobs().set({"-tensr-*"}), "--rules: 'tensr-*' fits no rule: see --list-rules");
}
