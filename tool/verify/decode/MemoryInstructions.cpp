// Allocas, pointers, loads, stores and atomics.
#include "decode/Decoder.h"
#include "machine/MemoryOps.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/Support/AtomicOrdering.h>

namespace layout_port::verify {

// NVPTX: 0 generic, 1 global, 3 shared, 4 constant, 5 local, 7 shared::cluster, 101 param
//   https://llvm.org/docs/NVPTXUsage.html#address-spaces
// AMDGPU: 0 flat, 1 global, 2 region, 3 LDS, 4 constant, 5 private, 6 constant 32-bit
//   https://llvm.org/docs/AMDGPUUsage.html#address-spaces
Space Decoder::spaceOf(unsigned addressSpace) const {
  switch (addressSpace) {
  case 0:
    return Space::Generic;
  case 3:
    return Space::Shared;
  case 5:
    return Space::Local;
  case 7:
    return program_->target == Target::Nvptx ? Space::Shared : Space::Global;
  default:
    return Space::Global;
  }
}

void Decoder::decodeAlloca(const llvm::AllocaInst &instruction) {
  auto *count = llvm::dyn_cast<llvm::ConstantInt>(instruction.getArraySize());
  if (!count)
    return fail("an alloca of variable size is not supported");
  AllocaPlan plan;
  plan.bytes = layout_.getTypeAllocSize(instruction.getAllocatedType()) * count->getZExtValue();
  const uint64_t alignment = std::max<uint64_t>(16, instruction.getAlign().value());
  plan.offset = (program_->privateBytes + 16 + alignment - 1) / alignment * alignment;
  program_->privateBytes = uint32_t(plan.offset + plan.bytes + 16);
  const unsigned space = instruction.getType()->getPointerAddressSpace();
  plan.narrow = narrowPointer(space);
  Op &op = emit(runAlloca, InstructionClass::Control, freshFor(instruction).front());
  op.immediate = spaceOf(space) == Space::Generic ? kLocalWindow : 0;
  op.data = keep(plan);
}

void Decoder::decodePointer(const llvm::GetElementPtrInst &instruction) {
  if (instruction.getType()->isVectorTy())
    return fail("vectors of pointers are not supported");
  AddressPlan plan;
  plan.narrow = narrowPointer(instruction.getPointerAddressSpace());
  uint64_t offset = 0;
  for (auto step = llvm::gep_type_begin(instruction), end = llvm::gep_type_end(instruction);
       step != end; ++step) {
    const llvm::Value *index = step.getOperand();
    if (llvm::StructType *structure = step.getStructTypeOrNull()) {
      const auto field = llvm::cast<llvm::ConstantInt>(index)->getZExtValue();
      offset += layout_.getStructLayout(structure)->getElementOffset(unsigned(field));
      continue;
    }
    const uint64_t stride = step.getSequentialElementStride(layout_);
    if (auto *fixed = llvm::dyn_cast<llvm::ConstantInt>(index)) {
      offset += uint64_t(fixed->getSExtValue()) * stride;
      continue;
    }
    plan.terms.push_back({scalarValue(index), stride, uint8_t(scalarOf(index->getType()).bits)});
  }
  const Reg base = scalarValue(instruction.getPointerOperand());
  if (plan.terms.empty() && offset == 0)
    return define(instruction, {base});
  Op &op = emit(runAddress, InstructionClass::Integer, freshFor(instruction).front(), base);
  op.immediate = offset;
  op.data = keep(std::move(plan));
}

namespace {

InstructionClass classOf(Space space) {
  return space == Space::Shared  ? InstructionClass::SharedMemory
         : space == Space::Local ? InstructionClass::PrivateMemory
                                 : InstructionClass::GlobalMemory;
}

MemoryAccess makeAccess(llvm::ArrayRef<Reg> regs, llvm::ArrayRef<Leaf> leaves) {
  MemoryAccess access;
  for (size_t i = 0; i < regs.size(); ++i)
    access.parts.push_back({regs[i], uint32_t(leaves[i].offset), uint8_t(leaves[i].scalar.bytes()),
                            leaves[i].scalar.wide()});
  return access;
}

} // namespace

void Decoder::emitLoad(llvm::ArrayRef<Reg> dst, llvm::ArrayRef<Leaf> leaves, Reg pointer,
                       unsigned addressSpace, unsigned bytes, unsigned alignment, bool ordered) {
  MemoryAccess access = makeAccess(dst, leaves);
  access.ordered = ordered;
  access.space = spaceOf(addressSpace);
  access.narrow = narrowPointer(addressSpace);
  access.bytes = bytes;
  access.alignment = alignment;
  const InstructionClass kind = classOf(access.space);
  emit(runLoad, kind, {}, pointer).data = keep(std::move(access));
}

void Decoder::emitStore(llvm::ArrayRef<Reg> from, llvm::ArrayRef<Leaf> leaves, Reg pointer,
                        unsigned addressSpace, unsigned bytes, unsigned alignment, bool ordered) {
  MemoryAccess access = makeAccess(from, leaves);
  access.ordered = ordered;
  access.space = spaceOf(addressSpace);
  access.narrow = narrowPointer(addressSpace);
  access.bytes = bytes;
  access.alignment = alignment;
  const InstructionClass kind = classOf(access.space);
  emit(runStore, kind, {}, pointer).data = keep(std::move(access));
}

void Decoder::decodeLoad(const llvm::LoadInst &instruction) {
  llvm::Type *type = instruction.getType();
  const Leaves leaves = flatten(type);
  const Regs dst = freshFor(instruction);
  emitLoad(dst, leaves, scalarValue(instruction.getPointerOperand()),
           instruction.getPointerAddressSpace(), unsigned(layout_.getTypeStoreSize(type)),
           unsigned(instruction.getAlign().value()),
           instruction.isVolatile() || instruction.isAtomic());
}

void Decoder::decodeStore(const llvm::StoreInst &instruction) {
  if (instruction.isAtomic())
    decodeFence(instruction.getOrdering(), instruction.getSyncScopeID());
  llvm::Type *type = instruction.getValueOperand()->getType();
  emitStore(value(instruction.getValueOperand()), flatten(type),
            scalarValue(instruction.getPointerOperand()), instruction.getPointerAddressSpace(),
            unsigned(layout_.getTypeStoreSize(type)), unsigned(instruction.getAlign().value()),
            instruction.isVolatile() || instruction.isAtomic());
}

// Only what makes earlier writes known to other blocks. A CUDA atomicAdd reaches us as
// seq_cst, but CUDA promises no order: fences are written out there.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#atomic-functions
void Decoder::decodeFence(llvm::AtomicOrdering ordering, llvm::SyncScope::ID scope) {
  llvm::SmallVector<llvm::StringRef, 16> names;
  module_.getContext().getSyncScopeNames(names);
  const llvm::StringRef name = scope < names.size() ? names[scope] : "";
  const bool narrow = name.starts_with("workgroup") || name.starts_with("wavefront") ||
                      name.starts_with("singlethread") || name.starts_with("block");
  if (!narrow && llvm::isReleaseOrStronger(ordering))
    emit(runFence, InstructionClass::Control);
}

namespace {

bool atomicKindOf(llvm::AtomicRMWInst::BinOp operation, AtomicKind &kind) {
  switch (operation) {
  case llvm::AtomicRMWInst::Xchg:
    kind = AtomicKind::Exchange;
    return true;
  case llvm::AtomicRMWInst::Add:
    kind = AtomicKind::Add;
    return true;
  case llvm::AtomicRMWInst::Sub:
    kind = AtomicKind::Sub;
    return true;
  case llvm::AtomicRMWInst::And:
    kind = AtomicKind::And;
    return true;
  case llvm::AtomicRMWInst::Nand:
    kind = AtomicKind::Nand;
    return true;
  case llvm::AtomicRMWInst::Or:
    kind = AtomicKind::Or;
    return true;
  case llvm::AtomicRMWInst::Xor:
    kind = AtomicKind::Xor;
    return true;
  case llvm::AtomicRMWInst::Max:
    kind = AtomicKind::SMax;
    return true;
  case llvm::AtomicRMWInst::Min:
    kind = AtomicKind::SMin;
    return true;
  case llvm::AtomicRMWInst::UMax:
    kind = AtomicKind::UMax;
    return true;
  case llvm::AtomicRMWInst::UMin:
    kind = AtomicKind::UMin;
    return true;
  case llvm::AtomicRMWInst::UIncWrap:
    kind = AtomicKind::IncrementWrap;
    return true;
  case llvm::AtomicRMWInst::UDecWrap:
    kind = AtomicKind::DecrementWrap;
    return true;
  case llvm::AtomicRMWInst::FAdd:
    kind = AtomicKind::FAdd;
    return true;
  case llvm::AtomicRMWInst::FSub:
    kind = AtomicKind::FSub;
    return true;
  case llvm::AtomicRMWInst::FMax:
  case llvm::AtomicRMWInst::FMaximum:
    kind = AtomicKind::FMax;
    return true;
  case llvm::AtomicRMWInst::FMin:
  case llvm::AtomicRMWInst::FMinimum:
    kind = AtomicKind::FMin;
    return true;
  default:
    return false;
  }
}

} // namespace

void Decoder::decodeAtomic(const Instruction &instruction) {
  AtomicPlan plan;
  const llvm::Value *pointer = instruction.getOperand(0);
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  plan.space = spaceOf(space);
  plan.narrow = narrowPointer(space);
  const Regs results = freshFor(instruction);
  Reg operand, comparand;
  auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  if (update && program_->target == Target::Amdgcn)
    decodeFence(update->getOrdering(), update->getSyncScopeID());
  if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    plan.kind = AtomicKind::CompareExchange;
    plan.scalar = scalarOf(exchange->getNewValOperand()->getType());
    operand = scalarValue(exchange->getNewValOperand());
    comparand = scalarValue(exchange->getCompareOperand());
    plan.old = results[0];
    plan.success = results[1];
  } else {
    if (!atomicKindOf(update->getOperation(), plan.kind))
      return fail("this atomic operation is not supported");
    const Regs operands = value(update->getValOperand());
    plan.scalar = scalarOf(update->getValOperand()->getType()->getScalarType());
    operand = operands[0];
    plan.old = results[0];
    for (size_t i = 1; i < operands.size(); ++i)
      plan.more.insert(plan.more.end(), {operands[i], results[i]});
  }
  emit(runAtomic, InstructionClass::Atomic, {}, scalarValue(pointer), operand, comparand).data =
      keep(std::move(plan));
}

} // namespace layout_port::verify
