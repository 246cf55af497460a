// Inline PTX: each asm statement becomes micro-operations on registers of its own.
//
//   call asm "{.reg .pred p; setp.ne.b32 p, $2, 0; @p mov.b32 $0, $1;}", "=r,r,r"
//              declared: fresh registers    operands: outputs first, then inputs
//
// Operands are bound by LLVM's constraint string; an input tied to an output gives
// the output its first value. A guarded instruction runs with the lanes cut down
// to its predicate. rules/ptx reads the text and gives each instruction one of the
// meanings of ptx::Meaning; here every one of them is turned into operations:
//
//   PtxDecoder.cpp  operands, guards, special registers
//   Arithmetic.cpp Bits.cpp Compare.cpp Convert.cpp Memory.cpp Warp.cpp Matrices.cpp
//   Video.cpp       what only CUDA's headers write
//
// A meaning without a run() does not compile, so what the port understands and what the
// machine executes cannot drift apart. https://docs.nvidia.com/cuda/parallel-thread-execution/
#pragma once

#include "decode/Decoder.h"
#include "machine/FloatOps.h"
#include "machine/Integer.h"
#include "machine/MemoryOps.h"
#include "ptx/Spelling.h"
#include "ptx/decode/Decode.h"

#include <map>

namespace layout_port::verify {

class PtxDecoder {
public:
  PtxDecoder(Decoder &decoder, const llvm::CallBase &call) : d_(decoder), call_(call) {}

  // Always true: what cannot be decoded is a failure of the decoder.
  bool run();

private:
  using Instruction = llvm::Instruction;
  using Operand = ptx::Operand;
  using Type = ptx::Type;

  struct Binding {
    Reg reg;
    Scalar scalar;
  };

  //===-- Statements and operands, PtxDecoder.cpp ---------------------------===//

  // Of operands bound to "n": they may be part of an instruction's name.
  std::vector<ptx::OperandConstant> constants(const llvm::InlineAsm &text) const;
  void bind(const llvm::InlineAsm &text);
  void define();
  void warnIfMovable(const llvm::InlineAsm &text);
  bool guarded(const ptx::Instruction &instruction);
  bool decode(const ptx::Instruction &instruction);
  // "PTX instruction fma.oob.f16 is not known to the machine", and why.
  bool fail(const llvm::Twine &why = "");
  bool isCalled(llvm::StringRef opcode) const { return current_->opcode == opcode; }

  Binding *find(const Operand &operand);
  Binding *findDeclared(const Operand &operand);
  Reg special(const Operand &operand, Scalar &scalar);
  Reg immediate(const Operand &operand, Scalar want);
  // The value of a number, written in the text or handed in as a constant ("n"(16)).
  std::optional<uint64_t> constantOf(const Operand &operand) const;

  // The value of an operand, as `want`.
  Reg read(const Operand &operand, Scalar want, bool signExtend = false);
  Reg read(const Operand &operand, Type type) { return read(operand, wordOf(type)); }
  Reg predicate(const Operand &operand);
  void write(const Operand &operand, Reg value, Scalar type, bool signExtend = false);
  void writeIf(const Operand *operand, Reg value, Scalar type) {
    if (operand)
      write(*operand, value, type);
  }
  Reg resize(Reg reg, Scalar from, Scalar to, bool signExtend);
  // [reg + offset]: the address, and whether it is 32 bits wide.
  Reg address(const Operand &operand, bool &narrow);

  static Scalar scalarOf(Type type);
  static Scalar wordOf(Type type) { // a packed value as one word
    return isPacked(type) ? Scalar{ptx::bitsOf(type)} : scalarOf(type);
  }
  static bool isPacked(Type type) { return ptx::lanesOf(type) > 1; }
  static bool isFloat(Type type) { return scalarOf(type).format != FloatFormat::None; }

  //===-- Building blocks ---------------------------------------------------===//

  // A packed value's elements, lowest first, and back.
  Regs split(Reg whole, Type type);
  Reg join(const Regs &parts, Type type);
  // f(elements of the sources) for each element of packed operands, or for the operands.
  template <class F>
  bool elementwise(const Operand &to, const std::vector<const Operand *> &from, Type type, F f) {
    llvm::SmallVector<Regs, 3> in;
    for (const Operand *operand : from)
      in.push_back(isPacked(type) ? split(read(*operand, type), type) : Regs{read(*operand, type)});
    Regs out;
    for (unsigned e = 0; e < ptx::lanesOf(type); ++e) {
      Regs element;
      for (const Regs &operand : in)
        element.push_back(operand[e]);
      out.push_back(f(element, scalarOf(ptx::elementOf(type))));
    }
    write(to, isPacked(type) ? join(out, type) : out[0], wordOf(type), ptx::isSigned(type));
    return true;
  }
  Reg both(unsigned opcode, Scalar scalar, Reg a, Reg b) {
    return d_.emitInteger(opcode, scalar, a, b);
  }
  Reg number(Scalar scalar, uint64_t value) { return d_.rawConstant(scalar, value); }
  Reg real(Scalar scalar, double value) {
    return d_.constant(scalar, encodeFloat(scalar.format, value));
  }
  Reg ones(Scalar scalar) { return number(scalar, ~uint64_t(0)); }
  Reg invert(Reg value, Scalar scalar = {1}) {
    return both(Instruction::Xor, scalar, value, ones(scalar));
  }
  Reg choose(Scalar scalar, Reg condition, Reg yes, Reg no) {
    const Reg result = d_.fresh(scalar);
    d_.emitSelect(result, scalar, condition, yes, no);
    return result;
  }
  Reg integerStep(IntegerFunction what, Scalar scalar, Reg a, Reg b = {}, Reg c = {});
  Reg floatStep(FloatUnary what, Scalar scalar, Reg value);
  Reg floatTwo(FloatBinary what, Scalar scalar, Reg a, Reg b);
  Reg convertFloat(Reg value, FloatFormat from, Scalar to,
                   ptx::Rounding rounding = ptx::Rounding::None);
  Reg compareFloats(unsigned predicate, Scalar scalar, Reg a, Reg b);

  //===-- Arithmetic.cpp ----------------------------------------------------===//

  bool run(const ptx::Arithmetic &a);
  bool run(const ptx::DotProduct &d);
  bool withCarry(const ptx::Arithmetic &a);
  bool mixedPrecision(const ptx::Arithmetic &a);
  bool wideProduct(const ptx::Arithmetic &a);
  Reg product(const ptx::Arithmetic &a, Scalar scalar, Reg x, Reg y);
  Reg product24(const ptx::Arithmetic &a, Reg x, Reg y);
  Reg realResult(const ptx::Arithmetic &a, const Regs &in, Scalar scalar);
  Reg realLimit(const ptx::Arithmetic &a, Regs in, Scalar scalar);
  Reg limited(const ptx::Arithmetic &a, Reg value, Scalar scalar);
  Reg integerResult(const ptx::Arithmetic &a, const Regs &in, Scalar scalar);

  //===-- Bits.cpp ----------------------------------------------------------===//

  bool run(const ptx::BitTable &t);
  bool run(const ptx::BytePermute &p);
  bool run(const ptx::FunnelShift &s);
  bool bits(const ptx::Arithmetic &a);
  Reg bitsResult(const ptx::Arithmetic &a, Scalar scalar);
  Reg bitTable(unsigned table, const Regs &in);
  Reg shifted(const ptx::Arithmetic &a, Scalar scalar);
  Reg extracted(const ptx::Arithmetic &a, Scalar scalar);
  Reg inserted(const ptx::Arithmetic &a, Scalar scalar);
  Reg extended(const ptx::Arithmetic &a, Scalar scalar);
  Reg maskOfBits(const ptx::Arithmetic &a, Scalar scalar);
  Reg highestBit(const ptx::Arithmetic &a, Scalar scalar);

  //===-- Compare.cpp -------------------------------------------------------===//

  bool run(const ptx::Compare &c);
  bool run(const ptx::Select &s);
  bool run(const ptx::FloatTest &t);
  Regs comparisons(const ptx::Compare &c);
  Reg compared(const ptx::Compare &c, Type type, Reg a, Reg b);
  Reg combined(const ptx::Compare &c, Reg hit);
  bool writePredicates(const ptx::Compare &c, const Regs &hits);
  bool writeValue(const ptx::Compare &c, const Regs &hits);

  //===-- Convert.cpp -------------------------------------------------------===//

  bool run(const ptx::Move &m);
  bool run(const ptx::AddressConversion &c);
  bool run(const ptx::Convert &c);
  bool floatToFloat(const ptx::Convert &c);
  bool floatToInteger(const ptx::Convert &c);
  bool integerToFloat(const ptx::Convert &c);
  bool integerToInteger(const ptx::Convert &c);
  bool convertPacked(const ptx::Convert &c);
  bool packIntegers(const ptx::Convert &c);
  Reg narrowed(const ptx::Convert &c, Reg value, Scalar from, Scalar to);
  Reg clampFinite(Reg value, Scalar from, Type to);
  Reg roundedToOdd(Reg value, bool isSigned);
  Reg clampInteger(Reg value, Scalar from, bool fromSigned, Scalar to, bool toSigned);

  //===-- Memory.cpp --------------------------------------------------------===//

  bool run(const ptx::MemoryAccess &m);
  bool run(const ptx::Atomic &a);
  bool run(const ptx::CacheControl &c);
  bool run(const ptx::SpaceTest &t);
  bool run(const ptx::Fence &f);
  bool run(const ptx::AsyncCopy &copy);
  bool run(const ptx::AsyncWait &wait);
  void releaseBefore(ptx::MemoryOrder order, ptx::MemoryScope scope);

  //===-- Warp.cpp ----------------------------------------------------------===//

  bool run(const ptx::Shuffle &s);
  bool run(const ptx::Vote &v);
  bool run(const ptx::Match &m);
  bool run(const ptx::Reduce &r);
  bool run(const ptx::ActiveMask &m);
  bool run(const ptx::Elect &e);
  bool run(const ptx::Barrier &b);
  bool run(const ptx::WarpBarrier &b);
  bool run(const ptx::Control &c);

  //===-- Matrices.cpp ------------------------------------------------------===//

  bool run(const ptx::Mma &mma);
  bool run(const ptx::MatrixMove &move);
  Regs registers(const std::vector<const Operand *> &operands, unsigned &bits, Type type);

  //===-- Video.cpp ---------------------------------------------------------===//

  static bool isVideo(const ptx::Instruction &instruction);
  bool video(const ptx::Instruction &instruction);

  Decoder &d_;
  const llvm::CallBase &call_;
  const ptx::Block *block_ = nullptr;
  const ptx::Instruction *current_ = nullptr;
  std::vector<Binding> operands_;
  unsigned outputs_ = 0;
  std::vector<std::map<std::string, Binding>> declared_;
};

} // namespace layout_port::verify
