// Faults on demand, so that tests can show what a crash, a hang or a greedy file
// costs a batch: one file. The environment variable LAYOUT_PORT_FAULT names a kind
// and a file, e.g. "crash:bad.cu", "hang:bad.cu", "memory:bad.cu".
#pragma once

#include <string>

namespace layout_port {

// Does as the variable says when it names `input`; otherwise nothing.
void faultOnDemand(const std::string &input);

} // namespace layout_port
