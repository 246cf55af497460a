// The kernels of test/verify/observe: compiled once, run by launch text.
#pragma once

#include "proof/Verify.h"

#include <gtest/gtest.h>

#include <fstream>

namespace layout_port::verify {

inline std::string kernelPath(const std::string &file) {
  return std::string(OBSERVE_FOLDER) + "/" + file;
}

inline Side &sideOf(const std::string &file) {
  static std::map<std::string, std::unique_ptr<Side>> sides;
  std::unique_ptr<Side> &side = sides[file];
  if (!side) {
    llvm::Expected<CompiledModule> module = compileDevice(kernelPath(file), CompileOptions());
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      abort();
    }
    side = std::make_unique<Side>(std::move(*module), file.find(".hip") != std::string::npos);
  }
  return *side;
}

inline LaunchFile launchOf(const std::string &text) {
  llvm::Expected<LaunchFile> file = parseLaunchFile(text, "launch");
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    abort();
  }
  return *file;
}

// "mistakes.cu:14", the line that ends with the comment.
inline std::string lineWith(const std::string &file, const std::string &comment) {
  std::ifstream text(kernelPath(file));
  std::string line;
  for (unsigned number = 1; std::getline(text, line); ++number)
    if (line.size() > comment.size() &&
        line.compare(line.size() - comment.size(), comment.size(), comment) == 0)
      return file + ":" + std::to_string(number);
  return "no line ends with " + comment;
}

inline RunResult observed(const std::string &file, const std::string &launch) {
  RunOptions options;
  options.observe = true;
  return sideOf(file).run(launchOf(launch), options);
}

} // namespace layout_port::verify
