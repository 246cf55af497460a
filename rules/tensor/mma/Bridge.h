// The bridged tier of mma.sync: one site becomes MFMA with layout conversions
// around it, written from the rows of layouts/isa.
//
//   Plan.h       which MFMA, and how fragments get there and back
//   Move.h       one such conversion
//   Numbers.h    how elements become what the MFMA multiplies
//   WholeWave    the arm of a wave that is whole, as C++
//   HalfWave     the arm of any other: each lane adds up its own elements
//   Bridge.cpp   the function around the two
#pragma once

#include "device/Runtime.h"
#include "tensor/mma/Plan.h"

#include <string>

namespace layout_port {

// The runtime function lp::mma_<name> as a chunk. Errors: a shape or type that is
// not bridged, in one line. `halfWaveOnly` leaves the MFMA arm out, and
// the function is lp::mma_<name>_halves.
Result<RuntimeChunk> bridgeMma(const ptx::Mma &mma, bool halfWaveOnly = false);

// "mma_m16n8k16_f32_f16": the name of that function and chunk.
std::string bridgeName(const ptx::Mma &mma);

// Four 8x8x4 products at once have no MFMA arm: they are small and old (sm_70).
bool hasWholeWaveArm(const ptx::Mma &mma);

// The parts of its text. Both leave the products of the lane's elements of D in
// r0, r1, ...; `chunks` gets what they call.
std::string wholeWaveArm(const ptx::Mma &mma, const Bridge &bridge,
                         std::vector<std::string> &chunks);
Result<std::string> halfWaveArm(const ptx::Mma &mma, const isa::MatrixInstruction &source,
                                std::vector<std::string> &chunks);

// "x0", "x1", ... and their list.
std::vector<std::string> numbered(const std::string &name, int count);
std::string joined(const std::vector<std::string> &parts, const std::string &prefix = "");

} // namespace layout_port
