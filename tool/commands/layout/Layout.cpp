// The words after `layout-port layout`.
#include "../Layout.h"

#include "Serve.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace layout_port::commands {

namespace {

int runServe(llvm::ArrayRef<const char *>) {
  serve::run(stdin, stdout);
  return 0;
}

struct Subcommand {
  llvm::StringRef name;
  int (*run)(llvm::ArrayRef<const char *> args);
};

constexpr Subcommand subcommands[] = {
    {"serve", runServe},
};

constexpr char help[] = "layout-port layout: look at layouts, ask the solvers\n";

} // namespace

int layout(llvm::ArrayRef<const char *> args) {
  for (const Subcommand &subcommand : subcommands)
    if (args.size() > 1 && subcommand.name == args[1])
      return subcommand.run(args.drop_front(2));
  llvm::errs() << help;
  return 2;
}

} // namespace layout_port::commands
