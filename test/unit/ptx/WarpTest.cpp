// Shuffles, votes and their kin; barriers and fences.
#include "PtxTesting.h"

using namespace layout_port::ptx;

TEST(Shuffle, TheClampTellsTheWidth) {
  EXPECT_EQ(One<Shuffle>("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, -1;")->width, 32u);
  EXPECT_EQ(One<Shuffle>("shfl.sync.bfly.b32 %0, %1, 1, 0x1c1f, -1;")->width, 4u);
  EXPECT_EQ(One<Shuffle>("shfl.sync.up.b32 %0, %1, 1, 0, -1;")->width, 32u);
  EXPECT_EQ(One<Shuffle>("shfl.sync.up.b32 %0, %1, 1, 0x1f, -1;")->width, std::nullopt)
      << "up clamps at lane 0, so 0x1f is no width of an intrinsic";
  EXPECT_EQ(One<Shuffle>("shfl.sync.idx.b32 %0, %1, %2, %3, -1;")->width, std::nullopt);
}

TEST(Shuffle, MayReportWhetherTheLaneWasInRange) {
  const One<Shuffle> s("{.reg .pred p; shfl.sync.down.b32 %0|p, %1, %2, 0x1f, %3;}");
  EXPECT_EQ(s->mode, Shuffle::Mode::Down);
  EXPECT_EQ(s->destination->index, 0);
  EXPECT_EQ(s->predicate->name, "p");
  EXPECT_EQ(s->mask->index, 3);
}

TEST(Vote, BallotOfANegatedPredicate) {
  const One<Vote> v("{.reg .pred p; vote.sync.ballot.b32 %0, !p, %1;}");
  EXPECT_EQ(v->mode, Vote::Mode::Ballot);
  EXPECT_TRUE(v->predicate->negated);
}

TEST(Match, AllMayReportAgreement) {
  const One<Match> m("{.reg .pred p; match.all.sync.b64 %0|p, %1, %2;}");
  EXPECT_TRUE(m->all);
  EXPECT_EQ(m->predicate->name, "p");
}

TEST(Redux, KnowsIntegersAndFloats) {
  EXPECT_EQ(One<Reduce>("redux.sync.min.u32 %0, %1, -1;")->kind, Reduce::Kind::Min);
  const One<Reduce> r("redux.sync.max.abs.NaN.f32 %0, %1, -1;");
  EXPECT_TRUE(r->magnitude && r->propagateNan);
}

TEST(Barrier, NamedBarrierOfSomeThreads) {
  const One<Barrier> b("bar.sync 1, 128;");
  EXPECT_TRUE(b->aligned);
  EXPECT_EQ(b->id->immediate.bits, 1u);
  EXPECT_EQ(b->threads->immediate.bits, 128u);
  EXPECT_FALSE(One<Barrier>("barrier.sync 0;")->aligned);
}

TEST(Barrier, ReductionsTakeTheirPredicateLast) {
  const One<Barrier> b("{.reg .pred p, q; bar.red.or.pred p, 0, 64, !q;}");
  EXPECT_EQ(b->kind, Barrier::Kind::Reduce);
  EXPECT_EQ(b->reduction, Barrier::Reduction::Or);
  EXPECT_EQ(b->threads->immediate.bits, 64u);
  EXPECT_TRUE(b->predicate->negated);
  EXPECT_EQ(One<Barrier>("{.reg .pred q; bar.red.popc.u32 %0, 0, q;}")->threads, nullptr);
}

TEST(Fence, MembarIsSequentiallyConsistent) {
  EXPECT_EQ(One<Fence>("membar.gl;")->order, MemoryOrder::Sequential);
  EXPECT_EQ(One<Fence>("membar.cta;")->scope, MemoryScope::Block);
  EXPECT_EQ(One<Fence>("fence.gpu;")->order, MemoryOrder::AcquireRelease);
}
