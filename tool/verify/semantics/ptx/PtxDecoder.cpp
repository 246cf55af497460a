// See PtxDecoder.h. Statements: operands are bound, guards cut lanes off.
#include "semantics/ptx/PtxDecoder.h"

#include "ptx/Parser.h"
#include "semantics/PtxOps.h"
#include "semantics/Tables.h"
#include "semantics/Threads.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>

namespace layout_port::verify {

bool PtxDecoder::run() {
  const auto &text = *llvm::cast<llvm::InlineAsm>(call_.getCalledOperand());
  ptx::ParseOptions options;
  options.spelling = ptx::Spelling::Llvm;
  options.constants = constants(text);
  const llvm::StringRef source = text.getAsmString();
  const ptx::Outcome<ptx::Block> block = ptx::parse({source.data(), source.size()}, options);
  if (!block) {
    d_.fail("PTX: " + block.error().reason);
    return true;
  }
  block_ = &*block;
  if (!block->labels.empty()) {
    d_.fail("PTX: branches inside an asm statement are not supported");
    return true;
  }
  bind(text);
  for (const ptx::Instruction &instruction : block->instructions)
    if (!guarded(instruction))
      return true; // the decoder has the error
  define();
  warnIfMovable(text);
  return true;
}

std::vector<ptx::OperandConstant> PtxDecoder::constants(const llvm::InlineAsm &text) const {
  std::vector<ptx::OperandConstant> known;
  unsigned argument = 0;
  int index = 0;
  for (const llvm::InlineAsm::ConstraintInfo &info : text.ParseConstraints()) {
    if (info.Type == llvm::InlineAsm::isClobber)
      continue;
    if (info.hasArg()) {
      const auto *number = llvm::dyn_cast<llvm::ConstantInt>(call_.getArgOperand(argument++));
      if (number && !info.Codes.empty() && (info.Codes[0] == "n" || info.Codes[0] == "i"))
        known.push_back({index, "", number->getSExtValue()});
    }
    ++index;
  }
  return known;
}

void PtxDecoder::bind(const llvm::InlineAsm &text) {
  unsigned argument = 0;
  const Leaves results = d_.flatten(call_.getType());
  size_t result = 0;
  for (const llvm::InlineAsm::ConstraintInfo &info : text.ParseConstraints()) {
    if (info.Type == llvm::InlineAsm::isClobber)
      continue;
    if (info.Type == llvm::InlineAsm::isOutput && !info.isIndirect) {
      const Scalar scalar = results[result++].scalar;
      operands_.push_back({d_.fresh(scalar), scalar});
      ++outputs_;
      continue;
    }
    const llvm::Value *value = call_.getArgOperand(argument++);
    const Binding input{d_.scalarValue(value), d_.scalarOf(value->getType())};
    operands_.push_back(input);
    const llvm::StringRef code = info.Codes.empty() ? "" : llvm::StringRef(info.Codes[0]);
    unsigned tied = 0;
    if (!code.getAsInteger(10, tied) && tied < outputs_)
      d_.emit(move(input.scalar.wide()), InstructionClass::Control, operands_[tied].reg, input.reg);
  }
  // An output whose input is not tied starts undefined, as in the program.
  declared_.resize(block_->declarations.size());
}

void PtxDecoder::define() {
  Regs regs;
  for (unsigned i = 0; i < outputs_; ++i)
    regs.push_back(operands_[i].reg);
  d_.define(call_, regs);
}

// asm without `volatile` that reads memory: clang may have merged two of them.
void PtxDecoder::warnIfMovable(const llvm::InlineAsm &text) {
  if (text.hasSideEffects())
    return;
  for (const ptx::Instruction &instruction : block_->instructions)
    if (instruction.opcode == "ldmatrix" || instruction.opcode == "ld")
      d_.note(instruction.opcode + " is written in an asm without volatile: clang may have "
                                   "merged or moved it");
}

bool PtxDecoder::guarded(const ptx::Instruction &i) {
  current_ = &i;
  if (!i.guard)
    return decode(i);
  const Reg condition = predicate(i.guard->predicate);
  beginGuard(d_, condition);
  const bool ok = decode(i);
  endGuard(d_);
  return ok;
}

bool PtxDecoder::decode(const ptx::Instruction &i) {
  if (isVideo(i))
    return video(i);
  const ptx::Outcome<ptx::Meaning> meaning = ptx::decode(i, *block_);
  if (!meaning) {
    d_.fail("PTX: " + meaning.error().reason);
    return false;
  }
  return std::visit([&](const auto &what) { return run(what); }, *meaning);
}

bool PtxDecoder::fail(const llvm::Twine &why) {
  d_.fail("PTX instruction " + current_->spelling() + " is not known to the machine" +
          (why.isTriviallyEmpty() ? llvm::Twine() : ": " + why));
  return false;
}

//===-- Operands -----------------------------------------------------------===//

Scalar PtxDecoder::scalarOf(Type type) {
  switch (type) {
  case Type::F16:
    return {16, FloatFormat::F16};
  case Type::BF16:
    return {16, FloatFormat::BF16};
  case Type::F32:
  case Type::TF32:
    return {32, FloatFormat::F32};
  case Type::F64:
    return {64, FloatFormat::F64};
  case Type::E4M3:
    return {8, FloatFormat::E4M3};
  case Type::E5M2:
    return {8, FloatFormat::E5M2};
  default:
    return {ptx::bitsOf(type), FloatFormat::None};
  }
}

PtxDecoder::Binding *PtxDecoder::find(const Operand &operand) {
  if (operand.is(Operand::Kind::AsmOperand) && operand.index >= 0 &&
      size_t(operand.index) < operands_.size())
    return &operands_[operand.index];
  if (operand.is(Operand::Kind::Register) && operand.declaration >= 0)
    return findDeclared(operand);
  return nullptr;
}

PtxDecoder::Binding *PtxDecoder::findDeclared(const Operand &operand) {
  const ptx::Declaration &declaration = block_->declarations[operand.declaration];
  Binding &binding = declared_[operand.declaration][operand.name + operand.component];
  if (!binding.reg.valid()) {
    const auto type = ptx::findType(declaration.type);
    binding.scalar = type ? wordOf(*type) : Scalar{32};
    binding.reg = d_.fresh(binding.scalar);
  }
  return &binding;
}

Reg PtxDecoder::special(const Operand &operand, Scalar &scalar) {
  llvm::StringRef name = operand.name;
  name.consume_front("%");
  struct Row {
    const char *name;
    ThreadValue what;
    bool axes;
  };
  static constexpr Row rows[] = {{"tid", ThreadValue::ThreadX, true},
                                 {"ctaid", ThreadValue::BlockX, true},
                                 {"ntid", ThreadValue::BlockSizeX, true},
                                 {"nctaid", ThreadValue::GridX, true},
                                 {"laneid", ThreadValue::Lane, false},
                                 {"warpid", ThreadValue::WaveIndex, false},
                                 {"nwarpid", ThreadValue::WaveCount, false},
                                 {"lanemask_eq", ThreadValue::LaneSelf, false},
                                 {"lanemask_lt", ThreadValue::LanesBelow, false},
                                 {"lanemask_le", ThreadValue::LanesBelowOrSelf, false},
                                 {"lanemask_gt", ThreadValue::LanesAbove, false},
                                 {"lanemask_ge", ThreadValue::LanesAboveOrSelf, false},
                                 {"dynamic_smem_size", ThreadValue::DynamicShared, false},
                                 {"total_smem_size", ThreadValue::TotalShared, false}};
  scalar = {32};
  for (const Row &row : rows) {
    if (name != row.name)
      continue;
    unsigned axis = 0;
    if (row.axes)
      axis = operand.component == "y" ? 1 : operand.component == "z" ? 2 : 0;
    return emitThreadValue(d_, ThreadValue(unsigned(row.what) + axis));
  }
  if (name == "clock64" || name == "globaltimer")
    scalar = {64};
  if (name.starts_with("clock") || name.starts_with("globaltimer"))
    return number(scalar, 0);
  d_.fail("PTX: special register %" + name + " is not known to the machine");
  return number(scalar, 0);
}

Reg PtxDecoder::read(const Operand &operand, Scalar want, bool signExtend) {
  if (operand.is(Operand::Kind::Immediate))
    return immediate(operand, want);
  if (operand.is(Operand::Kind::Special)) {
    Scalar scalar;
    const Reg value = special(operand, scalar);
    return resize(value, scalar, want, false);
  }
  if (operand.is(Operand::Kind::Vector) && operand.elements.size() == 1)
    return read(operand.elements[0], want, signExtend);
  const Binding *binding = find(operand);
  if (!binding) {
    d_.fail("PTX: operand '" + llvm::Twine(operand.name) + "' is not known");
    return number(want, 0);
  }
  return resize(binding->reg, binding->scalar, want, signExtend);
}

Reg PtxDecoder::immediate(const Operand &operand, Scalar want) {
  const ptx::Immediate &constant = operand.immediate;
  if (want.format == FloatFormat::None)
    return number(want, operand.negated ? 0 - constant.bits : constant.bits);
  double value = double(int64_t(constant.bits));
  if (constant.kind == ptx::Immediate::Kind::Float32)
    value = bitCast<float>(uint32_t(constant.bits));
  if (constant.kind == ptx::Immediate::Kind::Float64)
    value = bitCast<double>(constant.bits);
  return real(want, value);
}

std::optional<uint64_t> PtxDecoder::constantOf(const Operand &o) const {
  if (o.is(Operand::Kind::Immediate))
    return o.immediate.bits;
  if (!o.is(Operand::Kind::AsmOperand) || o.index < int(outputs_))
    return std::nullopt;
  const unsigned argument = unsigned(o.index) - outputs_;
  if (argument >= call_.arg_size())
    return std::nullopt;
  const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(call_.getArgOperand(argument));
  return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
}

Reg PtxDecoder::resize(Reg reg, Scalar from, Scalar to, bool signExtend) {
  if (from.bits == to.bits)
    return reg;
  const unsigned opcode = to.bits < from.bits ? Instruction::Trunc
                          : signExtend        ? Instruction::SExt
                                              : Instruction::ZExt;
  return d_.emitCast(opcode, {from.bits}, {to.bits}, reg);
}

void PtxDecoder::write(const Operand &operand, Reg value, Scalar type, bool signExtend) {
  if (operand.is(Operand::Kind::Sink))
    return;
  if (operand.is(Operand::Kind::Vector) && operand.elements.size() == 1)
    return write(operand.elements[0], value, type, signExtend);
  const Binding *binding = find(operand);
  if (!binding)
    return d_.fail("PTX: destination '" + llvm::Twine(operand.name) + "' is not known");
  const Reg fitted = resize(value, type, binding->scalar, signExtend);
  d_.emit(move(binding->scalar.wide()), InstructionClass::Control, binding->reg, fitted);
}

Reg PtxDecoder::predicate(const Operand &operand) {
  const Reg reg = read(operand, {1});
  return operand.negated ? invert(reg) : reg;
}

// The widest addend says how wide the address is; narrower ones are offsets, with a sign.
Reg PtxDecoder::address(const Operand &operand, bool &narrow) {
  narrow = true;
  for (const Operand &element : operand.elements)
    if (const Binding *binding = find(element))
      narrow &= !binding->scalar.wide();
  const Scalar type{narrow ? 32u : 64u};
  Reg sum;
  for (const Operand &element : operand.elements) {
    const Reg value = read(element, type, true);
    sum = sum.valid()
              ? both(element.negated ? Instruction::Sub : Instruction::Add, type, sum, value)
              : value;
  }
  if (!sum.valid()) {
    d_.fail("PTX: address without a register");
    return number({64}, 0);
  }
  if (operand.offset == 0)
    return sum;
  return both(Instruction::Add, type, sum, number(type, uint64_t(operand.offset)));
}

//===-- Building blocks ----------------------------------------------------===//

Regs PtxDecoder::split(Reg whole, Type type) {
  Regs parts;
  const llvm::SmallVector<Scalar, 4> types(ptx::lanesOf(type), scalarOf(ptx::elementOf(type)));
  for (const Scalar &scalar : types)
    parts.push_back(d_.fresh(scalar));
  d_.emitRepack({whole}, {{ptx::bitsOf(type)}}, parts, types);
  return parts;
}

Reg PtxDecoder::join(const Regs &parts, Type type) {
  const llvm::SmallVector<Scalar, 4> types(parts.size(), scalarOf(ptx::elementOf(type)));
  const Reg whole = d_.fresh({ptx::bitsOf(type)});
  d_.emitRepack(parts, types, {whole}, {{ptx::bitsOf(type)}});
  return whole;
}

Reg PtxDecoder::integerStep(IntegerFunction what, Scalar scalar, Reg a, Reg b, Reg c) {
  const Reg result = d_.fresh(scalar);
  Op &op =
      d_.emit(integerFunction(what, scalar.wide()), InstructionClass::Integer, result, a, b, c);
  op.bits = uint8_t(scalar.bits);
  op.opcode = uint16_t(what);
  return result;
}

Reg PtxDecoder::floatStep(FloatUnary what, Scalar scalar, Reg value) {
  const Reg result = d_.fresh(scalar);
  d_.emit(floatUnary(scalar.format, d_.inField()), InstructionClass::Float, result, value).opcode =
      uint16_t(what);
  return result;
}

Reg PtxDecoder::floatTwo(FloatBinary what, Scalar scalar, Reg a, Reg b) {
  const Reg result = d_.fresh(scalar);
  d_.emit(floatBinary(what, scalar.format, d_.inField()), InstructionClass::Float, result, a, b);
  return result;
}

Reg PtxDecoder::compareFloats(unsigned predicate, Scalar scalar, Reg a, Reg b) {
  const Reg result = d_.fresh({1});
  d_.emit(floatCompare(scalar.format, d_.inField()), InstructionClass::Float, result, a, b)
      .immediate = predicate;
  return result;
}

//===-- amdgcn -------------------------------------------------------------===//

// amdgcn asm that orders or hints, and does nothing to values.
static bool isOrderingOnly(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.trim();
    bool known = line.empty() || line.starts_with(";") || line.starts_with("//");
    for (llvm::StringRef name : {"s_waitcnt", "s_nop", "s_sched", "s_setprio", "s_sleep"})
      known |= line.starts_with(name);
    if (!known)
      return false;
  }
  return true;
}

bool decodeInlineAsm(Decoder &decoder, const llvm::CallBase &call) {
  if (decoder.program().target == Target::Nvptx)
    return PtxDecoder(decoder, call).run();
  const auto &text = *llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  if (!isOrderingOnly(text.getAsmString()))
    return false;
  // asm volatile("" : "+v"(x)): the value passes through.
  if (!call.getType()->isVoidTy()) {
    if (call.arg_size() != 1 || call.getArgOperand(0)->getType() != call.getType())
      return false;
    decoder.define(call, decoder.value(call.getArgOperand(0)));
  }
  return true;
}

} // namespace layout_port::verify
