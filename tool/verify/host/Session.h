// Runs the mains of a program and of its port side by side, and says what follows.
//
//   source's main ─┐ launch 1 ┌─ same kernel, shape, buffers? run both; compare every buffer ─┐
//   port's main   ─┘          └─ new? prove it: refill its float buffers, in the field domain ┘
//                    launch 2 ...
//
// Each launch starts from the same memory on both sides, so that the program follows from its
// launches: if each is equal, and the mains do the same in between, so is the whole.
#pragma once

#include "host/Jit.h"
#include "host/Replay.h"
#include "proof/Verify.h"

#include "host/Child.h"

namespace layout_port::verify {

// One side, compiled.
struct HostedProgram {
  HostedProgram(CompiledModule device, bool hip, HostProgram host)
      : side(std::move(device), hip), host(std::move(host)) {}
  HostSide side;
  HostProgram host;
  const std::string &path() const { return side.compiled().path; }
};

struct SessionOptions {
  std::vector<std::string> arguments; // of main, without its name
  HostLimits host;
  ProofOptions proof;
  // A proof runs a launch ten times and more: of how many different ones, and how long they may be
  // (Limits::steps). The others are only compared.
  unsigned proofs = 64;
  uint64_t proofSteps = 10u * 1000 * 1000;
};

// Compiles both parts of both sides; an error when one does not compile or has no main.
using HostedPrograms = std::pair<std::unique_ptr<HostedProgram>, std::unique_ptr<HostedProgram>>;
llvm::Expected<HostedPrograms> loadPrograms(const std::string &source,
                                            const CompileOptions &sourceOptions,
                                            const std::string &port,
                                            const CompileOptions &portOptions);

// Verdict::Trouble: main itself cannot be run; the reason is one line.
Report verifyProgram(HostedProgram &source, HostedProgram &port, const SessionOptions &options);

} // namespace layout_port::verify
