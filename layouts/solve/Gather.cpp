// Gather.h: legality is one elimination over src's columns.
#include "layout_port/layouts/Gather.h"

#include "solve/Problem.h"

#include "layout_port/layouts/Lds.h"

#include <algorithm>

namespace layout_port {

using namespace solve;

namespace {

int log2Of(int powerOfTwo) { return f2::lowestBit(static_cast<uint64_t>(powerOfTwo)); }

// Out-bits of the axis, as a mask over the flattened coordinate.
uint64_t axisMask(const LinearLayout &layout, const std::string &axis) {
  return f2::lowMask(layout.outBits(axis)) << layout.outOffset(axis);
}

Result<bool> checkDims(const LinearLayout &src, const LinearLayout &index,
                       const std::string &axis) {
  if (!src.hasOut(axis))
    return makeError("src has no out-dim '%s'", axis.c_str());
  for (const LayoutDim &dim : src.outs())
    if (!index.hasOut(dim.name))
      return makeError("index has no out-dim '%s'", dim.name.c_str());
    else if (dim.name != axis && index.outBits(dim.name) != dim.bits)
      return makeError("src and index differ in the size of '%s'", dim.name.c_str());
  if (index.outs().size() != src.outs().size())
    return makeError("index has more out-dims than src");
  return true;
}

// The index with src's axis: what its columns say about the other coordinates.
Result<LinearLayout> othersOf(const LinearLayout &index, const LinearLayout &src,
                              const std::string &axis) {
  const Result<LinearLayout> ordered = index.transposeOuts(src.outNames());
  if (!ordered)
    return ordered.error();
  f2::Columns columns;
  for (const uint64_t column : ordered->columns()) {
    LinearLayout::Basis coordinates = ordered->splitOut(column);
    coordinates[ordered->outIndex(axis)] = 0;
    columns.push_back(src.joinOut(coordinates));
  }
  return LinearLayout::fromColumns(ordered->ins(), src.outs(), columns);
}

class GatherPlanner {
public:
  GatherPlanner(const LinearLayout &src, const LinearLayout &others, const std::string &axis,
                isa::Arch arch)
      : src_(src), axis_(axis) {
    shape_.laneBits = log2Of(isa::archInfo(arch).waveSize);
    shape_.warpBits = std::max(src.inBits("warp"), others.inBits("warp"));
    shape_.blockBits = std::max(src.inBits("block"), others.inBits("block"));
    from_ = positionsOf(src, shape_);
    to_ = positionsOf(others, shape_);
    plan_.arch = arch;
    plan_.waveSize = 1 << shape_.laneBits;
    plan_.resultRegisterBits = static_cast<int>(to_.slots.size());
    plan_.threadBits = static_cast<int>(to_.threads.size());
  }

  Result<GatherPlan> run() {
    // Lanes before registers: a register that may be wanted costs a move each.
    for (int i = 0; i < shape_.laneBits; ++i)
      span_.insert(from_.threads[i], i);
    for (size_t i = 0; i < from_.slots.size(); ++i)
      span_.insert(from_.slots[i], shape_.laneBits + static_cast<int>(i));
    if (const Result<bool> placed = placeAxis(); !placed)
      return placed.error();
    if (const Result<bool> placed = placePositions(); !placed)
      return placed.error();
    price();
    return plan_;
  }

private:
  uint64_t lanePart(uint64_t tags) const { return tags & f2::lowMask(shape_.laneBits); }
  uint64_t registerPart(uint64_t tags) const { return tags >> shape_.laneBits; }

  Result<bool> placeAxis() {
    for (int i = 0; i < src_.outBits(axis_); ++i) {
      const auto tags = span_.solve(uint64_t(1) << (src_.outOffset(axis_) + i));
      if (!tags)
        return makeError("one wave does not hold the whole axis '%s' of src: bit %d lies in "
                         "other waves",
                         axis_.c_str(), i);
      plan_.laneOfAxis.push_back(lanePart(*tags));
      plan_.registerOfAxis.push_back(registerPart(*tags));
    }
    return true;
  }

  Result<bool> place(uint64_t wanted, uint64_t ownLane) {
    // Start from the own lane, so that copies are read where they are.
    const uint64_t own = ownLane & from_.present;
    const auto tags = span_.solve(wanted ^ f2::apply(from_.threads, own));
    if (!tags)
      return makeError("the index wants coordinates that lie in other waves of src");
    plan_.laneOfPosition.push_back(lanePart(*tags) ^ (own & f2::lowMask(shape_.laneBits)));
    plan_.registerOfPosition.push_back(registerPart(*tags));
    return true;
  }

  Result<bool> placePositions() {
    for (const uint64_t column : to_.slots)
      if (const Result<bool> placed = place(column, 0); !placed)
        return placed;
    for (size_t t = 0; t < to_.threads.size(); ++t) {
      const uint64_t own = uint64_t(1) << t;
      if (!(to_.present & own) && static_cast<int>(t) >= shape_.laneBits) {
        plan_.laneOfPosition.push_back(0); // the index has no such wave
        plan_.registerOfPosition.push_back(0);
        continue;
      }
      const bool missing = (to_.present & own) && !(from_.present & own);
      if (missing && static_cast<int>(t) >= shape_.laneBits)
        return makeError("src lies in fewer waves than the index");
      if (const Result<bool> placed = place(to_.threads[t], own); !placed)
        return placed;
    }
    return true;
  }

  bool staysInLane() const {
    for (const uint64_t lane : plan_.laneOfAxis)
      if (lane)
        return false;
    for (size_t i = 0; i < plan_.laneOfPosition.size(); ++i) {
      const int t = static_cast<int>(i) - plan_.resultRegisterBits;
      const uint64_t own = t >= 0 && t < shape_.laneBits ? uint64_t(1) << t : 0;
      if (plan_.laneOfPosition[i] != own)
        return false;
    }
    return true;
  }

  void price() {
    f2::Columns wanted = plan_.registerOfAxis;
    wanted.insert(wanted.end(), plan_.registerOfPosition.begin() + plan_.resultRegisterBits,
                  plan_.registerOfPosition.end());
    plan_.candidates = f2::reducedBasis(wanted);
    const int results = 1 << plan_.resultRegisterBits;
    const int each = 1 << plan_.candidates.size();
    plan_.cost.selects = results * (each - 1);
    plan_.cost.cycles = plan_.cost.selects * selectClocks();
    if (staysInLane()) {
      plan_.kind = PlanKind::Register;
    } else {
      const isa::LdsTime &move = isa::ldsTime(false, 4); // the permutes cost what a read does
      plan_.cost.moves = results * each;
      plan_.cost.cycles += plan_.cost.moves * move.issue + move.latency;
    }
    priceLds(results);
  }

  // Written in the widest vectors; read word by word, since the address is data.
  void priceLds(int results) {
    const int words = 1 << f2::rank(from_.slots);
    const int width = std::min(4, words);
    const isa::LdsTime &write = isa::ldsTime(true, 4 * width), &read = isa::ldsTime(false, 4);
    plan_.ldsCost.ldsOps = words / width + results;
    plan_.ldsCost.cycles =
        words / width * write.issue + write.latency + results * read.issue + read.latency;
  }

  const LinearLayout &src_;
  const std::string &axis_;
  Shape shape_;
  Positions from_, to_;
  f2::Span span_;
  GatherPlan plan_;
};

} // namespace

Result<GatherPlan> planGather(const LinearLayout &src, const LinearLayout &index,
                              const std::string &axis, isa::Arch arch) {
  if (const Result<bool> fine = checkDims(src, index, axis); !fine)
    return fine.error();
  const int lanes = std::max(src.inBits("lane"), index.inBits("lane"));
  if (1 << lanes > isa::archInfo(arch).waveSize)
    return makeError("%d lanes are more than a wave of %s has", 1 << lanes, isa::archName(arch));
  const Result<LinearLayout> others = othersOf(index, src, axis);
  if (!others)
    return others.error();
  return GatherPlanner(src, *others, axis, arch).run();
}

Result<Contents> executeGather(const GatherPlan &plan, const Contents &source,
                               const std::vector<std::vector<uint64_t>> &indices) {
  f2::Span moved;
  for (const uint64_t candidate : plan.candidates)
    moved.insert(candidate, 0);
  Contents result(indices.size());
  for (uint64_t t = 0; t < indices.size(); ++t)
    for (uint64_t r = 0; r < indices[t].size(); ++r) {
      const uint64_t position = r | t << plan.resultRegisterBits;
      const uint64_t lane =
          f2::apply(plan.laneOfAxis, indices[t][r]) ^ f2::apply(plan.laneOfPosition, position);
      const uint64_t wanted = f2::apply(plan.registerOfAxis, indices[t][r]) ^
                              f2::apply(plan.registerOfPosition, position);
      const uint64_t own = f2::apply(plan.registerOfPosition, r);
      if (lane >= uint64_t(plan.waveSize) || !moved.contains(wanted ^ own))
        return makeError("thread %d register %d: outside of the wave or of what was moved",
                         static_cast<int>(t), static_cast<int>(r));
      const uint64_t sender = t / plan.waveSize * plan.waveSize + lane;
      const bool held = sender < source.size() && wanted < source[sender].size();
      result[t].push_back(held ? source[sender][wanted] : -1);
    }
  return result;
}

Result<bool> checkGather(const GatherPlan &plan, const LinearLayout &src, const LinearLayout &index,
                         const std::string &axis,
                         const std::vector<std::vector<uint64_t>> &indices) {
  const Result<LinearLayout> others = othersOf(index, src, axis);
  if (!others)
    return others.error();
  const Result<Contents> got = executeGather(plan, contentsOf(src, plan.waveSize), indices);
  if (!got)
    return got.error();
  const Contents where = contentsOf(*others, plan.waveSize);
  for (size_t t = 0; t < where.size() && t < indices.size(); ++t)
    for (size_t r = 0; r < where[t].size() && r < indices[t].size(); ++r) {
      const uint64_t wanted = static_cast<uint64_t>(where[t][r]) | indices[t][r]
                                                                       << src.outOffset(axis);
      if ((indices[t][r] << src.outOffset(axis) & ~axisMask(src, axis)) == 0 &&
          (*got)[t][r] != static_cast<int64_t>(wanted))
        return makeError("thread %d register %d does not get element %d of the axis",
                         static_cast<int>(t), static_cast<int>(r), static_cast<int>(indices[t][r]));
    }
  return true;
}

} // namespace layout_port
