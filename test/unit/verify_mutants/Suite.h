// Mutants of one kernel, each run against its original. The judge is IEEE arithmetic on several
// inputs: whole numbers, where nothing rounds, bit for bit, and random numbers within tolerance.
// A mutant whose outputs ever differ there must be caught by the field domain, by an observer or
// by an error; otherwise it is missed. One that never differs survives.
#pragma once

#include "Mutations.h"
#include "Survivors.h"

#include "proof/Verify.h"

#include <functional>
#include <optional>

namespace layout_port::verify {

struct MutantTally {
  unsigned mutants = 0, byValue = 0, byFinding = 0, byError = 0, survivors = 0, missed = 0;
};

struct Judgement {
  enum Kind : uint8_t { Error, Value, Finding, Survivor, Missed } kind = Error;
  std::string place;       // "gemm_f16.cu:30"
  std::string instruction; // as LLVM prints it
};

class MutantSuite {
public:
  // source: a .cu or .hip; launches: over its kernels. An error is in error().
  MutantSuite(const std::string &source, LaunchFile launches);
  ~MutantSuite();
  const std::string &error() const { return error_; }

  // About so many mutants, spread evenly over the kernel; `judged` hears of each, and may ask
  // why() a survivor survives while it listens.
  MutantTally run(size_t most,
                  const std::function<void(const Mutation &, const Judgement &)> &judged);

  // The first reason that holds for the mutant that is being judged.
  std::optional<Survival> why();
  bool holds(Survival reason);

private:
  RunOptions options(Domain domain, uint64_t seed) const;
  const RunResult &reference(Domain domain, uint64_t seed);
  bool sameBits(Domain domain, uint64_t seeds);
  bool differsInNumbers();
  Judgement::Kind judge();

  std::string source_, error_;
  LaunchFile file_;
  bool hip_ = false;
  std::unique_ptr<Side> original_, mutant_;
  std::unique_ptr<llvm::Module> kept_; // the mutant's
  uint64_t steps_ = 0;                 // of the original, to see endless loops early
  std::map<std::pair<unsigned, uint64_t>, RunResult> references_;
};

void add(MutantTally &tally, Judgement::Kind kind);
const char *toString(Survival reason);

} // namespace layout_port::verify
