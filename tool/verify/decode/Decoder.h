// From LLVM IR to micro-operations.
//
// The decoder flattens values, places globals, shared arrays and allocas, turns
// phi nodes into edge copies, and asks tables for everything that is not an
// instruction of LLVM itself:
//
//   call of llvm.nvvm.* / llvm.amdgcn.* / llvm.* / library names -> semantics/Tables.h
//   inline asm                                                   -> semantics/Tables.h
//
// Element extraction, insertion and shuffling with constant indices, and bit casts
// of one scalar, cost nothing: registers are renamed.
#pragma once

#include "domain/Field.h"
#include "machine/Program.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/Twine.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>

namespace layout_port::verify {

using Regs = llvm::SmallVector<Reg, 4>;

// A scalar of a flattened type, and where it lies in memory.
struct Leaf {
  Scalar scalar;
  uint64_t offset = 0;
};
using Leaves = llvm::SmallVector<Leaf, 4>;

class Decoder {
public:
  // field: null for IEEE arithmetic.
  Decoder(const llvm::Module &module, const Field *field);
  llvm::Expected<std::unique_ptr<Program>> decode(const llvm::Function &kernel);

  // For the tables of semantics/.
  Program &program() { return *program_; }
  const llvm::DataLayout &layout() const { return layout_; }
  bool inField() const { return field_ != nullptr; }
  const Field *field() const { return field_; }

  Scalar scalarOf(llvm::Type *type);
  Leaves flatten(llvm::Type *type);
  Regs value(const llvm::Value *value);
  Reg scalarValue(const llvm::Value *v) { return value(v).front(); }
  Reg fresh(Scalar scalar);
  Regs freshFor(const llvm::Instruction &instruction);
  Reg constant(Scalar scalar, uint64_t bits); // raw bits of a float are converted
  Reg rawConstant(Scalar scalar, uint64_t bits);
  Reg undefined(Scalar scalar);
  // The condition code of PTX (add.cc, addc): one a thread, for the whole program.
  Reg carryFlag();
  void define(const llvm::Value &value, Regs regs) { values_[&value] = std::move(regs); }
  Op &emit(Op::Function run, InstructionClass kind, Reg dst = {}, Reg a = {}, Reg b = {},
           Reg c = {});
  template <class T> const T *keep(T value) { return program_->keep(std::move(value)); }
  void notePrint() { program_->prints = true; }
  void note(std::string text) { program_->notes.push_back(std::move(text)); }
  // Records the first failure; decoding ends after the instruction.
  void fail(const llvm::Twine &message);

  // Building blocks shared by instructions, intrinsics and PTX.
  void emitSelect(Reg dst, Scalar scalar, Reg condition, Reg a, Reg b);
  Reg emitInteger(unsigned opcode, Scalar scalar, Reg a, Reg b);
  Reg emitCompare(unsigned predicate, Scalar operands, Reg a, Reg b); // icmp
  Reg emitCast(unsigned opcode, Scalar from, Scalar to, Reg a);
  // Moves the bytes of `from`, laid end to end, into registers of other widths.
  void emitRepack(llvm::ArrayRef<Reg> from, llvm::ArrayRef<Scalar> fromTypes,
                  llvm::ArrayRef<Reg> to, llvm::ArrayRef<Scalar> toTypes, unsigned skipBytes = 0);
  void emitLoad(llvm::ArrayRef<Reg> dst, llvm::ArrayRef<Leaf> leaves, Reg pointer,
                unsigned addressSpace, unsigned bytes, unsigned alignment, bool ordered = false);
  void emitStore(llvm::ArrayRef<Reg> from, llvm::ArrayRef<Leaf> leaves, Reg pointer,
                 unsigned addressSpace, unsigned bytes, unsigned alignment, bool ordered = false);
  Space spaceOf(unsigned addressSpace) const;
  bool narrowPointer(unsigned addressSpace) const {
    return layout_.getPointerSizeInBits(addressSpace) <= 32;
  }
  Reg wideAddress(Reg pointer, unsigned addressSpace); // to a generic address

private:
  using Instruction = llvm::Instruction;
  // Types.cpp
  void flattenInto(llvm::Type *type, uint64_t offset, Leaves &leaves);
  size_t leafCount(llvm::Type *type) { return flatten(type).size(); }
  size_t leafIndex(llvm::Type *type, llvm::ArrayRef<unsigned> path);
  // Constants.cpp
  Regs constantValue(const llvm::Constant *constant);
  bool evaluate(const llvm::Constant *constant, uint64_t &bits);
  uint64_t addressOf(const llvm::GlobalVariable *global);
  void placeShared(llvm::ArrayRef<const llvm::Function *> functions);
  void writeInitializer(Global &global, const llvm::Constant *value, uint64_t offset);
  // Functions.cpp
  bool collect(const llvm::Function &function, llvm::SmallVectorImpl<const llvm::Function *> &path);
  void declareFunction(const llvm::Function &function);
  void decodeFunction(const llvm::Function &function);
  void nestLoops(const llvm::Function &function);
  void decodeTerminator(const Instruction &instruction, Block &block);
  Edge makeEdge(const llvm::BasicBlock &from, const llvm::BasicBlock &to);
  uint32_t locate(const llvm::DebugLoc &location, const llvm::Function &function);
  void findLoops(const llvm::Function &function);
  bool isGuard(const llvm::BranchInst &branch) const;
  void describeParameters(const llvm::Function &kernel);
  // Instructions.cpp
  void decodeInstruction(const Instruction &instruction);
  void decodeBinary(const llvm::BinaryOperator &instruction);
  bool decodeWide(const Instruction &instruction);
  void decodeCast(const llvm::CastInst &instruction);
  void decodeBitCast(const llvm::CastInst &instruction);
  void decodeBitVector(const llvm::CastInst &instruction);
  void decodeAddressSpaceCast(const llvm::CastInst &instruction);
  void decodeCompare(const llvm::CmpInst &instruction);
  void decodeSelect(const llvm::SelectInst &instruction);
  void decodeVector(const Instruction &instruction);
  void decodeDynamicElement(const Instruction &instruction, const llvm::Value *index);
  void decodeFreeze(const Instruction &instruction);
  // MemoryInstructions.cpp
  void decodeAlloca(const llvm::AllocaInst &instruction);
  void decodePointer(const llvm::GetElementPtrInst &instruction);
  void decodeLoad(const llvm::LoadInst &instruction);
  void decodeStore(const llvm::StoreInst &instruction);
  void decodeAtomic(const Instruction &instruction);
  void decodeFence(llvm::AtomicOrdering ordering, llvm::SyncScope::ID scope);
  // Calls.cpp
  void decodeCall(const llvm::CallBase &call);
  void callFunction(const llvm::CallBase &call, const llvm::Function &callee);
  Reg ownCopy(const llvm::Argument &argument, llvm::Type *type, Reg from);
  void ownParameters(const llvm::Function &kernel);

  const llvm::Module &module_;
  const llvm::DataLayout &layout_;
  const Field *field_;
  std::unique_ptr<Program> program_;
  std::string error_;
  llvm::DenseMap<const llvm::Value *, Regs> values_;
  llvm::DenseMap<const llvm::Function *, Function *> functions_;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> blocks_;
  llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> globals_;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, Reg> constants_;
  llvm::StringMap<uint32_t> locations_;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> headers_; // index into Program::loops
  llvm::DominatorTree dominators_;                             // of the function being decoded
  llvm::LoopInfo loops_;
  Function *function_ = nullptr;
  uint32_t location_ = 0;
  Reg carryFlag_;
  const llvm::Instruction *decoding_ = nullptr; // for errors
};

// A kernel by the name it has in the source: "hgemm", "ns::scale<float, 4>", or its mangled name;
// of names that agree, see comparableName(), the one that is written so. An error lists the kernels
// there are.
llvm::Expected<const llvm::Function *> findKernel(const llvm::Module &module, llvm::StringRef name);
// All kernels of a module, demangled.
std::vector<std::string> kernelNames(const llvm::Module &module);

} // namespace layout_port::verify
