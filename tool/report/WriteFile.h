// Files that come out whole or not at all.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace layout_port {

// Writes `text` to `path`, "-" for stdout, and returns why it could not. A file is replaced at one
// stroke, with the permissions it had; a link stays a link, and what it leads to is replaced; what is
// no file (a device, a pipe) is written into and never replaced.
std::string writeWhole(const std::string &path, llvm::StringRef text);

} // namespace layout_port
