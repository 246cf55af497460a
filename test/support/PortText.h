// Ports a text as one file without an AST: all that rules, census and emitter do
// on tokens alone.
#pragma once

#include "Registry.h"
#include "census/Census.h"
#include "source/Emit.h"

#include <string>

namespace layout_port {

struct PortedText {
  Program program;
  PortedProgram ported;
  Emission emission;
};

inline PortedText portText(const std::string &text, const PortCaps &caps = {}) {
  PortedText result;
  result.program.files.push_back(
      std::make_unique<SourceFile>("input.cu", llvm::MemoryBuffer::getMemBufferCopy(text)));
  result.ported = portProgram(result.program, caps);
  result.emission = emit(result.program, result.ported.sites, result.ported.made);
  return result;
}

} // namespace layout_port
