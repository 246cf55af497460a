// From sites to the text of the output file.
//
//   main.cu ── edits ──▶ text with the device runtime behind its first includes
//   ptx.h   ── edits ──▶ if anything changed in it (or in what it includes), its
//                        text replaces the #include that brought it in
//
// Headers that did not change stay #includes. What no edit touches is copied
// byte for byte.
#pragma once

#include "Rule.h"
#include "device/Runtime.h"
#include "source/Program.h"

#include <string>
#include <vector>

namespace layout_port {

struct Emission {
  std::string text;
  std::string error;                    // one line; empty when all went well
  std::vector<unsigned> inlinedHeaders; // file numbers
};

// `made` are runtime chunks the rules wrote themselves.
Emission emit(const Program &program, const std::vector<Site> &sites,
              const std::vector<RuntimeChunk> &made);

} // namespace layout_port
