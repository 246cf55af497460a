// Loads, stores, atomics, cache hints.
#include "PtxTesting.h"

using namespace layout_port::ptx;

TEST(Load, HintsAreKeptApartFromMeaning) {
  const One<MemoryAccess> ld(
      "ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4+32];");
  EXPECT_TRUE(ld->load && ld->readOnly);
  EXPECT_EQ(ld->space, Space::Global);
  EXPECT_EQ(ld->type, Type::U32);
  EXPECT_EQ(ld->registers.size(), 4u);
  EXPECT_EQ(ld->evictL1, "no_allocate");
  EXPECT_EQ(ld->prefetchBytes, 128u);
  EXPECT_EQ(ld->order, MemoryOrder::Weak);
  EXPECT_EQ(ld->address->offset, 32);
}

TEST(Load, OrderAndScopeGoTogether) {
  const One<MemoryAccess> ld("ld.acquire.gpu.global.b32 %0, [%1];");
  EXPECT_EQ(ld->order, MemoryOrder::Acquire);
  EXPECT_EQ(ld->scope, MemoryScope::Device);
  EXPECT_EQ(One<MemoryAccess>("ld.volatile.global.u64 %0, [%1];")->order, MemoryOrder::Volatile);
  EXPECT_EQ(One<MemoryAccess>("ld.mmio.relaxed.sys.global.u32 %0, [%1];")->order,
            MemoryOrder::Mmio);
  EXPECT_EQ(refusal("ld.gpu.b32 %0, [%1];"), "ld.gpu.b32 has a scope but no order");
}

TEST(Store, TakesOperandsTheOtherWayRound) {
  const One<MemoryAccess> st("st.shared.v2.f32 [%0], {%1, 0f3F800000};");
  EXPECT_FALSE(st->load);
  EXPECT_EQ(st->address->elements[0].index, 0);
  EXPECT_EQ(st->registers[1]->immediate.bits, 0x3F800000u);
}

TEST(Atomic, DefaultsAreRelaxedAtDeviceScope) {
  const One<Atomic> a("atom.global.add.f32 %0, [%1], %2;");
  EXPECT_EQ(a->order, MemoryOrder::Relaxed);
  EXPECT_EQ(a->scope, MemoryScope::Device);
  EXPECT_EQ(a->kind, Atomic::Kind::Add);
  EXPECT_TRUE(a->returns);
}

TEST(Atomic, CompareAndSwapTakesExpectedThenDesired) {
  const One<Atomic> a("atom.acq_rel.sys.cas.b64 %0, [%1], %2, %3;");
  EXPECT_EQ(a->kind, Atomic::Kind::CompareAndSwap);
  EXPECT_EQ(a->sources[0]->index, 2);
  EXPECT_EQ(a->sources[1]->index, 3);
  EXPECT_EQ(a->order, MemoryOrder::AcquireRelease);
}

TEST(Atomic, ReductionsReturnNothing) {
  const One<Atomic> r("red.relaxed.gpu.global.max.u32 [%0], %1;");
  EXPECT_FALSE(r->returns);
  EXPECT_TRUE(r->destinations.empty());
}

TEST(Atomic, VectorsMoveElementByElement) {
  const One<Atomic> r("red.global.v4.f32.add [%0], {%1,%2,%3,%4};");
  EXPECT_EQ(r->sources.size(), 4u);
  EXPECT_EQ(refusal("red.global.v4.f32.add [%0], {%1,%2};"),
            "red.global.v4.f32.add moves 4 elements, here are 2");
}

TEST(CacheControl, APolicyIsARegisterThatMustHoldSomething) {
  const One<CacheControl> c("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;");
  EXPECT_EQ(c->kind, CacheControl::Kind::DefinePolicy);
  EXPECT_EQ(c->destination->index, 0);
}
