// See Matrix.h.
#include "semantics/Matrix.h"

#include "machine/FloatOps.h"
#include "semantics/MatrixKernels.h"

#include <algorithm>
#include <cmath>

namespace layout_port::verify {
namespace {

// As the one of MatrixKernels.h, for residues of any kind that fit 16 bits.
void multiplyAnyResidues(const uint32_t *a, const uint32_t *b, uint64_t *sums, unsigned m,
                         unsigned n, unsigned k) {
  for (unsigned i = 0; i < m; ++i)
    for (unsigned kk = 0; kk < k; ++kk) {
      const uint64_t x = a[i * k + kk];
      for (unsigned j = 0; j < n; ++j)
        sums[i * n + j] += x * b[kk * n + j];
    }
}

template <class In, class Sum>
void multiplyPlain(const In *a, const In *b, Sum *sums, unsigned m, unsigned n, unsigned k) {
  for (unsigned i = 0; i < m; ++i)
    for (unsigned kk = 0; kk < k; ++kk)
      for (unsigned j = 0; j < n; ++j)
        sums[i * n + j] += Sum(a[i * k + kk]) * Sum(b[kk * n + j]);
}

struct Buffers {
  std::vector<uint32_t> a, b, c;
  std::vector<uint64_t> sums, words;
  std::vector<float> fa, fb, fsums;
};
thread_local Buffers buffers;

struct Lanes {
  Wave &wave;
  const Op &op;
};

// Where element e of a lane lies: register and bit.
struct Slot {
  unsigned reg, shift;
};
Slot slotOf(const MatrixOperand &operand, unsigned element) {
  const unsigned bit = element * operand.element.bits;
  return {bit / operand.regBits, bit % operand.regBits};
}

uint64_t elementMask(const MatrixOperand &operand) {
  return operand.element.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << operand.element.bits) - 1;
}

// Calls set(place, bits, slot, lane) for every element; lane is where it was read.
template <class Word, class F>
void collectWords(const Lanes &at, const MatrixOperand &operand, F set) {
  const uint64_t mask = elementMask(operand);
  const unsigned lanes = at.wave.lanes;
  const uint8_t *from = operand.laneFrom.empty() ? nullptr : operand.laneFrom.data();
  for (unsigned e = 0; e < operand.elements; ++e) {
    const Slot slot = slotOf(operand, e);
    const uint16_t *place = operand.place.data() + size_t(e) * lanes;
    const Word *words = at.wave.get<Word>(operand.regs[slot.reg]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const unsigned source = from ? from[lane] : lane;
      set(place[lane], words[source] >> slot.shift & mask, slot, source);
    }
  }
}
template <class F> void collect(const Lanes &at, const MatrixOperand &operand, F set) {
  if (operand.regBits > 32)
    collectWords<uint64_t>(at, operand, set);
  else
    collectWords<uint32_t>(at, operand, set);
}

// The matrix of a block, where some blocks stand for others.
template <class T>
const T *blockOf(const MatrixOperand &operand, const std::vector<T> &matrix, unsigned block,
                 unsigned size) {
  return matrix.data() + size * (operand.blockFrom.empty() ? block : operand.blockFrom[block]);
}

// Applies a block scale to a matrix whose element (side, k) is at side * strideSide +
// k * strideK: times(element, exponent).
template <class T, class F>
void applyScale(const Lanes &at, const BlockScale &scale, T *matrix, unsigned side,
                unsigned strideSide, unsigned depth, unsigned strideK, F times) {
  if (!scale.present)
    return;
  const uint32_t *words = at.wave.get<uint32_t>(scale.reg);
  for (unsigned i = 0; i < side; ++i)
    for (unsigned k = 0; k < depth; ++k) {
      const uint32_t bits = words[k / scale.depth * side + i] >> (8 * scale.byte) & 0xff;
      T &element = matrix[i * strideSide + k * strideK];
      element = times(element, bits);
    }
}

// The payload code of a register filled with elements of one width.
uint32_t packedCode(const MatrixOperand &operand) {
  const unsigned width = operand.element.bits / 8;
  uint32_t code = 0;
  if (!width)
    return code; // no payload fits 4 bits
  for (unsigned i = 0; i < operand.regBits / 8; i += width)
    code |= payloadCode(width) << (4 * i);
  return code;
}

bool allPayloads(const Lanes &at, const MatrixOperand &operand) {
  const uint32_t code = packedCode(operand);
  if (!code)
    return false;
  return std::all_of(operand.regs.begin(), operand.regs.end(), [&](Reg reg) {
    const Meta &meta = at.wave.meta(reg);
    return meta.code == code && (meta.field & at.wave.active) == at.wave.active;
  });
}

// Residues of a float operand, in matrix order. True if some are NaN or infinite.
bool collectResidues(const Lanes &at, const MatrixOperand &operand, uint32_t *matrix) {
  uint32_t highest = 0;
  const Field &f = *at.wave.field;
  const bool widen = f.widens() && operand.element.bits < 32;
  if (allPayloads(at, operand) && at.wave.active == at.wave.all && !widen) {
    collect(at, operand, [&](unsigned place, uint64_t bits, Slot, unsigned) {
      matrix[place] = uint32_t(bits);
      highest = std::max(highest, uint32_t(bits));
    });
    return at.wave.field->special(highest);
  }
  const unsigned width = std::max(1u, operand.element.bits / 8);
  collect(at, operand, [&](unsigned place, uint64_t bits, Slot slot, unsigned lane) {
    const Meta &meta = at.wave.meta(operand.regs[slot.reg]);
    const bool live = (at.wave.active & meta.defined) >> lane & 1;
    uint32_t code = (meta.field >> lane & 1) ? meta.code : 0;
    if (code != kMixedCode)
      code = code >> (slot.shift / 8 * 4) & (width == 8 ? ~0u : (1u << (4 * width)) - 1);
    matrix[place] = live ? residueOf(at.wave, at.op, operand.element.format, bits, code) : 0;
    highest = std::max(highest, matrix[place]);
  });
  return at.wave.field->special(highest);
}

double numberOf(const MatrixElement &element, uint64_t bits) {
  if (element.truncateToTf32)
    bits &= 0xffffe000u;
  if (element.format == FloatFormat::F32)
    return bitCast<float>(uint32_t(bits));
  return decodeFloat(element.format, bits);
}

int64_t integerOf(const MatrixElement &element, uint64_t bits) {
  return element.isSigned ? int64_t(bits << (64 - element.bits)) >> (64 - element.bits)
                          : int64_t(bits);
}

// Half and bfloat are decoded by table: they are the bulk of all operands.
const float *narrowTable(FloatFormat format) {
  static const auto make = [](FloatFormat f) {
    std::vector<float> table(1u << 16);
    for (unsigned i = 0; i < table.size(); ++i)
      table[i] = float(decodeFloat(f, i));
    return table;
  };
  static const std::vector<float> half = make(FloatFormat::F16), bfloat = make(FloatFormat::BF16);
  return format == FloatFormat::F16    ? half.data()
         : format == FloatFormat::BF16 ? bfloat.data()
                                       : nullptr;
}

void collectFloats(const Lanes &at, const MatrixOperand &operand, float *matrix, bool negate) {
  const float *table = narrowTable(operand.element.format);
  const float sign = negate ? -1.f : 1.f;
  collect(at, operand, [&](unsigned place, uint64_t bits, Slot, unsigned) {
    matrix[place] = sign * (table ? table[bits] : float(numberOf(operand.element, bits)));
  });
}

// Undefined registers make the whole result undefined, and are reported once.
Meta inputMeta(const Lanes &at, const MatrixPlan &plan) {
  Meta meta{at.wave.all, 0, 0, false};
  uint64_t undefined = 0;
  auto note = [&](Reg reg) {
    undefined |= at.wave.active & ~at.wave.meta(reg).defined;
    meta.tainted |= at.wave.meta(reg).tainted;
  };
  for (const MatrixOperand *operand : {&plan.a, &plan.b, &plan.c})
    for (Reg reg : operand->regs)
      note(reg);
  for (const BlockScale *scale : {&plan.scaleA, &plan.scaleB})
    if (scale->present)
      note(scale->reg);
  if (undefined) {
    at.wave.report(at.op, ProblemKind::UndefinedOperand, undefined);
    meta.defined = 0;
  }
  return meta;
}

// One element fills one register: no bits to put together.
template <class F>
void spreadWhole(const Lanes &at, const MatrixOperand &operand, const Meta &meta, F bits) {
  const unsigned lanes = at.wave.lanes;
  for (unsigned e = 0; e < operand.elements; ++e) {
    const uint16_t *place = operand.place.data() + size_t(e) * lanes;
    uint32_t *words = at.wave.begin<uint32_t>(operand.regs[e]);
    for (unsigned lane = 0; lane < lanes; ++lane)
      words[lane] = uint32_t(bits(place[lane]));
    at.wave.commit<uint32_t>(operand.regs[e], meta);
  }
}

// Spreads the result; bits(place) gives an element's payload.
template <class F>
void spread(const Lanes &at, const MatrixOperand &operand, Meta meta, bool payload, F bits) {
  const unsigned lanes = at.wave.lanes;
  if (payload) {
    meta.field = at.wave.all;
    meta.code = packedCode(operand);
  }
  if (operand.element.bits == 32 && operand.regBits == 32)
    return spreadWhole(at, operand, meta, bits);
  std::vector<uint64_t> &words = buffers.words;
  words.assign(operand.regs.size() * lanes, 0);
  for (unsigned e = 0; e < operand.elements; ++e) {
    const Slot slot = slotOf(operand, e);
    for (unsigned lane = 0; lane < lanes; ++lane)
      words[slot.reg * lanes + lane] |= uint64_t(bits(operand.place[size_t(e) * lanes + lane]))
                                        << slot.shift;
  }
  for (size_t r = 0; r < operand.regs.size(); ++r) {
    if (operand.regBits > 32) {
      at.wave.blend<uint64_t>(operand.regs[r], words.data() + r * lanes, meta);
    } else {
      uint32_t narrow[kMaxLanes];
      std::copy_n(words.data() + r * lanes, lanes, narrow);
      at.wave.blend<uint32_t>(operand.regs[r], narrow, meta);
    }
  }
}

// Degrees without denominators: a row and a column are bounded by the largest in the
// matrices. False if some have denominators.
bool boundDegrees(DegreeTable &degrees, const MatrixPlan &plan, const uint32_t *a,
                  const uint32_t *b, uint32_t *c) {
  uint32_t largest[2] = {0, 0};
  const uint32_t *matrices[2] = {a, b};
  const unsigned sizes[2] = {plan.m * plan.k, plan.k * plan.n};
  for (unsigned which = 0; which < 2; ++which)
    for (unsigned i = 0; i < sizes[which]; ++i) {
      if (degrees.at(matrices[which][i]).bottom)
        return false;
      largest[which] = degrees.add(largest[which], matrices[which][i]);
    }
  const uint32_t product = degrees.mul(largest[0], largest[1]);
  for (unsigned i = 0; i < plan.m * plan.n; ++i)
    c[i] = degrees.add(c[i], product);
  return true;
}

// With infinities, NaN or shadows about: one product at a time.
void multiplySlowly(const Field &f, const MatrixPlan &plan, const uint32_t *a, const uint32_t *b,
                    uint32_t *c) {
  for (unsigned i = 0; i < plan.m; ++i)
    for (unsigned j = 0; j < plan.n; ++j)
      for (unsigned kk = 0; kk < plan.k; ++kk)
        c[i * plan.n + j] = f.add(c[i * plan.n + j], f.mul(a[i * plan.k + kk], b[kk * plan.n + j]));
}

// The accumulator of an instruction that keeps 16 bits.
void roundSums(const Lanes &at, const MatrixPlan &plan) {
  const Field &f = *at.wave.field;
  const FloatFormat format = plan.d.element.format;
  for (uint32_t &sum : buffers.c) {
    if (f.roundings())
      at.wave.rounded(at.op, format, sum);
    sum = f.round(format, sum) & 0xffff;
  }
}

void runInField(const Lanes &at, const MatrixPlan &plan) {
  const Field &f = *at.wave.field;
  Buffers &w = buffers;
  const unsigned sizeA = plan.m * plan.k, sizeB = plan.k * plan.n, sizeC = plan.m * plan.n;
  w.a.assign(sizeA * plan.blocks, 0);
  w.b.assign(sizeB * plan.blocks, 0);
  w.c.assign(sizeC * plan.blocks, 0);
  bool special = collectResidues(at, plan.a, w.a.data());
  special |= collectResidues(at, plan.b, w.b.data());
  special |= collectResidues(at, plan.c, w.c.data());
  if (plan.negateA != plan.negateB)
    for (uint32_t &x : w.a)
      x = f.neg(x);
  if (plan.negateC)
    for (uint32_t &x : w.c)
      x = f.neg(x);
  auto scaled = [&](uint32_t x, uint32_t bits) {
    const uint32_t y = bits == 255 ? f.nan() : f.mul(x, f.powerOfTwo(int(bits) - 127));
    special |= f.special(y);
    return y;
  };
  applyScale(at, plan.scaleA, w.a.data(), plan.m, plan.k, plan.k, 1, scaled);
  applyScale(at, plan.scaleB, w.b.data(), plan.n, 1, plan.k, plan.n, scaled);
  for (unsigned block = 0; block < plan.blocks; ++block) {
    const uint32_t *a = blockOf(plan.a, w.a, block, sizeA), *b = w.b.data() + block * sizeB;
    uint32_t *c = w.c.data() + block * sizeC;
    if (special) {
      if (!f.tracksDegrees() || !boundDegrees(f.degrees(), plan, a, b, c))
        multiplySlowly(f, plan, a, b, c);
      continue;
    }
    w.sums.assign(c, c + sizeC);
    multiplyAnyResidues(a, b, w.sums.data(), plan.m, plan.n, plan.k);
    for (unsigned i = 0; i < sizeC; ++i)
      c[i] = f.reduce(w.sums[i]);
  }
  if (plan.d.element.bits < 32)
    roundSums(at, plan);
  spread(at, plan.d, inputMeta(at, plan), true, [&](unsigned place) { return w.c[place]; });
}

void runFloats(const Lanes &at, const MatrixPlan &plan) {
  Buffers &w = buffers;
  const unsigned sizeA = plan.m * plan.k, sizeB = plan.k * plan.n, sizeC = plan.m * plan.n;
  w.fa.assign(sizeA * plan.blocks, 0);
  w.fb.assign(sizeB * plan.blocks, 0);
  w.fsums.assign(sizeC * plan.blocks, 0);
  collectFloats(at, plan.a, w.fa.data(), plan.negateA);
  collectFloats(at, plan.b, w.fb.data(), plan.negateB);
  collectFloats(at, plan.c, w.fsums.data(), false);
  auto scaled = [](float x, uint32_t bits) {
    return bits == 255 ? std::nanf("") : std::ldexp(x, int(bits) - 127);
  };
  applyScale(at, plan.scaleA, w.fa.data(), plan.m, plan.k, plan.k, 1, scaled);
  applyScale(at, plan.scaleB, w.fb.data(), plan.n, 1, plan.k, plan.n, scaled);
  for (unsigned block = 0; block < plan.blocks; ++block)
    multiplyFloats(blockOf(plan.a, w.fa, block, sizeA), w.fb.data() + block * sizeB,
                   w.fsums.data() + block * sizeC, plan.m, plan.n, plan.k);
  spread(at, plan.d, inputMeta(at, plan), false,
         [&](unsigned place) { return encodeFloat(plan.d.element.format, w.fsums[place]); });
}

void runDoubles(const Lanes &at, const MatrixPlan &plan) {
  std::vector<double> a(plan.m * plan.k * plan.blocks), b(plan.k * plan.n * plan.blocks),
      c(plan.m * plan.n * plan.blocks);
  auto fill = [&](const MatrixOperand &operand, std::vector<double> &matrix, bool negate) {
    collect(at, operand, [&](unsigned place, uint64_t bits, Slot, unsigned) {
      matrix[place] = (negate ? -1.0 : 1.0) * bitCast<double>(bits);
    });
  };
  fill(plan.a, a, plan.negateA);
  fill(plan.b, b, plan.negateB);
  fill(plan.c, c, plan.negateC);
  for (unsigned block = 0; block < plan.blocks; ++block)
    multiplyPlain(blockOf(plan.a, a, block, plan.m * plan.k), b.data() + block * plan.k * plan.n,
                  c.data() + block * plan.m * plan.n, plan.m, plan.n, plan.k);
  spread(at, plan.d, inputMeta(at, plan), false,
         [&](unsigned place) { return bitCast<uint64_t>(c[place]); });
}

void countUnequalBits(const int64_t *a, const int64_t *b, int64_t *sums, const MatrixPlan &plan) {
  for (unsigned i = 0; i < plan.m; ++i)
    for (unsigned kk = 0; kk < plan.k; ++kk)
      for (unsigned j = 0; j < plan.n; ++j)
        sums[i * plan.n + j] += a[i * plan.k + kk] ^ b[kk * plan.n + j];
}

void runIntegers(const Lanes &at, const MatrixPlan &plan) {
  std::vector<int64_t> a(plan.m * plan.k * plan.blocks), b(plan.k * plan.n * plan.blocks),
      c(plan.m * plan.n * plan.blocks);
  auto fill = [&](const MatrixOperand &operand, std::vector<int64_t> &matrix) {
    for (Reg reg : operand.regs)
      if (at.wave.holdsPayload(reg))
        at.wave.giveUp(at.op, "the bits of a float are multiplied as integers");
    collect(at, operand, [&](unsigned place, uint64_t bits, Slot, unsigned) {
      matrix[place] = integerOf(operand.element, bits);
    });
  };
  fill(plan.a, a);
  fill(plan.b, b);
  fill(plan.c, c);
  for (unsigned block = 0; block < plan.blocks; ++block) {
    const int64_t *x = blockOf(plan.a, a, block, plan.m * plan.k);
    const int64_t *y = b.data() + block * plan.k * plan.n;
    int64_t *sums = c.data() + block * plan.m * plan.n;
    if (plan.xorBits)
      countUnequalBits(x, y, sums, plan);
    else
      multiplyPlain(x, y, sums, plan.m, plan.n, plan.k);
  }
  spread(at, plan.d, inputMeta(at, plan), false, [&](unsigned place) {
    int64_t sum = c[place];
    if (plan.saturate)
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    return uint32_t(sum);
  });
}

//===-- Whole waves of plain values ----------------------------------------===//
//
// Nearly all products: every lane takes part, every register is defined, no modifiers.
// Elements are read by their place in the register file, in the matrix's order.

// Whether no register has undefined lanes; taints what is tainted.
bool allDefined(const Lanes &at, const MatrixOperand &operand, bool &tainted) {
  return std::all_of(operand.regs.begin(), operand.regs.end(), [&](Reg reg) {
    const Meta &meta = at.wave.meta(reg);
    tainted |= meta.tainted;
    return meta.defined == at.wave.all;
  });
}

template <class Narrow, class To, class Convert>
void gatherElements(const Lanes &at, const MatrixOperand &operand, To *to, Convert convert) {
  const uint8_t *registers = at.wave.get<uint8_t>(Reg{});
  const size_t count = operand.offset.size();
  for (size_t i = 0; i < count; ++i) {
    Narrow element;
    std::memcpy(&element, registers + operand.offset[i], sizeof(element));
    to[i] = convert(element);
  }
}

// The low 16 bits of each element's payload.
template <class To> void gatherResidues(const Lanes &at, const MatrixOperand &operand, To *to) {
  const auto same = [](auto x) { return To(x); };
  if (operand.element.bits == 8)
    gatherElements<uint8_t>(at, operand, to, same);
  else
    gatherElements<uint16_t>(at, operand, to, same);
}

void gatherNumbers(const Lanes &at, const MatrixOperand &operand, float *to) {
  if (const float *table = narrowTable(operand.element.format))
    gatherElements<uint16_t>(at, operand, to, [table](uint16_t bits) { return table[bits]; });
  else
    gatherElements<uint32_t>(at, operand, to, [&](uint32_t bits) {
      return bitCast<float>(operand.element.truncateToTf32 ? bits & 0xffffe000u : bits);
    });
}

void gatherBytes(const Lanes &at, const MatrixOperand &operand, int16_t *to) {
  if (operand.element.isSigned)
    gatherElements<int8_t>(at, operand, to, [](int8_t x) { return int16_t(x); });
  else
    gatherElements<uint8_t>(at, operand, to, [](uint8_t x) { return int16_t(x); });
}

bool isPlain(const Lanes &at, const MatrixPlan &plan, bool &tainted) {
  return plan.plain && at.wave.active == at.wave.all && allDefined(at, plan.a, tainted) &&
         allDefined(at, plan.b, tainted) && allDefined(at, plan.c, tainted);
}

// False: not done.
bool runPlainResidues(const Lanes &at, const MatrixPlan &plan) {
  const Field &f = *at.wave.field;
  bool tainted = false;
  if (f.algebra() != Algebra::Residues || f.roundings() || !isPlain(at, plan, tainted) ||
      !allPayloads(at, plan.a) || !allPayloads(at, plan.b) || !allPayloads(at, plan.c))
    return false;
  alignas(32) uint16_t a[kMostElements], b[kMostElements];
  alignas(32) uint32_t c[kMostElements];
  gatherResidues(at, plan.a, a);
  gatherResidues(at, plan.b, b);
  gatherResidues(at, plan.c, c);
  for (unsigned block = 0; block < plan.blocks; ++block)
    if (!multiplyResidues(a + block * plan.m * plan.k, b + block * plan.k * plan.n,
                          c + block * plan.m * plan.n, plan.m, plan.n, plan.k, f.prime(), f.bits()))
      return false;
  spread(at, plan.d, {at.wave.all, 0, 0, tainted}, true, [&](unsigned place) { return c[place]; });
  return true;
}

bool runPlainFloats(const Lanes &at, const MatrixPlan &plan) {
  bool tainted = false;
  const auto narrow = [](const MatrixOperand &o) {
    return narrowTable(o.element.format) || o.element.format == FloatFormat::F32;
  };
  if (!isPlain(at, plan, tainted) || !narrow(plan.a) || !narrow(plan.b) || !narrow(plan.c))
    return false;
  alignas(32) float a[kMostElements], b[kMostElements], c[kMostElements];
  gatherNumbers(at, plan.a, a);
  gatherNumbers(at, plan.b, b);
  gatherNumbers(at, plan.c, c);
  for (unsigned block = 0; block < plan.blocks; ++block)
    multiplyFloats(a + block * plan.m * plan.k, b + block * plan.k * plan.n,
                   c + block * plan.m * plan.n, plan.m, plan.n, plan.k);
  const Meta meta{at.wave.all, 0, 0, tainted};
  if (plan.d.element.format == FloatFormat::F32)
    spread(at, plan.d, meta, false, [&](unsigned place) { return bitCast<uint32_t>(c[place]); });
  else
    spread(at, plan.d, meta, false,
           [&](unsigned place) { return encodeFloat(plan.d.element.format, c[place]); });
  return true;
}

bool runPlainBytes(const Lanes &at, const MatrixPlan &plan) {
  bool tainted = false;
  const auto raw = [&](const MatrixOperand &operand) {
    return std::none_of(operand.regs.begin(), operand.regs.end(),
                        [&](Reg reg) { return at.wave.holdsPayload(reg); });
  };
  if (plan.a.element.bits != 8 || plan.xorBits || !isPlain(at, plan, tainted) || !raw(plan.a) ||
      !raw(plan.b) || !raw(plan.c))
    return false;
  alignas(32) int16_t a[kMostElements], b[kMostElements];
  alignas(32) int32_t c[kMostElements], products[kMostElements];
  gatherBytes(at, plan.a, a);
  gatherBytes(at, plan.b, b);
  gatherElements<int32_t>(at, plan.c, c, [](int32_t x) { return x; });
  for (unsigned block = 0; block < plan.blocks; ++block)
    multiplyBytes(a + block * plan.m * plan.k, b + block * plan.k * plan.n,
                  products + block * plan.m * plan.n, plan.m, plan.n, plan.k);
  spread(at, plan.d, {at.wave.all, 0, 0, tainted}, false, [&](unsigned place) {
    const int64_t sum = int64_t(c[place]) + products[place];
    return uint32_t(plan.saturate ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
  });
  return true;
}

} // namespace

void runMatrix(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const MatrixPlan *>(op.data);
  const Lanes at{wave, op};
  if (wave.active != wave.all)
    wave.report(op, ProblemKind::PartialMatrix, wave.all & ~wave.active);
  if (plan.a.element.format == FloatFormat::None) {
    if (!runPlainBytes(at, plan))
      runIntegers(at, plan);
  } else if (wave.field) {
    if (!runPlainResidues(at, plan))
      runInField(at, plan);
  } else if (plan.a.element.format == FloatFormat::F64) {
    runDoubles(at, plan);
  } else if (!runPlainFloats(at, plan)) {
    runFloats(at, plan);
  }
}

MatrixElement matrixElement(isa::ElementType type, bool fnuz) {
  switch (type) {
  case isa::ElementType::F64:
    return {FloatFormat::F64, 64};
  case isa::ElementType::F32:
    return {FloatFormat::F32, 32};
  case isa::ElementType::TF32:
  case isa::ElementType::XF32:
    return {FloatFormat::F32, 32, true, true};
  case isa::ElementType::F16:
    return {FloatFormat::F16, 16};
  case isa::ElementType::BF16:
    return {FloatFormat::BF16, 16};
  case isa::ElementType::FP8:
    return {fnuz ? FloatFormat::E4M3Fnuz : FloatFormat::E4M3, 8};
  case isa::ElementType::BF8:
    return {fnuz ? FloatFormat::E5M2Fnuz : FloatFormat::E5M2, 8};
  case isa::ElementType::FP4:
    return {FloatFormat::E2M1, 4};
  case isa::ElementType::I8:
    return {FloatFormat::None, 8, true};
  case isa::ElementType::IU8:
    return {FloatFormat::None, 8, false};
  case isa::ElementType::I4:
    return {FloatFormat::None, 4, true};
  case isa::ElementType::IU4:
    return {FloatFormat::None, 4, false};
  default:
    return {FloatFormat::None, 32, true};
  }
}

namespace {

bool fillOperand(Decoder &decoder, const isa::MatrixInstruction &row, char name, const Regs &regs,
                 unsigned regBits, const MatrixElement &element, MatrixOperand &operand) {
  Result<isa::Fragment> fragment = isa::fragmentOf(row, name);
  if (!fragment) {
    decoder.fail(fragment.error().message);
    return false;
  }
  operand.regs.assign(regs.begin(), regs.end());
  operand.regBits = regBits;
  operand.element = element;
  operand.elements = unsigned(fragment->elementsPerLane);
  const unsigned lanes = decoder.program().lanes;
  const unsigned needed = operand.elements * element.bits;
  if (unsigned(fragment->lanes) != lanes || regs.size() * regBits < needed) {
    decoder.fail(llvm::Twine(row.name) + ": operand " + llvm::Twine(name) + " has " +
                 llvm::Twine(regs.size() * regBits) + " bits a lane, its layout " +
                 llvm::Twine(needed));
    return false;
  }
  for (unsigned e = 0; e < operand.elements; ++e)
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const isa::MatrixCoord at = isa::coordOf(*fragment, int(lane), int(e));
      operand.place.push_back(
          uint16_t((at.block * fragment->rows + at.row) * fragment->cols + at.col));
    }
  // gfx12 does not read lanes 32-63 where they would hold less than a register.
  const bool idleLanes = fragment->form == isa::FragmentForm::Wmma12Input &&
                         operand.elements * lanes > unsigned(fragment->rows * fragment->cols);
  for (unsigned lane = 0; idleLanes && lane < lanes; ++lane)
    operand.laneFrom.push_back(uint8_t(lane % 32));
  return true;
}

// Where each element of the matrix lies in the register file. Empty: some lies nowhere.
std::vector<uint32_t> offsetsOf(const MatrixOperand &operand, unsigned lanes, size_t size) {
  constexpr uint32_t nowhere = ~0u;
  std::vector<uint32_t> offsets(size, nowhere);
  const unsigned width = operand.regBits > 32 ? 8 : 4;
  for (unsigned e = 0; e < operand.elements; ++e)
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const unsigned bit = e * operand.element.bits;
      const unsigned from = operand.laneFrom.empty() ? lane : operand.laneFrom[lane];
      offsets[operand.place[size_t(e) * lanes + lane]] =
          operand.regs[bit / operand.regBits].at + from * width + bit % operand.regBits / 8;
    }
  if (std::count(offsets.begin(), offsets.end(), nowhere))
    offsets.clear();
  return offsets;
}

} // namespace

void preparePlain(MatrixPlan &plan, unsigned lanes) {
  const auto fits = [](const MatrixOperand &o) { return o.element.bits >= 8 && o.regBits >= 8; };
  const size_t a = size_t(plan.blocks) * plan.m * plan.k, b = size_t(plan.blocks) * plan.k * plan.n,
               c = size_t(plan.blocks) * plan.m * plan.n;
  if (!fits(plan.a) || !fits(plan.b) || !fits(plan.c) || std::max({a, b, c}) > kMostElements ||
      plan.k % 2 || plan.k > kMostDepth || plan.scaleA.present || plan.scaleB.present ||
      plan.negateA || plan.negateB || plan.negateC || !plan.a.blockFrom.empty())
    return;
  plan.a.offset = offsetsOf(plan.a, lanes, a);
  plan.b.offset = offsetsOf(plan.b, lanes, b);
  plan.c.offset = offsetsOf(plan.c, lanes, c);
  plan.plain = !plan.a.offset.empty() && !plan.b.offset.empty() && !plan.c.offset.empty();
}

namespace {

// The lane whose B register is read in the place of `lane`.
uint8_t lanePattern(unsigned pattern, unsigned lane) {
  switch (pattern) {
  case 1: // lanes 0-31 for all
  case 2: // lanes 32-63 for all
    return uint8_t(lane % 32 + 32 * (pattern - 1));
  case 3: // every lane reads 16 further on
    return uint8_t((lane + 16) % 64);
  default: // one group of 16 lanes for all
    return uint8_t(lane % 16 + 16 * (pattern - 4));
  }
}

// cbsz: 2^cbsz neighbouring blocks of A read one of them, the one numbered abid.
// blgp: which lanes B is read from.
// https://gpuopen.com/learn/amd-lab-notes/amd-lab-notes-matrix-cores-readme/ and AMD's
// matrix instruction calculator agree on all of them.
bool fillModifiers(Decoder &decoder, const MatrixCall &call, MatrixPlan &plan) {
  if (call.broadcastSize) {
    const unsigned group = 1u << call.broadcastSize;
    if (group > plan.blocks || call.broadcastBlock >= group) {
      decoder.fail(llvm::Twine(call.row->name) + " has " + llvm::Twine(plan.blocks) +
                   " blocks: cbsz " + llvm::Twine(call.broadcastSize) + " with abid " +
                   llvm::Twine(call.broadcastBlock) + " has no meaning");
      return false;
    }
    for (unsigned block = 0; block < plan.blocks; ++block)
      plan.a.blockFrom.push_back(uint8_t(block / group * group + call.broadcastBlock));
  } else if (call.broadcastBlock) {
    decoder.fail(llvm::Twine(call.row->name) + ": abid has no meaning without cbsz");
    return false;
  }
  for (unsigned lane = 0; call.lanePattern && lane < decoder.program().lanes; ++lane)
    plan.b.laneFrom.push_back(lanePattern(call.lanePattern, lane));
  return true;
}

} // namespace

void emitMatrix(Decoder &decoder, const MatrixCall &call) {
  const isa::MatrixInstruction &row = *call.row;
  MatrixPlan plan;
  plan.m = unsigned(row.m);
  plan.n = unsigned(row.n);
  plan.k = unsigned(row.k);
  plan.blocks = unsigned(row.blocks);
  plan.saturate = call.saturate;
  plan.negateA = call.negateA;
  plan.negateB = call.negateB;
  plan.negateC = call.negateC;
  plan.scaleA = call.scaleA;
  plan.scaleB = call.scaleB;
  auto rowOr = [&](const isa::MatrixInstruction *other) -> const isa::MatrixInstruction & {
    return other ? *other : row;
  };
  if (!fillOperand(decoder, rowOr(call.rowA), 'A', call.a, call.bitsA, call.elementA, plan.a) ||
      !fillOperand(decoder, rowOr(call.rowB), 'B', call.b, call.bitsB, call.elementB, plan.b) ||
      !fillOperand(decoder, rowOr(call.rowC), 'C', call.c, call.bitsC, call.elementC, plan.c) ||
      !fillOperand(decoder, row, 'D', call.d, call.bitsD, call.elementD, plan.d) ||
      !fillModifiers(decoder, call, plan))
    return;
  preparePlain(plan, decoder.program().lanes);
  decoder.emit(runMatrix, InstructionClass::Matrix).data = decoder.keep(std::move(plan));
}

//===-- ldmatrix, stmatrix, movmatrix --------------------------------------===//

namespace {

// Lane 8 * tile + row holds the address of the tile's row.
struct TileBytes {
  uint8_t *const *rows; // access.bytes or access.shade
  unsigned lanes;
  // The two elements of each lane, low half first.
  void read(const MatrixMovePlan &plan, unsigned tile, uint32_t *words) const {
    const MatrixMovePlan::Place *low = plan.place.data() + size_t(2 * tile) * lanes;
    const MatrixMovePlan::Place *high = low + lanes;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      uint16_t halves[2];
      std::memcpy(&halves[0], rows[low[lane].row] + low[lane].byte, 2);
      std::memcpy(&halves[1], rows[high[lane].row] + high[lane].byte, 2);
      words[lane] = uint32_t(halves[0]) | uint32_t(halves[1]) << 16;
    }
  }
  // Whether each two bytes of a tile's rows are what the first two are; then no lane's
  // differ.
  bool uniform(unsigned tile) const {
    uint64_t first, differ = 0;
    std::memcpy(&first, rows[8 * tile], 8);
    for (unsigned row = 8 * tile; row < 8 * tile + 8; ++row) {
      uint64_t words[2];
      std::memcpy(words, rows[row], 16);
      differ |= (words[0] ^ first) | (words[1] ^ first);
    }
    return !differ && (first & 0xffffffffffff) == first >> 16;
  }
};

void loadTiles(Wave &wave, const MatrixMovePlan &plan, const Access &access) {
  const TileBytes bytes{access.bytes, wave.lanes}, shade{access.shade, wave.lanes};
  for (unsigned tile = 0; tile < plan.regs.size(); ++tile) {
    uint32_t values[kMaxLanes], shades[kMaxLanes];
    bytes.read(plan, tile, values);
    if (shade.uniform(tile))
      std::fill_n(shades, wave.lanes, *reinterpret_cast<const uint32_t *>(access.shade[8 * tile]));
    else
      shade.read(plan, tile, shades);
    wave.writeLoaded(plan.regs[tile], values, shades);
  }
}

void storeTiles(Wave &wave, const MatrixMovePlan &plan, const Access &access) {
  for (unsigned tile = 0; tile < plan.regs.size(); ++tile) {
    const uint32_t *values = wave.get<uint32_t>(plan.regs[tile]);
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned lane = 0; lane < wave.lanes; ++lane) {
        const MatrixMovePlan::Place at = plan.place[(2 * tile + half) * wave.lanes + lane];
        if (!(access.lanes >> at.row & 1))
          continue;
        const uint16_t value = uint16_t(values[lane] >> (16 * half));
        const uint64_t shade = wave.shadeOf(plan.regs[tile], lane, 4) >> (16 * half);
        std::memcpy(access.bytes[at.row] + at.byte, &value, 2);
        std::memcpy(access.shade[at.row] + at.byte, &shade, 2);
      }
  }
}

} // namespace

void runMatrixMove(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const MatrixMovePlan *>(op.data);
  const uint64_t active = wave.active;
  if (active != wave.all)
    wave.report(op, ProblemKind::PartialMatrix, wave.all & ~active);
  // Only the lanes that give a row's address touch memory.
  const unsigned rows = unsigned(8 * plan.regs.size());
  wave.active = active & (rows >= 64 ? ~uint64_t(0) : (uint64_t(1) << rows) - 1);
  Access access;
  wave.resolve(access, plan.space, op.a, plan.narrow, 16, 16,
               plan.store ? MemoryEvent::Store : MemoryEvent::Load, op);
  wave.active = active;
  if (plan.store)
    storeTiles(wave, plan, access);
  else
    loadTiles(wave, plan, access);
}

bool emitMatrixMove(Decoder &decoder, llvm::StringRef rowName, llvm::ArrayRef<Reg> regs,
                    Reg address, Space space, bool narrow, bool store) {
  Result<const isa::MatrixInstruction *> row =
      isa::findMatrixInstruction(rowName.str(), isa::Arch::Nvidia);
  if (!row) {
    decoder.fail(row.error().message);
    return false;
  }
  Result<isa::Fragment> fragment = isa::fragmentOf(**row, 'D');
  if (!fragment) {
    decoder.fail(fragment.error().message);
    return false;
  }
  MatrixMovePlan plan;
  plan.regs.assign(regs.begin(), regs.end());
  plan.space = space;
  plan.narrow = narrow;
  plan.store = store;
  for (unsigned e = 0; e < 2 * regs.size(); ++e)
    for (unsigned lane = 0; lane < 32; ++lane) {
      const isa::MatrixCoord at = isa::coordOf(*fragment, int(lane), int(e));
      plan.place.push_back({uint8_t(8 * at.block + at.row), uint8_t(2 * at.col)});
    }
  decoder.emit(runMatrixMove, InstructionClass::SharedMemory, {}, address).data =
      decoder.keep(std::move(plan));
  return true;
}

void runMatrixTranspose(Wave &wave, const Op &op) {
  static const isa::Fragment fragment = [] {
    auto row = isa::findMatrixInstruction("movmatrix.m8n8.trans.b16", isa::Arch::Nvidia);
    return *isa::fragmentOf(**row, 'D');
  }();
  if (wave.active != wave.all)
    wave.report(op, ProblemKind::PartialMatrix, wave.all & ~wave.active);
  uint32_t values[kMaxLanes] = {}, shades[kMaxLanes] = {};
  const uint32_t *source = wave.get<uint32_t>(op.a);
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    for (unsigned half = 0; half < 2; ++half) {
      // The input lies as ldmatrix leaves it: lane 4 * row + col / 2.
      const isa::MatrixCoord at = isa::coordOf(fragment, int(lane), int(half));
      const unsigned from = unsigned(at.row * 4 + at.col / 2), shift = 16 * unsigned(at.col & 1);
      values[lane] |= (source[from] >> shift & 0xffff) << (16 * half);
      shades[lane] |= uint32_t(wave.shadeOf(op.a, from, 4) >> shift & 0xffff) << (16 * half);
    }
  wave.writeLoaded(op.dst, values, shades);
}

} // namespace layout_port::verify
