// C = src^-1 o dst on positions, column by column. A position is moved as little as
// possible: what has to be found is the difference to the own thread's copy,
//
//   src(delta) = dst(e_c) ^ src(own thread bits of e_c),
//
// with the bits of src entering the elimination in the order register, lane, warp,
// block. Low columns become pivots, so the solution uses a lane bit only where the
// registers cannot do it, and a warp bit only where the wave cannot.
#include "solve/Conversion.h"

namespace layout_port::solve {

f2::Columns Conversion::slotColumns() const {
  return f2::Columns(columns.begin(), columns.begin() + destSlotBits);
}

f2::Columns Conversion::threadColumns() const {
  return f2::Columns(columns.begin() + destSlotBits, columns.end());
}

bool Conversion::staysInWave() const {
  for (int i = 0; i < destSlotBits; ++i)
    if (groupPart(slotColumn(i)) != 0)
      return false;
  for (int i = 0; i < threadBits(); ++i) {
    const uint64_t own = i < laneBits ? 0 : uint64_t(1) << (i - laneBits);
    if (groupPart(threadColumn(i)) != own)
      return false;
  }
  return true;
}

bool Conversion::staysInLane() const {
  for (int i = 0; i < destSlotBits; ++i)
    if (threadPart(slotColumn(i)) != 0)
      return false;
  for (int i = 0; i < threadBits(); ++i)
    if (threadPart(threadColumn(i)) != uint64_t(1) << i)
      return false;
  return true;
}

bool Conversion::isIdentity() const {
  if (!staysInLane())
    return false;
  for (int i = 0; i < destSlotBits; ++i)
    if (slotColumn(i) != uint64_t(1) << i)
      return false;
  for (int i = 0; i < threadBits(); ++i)
    if (slotPart(threadColumn(i)) != 0)
      return false;
  return true;
}

static void appendDim(const LinearLayout &layout, const char *name, int bits, const Shape &shape,
                      Positions &positions) {
  const int first = layout.inOffset(name);
  for (int i = 0; i < bits; ++i) {
    const bool present = i < layout.inBits(name);
    if (present)
      positions.present |= uint64_t(1) << positions.threads.size();
    positions.threads.push_back(present ? layout.column(first + i) << shape.halfBits : 0);
  }
}

Positions positionsOf(const LinearLayout &layout, const Shape &shape) {
  Positions positions;
  for (int i = 0; i < shape.halfBits; ++i)
    positions.slots.push_back(uint64_t(1) << i);
  for (int i = 0; i < layout.inBits("register"); ++i)
    positions.slots.push_back(layout.column(layout.inOffset("register") + i) << shape.halfBits);
  appendDim(layout, "lane", shape.laneBits, shape, positions);
  appendDim(layout, "warp", shape.warpBits, shape, positions);
  appendDim(layout, "block", shape.blockBits, shape, positions);
  return positions;
}

namespace {

// The bits of src in the order in which they may be used.
class Finder {
public:
  explicit Finder(const Positions &src) : src_(src) {
    int bit = 0;
    for (const uint64_t column : src.slots)
      span_.insert(column, bit++);
    for (const uint64_t column : src.threads)
      span_.insert(column, bit++);
  }

  // The source position of logical element `wanted`, seen from a thread bit that the
  // destination also has (own = 1 << bit), or from none (own = 0).
  std::optional<uint64_t> find(uint64_t wanted, uint64_t own) const {
    const uint64_t kept = own & src_.present;
    const std::optional<uint64_t> delta = span_.solve(wanted ^ f2::apply(src_.threads, kept));
    if (!delta)
      return std::nullopt;
    return *delta ^ kept << src_.slots.size();
  }

private:
  const Positions &src_;
  f2::Span span_;
};

} // namespace

Result<Conversion> conversionOf(const LinearLayout &src, const LinearLayout &dst,
                                const Shape &shape) {
  const Positions from = positionsOf(src, shape);
  const Positions to = positionsOf(dst, shape);
  Conversion conversion;
  conversion.sourceSlotBits = static_cast<int>(from.slots.size());
  conversion.destSlotBits = static_cast<int>(to.slots.size());
  conversion.laneBits = shape.laneBits;
  conversion.groupBits = shape.warpBits + shape.blockBits;

  const Finder finder(from);
  const auto place = [&](uint64_t wanted, uint64_t own) {
    const std::optional<uint64_t> position = finder.find(wanted, own);
    conversion.columns.push_back(position.value_or(0));
    return position.has_value();
  };
  bool found = true;
  for (const uint64_t column : to.slots)
    found &= place(column, 0);
  for (size_t i = 0; i < to.threads.size(); ++i) {
    const uint64_t own = uint64_t(1) << i;
    if (to.present & own)
      found &= place(to.threads[i], own);
    else // no such thread in dst: it may as well follow the others
      conversion.columns.push_back(own << conversion.sourceSlotBits);
  }
  if (!found)
    return makeError("the destination wants an element that the source does not hold");
  return conversion;
}

} // namespace layout_port::solve
