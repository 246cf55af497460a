// Device library functions by name: libdevice (__nv_expf), OCML and OCKL
// (__ocml_exp_f32, __ockl_get_local_id) and the C names that headers leave open.
//
// https://docs.nvidia.com/cuda/libdevice-users-guide/
// https://github.com/ROCm/llvm-project/tree/amd-staging/amd/device-libs
#include "semantics/Tables.h"

#include "machine/FloatOps.h"
#include "machine/Integer.h"
#include "machine/MemoryOps.h"
#include "semantics/PtxOps.h"
#include "semantics/Threads.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>

namespace layout_port::verify {
namespace {

// What remains of a name once its library's prefix and type suffix are gone:
// __nv_fast_expf, __ocml_native_exp_f32, expf -> exp.
std::string baseName(llvm::StringRef name, const llvm::CallBase &call) {
  const bool single = call.getType()->isFloatTy();
  if (name.consume_front("__nv_")) {
    name.consume_front("fast_");
    if (single)
      name.consume_back("f");
  } else if (name.consume_front("__ocml_")) {
    name.consume_front("native_");
    for (llvm::StringRef suffix : {"_f16", "_f32", "_f64", "_2f16"})
      name.consume_back(suffix);
  } else if (single) {
    name.consume_front("__builtin_");
    name.consume_back("f");
  }
  return name.str();
}

struct UnaryRow {
  const char *name;
  FloatUnary what;
};
constexpr UnaryRow kUnary[] = {{"exp", FloatUnary::Exp},
                               {"exp2", FloatUnary::Exp2},
                               {"exp10", FloatUnary::Exp10},
                               {"expm1", FloatUnary::ExpM1},
                               {"log", FloatUnary::Log},
                               {"log2", FloatUnary::Log2},
                               {"log10", FloatUnary::Log10},
                               {"log1p", FloatUnary::Log1P},
                               {"sin", FloatUnary::Sin},
                               {"cos", FloatUnary::Cos},
                               {"tan", FloatUnary::Tan},
                               {"asin", FloatUnary::ASin},
                               {"acos", FloatUnary::ACos},
                               {"atan", FloatUnary::ATan},
                               {"sinh", FloatUnary::Sinh},
                               {"cosh", FloatUnary::Cosh},
                               {"tanh", FloatUnary::Tanh},
                               {"erf", FloatUnary::Erf},
                               {"erfc", FloatUnary::Erfc},
                               {"cbrt", FloatUnary::Cbrt},
                               {"tgamma", FloatUnary::Gamma},
                               {"floor", FloatUnary::Floor},
                               {"ceil", FloatUnary::Ceil},
                               {"trunc", FloatUnary::Trunc},
                               {"round", FloatUnary::Round},
                               {"rint", FloatUnary::RoundEven},
                               {"nearbyint", FloatUnary::RoundEven},
                               {"fabs", FloatUnary::Abs},
                               {"sqrt", FloatUnary::Sqrt},
                               {"rsqrt", FloatUnary::ReciprocalSqrt},
                               {"rsqrt_rn", FloatUnary::ReciprocalSqrt},
                               {"fsqrt_rn", FloatUnary::Sqrt},
                               {"sqrt_rn", FloatUnary::Sqrt},
                               {"frcp_rn", FloatUnary::Reciprocal},
                               {"rcp", FloatUnary::Reciprocal},
                               {"saturate", FloatUnary::Saturate},
                               {"fsqrt_r", FloatUnary::Sqrt},
                               {"frcp_r", FloatUnary::Reciprocal},
                               {"frsqrt_r", FloatUnary::ReciprocalSqrt}};

struct BinaryRow {
  const char *name;
  FloatBinary what;
};
constexpr BinaryRow kBinary[] = {
    {"fmax", FloatBinary::MaxNum},       {"fmin", FloatBinary::MinNum},
    {"pow", FloatBinary::Pow},           {"fmod", FloatBinary::Rem},
    {"atan2", FloatBinary::ATan2},       {"hypot", FloatBinary::Hypot},
    {"copysign", FloatBinary::CopySign}, {"fdiv_rn", FloatBinary::Div},
    {"fdivide", FloatBinary::Div},       {"fdiv_r", FloatBinary::Div},
    {"div_rte", FloatBinary::Div},       {"fadd_rn", FloatBinary::Add},
    {"fsub_rn", FloatBinary::Sub},       {"fmul_rn", FloatBinary::Mul},
    {"dadd_rn", FloatBinary::Add},       {"dmul_rn", FloatBinary::Mul},
    {"fadd_r", FloatBinary::Add},        {"fmul_r", FloatBinary::Mul},
    {"add_rte", FloatBinary::Add},       {"mul_rte", FloatBinary::Mul}};

struct IntegerRow {
  const char *name;
  IntegerFunction what;
  unsigned operands;
};
constexpr IntegerRow kInteger[] = {{"__nv_popc", IntegerFunction::CountOnes, 1},
                                   {"__nv_popcll", IntegerFunction::CountOnes, 1},
                                   {"__nv_clz", IntegerFunction::CountLeading, 1},
                                   {"__nv_clzll", IntegerFunction::CountLeading, 1},
                                   {"__nv_brev", IntegerFunction::ReverseBits, 1},
                                   {"__nv_brevll", IntegerFunction::ReverseBits, 1},
                                   {"__nv_abs", IntegerFunction::Abs, 1},
                                   {"__nv_min", IntegerFunction::SMin, 2},
                                   {"__nv_max", IntegerFunction::SMax, 2},
                                   {"__nv_umin", IntegerFunction::UMin, 2},
                                   {"__nv_umax", IntegerFunction::UMax, 2},
                                   {"__nv_llabs", IntegerFunction::Abs, 1},
                                   {"__nv_llmin", IntegerFunction::SMin, 2},
                                   {"__nv_llmax", IntegerFunction::SMax, 2},
                                   {"__nv_ullmin", IntegerFunction::UMin, 2},
                                   {"__nv_ullmax", IntegerFunction::UMax, 2},
                                   {"__nv_usad", IntegerFunction::SumOfDifferences, 3},
                                   {"__ockl_clz_u32", IntegerFunction::CountLeading, 1},
                                   {"__ockl_clz_u64", IntegerFunction::CountLeading, 1},
                                   {"__ockl_mul_hi_i32", IntegerFunction::MulHighS, 2},
                                   {"__ockl_mul_hi_u32", IntegerFunction::MulHighU, 2},
                                   {"__nv_mulhi", IntegerFunction::MulHighS, 2},
                                   {"__nv_umulhi", IntegerFunction::MulHighU, 2},
                                   {"__nv_mul64hi", IntegerFunction::MulHighS, 2},
                                   {"__nv_umul64hi", IntegerFunction::MulHighU, 2}};

void runAssert(Wave &wave, const Op &op) {
  wave.report(op, ProblemKind::Trap, wave.active, "assertion failed");
  wave.stop(op, "assertion failed");
}

// The bits of a float as an integer, or the other way round.
bool decodeReinterpretation(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  for (const char *known :
       {"__nv_float_as_int", "__nv_float_as_uint", "__nv_int_as_float", "__nv_uint_as_float",
        "__nv_double_as_longlong", "__nv_longlong_as_double"})
    if (name == known) {
      decoder.define(call, {decoder.scalarValue(call.getArgOperand(0))});
      return true;
    }
  return false;
}

// __nv_float2int_rn, __nv_ull2double_rz, __nv_double2float_rn: FROM2TO_rMODE.
bool decodeConversion(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  if (!name.consume_front("__nv_") || call.arg_size() != 1)
    return false;
  const auto [from, rest] = name.split('2');
  const auto [to, mode] = rest.split("_r");
  const auto isKnown = [](llvm::StringRef type) {
    return llvm::is_contained({"float", "double", "int", "uint", "ll", "ull"}, type);
  };
  if (!isKnown(from) || !isKnown(to))
    return false;
  const Scalar source = decoder.scalarOf(call.getArgOperand(0)->getType());
  const Scalar result = decoder.scalarOf(call.getType());
  const Reg value = decoder.scalarValue(call.getArgOperand(0)), dst = decoder.freshFor(call)[0];
  const bool floats = source.format != FloatFormat::None;
  const auto emit = [&](Op::Function run) -> Op & {
    return decoder.emit(run, InstructionClass::Float, dst, value);
  };
  if (floats && result.format != FloatFormat::None) {
    emit(floatConvert(source.format, result.format, decoder.inField()));
  } else if (floats) {
    Op &op =
        emit(floatToInteger(!to.starts_with("u"), source.format, result.wide(), decoder.inField()));
    op.bits = uint8_t(result.bits);
    op.immediate = mode == "z" ? 0 : mode == "d" ? 2 : mode == "u" ? 3 : 1;
  } else {
    emit(integerToFloat(!from.starts_with("u"), source.wide(), result.format, decoder.inField()))
        .bits = uint8_t(source.bits);
  }
  return true;
}

// __nv_isnanf, __nv_isinfd, __nv_finitef and their kin, as whole numbers.
bool decodeClass(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  struct Row {
    const char *name;
    unsigned mask; // llvm's: https://llvm.org/docs/LangRef.html#llvm-is-fpclass
  };
  static constexpr Row rows[] = {{"isnanf", 0x003},   {"isnand", 0x003},  {"isinff", 0x204},
                                 {"isinfd", 0x204},   {"finitef", 0x1f8}, {"isfinited", 0x1f8},
                                 {"signbitf", 0x03c}, {"signbitd", 0x03c}};
  if (!name.consume_front("__nv_"))
    return false;
  for (const Row &row : rows)
    if (name == row.name) {
      const Scalar scalar = decoder.scalarOf(call.getArgOperand(0)->getType());
      decoder
          .emit(floatIsClass(scalar.format, decoder.inField()), InstructionClass::Float,
                decoder.freshFor(call)[0], decoder.scalarValue(call.getArgOperand(0)))
          .immediate = row.mask;
      return true;
    }
  return false;
}

bool decodeBits(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  if (name == "__nv_byte_perm") {
    decoder.emit(runPtxPermute, InstructionClass::BytePermute, decoder.freshFor(call)[0],
                 decoder.scalarValue(call.getArgOperand(0)),
                 decoder.scalarValue(call.getArgOperand(1)),
                 decoder.scalarValue(call.getArgOperand(2)));
    return true;
  }
  if (name != "__nv_ffs" && name != "__nv_ffsll")
    return false;
  // The lowest bit's number from 1: as many as in x ^ (x - 1), or none of no bits.
  const Scalar from = decoder.scalarOf(call.getArgOperand(0)->getType()), to{32};
  const Reg x = decoder.scalarValue(call.getArgOperand(0)), zero = decoder.rawConstant(from, 0);
  const Reg below =
      decoder.emitInteger(llvm::Instruction::Sub, from, x, decoder.rawConstant(from, 1));
  const Reg upTo = decoder.emitInteger(llvm::Instruction::Xor, from, x, below);
  const Reg count = decoder.fresh(from);
  Op &op = decoder.emit(integerFunction(IntegerFunction::CountOnes, from.wide()),
                        InstructionClass::Integer, count, upTo);
  op.bits = uint8_t(from.bits);
  op.opcode = uint16_t(IntegerFunction::CountOnes);
  const Reg number =
      from.wide() ? decoder.emitCast(llvm::Instruction::Trunc, from, to, count) : count;
  decoder.emitSelect(decoder.freshFor(call)[0], to,
                     decoder.emitCompare(llvm::CmpInst::ICMP_EQ, from, x, zero),
                     decoder.rawConstant(to, 0), number);
  return true;
}

// __atomic_work_item_fence(spaces, order, scope): a fence beyond the block is one for the
// machine. Scopes as in OpenCL: 2 is the device, 3 all devices.
bool decodeWorkItemFence(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  if (name != "__atomic_work_item_fence")
    return false;
  const auto number = [&](unsigned i) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(i));
    return constant ? constant->getZExtValue() : 0;
  };
  constexpr unsigned release = 3, device = 2, allDevices = 3;
  if (call.arg_size() == 3 && number(1) >= release &&
      (number(2) == device || number(2) == allDevices))
    decoder.emit(runFence, InstructionClass::Control);
  return true;
}

bool decodeOckl(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  struct Row {
    const char *name;
    ThreadValue what;
  };
  static constexpr Row rows[] = {{"get_local_id", ThreadValue::ThreadX},
                                 {"get_group_id", ThreadValue::BlockX},
                                 {"get_local_size", ThreadValue::BlockSizeX},
                                 {"get_num_groups", ThreadValue::GridX}};
  auto *axis =
      call.arg_size() == 1 ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0)) : nullptr;
  for (const Row &row : rows) {
    if (name != row.name)
      continue;
    if (!axis || axis->getZExtValue() > 2)
      return false;
    const Reg narrow =
        emitThreadValue(decoder, ThreadValue(unsigned(row.what) + axis->getZExtValue()));
    const Scalar to = decoder.scalarOf(call.getType());
    decoder.define(
        call, {to.wide() ? decoder.emitCast(llvm::Instruction::ZExt, {32}, to, narrow) : narrow});
    return true;
  }
  return false;
}

} // namespace

bool isAssertionCall(llvm::StringRef name) {
  return name == "__assertfail" || name == "__assert_fail" || name == "__assert" ||
         name == "abort" || name == "__cuda_assert_fail";
}

bool decodeLibraryCall(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  if (name == "vprintf" || name == "printf" || name.starts_with("__ockl_printf") ||
      name == "__hip_printf" || name.starts_with("__ockl_fprintf")) {
    decoder.notePrint();
    if (!call.getType()->isVoidTy())
      decoder.define(call, {decoder.rawConstant(decoder.scalarOf(call.getType()), 0)});
    return true;
  }
  if (isAssertionCall(name)) {
    decoder.emit(runAssert, InstructionClass::Control);
    return true;
  }
  if (decodeReinterpretation(decoder, call, name) || decodeConversion(decoder, call, name) ||
      decodeClass(decoder, call, name) || decodeBits(decoder, call, name) ||
      decodeWorkItemFence(decoder, call, name))
    return true;
  for (const IntegerRow &row : kInteger)
    if (name == row.name) {
      emitIntegerFunction(decoder, call, unsigned(row.what), row.operands);
      return true;
    }
  llvm::StringRef ockl = name;
  if (ockl.consume_front("__ockl_"))
    return decodeOckl(decoder, call, ockl);
  const bool floatResult = call.getType()->getScalarType()->isFloatingPointTy();
  const std::string base = baseName(name, call);
  if (floatResult && call.arg_size() == 1)
    for (const UnaryRow &row : kUnary)
      if (base == row.name) {
        emitFloatUnary(decoder, call, unsigned(row.what));
        return true;
      }
  if (floatResult && call.arg_size() == 2)
    for (const BinaryRow &row : kBinary)
      if (base == row.name) {
        emitFloatBinary(decoder, call, unsigned(row.what));
        return true;
      }
  if (floatResult && call.arg_size() == 3 &&
      (base == "fma" || base == "fmaf_rn" || base == "fma_rn" || base == "fmaf_r" ||
       base == "mad" || base == "fma_rte")) {
    emitFloatFma(decoder, call);
    return true;
  }
  return false;
}

} // namespace layout_port::verify
