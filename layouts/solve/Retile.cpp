// The enumeration of Retile.h. Rows, columns and k are assigned independently of each
// other, and what each costs depends on that assignment alone, so the lists are made
// separately, combined, priced, and only then turned into layouts.
#include "layout_port/layouts/Retile.h"

#include "layout_port/layouts/Lds.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>

namespace layout_port {

namespace {

using Names = std::vector<std::string>;

constexpr const char *kPad = "pad";
// The enumeration grows with them exponentially; loops of 2^12 tiles are far away.
constexpr size_t kMostSpareBits = 12;
// The epilogue runs once for many steps of the k loop.
constexpr double kStoreShare = 1.0 / 16;

int log2Of(int powerOfTwo) { return f2::lowestBit(static_cast<uint64_t>(powerOfTwo)); }

bool contains(const Names &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The bits of one logical dim: the mma's own, spare ones, and perhaps h.
struct Pool {
  std::string dim;
  int ownBits = 0;
  Names bits;

  int indexOf(const std::string &bit) const {
    return static_cast<int>(std::find(bits.begin(), bits.end(), bit) - bits.begin());
  }
  std::vector<int> ranks(const Names &names) const {
    std::vector<int> ranks;
    for (const std::string &name : names)
      ranks.push_back(indexOf(name));
    return ranks;
  }
};

Pool poolOf(const char *dim, int size, const Names &spare, bool withPair) {
  Pool pool{dim, log2Of(size), {}};
  for (int i = 0; i < pool.ownBits; ++i)
    pool.bits.push_back(dim + std::to_string(i));
  pool.bits.insert(pool.bits.end(), spare.begin(), spare.end());
  if (withPair)
    pool.bits.push_back("h");
  return pool;
}

struct Pools {
  Pool m, n, k;
  bool ownPair = false; // h is a logical bit of its own

  const Pool &operator[](const std::string &dim) const {
    return dim == "m" ? m : dim == "n" ? n : k;
  }
};

// Which logical bit each index bit of the MFMA's dim gets, and which are left.
struct Assignment {
  Names bits, loops;
};

Names without(const Names &all, const Names &some) {
  Names rest;
  for (const std::string &name : all)
    if (!contains(some, name))
      rest.push_back(name);
  return rest;
}

// Ordered choices of `count` of the names.
void choices(const Names &from, int count, Names &chosen, std::vector<Names> &all) {
  if (count == 0) {
    all.push_back(chosen);
    return;
  }
  for (const std::string &name : from) {
    if (contains(chosen, name))
      continue;
    chosen.push_back(name);
    choices(from, count - 1, chosen, all);
    chosen.pop_back();
  }
}

// Which index bits of one dim a lane holds in its elements; the others are lane bits.
std::vector<bool> inElements(const LinearLayout &operand, const char *dim) {
  std::vector<bool> inside(operand.outBits(dim), false);
  for (int i = 0; i < operand.inBits("register"); ++i)
    if (const uint64_t value = operand.basis("register", i, dim))
      inside[f2::lowestBit(value)] = true;
  return inside;
}

// Rows or columns: the own bits and, where the MFMA has more, spare ones in every
// order; in natural order, and with the lowest bits where the result keeps them in the
// lane, so that its stores widen.
std::vector<Assignment> assignmentsOf(const Pool &pool, const std::vector<bool> &inResult) {
  const int wanted = static_cast<int>(inResult.size());
  const Names own(pool.bits.begin(), pool.bits.begin() + pool.ownBits);
  Names spare(pool.bits.begin() + pool.ownBits, pool.bits.end());
  while (pool.ownBits + static_cast<int>(spare.size()) < wanted)
    spare.push_back(kPad);
  std::vector<Names> fillings;
  Names chosen;
  if (wanted >= pool.ownBits)
    choices(spare, wanted - pool.ownBits, chosen, fillings);

  std::vector<Assignment> all;
  for (const Names &filling : fillings) {
    Names natural = own;
    natural.insert(natural.end(), filling.begin(), filling.end());
    const Names loops = without(pool.bits, natural);
    all.push_back({natural, loops});
    Names laneLast(wanted);
    size_t next = 0;
    for (const bool element : {true, false})
      for (int i = 0; i < wanted; ++i)
        if (inResult[i] == element)
          laneLast[i] = natural[next++];
    if (laneLast != natural)
      all.push_back({laneLast, loops});
  }
  return all;
}

// k: any bits may lie in lanes. Of the others the lowest are the elements of one MFMA:
// the rest, loop bits, only say which MFMA of several takes them.
std::vector<Assignment> gaugesOf(const Pool &pool, const std::vector<bool> &inElement) {
  const int wanted = static_cast<int>(inElement.size());
  const int total = static_cast<int>(pool.bits.size());
  const int inLanes = static_cast<int>(std::count(inElement.begin(), inElement.end(), false));
  std::vector<Assignment> all;
  if (wanted > total)
    return all;
  for (uint64_t lanes = 0; lanes < uint64_t(1) << total; ++lanes) {
    if (f2::popcount(lanes) != inLanes)
      continue;
    Names lane, own;
    for (int i = 0; i < total; ++i)
      (lanes >> i & 1 ? lane : own).push_back(pool.bits[i]);
    Assignment gauge;
    size_t nextLane = 0, nextOwn = 0;
    for (int i = 0; i < wanted; ++i)
      gauge.bits.push_back(inElement[i] ? own[nextOwn++] : lane[nextLane++]);
    gauge.loops = without(pool.bits, gauge.bits);
    all.push_back(std::move(gauge));
  }
  std::sort(all.begin(), all.end(), [&](const Assignment &a, const Assignment &b) {
    return pool.ranks(a.bits) < pool.ranks(b.bits); // natural order first
  });
  return all;
}

// log2 of the run of neighbours along the dim that one lane owns: bit 0, 1, ... as long
// as each is an element bit or a loop bit.
int runOf(const Pool &pool, const Assignment &assignment, const std::vector<bool> &inElement) {
  int run = 0;
  for (const std::string &bit : pool.bits) {
    const auto at = std::find(assignment.bits.begin(), assignment.bits.end(), bit);
    const bool inLane = at != assignment.bits.end() && !inElement[at - assignment.bits.begin()];
    if (inLane)
      break;
    ++run;
  }
  return run;
}

struct Access {
  int bits, count;
};

// `perLane` elements moved in vectors of the run, at most 128 bits.
Access accessOf(int perLane, int run, int elementBits) {
  const int bits = std::min(128, std::min(perLane, 1 << run) * elementBits);
  return {bits, std::max(1, perLane * elementBits / std::max(1, bits))};
}

double clocksOf(const Access &access, bool isWrite) {
  return access.count * isa::ldsTime(isWrite, std::max(1, access.bits / 8)).issue;
}

class Retiler {
public:
  Retiler(const RetileRequest &request, const isa::MatrixInstruction &mma,
          std::vector<const isa::MatrixInstruction *> candidates)
      : request_(request), mma_(mma), candidates_(std::move(candidates)) {
    pools_.m = poolOf("m", mma.m, request.m, request.pair == PairBit::M);
    pools_.n = poolOf("n", mma.n, request.n, request.pair == PairBit::N);
    pools_.k = poolOf("k", mma.k, request.k, false);
    pools_.ownPair = request.pair == PairBit::Shared;
  }

  Result<std::vector<RetileSolution>> run() {
    for (const char operand : {'A', 'B', 'C'}) {
      const Result<LinearLayout> source = sourceOf(operand);
      if (!source)
        return source.error();
      sources_.push_back(*source);
      inverses_.push_back(rightInverse(*source));
    }
    for (const isa::MatrixInstruction *mfma : candidates_)
      for (const bool swap : {true, false})
        if (const Result<bool> added = addOptions(*mfma, swap); !added)
          return added.error();
    std::vector<RetileSolution> solutions;
    for (const Candidate &candidate : best())
      solutions.push_back(solutionOf(candidate));
    return solutions;
  }

private:
  // An MFMA with or without swap, and how each dim's bits may be assigned.
  struct Options {
    const isa::MatrixInstruction *mfma;
    bool swap;
    LinearLayout first, second, result;
    std::vector<bool> rowsInResult, colsInResult, kInElement;
    std::vector<Assignment> rows, cols, gauges;
  };
  // One choice of each; sizes and prices follow without any layout.
  struct Candidate {
    const Options *options;
    const Assignment *row, *col, *gauge;
    Access accesses[3]; // A, B, C
    int perLane[3];
    RetileCost cost;

    const Assignment &m() const { return options->swap ? *col : *row; }
    const Assignment &n() const { return options->swap ? *row : *col; }
  };

  Result<bool> addOptions(const isa::MatrixInstruction &mfma, bool swap) {
    const Result<LinearLayout> first = isa::operandLayout(mfma, 'A');
    const Result<LinearLayout> second = isa::operandLayout(mfma, 'B');
    const Result<LinearLayout> result = isa::operandLayout(mfma, 'C');
    for (const auto *layout : {&first, &second, &result})
      if (!*layout)
        return layout->error();
    auto options = std::make_unique<Options>();
    *options = {&mfma,
                swap,
                *first,
                *second,
                *result,
                inElements(*result, "m"),
                inElements(*result, "n"),
                inElements(*first, "k"),
                {},
                {},
                {}};
    options->rows = assignmentsOf(swap ? pools_.n : pools_.m, options->rowsInResult);
    options->cols = assignmentsOf(swap ? pools_.m : pools_.n, options->colsInResult);
    options->gauges = gaugesOf(pools_.k, options->kInElement);
    options_.push_back(std::move(options));
    return true;
  }

  // By price; of equals the short MFMAs, whose results are there sooner; then by the
  // order of enumeration. Not more than asked for.
  std::vector<Candidate> best() const {
    std::vector<Candidate> all;
    for (const auto &options : options_)
      for (const Assignment &gauge : options->gauges)
        for (const Assignment &row : options->rows)
          for (const Assignment &col : options->cols)
            all.push_back(priced({options.get(), &row, &col, &gauge, {}, {}, {}}));
    std::vector<size_t> order(all.size());
    std::iota(order.begin(), order.end(), size_t(0));
    const auto key = [&](size_t i) {
      const RetileCost &cost = all[i].cost;
      return std::tuple(cost.total, cost.registers, -cost.mfmas, i);
    };
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
    std::vector<Candidate> result;
    for (size_t i = 0; i < order.size() && static_cast<int>(i) < request_.limit; ++i)
      result.push_back(all[order[i]]);
    return result;
  }

  Candidate priced(Candidate c) const {
    const Options &o = *c.options;
    const int readRun = runOf(pools_.k, *c.gauge, o.kInElement);
    const int storeRun = runOf(pools_.n, c.n(), o.swap ? o.rowsInResult : o.colsInResult);
    const auto loops = [](const Assignment &assignment) {
      return static_cast<int>(assignment.loops.size());
    };
    const int m = loops(c.m()), n = loops(c.n()), k = loops(*c.gauge), h = pools_.ownPair;
    const LinearLayout &forA = o.swap ? o.second : o.first, &forB = o.swap ? o.first : o.second;
    c.perLane[0] = 1 << (forA.inBits("register") + m + k + h);
    c.perLane[1] = 1 << (forB.inBits("register") + n + k + h);
    c.perLane[2] = 1 << (o.result.inBits("register") + m + n + h);
    RetileCost &cost = c.cost;
    for (int i = 0; i < 3; ++i) {
      c.accesses[i] = accessOf(c.perLane[i], i == 2 ? storeRun : readRun, elementBitsOf(i));
      cost.registers += registersOf(c.perLane[i], i);
    }
    cost.mfmas = 1 << (m + n + k + h);
    cost.mfmaClocks = double(cost.mfmas) * o.mfma->cycles(request_.arch);
    cost.readClocks = clocksOf(c.accesses[0], false) + clocksOf(c.accesses[1], false);
    cost.storeClocks = clocksOf(c.accesses[2], true);
    cost.total = cost.mfmaClocks + cost.readClocks + kStoreShare * cost.storeClocks;
    return c;
  }

  int registersOf(int perLane, int operand) const {
    return std::max(1, perLane * elementBitsOf(operand) / 32);
  }

  // Where each logical bit lies; what both warps hold is read from the first.
  static f2::Columns rightInverse(const LinearLayout &source) {
    f2::Columns units;
    for (int i = 0; i < source.totalOutBits(); ++i)
      units.push_back(uint64_t(1) << i);
    return f2::solve(source.columns(), units).value_or(f2::Columns(units.size(), 0));
  }

  RetileSolution solutionOf(const Candidate &c) const {
    const Options &o = *c.options;
    RetileSolution s;
    s.instruction = o.mfma;
    s.swap = o.swap;
    s.m = c.m().bits;
    s.n = c.n().bits;
    s.k = c.gauge->bits;
    for (const Assignment *assignment : {&c.m(), &c.n(), c.gauge})
      s.loops.insert(s.loops.end(), assignment->loops.begin(), assignment->loops.end());
    if (pools_.ownPair)
      s.loops.push_back("h");
    s.cost = c.cost;
    s.a = operandOf(0, o.swap ? o.second : o.first, s, {"m", "k"});
    s.b = operandOf(1, o.swap ? o.first : o.second, s, {"n", "k"});
    s.c = operandOf(2, o.result, s, {"m", "n"});
    RetileOperand *operands[] = {&s.a, &s.b, &s.c};
    for (int i = 0; i < 3; ++i) {
      operands[i]->accessBits = c.accesses[i].bits;
      operands[i]->accesses = c.accesses[i].count;
      operands[i]->registers = registersOf(c.perLane[i], i);
    }
    return s;
  }

  int elementBitsOf(int operand) const {
    return isa::elementBits(operand == 2 ? mma_.acc : mma_.a);
  }

  static const Names &bitsOf(const RetileSolution &s, const std::string &dim) {
    return dim == "m" ? s.m : dim == "n" ? s.n : s.k;
  }

  // The names of the loop bits that an operand depends on.
  Names loopsOf(const RetileSolution &s, const Names &dims) const {
    Names loops;
    for (const std::string &name : s.loops)
      for (const std::string &dim : dims)
        if (contains(pools_[dim].bits, name))
          loops.push_back(name);
    if (pools_.ownPair)
      loops.push_back("h");
    return loops;
  }

  // The logical position of a named bit, in the operand's out-dims.
  uint64_t logicalBit(const LinearLayout &source, const Names &dims, const std::string &bit) const {
    for (const std::string &dim : dims)
      if (contains(pools_[dim].bits, bit))
        return uint64_t(1) << (source.outOffset(dim) + pools_[dim].indexOf(bit));
    if (bit == "h" && pools_.ownPair)
      return uint64_t(1) << source.outOffset("h");
    return 0; // pad
  }

  // The MFMA's operand with our bits for its index bits, and its virtual lanes.
  RetileOperand operandOf(int which, const LinearLayout &mfma, const RetileSolution &s,
                          const Names &dims) const {
    const LinearLayout &source = sources_[which];
    RetileOperand operand;
    operand.source = source;
    operand.elementBits = elementBitsOf(which);

    const Names loops = loopsOf(s, dims);
    std::vector<LayoutDim> ins = {{"element", mfma.inBits("register")}, {"lane", 6}};
    f2::Columns columns;
    for (int i = 0; i < mfma.totalInBits(); ++i)
      columns.push_back(targetColumn(source, mfma.column(i), mfma, s, dims));
    for (const std::string &loop : loops) {
      ins.push_back({loop, 1});
      columns.push_back(logicalBit(source, dims, loop));
    }
    operand.target = *LinearLayout::fromColumns(ins, source.outs(), columns);
    operand.virtualLane =
        *LinearLayout::fromColumns(ins, source.ins(), f2::multiply(inverses_[which], columns));
    return operand;
  }

  // One index bit of the MFMA (m, n or k of its own naming) as our logical bit.
  uint64_t targetColumn(const LinearLayout &source, uint64_t column, const LinearLayout &mfma,
                        const RetileSolution &s, const Names &dims) const {
    const LinearLayout::Basis index = mfma.splitOut(column);
    uint64_t target = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      const std::string &theirs = mfma.outs()[d].name;
      const std::string ours = !s.swap || theirs == "k" ? theirs : theirs == "m" ? "n" : "m";
      for (uint64_t rest = index[d]; rest && theirs != "block"; rest &= rest - 1)
        target ^= logicalBit(source, dims, bitsOf(s, ours)[f2::lowestBit(rest)]);
    }
    return target;
  }

  // The mma's fragment with tile bits and h as further in-dims.
  Result<LinearLayout> sourceOf(char operand) const {
    const Result<LinearLayout> own = isa::operandLayout(mma_, operand);
    if (!own)
      return own.error();
    const Names dims = operand == 'A'   ? Names{"m", "k"}
                       : operand == 'B' ? Names{"n", "k"}
                                        : Names{"m", "n"};
    std::vector<LayoutDim> outs;
    for (const std::string &dim : dims)
      outs.push_back({dim, static_cast<int>(pools_[dim].bits.size())});
    if (pools_.ownPair)
      outs.push_back({"h", 1});
    std::vector<LayoutDim> ins = {{"register", own->inBits("register")}, {"lane", 5}};
    f2::Columns columns;
    const auto offsetOf = [&](const std::string &dim) {
      int offset = 0;
      for (const LayoutDim &out : outs) {
        if (out.name == dim)
          return offset;
        offset += out.bits;
      }
      return 0;
    };
    for (int i = 0; i < own->totalInBits(); ++i) {
      const LinearLayout::Basis index = own->splitOut(own->column(i));
      uint64_t column = 0;
      for (size_t d = 0; d < index.size(); ++d)
        column |= index[d] << offsetOf(own->outs()[d].name);
      columns.push_back(column);
    }
    for (const std::string &dim : dims)
      for (size_t i = pools_[dim].ownBits; i < pools_[dim].bits.size(); ++i)
        if (pools_[dim].bits[i] != "h") {
          ins.push_back({pools_[dim].bits[i], 1});
          columns.push_back(uint64_t(1) << (offsetOf(dim) + i));
        }
    ins.push_back({"h", 1});
    columns.push_back(pairColumn(dims, offsetOf));
    return LinearLayout::fromColumns(ins, outs, columns);
  }

  template <typename OffsetOf>
  uint64_t pairColumn(const Names &dims, const OffsetOf &offsetOf) const {
    if (pools_.ownPair)
      return uint64_t(1) << offsetOf("h");
    for (const std::string &dim : dims)
      if (contains(pools_[dim].bits, "h"))
        return uint64_t(1) << (offsetOf(dim) + pools_[dim].indexOf("h"));
    return 0; // both warps hold the same
  }

  const RetileRequest &request_;
  const isa::MatrixInstruction &mma_;
  std::vector<const isa::MatrixInstruction *> candidates_;
  Pools pools_;
  std::vector<std::unique_ptr<Options>> options_;
  std::vector<LinearLayout> sources_; // A, B, C
  std::vector<f2::Columns> inverses_;
};

// The element type that the mma multiplies: rows stand for several types.
isa::ElementType inputTypeOf(const isa::MatrixInstruction &mma, const std::string &name) {
  const auto mentions = [&](const char *type) { return name.find(type) != std::string::npos; };
  if (mentions("bf16"))
    return isa::ElementType::BF16;
  if (mentions("e4m3"))
    return isa::ElementType::FP8;
  if (mentions("e5m2"))
    return isa::ElementType::BF8;
  return mma.a;
}

bool accepts(isa::ElementType mfma, isa::ElementType wanted) {
  using isa::ElementType;
  if (wanted == ElementType::TF32)
    return mfma == ElementType::XF32 || mfma == ElementType::F32;
  if (mfma == ElementType::Any8)
    return wanted == ElementType::FP8 || wanted == ElementType::BF8;
  return mfma == wanted;
}

std::vector<const isa::MatrixInstruction *> mfmasFor(isa::ElementType type, isa::Arch arch) {
  std::vector<const isa::MatrixInstruction *> found;
  for (const isa::MatrixInstruction &row : isa::matrixInstructions())
    if (row.family == isa::MatrixFamily::Mfma && row.availableOn(arch) && row.blocks == 1 &&
        accepts(row.a, type) && accepts(row.b, type))
      found.push_back(&row);
  return found;
}

// Names must be new: not those of the dims, of h, or of the mma's own bits (n0, k3).
Result<bool> checkNames(const RetileRequest &request) {
  std::set<std::string> seen = {"", "h", kPad, "register", "element", "lane", "m", "n", "k"};
  for (const char *dim : {"m", "n", "k"})
    for (int i = 0; i < 16; ++i)
      seen.insert(dim + std::to_string(i));
  for (const auto *names : {&request.m, &request.n, &request.k})
    for (const std::string &name : *names)
      if (!seen.insert(name).second)
        return makeError("the spare bit '%.64s' is named twice or reserved", name.c_str());
  const size_t spare = request.m.size() + request.n.size() + request.k.size();
  if (spare > kMostSpareBits)
    return makeError("%d spare bits; at most %d are tried", static_cast<int>(spare),
                     static_cast<int>(kMostSpareBits));
  return true;
}

} // namespace

Result<std::vector<RetileSolution>> retile(const RetileRequest &request) {
  if (const Result<bool> fine = checkNames(request); !fine)
    return fine.error();
  const auto mma = isa::findMatrixInstruction(request.mma, isa::Arch::Nvidia);
  if (!mma)
    return mma.error();
  if ((*mma)->family != isa::MatrixFamily::MmaSync || (*mma)->blocks != 1)
    return makeError("%s is no mma.sync of one product", request.mma.c_str());
  const isa::ElementType type = inputTypeOf(**mma, request.mma);
  const auto candidates = mfmasFor(type, request.arch);
  if (candidates.empty())
    return makeError("no MFMA of %s on %s", isa::elementTypeName(type),
                     isa::archName(request.arch));
  Result<std::vector<RetileSolution>> solutions = Retiler(request, **mma, candidates).run();
  if (solutions && solutions->empty())
    return makeError("no MFMA of %s on %s has so few k: add a k step", isa::elementTypeName(type),
                     isa::archName(request.arch));
  return solutions;
}

ReductionSteps reductionOver(const LinearLayout &target, const std::string &dim) {
  ReductionSteps steps;
  int bit = 0;
  for (const LayoutDim &in : target.ins())
    for (int i = 0; i < in.bits; ++i, ++bit) {
      const int offset = target.outOffset(dim);
      const uint64_t reached = offset < 0 ? 0 : target.column(bit) >> offset;
      if (!(reached & f2::lowMask(target.outBits(dim))))
        continue;
      if (in.name == "element")
        steps.elementBits.push_back(i);
      else if (in.name == "lane")
        steps.laneMasks.push_back(1 << i);
      else
        steps.loops.push_back(in.name);
    }
  return steps;
}

} // namespace layout_port
