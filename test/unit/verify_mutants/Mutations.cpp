#include "Mutations.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace layout_port::verify {
namespace {

using llvm::Instruction;

bool isCallOf(const Instruction &instruction, std::initializer_list<const char *> names) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee &&
         llvm::any_of(names, [&](const char *name) { return callee->getName().contains(name); });
}

bool hasMutableConstants(const Instruction &instruction) {
  if (llvm::isa<llvm::CallBase>(instruction))
    return isCallOf(instruction, {"shfl", "ds.swizzle", "dpp", "amdgcn.perm", "readlane",
                                  "ds.bpermute", "ds.permute"});
  return llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::SelectInst, llvm::GetElementPtrInst,
                   llvm::PHINode, llvm::ExtractElementInst, llvm::InsertElementInst>(instruction);
}

void listConstants(const Instruction &instruction, unsigned index, std::vector<Mutation> &list) {
  for (unsigned i = 0; i < instruction.getNumOperands(); ++i) {
    const llvm::Value *operand = instruction.getOperand(i);
    const std::string where =
        std::string(instruction.getOpcodeName()) + " operand " + std::to_string(i);
    if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(operand)) {
      if (number->getBitWidth() == 1)
        continue;
      list.push_back({where + " + 1", index, i, Mutation::Add, 1, {}, {}});
      list.push_back({where + " - 1", index, i, Mutation::Add, -1, {}, {}});
      if (!number->isZero())
        list.push_back({where + ", low bit flipped", index, i, Mutation::FlipLowBit, 0, {}, {}});
      if (instruction.getOpcode() == Instruction::Xor)
        list.push_back({where + " dropped", index, i, Mutation::Zero, 0, {}, {}});
    } else if (llvm::isa<llvm::ConstantFP>(operand)) {
      const bool zero = llvm::cast<llvm::ConstantFP>(operand)->isZero();
      list.push_back(
          {where + (zero ? " becomes 1" : " * 1.0001"), index, i, Mutation::Scale, 0, {}, {}});
    }
  }
}

void listAsm(const llvm::CallBase &call, unsigned index, std::vector<Mutation> &list) {
  const llvm::StringRef text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString();
  auto change = [&](const char *from, const char *to) {
    if (text.contains(from))
      list.push_back(
          {std::string("asm: ") + from + " -> " + to, index, 0, Mutation::Text, 0, from, to});
  };
  if (text.contains("wait_group"))
    list.push_back({"wait dropped", index, 0, Mutation::Erase, 0, {}, {}});
  if (text.contains("commit_group"))
    list.push_back({"commit dropped", index, 0, Mutation::Erase, 0, {}, {}});
  change("wait_group 0", "wait_group 1");
  change("wait_group 1", "wait_group 2");
  change(".trans", "");
  change("{$0,$1,$2,$3}, [$4]", "{$0,$2,$1,$3}, [$4]");
  change("{$0,$1}, [$2]", "{$1,$0}, [$2]");
  change("{$4,$5,$6,$7}", "{$4,$6,$5,$7}");
  change("{$8,$9}", "{$9,$8}");
  change("{$0,$1,$2,$3}, {$4", "{$2,$3,$0,$1}, {$4");
  change("[$0], [$1], 16", "[$0], [$1], 8");
}

bool isBarrier(const Instruction &instruction) {
  return isCallOf(instruction, {"barrier"}) && !isCallOf(instruction, {"wave.barrier"});
}

// A matrix product, or the operand that a move between lanes moves.
void listAmdgcn(const Instruction &instruction, unsigned index, std::vector<Mutation> &list) {
  const auto type = [&](unsigned i) { return instruction.getOperand(i)->getType(); };
  if (isCallOf(instruction, {"mfma", "wmma"}) && type(0) == type(1)) {
    list.push_back({"matrix operands swapped", index, 0, Mutation::SwapOperands, 0, {}, {}});
    if (type(2) == instruction.getType())
      list.push_back({"sum dropped", index, 2, Mutation::Zero, 0, {}, {}});
  }
  const bool indexed = isCallOf(instruction, {"ds.bpermute", "ds.permute", "update.dpp"});
  if (indexed || isCallOf(instruction, {"ds.swizzle", "mov.dpp", "readlane"}))
    list.push_back(
        {"move between lanes dropped", index, indexed ? 1u : 0u, Mutation::Pass, 0, {}, {}});
  if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
      shuffle && shuffle->getShuffleMask().size() % 2 == 0)
    list.push_back({"wrong half of a vector", index, 0, Mutation::SwapHalves, 0, {}, {}});
}

bool isUnordered(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Sub:
  case Instruction::FSub:
  case Instruction::FDiv:
  case Instruction::Shl:
  case Instruction::LShr:
    return true;
  default:
    return false;
  }
}

Instruction &find(llvm::Function &function, unsigned index) {
  return *std::next(llvm::inst_begin(function), index);
}

void changeText(llvm::CallBase &call, const Mutation &mutation) {
  auto *text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  std::string changed(text->getAsmString());
  changed.replace(changed.find(mutation.from), mutation.from.size(), mutation.to);
  call.setCalledOperand(llvm::InlineAsm::get(text->getFunctionType(), changed,
                                             text->getConstraintString(), text->hasSideEffects()));
}

llvm::Constant *changed(const Mutation &mutation, llvm::Value *operand) {
  if (auto *real = llvm::dyn_cast<llvm::ConstantFP>(operand)) {
    if (real->isZero())
      return llvm::ConstantFP::get(real->getType(), 1.0);
    llvm::APFloat value = real->getValueAPF(), factor(1.0001);
    bool lost = false;
    factor.convert(value.getSemantics(), llvm::APFloat::rmNearestTiesToEven, &lost);
    value.multiply(factor, llvm::APFloat::rmNearestTiesToEven);
    return llvm::ConstantFP::get(real->getType(), value);
  }
  if (mutation.kind == Mutation::Zero && !llvm::isa<llvm::ConstantInt>(operand))
    return llvm::Constant::getNullValue(operand->getType());
  auto *number = llvm::cast<llvm::ConstantInt>(operand);
  llvm::APInt value = number->getValue();
  if (mutation.kind == Mutation::Add)
    value += llvm::APInt(value.getBitWidth(), uint64_t(mutation.amount), true, true);
  else if (mutation.kind == Mutation::FlipLowBit)
    value.clearBit(value.countr_zero());
  else
    value = 0;
  return llvm::ConstantInt::get(number->getType(), value);
}

} // namespace

std::vector<Mutation> listMutations(const llvm::Function &function) {
  std::vector<Mutation> list;
  unsigned index = 0;
  for (const Instruction &instruction : llvm::instructions(function)) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && call->isInlineAsm())
      listAsm(*call, index, list);
    if (isBarrier(instruction))
      list.push_back({"barrier dropped", index, 0, Mutation::Erase, 0, {}, {}});
    listAmdgcn(instruction, index, list);
    if (hasMutableConstants(instruction))
      listConstants(instruction, index, list);
    if (isUnordered(instruction))
      list.push_back({std::string(instruction.getOpcodeName()) + ": operands swapped",
                      index,
                      0,
                      Mutation::SwapOperands,
                      0,
                      {},
                      {}});
    ++index;
  }
  return list;
}

void apply(const Mutation &mutation, llvm::Function &function) {
  Instruction &instruction = find(function, mutation.instruction);
  switch (mutation.kind) {
  case Mutation::Erase:
    instruction.eraseFromParent();
    return;
  case Mutation::Text:
    return changeText(llvm::cast<llvm::CallBase>(instruction), mutation);
  case Mutation::Pass: // what was to be moved stays where it is
    instruction.replaceAllUsesWith(instruction.getOperand(mutation.operand));
    instruction.eraseFromParent();
    return;
  case Mutation::SwapHalves: {
    auto &shuffle = llvm::cast<llvm::ShuffleVectorInst>(instruction);
    llvm::SmallVector<int, 16> mask(shuffle.getShuffleMask());
    std::rotate(mask.begin(), mask.begin() + mask.size() / 2, mask.end());
    shuffle.setShuffleMask(mask);
    return;
  }
  case Mutation::SwapOperands: {
    llvm::Value *first = instruction.getOperand(0);
    instruction.setOperand(0, instruction.getOperand(1));
    instruction.setOperand(1, first);
    return;
  }
  default:
    instruction.setOperand(mutation.operand,
                           changed(mutation, instruction.getOperand(mutation.operand)));
  }
}

} // namespace layout_port::verify
