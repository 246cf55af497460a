// The options of one subcommand: words, and `--name value` or `--name`.
//
// Not llvm::cl, whose options are global: those of the port command would show up here.
#pragma once

#include "layout_port/layouts/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace layout_port::layout_command {

struct Option {
  llvm::StringRef name; // without the dashes
  int values;           // how many words follow
};

class Options {
public:
  // Errors: an option that is not in the table, or without its values.
  static Result<Options> parse(llvm::ArrayRef<const char *> args, llvm::ArrayRef<Option> table);

  const std::vector<std::string> &words() const { return words_; }
  bool has(llvm::StringRef name) const { return values_.count(name.str()); }
  // The option's value, or `otherwise`.
  std::string value(llvm::StringRef name, llvm::StringRef otherwise = "", size_t i = 0) const;

private:
  std::vector<std::string> words_;
  std::map<std::string, std::vector<std::string>> values_;
};

// "16,16"; the error names the option.
Result<std::vector<int64_t>> numberList(llvm::StringRef option, llvm::StringRef text);

} // namespace layout_port::layout_command
