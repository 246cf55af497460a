// Why a mutant may survive. Each survivor is listed with a reason that the test checks.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace layout_port::verify {

enum class Survival {
  SameCode,   // after -O2 the kernel's IR is the same, letter for letter
  SameValues, // every output is the same, bit for bit, in float and field runs
  OrderOfSum  // the same in the field and on whole numbers: only roundings may move
};

struct Survivor {
  const char *place;    // "scan.cu:12"
  const char *mutation; // Mutation::name
  Survival reason;
  const char *why;
};

// Null if it is not listed.
const Survivor *findSurvivor(const std::string &place, const std::string &mutation);

// The text of a module's functions after LLVM's -O2, without names and debug records.
std::string optimized(const llvm::Module &module);

} // namespace layout_port::verify
