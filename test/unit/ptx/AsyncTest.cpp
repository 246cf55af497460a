// cp.async and its waits.
#include "PtxTesting.h"

using namespace layout_port::ptx;

TEST(AsyncCopy, PlainSixteenBytes) {
  const One<AsyncCopy> copy("cp.async.cg.shared.global [%0], [%1], 16;\n");
  EXPECT_TRUE(copy->bypassL1);
  EXPECT_EQ(copy->bytes, 16u);
  EXPECT_EQ(copy->destination->elements[0].index, 0);
  EXPECT_EQ(copy->source->elements[0].index, 1);
  EXPECT_EQ(copy->sourceSize, nullptr);
}

TEST(AsyncCopy, TheSizeMayBeAnAsmOperand) {
  const One<AsyncCopy> copy("cp.async.ca.shared.global.L2::128B [%0], [%1], %2;");
  EXPECT_EQ(copy->bytes, std::nullopt);
  EXPECT_EQ(copy->size->index, 2);
  EXPECT_EQ(copy->prefetchBytes, 128u);
}

TEST(AsyncCopy, AFourthOperandIsTheSourceSizeOrAPredicate) {
  const One<AsyncCopy> sized("cp.async.cg.shared::cta.global [%0], [%1], 16, %2;");
  EXPECT_EQ(sized->sourceSize->index, 2);
  EXPECT_EQ(sized->ignoreSource, nullptr);
  const One<AsyncCopy> unless("{ .reg .pred p; cp.async.ca.shared.global [%0], [%1], 4, !p; }");
  EXPECT_TRUE(unless->ignoreSource->negated);
  EXPECT_EQ(refusal("cp.async.ca.shared.global [%0], [%1], 4, !%2;"),
            "'!' stands before a predicate");
  const One<AsyncCopy> ignored("{ .reg .pred p; cp.async.ca.shared.global [%0], [%1], 4, p; }");
  EXPECT_EQ(ignored->ignoreSource->name, "p");
  EXPECT_EQ(ignored->sourceSize, nullptr);
}

TEST(AsyncCopy, ACacheHintBringsAPolicyAtTheEnd) {
  const One<AsyncCopy> copy(
      "cp.async.cg.shared.global.L2::cache_hint.L2::256B [%0], [%1], 16, %2, %3;");
  EXPECT_EQ(copy->sourceSize->index, 2);
  EXPECT_EQ(copy->cachePolicy->index, 3);
  EXPECT_EQ(refusal("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16;"),
            "cp.async with .L2::cache_hint needs a cache policy");
}

TEST(AsyncCopy, SaysWhatIsWrong) {
  EXPECT_EQ(refusal("cp.async.cg.shared.global [%0], [%1], 8;"), "cp.async.cg copies 16 bytes");
  EXPECT_EQ(refusal("cp.async.ca.shared.global [%0], [%1], 12;"),
            "cp.async copies 4, 8 or 16 bytes");
  EXPECT_EQ(refusal("cp.async.ca.shared.global [%0], [%1], 4, 8;"),
            "cp.async reads at most the bytes it copies");
  EXPECT_EQ(refusal("cp.async.ca.shared.global [%0], [%1], 4, %2, %3;"),
            "a cache policy needs .L2::cache_hint");
}

TEST(AsyncWait, KnowsItsThreeKinds) {
  EXPECT_EQ(One<AsyncWait>("cp.async.commit_group;")->kind, AsyncWait::Kind::Commit);
  EXPECT_EQ(One<AsyncWait>("cp.async.wait_all;")->kind, AsyncWait::Kind::WaitAll);
  EXPECT_EQ(One<AsyncWait>("cp.async.wait_group 2;")->pendingCount, 2u);
  const One<AsyncWait> bound("cp.async.wait_group %0;");
  EXPECT_EQ(bound->kind, AsyncWait::Kind::WaitGroup);
  EXPECT_EQ(bound->pendingCount, std::nullopt);
  EXPECT_EQ(bound->pending->index, 0);
}
