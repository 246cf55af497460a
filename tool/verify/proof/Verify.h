// The proof: runs both sides in the domains that can speak, and says what follows.
//
//   field agrees on every seed, no bits reinterpreted, no integer data   -> proved
//   (with exponentials that do not agree: once more with shadow residues, Field.h)
//   field cannot speak, or integers are the data; exact agrees           -> tested
//   a difference that no order, random function or rounding explains     -> refuted
//   anything else                                                        -> unknown
#pragma once

#include "proof/Path.h"
#include "proof/Run.h"

#include <llvm/Support/raw_ostream.h>

namespace layout_port::verify {

enum class Verdict : uint8_t { Proved, Tested, Refuted, Unknown, Trouble };
const char *toString(Verdict verdict);

struct ProofOptions {
  unsigned seeds = 0;     // of the field domain; 0: as many as kTargetBound needs
  unsigned exactRuns = 8; // of the exact domain
  bool observe = true;
  unsigned cores = 0; // to run on; 0: all there are
  Limits limits;
};

// The chance of missing a difference that a proof may leave, and how many seeds may be
// spent on it. A wrong port differs in some element E; it is missed only if E agrees
// on every seed, so the bound of one output is the bound of all.
constexpr double kTargetBound = 0x1p-40;
constexpr unsigned kMaxSeeds = 64;

// Where the sides round otherwise, told by the rounding domain: lines that round
// values which the other side does not round to that format.
struct RoundingReport {
  bool compared = false, moved = false;
  std::vector<std::string> left, right;
};

// The first element in which the sides differ.
struct Difference {
  bool found = false;
  bool rounded = false; // equal, but for roundings of numbers that are not whole
  bool isClear = false; // more than the roundings of greater values may leave
  std::string buffer;
  uint64_t element = 0;
  std::string left, right; // values
  std::string leftWriter, rightWriter;
  Path path;          // back to the first differing store
  uint64_t count = 0; // differing elements of all buffers
};

// What is known of a launch that a program's main makes; equal launches are one.
struct LaunchReport {
  std::string kernel, shape;
  unsigned first = 0, times = 0; // first: counted from 1
  Verdict verdict = Verdict::Tested;
  std::string reason;
};

struct Report {
  Verdict verdict = Verdict::Unknown;
  std::string reason; // one sentence
  std::vector<std::string> domains;
  std::vector<uint64_t> seeds;
  double bound = 0;          // chance of missing a difference
  uint32_t degree = 0;       // of the outputs as functions of the inputs, at most
  std::string degreeAssumed; // why `degree` is a guess; empty: it was computed
  bool shadowed = false;     // exp(a + b) = exp(a) exp(b) was needed
  RoundingReport roundings;
  std::set<std::string> assumptions, limits;
  // What of the source and of the port the launch did not exercise, see Coverage.h.
  std::vector<std::string> thin, thinPort;
  Difference difference;
  std::vector<Finding> leftFindings, rightFindings;
  Counts leftCounts, rightCounts;
  uint32_t prime = 0;
  std::vector<LaunchReport> launches; // of a program with a main
};

// Where the outputs of two runs of one domain and seed differ.
Difference compareOutputs(const LaunchFile &file, const RunOptions &options, const RunResult &left,
                          const RunResult &right);

// "thread 5 of block (1,0,0) at k.cu:7" of a traced run; width: bytes of an element.
std::string describeWriter(const RunResult &run, const Difference &difference, unsigned width);

Report prove(Side &left, Side &right, const LaunchFile &file, const ProofOptions &options);

void print(llvm::raw_ostream &out, const Report &report);
void printJson(llvm::raw_ostream &out, const Report &report, llvm::StringRef left,
               llvm::StringRef right);

} // namespace layout_port::verify
