// The probe: one HIP program that checks, on a user's own card, what the tables of
// layouts/isa say. Nothing of this project was run on AMD hardware; each table row
// that holds on a card is a row whose confidence can be raised.
//
//   rows of layouts/isa ──emit──▶ kernels, one a row  +  what each must return
//   program/device.h              read and write a lane's registers
//   program/check.h               launch, compare, print the table
//
// Every number about a layout comes from a row; the emitter and the program know
// only the notion of a linear layout.
#pragma once

#include "layout_port/layouts/Isa.h"

#include <string>
#include <vector>

namespace layout_port::probe {

// The chips that a probe can be written for.
const std::vector<isa::Arch> &probeArchs();

// The program for these chips; it finds out at run time which one it is on. Error: a
// chip that is not one of probeArchs(), or none.
Result<std::string> emitProbe(const std::vector<isa::Arch> &archs);

} // namespace layout_port::probe
