// `layout-port layout serve`: one JSON request a line in, one answer a line out.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdio>
#include <string>

namespace layout_port::serve {

// The answer to one line, without a line break: {"id":..,"ok":true,"result":..} or
// {"id":..,"ok":false,"error":".."}. Any bytes get an answer.
std::string answerLine(llvm::StringRef line);

// Lines longer than this are not read but answered with an error.
inline constexpr size_t kMaxLine = size_t(1) << 24;

// Answers line by line until the input ends; each answer is flushed before the next
// line is read, so that a program can talk to it.
void run(std::FILE *in, std::FILE *out);

} // namespace layout_port::serve
