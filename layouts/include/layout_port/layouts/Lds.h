// The LDS of each chip: phases, banks, times, transposing reads, async copies.
//
// Rows of facts with their confidence; solve/Banks.cpp counts conflicts with them.
// Units: bytes and clocks; lanes are numbered in the wave of 64.
#pragma once

#include "layout_port/layouts/Isa.h"

namespace layout_port::isa {

// How one instruction is served: the lanes go in phases, one after the other; within
// a phase each bank (word address modulo `banks`) delivers one 4-byte word a pass.
struct LdsInstruction {
  Arch arch;        // the chip that was asked for
  const char *name; // "ds_read_b128"
  int bytes;        // a lane
  int banks;
  std::vector<uint32_t> phaseSpan; // lane masks; phases are the cosets of their span
  int accesses;                    // 2 for ds_read2 and ds_write2
  int offsets[2];                  // bytes added for each access
  Confidence confidence;
  const Source *source;
  std::string note; // what is assumed, "" if nothing

  // The phases in order of their lowest lane; the lanes of each ascend.
  std::vector<std::vector<int>> phases() const;
};

// The row for an instruction. Spellings: the names of the rows; ds_load_/ds_store_
// (gfx11 and later); ds_read_i16, ds_read_u16_d16 and the like mean the access of
// that width; ds_read2_b32, ds_read2st64_b64, ds_write2_b64 with optional
// `offset0:A offset1:B` are two accesses (without offsets: neighbours). gfx908 and
// gfx90a answer with gfx942's groups and low confidence. Nobody has published how
// two-address accesses are served: confidence unknown. Errors: unknown
// instruction; a chip without rows.
Result<LdsInstruction> ldsInstruction(std::string_view name, Arch arch);
// Names of the rows, for help texts.
std::vector<std::string> ldsInstructionNames(Arch arch);

// One wave's LDS instruction without conflicts: how long until the next can be
// issued, and until the data is there. Clocks.
struct LdsTime {
  const char *name;
  double issue;
  int latency;
  Confidence confidence;
  const Source *source;
};
// Times of the instruction of this kind (ds_read or ds_write) and width; narrower
// than 4 bytes is as b32, b96 as b128.
const LdsTime &ldsTime(bool isWrite, int bytes);

// ds_read_b64_tr_b16 and its kin (gfx950).
struct LdsTransposeRead {
  const char *name;
  const char *builtin; // without __builtin_amdgcn_
  int elementBits, laneBits;
  Confidence confidence; // of the meaning; Unknown: do not use
  const Source *source;
};
const std::vector<LdsTransposeRead> &ldsTransposeReads(Arch arch);
// What each lane gets: register (element), lane -> src_register, src_lane, where the
// source lane is the one whose address selected the element. Error: the meaning of
// this one has no source.
Result<LinearLayout> transposeReadLayout(const LdsTransposeRead &read);

// Bytes a lane that a load from global memory into LDS can have, ascending.
std::vector<int> asyncCopyBytes(Arch arch);

// Wait states that the compiler must put between producer and consumer, from
// Hazards.inc ("valu" -> "dpp", "v_mfma_f32_16x16x16_f16" -> "valu"). Error: no row,
// or the chip lacks one of the two.
Result<int> waitStates(std::string_view producer, std::string_view consumer, Arch arch);

} // namespace layout_port::isa
