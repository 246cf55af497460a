// llvm.nvvm.*: see https://llvm.org/docs/NVPTXUsage.html#nvptx-intrinsics and the
// PTX instructions they stand for.
#include "semantics/Tables.h"

#include "machine/FloatOps.h"
#include "machine/Integer.h"
#include "machine/MemoryOps.h"
#include "semantics/Matrix.h"
#include "semantics/NvvmWmma.h"
#include "semantics/PtxOps.h"
#include "semantics/Threads.h"

#include <llvm/IR/Constants.h>

namespace layout_port::verify {
namespace {

class NvvmDecoder {
public:
  NvvmDecoder(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name)
      : d_(decoder), call_(call), name_(name) {}

  bool run() {
    return specialRegister() || barrier() || shuffle() || vote() || reduce() || math() ||
           integers() || async() || tiles() || decodeWmma(d_, call_, name_) || rest();
  }

private:
  bool starts(llvm::StringRef prefix) const { return name_.starts_with(prefix); }
  bool is(llvm::StringRef base) const {
    return name_ == base || (name_.starts_with(base) && name_[base.size()] == '.');
  }
  Reg arg(unsigned i) { return d_.scalarValue(call_.getArgOperand(i)); }
  Reg result() { return d_.freshFor(call_).front(); }
  void define(Reg reg) { d_.define(call_, {reg}); }

  bool specialRegister() {
    llvm::StringRef name = name_;
    if (!name.consume_front("read.ptx.sreg."))
      return false;
    struct Row {
      const char *name;
      ThreadValue what;
    };
    static constexpr Row rows[] = {{"tid.x", ThreadValue::ThreadX},
                                   {"tid.y", ThreadValue::ThreadY},
                                   {"tid.z", ThreadValue::ThreadZ},
                                   {"ctaid.x", ThreadValue::BlockX},
                                   {"ctaid.y", ThreadValue::BlockY},
                                   {"ctaid.z", ThreadValue::BlockZ},
                                   {"ntid.x", ThreadValue::BlockSizeX},
                                   {"ntid.y", ThreadValue::BlockSizeY},
                                   {"ntid.z", ThreadValue::BlockSizeZ},
                                   {"nctaid.x", ThreadValue::GridX},
                                   {"nctaid.y", ThreadValue::GridY},
                                   {"nctaid.z", ThreadValue::GridZ},
                                   {"laneid", ThreadValue::Lane},
                                   {"warpid", ThreadValue::WaveIndex},
                                   {"warpsize", ThreadValue::WaveSize},
                                   {"lanemask.lt", ThreadValue::LanesBelow},
                                   {"lanemask.le", ThreadValue::LanesBelowOrSelf},
                                   {"lanemask.gt", ThreadValue::LanesAbove},
                                   {"lanemask.ge", ThreadValue::LanesAboveOrSelf},
                                   {"dynamic_smem_size", ThreadValue::DynamicShared},
                                   {"total_smem_size", ThreadValue::TotalShared}};
    for (const Row &row : rows)
      if (name == row.name) {
        define(emitThreadValue(d_, row.what));
        return true;
      }
    if (name.starts_with("clock") || name == "globaltimer") {
      define(d_.rawConstant(d_.scalarOf(call_.getType()), 0));
      return true;
    }
    return false;
  }

  bool barrier() {
    if (name_ == "barrier0" || name_ == "barrier.cta.sync.all" ||
        name_ == "barrier.cta.sync.aligned.all" || name_ == "barrier.n" ||
        name_ == "barrier.sync") {
      emitBarrier(d_, call_.arg_size() ? arg(0) : Reg(), {}, true);
      return true;
    }
    if (name_ == "barrier" || name_ == "barrier.sync.cnt" || starts("barrier.cta.sync")) {
      emitBarrier(d_, arg(0), arg(1), true);
      return true;
    }
    // barrier.cta.red.popc.aligned.all(id, p), .count(id, threads, p)
    if (starts("barrier.cta.red.")) {
      const unsigned last = unsigned(call_.arg_size()) - 1;
      define(emitBarrierVote(d_, arg(0), last > 1 ? arg(1) : Reg(), arg(last),
                             starts("barrier.cta.red.popc")  ? BarrierVote::Count
                             : starts("barrier.cta.red.and") ? BarrierVote::And
                                                             : BarrierVote::Or));
      return true;
    }
    if (starts("barrier.cta.arrive")) {
      emitBarrier(d_, arg(0), arg(1), false);
      return true;
    }
    if (is("bar.warp.sync")) {
      emitWarpBarrier(d_);
      return true;
    }
    if (name_ == "membar.gl" || name_ == "membar.sys")
      d_.emit(runFence, InstructionClass::Control);
    return starts("membar") || starts("fence");
  }

  // shfl.sync.bfly.f32(mask, value, lane, control); a p variant also says whether
  // the source lane was in range.
  bool shuffle() {
    llvm::StringRef name = name_;
    if (!name.consume_front("shfl."))
      return false;
    const bool sync = name.consume_front("sync.");
    ShufflePlan plan;
    plan.mode = name.starts_with("up")     ? ShuffleMode::Up
                : name.starts_with("down") ? ShuffleMode::Down
                : name.starts_with("bfly") ? ShuffleMode::Butterfly
                                           : ShuffleMode::Index;
    const unsigned first = sync ? 1 : 0;
    const Reg value = arg(first), lane = arg(first + 1), control = arg(first + 2);
    if (sync)
      plan.mask = arg(0);
    const Regs dst = d_.freshFor(call_);
    plan.dst = dst[0];
    if (dst.size() > 1)
      plan.predicate = dst[1];
    d_.emit(runShuffle, InstructionClass::CrossLane, {}, value, lane, control).data =
        d_.keep(std::move(plan));
    return true;
  }

  bool vote() {
    VotePlan plan;
    Reg value, members;
    if (is("activemask")) {
      value = d_.rawConstant({1}, 1);
    } else if (starts("vote.")) {
      plan.kind = starts("vote.all")   ? VoteKind::All
                  : starts("vote.any") ? VoteKind::Any
                  : starts("vote.uni") ? VoteKind::Uniform
                                       : VoteKind::Ballot;
      const bool sync = name_.ends_with(".sync");
      value = arg(sync ? 1 : 0);
      if (sync)
        members = arg(0);
    } else if (starts("match.")) {
      plan.kind = starts("match.all") ? VoteKind::MatchAll : VoteKind::MatchAny;
      members = arg(0);
      value = arg(1);
      plan.wideValue = d_.scalarOf(call_.getArgOperand(1)->getType()).wide();
    } else {
      return false;
    }
    const Regs dst = d_.freshFor(call_);
    plan.dst = dst[0];
    if (dst.size() > 1)
      plan.predicate = dst[1];
    d_.emit(runVote, InstructionClass::Vote, {}, value, members).data = d_.keep(std::move(plan));
    return true;
  }

  bool reduce() {
    llvm::StringRef name = name_;
    if (!name.consume_front("redux.sync."))
      return false;
    ReducePlan plan;
    plan.isSigned = name == "min" || name == "max";
    plan.kind = name == "add"                     ? ReducePlan::Add
                : name == "min" || name == "umin" ? ReducePlan::Min
                : name == "max" || name == "umax" ? ReducePlan::Max
                : name == "and"                   ? ReducePlan::And
                : name == "or"                    ? ReducePlan::Or
                                                  : ReducePlan::Xor;
    if (name.starts_with("f"))
      return false;
    const Reg value = arg(0), members = arg(1);
    d_.emit(runReduce, InstructionClass::CrossLane, result(), value, members).data = d_.keep(plan);
    return true;
  }

  bool math() {
    struct Row {
      const char *prefix;
      FloatUnary what;
    };
    static constexpr Row rows[] = {{"rcp.", FloatUnary::Reciprocal},
                                   {"sqrt.", FloatUnary::Sqrt},
                                   {"rsqrt.", FloatUnary::ReciprocalSqrt},
                                   {"ex2.", FloatUnary::Exp2},
                                   {"lg2.", FloatUnary::Log2},
                                   {"sin.", FloatUnary::Sin},
                                   {"cos.", FloatUnary::Cos},
                                   {"tanh.", FloatUnary::Tanh},
                                   {"floor.", FloatUnary::Floor},
                                   {"ceil.", FloatUnary::Ceil},
                                   {"trunc.", FloatUnary::Trunc},
                                   {"round.", FloatUnary::RoundEven},
                                   {"fabs.", FloatUnary::Abs},
                                   {"saturate.", FloatUnary::Saturate},
                                   {"neg.bf16", FloatUnary::Neg}};
    if (!call_.getType()->isVoidTy() && call_.getType()->getScalarType()->isFloatingPointTy()) {
      for (const Row &row : rows)
        if (starts(row.prefix) && call_.arg_size() == 1) {
          emitFloatUnary(d_, call_, unsigned(row.what));
          return true;
        }
      if (starts("fma.") && !name_.contains("relu") && !name_.contains(".sat")) {
        emitFloatFma(d_, call_);
        return true;
      }
      struct Two {
        const char *prefix;
        FloatBinary what;
      };
      static constexpr Two two[] = {
          {"add.", FloatBinary::Add},          {"mul.", FloatBinary::Mul},
          {"div.", FloatBinary::Div},          {"fmin.nan.", FloatBinary::Minimum},
          {"fmax.nan.", FloatBinary::Maximum}, {"fmin.", FloatBinary::MinNum},
          {"fmax.", FloatBinary::MaxNum}};
      for (const Two &row : two)
        if (starts(row.prefix) && call_.arg_size() == 2) {
          emitFloatBinary(d_, call_, unsigned(row.what));
          return true;
        }
    }
    return convert();
  }

  // f2i.rn, d2ui.rz, i2f.rn ...
  bool convert() {
    const llvm::StringRef how = name_.split('.').second;
    llvm::Type *type = call_.getType();
    if (type->isVoidTy() || call_.arg_size() != 1)
      return false;
    llvm::Type *source = call_.getArgOperand(0)->getType();
    if (type->isIntegerTy() && source->isFloatingPointTy() && name_.contains("2")) {
      const Scalar from = d_.scalarOf(source), to = d_.scalarOf(type);
      const bool isSigned = !name_.contains("2u");
      const Reg value = arg(0);
      Op &op = d_.emit(floatToInteger(isSigned, from.format, to.wide(), d_.inField()),
                       InstructionClass::Float, result(), value);
      op.bits = uint8_t(to.bits);
      op.immediate = how.starts_with("rn")   ? 1
                     : how.starts_with("rm") ? 2
                     : how.starts_with("rp") ? 3
                                             : 0;
      return starts("f2") || starts("d2");
    }
    if (type->isFloatingPointTy() && source->isIntegerTy() && name_.contains("2")) {
      const Scalar from = d_.scalarOf(source), to = d_.scalarOf(type);
      const Reg value = arg(0);
      d_.emit(integerToFloat(!starts("u"), from.wide(), to.format, d_.inField()),
              InstructionClass::Float, result(), value)
          .bits = uint8_t(from.bits);
      return starts("i2") || starts("ui2") || starts("ll2") || starts("ull2");
    }
    if (type->isFloatingPointTy() && source->isFloatingPointTy() && name_.contains("2")) {
      const Reg value = arg(0);
      d_.emit(floatConvert(d_.scalarOf(source).format, d_.scalarOf(type).format, d_.inField()),
              InstructionClass::Float, result(), value);
      return true;
    }
    return false;
  }

  bool integers() {
    struct Row {
      const char *name;
      IntegerFunction what;
      unsigned operands;
    };
    static constexpr Row rows[] = {{"mulhi.i", IntegerFunction::MulHighS, 2},
                                   {"mulhi.ui", IntegerFunction::MulHighU, 2},
                                   {"mulhi.ll", IntegerFunction::MulHighS, 2},
                                   {"mulhi.ull", IntegerFunction::MulHighU, 2},
                                   {"sad.i", IntegerFunction::SumOfDifferences, 3},
                                   {"fns", IntegerFunction::FindNthSet, 3}};
    for (const Row &row : rows)
      if (name_ == row.name) {
        emitIntegerFunction(d_, call_, unsigned(row.what), row.operands);
        return true;
      }
    if (name_ == "prmt") {
      const Reg low = arg(0), high = arg(1), selector = arg(2);
      d_.emit(runPtxPermute, InstructionClass::BytePermute, result(), low, high, selector);
      return true;
    }
    if (starts("idp4a.") || starts("idp2a.")) { // idp4a.s.u(a, b, c), idp2a.s.u(a, b, high, c)
      DotPlan plan;
      plan.terms = unsigned(name_[3] - '0');
      plan.signedA = name_[6] == 's';
      plan.signedB = name_[8] == 's';
      plan.high =
          plan.terms == 2 && !llvm::cast<llvm::Constant>(call_.getArgOperand(2))->isNullValue();
      define(emitDot(d_, arg(0), arg(1), arg(plan.terms == 2 ? 3 : 2), plan));
      return true;
    }
    if (starts("isspacep.")) {
      const uint64_t window = starts("isspacep.shared") ? 1 : starts("isspacep.local") ? 2 : 0;
      const Reg top =
          d_.emitInteger(llvm::Instruction::LShr, {64}, arg(0), d_.rawConstant({64}, kWindowShift));
      define(d_.emitCompare(llvm::CmpInst::ICMP_EQ, {64}, top, d_.rawConstant({64}, window)));
      return true;
    }
    return false;
  }

  bool async() {
    if (starts("cp.async.wait.all")) {
      d_.emit(runAsyncCommit, InstructionClass::Async);
      d_.emit(runAsyncWait, InstructionClass::Async);
      return true;
    }
    if (starts("cp.async.wait.group")) {
      d_.emit(runAsyncWait, InstructionClass::Async, {}, arg(0));
      return true;
    }
    if (starts("cp.async.commit.group")) {
      d_.emit(runAsyncCommit, InstructionClass::Async);
      return true;
    }
    if (!starts("cp.async.ca.shared.global.") && !starts("cp.async.cg.shared.global."))
      return false;
    AsyncPlan plan;
    plan.narrowTo = d_.narrowPointer(call_.getArgOperand(0)->getType()->getPointerAddressSpace());
    const llvm::StringRef size = name_.drop_front(26).split('.').first;
    if (size.getAsInteger(10, plan.bytes))
      return false;
    const Reg to = arg(0), from = arg(1), real = call_.arg_size() > 2 ? arg(2) : Reg();
    d_.emit(runAsyncCopy, InstructionClass::Async, {}, to, from, real).data = d_.keep(plan);
    return true;
  }

  // ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3
  bool tiles() {
    const bool load = starts("ldmatrix.sync.aligned.m8n8"),
               store = starts("stmatrix.sync.aligned.m8n8");
    if (!load && !store)
      return false;
    std::string row = load ? "ldmatrix.m8n8" : "stmatrix.m8n8";
    for (const char *part : {".x1", ".x2", ".x4"})
      if (name_.contains(part))
        row += part;
    if (name_.contains(".trans"))
      row += ".trans";
    row += ".b16";
    llvm::Type *pointer = call_.getArgOperand(0)->getType();
    const Reg address = arg(0);
    Regs regs;
    if (load)
      regs = d_.freshFor(call_);
    else
      for (unsigned i = 1; i < call_.arg_size(); ++i)
        regs.push_back(arg(i));
    return emitMatrixMove(d_, row, regs, address, d_.spaceOf(pointer->getPointerAddressSpace()),
                          d_.narrowPointer(pointer->getPointerAddressSpace()), store);
  }

  bool rest() {
    if (is("nanosleep") || starts("prefetch") || starts("griddepcontrol") || starts("pm.event"))
      return true;
    if (starts("ldg.global") || starts("ldu.global")) {
      llvm::Type *type = call_.getType();
      const Leaves leaves = d_.flatten(type);
      const Regs dst = d_.freshFor(call_);
      d_.emitLoad(dst, leaves, arg(0), call_.getArgOperand(0)->getType()->getPointerAddressSpace(),
                  unsigned(d_.layout().getTypeStoreSize(type)), 1);
      return true;
    }
    if (name_ == "reflect") {
      define(d_.rawConstant({32}, 0));
      return true;
    }
    if (name_ == "exit")
      return false;
    return false;
  }

  Decoder &d_;
  const llvm::CallBase &call_;
  llvm::StringRef name_;
};

} // namespace

bool decodeNvvmIntrinsic(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  return NvvmDecoder(decoder, call, name).run();
}

} // namespace layout_port::verify
