// From sites to the text of the output file.
//
//   main.cu ── edits ──▶ text with the device runtime behind its first includes
//   ptx.h   ── edits ──▶ if anything changed in it (or in what it includes):
//                          Inline     its text replaces the #include that brought it in
//                          Separate   it is a file of its own, and the #include leads there
//   runtime ───────────▶   Inline     the chunks in use stand in the main file
//                          Separate   a header of chunks that every output includes
//
// Headers that did not change stay #includes. What no edit touches is copied
// byte for byte.
#pragma once

#include "Rule.h"
#include "device/Runtime.h"
#include "source/Program.h"

#include <functional>
#include <string>
#include <vector>

namespace layout_port {

enum class Delivery { Inline, Separate };

struct EmitOptions {
  Delivery headers = Delivery::Inline;
  Delivery runtime = Delivery::Inline;
  // Where a file of the program goes, relative to the folder of outputs; needed
  // where something is separate.
  std::function<std::string(unsigned file)> place;
  // Macros that the command line defines: the runtime's text must not stumble over them.
  std::vector<std::string> macros;
  // Standard headers that cuda_runtime.h brings and hip_runtime.h does not, where the
  // program needs them.
  std::vector<std::string> standardHeaders;
};

// The runtime header's path in the folder of outputs.
constexpr llvm::StringLiteral runtimeHeaderName = "layout_port_runtime.h";

struct EmittedFile {
  std::string path; // relative to the folder of outputs
  std::string text;
};

struct Emission {
  std::string text;
  std::string error;                   // one line; empty when all went well
  std::vector<unsigned> portedHeaders; // file numbers
  std::vector<EmittedFile> headers;    // what stands beside the main file
  std::string runtimeHeader;           // text of runtimeHeaderName, when it is separate
};

// `made` are runtime chunks the rules wrote themselves.
Emission emit(const Program &program, const std::vector<Site> &sites,
              const std::vector<RuntimeChunk> &made, const EmitOptions &options = {});

// How a file at path `from` includes one at path `to`, both relative to the same
// folder: "a/k.hip", "b/ptx.h" ──▶ "../b/ptx.h".
std::string relativeInclude(llvm::StringRef from, llvm::StringRef to);

} // namespace layout_port
