// The command line of `layout-port probe`.
#include "commands/Probe.h"

#include "probe/Emit.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace layout_port::commands {
namespace {

constexpr const char *usage =
    "usage: layout-port probe [-o probe.hip] [--arch gfx90a,gfx942,gfx950]\n"
    "\n"
    "Writes one HIP program that checks, on your own card, the instructions, cross-lane\n"
    "moves and LDS phases that layout-port's tables describe, and prints which rows hold.\n"
    "\n"
    "  -o FILE      where to ('-', the default: standard output)\n"
    "  --arch LIST  the chips to write it for (all)\n";

int trouble(const llvm::Twine &message) {
  llvm::errs() << "layout-port probe: " << message << "\n";
  return 2;
}

struct CommandLine {
  std::string output = "-";
  std::vector<isa::Arch> archs = probe::probeArchs();
};

// Empty, or what is wrong.
std::string setArchs(llvm::StringRef list, CommandLine &line) {
  line.archs.clear();
  llvm::SmallVector<llvm::StringRef, 4> names;
  list.split(names, ',', -1, false);
  for (llvm::StringRef name : names) {
    const auto arch = isa::parseArch(std::string_view(name.data(), name.size()));
    if (!arch.ok())
      return arch.error().message;
    line.archs.push_back(*arch);
  }
  return {};
}

std::string parse(llvm::ArrayRef<const char *> args, CommandLine &line) {
  for (size_t i = 1; i < args.size(); ++i) {
    auto [name, value] = llvm::StringRef(args[i]).split('=');
    if (name != "-o" && name != "--arch")
      return "unknown option '" + std::string(args[i]) + "' (--help lists the options)";
    if (!llvm::StringRef(args[i]).contains('=')) {
      if (++i == args.size())
        return name.str() + " needs a value";
      value = args[i];
    }
    if (name == "-o")
      line.output = value.str();
    else if (std::string problem = setArchs(value, line); !problem.empty())
      return problem;
  }
  return {};
}

} // namespace

int probe(llvm::ArrayRef<const char *> args) {
  for (const char *arg : args)
    if (llvm::StringRef(arg) == "--help" || llvm::StringRef(arg) == "-h") {
      llvm::outs() << usage;
      return 0;
    }
  CommandLine line;
  if (std::string problem = parse(args, line); !problem.empty())
    return trouble(problem);
  const Result<std::string> program = probe::emitProbe(line.archs);
  if (!program.ok())
    return trouble(program.error().message);
  std::error_code code;
  llvm::raw_fd_ostream out(line.output, code);
  if (code)
    return trouble("cannot write " + line.output + ": " + code.message());
  out << *program;
  return 0;
}

} // namespace layout_port::commands
