// LdsRounds.h: functionals, their kernel, and the layouts within it.
#include "solve/LdsRounds.h"

#include "solve/SwizzleParts.h"

namespace layout_port::solve {

namespace {

// `count` functionals that vanish on the vectors, each a mask over `bits` bits; those of
// the highest bits, so that neighbours stay together. Fewer if there are not so many.
f2::Columns functionalsWithout(const f2::Columns &vectors, int bits, int count) {
  f2::Columns all = f2::reducedBasis(f2::kernel(f2::transpose(vectors, bits)));
  const int extra = static_cast<int>(all.size()) - count;
  if (extra > 0)
    all.erase(all.begin(), all.begin() + extra);
  return all;
}

f2::Columns threadColumns(const LinearLayout &layout) {
  f2::Columns columns;
  for (const char *dim : {"lane", "warp", "block"})
    for (const uint64_t column : columnsOf(layout, dim))
      columns.push_back(column);
  return columns;
}

// The layout of what lies in K: the registers (or sums of them) in it, all threads.
LinearLayout within(const LinearLayout &layout, const f2::Columns &basis, const f2::Columns &phi) {
  f2::Columns columns;
  std::vector<LayoutDim> ins;
  const auto add = [&](const char *dim, const f2::Columns &vectors) {
    ins.push_back({dim, static_cast<int>(vectors.size())});
    for (const uint64_t vector : vectors)
      columns.push_back(f2::solve(basis, vector).value_or(0));
  };
  const f2::Columns registers = columnsOf(layout, "register");
  add("register", f2::multiply(registers, f2::kernel(f2::multiply(phi, registers))));
  for (const char *dim : {"lane", "warp", "block"})
    add(dim, columnsOf(layout, dim));
  return *LinearLayout::fromColumns(ins, {{"element", static_cast<int>(basis.size())}}, columns);
}

} // namespace

Result<SwizzleSolution> solveSwizzleInRounds(const LinearLayout &src, const LinearLayout &dst,
                                             int elementBits, isa::Arch arch, int rounds) {
  const int bits = src.totalOutBits();
  const f2::Columns functionals =
      functionalsWithout(sum(threadColumns(src), threadColumns(dst)), bits, rounds);
  if (static_cast<int>(functionals.size()) < rounds)
    return makeError("the tile does not fit in LDS, and threads hold too little of it to move it "
                     "in %d rounds",
                     1 << rounds);
  const f2::Columns phi = f2::transpose(functionals, bits);
  const f2::Columns basis = f2::kernel(phi);
  Result<SwizzleSolution> solution =
      solveSwizzle(within(src, basis, phi), within(dst, basis, phi), elementBits, arch);
  if (!solution)
    return solution.error();

  f2::Columns memory = f2::multiply(basis, solution->memory.columns());
  for (int i = 0; i < rounds; ++i)
    memory.push_back(f2::solve(phi, uint64_t(1) << i).value_or(0));
  const Result<LinearLayout> whole =
      LinearLayout::fromColumns({{"offset", bits}}, src.outs(), memory);
  if (!whole)
    return whole.error();
  solution->memory = *whole;
  solution->source = src;
  solution->write.instructions <<= f2::rank(f2::multiply(phi, columnsOf(src, "register")));
  solution->read.instructions <<= f2::rank(f2::multiply(phi, columnsOf(dst, "register")));
  return solution;
}

} // namespace layout_port::solve
