// Machine operations that only PTX and NVVM need.
#pragma once

#include "decode/Decoder.h"
#include "machine/Wave.h"

namespace layout_port::verify {

// Between the two, operations run for the lanes in which `condition` holds.
void beginGuard(Decoder &decoder, Reg condition);
void endGuard(Decoder &decoder);

struct AsyncPlan {
  unsigned bytes = 16;
  bool narrowTo = true;
};
void runAsyncCopy(Wave &wave, const Op &op); // a: shared address, b: global, c: bytes read
void runAsyncCommit(Wave &wave, const Op &op);
void runAsyncWait(Wave &wave, const Op &op); // keeps a (or immediate) groups pending

// prmt in its default mode: nibble i of c names byte i of the result; bit 3 of a
// nibble copies the byte's sign instead.
void runPtxPermute(Wave &wave, const Op &op);
// Its other modes; Op::immediate is one of these.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-prmt
enum class PermuteMode : uint8_t {
  Forward4Extract,
  Backward4Extract,
  Replicate8,
  EdgeClampLeft,
  EdgeClampRight,
  Replicate16
};
void runPtxPermuteMode(Wave &wave, const Op &op);

// dp4a: four bytes by four bytes; dp2a: two halves of a by the lower or upper two bytes of b.
struct DotPlan {
  unsigned terms = 4;
  bool high = false;
  bool signedA = true, signedB = true;
};
Reg emitDot(Decoder &decoder, Reg a, Reg b, Reg c, DotPlan plan);
void emitTrap(Decoder &decoder);
void emitExit(Decoder &decoder); // the active lanes' threads end

} // namespace layout_port::verify
