// Chooses from the device runtime what one output needs.
//
//   //# ballot_sync: ballot        a chunk: its name and the chunks it needs
//
// Chunks come from the headers beside this file, from the cross-lane table, and
// from rules that write functions from layout rows (mma, ldmatrix): those are given
// as `made`.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace layout_port {

struct RuntimeChunk {
  std::string name;
  std::vector<std::string> needs;
  std::string text;      // without the `//#` line, ends in a newline
  bool isMacros = false; // stands before namespace lp
};

// Splits a header at its `//#` lines; what stands before the first is dropped.
std::vector<RuntimeChunk> parseRuntime(llvm::StringRef header);

// The chunks of rules/device/*.h and of LaneMoves.h.
const std::vector<RuntimeChunk> &deviceRuntime();

// `names` and all they need, each once, needed ones first and macros before
// functions. A name that neither table has is returned in `unknown`.
std::vector<RuntimeChunk> runtimeChunks(const std::set<std::string> &names,
                                        const std::vector<RuntimeChunk> &made,
                                        std::string &unknown);

// The HIP headers whose types the chunks name, "hip/hip_fp16.h": they must stand before them.
std::vector<std::string> runtimeIncludes(const std::vector<RuntimeChunk> &chunks);

// Chunks as they stand inside an output: functions in namespace lp. Empty for none.
std::string runtimeText(const std::vector<RuntimeChunk> &chunks);

// Chunks as a header of their own. It keeps the `//#` lines, so that
// mergeRuntimeHeaders can join the headers of several ports: the chunks of both, each
// once. Of two chunks with one name the first is kept.
std::string runtimeHeaderText(const std::vector<RuntimeChunk> &chunks);
std::string mergeRuntimeHeaders(llvm::StringRef a, llvm::StringRef b);

} // namespace layout_port
