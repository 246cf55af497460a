// The functions of the device runtime that natively ported sites call, written from the
// scheme: where operands are read from, what the MFMA is, how a result goes back to
// CUDA's layout.
#pragma once

#include "device/Runtime.h"
#include "native/HeldSteps.h"
#include "native/Scheme.h"

namespace layout_port::native {

enum class Role { A, B };

// How the registers of one operand come from shared memory by one ldmatrix, or from the
// kernel's own expressions.
//
//   register p of the operand = matrix q(p) of the instruction
//
// Matrix q is read at the row addresses of lanes 8 q .. 8 q + 7.
struct LoadForm {
  Role role = Role::A;
  bool transposed = false;
  std::vector<int> matrixOf; // q(p), p over the operand's registers
  // Matrix difference between the tile and its neighbour along n, when one statement
  // reads both (and then the lane chooses); 0 when it reads one.
  int neighbourMatrix = 0;
  // The address takes the tile index as well: index bit 0 there is tile bit `tileShift`.
  bool takesTile = false;
  int tileShift = 0;
  int64_t stride = 0;       // deep: from one step of k to the next, in its loop variable
  bool takesWarp = false;   // the address mentions the warp
  bool pairDiffers = false; // and is another one for the other warp of the wave
  bool isGathered = false;  // no ldmatrix: values of the kernel's own, by lane and register
  bool isBegin = false;     // ... by lane alone: what operands are computed from
  bool isInCall = false;    // gathered; handed to the product as it is
  bool inHalves = false;    // of the words, the tile has the lower or the upper ones (Solve.h)
  bool isOfRow = false;     // the lane by the thread's number: blocks are one row
};

// Two tiles of a scheme that has each by itself, of warps that share B: (d0, d1, a, b0, b1).
// `isHeld`, here and below: steps of k wait for each other (HeldSteps.h), (.., held, step).
Result<RuntimeChunk> twoTilesFunction(const std::string &name, const MmaSite &mma,
                                      const Scheme &scheme, const std::string &mfma, bool isHeld);

// D += A * B at one tile. Columns: (d, a, b). Else (even, odd, a, b, h).
Result<RuntimeChunk> mmaFunction(const std::string &name, const MmaSite &mma, const Scheme &scheme,
                                 const std::string &mfma, bool isHeld, bool inHalves = false);
// MFMAs that a call of these is: as many steps are held beside each other.
int mfmasOf(const Scheme &scheme, bool isOfTwoTiles);
// One operand product, for all chips: (b words, a words, c) -> c. Large: of 32x32.
Result<RuntimeChunk> mfmaFunction(const std::string &name, const MmaSite &mma, int words,
                                  const std::vector<isa::Arch> &archs, bool isLarge = false);
// The same of one step of k, (b words, a words, c, held, step) -> c. `functions`: those of one
// step, of two and of four, empty where no chip has them. What is left at the end of a loop is
// multiplied by it with zeros, `lp::no_words{}`, and step -1.
struct StepFunctions {
  std::map<int, std::string> of;
};
Result<RuntimeChunk> mfmaStepsFunction(const std::string &name, const MmaSite &mma, int words,
                                       const HeldSteps &held, const std::vector<isa::Arch> &archs,
                                       const StepFunctions &functions);
// (operand, address function[, tile][, step]).
// Registers of one warp's operand in the CUDA program, a lane.
size_t operandRegisters(Role role, const Scheme &scheme);

Result<RuntimeChunk> loadFunction(const std::string &name, const LoadForm &form,
                                  const Scheme &scheme);
// The same of several tiles that one ldmatrix reads, each by its function: (operands.., address
// function, `indices` numbers a tile.., [step]).
RuntimeChunk tilesFunction(const std::string &name, const std::vector<std::string> &functions,
                           int indices, bool takesStep);
// One instruction of the wave that loadFunction's text reads an operand by: bytes a lane,
// and for each lane whose row it reads: the lane, the warp of the pair, the tile index and
// step of k of the CUDA program, relative to the first; and the byte of that row.
struct WaveRead {
  struct Lane {
    unsigned lane = 0, warp = 0, tile = 0, step = 0;
    uint64_t byte = 0;
  };
  int bytes = 0;
  std::vector<Lane> lanes; // 64
};
// All of one tile's. Empty for operands that are put together (isGathered).
std::vector<WaveRead> waveReads(const LoadForm &form, const Scheme &scheme);
// Instructions beside the reads: words put together of two rows of k.
int packingOps(const LoadForm &form, const Scheme &scheme);

// (tile) or, turned, (all tiles taken together): in place.
// `isInwards`: the other way.
Result<RuntimeChunk> borderFunction(const std::string &name, const Scheme &scheme, bool packed,
                                    bool isInwards = false);

// (operand) -> its words as a product takes them, of one that is where CUDA has it.
Result<RuntimeChunk> operandMoveFunction(const std::string &name, const Scheme &scheme, Role role);

// (lower, upper): values of rows r and r + 8, exchanged, back to CUDA's lanes.
Result<RuntimeChunk> rowBorderFunction(const std::string &name, const isa::MatrixInstruction &mfma);
// The same for all registers of an array, by that function.
RuntimeChunk rowArrayFunction(const std::string &name, const std::string &ofPair);

} // namespace layout_port::native
