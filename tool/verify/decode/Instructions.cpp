// Instructions of LLVM that compute.
#include "decode/Decoder.h"
#include "machine/FloatOps.h"
#include "machine/Integer.h"
#include "machine/MemoryOps.h"

#include <llvm/IR/Operator.h>

namespace layout_port::verify {

void Decoder::decodeInstruction(const Instruction &instruction) {
  decoding_ = &instruction;
  using llvm::dyn_cast;
  if (auto *call = dyn_cast<llvm::CallBase>(&instruction))
    return decodeCall(*call);
  if (auto *cast = dyn_cast<llvm::CastInst>(&instruction))
    return decodeCast(*cast);
  if (decodeWide(instruction))
    return;
  if (auto *binary = dyn_cast<llvm::BinaryOperator>(&instruction))
    return decodeBinary(*binary);
  if (auto *compare = dyn_cast<llvm::CmpInst>(&instruction))
    return decodeCompare(*compare);
  switch (instruction.getOpcode()) {
  case Instruction::FNeg: {
    const Regs a = value(instruction.getOperand(0)), dst = freshFor(instruction);
    const Leaves leaves = flatten(instruction.getType());
    for (size_t i = 0; i < dst.size(); ++i)
      emit(floatUnary(leaves[i].scalar.format, inField()), InstructionClass::Float, dst[i], a[i])
          .opcode = uint16_t(FloatUnary::Neg);
    return;
  }
  case Instruction::Select:
    return decodeSelect(llvm::cast<llvm::SelectInst>(instruction));
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
    return decodeVector(instruction);
  case Instruction::Freeze:
    return decodeFreeze(instruction);
  case Instruction::Alloca:
    return decodeAlloca(llvm::cast<llvm::AllocaInst>(instruction));
  case Instruction::GetElementPtr:
    return decodePointer(llvm::cast<llvm::GetElementPtrInst>(instruction));
  case Instruction::Load:
    return decodeLoad(llvm::cast<llvm::LoadInst>(instruction));
  case Instruction::Store:
    return decodeStore(llvm::cast<llvm::StoreInst>(instruction));
  case Instruction::AtomicRMW:
  case Instruction::AtomicCmpXchg:
    return decodeAtomic(instruction);
  case Instruction::Fence: {
    auto &fence = llvm::cast<llvm::FenceInst>(instruction);
    return decodeFence(fence.getOrdering(), fence.getSyncScopeID());
  }
  default:
    fail("instruction " + llvm::Twine(instruction.getOpcodeName()) + " is not supported");
  }
}

Reg Decoder::emitInteger(unsigned opcode, Scalar scalar, Reg a, Reg b) {
  const Reg dst = fresh(scalar);
  Op &op = emit(integerBinary(opcode, scalar.bits), InstructionClass::Integer, dst, a, b);
  op.bits = uint8_t(scalar.bits);
  op.opcode = uint16_t(opcode);
  return dst;
}

Reg Decoder::emitCompare(unsigned predicate, Scalar operands, Reg a, Reg b) {
  const Reg dst = fresh({1});
  emit(integerCompare(predicate, operands.bits), InstructionClass::Integer, dst, a, b).bits =
      uint8_t(operands.bits);
  return dst;
}

Reg Decoder::emitCast(unsigned opcode, Scalar from, Scalar to, Reg a) {
  if (opcode == Instruction::ZExt && from.wide() == to.wide())
    return a; // registers are zero-extended already
  const Reg dst = fresh(to);
  Op &op = emit(integerCast(opcode, from.wide(), to.wide()), InstructionClass::Integer, dst, a);
  op.bits = uint8_t(from.bits);
  op.immediate = to.bits;
  return dst;
}

void Decoder::emitSelect(Reg dst, Scalar scalar, Reg condition, Reg a, Reg b) {
  emit(select(scalar.wide()), InstructionClass::Integer, dst, condition, a, b);
}

void Decoder::decodeBinary(const llvm::BinaryOperator &instruction) {
  const Regs a = value(instruction.getOperand(0)), b = value(instruction.getOperand(1));
  const Leaves leaves = flatten(instruction.getType());
  const Regs dst = freshFor(instruction);
  for (size_t i = 0; i < dst.size(); ++i) {
    const Scalar scalar = leaves[i].scalar;
    if (scalar.format != FloatFormat::None) {
      emit(floatBinary(floatBinaryOf(instruction.getOpcode()), scalar.format, inField()),
           InstructionClass::Float, dst[i], a[i], b[i]);
      continue;
    }
    Op &op = emit(integerBinary(instruction.getOpcode(), scalar.bits), InstructionClass::Integer,
                  dst[i], a[i], b[i]);
    op.bits = uint8_t(scalar.bits);
    op.opcode = uint16_t(instruction.getOpcode());
  }
}

// Integers wider than 64 bits: moves of whole bytes and bitwise logic only.
bool Decoder::decodeWide(const Instruction &instruction) {
  llvm::Type *type = instruction.getType();
  if (!type->isIntegerTy() || type->getIntegerBitWidth() <= 64)
    return false;
  if (!llvm::isa<llvm::BinaryOperator>(instruction))
    return false;
  const Leaves leaves = flatten(type);
  switch (instruction.getOpcode()) {
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor: {
    const Regs a = value(instruction.getOperand(0)), b = value(instruction.getOperand(1));
    const Regs dst = freshFor(instruction);
    for (size_t i = 0; i < dst.size(); ++i) {
      Op &op = emit(integerBinary(instruction.getOpcode(), 64), InstructionClass::Integer, dst[i],
                    a[i], b[i]);
      op.bits = 64;
      op.opcode = uint16_t(instruction.getOpcode());
    }
    return true;
  }
  case Instruction::LShr:
  case Instruction::Shl: {
    auto *amount = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    if (!amount || amount->getZExtValue() % 8)
      break;
    llvm::SmallVector<Scalar, 4> types;
    for (const Leaf &leaf : leaves)
      types.push_back(leaf.scalar);
    const unsigned bytes = unsigned(amount->getZExtValue() / 8);
    Regs from = value(instruction.getOperand(0));
    llvm::SmallVector<Scalar, 4> fromTypes = types;
    if (instruction.getOpcode() == Instruction::Shl) {
      // Zero bytes first: shift by dropping from a longer row.
      from.insert(from.begin(), bytes, rawConstant({8}, 0));
      fromTypes.insert(fromTypes.begin(), bytes, Scalar{8});
      emitRepack(from, fromTypes, freshFor(instruction), types, 0);
    } else {
      emitRepack(from, fromTypes, freshFor(instruction), types, bytes);
    }
    return true;
  }
  default:
    break;
  }
  fail("this operation on an integer wider than 64 bits is not supported");
  return true;
}

void Decoder::emitRepack(llvm::ArrayRef<Reg> from, llvm::ArrayRef<Scalar> fromTypes,
                         llvm::ArrayRef<Reg> to, llvm::ArrayRef<Scalar> toTypes,
                         unsigned skipBytes) {
  Repack plan;
  for (size_t i = 0; i < from.size(); ++i) {
    plan.from.push_back(from[i]);
    plan.wideFrom.push_back(fromTypes[i].wide());
  }
  size_t source = 0;
  unsigned at = skipBytes; // next byte of `source`
  for (size_t i = 0; i < to.size(); ++i) {
    plan.to.push_back(to[i]);
    plan.wideTo.push_back(toTypes[i].wide());
    unsigned filled = 0;
    const unsigned want = toTypes[i].bytes();
    while (filled < want && source < from.size()) {
      const unsigned have = fromTypes[source].bytes();
      if (at >= have) {
        at -= have;
        ++source;
        continue;
      }
      const unsigned bytes = std::min(want - filled, have - at);
      plan.pieces.push_back(
          {uint16_t(source), uint16_t(i), uint8_t(at), uint8_t(filled), uint8_t(bytes)});
      filled += bytes;
      at += bytes;
    }
  }
  emit(runRepack, InstructionClass::Integer).data = keep(std::move(plan));
}

void Decoder::decodeBitCast(const llvm::CastInst &instruction) {
  const Regs from = value(instruction.getOperand(0));
  const Leaves fromLeaves = flatten(instruction.getOperand(0)->getType());
  const Leaves toLeaves = flatten(instruction.getType());
  bool same = fromLeaves.size() == toLeaves.size();
  for (size_t i = 0; same && i < toLeaves.size(); ++i)
    same = fromLeaves[i].scalar.bits == toLeaves[i].scalar.bits;
  if (same)
    return define(instruction, from);
  llvm::SmallVector<Scalar, 8> fromTypes, toTypes;
  for (const Leaf &leaf : fromLeaves)
    fromTypes.push_back(leaf.scalar);
  for (const Leaf &leaf : toLeaves)
    toTypes.push_back(leaf.scalar);
  for (Scalar scalar : fromTypes)
    if (scalar.bits % 8)
      return decodeBitVector(instruction);
  for (Scalar scalar : toTypes)
    if (scalar.bits % 8)
      return decodeBitVector(instruction);
  emitRepack(from, fromTypes, freshFor(instruction), toTypes);
}

// <8 x i1> to i8 and back, <2 x i8> to <16 x i1>: where wide elements are whole numbers of narrow
// ones.
void Decoder::decodeBitVector(const llvm::CastInst &instruction) {
  const Regs from = value(instruction.getOperand(0));
  const Leaves fromLeaves = flatten(instruction.getOperand(0)->getType());
  const Leaves toLeaves = flatten(instruction.getType());
  const Scalar one = fromLeaves[0].scalar, other = toLeaves[0].scalar;
  const size_t perElement = std::max(one.bits, other.bits) / std::min(one.bits, other.bits);
  Regs result;
  if (std::max(one.bits, other.bits) % std::min(one.bits, other.bits)) {
    fail("this bit cast is not supported");
  } else if (other.bits > one.bits) {
    for (size_t begin = 0; begin < from.size(); begin += perElement) {
      Reg sum = rawConstant(other, 0);
      for (size_t i = 0; i < perElement; ++i) {
        const Reg wide = emitCast(Instruction::ZExt, one, other, from[begin + i]);
        const Reg shift = rawConstant(other, i * one.bits);
        const Reg placed = emitInteger(Instruction::Shl, other, wide, shift);
        sum = emitInteger(Instruction::Or, other, sum, placed);
      }
      result.push_back(sum);
    }
  } else {
    for (size_t i = 0; i < toLeaves.size(); ++i) {
      const Reg shift = rawConstant(one, i % perElement * other.bits);
      const Reg moved = emitInteger(Instruction::LShr, one, from[i / perElement], shift);
      result.push_back(emitCast(Instruction::Trunc, one, other, moved));
    }
  }
  define(instruction, result);
}

void Decoder::decodeAddressSpaceCast(const llvm::CastInst &instruction) {
  const unsigned from = instruction.getOperand(0)->getType()->getPointerAddressSpace();
  const unsigned to = instruction.getType()->getPointerAddressSpace();
  const Reg a = scalarValue(instruction.getOperand(0));
  const Scalar fromType{narrowPointer(from) ? 32u : 64u}, toType{narrowPointer(to) ? 32u : 64u};
  if (spaceOf(to) == Space::Generic)
    return define(instruction, {wideAddress(a, from)});
  if (spaceOf(to) == Space::Global)
    return define(instruction, {a});
  // To a window: keep the offset.
  Reg offset = a;
  if (fromType.bits == 64)
    offset = emitInteger(Instruction::And, {64}, a, rawConstant({64}, 0xffffffffu));
  if (fromType.bits != toType.bits)
    offset = emitCast(toType.bits < fromType.bits ? Instruction::Trunc : Instruction::ZExt,
                      fromType, toType, offset);
  define(instruction, {offset});
}

Reg Decoder::wideAddress(Reg pointer, unsigned addressSpace) {
  const Space space = spaceOf(addressSpace);
  Reg wide =
      narrowPointer(addressSpace) ? emitCast(Instruction::ZExt, {32}, {64}, pointer) : pointer;
  if (space != Space::Shared && space != Space::Local)
    return wide;
  const uint64_t window = space == Space::Shared ? kSharedWindow : kLocalWindow;
  return emitInteger(Instruction::Or, {64}, wide, rawConstant({64}, window));
}

void Decoder::decodeCast(const llvm::CastInst &instruction) {
  const unsigned opcode = instruction.getOpcode();
  switch (opcode) {
  case Instruction::BitCast:
    return decodeBitCast(instruction);
  case Instruction::AddrSpaceCast:
    return decodeAddressSpaceCast(instruction);
  default:
    break;
  }
  const Regs from = value(instruction.getOperand(0));
  const Leaves fromLeaves = flatten(instruction.getOperand(0)->getType());
  const Leaves toLeaves = flatten(instruction.getType());
  Regs result;
  if (toLeaves.size() > from.size() && opcode != Instruction::ZExt)
    return fail("this conversion to an integer wider than 64 bits is not supported");
  for (size_t i = 0; i < toLeaves.size(); ++i) {
    const Scalar to = toLeaves[i].scalar;
    if (i >= from.size() && opcode == Instruction::ZExt) { // to more than 64 bits
      result.push_back(rawConstant(to, 0));
      continue;
    }
    const Scalar source = fromLeaves[i].scalar;
    switch (opcode) {
    case Instruction::FPTrunc:
    case Instruction::FPExt:
      result.push_back(fresh(to));
      emit(floatConvert(source.format, to.format, inField()), InstructionClass::Float,
           result.back(), from[i]);
      break;
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      result.push_back(fresh(to));
      emit(integerToFloat(opcode == Instruction::SIToFP, source.wide(), to.format, inField()),
           InstructionClass::Float, result.back(), from[i])
          .bits = uint8_t(source.bits);
      break;
    case Instruction::FPToSI:
    case Instruction::FPToUI: {
      result.push_back(fresh(to));
      Op &op =
          emit(floatToInteger(opcode == Instruction::FPToSI, source.format, to.wide(), inField()),
               InstructionClass::Float, result.back(), from[i]);
      op.bits = uint8_t(to.bits);
      break;
    }
    default: { // integers and pointers
      unsigned how = opcode;
      if (opcode == Instruction::PtrToInt || opcode == Instruction::IntToPtr ||
          opcode == Instruction::PtrToAddr)
        how = to.bits < source.bits ? Instruction::Trunc : Instruction::ZExt;
      if (how == Instruction::Trunc && to.bits == source.bits)
        result.push_back(from[i]);
      else
        result.push_back(emitCast(how, source, to, from[i]));
    }
    }
  }
  define(instruction, result);
}

void Decoder::decodeCompare(const llvm::CmpInst &instruction) {
  const Regs a = value(instruction.getOperand(0)), b = value(instruction.getOperand(1));
  const Leaves leaves = flatten(instruction.getOperand(0)->getType());
  const Regs dst = freshFor(instruction);
  if (dst.size() != leaves.size())
    return fail("comparison of integers wider than 64 bits is not supported");
  for (size_t i = 0; i < dst.size(); ++i) {
    const Scalar scalar = leaves[i].scalar;
    if (scalar.format != FloatFormat::None) {
      emit(floatCompare(scalar.format, inField()), InstructionClass::Float, dst[i], a[i], b[i])
          .immediate = instruction.getPredicate();
      continue;
    }
    emit(integerCompare(instruction.getPredicate(), scalar.bits), InstructionClass::Integer, dst[i],
         a[i], b[i])
        .bits = uint8_t(scalar.bits);
  }
}

void Decoder::decodeSelect(const llvm::SelectInst &instruction) {
  const Regs condition = value(instruction.getCondition());
  const Regs a = value(instruction.getTrueValue()), b = value(instruction.getFalseValue());
  const Leaves leaves = flatten(instruction.getType());
  const Regs dst = freshFor(instruction);
  for (size_t i = 0; i < dst.size(); ++i)
    emitSelect(dst[i], leaves[i].scalar, condition.size() > 1 ? condition[i] : condition[0], a[i],
               b[i]);
}

void Decoder::decodeFreeze(const Instruction &instruction) {
  const Regs from = value(instruction.getOperand(0)), dst = freshFor(instruction);
  const Leaves leaves = flatten(instruction.getType());
  for (size_t i = 0; i < dst.size(); ++i)
    emit(move(leaves[i].scalar.wide()), InstructionClass::Control, dst[i], from[i]).immediate = 1;
}

void Decoder::decodeVector(const Instruction &instruction) {
  if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    const Regs whole = value(extract->getAggregateOperand());
    const size_t at = leafIndex(extract->getAggregateOperand()->getType(), extract->getIndices());
    const size_t count = leafCount(extract->getType());
    return define(instruction, Regs(whole.begin() + at, whole.begin() + at + count));
  }
  if (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction)) {
    Regs whole = value(insert->getAggregateOperand());
    const Regs part = value(insert->getInsertedValueOperand());
    const size_t at = leafIndex(insert->getType(), insert->getIndices());
    std::copy(part.begin(), part.end(), whole.begin() + at);
    return define(instruction, whole);
  }
  if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    Regs both = value(shuffle->getOperand(0));
    both.append(value(shuffle->getOperand(1)));
    const Leaves element = flatten(shuffle->getType()->getScalarType());
    Regs result;
    for (int index : shuffle->getShuffleMask())
      for (size_t i = 0; i < element.size(); ++i)
        result.push_back(index < 0 ? undefined(element[i].scalar)
                                   : both[size_t(index) * element.size() + i]);
    return define(instruction, result);
  }
  const bool extract = llvm::isa<llvm::ExtractElementInst>(instruction);
  const llvm::Value *index = instruction.getOperand(extract ? 1 : 2);
  auto *fixed = llvm::dyn_cast<llvm::ConstantInt>(index);
  if (!fixed)
    return decodeDynamicElement(instruction, index);
  Regs whole = value(instruction.getOperand(0));
  // An element wider than 64 bits is several registers.
  const Leaves element = flatten(instruction.getOperand(0)->getType()->getScalarType());
  const uint64_t at = fixed->getZExtValue() * element.size();
  if (at >= whole.size()) {
    Regs nothing;
    for (const Leaf &leaf : element)
      nothing.push_back(undefined(leaf.scalar));
    return define(instruction, extract ? nothing : whole);
  }
  if (extract)
    return define(instruction, Regs(whole.begin() + at, whole.begin() + at + element.size()));
  const Regs inserted = value(instruction.getOperand(1));
  std::copy(inserted.begin(), inserted.end(), whole.begin() + at);
  define(instruction, whole);
}

// A chain of selects over the elements.
void Decoder::decodeDynamicElement(const Instruction &instruction, const llvm::Value *index) {
  const bool extract = llvm::isa<llvm::ExtractElementInst>(instruction);
  const Regs whole = value(instruction.getOperand(0));
  const Scalar element = scalarOf(instruction.getOperand(0)->getType()->getScalarType());
  const Scalar indexType = scalarOf(index->getType());
  const Reg at = scalarValue(index);
  Regs result;
  Reg picked = whole.front();
  for (size_t i = 0; i < whole.size(); ++i) {
    const Reg hit = emitCompare(llvm::CmpInst::ICMP_EQ, indexType, at, rawConstant(indexType, i));
    const Reg next = fresh(element);
    if (extract)
      emitSelect(next, element, hit, whole[i], picked);
    else
      emitSelect(next, element, hit, scalarValue(instruction.getOperand(1)), whole[i]);
    picked = next;
    result.push_back(next);
  }
  define(instruction, extract ? Regs{picked} : result);
}

} // namespace layout_port::verify
