// The options of one subcommand; see Options.h.
#include "Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace layout_port::layout_command {

using llvm::StringRef;

Result<Options> Options::parse(llvm::ArrayRef<const char *> args, llvm::ArrayRef<Option> table) {
  Options options;
  for (size_t i = 0; i < args.size(); ++i) {
    StringRef word = args[i];
    if (!word.consume_front("--")) {
      options.words_.push_back(word.str());
      continue;
    }
    const std::pair<StringRef, StringRef> parts = word.split('=');
    const StringRef name = parts.first;
    const Option *option = llvm::find_if(table, [&](const Option &o) { return o.name == name; });
    if (option == table.end())
      return makeError("unknown option --%s", name.str().c_str());
    std::vector<std::string> values;
    if (word.contains('='))
      values.push_back(parts.second.str());
    while (values.size() < static_cast<size_t>(option->values) && i + 1 < args.size())
      values.push_back(args[++i]);
    if (values.size() != static_cast<size_t>(option->values))
      return makeError("--%s takes %d values", name.str().c_str(), option->values);
    options.values_[name.str()] = std::move(values);
  }
  return options;
}

std::string Options::value(StringRef name, StringRef otherwise, size_t i) const {
  const auto found = values_.find(name.str());
  return found == values_.end() ? otherwise.str() : found->second[i];
}

Result<std::vector<int64_t>> numberList(StringRef option, StringRef text) {
  std::vector<int64_t> numbers;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (const StringRef part : parts) {
    int64_t number;
    if (part.trim().getAsInteger(10, number))
      return makeError("%s: numbers with commas between, not '%s'", option.str().c_str(),
                       text.str().c_str());
    numbers.push_back(number);
  }
  return numbers;
}

} // namespace layout_port::layout_command
