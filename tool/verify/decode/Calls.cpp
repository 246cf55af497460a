// Calls: of functions in the module, of intrinsics, of library names, of asm.
#include "decode/Decoder.h"
#include "machine/Integer.h"
#include "machine/MemoryOps.h"
#include "semantics/Tables.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

namespace layout_port::verify {

// Who is handed something by value owns a copy, in private memory.
Reg Decoder::ownCopy(const llvm::Argument &argument, llvm::Type *type, Reg from) {
  const Leaves leaves = flatten(argument.getType());
  const uint64_t bytes = layout_.getTypeAllocSize(type);
  AllocaPlan place;
  place.bytes = bytes;
  place.offset = (program_->privateBytes + 31) / 16 * 16;
  program_->privateBytes = uint32_t(place.offset + bytes + 16);
  place.narrow = !leaves[0].scalar.wide();
  const Reg copy = fresh(leaves[0].scalar);
  Op &reserve = emit(runAlloca, InstructionClass::Control, copy);
  const Space space = spaceOf(argument.getType()->getPointerAddressSpace());
  reserve.immediate = space == Space::Generic ? kLocalWindow : 0;
  reserve.data = keep(place);
  BlockCopy move;
  move.to = move.from = space;
  move.narrowTo = move.narrowFrom = place.narrow;
  emit(runBlockCopy, InstructionClass::PrivateMemory, {}, copy, from, rawConstant({64}, bytes))
      .data = keep(move);
  return copy;
}

// A kernel's thread has parameters of its own. It needs no copy of those that it only reads.
void Decoder::ownParameters(const llvm::Function &kernel) {
  for (const llvm::Argument &argument : kernel.args())
    if (argument.hasByValAttr() && !argument.onlyReadsMemory() &&
        spaceOf(argument.getType()->getPointerAddressSpace()) == Space::Generic)
      values_[&argument] = {
          ownCopy(argument, argument.getParamByValType(), values_[&argument][0])};
}

void Decoder::callFunction(const llvm::CallBase &call, const llvm::Function &callee) {
  Function *target = functions_[&callee];
  CallPlan plan;
  plan.callee = target;
  for (unsigned i = 0; i < callee.arg_size(); ++i) {
    Regs regs = value(call.getArgOperand(i));
    const Leaves leaves = flatten(callee.getArg(i)->getType());
    if (call.isByValArgument(i))
      regs[0] = ownCopy(*callee.getArg(i), call.getParamByValType(i), regs[0]);
    for (size_t j = 0; j < leaves.size(); ++j)
      plan.arguments.push_back({regs[j], target->parameters[i][j], leaves[j].scalar.wide()});
  }
  emit(runCall, InstructionClass::Control).data = keep(std::move(plan));
  // The results are copied out, since the next call overwrites them.
  if (call.getType()->isVoidTy())
    return;
  const Regs dst = freshFor(call);
  const Leaves leaves = flatten(call.getType());
  for (size_t i = 0; i < dst.size(); ++i)
    emit(move(leaves[i].scalar.wide()), InstructionClass::Control, dst[i], target->results[i]);
}

void Decoder::decodeCall(const llvm::CallBase &call) {
  if (call.isInlineAsm()) {
    if (!decodeInlineAsm(*this, call))
      fail("inline asm is not understood");
    return;
  }
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    if (auto *alias = llvm::dyn_cast<llvm::GlobalAlias>(call.getCalledOperand()))
      callee = llvm::dyn_cast<llvm::Function>(alias->getAliasee());
  if (!callee)
    return fail("calls through function pointers are not supported");
  if (!callee->isDeclaration())
    return callFunction(call, *callee);
  const llvm::StringRef name = callee->getName();
  bool known = false;
  if (name.starts_with("llvm.nvvm."))
    known = decodeNvvmIntrinsic(*this, call, name.drop_front(10));
  else if (name.starts_with("llvm.amdgcn."))
    known = decodeAmdgcnIntrinsic(*this, call, name.drop_front(12));
  else if (name.starts_with("llvm."))
    known = decodeLlvmIntrinsic(*this, call, name.drop_front(5));
  else
    known = decodeLibraryCall(*this, call, name);
  if (!known)
    fail((callee->isIntrinsic() ? "intrinsic " : "function ") + name +
         " is not known to the machine");
}

} // namespace layout_port::verify
