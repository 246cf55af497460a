// llvm.amdgcn.*: see https://llvm.org/docs/AMDGPUUsage.html#llvm-ir-intrinsics and
// the CDNA 3 ISA document,
// https://www.amd.com/content/dam/amd/en/documents/instinct-tech-docs/instruction-set-architectures/amd-instinct-mi300-cdna3-instruction-set-architecture.pdf
#include "semantics/Tables.h"

#include "layout_port/layouts/CrossLane.h"
#include "layout_port/layouts/Lds.h"
#include "machine/FloatOps.h"
#include "machine/Integer.h"
#include "machine/Machine.h"
#include "machine/MemoryOps.h"
#include "semantics/Matrix.h"
#include "semantics/Threads.h"

#include <llvm/IR/Constants.h>

namespace layout_port::verify {
namespace {

//===-- Moves between lanes ------------------------------------------------===//

// dst = src from lane (address / 4) of the wave; lanes that do not take part give 0.
void runBackwardPermute(Wave &wave, const Op &op) {
  uint8_t from[kMaxLanes];
  const uint32_t *addresses = wave.get<uint32_t>(op.a);
  if (wave.active & ~wave.meta(op.a).defined)
    wave.report(op, ProblemKind::UndefinedOperand, wave.active & ~wave.meta(op.a).defined);
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    from[lane] = uint8_t(addresses[lane] / 4 & (wave.lanes - 1));
  gatherLanes(wave, op, op.dst, op.b, false, from);
}

// Lane i's value goes to lane (address / 4); the highest writer wins.
void runForwardPermute(Wave &wave, const Op &op) {
  uint8_t from[kMaxLanes] = {};
  uint64_t written = 0;
  const uint32_t *addresses = wave.get<uint32_t>(op.a);
  if (wave.active & ~wave.meta(op.a).defined)
    wave.report(op, ProblemKind::UndefinedOperand, wave.active & ~wave.meta(op.a).defined);
  forLanes(wave.active, [&](unsigned lane) {
    const unsigned to = addresses[lane] / 4 & (wave.lanes - 1);
    from[to] = uint8_t(lane);
    written |= uint64_t(1) << to;
  });
  gatherLanes(wave, op, op.dst, op.b, false, from, ~written);
}

// A move whose control is fixed: the lane that each lane reads, from the rows of
// layouts/isa; -1 where there is none.
struct FixedSources {
  int8_t lane[kMaxLanes];
};
FixedSources sourcesOf(const isa::CrossLaneMove &move, uint64_t control, unsigned lanes) {
  FixedSources sources;
  for (unsigned lane = 0; lane < lanes; ++lane)
    sources.lane[lane] = int8_t(isa::sourceOf(move, control, int(lane), 0, int(lanes)).lane);
  return sources;
}

// A move in which every lane has a source.
void runFixedMove(Wave &wave, const Op &op) {
  const auto &sources = *static_cast<const FixedSources *>(op.data);
  uint8_t from[kMaxLanes];
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    from[lane] = uint8_t(sources.lane[lane]);
  gatherLanes(wave, op, op.dst, op.a, false, from);
}

struct DppPlan {
  FixedSources sources;
  unsigned rowMask = 15, bankMask = 15;
  bool boundControl = false;
  bool wide = false;
};

// a: old value, b: source.
void runDpp(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const DppPlan *>(op.data);
  uint8_t from[kMaxLanes] = {};
  uint64_t keepOld = 0, zero = 0;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const uint64_t bit = uint64_t(1) << lane;
    const bool selected =
        (plan.rowMask >> (lane / 16 % 4) & 1) && (plan.bankMask >> (lane % 16 / 4) & 1);
    const int source = plan.sources.lane[lane];
    const bool reads = source >= 0 && (wave.active >> source & 1);
    if (!selected || (!reads && !plan.boundControl))
      keepOld |= bit;
    else if (!reads)
      zero |= bit;
    else
      from[lane] = uint8_t(source);
  }
  // Lanes that get zero: keep without an old register. Two steps, since a lane is
  // either kept from `old` or zeroed.
  gatherLanes(wave, op, op.dst, op.b, plan.wide, from, keepOld | zero, op.a);
  if (zero & wave.active) {
    const uint64_t active = wave.active;
    wave.active = zero & active;
    gatherLanes(wave, op, op.dst, op.b, plan.wide, from, ~uint64_t(0));
    wave.active = active;
  }
}

void runReadLane(Wave &wave, const Op &op) {
  uint8_t from[kMaxLanes];
  const unsigned first = wave.active ? unsigned(__builtin_ctzll(wave.active)) : 0;
  const unsigned lane = op.b.valid() ? wave.get<uint32_t>(op.b)[first] % wave.lanes : first;
  std::fill_n(from, kMaxLanes, uint8_t(lane));
  gatherLanes(wave, op, op.dst, op.a, op.bits > 32, from);
}

// dst = lane == b ? a : c
void runWriteLane(Wave &wave, const Op &op) {
  const unsigned first = wave.active ? unsigned(__builtin_ctzll(wave.active)) : 0;
  const unsigned target = wave.get<uint32_t>(op.b)[first] % wave.lanes;
  uint8_t from[kMaxLanes];
  std::fill_n(from, kMaxLanes, uint8_t(first));
  gatherLanes(wave, op, op.dst, op.a, op.bits > 32, from, ~(uint64_t(1) << target), op.c);
}

// permlane32_swap / permlane16_swap: exchanges the upper half of `a` (each row
// pair's second row) with the lower half of `b`.
struct SwapPlan {
  unsigned bit = 5;
  Reg first, second;
};
void runSwap(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const SwapPlan *>(op.data);
  uint8_t fromB[kMaxLanes], fromA[kMaxLanes];
  uint64_t keepA = 0, keepB = 0;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const bool high = lane >> plan.bit & 1;
    (high ? keepB : keepA) |= uint64_t(1) << lane;
    fromB[lane] = uint8_t(lane & ~(1u << plan.bit));
    fromA[lane] = uint8_t(lane | 1u << plan.bit);
  }
  gatherLanes(wave, op, plan.first, op.b, false, fromB, keepA, op.a);
  gatherLanes(wave, op, plan.second, op.a, false, fromA, keepB, op.b);
}

// mbcnt: bits of the mask below this lane, plus c.
void runCountBelow(Wave &wave, const Op &op) {
  const uint32_t *mask = wave.get<uint32_t>(op.a), *base = wave.get<uint32_t>(op.b);
  uint32_t *d = wave.begin<uint32_t>(op.dst);
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const uint64_t below = (uint64_t(1) << lane) - 1;
    const uint32_t half = op.immediate ? uint32_t(below >> 32) : uint32_t(below);
    d[lane] = base[lane] + uint32_t(__builtin_popcount(mask[lane] & half));
  }
  wave.commit<uint32_t>(op.dst, wave.rawMeta(op.a, op.b));
}

// v_perm_b32: selector bytes 0-3 name bytes of the second operand, 4-7 of the
// first, 8-11 a sign, 12 zero, above 0xff.
void runBytePermute(Wave &wave, const Op &op) {
  const uint32_t *selectors = wave.get<uint32_t>(op.c);
  uint8_t from[4][kMaxLanes];
  uint32_t ones[kMaxLanes] = {};
  bool plain = true;
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned s = selectors[lane] >> (8 * i) & 0xff;
      from[i][lane] = uint8_t(s < 8 ? s : 8);
      if (s < 8 || s == 12)
        continue;
      plain = false;
      const uint64_t both =
          uint64_t(wave.get<uint32_t>(op.a)[lane]) << 32 | wave.get<uint32_t>(op.b)[lane];
      const bool set = s > 12 || (both >> (16 * (s - 8) + 15) & 1);
      ones[lane] |= set ? 0xffu << (8 * i) : 0;
    }
  permuteBytes(wave, op, op.b, op.a, from, op.dst);
  if (plain)
    return;
  if (wave.holdsPayload(op.a, op.b))
    wave.giveUp(op, "sign bytes of a float are taken");
  uint32_t merged[kMaxLanes];
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    merged[lane] = wave.get<uint32_t>(op.dst)[lane] | ones[lane];
  wave.blend<uint32_t>(op.dst, merged, wave.meta(op.dst));
}

//===-- Dot products -------------------------------------------------------===//

struct DotPlan {
  unsigned parts = 4;
  MatrixElement a, b;
  bool saturate = false;
};
void runDot(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const DotPlan *>(op.data);
  const uint32_t *a = wave.get<uint32_t>(op.a), *b = wave.get<uint32_t>(op.b);
  const uint32_t *c = wave.get<uint32_t>(op.c);
  if (wave.holdsPayload(op.a, op.b))
    wave.giveUp(op, "the bits of a float are multiplied as integers");
  auto part = [&](const MatrixElement &element, uint32_t word, unsigned i) {
    const uint64_t bits = word >> (element.bits * i) & ((uint64_t(1) << element.bits) - 1);
    return element.isSigned ? int64_t(bits << (64 - element.bits)) >> (64 - element.bits)
                            : int64_t(bits);
  };
  uint32_t *d = wave.begin<uint32_t>(op.dst);
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    int64_t sum = plan.a.isSigned || plan.b.isSigned ? int64_t(int32_t(c[lane])) : c[lane];
    for (unsigned i = 0; i < plan.parts; ++i)
      sum += part(plan.a, a[lane], i) * part(plan.b, b[lane], i);
    if (plan.saturate)
      sum = plan.a.isSigned ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)
                            : std::clamp<int64_t>(sum, 0, UINT32_MAX);
    d[lane] = uint32_t(sum);
  }
  wave.commit<uint32_t>(op.dst, wave.rawMeta(op.a, op.b, op.c));
}

//===-- Memory -------------------------------------------------------------===//

// global_load_lds: lane i's bytes go to the LDS base (of the first active lane)
// plus i times the size.
struct LdsLoadPlan {
  unsigned bytes = 4;
  int64_t offset = 0;
  bool narrowLds = true;
  Space from = Space::Global;
};
void runLdsLoad(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const LdsLoadPlan *>(op.data);
  uint64_t to[kMaxLanes] = {}, from[kMaxLanes];
  const unsigned first = wave.active ? unsigned(__builtin_ctzll(wave.active)) : 0;
  const uint64_t base = wave.get<uint32_t>(op.b)[first];
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    to[lane] = base + uint64_t(plan.offset) + uint64_t(lane) * plan.bytes;
    from[lane] = wave.get<uint64_t>(op.a)[lane] + uint64_t(plan.offset);
  }
  Access source, target;
  wave.resolve(source, plan.from, from, wave.meta(op.a), plan.bytes, 1, MemoryEvent::Load, op);
  wave.resolve(target, Space::Shared, to, wave.meta(op.b), plan.bytes, 1, MemoryEvent::Store, op);
  forLanes(source.lanes & target.lanes, [&](unsigned lane) {
    std::memcpy(target.bytes[lane], source.bytes[lane], plan.bytes);
    for (unsigned i = 0; i < plan.bytes; ++i)
      target.shade[lane][i] = source.shade[lane][i] & uint8_t(~8);
  });
}

// ds_read_*_tr_*: every lane addresses `elements` elements; which lane gets which is a
// table of (element, lane).
struct TransposeReadPlan {
  unsigned elementBytes = 2, elements = 4, regBytes = 2;
  Regs regs;
  std::vector<uint8_t> fromElement, fromLane; // [element * 64 + lane]
};
void runTransposeRead(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const TransposeReadPlan *>(op.data);
  if (wave.active != wave.all)
    wave.report(op, ProblemKind::InactiveLane, wave.all & ~wave.active,
                "a transposing LDS read needs all lanes");
  Access access;
  const unsigned bytes = plan.elementBytes * plan.elements;
  wave.resolve(access, Space::Shared, op.a, true, bytes, bytes, MemoryEvent::Load, op);
  const unsigned perReg = plan.regBytes / plan.elementBytes;
  for (unsigned reg = 0; reg < plan.regs.size(); ++reg) {
    uint64_t values[kMaxLanes] = {}, shades[kMaxLanes] = {};
    for (unsigned i = 0; i < perReg; ++i)
      for (unsigned lane = 0; lane < wave.lanes; ++lane) {
        const unsigned at = (reg * perReg + i) * kMaxLanes + lane, from = plan.fromLane[at];
        const unsigned offset = plan.fromElement[at] * plan.elementBytes;
        uint64_t value = 0, shade = 0;
        std::memcpy(&value, access.bytes[from] + offset, plan.elementBytes);
        std::memcpy(&shade, access.shade[from] + offset, plan.elementBytes);
        values[lane] |= value << (8 * plan.elementBytes * i);
        shades[lane] |= shade << (8 * plan.elementBytes * i);
      }
    wave.writeLoaded(plan.regs[reg], values, shades, plan.regBytes);
  }
}

void runImplicitArguments(Wave &wave, const Op &op) {
  uint64_t *d = wave.begin<uint64_t>(op.dst);
  std::fill_n(d, wave.lanes, wave.block->implicitArguments);
  wave.commit<uint64_t>(op.dst, {wave.all, 0, 0, false});
}

void runEndProgram(Wave &wave, const Op &op) {
  wave.stop(op, "s_endpgm in the middle of a kernel is not supported");
}

//===-- Decoding -----------------------------------------------------------===//

class AmdgcnDecoder {
public:
  AmdgcnDecoder(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name)
      : d_(decoder), call_(call), name_(name) {}

  bool run() {
    return isIgnored() || threadIndex() || laneMove() || vote() || matrix() || math() || fp8() ||
           dot() || memory() || synchronize();
  }

private:
  bool is(llvm::StringRef base) const {
    return name_ == base || (name_.starts_with(base) && name_[base.size()] == '.');
  }
  Reg arg(unsigned i) { return d_.scalarValue(call_.getArgOperand(i)); }
  uint64_t fixed(unsigned i) {
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(call_.getArgOperand(i)))
      return constant->getZExtValue();
    d_.fail("operand " + llvm::Twine(i) + " must be a constant");
    return 0;
  }
  Reg result() { return d_.freshFor(call_).front(); }
  Scalar type() { return d_.scalarOf(call_.getType()->getScalarType()); }

  bool isIgnored() {
    for (llvm::StringRef hint :
         {"s.waitcnt", "s.wait.", "sched.", "s.setprio", "s.sleep", "iglp.opt", "wave.barrier",
          "s.nop", "s.ttracedata", "s.dcache", "buffer.wbinv", "s.icache", "s.sethalt",
          "s.incperflevel", "s.decperflevel", "s.setreg", "s.sendmsg"})
      if (name_.starts_with(hint)) {
        if (!call_.getType()->isVoidTy())
          return false;
        return true;
      }
    return false;
  }

  bool threadIndex() {
    struct Row {
      const char *name;
      ThreadValue what;
    };
    static constexpr Row rows[] = {
        {"workitem.id.x", ThreadValue::ThreadX},  {"workitem.id.y", ThreadValue::ThreadY},
        {"workitem.id.z", ThreadValue::ThreadZ},  {"workgroup.id.x", ThreadValue::BlockX},
        {"workgroup.id.y", ThreadValue::BlockY},  {"workgroup.id.z", ThreadValue::BlockZ},
        {"wavefrontsize", ThreadValue::WaveSize}, {"groupstaticsize", ThreadValue::TotalShared}};
    for (const Row &row : rows)
      if (name_ == row.name) {
        d_.define(call_, {emitThreadValue(d_, row.what)});
        return true;
      }
    if (name_ == "implicitarg.ptr") {
      d_.emit(runImplicitArguments, InstructionClass::Control, result());
      return true;
    }
    return false;
  }

  // The rows of a chip's cross-lane moves. The first failure ends decoding.
  template <class F> const isa::CrossLaneMove *rowBy(F find) {
    Result<isa::Arch> arch = isa::parseArch(d_.program().arch);
    if (!arch) {
      d_.fail("cross-lane moves of '" + d_.program().arch + "' are not known");
      return nullptr;
    }
    Result<const isa::CrossLaneMove *> row = find(*arch);
    if (row)
      return *row;
    d_.fail(row.error().message);
    return nullptr;
  }
  const isa::CrossLaneMove *rowNamed(const char *name) {
    return rowBy([&](isa::Arch arch) { return isa::findCrossLaneMove(name, arch); });
  }
  void fixedMove(const isa::CrossLaneMove *row, uint64_t control, Reg value,
                 InstructionClass kind) {
    if (row)
      d_.emit(runFixedMove, kind, result(), value).data =
          d_.keep(sourcesOf(*row, control, d_.program().lanes));
  }

  bool laneMove() {
    if (is("ds.bpermute") || is("ds.permute")) {
      const Reg address = arg(0), value = arg(1);
      d_.emit(is("ds.bpermute") ? runBackwardPermute : runForwardPermute,
              InstructionClass::LdsPermute, result(), address, value);
      return true;
    }
    if (is("ds.swizzle")) {
      const uint64_t offset = fixed(1);
      fixedMove(rowBy([&](isa::Arch arch) { return isa::swizzleMove(uint32_t(offset), arch); }),
                offset, arg(0), InstructionClass::LdsPermute);
      return true;
    }
    return dpp() || permlane() || scalarLane() || insideLane();
  }

  bool dpp() {
    if (is("mov.dpp8")) {
      fixedMove(rowNamed("dpp8"), fixed(1), arg(0), InstructionClass::Dpp);
      return true;
    }
    if (!is("mov.dpp") && !is("update.dpp"))
      return false;
    const bool update = is("update.dpp");
    const uint64_t control = fixed(update ? 2 : 1);
    const isa::CrossLaneMove *row =
        rowBy([&](isa::Arch arch) { return isa::dppMove(uint32_t(control), arch); });
    if (!row)
      return true;
    DppPlan plan;
    plan.sources = sourcesOf(*row, control, d_.program().lanes);
    plan.rowMask = unsigned(fixed(update ? 3 : 2));
    plan.bankMask = unsigned(fixed(update ? 4 : 3));
    plan.boundControl = fixed(update ? 5 : 4) != 0;
    plan.wide = type().wide();
    const Reg old = update ? arg(0) : d_.undefined(type()), value = arg(update ? 1 : 0);
    d_.emit(runDpp, InstructionClass::Dpp, result(), old, value).data = d_.keep(plan);
    return true;
  }

  bool permlane() {
    if (is("permlane32.swap") || is("permlane16.swap")) {
      const bool halves = is("permlane32.swap");
      if (!rowNamed(halves ? "permlane32_swap" : "permlane16_swap"))
        return true;
      const Reg first = arg(0), second = arg(1);
      const Regs dst = d_.freshFor(call_);
      const SwapPlan plan{halves ? 5u : 4u, dst[0], dst[1]};
      d_.emit(runSwap, InstructionClass::CrossLane, {}, first, second).data = d_.keep(plan);
      return true;
    }
    if (is("permlane64")) {
      fixedMove(rowNamed("permlane64"), 0, arg(0), InstructionClass::CrossLane);
      return true;
    }
    if (is("permlane16") || is("permlanex16")) { // (old, value, selectors low, high, ..)
      const uint64_t selectors = fixed(2) | fixed(3) << 32;
      fixedMove(rowNamed(is("permlane16") ? "permlane16" : "permlanex16"), selectors, arg(1),
                InstructionClass::CrossLane);
      return true;
    }
    return false;
  }

  bool scalarLane() {
    if (is("readfirstlane") || is("readlane")) {
      const Regs values = d_.value(call_.getArgOperand(0));
      const Reg lane = is("readlane") ? arg(1) : Reg();
      const Regs dst = d_.freshFor(call_);
      for (size_t i = 0; i < dst.size(); ++i)
        d_.emit(runReadLane, InstructionClass::ReadLane, dst[i], values[i], lane).bits =
            uint8_t(type().bits);
      return true;
    }
    if (is("writelane")) {
      const Reg value = arg(0), lane = arg(1), old = arg(2);
      d_.emit(runWriteLane, InstructionClass::ReadLane, result(), value, lane, old).bits =
          uint8_t(type().bits);
      return true;
    }
    return false;
  }

  bool insideLane() {
    if (is("mbcnt.lo") || is("mbcnt.hi")) {
      const Reg mask = arg(0), base = arg(1);
      d_.emit(runCountBelow, InstructionClass::Integer, result(), mask, base).immediate =
          is("mbcnt.hi");
      return true;
    }
    if (is("perm")) {
      const Reg high = arg(0), low = arg(1), selector = arg(2);
      d_.emit(runBytePermute, InstructionClass::BytePermute, result(), high, low, selector);
      return true;
    }
    if (is("alignbyte") || is("alignbit")) {
      auto *amount = llvm::dyn_cast<llvm::ConstantInt>(call_.getArgOperand(2));
      if (!amount)
        return false;
      const uint64_t bits = (is("alignbyte") ? 8 : 1) * (amount->getZExtValue() & 31);
      const Reg high = arg(0), low = arg(1);
      if (bits % 8 == 0) {
        d_.emitRepack({low, high}, {{32}, {32}}, {result()}, {{32}}, unsigned(bits / 8));
        return true;
      }
      Op &op = d_.emit(integerFunction(IntegerFunction::FunnelRight, false),
                       InstructionClass::Integer, result(), high, low, d_.rawConstant({32}, bits));
      op.opcode = uint16_t(IntegerFunction::FunnelRight);
      return true;
    }
    return false;
  }

  bool vote() {
    if (is("ballot")) {
      VotePlan plan;
      plan.wideResult = type().wide();
      const Reg predicate = arg(0);
      plan.dst = result();
      d_.emit(runVote, InstructionClass::Vote, {}, predicate).data = d_.keep(plan);
      return true;
    }
    if (is("icmp")) {
      VotePlan plan;
      plan.wideResult = type().wide();
      const Reg hit = d_.emitCompare(
          unsigned(fixed(2)), d_.scalarOf(call_.getArgOperand(0)->getType()), arg(0), arg(1));
      plan.dst = result();
      d_.emit(runVote, InstructionClass::Vote, {}, hit).data = d_.keep(plan);
      return true;
    }
    return false;
  }

  // "mfma.f32.16x16x16f16": by the row whose builtin has that name.
  bool matrix() {
    if (!name_.starts_with("mfma.") && !name_.starts_with("wmma."))
      return false;
    const isa::MatrixInstruction *row = matrixRow();
    if (!row)
      return true;
    if (name_.contains("f8f6f4"))
      return scaledMatrix(*row);
    const bool fnuz = usesFnuz();
    MatrixCall call;
    call.row = row;
    call.elementA = matrixElement(row->a, fnuz);
    call.elementB = matrixElement(row->b, fnuz);
    call.elementC = call.elementD = matrixElement(row->acc, fnuz);
    if (row->a == isa::ElementType::IU8 || row->a == isa::ElementType::IU4) {
      call.elementA.isSigned = fixed(0) != 0;
      call.elementB.isSigned = fixed(2) != 0;
      call.saturate = fixed(5) != 0;
      multiply(call, 1, 3, 4);
    } else if (row->family == isa::MatrixFamily::Wmma || modifiers(call)) {
      multiply(call, 0, 1, 2);
    }
    return true;
  }
  bool usesFnuz() const {
    Result<isa::Arch> arch = isa::parseArch(d_.program().arch);
    return arch && llvm::StringRef(isa::archInfo(*arch).fp8) == "FNUZ";
  }
  const isa::MatrixInstruction *matrixRow() {
    Result<isa::Arch> arch = isa::parseArch(d_.program().arch);
    if (!arch) {
      d_.fail("matrix instructions of '" + d_.program().arch + "' are not known");
      return nullptr;
    }
    std::string spelled = "llvm.amdgcn." + name_.str();
    const int lanes = int(d_.program().lanes);
    Result<const isa::MatrixInstruction *> row = isa::findMatrixInstruction(spelled, *arch, lanes);
    for (size_t dot; !row && (dot = spelled.rfind(".v")) != std::string::npos;) {
      spelled.resize(dot); // overload suffixes
      row = isa::findMatrixInstruction(spelled, *arch, lanes);
    }
    if (row)
      return *row;
    d_.fail(row.error().message);
    return nullptr;
  }
  // a, b, c: where the call has the operands.
  void multiply(MatrixCall &call, unsigned a, unsigned b, unsigned c) {
    call.a = d_.value(call_.getArgOperand(a));
    call.b = d_.value(call_.getArgOperand(b));
    call.c = d_.value(call_.getArgOperand(c));
    call.bitsA = widthOf(a);
    call.bitsB = widthOf(b);
    call.bitsC = widthOf(c);
    call.d = d_.freshFor(call_);
    call.bitsD = type().bits;
    if (call.row->accSlotStride == 2)
      useHalves(call, call_.arg_size() > 3 && fixed(3));
    emitMatrix(d_, call);
  }
  // gfx11: a 16-bit result fills the half of each 32-bit register that op_sel names; the
  // "tied" forms keep C's other halves, the others leave them undefined.
  void useHalves(MatrixCall &call, bool upper) {
    Regs c, d;
    for (size_t i = upper; i < call.d.size(); i += 2) {
      c.push_back(call.c[i]);
      d.push_back(call.d[i]);
      if (name_.contains("tied"))
        d_.emitRepack({call.c[i ^ 1]}, {{16}}, {call.d[i ^ 1]}, {{16}});
    }
    call.c = c;
    call.d = d;
  }
  unsigned widthOf(unsigned i) {
    return d_.scalarOf(call_.getArgOperand(i)->getType()->getScalarType()).bits;
  }
  // cbsz and abid broadcast blocks of A, blgp permutes the lanes of B; for f64 on
  // gfx942 and later the three bits of blgp negate A, B and C.
  bool modifiers(MatrixCall &call) {
    call.broadcastSize = unsigned(fixed(3));
    call.broadcastBlock = unsigned(fixed(4));
    const unsigned pattern = unsigned(fixed(5));
    if (call.elementA.format != FloatFormat::F64) {
      call.lanePattern = pattern;
      return true;
    }
    if (pattern && d_.program().arch == "gfx90a") {
      d_.fail("blgp of an f64 MFMA has no source on gfx90a");
      return false;
    }
    call.negateA = pattern & 1;
    call.negateB = pattern >> 1 & 1;
    call.negateC = pattern >> 2 & 1;
    return true;
  }

  // mfma.scale.*.f8f6f4(a, b, c, format of A, of B, byte, scale of A, byte, scale of B).
  // Both scales the constant 0 select the instruction without scales, as in LLVM.
  // A lane's scale belongs to row lane % M and to k from 32 (lane / M): the layout of
  // fp4, where these are the lane's own elements.
  // https://rocm.blogs.amd.com/software-tools-optimization/matrix-cores-cdna/README.html
  bool scaledMatrix(const isa::MatrixInstruction &row) {
    MatrixCall call;
    call.row = &row;
    call.elementC = call.elementD = {FloatFormat::F32, 32};
    if (!scaledOperand(unsigned(fixed(3)), row, call.elementA, call.rowA) ||
        !scaledOperand(unsigned(fixed(4)), row, call.elementB, call.rowB))
      return true;
    if (!isZero(6) || !isZero(8)) {
      call.scaleA = {arg(6), unsigned(fixed(5)), 32, true};
      call.scaleB = {arg(8), unsigned(fixed(7)), 32, true};
    }
    multiply(call, 0, 1, 2);
    return true;
  }
  bool isZero(unsigned i) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(call_.getArgOperand(i));
    return constant && constant->isZero();
  }
  // The operand's type and the row with its layout: fp4 lies otherwise than 8 bits.
  bool scaledOperand(unsigned format, const isa::MatrixInstruction &row, MatrixElement &element,
                     const isa::MatrixInstruction *&found) {
    static constexpr MatrixElement elements[] = {
        {FloatFormat::E4M3, 8}, {FloatFormat::E5M2, 8}, {}, {}, {FloatFormat::E2M1, 4}};
    if (format == 2 || format == 3 || format > 4) {
      d_.fail(llvm::Twine(name_) + ": operands of format " + llvm::Twine(format) +
              (format > 4 ? " do not exist" : " (6-bit floats) have no layout from any source"));
      return false;
    }
    element = elements[format];
    for (const isa::MatrixInstruction &other : isa::matrixInstructions())
      if (llvm::StringRef(other.builtin) == row.builtin &&
          (other.a == isa::ElementType::FP4) == (element.bits == 4))
        found = &other;
    return true;
  }

  bool math() {
    struct Row {
      const char *name;
      FloatUnary what;
    };
    static constexpr Row rows[] = {{"rcp", FloatUnary::Reciprocal},
                                   {"rsq", FloatUnary::ReciprocalSqrt},
                                   {"sqrt", FloatUnary::Sqrt},
                                   {"exp2", FloatUnary::Exp2},
                                   {"log", FloatUnary::Log2},
                                   {"fract", FloatUnary::Fraction},
                                   {"rcp.legacy", FloatUnary::Reciprocal},
                                   {"tanh", FloatUnary::Tanh}};
    for (const Row &row : rows)
      if (is(row.name)) {
        emitFloatUnary(d_, call_, unsigned(row.what));
        return true;
      }
    if (is("fmed3")) { // max(min(a, b), min(max(a, b), c))
      const Scalar scalar = type();
      auto two = [&](FloatBinary what, Reg x, Reg y) {
        const Reg dst = d_.fresh(scalar);
        d_.emit(floatBinary(what, scalar.format, d_.inField()), InstructionClass::Float, dst, x, y);
        return dst;
      };
      const Reg a = arg(0), b = arg(1), c = arg(2);
      const Reg low = two(FloatBinary::MinNum, a, b), high = two(FloatBinary::MaxNum, a, b);
      d_.define(call_, {two(FloatBinary::MaxNum, low, two(FloatBinary::MinNum, high, c))});
      return true;
    }
    if (is("fma.legacy") || is("fmad.ftz")) {
      emitFloatFma(d_, call_);
      return true;
    }
    if (is("cvt.pkrtz") || is("cvt.pk.bf16.f32")) {
      const Regs dst = d_.freshFor(call_);
      for (unsigned i = 0; i < 2; ++i) {
        const Reg value = arg(i);
        d_.emit(floatConvert(FloatFormat::F32, type().format, d_.inField()),
                InstructionClass::Float, dst[i], value)
            .immediate = uint64_t(is("cvt.pkrtz") ? RoundTo::Zero : RoundTo::NearestEven);
      }
      return true;
    }
    if (is("ubfe") || is("sbfe")) {
      emitIntegerFunction(
          d_, call_,
          unsigned(is("ubfe") ? IntegerFunction::BitExtractU : IntegerFunction::BitExtractS), 3);
      return true;
    }
    if (is("mul.u24") || is("mul.i24")) {
      const unsigned opcode = is("mul.u24") ? llvm::Instruction::ZExt : llvm::Instruction::SExt;
      auto narrow = [&](Reg value) {
        const Reg cut = d_.emitCast(llvm::Instruction::Trunc, {32}, {24}, value);
        return d_.emitCast(opcode, {24}, {32}, cut);
      };
      d_.define(call_,
                {d_.emitInteger(llvm::Instruction::Mul, {32}, narrow(arg(0)), narrow(arg(1)))});
      return true;
    }
    if (is("class")) {
      const Reg value = arg(0);
      const Scalar from = d_.scalarOf(call_.getArgOperand(0)->getType());
      d_.emit(floatIsClass(from.format, d_.inField()), InstructionClass::Float, result(), value)
          .immediate = fixed(1);
      return true;
    }
    return false;
  }

  // v_cvt_pk_fp8_f32 and its kin, of gfx942, gfx950 and gfx12:
  //   cvt.pk.fp8.f32(a, b, old, high)   bytes of a and b, in one half of old
  //   cvt.f32.fp8(word, byte)           cvt.pk.f32.fp8(word, high)
  // Which of the two fp8 encodings is meant is the chip's. (CDNA3 ISA, chapter 12.10)
  bool fp8() {
    llvm::StringRef name = name_;
    if (!name.consume_front("cvt."))
      return false;
    const bool pair = name.consume_front("pk.");
    const bool narrow = name.starts_with("bf8") || name.starts_with("fp8");
    const llvm::StringRef type = narrow ? name.take_front(3) : name.substr(4, 3);
    if ((type != "bf8" && type != "fp8") || !name.contains("f32") || (narrow && !pair))
      return false;
    const Scalar byte{8, type == "fp8" ? (usesFnuz() ? FloatFormat::E4M3Fnuz : FloatFormat::E4M3)
                                       : (usesFnuz() ? FloatFormat::E5M2Fnuz : FloatFormat::E5M2)};
    if (narrow)
      toFp8(byte);
    else
      fromFp8(byte, unsigned(fixed(1)) * (pair ? 2 : 1));
    return true;
  }
  void toFp8(Scalar byte) {
    Regs bytes, halves;
    for (unsigned i = 0; i < 2; ++i) {
      const Reg value = arg(i);
      bytes.push_back(d_.fresh(byte));
      halves.push_back(d_.fresh({16}));
      d_.emit(floatConvert(FloatFormat::F32, byte.format, d_.inField()), InstructionClass::Float,
              bytes[i], value);
    }
    d_.emitRepack({arg(2)}, {{32}}, halves, {{16}, {16}});
    Reg &written = halves[fixed(3) ? 1 : 0];
    written = d_.fresh({16});
    d_.emitRepack(bytes, {byte, byte}, {written}, {{16}});
    d_.emitRepack(halves, {{16}, {16}}, {result()}, {{32}});
  }
  void fromFp8(Scalar byte, unsigned first) {
    Regs bytes;
    for (unsigned i = 0; i < 4; ++i)
      bytes.push_back(d_.fresh(byte));
    d_.emitRepack({arg(0)}, {{32}}, bytes, {byte, byte, byte, byte});
    const Regs to = d_.freshFor(call_);
    for (unsigned i = 0; i < to.size(); ++i)
      d_.emit(floatConvert(byte.format, FloatFormat::F32, d_.inField()), InstructionClass::Float,
              to[i], bytes[(first + i) % 4]);
  }

  bool dot() {
    DotPlan plan;
    if (is("sdot4") || is("udot4") || is("sdot8") || is("udot8") || is("sdot2") || is("udot2")) {
      const unsigned parts = unsigned(name_[4] - '0');
      const bool isSigned = name_[0] == 's';
      plan.parts = parts;
      plan.a = plan.b = {FloatFormat::None, parts == 2 ? 16u : 32 / parts, isSigned};
      plan.saturate = fixed(3) != 0;
      if (parts == 2)
        return false; // vector operands
    } else if (is("sudot4")) {
      plan.a = {FloatFormat::None, 8, fixed(0) != 0};
      plan.b = {FloatFormat::None, 8, fixed(2) != 0};
      plan.saturate = fixed(5) != 0;
      const Reg a = arg(1), b = arg(3), c = arg(4);
      d_.emit(runDot, InstructionClass::Integer, result(), a, b, c).data = d_.keep(plan);
      return true;
    } else if (is("fdot2")) {
      const Regs a = d_.value(call_.getArgOperand(0)), b = d_.value(call_.getArgOperand(1));
      Reg sum = arg(2);
      const FloatFormat from =
          d_.scalarOf(call_.getArgOperand(0)->getType()->getScalarType()).format;
      for (unsigned i = 0; i < 2; ++i) {
        const Reg x = d_.fresh({32, FloatFormat::F32}), y = d_.fresh({32, FloatFormat::F32});
        const Reg next = d_.fresh({32, FloatFormat::F32});
        d_.emit(floatConvert(from, FloatFormat::F32, d_.inField()), InstructionClass::Float, x,
                a[i]);
        d_.emit(floatConvert(from, FloatFormat::F32, d_.inField()), InstructionClass::Float, y,
                b[i]);
        d_.emit(floatFma(FloatFormat::F32, d_.inField()), InstructionClass::Float, next, x, y, sum);
        sum = next;
      }
      d_.define(call_, {sum});
      return true;
    } else {
      return false;
    }
    const Reg a = arg(0), b = arg(1), c = arg(2);
    d_.emit(runDot, InstructionClass::Integer, result(), a, b, c).data = d_.keep(plan);
    return true;
  }

  bool memory() {
    if (name_.starts_with("ds.read.tr"))
      return transposeRead();
    if (is("global.load.lds") || is("load.to.lds")) {
      LdsLoadPlan plan;
      const Reg from = arg(0), to = arg(1);
      plan.bytes = unsigned(fixed(2));
      if (!checkLdsLoad(plan.bytes))
        return true;
      plan.offset = int64_t(fixed(3));
      plan.from = d_.spaceOf(call_.getArgOperand(0)->getType()->getPointerAddressSpace());
      d_.emit(runLdsLoad, InstructionClass::Async, {}, from, to).data = d_.keep(plan);
      return true;
    }
    if (is("is.shared") || is("is.private")) {
      const Reg top =
          d_.emitInteger(llvm::Instruction::LShr, {64}, arg(0), d_.rawConstant({64}, kWindowShift));
      d_.define(call_, {d_.emitCompare(llvm::CmpInst::ICMP_EQ, {64}, top,
                                       d_.rawConstant({64}, is("is.shared") ? 1 : 2))});
      return true;
    }
    return false;
  }

  // Less than a word a lane: no source says where the bytes of each lane land.
  bool checkLdsLoad(unsigned bytes) {
    Result<isa::Arch> arch = isa::parseArch(d_.program().arch);
    const std::vector<int> widths = arch ? isa::asyncCopyBytes(*arch) : std::vector<int>();
    if (bytes >= 4 && llvm::is_contained(widths, int(bytes)))
      return true;
    d_.fail("global_load_lds of " + llvm::Twine(bytes) + " bytes a lane is not known on '" +
            d_.program().arch + "'");
    return false;
  }

  // "ds.read.tr16.b64.v4i16": by the row whose builtin has that name.
  bool transposeRead() {
    Result<isa::Arch> arch = isa::parseArch(d_.program().arch);
    std::string builtin = name_.substr(0, name_.rfind(".v")).str();
    std::replace(builtin.begin(), builtin.end(), '.', '_');
    for (const isa::LdsTransposeRead &row :
         arch ? isa::ldsTransposeReads(*arch) : std::vector<isa::LdsTransposeRead>()) {
      if (builtin != row.builtin)
        continue;
      emitTransposeRead(row);
      return true;
    }
    d_.fail(llvm::Twine(builtin) + " does not exist on '" + d_.program().arch + "'");
    return true;
  }
  void emitTransposeRead(const isa::LdsTransposeRead &row) {
    Result<LinearLayout> layout = isa::transposeReadLayout(row);
    if (!layout) {
      d_.fail(layout.error().message);
      return;
    }
    if (row.confidence < isa::Confidence::Medium)
      d_.note(std::string(row.name) + " does what one source of low confidence says");
    TransposeReadPlan plan;
    plan.elementBytes = unsigned(row.elementBits) / 8;
    plan.elements = unsigned(row.laneBits / row.elementBits);
    plan.regs = d_.freshFor(call_);
    plan.regBytes = type().bytes();
    for (unsigned e = 0; e < plan.elements; ++e)
      for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
        const uint64_t from = layout->apply(e + uint64_t(lane) * plan.elements);
        plan.fromElement.push_back(uint8_t(from % plan.elements));
        plan.fromLane.push_back(uint8_t(from / plan.elements));
      }
    const Reg address = arg(0);
    d_.emit(runTransposeRead, InstructionClass::SharedMemory, {}, address).data =
        d_.keep(std::move(plan));
  }

  bool synchronize() {
    if (is("s.barrier")) {
      emitBlockBarrier(d_);
      return true;
    }
    if (is("s.memtime") || is("s.memrealtime") || is("s.getreg")) {
      d_.define(call_, {d_.rawConstant(type(), 0)});
      return true;
    }
    if (is("endpgm")) {
      d_.emit(runEndProgram, InstructionClass::Control);
      return true;
    }
    return false;
  }

  Decoder &d_;
  const llvm::CallBase &call_;
  llvm::StringRef name_;
};

} // namespace

bool decodeAmdgcnIntrinsic(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  return AmdgcnDecoder(decoder, call, name).run();
}

} // namespace layout_port::verify
