// See Integer.h.
#include "machine/Integer.h"

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>

#include <algorithm>
#include <limits>

namespace layout_port::verify {
namespace {

template <class T> T widthMask(unsigned bits) {
  return bits >= sizeof(T) * 8 ? T(~T(0)) : T((T(1) << bits) - 1);
}

template <class T> using Signed = std::make_signed_t<T>;

template <class T> Signed<T> signExtend(T value, unsigned bits) {
  const unsigned shift = sizeof(T) * 8 - bits;
  return Signed<T>(T(value << shift)) >> shift;
}

// Each operation sees zero-extended operands and may return garbage above `bits`.
struct Add {
  template <class T> static T run(T a, T b, unsigned) { return a + b; }
};
struct Sub {
  template <class T> static T run(T a, T b, unsigned) { return a - b; }
};
struct Mul {
  template <class T> static T run(T a, T b, unsigned) { return a * b; }
};
struct And {
  template <class T> static T run(T a, T b, unsigned) { return a & b; }
};
struct Or {
  template <class T> static T run(T a, T b, unsigned) { return a | b; }
};
struct Xor {
  template <class T> static T run(T a, T b, unsigned) { return a ^ b; }
};
struct Shl {
  template <class T> static T run(T a, T b, unsigned bits) { return b < bits ? T(a << b) : T(0); }
};
struct LShr {
  template <class T> static T run(T a, T b, unsigned bits) { return b < bits ? T(a >> b) : T(0); }
};
struct AShr {
  template <class T> static T run(T a, T b, unsigned bits) {
    return T(signExtend(a, bits) >> (b < bits ? b : bits - 1));
  }
};
struct UDiv {
  template <class T> static T run(T a, T b, unsigned) { return b ? T(a / b) : T(0); }
};
struct URem {
  template <class T> static T run(T a, T b, unsigned) { return b ? T(a % b) : T(0); }
};
struct SDiv {
  template <class T> static T run(T a, T b, unsigned bits) {
    const Signed<T> x = signExtend(a, bits), y = signExtend(b, bits);
    if (y == 0)
      return 0;
    return y == -1 ? T(0 - a) : T(x / y);
  }
};
struct SRem {
  template <class T> static T run(T a, T b, unsigned bits) {
    const Signed<T> x = signExtend(a, bits), y = signExtend(b, bits);
    return y == 0 || y == -1 ? T(0) : T(x % y);
  }
};

template <class T, class F, bool Narrow> void binary(Wave &wave, const Op &op) {
  if (wave.holdsPayload(op.a, op.b))
    return payloadOperation(wave, op);
  const T *a = wave.get<T>(op.a), *b = wave.get<T>(op.b);
  T *d = wave.begin<T>(op.dst);
  const unsigned bits = Narrow ? op.bits : sizeof(T) * 8;
  const T mask = widthMask<T>(bits);
  everyLane(wave.lanes, [=](unsigned lane) {
    const T result = F::run(a[lane], b[lane], bits);
    d[lane] = Narrow ? T(result & mask) : result;
  });
  wave.commit<T>(op.dst, wave.rawMeta(op.a, op.b));
}

template <class F> Op::Function pick(unsigned bits) {
  if (bits > 32)
    return bits == 64 ? binary<uint64_t, F, false> : binary<uint64_t, F, true>;
  return bits == 32 ? binary<uint32_t, F, false> : binary<uint32_t, F, true>;
}

struct Eq {
  template <class T> static bool run(T a, T b, unsigned) { return a == b; }
};
struct Ne {
  template <class T> static bool run(T a, T b, unsigned) { return a != b; }
};
struct ULess {
  template <class T> static bool run(T a, T b, unsigned) { return a < b; }
};
struct ULessEqual {
  template <class T> static bool run(T a, T b, unsigned) { return a <= b; }
};
struct UGreater {
  template <class T> static bool run(T a, T b, unsigned) { return a > b; }
};
struct UGreaterEqual {
  template <class T> static bool run(T a, T b, unsigned) { return a >= b; }
};
struct SLess {
  template <class T> static bool run(T a, T b, unsigned bits) {
    return signExtend(a, bits) < signExtend(b, bits);
  }
};
struct SLessEqual {
  template <class T> static bool run(T a, T b, unsigned bits) {
    return signExtend(a, bits) <= signExtend(b, bits);
  }
};
struct SGreater {
  template <class T> static bool run(T a, T b, unsigned bits) {
    return signExtend(a, bits) > signExtend(b, bits);
  }
};
struct SGreaterEqual {
  template <class T> static bool run(T a, T b, unsigned bits) {
    return signExtend(a, bits) >= signExtend(b, bits);
  }
};

template <class T, class F> void compare(Wave &wave, const Op &op) {
  if (wave.holdsPayload(op.a, op.b))
    wave.giveUp(op, "the bits of a float are compared as an integer");
  const T *a = wave.get<T>(op.a), *b = wave.get<T>(op.b);
  uint32_t *d = wave.begin<uint32_t>(op.dst);
  const unsigned bits = op.bits;
  everyLane(wave.lanes, [=](unsigned lane) { d[lane] = F::run(a[lane], b[lane], bits); });
  wave.commit<uint32_t>(op.dst, wave.rawMeta(op.a, op.b));
}

template <class F> Op::Function pickCompare(unsigned bits) {
  return bits > 32 ? compare<uint64_t, F> : compare<uint32_t, F>;
}

// A payload keeps its place when an integer grows or is cut.
template <class From, class To, bool SignExtend> void cast(Wave &wave, const Op &op) {
  const From *a = wave.get<From>(op.a);
  To *d = wave.begin<To>(op.dst);
  const unsigned to = unsigned(op.immediate);
  const To mask = widthMask<To>(to);
  const unsigned bits = op.bits;
  if (to % 8 && wave.holdsPayload(op.a))
    wave.giveUp(op, "the bits of a float take part in integer arithmetic");
  everyLane(wave.lanes, [=](unsigned lane) {
    d[lane] = (SignExtend ? To(signExtend(a[lane], bits)) : To(a[lane])) & mask;
  });
  Meta meta = wave.meta(op.a);
  if (const unsigned bytes = (to + 7) / 8; meta.code != kMixedCode && bytes < 8)
    meta.code &= (uint32_t(1) << (4 * bytes)) - 1;
  if (!meta.code)
    meta.field = 0;
  wave.noteParts(meta);
  wave.commit<To>(op.dst, meta);
}

template <class T> void selectLanes(Wave &wave, const Op &op) {
  const uint32_t *c = wave.get<uint32_t>(op.a);
  const T *a = wave.get<T>(op.b), *b = wave.get<T>(op.c);
  const Meta ma = wave.meta(op.b), mb = wave.meta(op.c), mc = wave.meta(op.a);
  T *d = wave.begin<T>(op.dst);
  const bool alike = ma.defined == mb.defined && ma.field == mb.field && ma.code == mb.code;
  const uint64_t chosen = alike ? wave.all : wave.nonZero(op.a, false);
  everyLane(wave.lanes, [=](unsigned lane) { d[lane] = c[lane] ? a[lane] : b[lane]; });
  Meta meta;
  meta.defined = mc.defined & ((ma.defined & chosen) | (mb.defined & ~chosen));
  const uint64_t fa = ma.field & chosen & wave.active, fb = mb.field & ~chosen & wave.active;
  meta.field = fa | fb;
  meta.code = !fb || ma.code == mb.code ? ma.code : !fa ? mb.code : kMixedCode;
  meta.tainted = ma.tainted || mb.tainted || mc.tainted;
  // Degrees decide nothing: whatever may be chosen counts.
  if (wave.field && wave.field->tracksDegrees() && mc.tainted && ma.code == mb.code &&
      payloadWidth(ma.code))
    forLanes(ma.field & mb.field, [&](unsigned lane) {
      d[lane] = wave.field->degrees().either(uint32_t(a[lane]), uint32_t(b[lane]));
    });
  wave.commit<T>(op.dst, meta);
}

template <class T> void moveLanes(Wave &wave, const Op &op) {
  Meta meta = wave.meta(op.a);
  if (op.immediate)
    meta.defined = wave.all;
  wave.blend<T>(op.dst, wave.get<T>(op.a), meta);
}

template <class T> unsigned leadingZeros(T value, unsigned bits) {
  if (value == 0)
    return bits;
  const unsigned all = sizeof(T) == 8 ? __builtin_clzll(value) : __builtin_clz(uint32_t(value));
  return all - (sizeof(T) * 8 - bits);
}

template <class T> T reverseBits(T value, unsigned bits) {
  T result = 0;
  for (unsigned i = 0; i < bits; ++i)
    result |= T(value >> i & 1) << (bits - 1 - i);
  return result;
}

template <class T> T saturate(__int128 value, unsigned bits, bool isSigned) {
  const __int128 low = isSigned ? -(__int128(1) << (bits - 1)) : 0;
  const __int128 high = (__int128(1) << (isSigned ? bits - 1 : bits)) - 1;
  return T(value < low ? low : value > high ? high : value);
}

// PTX fns.b32: the bit that is the offset-th set one of `mask` counted from `base`,
// upwards for a positive offset, downwards for a negative one, ~0 if there is none.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#integer-arithmetic-instructions-fns
uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == 0)
    return base < 32 && (mask >> base & 1) ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int64_t bit = base; bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --left == 0)
      return uint32_t(bit);
  return ~0u;
}

template <class T> T evaluate(IntegerFunction function, T a, T b, T c, unsigned bits) {
  const Signed<T> sa = signExtend(a, bits), sb = signExtend(b, bits);
  switch (function) {
  case IntegerFunction::Abs:
    return sa < 0 ? T(0 - a) : a;
  case IntegerFunction::UMin:
    return std::min(a, b);
  case IntegerFunction::UMax:
    return std::max(a, b);
  case IntegerFunction::SMin:
    return sa < sb ? a : b;
  case IntegerFunction::SMax:
    return sa > sb ? a : b;
  case IntegerFunction::CountOnes:
    return T(__builtin_popcountll(a));
  case IntegerFunction::CountLeading:
    return T(leadingZeros(a, bits));
  case IntegerFunction::CountTrailing:
    return a ? T(__builtin_ctzll(a)) : T(bits);
  case IntegerFunction::ReverseBits:
    return reverseBits(a, bits);
  case IntegerFunction::ReverseBytes:
    return T(__builtin_bswap64(a) >> (64 - bits));
  case IntegerFunction::FunnelLeft:
    c %= bits;
    return c ? T(a << c) | T(b >> (bits - c)) : a;
  case IntegerFunction::FunnelRight:
    c %= bits;
    return c ? T(a << (bits - c)) | T(b >> c) : b;
  case IntegerFunction::AddSatU:
    return saturate<T>(__int128(a) + b, bits, false);
  case IntegerFunction::AddSatS:
    return saturate<T>(__int128(sa) + sb, bits, true);
  case IntegerFunction::SubSatU:
    return saturate<T>(__int128(a) - b, bits, false);
  case IntegerFunction::SubSatS:
    return saturate<T>(__int128(sa) - sb, bits, true);
  case IntegerFunction::MulHighU:
    return T((unsigned __int128)(a)*b >> bits);
  case IntegerFunction::MulHighS:
    return T(__int128(sa) * sb >> bits);
  case IntegerFunction::BitExtractU:
  case IntegerFunction::BitExtractS: {
    const unsigned position = b & 0xff, length = std::min<unsigned>(c & 0xff, bits);
    if (length == 0 || (position >= bits && function == IntegerFunction::BitExtractU))
      return 0;
    if (position >= bits) // the field has left a: only its sign remains
      return sa < 0 ? widthMask<T>(bits) : 0;
    const T field = T(a >> position) & widthMask<T>(std::min(length, bits - position));
    return function == IntegerFunction::BitExtractU
               ? field
               : T(signExtend(field, std::min(length, bits - position)));
  }
  case IntegerFunction::FindHighest:
    return a ? T(bits - 1 - leadingZeros(a, bits)) : widthMask<T>(32);
  case IntegerFunction::FindHighestS: {
    const T magnitude = sa < 0 ? T(~a & widthMask<T>(bits)) : a;
    return magnitude ? T(bits - 1 - leadingZeros(magnitude, bits)) : widthMask<T>(32);
  }
  case IntegerFunction::SumOfDifferences:
    return T((sa > sb ? sa - sb : sb - sa) + c);
  case IntegerFunction::FindNthSet:
    return T(findNthSet(uint32_t(a), uint32_t(b), int32_t(c)));
  }
  return 0;
}

template <class T> void function(Wave &wave, const Op &op) {
  const Reg b = op.b.valid() ? op.b : op.a, c = op.c.valid() ? op.c : b;
  const auto which = IntegerFunction(op.opcode);
  if (wave.holdsPayload(op.a, b))
    wave.giveUp(op, "the bits of a float take part in integer arithmetic");
  const T *x = wave.get<T>(op.a), *y = wave.get<T>(b), *z = wave.get<T>(c);
  T *d = wave.begin<T>(op.dst);
  const T mask = widthMask<T>(op.bits);
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    d[lane] = evaluate<T>(which, x[lane], y[lane], z[lane], op.bits) & mask;
  wave.commit<T>(op.dst, wave.rawMeta(op.a, b, c));
}

} // namespace

Op::Function integerBinary(unsigned opcode, unsigned bits) {
  switch (opcode) {
  case llvm::Instruction::Add:
    return pick<Add>(bits);
  case llvm::Instruction::Sub:
    return pick<Sub>(bits);
  case llvm::Instruction::Mul:
    return pick<Mul>(bits);
  case llvm::Instruction::And:
    return pick<And>(bits);
  case llvm::Instruction::Or:
    return pick<Or>(bits);
  case llvm::Instruction::Xor:
    return pick<Xor>(bits);
  case llvm::Instruction::Shl:
    return pick<Shl>(bits);
  case llvm::Instruction::LShr:
    return pick<LShr>(bits);
  case llvm::Instruction::AShr:
    return pick<AShr>(bits);
  case llvm::Instruction::UDiv:
    return pick<UDiv>(bits);
  case llvm::Instruction::URem:
    return pick<URem>(bits);
  case llvm::Instruction::SDiv:
    return pick<SDiv>(bits);
  case llvm::Instruction::SRem:
    return pick<SRem>(bits);
  default:
    return nullptr;
  }
}

Op::Function integerCompare(unsigned predicate, unsigned bits) {
  switch (predicate) {
  case llvm::CmpInst::ICMP_EQ:
    return pickCompare<Eq>(bits);
  case llvm::CmpInst::ICMP_NE:
    return pickCompare<Ne>(bits);
  case llvm::CmpInst::ICMP_ULT:
    return pickCompare<ULess>(bits);
  case llvm::CmpInst::ICMP_ULE:
    return pickCompare<ULessEqual>(bits);
  case llvm::CmpInst::ICMP_UGT:
    return pickCompare<UGreater>(bits);
  case llvm::CmpInst::ICMP_UGE:
    return pickCompare<UGreaterEqual>(bits);
  case llvm::CmpInst::ICMP_SLT:
    return pickCompare<SLess>(bits);
  case llvm::CmpInst::ICMP_SLE:
    return pickCompare<SLessEqual>(bits);
  case llvm::CmpInst::ICMP_SGT:
    return pickCompare<SGreater>(bits);
  case llvm::CmpInst::ICMP_SGE:
    return pickCompare<SGreaterEqual>(bits);
  default:
    return nullptr;
  }
}

Op::Function integerCast(unsigned opcode, bool wideFrom, bool wideTo) {
  const bool sign = opcode == llvm::Instruction::SExt;
  if (wideFrom)
    return wideTo ? (sign ? cast<uint64_t, uint64_t, true> : cast<uint64_t, uint64_t, false>)
                  : cast<uint64_t, uint32_t, false>;
  if (wideTo)
    return sign ? cast<uint32_t, uint64_t, true> : cast<uint32_t, uint64_t, false>;
  return sign ? cast<uint32_t, uint32_t, true> : cast<uint32_t, uint32_t, false>;
}

Op::Function select(bool wide) { return wide ? selectLanes<uint64_t> : selectLanes<uint32_t>; }
Op::Function move(bool wide) { return wide ? moveLanes<uint64_t> : moveLanes<uint32_t>; }
Op::Function integerFunction(IntegerFunction, bool wide) {
  return wide ? function<uint64_t> : function<uint32_t>;
}

namespace {

// Adds a piece's bytes to `result`, for all lanes.
template <class Result, class From>
void addPiece(const Wave &wave, Reg reg, const Piece &piece, Result *result) {
  const From *words = wave.get<From>(reg);
  const From mask = widthMask<From>(std::min<unsigned>(8 * piece.bytes, sizeof(From) * 8));
  const unsigned right = 8 * piece.fromByte, left = 8 * piece.toByte;
  everyLane(wave.lanes, [=](unsigned lane) {
    result[lane] |= Result(Result(words[lane] >> right & mask) << left);
  });
}

// One register of the result; `next` is its first piece, and then the next register's.
template <class Result> void repackInto(Wave &wave, const Repack &plan, size_t to, size_t &next) {
  Result result[kMaxLanes] = {};
  Meta meta{wave.all, 0, 0, false};
  for (; next < plan.pieces.size() && plan.pieces[next].to == to; ++next) {
    const Piece &piece = plan.pieces[next];
    const Reg from = plan.from[piece.from];
    if (plan.wideFrom[piece.from])
      addPiece<Result, uint64_t>(wave, from, piece, result);
    else
      addPiece<Result, uint32_t>(wave, from, piece, result);
    const Meta &source = wave.meta(from);
    meta.defined &= source.defined;
    meta.tainted |= source.tainted;
    if (!(source.field & wave.active))
      continue;
    if (source.code == kMixedCode || meta.code == kMixedCode) {
      meta.code = kMixedCode;
    } else {
      const uint32_t nibbles = piece.bytes == 8 ? ~0u : (uint32_t(1) << (4 * piece.bytes)) - 1;
      meta.code |= (source.code >> (4 * piece.fromByte) & nibbles) << (4 * piece.toByte);
    }
    meta.field |= source.field;
  }
  if (!meta.code)
    meta.field = 0;
  wave.noteParts(meta);
  wave.blend<Result>(plan.to[to], result, meta);
}

} // namespace

void runRepack(Wave &wave, const Op &op) {
  const Repack &plan = *static_cast<const Repack *>(op.data);
  size_t next = 0;
  for (size_t to = 0; to < plan.to.size(); ++to)
    if (plan.wideTo[to])
      repackInto<uint64_t>(wave, plan, to, next);
    else
      repackInto<uint32_t>(wave, plan, to, next);
}

} // namespace layout_port::verify
