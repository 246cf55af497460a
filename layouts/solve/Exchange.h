// select / cross-lane / select: one factorisation of a matrix of words.
#pragma once

#include "solve/Conversion.h"

namespace layout_port::solve {

// The exchange that makes the word-level conversion (slots are words here). No
// destination word may be a copy of another of the same thread, and every wave reads
// itself only. Always possible on those terms. The T of Plan.h is searched for: fewest
// clocks, then fewest moves.
ExchangeStep buildExchange(const Conversion &words, isa::Arch arch);

PlanCost costOf(const ExchangeStep &step);

// v_cndmask needed so that output i of a thread t becomes input
// offsets[i] ^ matrix t, shared between outputs: one butterfly stage for each
// independent direction.
//
//   offsets {0, 1}, matrix of rank 1 in direction 1:   out0 = f(t) ? in1 : in0
//                                                      out1 = f(t) ? in0 : in1
int selectCount(const std::vector<uint64_t> &offsets, const f2::Columns &matrix);

} // namespace layout_port::solve
