// Integer operations that touch float payloads, in the field domain.
//
// A residue is not an IEEE number, so its bits mean nothing; but most integer code
// that handles floats only moves them (packing two halves, extracting one, bytes
// through a register), and the nibbles of Meta::code follow such moves exactly.
// Of arithmetic on bits these idioms are recognised, anything else gives up:
//
//   x ^ sign mask       -> -x           x & ~sign mask         -> |x|
//   f32 >> 16           -> bf16 of x    f32 & (ones << k)      -> x (truncation)
//   a + b, disjoint     -> a | b
//
// In IEEE arithmetic words may be marked as payloads, too (observe/WordUse.h): the same rules say
// where the marks go, and the values are what they are.
#include "machine/FloatOps.h"
#include "machine/Integer.h"

#include <llvm/IR/Instruction.h>

namespace layout_port::verify {
namespace {

using llvm::Instruction;

// One lane's word with its payload nibbles.
struct Word {
  uint64_t value = 0;
  uint32_t code = 0;
};

uint64_t byteMask(uint32_t code) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (code >> (4 * i) & 15)
      mask |= uint64_t(0xff) << (8 * i);
  return mask;
}

uint32_t maskCode(uint32_t code, uint64_t keep) {
  for (unsigned i = 0; i < 8; ++i)
    if (!(keep >> (8 * i) & 0xff))
      code &= ~(uint32_t(15) << (4 * i));
  return code;
}

// Applies f to every whole payload of a word.
template <class F> uint64_t mapPayloads(Word word, F f) {
  uint64_t result = word.value;
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned width = word.code >> (4 * i) & 15;
    if (width != 1 && width != 2 && width != 4 && width != 8)
      continue;
    const uint64_t mask = width == 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * width)) - 1;
    const uint64_t payload = word.value >> (8 * i) & mask;
    result = (result & ~(mask << (8 * i))) | (uint64_t(f(uint32_t(payload))) & mask) << (8 * i);
  }
  return result;
}

// The sign bits of every payload: 0x80008000 for two halves.
uint64_t signMask(uint32_t code) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned width = code >> (4 * i) & 15;
    if (width == 1 || width == 2 || width == 4 || width == 8)
      mask |= uint64_t(0x80) << (8 * (i + width - 1));
  }
  return mask;
}

class PayloadOperation {
public:
  PayloadOperation(Wave &wave, const Op &op) : wave_(wave), op_(op) {}

  // False: no meaning in the field.
  bool run(Word a, Word b, Word &result) const {
    switch (op_.opcode) {
    case Instruction::Shl:
      return shiftLeft(a, b, result);
    case Instruction::LShr:
      return shiftRight(a, b, result);
    case Instruction::And:
      return a.code && b.code ? false
             : a.code         ? mask(a, b.value, result)
                              : mask(b, a.value, result);
    case Instruction::Xor:
      if (a.code && !b.code && negates(a, b.value, result))
        return true;
      if (b.code && !a.code && negates(b, a.value, result))
        return true;
      return unite(a, b, result);
    case Instruction::Or:
    case Instruction::Add:
      return unite(a, b, result);
    default:
      return false;
    }
  }

private:
  bool shiftLeft(Word a, Word b, Word &result) const {
    if (b.code || b.value % 8)
      return false;
    const unsigned shift = unsigned(b.value);
    result = {shift < 64 ? a.value << shift : 0, shift < 64 ? a.code << (shift / 2) : 0};
    return true;
  }
  bool shiftRight(Word a, Word b, Word &result) const {
    if (b.code || b.value % 8)
      return false;
    const unsigned shift = unsigned(b.value);
    if (a.code == payloadCode(4) && shift == 16) {
      result = {a.value & 0xffff, payloadCode(2)};
      return true;
    }
    result = {shift < 64 ? a.value >> shift : 0, shift < 64 ? a.code >> (shift / 2) : 0};
    return true;
  }
  bool mask(Word a, uint64_t keep, Word &result) const {
    const uint64_t width = op_.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << op_.bits) - 1;
    const uint64_t sign = signMask(a.code);
    if (sign && (keep | ~width) == ~sign) {
      wave_.assume(op_, kOrderAssumption);
      result = {mapResidues(a, [](const Field &f, uint32_t x) { return f.abs(x); }), a.code};
      return true;
    }
    constexpr uint32_t least = 0xfff, most = 0xffffff; // fewer bits are no cut to a format
    const uint32_t dropped = ~uint32_t(keep);
    if (a.code == payloadCode(4) && op_.bits == 32 && !(dropped & (dropped + 1)) &&
        dropped >= least && dropped <= most) {
      result = a;
      return true;
    }
    for (unsigned i = 0; i < op_.bits / 8u; ++i) {
      const unsigned byte = keep >> (8 * i) & 0xff;
      if ((a.code >> (4 * i) & 15) && byte != 0xff && byte != 0)
        return false;
    }
    result = {a.value & keep, maskCode(a.code, keep)};
    return true;
  }
  bool negates(Word a, uint64_t flip, Word &result) const {
    if (!signMask(a.code) || flip != signMask(a.code))
      return false;
    result = {mapResidues(a, [](const Field &f, uint32_t x) { return f.neg(x); }), a.code};
    return true;
  }
  template <class F> uint64_t mapResidues(Word word, F f) const {
    return wave_.field ? mapPayloads(word, [&](uint32_t x) { return f(*wave_.field, x); })
                       : word.value;
  }
  // Zero bytes beside payloads: nothing overlaps.
  bool unite(Word a, Word b, Word &result) const {
    if ((a.code && (b.value & byteMask(a.code))) || (b.code && (a.value & byteMask(b.code))))
      return false;
    if (byteMask(a.code) & byteMask(b.code))
      return false;
    if ((a.value & b.value) != 0)
      return false;
    result = {a.value | b.value, a.code | b.code};
    return true;
  }

  Wave &wave_;
  const Op &op_;
};

template <class T> void runLanes(Wave &wave, const Op &op) {
  const PayloadOperation operation(wave, op);
  const Meta ma = wave.meta(op.a), mb = wave.meta(op.b);
  T values[kMaxLanes] = {};
  Meta meta = wave.rawMeta(op.a, op.b);
  bool known = ma.code != kMixedCode && mb.code != kMixedCode;
  forLanes(known ? wave.active & meta.defined : 0, [&](unsigned lane) {
    const Word a{wave.get<T>(op.a)[lane], (ma.field >> lane & 1) ? ma.code : 0};
    const Word b{wave.get<T>(op.b)[lane], (mb.field >> lane & 1) ? mb.code : 0};
    Word result;
    if (!a.code && !b.code)
      return; // below
    if (!operation.run(a, b, result)) {
      known = false;
      return;
    }
    values[lane] = T(result.value);
    if (op.bits < 32)
      result.code &= (uint32_t(1) << (4 * ((op.bits + 7) / 8))) - 1;
    if (!result.code)
      return;
    meta.code = !meta.field || meta.code == result.code ? result.code : kMixedCode;
    meta.field |= uint64_t(1) << lane;
  });
  const uint64_t rawLanes = wave.active & ~(ma.field | mb.field);
  if (!known) {
    wave.giveUp(op, "the bits of a float take part in integer arithmetic");
    meta.field = 0;
    meta.code = 0;
  }
  // Lanes without payloads, and all lanes once nothing is known: plain integers.
  forLanes(known && wave.field ? rawLanes : wave.active, [&](unsigned lane) {
    const T a = wave.get<T>(op.a)[lane], b = wave.get<T>(op.b)[lane];
    switch (op.opcode) {
    case Instruction::Shl:
      values[lane] = b < op.bits ? T(a << b) : T(0);
      break;
    case Instruction::LShr:
      values[lane] = b < op.bits ? T(a >> b) : T(0);
      break;
    case Instruction::And:
      values[lane] = a & b;
      break;
    case Instruction::Or:
      values[lane] = a | b;
      break;
    case Instruction::Xor:
      values[lane] = a ^ b;
      break;
    case Instruction::Sub:
      values[lane] = a - b;
      break;
    default:
      values[lane] = op.opcode == Instruction::Mul ? T(a * b) : T(a + b);
      break;
    }
  });
  if (op.bits < sizeof(T) * 8)
    forLanes(wave.active, [&](unsigned lane) { values[lane] &= (T(1) << op.bits) - 1; });
  wave.noteParts(meta);
  wave.blend<T>(op.dst, values, meta);
}

} // namespace

void payloadOperation(Wave &wave, const Op &op) {
  if (op.bits > 32)
    runLanes<uint64_t>(wave, op);
  else
    runLanes<uint32_t>(wave, op);
}

void permuteBytes(Wave &wave, const Op &op, Reg low, Reg high,
                  const uint8_t (&selector)[4][kMaxLanes], Reg dst) {
  const Meta ml = wave.meta(low), mh = wave.meta(high);
  uint32_t values[kMaxLanes] = {};
  Meta meta = wave.rawMeta(low, high);
  if (ml.code == kMixedCode || mh.code == kMixedCode)
    wave.giveUp(op, "bytes of differently packed floats are permuted");
  forLanes(wave.active, [&](unsigned lane) {
    const uint64_t bytes =
        uint64_t(wave.get<uint32_t>(high)[lane]) << 32 | wave.get<uint32_t>(low)[lane];
    const uint64_t code = ((mh.field >> lane & 1) ? uint64_t(mh.code & 0xffff) << 16 : 0) |
                          ((ml.field >> lane & 1) ? ml.code & 0xffff : 0);
    uint32_t out = 0, outCode = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned from = selector[i][lane];
      if (from >= 8)
        continue;
      out |= uint32_t(bytes >> (8 * from) & 0xff) << (8 * i);
      outCode |= uint32_t(code >> (4 * from) & 15) << (4 * i);
    }
    values[lane] = out;
    if (!outCode)
      return;
    meta.code = !meta.field || meta.code == outCode ? outCode : kMixedCode;
    meta.field |= uint64_t(1) << lane;
  });
  wave.noteParts(meta);
  wave.blend<uint32_t>(dst, values, meta);
}

} // namespace layout_port::verify
