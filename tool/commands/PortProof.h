// `layout-port IN -o OUT --verify`: the port is proved before it is written.
#pragma once

#include <string>
#include <vector>

namespace layout_port {

struct ProofResult {
  std::string target;  // gfx942
  std::string verdict; // proved, tested, refuted, unknown
  std::string reason;  // one sentence
  double bound = 0;    // chance of missing a difference, per output
  std::vector<std::string> assumptions, thin;
  bool undefinedOutputs = false; // the source leaves some undefined
  bool exceptManual = false;     // manual sites were taken out of both sides

  bool refuted() const { return verdict == "refuted"; }
  bool holds() const { return verdict == "proved" || verdict == "tested"; }
};

struct ProofRequest {
  std::string input;              // the CUDA source
  std::string source;             // its text, if it is not the file's
  std::string output;             // the text of its port
  std::string launch;             // launch file; empty: main's launches, or else those of the template
  std::vector<std::string> flags; // for both sides
  std::vector<std::string> targets;
  std::vector<std::string> padded; // kernels whose blocks the port pads to whole waves
  const char *executable = "";
  bool allowManual = false;
};

// One result a target. `problem` is a one-line error text: nothing could be run.
std::vector<ProofResult> provePort(const ProofRequest &request, std::string &problem);

} // namespace layout_port
