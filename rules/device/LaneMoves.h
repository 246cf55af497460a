// Chunks of the device runtime that are written from the cross-lane table of
// layouts/isa: which instruction moves a word from a lane known at compile time.
//
//   xor_lanes(x, 5)           dpp<0x4e>(dpp<0x141>(x))     two DPPs
//   xor_lanes(x, 16)          ds_swizzle, or v_permlane16_swap on gfx950
//   broadcast_lane(x, 3, 16)  dpp<0x153>(x)                row_newbcast
//   row_up(x, 4)              row_shr:4, lanes of a row without source keep x
//
// Every control stands in a switch because clang wants it as a constant; with the
// argument known only one case is left.
#pragma once

#include "device/Runtime.h"

namespace layout_port {

std::vector<RuntimeChunk> laneMoveChunks();

} // namespace layout_port
