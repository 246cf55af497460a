// Constants, and the addresses of globals and shared arrays.
#include "decode/Decoder.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

namespace layout_port::verify {

// Constants live in registers that each wave fills once.
Reg Decoder::rawConstant(Scalar scalar, uint64_t bits) {
  if (scalar.bits < 64)
    bits &= (uint64_t(1) << scalar.bits) - 1;
  Reg &reg = constants_[{bits, scalar.wide() ? 1 : 0}];
  if (!reg.valid()) {
    reg = fresh(scalar);
    program_->constants.push_back({reg, bits, scalar.wide(), {~uint64_t(0), 0, 0, false}});
  }
  return reg;
}

Reg Decoder::constant(Scalar scalar, uint64_t bits) {
  if (!field_ || scalar.format == FloatFormat::None)
    return rawConstant(scalar, bits);
  const double number = decodeFloat(scalar.format, bits);
  const uint32_t word = field_->fromConstant(number);
  const uint32_t residue = scalar.bits < 32 ? word & 0xffff : word;
  Reg &reg = constants_[{residue, 2 + scalar.bytes()}];
  if (!reg.valid()) {
    reg = fresh(scalar);
    program_->signs.push_back({word, number < 0});
    program_->constants.push_back(
        {reg,
         residue,
         scalar.wide(),
         {~uint64_t(0), ~uint64_t(0), payloadCode(scalar.bytes()), false}});
  }
  return reg;
}

Reg Decoder::carryFlag() {
  if (!carryFlag_.valid())
    carryFlag_ = fresh({1});
  return carryFlag_;
}

Reg Decoder::undefined(Scalar scalar) {
  Reg &reg = constants_[{0, scalar.wide() ? 101 : 100}];
  if (!reg.valid()) {
    reg = fresh(scalar);
    program_->constants.push_back({reg, 0, scalar.wide(), Meta()});
  }
  return reg;
}

Regs Decoder::constantValue(const llvm::Constant *value) {
  Regs regs;
  llvm::Type *type = value->getType();
  if (llvm::isa<llvm::UndefValue>(value)) {
    for (const Leaf &leaf : flatten(type))
      regs.push_back(undefined(leaf.scalar));
    return regs;
  }
  if (value->isNullValue()) {
    for (const Leaf &leaf : flatten(type))
      regs.push_back(constant(leaf.scalar, 0));
    return regs;
  }
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(value); integer && !type->isVectorTy()) {
    const llvm::APInt bits = integer->getValue();
    unsigned word = 0;
    for (const Leaf &leaf : flatten(type))
      regs.push_back(rawConstant(leaf.scalar, bits.getRawData()[word++]));
    return regs;
  }
  if (auto *number = llvm::dyn_cast<llvm::ConstantFP>(value); number && !type->isVectorTy())
    return {constant(scalarOf(type), number->getValueAPF().bitcastToAPInt().getZExtValue())};
  if (type->isAggregateType() || type->isVectorTy()) {
    unsigned count = 0;
    if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
      count = structure->getNumElements();
    else if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      count = vector->getNumElements();
    else
      count = unsigned(type->getArrayNumElements());
    for (unsigned i = 0; i < count; ++i) {
      const llvm::Constant *element = value->getAggregateElement(i);
      if (!element) {
        fail("constant aggregate cannot be read");
        return regs;
      }
      regs.append(constantValue(element));
    }
    return regs;
  }
  uint64_t bits = 0;
  if (!evaluate(value, bits))
    fail("constant expression is not supported");
  return {rawConstant(scalarOf(type), bits)};
}

// Addresses and what constant expressions make of them.
bool Decoder::evaluate(const llvm::Constant *value, uint64_t &bits) {
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    bits = integer->getValue().getRawData()[0];
    return true;
  }
  if (value->isNullValue()) {
    bits = 0;
    return true;
  }
  if (auto *global = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    bits = addressOf(global);
    return true;
  }
  if (auto *alias = llvm::dyn_cast<llvm::GlobalAlias>(value))
    return evaluate(alias->getAliasee(), bits);
  if (llvm::isa<llvm::Function>(value)) {
    bits = 0; // a function's address can be stored but not called through
    return true;
  }
  auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(value);
  if (!expression)
    return false;
  if (auto *pointer = llvm::dyn_cast<llvm::GEPOperator>(expression)) {
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
    if (!pointer->accumulateConstantOffset(layout_, offset) ||
        !evaluate(llvm::cast<llvm::Constant>(pointer->getPointerOperand()), bits))
      return false;
    bits += uint64_t(offset.getSExtValue());
    return true;
  }
  uint64_t left = 0, right = 0;
  if (!evaluate(expression->getOperand(0), left))
    return false;
  if (expression->getNumOperands() > 1 && !evaluate(expression->getOperand(1), right))
    return false;
  switch (expression->getOpcode()) {
  case llvm::Instruction::AddrSpaceCast: {
    const unsigned from = expression->getOperand(0)->getType()->getPointerAddressSpace();
    const unsigned to = expression->getType()->getPointerAddressSpace();
    const uint64_t window = spaceOf(from) == Space::Shared  ? kSharedWindow
                            : spaceOf(from) == Space::Local ? kLocalWindow
                                                            : 0;
    bits = spaceOf(to) == Space::Generic  ? left + window
           : spaceOf(to) == Space::Global ? left
                                          : left & 0xffffffffu;
    return true;
  }
  case llvm::Instruction::PtrToInt:
  case llvm::Instruction::PtrToAddr:
  case llvm::Instruction::IntToPtr:
  case llvm::Instruction::BitCast:
  case llvm::Instruction::Trunc:
    bits = left;
    return true;
  case llvm::Instruction::Add:
    bits = left + right;
    return true;
  case llvm::Instruction::Sub:
    bits = left - right;
    return true;
  case llvm::Instruction::Xor:
    bits = left ^ right;
    return true;
  default:
    return false;
  }
}

uint64_t Decoder::addressOf(const llvm::GlobalVariable *global) {
  auto known = globals_.find(global);
  if (known != globals_.end())
    return known->second;
  if (spaceOf(global->getAddressSpace()) == Space::Shared) {
    fail("shared variable " + global->getName() + " was not placed");
    return 0;
  }
  Global placed;
  const uint64_t size = layout_.getTypeAllocSize(global->getValueType());
  const uint64_t alignment = std::max<uint64_t>(16, global->getAlign().valueOrOne().value());
  placed.name = global->getName().str();
  placed.address =
      (program_->globalBytes + 512 + alignment - 1) / alignment * alignment + kGlobalBase;
  program_->globalBytes = placed.address - kGlobalBase + size + 512;
  placed.constant = global->isConstant();
  placed.bytes.assign(size, 0);
  placed.shadow.assign(size, shadow::ready | (placed.constant ? 8 : 0));
  globals_[global] = placed.address;
  if (global->hasInitializer())
    writeInitializer(placed, global->getInitializer(), 0);
  const uint64_t address = placed.address;
  program_->globals.push_back(std::move(placed));
  return address;
}

// Bits stay raw: the field domain converts them where they are used as floats.
void Decoder::writeInitializer(Global &global, const llvm::Constant *value, uint64_t offset) {
  llvm::Type *type = value->getType();
  if (value->isNullValue())
    return;
  if (llvm::isa<llvm::UndefValue>(value))
    return;
  if (type->isAggregateType() || type->isVectorTy()) {
    auto *structure = llvm::dyn_cast<llvm::StructType>(type);
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    llvm::Type *element = structure ? nullptr
                          : vector  ? vector->getElementType()
                                    : type->getArrayElementType();
    const uint64_t count = structure ? structure->getNumElements()
                           : vector  ? vector->getNumElements()
                                     : type->getArrayNumElements();
    for (unsigned i = 0; i < count; ++i) {
      const uint64_t at = structure
                              ? uint64_t(layout_.getStructLayout(structure)->getElementOffset(i))
                              : i * layout_.getTypeAllocSize(element);
      if (const llvm::Constant *member = value->getAggregateElement(i))
        writeInitializer(global, member, offset + at);
    }
    return;
  }
  uint64_t bits = 0;
  if (auto *number = llvm::dyn_cast<llvm::ConstantFP>(value))
    bits = number->getValueAPF().bitcastToAPInt().getZExtValue();
  else if (!evaluate(value, bits))
    fail("initializer of " + global.name + " is not supported");
  const uint64_t size = std::min<uint64_t>(8, layout_.getTypeStoreSize(type));
  if (offset + size <= global.bytes.size())
    std::memcpy(global.bytes.data() + offset, &bits, size);
}

namespace {

void findGlobals(const llvm::Value *value, llvm::SmallPtrSetImpl<const llvm::Value *> &seen,
                 llvm::SmallVectorImpl<const llvm::GlobalVariable *> &found) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(value);
  if (!constant || !seen.insert(constant).second)
    return;
  if (auto *global = llvm::dyn_cast<llvm::GlobalVariable>(constant)) {
    found.push_back(global);
    return;
  }
  for (const llvm::Use &use : constant->operands())
    findGlobals(use.get(), seen, found);
}

} // namespace

// Static shared arrays lie one after another, with gaps between; `extern __shared__`
// arrays all begin where those end.
void Decoder::placeShared(llvm::ArrayRef<const llvm::Function *> functions) {
  llvm::SmallPtrSet<const llvm::Value *, 32> seen;
  llvm::SmallVector<const llvm::GlobalVariable *, 16> used;
  for (const llvm::Function *function : functions)
    for (const llvm::Instruction &instruction : llvm::instructions(*function))
      for (const llvm::Use &use : instruction.operands())
        findGlobals(use.get(), seen, used);
  uint64_t end = 0, bytes = 0;
  for (const llvm::GlobalVariable *global : used) {
    const uint64_t size = layout_.getTypeAllocSize(global->getValueType());
    if (spaceOf(global->getAddressSpace()) != Space::Shared || size == 0)
      continue;
    const uint64_t alignment = std::max<uint64_t>(16, global->getAlign().valueOrOne().value());
    end = (end + alignment - 1) / alignment * alignment;
    globals_[global] = end;
    end += size;
    program_->sharedGaps.push_back(uint32_t(end));
    end += Program::kSharedGap;
    bytes = (bytes + alignment - 1) / alignment * alignment + size;
  }
  program_->staticShared = uint32_t(bytes);
  program_->dynamicShared = uint32_t((end + 15) / 16 * 16);
  for (const llvm::GlobalVariable *global : used)
    if (spaceOf(global->getAddressSpace()) == Space::Shared && !globals_.count(global))
      globals_[global] = program_->dynamicShared;
}

} // namespace layout_port::verify
