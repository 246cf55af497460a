// Parses a CUDA file twice, as device and as host code, and fills in what only
// an AST knows. A .cu given to a Clang tool with no side flag is parsed for the
// device alone, so both sides are run here and their facts merged.
#pragma once

#include "frontend/Resources.h"
#include "source/Program.h"
#include "source/Uses.h"
#include "source/WarpFacts.h"

#include <functional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
}

namespace layout_port {

struct Diagnostic {
  std::string file;
  unsigned line = 0, column = 0;
  std::string message;
  bool isParseIssue = false; // syntax, as opposed to an undeclared name
  bool inUserFile = false;
};

struct ParseOptions {
  std::string input;
  std::string cudaPath;           // empty: our own parse headers
  std::string cudaArch = "sm_80"; // whose #if arms of __CUDA_ARCH__ are compiled
  std::vector<std::string> flags; // the user's, already translated from nvcc's
};

// A launch, or an attribute of a kernel, that asks for shared memory of a constant size.
struct SharedRequest {
  Place place;
  std::string kernel;
  uint64_t dynamicBytes = 0; // at the launch
  uint64_t staticBytes = 0;  // that the kernel declares by itself
};

struct ParseResult {
  Program program;
  WarpFacts warps;
  Uses uses;
  std::vector<Diagnostic> errors; // of both sides, device first, no duplicates
  std::vector<std::string> missingHeaders;
  // Places of what only nvcc takes and the pre-pass mended: file number, offset.
  std::set<Place> repaired;
  std::vector<SharedRequest> sharedRequests;
  bool recoveryCrashed = false; // what kernels do was not found out: none can be native
  // Host code calls isfinite, isnan, ... by their plain names: cuda_runtime.h brings <math.h>.
  bool needsMathHeader = false;
};

// __CUDA_ARCH__ of an architecture by name ("sm_90a": 900); 0 for a name that is none.
unsigned cudaArchNumber(llvm::StringRef arch);

// One-line error text (cannot read the input, ...), empty on success; errors in
// the source are no failure here, they are listed in the result.
std::string parseBothSides(const ParseOptions &options, const Resources &resources,
                           ParseResult &result);

// Parses the device side alone and lets `use` look at its AST. One-line error text, empty on
// success; errors in the source are listed.
std::string parseDeviceSide(const ParseOptions &options, const Resources &resources,
                            const std::function<void(clang::ASTContext &)> &use,
                            std::vector<Diagnostic> &errors);

} // namespace layout_port
