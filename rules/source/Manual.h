// How a construct that nobody can port is written: the author's text in a
// comment, and LP_MANUAL("reason"), which does not compile.
//
//   foo(__match_any_sync(m, v));   ──▶  /* foo(__match_any_sync(m, v)); */
//                                       LP_MANUAL("...");
//
// The comment takes the smallest whole statement or declaration around the
// construct, so that what remains still parses.
#pragma once

#include "Rule.h"
#include "source/Program.h"

namespace layout_port {

// Gives a manual site its range (the whole statement) and its edit.
void makeManual(const Program &program, Site &site);

} // namespace layout_port
