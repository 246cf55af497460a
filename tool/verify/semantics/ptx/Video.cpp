// See PtxDecoder.h. SIMD video instructions: sums, minima and the like of the halves or bytes of a
// word. The port has no rule for them as PTX; but clang's headers write CUDA's functions of words
// (__vadd4, __vcmpeq4) with them, which the port replaces by name.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#simd-video-instructions
#include "machine/Wave.h"
#include "semantics/ptx/PtxDecoder.h"

#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

namespace layout_port::verify {
namespace {

enum class VideoOperation : uint8_t { None, Add, Sub, Average, AbsDiff, Min, Max, Set };

struct VideoPlan {
  VideoOperation what = VideoOperation::None;
  unsigned parts = 4;
  bool signedA = false, signedB = false, signedD = false;
  bool saturate = false;
  bool accumulate = false; // .add: c and the sum of all results, in the place of the results
  llvm::CmpInst::Predicate compare = llvm::CmpInst::BAD_ICMP_PREDICATE;
};

VideoOperation operationOf(llvm::StringRef name) {
  return llvm::StringSwitch<VideoOperation>(name)
      .Case("vadd", VideoOperation::Add)
      .Case("vsub", VideoOperation::Sub)
      .Case("vavrg", VideoOperation::Average)
      .Case("vabsdiff", VideoOperation::AbsDiff)
      .Case("vmin", VideoOperation::Min)
      .Case("vmax", VideoOperation::Max)
      .Case("vset", VideoOperation::Set)
      .Default(VideoOperation::None);
}

int64_t elementOf(uint32_t word, unsigned i, unsigned bits, bool isSigned) {
  const uint64_t element = word >> (bits * i) & ((1u << bits) - 1);
  return isSigned ? int64_t(element << (64 - bits)) >> (64 - bits) : int64_t(element);
}

int64_t resultOf(const VideoPlan &plan, int64_t a, int64_t b) {
  switch (plan.what) {
  case VideoOperation::Add:
    return a + b;
  case VideoOperation::Sub:
    return a - b;
  case VideoOperation::Average: // to the nearest, halves away from zero
    return (a + b + (a + b >= 0)) >> 1;
  case VideoOperation::AbsDiff:
    return a < b ? b - a : a - b;
  case VideoOperation::Min:
    return std::min(a, b);
  case VideoOperation::Max:
    return std::max(a, b);
  default:
    return llvm::ICmpInst::compare(llvm::APInt(64, uint64_t(a), true),
                                   llvm::APInt(64, uint64_t(b), true), plan.compare);
  }
}

void runVideo(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const VideoPlan *>(op.data);
  if (wave.holdsPayload(op.a, op.b) || wave.holdsPayload(op.c))
    wave.giveUp(op, "the bits of a float take part in integer arithmetic");
  const uint32_t *a = wave.get<uint32_t>(op.a), *b = wave.get<uint32_t>(op.b);
  const uint32_t *c = wave.get<uint32_t>(op.c);
  const unsigned bits = 32 / plan.parts;
  const int64_t least = plan.signedD ? -(int64_t(1) << (bits - 1)) : 0,
                most = (int64_t(1) << (plan.signedD ? bits - 1 : bits)) - 1;
  uint32_t *d = wave.begin<uint32_t>(op.dst);
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    uint32_t word = 0, sum = c[lane];
    for (unsigned i = 0; i < plan.parts; ++i) {
      int64_t result = resultOf(plan, elementOf(a[lane], i, bits, plan.signedA),
                                elementOf(b[lane], i, bits, plan.signedB));
      if (plan.saturate)
        result = std::clamp(result, least, most);
      sum += uint32_t(result);
      word |= (uint32_t(result) & ((1u << bits) - 1)) << (bits * i);
    }
    d[lane] = plan.accumulate ? sum : word;
  }
  wave.commit<uint32_t>(op.dst, wave.rawMeta(op.a, op.b, op.c));
}

} // namespace

bool PtxDecoder::isVideo(const ptx::Instruction &i) {
  const llvm::StringRef name = i.opcode;
  return !name.empty() && (name.back() == '2' || name.back() == '4') &&
         operationOf(name.drop_back()) != VideoOperation::None;
}

// vadd4.dtype.atype.btype{.sat}{.add} d, a, b, c    vset4.atype.btype.cmp{.add} d, a, b, c
bool PtxDecoder::video(const ptx::Instruction &i) {
  VideoPlan plan;
  plan.what = operationOf(llvm::StringRef(i.opcode).drop_back());
  plan.parts = unsigned(i.opcode.back() - '0');
  llvm::SmallVector<bool, 3> areSigned;
  for (llvm::StringRef modifier : i.modifiers) {
    const auto compare = llvm::StringSwitch<llvm::CmpInst::Predicate>(modifier)
                             .Case("eq", llvm::CmpInst::ICMP_EQ)
                             .Case("ne", llvm::CmpInst::ICMP_NE)
                             .Case("lt", llvm::CmpInst::ICMP_SLT)
                             .Case("le", llvm::CmpInst::ICMP_SLE)
                             .Case("gt", llvm::CmpInst::ICMP_SGT)
                             .Case("ge", llvm::CmpInst::ICMP_SGE)
                             .Default(llvm::CmpInst::BAD_ICMP_PREDICATE);
    if (modifier == "u32" || modifier == "s32")
      areSigned.push_back(modifier == "s32");
    else if (modifier == "sat")
      plan.saturate = true;
    else if (modifier == "add")
      plan.accumulate = true;
    else if (compare == llvm::CmpInst::BAD_ICMP_PREDICATE)
      return fail("." + modifier);
    else
      plan.compare = compare;
  }
  const bool isSet = plan.what == VideoOperation::Set;
  if (areSigned.size() != (isSet ? 2 : 3) || i.operands.size() != 4 ||
      isSet != (plan.compare != llvm::CmpInst::BAD_ICMP_PREDICATE))
    return fail("its form");
  for (const Operand &operand : i.operands)
    if (!operand.component.empty() || operand.negated)
      return fail("selectors and masks");
  plan.signedD = !isSet && areSigned[0];
  plan.signedA = areSigned[isSet ? 0 : 1];
  plan.signedB = areSigned[isSet ? 1 : 2];
  const Scalar word{32};
  const Reg a = read(i.operands[1], word), b = read(i.operands[2], word),
            c = read(i.operands[3], word), result = d_.fresh(word);
  d_.emit(runVideo, InstructionClass::Integer, result, a, b, c).data = d_.keep(plan);
  write(i.operands[0], result, word);
  return true;
}

} // namespace layout_port::verify
