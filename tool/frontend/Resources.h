// Where the tool finds what it needs beside its own executable: clang's builtin
// headers, the CUDA parse headers, the HIP headers for the compile check, and a
// clang to run that check with.
#pragma once

#include <string>

namespace layout_port {

struct Resources {
  std::string resourceDir;    // clang's, with include/ in it
  std::string shareDir;       // ours, with cuda/ and hip/ in it
  std::string clang;          // clang++ for the -c checks, or empty
  std::string precompiledDir; // of the precompiled parse headers, which need not be there
};

// `resourceDir` as the user gave it (may be empty). Looks for clang's headers
// there, beside the executable, and where the clang of the build had them.
// Returns a one-line error text, empty when all was found.
std::string findResources(const char *argv0, const std::string &resourceDir, Resources &resources);

} // namespace layout_port
