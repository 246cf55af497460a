// Inline PTX: each asm statement becomes micro-operations on registers of its own.
//
//   call asm "{.reg .pred p; setp.ne.b32 p, $2, 0; @p mov.b32 $0, $1;}", "=r,r,r"
//              declared: fresh registers    operands: outputs first, then inputs
//
// Operands are bound by LLVM's constraint string; an input tied to an output gives
// the output its first value. A guarded instruction runs with the lanes cut down
// to its predicate. The text is read by rules/ptx; this file says what the
// instructions do. https://docs.nvidia.com/cuda/parallel-thread-execution/
#include "semantics/Tables.h"

#include "machine/FloatOps.h"
#include "machine/Integer.h"
#include "machine/MemoryOps.h"
#include "ptx/Opcodes.h"
#include "ptx/Parser.h"
#include "ptx/decode/Common.h"
#include "ptx/decode/Decode.h"
#include "semantics/Matrix.h"
#include "semantics/PtxOps.h"
#include "semantics/Threads.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>

#include <map>

namespace layout_port::verify {
namespace {

using llvm::Instruction;
using ptx::Operand;
using ptx::Type;

struct Binding {
  Reg reg;
  Scalar scalar;
};

Scalar scalarOf(Type type) {
  const unsigned bits = ptx::bitsOf(type);
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
    return {bits, FloatFormat::None};
  }
}

bool isPacked(Type type) { return ptx::lanesOf(type) > 1; }

class PtxDecoder {
public:
  PtxDecoder(Decoder &decoder, const llvm::CallBase &call) : d_(decoder), call_(call) {}

  bool run() {
    const auto &text = *llvm::cast<llvm::InlineAsm>(call_.getCalledOperand());
    ptx::ParseOptions options;
    options.spelling = ptx::Spelling::Llvm;
    const llvm::StringRef source = text.getAsmString();
    ptx::Outcome<ptx::Block> block = ptx::parse({source.data(), source.size()}, options);
    if (!block)
      return refuse("PTX: " + block.error().reason);
    block_ = &*block;
    if (!block->labels.empty())
      return refuse("PTX: branches inside an asm statement are not supported");
    bind(text);
    for (const ptx::Instruction &instruction : block->instructions)
      if (!guarded(instruction))
        return true; // the decoder has the error
    define();
    warnIfMovable(text, *block);
    return true;
  }

private:
  bool refuse(const llvm::Twine &message) {
    d_.fail(message);
    return true;
  }

  //===-- Operands ---------------------------------------------------------===//

  void bind(const llvm::InlineAsm &text) {
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
        d_.emit(move(input.scalar.wide()), InstructionClass::Control, operands_[tied].reg,
                input.reg);
    }
    // An output whose input is not tied starts undefined, as in the program.
    declared_.resize(block_->declarations.size());
  }

  void define() {
    Regs regs;
    for (unsigned i = 0; i < outputs_; ++i)
      regs.push_back(operands_[i].reg);
    d_.define(call_, regs);
  }

  // asm without `volatile` that reads memory: clang may have merged two of them.
  void warnIfMovable(const llvm::InlineAsm &text, const ptx::Block &block) {
    if (text.hasSideEffects())
      return;
    for (const ptx::Instruction &instruction : block.instructions)
      if (instruction.opcode == "ldmatrix" || instruction.opcode == "ld")
        d_.note(instruction.opcode + " is written in an asm without volatile: clang may have "
                                     "merged or moved it");
  }

  Binding *find(const Operand &operand) {
    if (operand.is(Operand::Kind::AsmOperand) && operand.index >= 0 &&
        size_t(operand.index) < operands_.size())
      return &operands_[operand.index];
    if (operand.is(Operand::Kind::Register) && operand.declaration >= 0) {
      const ptx::Declaration &declaration = block_->declarations[operand.declaration];
      auto &bindings = declared_[operand.declaration];
      Binding &binding = bindings[operand.name + operand.component];
      if (!binding.reg.valid()) {
        const auto type = ptx::findType(declaration.type);
        binding.scalar = type ? scalarOf(*type) : Scalar{32};
        if (type && *type == Type::Pred)
          binding.scalar = {1};
        if (isPackedName(declaration.type))
          binding.scalar = {32};
        binding.reg = d_.fresh(binding.scalar);
      }
      return &binding;
    }
    return nullptr;
  }
  static bool isPackedName(llvm::StringRef type) { return type == "f16x2" || type == "bf16x2"; }

  Reg special(const Operand &operand) {
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
                                   {"lanemask_lt", ThreadValue::LanesBelow, false},
                                   {"lanemask_le", ThreadValue::LanesBelowOrSelf, false},
                                   {"lanemask_gt", ThreadValue::LanesAbove, false},
                                   {"lanemask_ge", ThreadValue::LanesAboveOrSelf, false},
                                   {"dynamic_smem_size", ThreadValue::DynamicShared, false},
                                   {"total_smem_size", ThreadValue::TotalShared, false}};
    for (const Row &row : rows) {
      if (name != row.name)
        continue;
      unsigned axis = 0;
      if (row.axes)
        axis = operand.component == "y" ? 1 : operand.component == "z" ? 2 : 0;
      return emitThreadValue(d_, ThreadValue(unsigned(row.what) + axis));
    }
    if (name.starts_with("clock") || name.starts_with("globaltimer"))
      return d_.rawConstant({64}, 0);
    d_.fail("PTX: special register %" + name + " is not supported");
    return d_.rawConstant({32}, 0);
  }

  // The value of an operand, as `want`.
  Reg read(const Operand &operand, Scalar want, bool signExtend = false) {
    if (operand.is(Operand::Kind::Immediate))
      return immediate(operand, want);
    if (operand.is(Operand::Kind::Special)) {
      const bool timer = operand.name.find("clock") != std::string::npos;
      return resize(special(operand), {timer ? 64u : 32u}, want, false);
    }
    if (operand.is(Operand::Kind::Vector) && operand.elements.size() == 1)
      return read(operand.elements[0], want, signExtend);
    Binding *binding = find(operand);
    if (!binding) {
      d_.fail("PTX: operand '" + llvm::Twine(operand.name) + "' is not known");
      return d_.rawConstant(want, 0);
    }
    return resize(binding->reg, binding->scalar, want, signExtend);
  }
  Reg immediate(const Operand &operand, Scalar want) {
    const ptx::Immediate &number = operand.immediate;
    if (want.format == FloatFormat::None)
      return d_.rawConstant(want, operand.negated ? 0 - number.bits : number.bits);
    double value = double(int64_t(number.bits));
    if (number.kind == ptx::Immediate::Kind::Float32)
      value = bitCast<float>(uint32_t(number.bits));
    if (number.kind == ptx::Immediate::Kind::Float64)
      value = bitCast<double>(number.bits);
    return d_.constant(want, encodeFloat(want.format, value));
  }
  Reg resize(Reg reg, Scalar from, Scalar to, bool signExtend) {
    if (from.bits == to.bits)
      return reg;
    if (to.bits < from.bits)
      return d_.emitCast(Instruction::Trunc, {from.bits}, {to.bits}, reg);
    return d_.emitCast(signExtend ? Instruction::SExt : Instruction::ZExt, {from.bits}, {to.bits},
                       reg);
  }
  void write(const Operand &operand, Reg value, Scalar type, bool signExtend = false) {
    if (operand.is(Operand::Kind::Sink))
      return;
    if (operand.is(Operand::Kind::Vector) && operand.elements.size() == 1)
      return write(operand.elements[0], value, type, signExtend);
    Binding *binding = find(operand);
    if (!binding)
      return d_.fail("PTX: destination '" + llvm::Twine(operand.name) + "' is not known");
    const Reg fitted = resize(value, type, binding->scalar, signExtend);
    d_.emit(move(binding->scalar.wide()), InstructionClass::Control, binding->reg, fitted);
  }
  Reg predicate(const Operand &operand) {
    const Reg reg = read(operand, {1});
    return operand.negated ? invert(reg) : reg;
  }
  Reg invert(Reg predicate) {
    return d_.emitInteger(Instruction::Xor, {1}, predicate, d_.rawConstant({1}, 1));
  }

  // [reg + offset]: the address, and whether it is 32 bits wide.
  Reg address(const Operand &operand, bool &narrow) {
    Reg sum;
    narrow = false;
    for (const Operand &element : operand.elements) {
      Binding *binding = find(element);
      const bool wide = binding ? binding->scalar.wide() : false;
      narrow = !wide;
      const Reg value = read(element, {wide ? 64u : 32u});
      sum = sum.valid() ? d_.emitInteger(element.negated ? Instruction::Sub : Instruction::Add,
                                         {wide ? 64u : 32u}, sum, value)
                        : value;
    }
    if (!sum.valid()) {
      d_.fail("PTX: address without a register");
      return d_.rawConstant({64}, 0);
    }
    if (operand.offset == 0)
      return sum;
    const Scalar type{narrow ? 32u : 64u};
    return d_.emitInteger(Instruction::Add, type, sum,
                          d_.rawConstant(type, uint64_t(operand.offset)));
  }
  static Space spaceOf(const ptx::Instruction &instruction) {
    switch (ptx::spaceOf(instruction)) {
    case ptx::Space::Shared:
    case ptx::Space::SharedCluster:
      return Space::Shared;
    case ptx::Space::Local:
      return Space::Local;
    case ptx::Space::Generic:
      return Space::Generic;
    default:
      return Space::Global;
    }
  }

  //===-- Instructions -----------------------------------------------------===//

  bool guarded(const ptx::Instruction &i) {
    if (!i.guard)
      return instruction(i);
    const Reg condition = predicate(i.guard->predicate);
    beginGuard(d_, condition);
    const bool ok = instruction(i);
    endGuard(d_);
    return ok;
  }

  bool fail(const ptx::Instruction &i) {
    d_.fail("PTX instruction " + i.spelling() + " is not known to the machine");
    return false;
  }

  // The value of a number, written in the text or handed in as a constant ("n"(16)).
  std::optional<uint64_t> constantOf(const Operand &o) const {
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

  bool instruction(const ptx::Instruction &i) {
    static const llvm::StringMap<bool (PtxDecoder::*)(const ptx::Instruction &)> handlers = {
        {"mma", &PtxDecoder::meaning},
        {"ldmatrix", &PtxDecoder::meaning},
        {"stmatrix", &PtxDecoder::meaning},
        {"movmatrix", &PtxDecoder::meaning},
        {"mov", &PtxDecoder::meaning},
        {"cvta", &PtxDecoder::meaning},
        {"cvt", &PtxDecoder::meaning},
        {"cp", &PtxDecoder::copyAsync},
        {"ld", &PtxDecoder::load},
        {"ldu", &PtxDecoder::load},
        {"st", &PtxDecoder::store},
        {"add", &PtxDecoder::arithmetic},
        {"sub", &PtxDecoder::arithmetic},
        {"mul", &PtxDecoder::arithmetic},
        {"div", &PtxDecoder::arithmetic},
        {"rem", &PtxDecoder::arithmetic},
        {"min", &PtxDecoder::arithmetic},
        {"max", &PtxDecoder::arithmetic},
        {"fma", &PtxDecoder::multiplyAdd},
        {"mad", &PtxDecoder::multiplyAdd},
        {"mul24", &PtxDecoder::arithmetic},
        {"neg", &PtxDecoder::unary},
        {"abs", &PtxDecoder::unary},
        {"sqrt", &PtxDecoder::unary},
        {"rsqrt", &PtxDecoder::unary},
        {"rcp", &PtxDecoder::unary},
        {"ex2", &PtxDecoder::unary},
        {"lg2", &PtxDecoder::unary},
        {"sin", &PtxDecoder::unary},
        {"cos", &PtxDecoder::unary},
        {"tanh", &PtxDecoder::unary},
        {"and", &PtxDecoder::logic},
        {"or", &PtxDecoder::logic},
        {"xor", &PtxDecoder::logic},
        {"not", &PtxDecoder::logic},
        {"shl", &PtxDecoder::shift},
        {"shr", &PtxDecoder::shift},
        {"shf", &PtxDecoder::funnel},
        {"setp", &PtxDecoder::setPredicate},
        {"set", &PtxDecoder::setPredicate},
        {"selp", &PtxDecoder::selectOne},
        {"lop3", &PtxDecoder::logic3},
        {"prmt", &PtxDecoder::permute},
        {"bfe", &PtxDecoder::bitExtract},
        {"bfi", &PtxDecoder::bitInsert},
        {"popc", &PtxDecoder::countBits},
        {"clz", &PtxDecoder::countBits},
        {"brev", &PtxDecoder::countBits},
        {"bfind", &PtxDecoder::countBits},
        {"sad", &PtxDecoder::differences},
        {"dp4a", &PtxDecoder::dotProduct},
        {"bar", &PtxDecoder::barrier},
        {"barrier", &PtxDecoder::barrier},
        {"shfl", &PtxDecoder::shuffle},
        {"vote", &PtxDecoder::vote},
        {"match", &PtxDecoder::vote},
        {"activemask", &PtxDecoder::vote},
        {"redux", &PtxDecoder::reduce},
        {"elect", &PtxDecoder::elect},
        {"atom", &PtxDecoder::atomic},
        {"red", &PtxDecoder::atomic},
        {"membar", &PtxDecoder::fence},
        {"fence", &PtxDecoder::fence},
        {"prefetch", &PtxDecoder::nothing},
        {"prefetchu", &PtxDecoder::nothing},
        {"nanosleep", &PtxDecoder::nothing},
        {"pmevent", &PtxDecoder::nothing},
        {"discard", &PtxDecoder::nothing},
        {"applypriority", &PtxDecoder::nothing},
        {"griddepcontrol", &PtxDecoder::nothing},
        {"copysign", &PtxDecoder::copySign},
        {"trap", &PtxDecoder::trap},
        {"createpolicy", &PtxDecoder::zeroResult}};
    auto handler = handlers.find(i.opcode);
    if (handler == handlers.end())
      return fail(i);
    return (this->*handler->second)(i);
  }

  bool nothing(const ptx::Instruction &) { return true; }
  static bool reachesOtherBlocks(const ptx::Instruction &i) {
    return i.has("gl") || i.has("gpu") || i.has("sys");
  }
  bool fence(const ptx::Instruction &i) {
    if (reachesOtherBlocks(i) && !i.has("proxy"))
      d_.emit(runFence, InstructionClass::Control);
    return true;
  }
  // https://docs.nvidia.com/cuda/parallel-thread-execution/#memory-consistency-model
  static bool isOrdered(const ptx::Instruction &i) {
    return i.has("volatile") || i.has("relaxed") || i.has("acquire") || i.has("release") ||
           i.has("mmio");
  }
  void releaseBefore(const ptx::Instruction &i) {
    if ((i.has("release") || i.has("acq_rel")) && reachesOtherBlocks(i))
      d_.emit(runFence, InstructionClass::Control);
  }
  bool trap(const ptx::Instruction &) {
    emitTrap(d_);
    return true;
  }
  bool zeroResult(const ptx::Instruction &i) {
    write(i.operands[0], d_.rawConstant({64}, 0), {64});
    return true;
  }

  bool meaning(const ptx::Instruction &i) {
    ptx::Outcome<ptx::Meaning> decoded = ptx::decode(i, *block_);
    if (!decoded) {
      d_.fail("PTX: " + decoded.error().reason);
      return false;
    }
    return std::visit([&](const auto &what) { return run(i, what); }, *decoded);
  }

  // What has a handler of its own below.
  template <class T> bool run(const ptx::Instruction &i, const T &) { return fail(i); }

  //===-- Matrices ---------------------------------------------------------===//

  // The registers of a matrix operand; destinations must be plain registers.
  Regs registers(const std::vector<const Operand *> &operands, unsigned &bits) {
    Regs regs;
    for (const Operand *operand : operands) {
      Binding *binding = find(*operand);
      if (!binding) {
        if (operand->is(Operand::Kind::Immediate)) {
          regs.push_back(d_.rawConstant({32}, operand->immediate.bits));
          bits = 32;
          continue;
        }
        d_.fail("PTX: a matrix operand is not a register");
        return regs;
      }
      bits = binding->scalar.bits;
      regs.push_back(binding->reg);
    }
    return regs;
  }
  static MatrixElement elementOf(Type type) {
    const Scalar scalar = scalarOf(type);
    return {scalar.format, scalar.bits, ptx::isSigned(type), type == Type::TF32};
  }
  // The four-block m8n8k4 lets an f32 D start from an f16 C, which lies otherwise.
  bool rowOfC(const ptx::Mma &mma, const isa::MatrixInstruction *&found) {
    const std::string name =
        mma.fragment.substr(0, mma.fragment.rfind('.')) + "." + std::string(ptx::spell(mma.typeC));
    Result<const isa::MatrixInstruction *> row =
        isa::findMatrixInstruction(name, isa::Arch::Nvidia);
    if (!row)
      d_.fail(row.error().message);
    else
      found = *row;
    return bool(row);
  }
  bool run(const ptx::Instruction &i, const ptx::Mma &mma) {
    Result<const isa::MatrixInstruction *> row =
        isa::findMatrixInstruction(mma.fragment, isa::Arch::Nvidia);
    if (!row) {
      d_.fail(row.error().message);
      return false;
    }
    MatrixCall call;
    call.row = *row;
    if (mma.blocks == 4 && mma.typeC != mma.typeD && !rowOfC(mma, call.rowC))
      return false;
    call.a = registers(mma.a, call.bitsA);
    call.b = registers(mma.b, call.bitsB);
    call.c = registers(mma.c, call.bitsC);
    call.d = registers(mma.d, call.bitsD);
    call.elementA = elementOf(mma.typeA);
    call.elementB = elementOf(mma.typeB);
    call.elementC = elementOf(mma.typeC);
    call.elementD = elementOf(mma.typeD);
    call.saturate = mma.satfinite;
    emitMatrix(d_, call);
    return true;
  }
  bool run(const ptx::Instruction &i, const ptx::MatrixMove &move) {
    if (move.kind == ptx::MatrixMove::Kind::Transpose) {
      const Reg source = read(*move.source, {32});
      const Reg result = d_.fresh({32});
      d_.emit(runMatrixTranspose, InstructionClass::CrossLane, result, source);
      write(*move.registers[0], result, {32});
      return true;
    }
    bool narrow = false;
    const Reg at = address(*move.address, narrow);
    unsigned bits = 32;
    const Regs regs = registers(move.registers, bits);
    if (bits != 32)
      return fail(i);
    return emitMatrixMove(d_, move.name, regs, at,
                          move.space == ptx::Space::Generic ? Space::Generic : Space::Shared,
                          narrow, move.kind == ptx::MatrixMove::Kind::Store);
  }

  //===-- Moves and conversions --------------------------------------------===//

  bool run(const ptx::Instruction &i, const ptx::Move &m) {
    const Scalar whole = m.type == Type::Pred ? Scalar{1} : scalarOf(m.type);
    switch (m.kind) {
    case ptx::Move::Kind::Scalar:
    case ptx::Move::Kind::Vector:
      for (size_t k = 0; k < m.destinations.size(); ++k)
        write(*m.destinations[k], read(*m.sources[k], {whole.bits, whole.format}), whole);
      return true;
    case ptx::Move::Kind::Pack: {
      Regs parts;
      llvm::SmallVector<Scalar, 4> types;
      for (const Operand *source : m.sources) {
        parts.push_back(read(*source, {m.partBits}));
        types.push_back({m.partBits});
      }
      const Reg result = d_.fresh({whole.bits});
      d_.emitRepack(parts, types, {result}, {{whole.bits}});
      write(*m.destinations[0], result, {whole.bits});
      return true;
    }
    case ptx::Move::Kind::Unpack: {
      const Reg source = read(*m.sources[0], {whole.bits});
      Regs parts;
      llvm::SmallVector<Scalar, 4> types;
      for (size_t k = 0; k < m.destinations.size(); ++k) {
        parts.push_back(d_.fresh({m.partBits}));
        types.push_back({m.partBits});
      }
      d_.emitRepack({source}, {{whole.bits}}, parts, types);
      for (size_t k = 0; k < parts.size(); ++k)
        write(*m.destinations[k], parts[k], {m.partBits});
      return true;
    }
    }
    return fail(i);
  }
  bool run(const ptx::Instruction &i, const ptx::AddressConversion &c) {
    const bool window = c.space == ptx::Space::Shared || c.space == ptx::Space::SharedCluster ||
                        c.space == ptx::Space::Local;
    Reg value = read(*c.source, {64});
    if (window) {
      const uint64_t base = c.space == ptx::Space::Local ? kLocalWindow : kSharedWindow;
      value = d_.emitInteger(c.toSpace ? Instruction::And : Instruction::Or, {64}, value,
                             d_.rawConstant({64}, c.toSpace ? 0xffffffffu : base));
    }
    write(*c.destination, value, {64});
    return true;
  }

  Reg convertFloat(Reg value, FloatFormat from, Scalar to) {
    if (from == to.format)
      return value;
    const Reg result = d_.fresh(to);
    d_.emit(floatConvert(from, to.format, d_.inField()), InstructionClass::Float, result, value);
    return result;
  }
  Reg floatStep(FloatUnary what, Scalar scalar, Reg value) {
    const Reg result = d_.fresh(scalar);
    d_.emit(floatUnary(scalar.format, d_.inField()), InstructionClass::Float, result, value)
        .opcode = uint16_t(what);
    return result;
  }
  // A packed value's elements, lowest first.
  Regs split(Reg whole, Type type) {
    const Type element = ptx::elementOf(type);
    Regs parts;
    llvm::SmallVector<Scalar, 4> types(ptx::lanesOf(type), scalarOf(element));
    for (const Scalar &scalar : types)
      parts.push_back(d_.fresh(scalar));
    d_.emitRepack({whole}, {{ptx::bitsOf(type)}}, parts, types);
    return parts;
  }
  Reg join(const Regs &parts, Type type) {
    llvm::SmallVector<Scalar, 4> types(parts.size(), scalarOf(ptx::elementOf(type)));
    const Reg whole = d_.fresh({ptx::bitsOf(type)});
    d_.emitRepack(parts, types, {whole}, {{ptx::bitsOf(type)}});
    return whole;
  }

  bool run(const ptx::Instruction &i, const ptx::Convert &c) {
    if (c.pack)
      return packIntegers(i, c);
    if (isPacked(c.to) || isPacked(c.from))
      return convertPacked(i, c);
    const Scalar from = scalarOf(c.from), to = scalarOf(c.to);
    Reg value = read(*c.sources[0], from);
    if (from.format != FloatFormat::None && to.format != FloatFormat::None) {
      if (c.toInteger)
        value = floatStep(c.rounding == ptx::Rounding::Zero   ? FloatUnary::Trunc
                          : c.rounding == ptx::Rounding::Down ? FloatUnary::Floor
                          : c.rounding == ptx::Rounding::Up   ? FloatUnary::Ceil
                                                              : FloatUnary::RoundEven,
                          from, value);
      value = convertFloat(value, from.format, to);
      if (c.relu)
        value = floatStep(FloatUnary::Relu, to, value);
      if (c.saturate)
        value = floatStep(FloatUnary::Saturate, to, value);
      write(*c.destination, value, to);
      return true;
    }
    if (from.format != FloatFormat::None) {
      const Reg result = d_.fresh(to);
      Op &op = d_.emit(floatToInteger(ptx::isSigned(c.to), from.format, to.wide(), d_.inField()),
                       InstructionClass::Float, result, value);
      op.bits = uint8_t(to.bits);
      op.immediate = c.rounding == ptx::Rounding::Zero   ? 0
                     : c.rounding == ptx::Rounding::Down ? 2
                     : c.rounding == ptx::Rounding::Up   ? 3
                                                         : 1;
      write(*c.destination, result, to, ptx::isSigned(c.to));
      return true;
    }
    if (to.format != FloatFormat::None) {
      const Reg result = d_.fresh(to);
      d_.emit(integerToFloat(ptx::isSigned(c.from), from.wide(), to.format, d_.inField()),
              InstructionClass::Float, result, value)
          .bits = uint8_t(from.bits);
      write(*c.destination, result, to);
      return true;
    }
    if (c.saturate)
      value = clampInteger(value, from, ptx::isSigned(c.from), to, ptx::isSigned(c.to));
    if (to.bits != from.bits)
      value = resize(value, from, to, ptx::isSigned(c.from));
    write(*c.destination, value, to, ptx::isSigned(c.to));
    return true;
  }
  Reg integerStep(IntegerFunction what, Scalar scalar, Reg a, Reg b = {}, Reg c = {}) {
    const Reg result = d_.fresh(scalar);
    Op &op =
        d_.emit(integerFunction(what, scalar.wide()), InstructionClass::Integer, result, a, b, c);
    op.bits = uint8_t(scalar.bits);
    op.opcode = uint16_t(what);
    return result;
  }
  Reg clampInteger(Reg value, Scalar from, bool fromSigned, Scalar to, bool toSigned) {
    const bool narrower = to.bits < from.bits || (to.bits == from.bits && fromSigned != toSigned);
    if (!narrower)
      return value;
    const unsigned valueBits = toSigned ? to.bits - 1 : to.bits;
    const uint64_t high = valueBits >= 64 ? ~uint64_t(0) : (uint64_t(1) << valueBits) - 1;
    if (fromSigned) {
      const uint64_t low = toSigned ? ~high : 0;
      value = integerStep(IntegerFunction::SMax, from, value, d_.rawConstant(from, low));
      if (valueBits < from.bits)
        value = integerStep(IntegerFunction::SMin, from, value, d_.rawConstant(from, high));
      return value;
    }
    return integerStep(IntegerFunction::UMin, from, value, d_.rawConstant(from, high));
  }
  // d = {low part of c, sat(a), sat(b)}: b lands lowest.
  bool packIntegers(const ptx::Instruction &i, const ptx::Convert &c) {
    const Scalar to = scalarOf(c.to);
    const Scalar from{32};
    auto part = [&](size_t k) {
      return clampInteger(read(*c.sources[k], from), from, true, to, ptx::isSigned(c.to));
    };
    auto place = [&](Reg value, unsigned shift) {
      const Reg cut = d_.emitInteger(Instruction::And, from, value,
                                     d_.rawConstant(from, (uint64_t(1) << to.bits) - 1));
      return d_.emitInteger(Instruction::Shl, from, cut, d_.rawConstant(from, shift));
    };
    Reg result = d_.emitInteger(Instruction::Or, from, place(part(1), 0), place(part(0), to.bits));
    if (c.sources.size() > 2) {
      const Reg rest = d_.emitInteger(Instruction::Shl, from, read(*c.sources[2], from),
                                      d_.rawConstant(from, 2 * to.bits));
      result = d_.emitInteger(Instruction::Or, from, result, rest);
    }
    write(*c.destination, result, from);
    return true;
  }
  bool convertPacked(const ptx::Instruction &i, const ptx::Convert &c) {
    const Scalar to = scalarOf(ptx::elementOf(c.to));
    if (to.bits < 8 || scalarOf(ptx::elementOf(c.from)).bits < 8)
      return fail(i);
    Regs values;
    FloatFormat from = scalarOf(ptx::elementOf(c.from)).format;
    if (isPacked(c.from)) {
      values = split(read(*c.sources[0], {ptx::bitsOf(c.from)}), c.from);
    } else {
      for (size_t k = c.sources.size(); k-- > 0;) // the first source is the high half
        values.push_back(read(*c.sources[k], scalarOf(c.from)));
    }
    for (Reg &value : values) {
      value = convertFloat(value, from, to);
      if (c.relu)
        value = floatStep(FloatUnary::Relu, to, value);
    }
    write(*c.destination, join(values, c.to), {ptx::bitsOf(c.to)});
    return true;
  }

  //===-- Memory -----------------------------------------------------------===//

  // Only here because std::visit wants every meaning; copyAsync() does the work.
  bool run(const ptx::Instruction &i, const ptx::AsyncCopy &copy) {
    AsyncPlan plan;
    const auto bytes = constantOf(*copy.size);
    if (!bytes || (*bytes != 4 && *bytes != 8 && *bytes != 16))
      return fail(i);
    plan.bytes = unsigned(*bytes);
    bool narrowTo = false, narrowFrom = false;
    const Reg to = address(*copy.destination, narrowTo);
    const Reg from = address(*copy.source, narrowFrom);
    plan.narrowTo = narrowTo;
    if (narrowFrom)
      return fail(i);
    Reg real;
    if (copy.sourceSize)
      real = read(*copy.sourceSize, {32});
    if (copy.ignoreSource) {
      real = d_.fresh({32});
      d_.emitSelect(real, {32}, predicate(*copy.ignoreSource), d_.rawConstant({32}, 0),
                    d_.rawConstant({32}, plan.bytes));
    }
    d_.emit(runAsyncCopy, InstructionClass::Async, {}, to, from, real).data = d_.keep(plan);
    return true;
  }
  bool run(const ptx::Instruction &i, const ptx::AsyncWait &wait) {
    switch (wait.kind) {
    case ptx::AsyncWait::Kind::Commit:
      d_.emit(runAsyncCommit, InstructionClass::Async);
      return true;
    case ptx::AsyncWait::Kind::WaitAll:
      d_.emit(runAsyncCommit, InstructionClass::Async);
      d_.emit(runAsyncWait, InstructionClass::Async).immediate = 0;
      return true;
    case ptx::AsyncWait::Kind::WaitGroup:
      break;
    }
    Op *op = nullptr;
    if (wait.pendingCount) {
      op = &d_.emit(runAsyncWait, InstructionClass::Async);
      op->immediate = *wait.pendingCount;
    } else {
      const Reg count = read(*wait.pending, {32});
      op = &d_.emit(runAsyncWait, InstructionClass::Async, {}, count);
    }
    return true;
  }
  bool copyAsync(const ptx::Instruction &i) { return meaning(i); }

  unsigned vectorLength(const ptx::Instruction &i) {
    return i.has("v8") ? 8 : i.has("v4") ? 4 : i.has("v2") ? 2 : 1;
  }
  bool memoryShape(const ptx::Instruction &i, Type &type, Leaves &leaves) {
    const std::vector<Type> types = ptx::typesOf(i);
    if (types.empty())
      return false;
    type = types.back();
    if (type == Type::B128) {
      leaves = {{{64}, 0}, {{64}, 8}};
      return true;
    }
    const Scalar scalar = scalarOf(type);
    for (unsigned k = 0; k < vectorLength(i); ++k)
      leaves.push_back({scalar, k * scalar.bytes()});
    return scalar.bits >= 8;
  }
  bool load(const ptx::Instruction &i) {
    Type type;
    Leaves leaves;
    if (!memoryShape(i, type, leaves) || i.operands.size() < 2)
      return fail(i);
    bool narrow = false;
    MemoryAccess access;
    const Reg at = address(i.operands[1], narrow);
    access.space = spaceOf(i);
    access.narrow = narrow;
    access.bytes = 0;
    Regs results;
    for (const Leaf &leaf : leaves) {
      results.push_back(d_.fresh(leaf.scalar));
      access.parts.push_back({results.back(), uint32_t(leaf.offset), uint8_t(leaf.scalar.bytes()),
                              leaf.scalar.wide()});
      access.bytes += leaf.scalar.bytes();
    }
    access.alignment = access.bytes;
    access.ordered = isOrdered(i);
    d_.emit(runLoad,
            access.space == Space::Shared ? InstructionClass::SharedMemory
                                          : InstructionClass::GlobalMemory,
            {}, at)
        .data = d_.keep(std::move(access));
    const std::vector<const Operand *> to = ptx::registersOf(i.operands[0]);
    for (size_t k = 0; k < to.size() && k < results.size(); ++k)
      write(*to[k], results[k], leaves[k].scalar, ptx::isSigned(type));
    return to.size() == results.size() || fail(i);
  }
  bool store(const ptx::Instruction &i) {
    Type type;
    Leaves leaves;
    if (!memoryShape(i, type, leaves) || i.operands.size() < 2)
      return fail(i);
    bool narrow = false;
    MemoryAccess access;
    const Reg at = address(i.operands[0], narrow);
    access.space = spaceOf(i);
    access.narrow = narrow;
    access.bytes = 0;
    const std::vector<const Operand *> from = ptx::registersOf(i.operands[1]);
    if (from.size() != leaves.size())
      return fail(i);
    for (size_t k = 0; k < leaves.size(); ++k) {
      const Scalar scalar = leaves[k].scalar;
      access.parts.push_back({read(*from[k], scalar), uint32_t(leaves[k].offset),
                              uint8_t(scalar.bytes()), scalar.wide()});
      access.bytes += scalar.bytes();
    }
    access.alignment = access.bytes;
    access.ordered = isOrdered(i);
    releaseBefore(i);
    d_.emit(runStore,
            access.space == Space::Shared ? InstructionClass::SharedMemory
                                          : InstructionClass::GlobalMemory,
            {}, at)
        .data = d_.keep(std::move(access));
    return true;
  }
  bool atomic(const ptx::Instruction &i) {
    const bool returns = i.opcode == "atom";
    const std::vector<Type> types = ptx::typesOf(i);
    if (types.empty() || vectorLength(i) > 1)
      return fail(i);
    const Type type = types.back();
    if (isPacked(type))
      return packedAtomic(i, type);
    AtomicPlan plan;
    plan.scalar = scalarOf(type);
    plan.space = spaceOf(i);
    const bool isFloat = ptx::isFloat(type), isSigned = ptx::isSigned(type);
    static const std::pair<const char *, AtomicKind> kinds[] = {
        {"exch", AtomicKind::Exchange},
        {"cas", AtomicKind::CompareExchange},
        {"and", AtomicKind::And},
        {"or", AtomicKind::Or},
        {"xor", AtomicKind::Xor},
        {"inc", AtomicKind::IncrementWrap},
        {"dec", AtomicKind::DecrementWrap},
        {"add", isFloat ? AtomicKind::FAdd : AtomicKind::Add},
        {"min", isFloat    ? AtomicKind::FMin
                : isSigned ? AtomicKind::SMin
                           : AtomicKind::UMin},
        {"max", isFloat    ? AtomicKind::FMax
                : isSigned ? AtomicKind::SMax
                           : AtomicKind::UMax}};
    const auto *kind = std::find_if(std::begin(kinds), std::end(kinds),
                                    [&](const auto &row) { return i.has(row.first); });
    if (kind == std::end(kinds))
      return fail(i);
    plan.kind = kind->second;
    const size_t first = returns ? 1 : 0;
    if (i.operands.size() < first + (plan.kind == AtomicKind::CompareExchange ? 3 : 2))
      return fail(i);
    bool narrow = false;
    const Reg at = address(i.operands[first], narrow);
    plan.narrow = narrow;
    Reg value = read(i.operands[first + 1], plan.scalar), comparand;
    if (plan.kind == AtomicKind::CompareExchange) {
      comparand = value;
      value = read(i.operands[first + 2], plan.scalar);
    }
    if (returns)
      plan.old = d_.fresh(plan.scalar);
    const Reg old = plan.old;
    const Scalar scalar = plan.scalar;
    releaseBefore(i);
    d_.emit(runAtomic, InstructionClass::Atomic, {}, at, value, comparand).data =
        d_.keep(std::move(plan));
    if (returns)
      write(i.operands[0], old, scalar);
    return true;
  }
  bool packedAtomic(const ptx::Instruction &i, Type type) {
    if (!i.has("add"))
      return fail(i);
    const size_t first = i.opcode == "atom" ? 1 : 0;
    AtomicPlan plan;
    plan.kind = AtomicKind::FAdd;
    plan.scalar = scalarOf(ptx::elementOf(type));
    plan.space = spaceOf(i);
    bool narrow = false;
    const Reg at = address(i.operands[first], narrow);
    plan.narrow = narrow;
    const Regs parts = split(read(i.operands[first + 1], {ptx::bitsOf(type)}), type);
    Regs old;
    for (size_t k = 0; k < parts.size(); ++k)
      old.push_back(d_.fresh(plan.scalar));
    plan.old = old[0];
    for (size_t k = 1; k < parts.size(); ++k)
      plan.more.insert(plan.more.end(), {parts[k], old[k]});
    d_.emit(runAtomic, InstructionClass::Atomic, {}, at, parts[0]).data = d_.keep(std::move(plan));
    if (first)
      write(i.operands[0], join(old, type), {ptx::bitsOf(type)});
    return true;
  }

  //===-- Arithmetic -------------------------------------------------------===//

  Type lastType(const ptx::Instruction &i) {
    const std::vector<Type> types = ptx::typesOf(i);
    return types.empty() ? Type::B32 : types.back();
  }
  // Applies f to each element of packed operands, or to the operands themselves.
  template <class F> bool elementwise(const ptx::Instruction &i, Type type, unsigned sources, F f) {
    const Scalar scalar = scalarOf(ptx::elementOf(type));
    if (i.operands.size() < sources + 1)
      return fail(i);
    if (!isPacked(type)) {
      Regs in;
      for (unsigned k = 0; k < sources; ++k)
        in.push_back(read(i.operands[k + 1], scalar));
      write(i.operands[0], f(in, scalar), scalar, ptx::isSigned(type));
      return true;
    }
    llvm::SmallVector<Regs, 3> in;
    for (unsigned k = 0; k < sources; ++k)
      in.push_back(split(read(i.operands[k + 1], {ptx::bitsOf(type)}), type));
    Regs out;
    for (unsigned e = 0; e < ptx::lanesOf(type); ++e) {
      Regs element;
      for (unsigned k = 0; k < sources; ++k)
        element.push_back(in[k][e]);
      out.push_back(f(element, scalar));
    }
    write(i.operands[0], join(out, type), {ptx::bitsOf(type)});
    return true;
  }
  Reg finish(const ptx::Instruction &i, Reg value, Scalar scalar) {
    if (scalar.format == FloatFormat::None)
      return value;
    if (i.has("relu"))
      value = floatStep(FloatUnary::Relu, scalar, value);
    if (i.has("sat"))
      value = floatStep(FloatUnary::Saturate, scalar, value);
    return value;
  }
  Reg floatTwo(FloatBinary what, Scalar scalar, Reg a, Reg b) {
    const Reg result = d_.fresh(scalar);
    d_.emit(floatBinary(what, scalar.format, d_.inField()), InstructionClass::Float, result, a, b);
    return result;
  }

  bool arithmetic(const ptx::Instruction &i) {
    const Type type = lastType(i);
    if (i.has("cc") || (i.opcode == "add" && i.has("sat") && !ptx::isFloat(ptx::elementOf(type))))
      return fail(i);
    if (i.opcode == "mul" && i.has("wide"))
      return multiplyWide(i, type);
    const bool isFloat = ptx::isFloat(ptx::elementOf(type)), isSigned = ptx::isSigned(type);
    return elementwise(i, type, 2, [&](const Regs &in, Scalar scalar) {
      if (isFloat) {
        const FloatBinary what = i.opcode == "add"   ? FloatBinary::Add
                                 : i.opcode == "sub" ? FloatBinary::Sub
                                 : i.opcode == "mul" ? FloatBinary::Mul
                                 : i.opcode == "div" ? FloatBinary::Div
                                 : i.opcode == "rem" ? FloatBinary::Rem
                                 : i.opcode == "min"
                                     ? (i.has("NaN") ? FloatBinary::Minimum : FloatBinary::MinNum)
                                     : (i.has("NaN") ? FloatBinary::Maximum : FloatBinary::MaxNum);
        return finish(i, floatTwo(what, scalar, in[0], in[1]), scalar);
      }
      if (i.opcode == "min" || i.opcode == "max") {
        const IntegerFunction what =
            i.opcode == "min" ? (isSigned ? IntegerFunction::SMin : IntegerFunction::UMin)
                              : (isSigned ? IntegerFunction::SMax : IntegerFunction::UMax);
        return integerStep(what, scalar, in[0], in[1]);
      }
      if (i.opcode == "mul" && i.has("hi"))
        return integerStep(isSigned ? IntegerFunction::MulHighS : IntegerFunction::MulHighU, scalar,
                           in[0], in[1]);
      const unsigned opcode =
          i.opcode == "add"   ? Instruction::Add
          : i.opcode == "sub" ? Instruction::Sub
          : i.opcode == "div" ? (isSigned ? Instruction::SDiv : Instruction::UDiv)
          : i.opcode == "rem" ? (isSigned ? Instruction::SRem : Instruction::URem)
                              : Instruction::Mul;
      return d_.emitInteger(opcode, scalar, in[0], in[1]);
    });
  }
  Reg wideProduct(Reg a, Reg b, Scalar from, Scalar to, bool isSigned) {
    return d_.emitInteger(Instruction::Mul, to, resize(a, from, to, isSigned),
                          resize(b, from, to, isSigned));
  }
  bool multiplyWide(const ptx::Instruction &i, Type type) {
    const Scalar from = scalarOf(type), to{from.bits * 2};
    write(i.operands[0],
          wideProduct(read(i.operands[1], from), read(i.operands[2], from), from, to,
                      ptx::isSigned(type)),
          to, ptx::isSigned(type));
    return true;
  }
  bool multiplyAdd(const ptx::Instruction &i) {
    const Type type = lastType(i);
    if (ptx::isFloat(ptx::elementOf(type)))
      return elementwise(i, type, 3, [&](const Regs &in, Scalar scalar) {
        const Reg result = d_.fresh(scalar);
        d_.emit(floatFma(scalar.format, d_.inField()), InstructionClass::Float, result, in[0],
                in[1], in[2]);
        return finish(i, result, scalar);
      });
    if (i.has("cc") || i.has("sat"))
      return fail(i);
    const bool isSigned = ptx::isSigned(type);
    const Scalar from = scalarOf(type);
    if (i.has("wide")) {
      const Scalar to{from.bits * 2};
      const Reg product =
          wideProduct(read(i.operands[1], from), read(i.operands[2], from), from, to, isSigned);
      write(i.operands[0], d_.emitInteger(Instruction::Add, to, product, read(i.operands[3], to)),
            to, isSigned);
      return true;
    }
    return elementwise(i, type, 3, [&](const Regs &in, Scalar scalar) {
      const Reg product = i.has("hi") ? integerStep(isSigned ? IntegerFunction::MulHighS
                                                             : IntegerFunction::MulHighU,
                                                    scalar, in[0], in[1])
                                      : d_.emitInteger(Instruction::Mul, scalar, in[0], in[1]);
      return d_.emitInteger(Instruction::Add, scalar, product, in[2]);
    });
  }
  bool unary(const ptx::Instruction &i) {
    const Type type = lastType(i);
    static const std::pair<const char *, FloatUnary> table[] = {
        {"neg", FloatUnary::Neg},        {"abs", FloatUnary::Abs},
        {"sqrt", FloatUnary::Sqrt},      {"rsqrt", FloatUnary::ReciprocalSqrt},
        {"rcp", FloatUnary::Reciprocal}, {"ex2", FloatUnary::Exp2},
        {"lg2", FloatUnary::Log2},       {"sin", FloatUnary::Sin},
        {"cos", FloatUnary::Cos},        {"tanh", FloatUnary::Tanh}};
    if (!ptx::isFloat(ptx::elementOf(type)))
      return elementwise(i, type, 1, [&](const Regs &in, Scalar scalar) {
        return i.opcode == "neg"
                   ? d_.emitInteger(Instruction::Sub, scalar, d_.rawConstant(scalar, 0), in[0])
                   : integerStep(IntegerFunction::Abs, scalar, in[0]);
      });
    for (const auto &[name, what] : table)
      if (i.opcode == name)
        return elementwise(i, type, 1, [&, w = what](const Regs &in, Scalar scalar) {
          return floatStep(w, scalar, in[0]);
        });
    return fail(i);
  }
  bool copySign(const ptx::Instruction &i) { // copysign d, a, b: the sign of a on b
    return elementwise(i, lastType(i), 2, [&](const Regs &in, Scalar scalar) {
      return floatTwo(FloatBinary::CopySign, scalar, in[1], in[0]);
    });
  }

  //===-- Bits -------------------------------------------------------------===//

  bool logic(const ptx::Instruction &i) {
    const Type type = lastType(i);
    const Scalar scalar = type == Type::Pred ? Scalar{1} : Scalar{ptx::bitsOf(type)};
    auto operand = [&](unsigned k) {
      return type == Type::Pred ? predicate(i.operands[k]) : read(i.operands[k], scalar);
    };
    if (i.opcode == "not") {
      write(i.operands[0],
            d_.emitInteger(Instruction::Xor, scalar, operand(1),
                           d_.rawConstant(scalar, ~uint64_t(0))),
            scalar);
      return true;
    }
    const unsigned opcode = i.opcode == "and"  ? Instruction::And
                            : i.opcode == "or" ? Instruction::Or
                                               : Instruction::Xor;
    const Reg a = operand(1), b = operand(2);
    write(i.operands[0], d_.emitInteger(opcode, scalar, a, b), scalar);
    return true;
  }
  bool shift(const ptx::Instruction &i) {
    const Type type = lastType(i);
    const Scalar scalar{ptx::bitsOf(type)};
    const Reg amount = resize(read(i.operands[2], {32}), {32}, scalar, false);
    const Reg wideAmount = scalar.bits < 32 ? read(i.operands[2], {32}) : amount;
    const unsigned opcode = i.opcode == "shl"     ? Instruction::Shl
                            : ptx::isSigned(type) ? Instruction::AShr
                                                  : Instruction::LShr;
    write(i.operands[0], d_.emitInteger(opcode, scalar, read(i.operands[1], scalar), wideAmount),
          scalar, ptx::isSigned(type));
    return true;
  }
  // shf.l / shf.r: the high / low word of b:a shifted; .clamp keeps shifts of 32.
  bool funnel(const ptx::Instruction &i) {
    const Reg low = read(i.operands[1], {32}), high = read(i.operands[2], {32});
    Reg amount = read(i.operands[3], {32});
    if (i.has("clamp"))
      amount = integerStep(IntegerFunction::UMin, {32}, amount, d_.rawConstant({32}, 32));
    else
      amount = d_.emitInteger(Instruction::And, {32}, amount, d_.rawConstant({32}, 31));
    const Reg both = d_.fresh({64});
    d_.emitRepack({low, high}, {{32}, {32}}, {both}, {{64}});
    const Reg wide = d_.emitCast(Instruction::ZExt, {32}, {64}, amount);
    const bool left = i.has("l");
    const Reg moved = d_.emitInteger(left ? Instruction::Shl : Instruction::LShr, {64}, both, wide);
    const Reg result = d_.fresh({32});
    d_.emitRepack({moved}, {{64}}, {result}, {{32}}, left ? 4 : 0);
    write(i.operands[0], result, {32});
    return true;
  }
  bool logic3(const ptx::Instruction &i) {
    const auto table = i.operands.size() == 5 ? constantOf(i.operands[4]) : std::nullopt;
    if (!table)
      return fail(i);
    emitLogic3(i, unsigned(*table & 0xff));
    return true;
  }
  // A sum of products over the table's rows, skipping what does not matter.
  void emitLogic3(const ptx::Instruction &i, unsigned table) {
    const Scalar word{32};
    const Reg in[3] = {read(i.operands[1], word), read(i.operands[2], word),
                       read(i.operands[3], word)};
    auto both = [&](unsigned opcode, Reg a, Reg b) { return d_.emitInteger(opcode, word, a, b); };
    // The frequent tables keep their shape, so that payload moves are seen.
    switch (table) {
    case 0xea: // (a & b) | c
      return write(i.operands[0],
                   both(Instruction::Or, both(Instruction::And, in[0], in[1]), in[2]), word);
    case 0x6a: // (a & b) ^ c
      return write(i.operands[0],
                   both(Instruction::Xor, both(Instruction::And, in[0], in[1]), in[2]), word);
    case 0x96: // a ^ b ^ c
      return write(i.operands[0],
                   both(Instruction::Xor, both(Instruction::Xor, in[0], in[1]), in[2]), word);
    case 0xfe: // a | b | c
      return write(i.operands[0], both(Instruction::Or, both(Instruction::Or, in[0], in[1]), in[2]),
                   word);
    case 0x80: // a & b & c
      return write(i.operands[0],
                   both(Instruction::And, both(Instruction::And, in[0], in[1]), in[2]), word);
    case 0xc0: // a & b
      return write(i.operands[0], both(Instruction::And, in[0], in[1]), word);
    case 0x3c: // a ^ b
      return write(i.operands[0], both(Instruction::Xor, in[0], in[1]), word);
    case 0xfc: // a | b
      return write(i.operands[0], both(Instruction::Or, in[0], in[1]), word);
    default:
      break;
    }
    const Reg ones = d_.rawConstant(word, ~uint64_t(0));
    Reg inverse[3];
    for (unsigned k = 0; k < 3; ++k)
      inverse[k] = both(Instruction::Xor, in[k], ones);
    Reg sum = d_.rawConstant(word, 0);
    for (unsigned row = 0; row < 8; ++row) {
      if (!(table >> row & 1))
        continue;
      const Reg a = row & 4 ? in[0] : inverse[0], b = row & 2 ? in[1] : inverse[1];
      const Reg c = row & 1 ? in[2] : inverse[2];
      sum = both(Instruction::Or, sum, both(Instruction::And, both(Instruction::And, a, b), c));
    }
    write(i.operands[0], sum, word);
  }
  bool permute(const ptx::Instruction &i) {
    static constexpr const char *modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    const auto *mode = llvm::find_if(modes, [&](const char *name) { return i.has(name); });
    const Reg result = d_.fresh({32});
    const Reg low = read(i.operands[1], {32}), high = read(i.operands[2], {32});
    const Reg selector = read(i.operands[3], {32});
    if (mode == std::end(modes))
      d_.emit(runPtxPermute, InstructionClass::BytePermute, result, low, high, selector);
    else
      d_.emit(runPtxPermuteMode, InstructionClass::BytePermute, result, low, high, selector)
          .immediate = uint64_t(mode - std::begin(modes));
    write(i.operands[0], result, {32});
    return true;
  }
  bool bitExtract(const ptx::Instruction &i) {
    const Type type = lastType(i);
    const Scalar scalar = scalarOf(type);
    auto small = [&](unsigned k) { return resize(read(i.operands[k], {32}), {32}, scalar, false); };
    write(i.operands[0],
          integerStep(ptx::isSigned(type) ? IntegerFunction::BitExtractS
                                          : IntegerFunction::BitExtractU,
                      scalar, read(i.operands[1], scalar), small(2), small(3)),
          scalar);
    return true;
  }
  // bfi d, a, b, pos, len: the low len bits of a at pos of b.
  bool bitInsert(const ptx::Instruction &i) {
    const Scalar scalar{ptx::bitsOf(lastType(i))};
    auto small = [&](unsigned k) {
      const Reg byte = d_.emitInteger(Instruction::And, {32}, read(i.operands[k], {32}),
                                      d_.rawConstant({32}, 0xff));
      return resize(byte, {32}, scalar, false);
    };
    const Reg position = small(3), length = small(4);
    const Reg ones = d_.rawConstant(scalar, ~uint64_t(0));
    const Reg above = d_.emitInteger(Instruction::Shl, scalar, ones, length);
    const Reg field = d_.emitInteger(Instruction::Xor, scalar, above, ones);
    const Reg mask = d_.emitInteger(Instruction::Shl, scalar, field, position);
    const Reg keep = d_.emitInteger(Instruction::Xor, scalar, mask, ones);
    const Reg moved =
        d_.emitInteger(Instruction::Shl, scalar, read(i.operands[1], scalar), position);
    const Reg inserted = d_.emitInteger(Instruction::And, scalar, moved, mask);
    const Reg rest = d_.emitInteger(Instruction::And, scalar, read(i.operands[2], scalar), keep);
    write(i.operands[0], d_.emitInteger(Instruction::Or, scalar, inserted, rest), scalar);
    return true;
  }
  bool countBits(const ptx::Instruction &i) {
    const Type type = lastType(i);
    const Scalar scalar{ptx::bitsOf(type)};
    const IntegerFunction what = i.opcode == "popc"    ? IntegerFunction::CountOnes
                                 : i.opcode == "clz"   ? IntegerFunction::CountLeading
                                 : i.opcode == "brev"  ? IntegerFunction::ReverseBits
                                 : ptx::isSigned(type) ? IntegerFunction::FindHighestS
                                                       : IntegerFunction::FindHighest;
    if (i.has("shiftamt"))
      return fail(i);
    const Reg result = integerStep(what, scalar, read(i.operands[1], scalar));
    write(i.operands[0], result, scalar);
    return true;
  }
  bool differences(const ptx::Instruction &i) {
    if (!ptx::isSigned(lastType(i)))
      return fail(i);
    return elementwise(i, lastType(i), 3, [&](const Regs &in, Scalar scalar) {
      return integerStep(IntegerFunction::SumOfDifferences, scalar, in[0], in[1], in[2]);
    });
  }
  bool dotProduct(const ptx::Instruction &i) {
    const std::vector<Type> types = ptx::typesOf(i);
    if (types.size() < 2)
      return fail(i);
    const Reg a = read(i.operands[1], {32}), b = read(i.operands[2], {32});
    const Reg c = read(i.operands[3], {32});
    write(i.operands[0], emitDot4(d_, a, b, c, ptx::isSigned(types[0]), ptx::isSigned(types[1])),
          {32});
    return true;
  }

  //===-- Predicates -------------------------------------------------------===//

  bool comparison(const ptx::Instruction &i, Type type, unsigned &predicate) {
    struct Row {
      const char *name;
      unsigned floats, isSigned, isUnsigned;
    };
    using P = llvm::CmpInst;
    static const Row rows[] = {{"eq", P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ},
                               {"ne", P::FCMP_ONE, P::ICMP_NE, P::ICMP_NE},
                               {"lt", P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT},
                               {"le", P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE},
                               {"gt", P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT},
                               {"ge", P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE},
                               {"lo", 0, P::ICMP_ULT, P::ICMP_ULT},
                               {"ls", 0, P::ICMP_ULE, P::ICMP_ULE},
                               {"hi", 0, P::ICMP_UGT, P::ICMP_UGT},
                               {"hs", 0, P::ICMP_UGE, P::ICMP_UGE},
                               {"equ", P::FCMP_UEQ, 0, 0},
                               {"neu", P::FCMP_UNE, 0, 0},
                               {"ltu", P::FCMP_ULT, 0, 0},
                               {"leu", P::FCMP_ULE, 0, 0},
                               {"gtu", P::FCMP_UGT, 0, 0},
                               {"geu", P::FCMP_UGE, 0, 0},
                               {"num", P::FCMP_ORD, 0, 0},
                               {"nan", P::FCMP_UNO, 0, 0}};
    for (const Row &row : rows)
      if (i.has(row.name)) {
        predicate = ptx::isFloat(type)    ? row.floats
                    : ptx::isSigned(type) ? row.isSigned
                                          : row.isUnsigned;
        return true;
      }
    return false;
  }
  bool setPredicate(const ptx::Instruction &i) {
    const Type type = lastType(i);
    unsigned how = 0;
    if (isPacked(type) || !comparison(i, type, how))
      return fail(i);
    const Scalar scalar = scalarOf(type);
    const Reg a = read(i.operands[1], scalar), b = read(i.operands[2], scalar);
    Reg hit;
    if (ptx::isFloat(type)) {
      hit = d_.fresh({1});
      d_.emit(floatCompare(scalar.format, d_.inField()), InstructionClass::Float, hit, a, b)
          .immediate = how;
    } else {
      hit = d_.emitCompare(how, scalar, a, b);
    }
    if (i.opcode == "set")
      return setValue(i, hit);
    Reg miss = invert(hit);
    if (i.operands.size() > 3) {
      const unsigned opcode = i.has("and")  ? Instruction::And
                              : i.has("or") ? Instruction::Or
                                            : Instruction::Xor;
      const Reg extra = predicate(i.operands[3]);
      hit = d_.emitInteger(opcode, {1}, hit, extra);
      miss = d_.emitInteger(opcode, {1}, miss, extra);
    }
    const Operand &to = i.operands[0];
    if (to.is(Operand::Kind::Pair)) {
      write(to.elements[0], hit, {1});
      write(to.elements[1], miss, {1});
    } else {
      write(to, hit, {1});
    }
    return true;
  }
  // set.lt.u32.f32: all ones or zero; set.lt.f32.f32: 1.0 or 0.
  bool setValue(const ptx::Instruction &i, Reg hit) {
    const std::vector<Type> types = ptx::typesOf(i);
    if (types.size() != 2 || i.operands.size() > 3)
      return fail(i);
    const Scalar to = scalarOf(types[0]);
    const Reg yes = to.format == FloatFormat::None ? d_.rawConstant(to, ~uint64_t(0))
                                                   : d_.constant(to, encodeFloat(to.format, 1.0));
    const Reg result = d_.fresh(to);
    d_.emitSelect(result, to, hit, yes, d_.constant(to, 0));
    write(i.operands[0], result, to);
    return true;
  }
  bool selectOne(const ptx::Instruction &i) {
    const Scalar scalar = scalarOf(lastType(i));
    const Reg result = d_.fresh(scalar);
    const Reg a = read(i.operands[1], scalar), b = read(i.operands[2], scalar);
    d_.emitSelect(result, scalar, predicate(i.operands[3]), a, b);
    write(i.operands[0], result, scalar);
    return true;
  }

  //===-- Warps and blocks -------------------------------------------------===//

  bool barrier(const ptx::Instruction &i) {
    if (i.has("warp")) {
      emitWarpBarrier(d_);
      return true;
    }
    if (i.has("red") || i.has("cluster"))
      return fail(i);
    const Reg id = i.operands.empty() ? Reg() : read(i.operands[0], {32});
    const Reg threads = i.operands.size() > 1 ? read(i.operands[1], {32}) : Reg();
    emitBarrier(d_, id, threads, !i.has("arrive"));
    return true;
  }
  bool shuffle(const ptx::Instruction &i) {
    ShufflePlan plan;
    plan.mode = i.has("up")     ? ShuffleMode::Up
                : i.has("down") ? ShuffleMode::Down
                : i.has("bfly") ? ShuffleMode::Butterfly
                                : ShuffleMode::Index;
    const Operand &to = i.operands[0];
    const bool pair = to.is(Operand::Kind::Pair);
    const Reg value = read(i.operands[1], {32}), lane = read(i.operands[2], {32});
    const Reg control = read(i.operands[3], {32});
    if (i.operands.size() > 4)
      plan.mask = read(i.operands[4], {32});
    const Reg dst = plan.dst = d_.fresh({32});
    if (pair)
      plan.predicate = d_.fresh({1});
    const Reg inside = plan.predicate;
    d_.emit(runShuffle, InstructionClass::CrossLane, {}, value, lane, control).data =
        d_.keep(std::move(plan));
    write(pair ? to.elements[0] : to, dst, {32});
    if (pair)
      write(to.elements[1], inside, {1});
    return true;
  }
  bool vote(const ptx::Instruction &i) {
    VotePlan plan;
    const bool match = i.opcode == "match", active = i.opcode == "activemask";
    const Type type = lastType(i);
    plan.kind = match ? (i.has("all") ? VoteKind::MatchAll : VoteKind::MatchAny)
                : active || i.has("ballot") ? VoteKind::Ballot
                : i.has("all")              ? VoteKind::All
                : i.has("any")              ? VoteKind::Any
                                            : VoteKind::Uniform;
    const Scalar valueType = match ? scalarOf(type) : Scalar{1};
    plan.wideValue = valueType.wide();
    const Reg value = active  ? d_.rawConstant({1}, 1)
                      : match ? read(i.operands[1], valueType)
                              : predicate(i.operands[1]);
    const Reg members = i.operands.size() > 2 ? read(i.operands[2], {32}) : Reg();
    const bool bit =
        plan.kind == VoteKind::All || plan.kind == VoteKind::Any || plan.kind == VoteKind::Uniform;
    const Scalar result{bit ? 1u : 32u};
    const Reg dst = plan.dst = d_.fresh(result);
    const Operand &to = i.operands[0];
    const bool pair = to.is(Operand::Kind::Pair);
    if (pair)
      plan.predicate = d_.fresh({1});
    const Reg agreed = plan.predicate;
    d_.emit(runVote, InstructionClass::Vote, {}, value, members).data = d_.keep(std::move(plan));
    write(pair ? to.elements[0] : to, dst, result);
    if (pair)
      write(to.elements[1], agreed, {1});
    return true;
  }
  bool reduce(const ptx::Instruction &i) {
    ReducePlan plan;
    plan.kind = i.has("add")   ? ReducePlan::Add
                : i.has("min") ? ReducePlan::Min
                : i.has("max") ? ReducePlan::Max
                : i.has("and") ? ReducePlan::And
                : i.has("or")  ? ReducePlan::Or
                               : ReducePlan::Xor;
    const Type type = lastType(i);
    if (ptx::isFloat(type))
      return fail(i);
    plan.isSigned = ptx::isSigned(type);
    const Reg dst = d_.fresh({32});
    const Reg value = read(i.operands[1], {32}), members = read(i.operands[2], {32});
    d_.emit(runReduce, InstructionClass::CrossLane, dst, value, members).data = d_.keep(plan);
    write(i.operands[0], dst, {32});
    return true;
  }
  bool elect(const ptx::Instruction &i) { return fail(i); }

  Decoder &d_;
  const llvm::CallBase &call_;
  const ptx::Block *block_ = nullptr;
  std::vector<Binding> operands_;
  unsigned outputs_ = 0;
  std::vector<std::map<std::string, Binding>> declared_;
};

// amdgcn asm that orders or hints, and does nothing to values.
bool isOrderingOnly(llvm::StringRef text) {
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

} // namespace

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
