// The wmma API of mma.h: llvm.nvvm.wmma.m16n16k16.{load.a|load.b|load.c|store.d|mma}...
//
// PTX leaves the fragments' layout open: a program may only load, store, multiply
// and treat all elements alike. Each fragment is given a layout of its own choice
// here, in which lane and register bits enumerate the tile in plain order; what a
// program computes with it by the rules is the same as on the card.
#pragma once

#include "decode/Decoder.h"

namespace layout_port::verify {

bool decodeWmma(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name);

} // namespace layout_port::verify
