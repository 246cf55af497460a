// See NvvmWmma.h. Element e of lane l is element (e * 32 + l) of the tile, in plain
// order; a fragment with more room than the tile has elements (f16 operands) holds
// copies.
#include "semantics/NvvmWmma.h"

#include "machine/Machine.h"
#include "semantics/Matrix.h"

#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

namespace layout_port::verify {
namespace {

constexpr unsigned kLanes = 32;

struct WmmaShape {
  unsigned m = 0, n = 0, k = 0;
};

bool parseShape(llvm::StringRef text, WmmaShape &shape) {
  return text.consume_front("m") && !text.consumeInteger(10, shape.m) && text.consume_front("n") &&
         !text.consumeInteger(10, shape.n) && text.consume_front("k") &&
         !text.consumeInteger(10, shape.k) && text.empty();
}

MatrixElement elementOf(llvm::StringRef type) {
  if (type == "bf16")
    return {FloatFormat::BF16, 16};
  if (type == "tf32")
    return {FloatFormat::F32, 32, true, true};
  if (type == "f32")
    return {FloatFormat::F32, 32};
  if (type == "f64")
    return {FloatFormat::F64, 64};
  if (type == "s8" || type == "u8")
    return {FloatFormat::None, 8, type == "s8"};
  if (type == "s4" || type == "u4")
    return {FloatFormat::None, 4, type == "s4"};
  if (type == "b1")
    return {FloatFormat::None, 1, false};
  if (type == "s32")
    return {FloatFormat::None, 32, true};
  return {FloatFormat::F16, 16};
}

MatrixOperand makeOperand(const Regs &regs, unsigned regBits, const MatrixElement &element,
                          unsigned tile) {
  MatrixOperand operand;
  operand.regs.assign(regs.begin(), regs.end());
  operand.regBits = regBits;
  operand.element = element;
  operand.elements = unsigned(regs.size()) * regBits / element.bits;
  for (unsigned e = 0; e < operand.elements; ++e)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      operand.place.push_back(uint16_t((e * kLanes + lane) % tile));
  return operand;
}

//===-- Elements of less than a byte ---------------------------------------===//

// They are moved and held in words of `pack` elements along k, which is contiguous in
// memory: A is by rows, B by columns. The words of a tile are dealt to the lanes like
// the elements of other types.
unsigned packOf(const MatrixElement &element) { return element.bits < 8 ? 32 / element.bits : 1; }

// Bit field e of a word: the word's row (A) or column (B) and its k.
MatrixOperand makePackedOperand(const Regs &regs, const MatrixElement &element, bool isA,
                                const WmmaShape &shape) {
  const unsigned pack = packOf(element), words = shape.k / pack;
  MatrixOperand operand;
  operand.regs.assign(regs.begin(), regs.end());
  operand.element = element;
  operand.elements = unsigned(regs.size()) * pack;
  for (unsigned e = 0; e < operand.elements; ++e)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned word = e / pack * kLanes + lane;
      const unsigned side = isA ? word / words : word % shape.n;
      const unsigned k = (isA ? word % words : word / shape.n) * pack + e % pack;
      operand.place.push_back(uint16_t(isA ? side * shape.k + k : k * shape.n + side));
    }
  return operand;
}

//===-- Loads and stores ---------------------------------------------------===//

struct WmmaMove {
  MatrixOperand operand;
  unsigned rows = 0, cols = 0;
  bool columnMajor = false, narrow = false, store = false;
  unsigned pack = 1; // elements that make one word of less than byte-wide types
  Space space = Space::Generic;
};

// One element of every lane at a time.
void resolveElement(Wave &wave, const Op &op, const WmmaMove &plan, unsigned e, Access &access) {
  const unsigned bytes = plan.operand.element.bits / 8;
  uint64_t addresses[kMaxLanes] = {};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned at = plan.operand.place[e * kLanes + lane];
    const unsigned row = at / plan.cols, col = at % plan.cols;
    const uint64_t stride = wave.get<uint32_t>(op.b)[lane] / plan.pack;
    const uint64_t base =
        plan.narrow ? wave.get<uint32_t>(op.a)[lane] : wave.get<uint64_t>(op.a)[lane];
    addresses[lane] = base + (plan.columnMajor ? col * stride + row : row * stride + col) * bytes;
  }
  wave.resolve(access, plan.space, addresses, wave.meta(op.a), bytes, bytes,
               plan.store ? MemoryEvent::Store : MemoryEvent::Load, op);
}

void runWmmaMove(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const WmmaMove *>(op.data);
  if (wave.active != wave.all)
    wave.report(op, ProblemKind::PartialMatrix, wave.all & ~wave.active);
  const unsigned bytes = plan.operand.element.bits / 8, perReg = plan.operand.regBits / 8 / bytes;
  for (unsigned r = 0; r < plan.operand.regs.size(); ++r) {
    const Reg reg = plan.operand.regs[r];
    uint64_t values[kMaxLanes] = {}, shades[kMaxLanes] = {};
    for (unsigned i = 0; i < perReg; ++i) {
      const unsigned e = r * perReg + i;
      if (plan.store && e * kLanes >= plan.rows * plan.cols)
        continue; // a copy
      Access access;
      resolveElement(wave, op, plan, e, access);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!plan.store) {
          uint64_t value = 0, shade = 0;
          std::memcpy(&value, access.bytes[lane], bytes);
          std::memcpy(&shade, access.shade[lane], bytes);
          values[lane] |= value << (8 * bytes * i);
          shades[lane] |= shade << (8 * bytes * i);
        } else if (access.lanes >> lane & 1) {
          const uint64_t word = plan.operand.regBits > 32 ? wave.get<uint64_t>(reg)[lane]
                                                          : wave.get<uint32_t>(reg)[lane];
          const uint64_t value = word >> (8 * bytes * i);
          const uint64_t shade =
              wave.shadeOf(reg, lane, plan.operand.regBits / 8) >> (8 * bytes * i);
          std::memcpy(access.bytes[lane], &value, bytes);
          std::memcpy(access.shade[lane], &shade, bytes);
        }
      }
    }
    if (plan.store)
      wave.stored();
    else
      wave.writeLoaded(reg, values, shades, plan.operand.regBits / 8);
  }
}

//===-- Decoding -----------------------------------------------------------===//

class WmmaDecoder {
public:
  WmmaDecoder(Decoder &decoder, const llvm::CallBase &call, WmmaShape shape,
              llvm::ArrayRef<llvm::StringRef> words)
      : d_(decoder), call_(call), shape_(shape), words_(words) {}

  bool run() {
    if (words_.size() < 3)
      return false;
    if (words_[0] == "load")
      return move(false);
    if (words_[0] == "store")
      return move(true);
    return words_[0] == "mma" && multiply();
  }

private:
  bool has(llvm::StringRef word) const { return llvm::is_contained(words_, word); }
  unsigned registerBits(llvm::Type *type) { return d_.flatten(type).front().scalar.bits; }

  // load.{a|b|c}.{row|col}[.stride].TYPE(pointer, stride)
  // store.d.{row|col}[.stride].TYPE(pointer, registers..., stride)
  bool move(bool store) {
    WmmaMove plan;
    const llvm::StringRef which = words_[1];
    plan.rows = which == "b" ? shape_.k : shape_.m;
    plan.cols = which == "a" ? shape_.k : shape_.n;
    plan.columnMajor = words_[2] == "col";
    plan.store = store;
    const bool strided = has("stride");
    const size_t typeAt = strided ? 4 : 3;
    if (words_.size() <= typeAt)
      return false;
    MatrixElement element = elementOf(words_[typeAt]);
    plan.pack = packOf(element);
    if (plan.pack > 1) { // a tile of words
      if (plan.columnMajor != (which == "b"))
        return false;
      (which == "a" ? plan.cols : plan.rows) /= plan.pack;
      element = {FloatFormat::None, 32, false};
    }
    return finish(plan, element, strided);
  }
  bool finish(WmmaMove &plan, const MatrixElement &element, bool strided) {
    const llvm::Value *pointer = call_.getArgOperand(0);
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    plan.space = d_.spaceOf(space);
    plan.narrow = d_.narrowPointer(space);
    const Reg address = d_.scalarValue(pointer);
    const unsigned last = call_.arg_size() - 1;
    const unsigned natural = (plan.columnMajor ? plan.rows : plan.cols) * plan.pack;
    const Reg stride =
        strided ? d_.scalarValue(call_.getArgOperand(last)) : d_.rawConstant({32}, natural);
    Regs regs;
    unsigned bits = 32;
    if (plan.store) {
      for (unsigned i = 1; i < (strided ? last : last + 1); ++i) {
        regs.append(d_.value(call_.getArgOperand(i)));
        bits = registerBits(call_.getArgOperand(i)->getType());
      }
    } else {
      regs = d_.freshFor(call_);
      bits = registerBits(call_.getType());
    }
    plan.operand = makeOperand(regs, bits, element, plan.rows * plan.cols);
    d_.emit(runWmmaMove, InstructionClass::Matrix, {}, address, stride).data =
        d_.keep(std::move(plan));
    return true;
  }

  // mma[.{xor|and}.popc].{row|col}.{row|col}.TYPES[.satfinite](a..., b..., c...)
  bool multiply() {
    llvm::StringRef type = "f16";
    for (llvm::StringRef word : words_)
      if (llvm::StringSwitch<bool>(word)
              .Cases({"bf16", "tf32", "f64", "s8", "u8", "s4", "u4", "b1"}, true)
              .Default(false))
        type = word;
    const MatrixElement input = elementOf(type);
    const unsigned regSize = type == "f64" ? 64 : 32;
    auto count = [&](unsigned rows, unsigned cols) {
      return type == "f16" ? 8u : rows * cols * input.bits / (regSize * kLanes);
    };
    const unsigned a = count(shape_.m, shape_.k), b = count(shape_.k, shape_.n);
    if (call_.arg_size() <= a + b)
      return false;
    MatrixPlan plan;
    plan.m = shape_.m;
    plan.n = shape_.n;
    plan.k = shape_.k;
    plan.saturate = has("satfinite") && input.format == FloatFormat::None;
    plan.xorBits = has("xor");
    if (packOf(input) > 1) {
      plan.a = makePackedOperand(registersOf(0, a), input, true, shape_);
      plan.b = makePackedOperand(registersOf(a, a + b), input, false, shape_);
    } else {
      plan.a = gather(0, a, input, shape_.m * shape_.k);
      plan.b = gather(a, a + b, input, shape_.k * shape_.n);
    }
    plan.c = gather(a + b, call_.arg_size(), accumulator(call_.getArgOperand(a + b)->getType()),
                    shape_.m * shape_.n);
    const Regs dst = d_.freshFor(call_);
    llvm::Type *result = call_.getType();
    plan.d = makeOperand(dst, registerBits(result), accumulator(result), shape_.m * shape_.n);
    preparePlain(plan, kLanes);
    d_.emit(runMatrix, InstructionClass::Matrix).data = d_.keep(std::move(plan));
    return true;
  }
  Regs registersOf(unsigned first, unsigned end) {
    Regs regs;
    for (unsigned i = first; i < end; ++i)
      regs.append(d_.value(call_.getArgOperand(i)));
    return regs;
  }
  MatrixOperand gather(unsigned first, unsigned end, const MatrixElement &element, unsigned tile) {
    return makeOperand(registersOf(first, end), registerBits(call_.getArgOperand(first)->getType()),
                       element, tile);
  }
  MatrixElement accumulator(llvm::Type *type) {
    const Scalar scalar = d_.flatten(type).front().scalar;
    return {scalar.format, scalar.bits, true};
  }

  Decoder &d_;
  const llvm::CallBase &call_;
  WmmaShape shape_;
  llvm::ArrayRef<llvm::StringRef> words_;
};

} // namespace

bool decodeWmma(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  if (!name.consume_front("wmma."))
    return false;
  llvm::SmallVector<llvm::StringRef, 8> words;
  name.split(words, '.');
  WmmaShape shape;
  if (!parseShape(words.front(), shape))
    return false;
  return WmmaDecoder(decoder, call, shape, llvm::ArrayRef(words).drop_front()).run();
}

} // namespace layout_port::verify
