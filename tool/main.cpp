// layout-port: the first word may name a command; without one, a file is ported.
#include "commands/Batch.h"
#include "commands/Explain.h"
#include "commands/Layout.h"
#include "commands/Port.h"
#include "commands/Probe.h"
#include "commands/Verify.h"
#include "frontend/Precompiled.h"
#include "frontend/RepairingFiles.h"
#include "report/WriteFile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

static void printVersion(llvm::raw_ostream &out) {
  out << "layout-port " LAYOUT_PORT_VERSION " (clang " LAYOUT_PORT_CLANG_VERSION ")\n";
}

namespace {

// `layout-port NAME ...`; args[0] of the command is the program's name.
struct Command {
  llvm::StringRef name;
  int (*run)(llvm::ArrayRef<const char *> args);
};

int verify(llvm::ArrayRef<const char *> args) {
  return layout_port::commands::verify(args, layout_port::mendedText);
}

// Not for users: the build and the installation call it.
int precompile(llvm::ArrayRef<const char *> args) {
  layout_port::Resources resources;
  std::string problem = args.size() == 2 ? layout_port::findResources(args[0], "", resources)
                                         : "usage: layout-port precompile-headers DIR";
  if (problem.empty())
    problem = layout_port::precompileHeaders(resources, args[1]);
  if (!problem.empty())
    llvm::errs() << "layout-port: error: " << problem << "\n";
  return problem.empty() ? 0 : 2;
}

constexpr Command commands[] = {
    {"port", layout_port::commands::port},       {"batch", layout_port::commands::batch},
    {"explain", layout_port::commands::explain}, {"layout", layout_port::commands::layout},
    {"probe", layout_port::commands::probe},     {"verify", verify},
    {"precompile-headers", precompile},
};

} // namespace

static int run(llvm::ArrayRef<const char *> args) {
  for (const Command &command : commands)
    if (args.size() > 1 && command.name == args[1]) {
      std::vector<const char *> rest = {args[0]};
      rest.insert(rest.end(), args.begin() + 2, args.end());
      return command.run(rest);
    }
  return layout_port::commands::port(args);
}

int main(int argc, const char **argv) {
  llvm::cl::SetVersionPrinter(printVersion);
  const int code = run({argv, static_cast<size_t>(argc)});
  const std::string unwritten = layout_port::writeWhole("-", "");
  if (unwritten.empty())
    return code;
  llvm::errs() << "layout-port: error: " << unwritten << "\n";
  return 2;
}
