// The command line of `layout-port explain`.
#include "commands/Explain.h"

#include "frontend/Flags.h"
#include "frontend/Parse.h"
#include "native/ExplainPlan.h"
#include "recover/Explain.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace layout_port::commands {
namespace {

constexpr const char *usage =
    "usage: layout-port explain KERNEL.cu[:LINE] [--cuda-path FOLDER] [--resource-dir FOLDER]\n"
    "                           [-- FLAGS]\n"
    "\n"
    "Prints, for every kernel and instantiation, what was recovered: memory accesses with\n"
    "the form of their addresses (affine over F2 or the integers, piecewise, a table) and\n"
    "their LDS bank conflicts, matrix products, shuffles and how uniform control flow is;\n"
    "then its fragments with their layouts, the plan the port follows, its price, and what\n"
    "stands in the way of a better one.\n"
    "With a line, only what stands there. FLAGS go to the compiler.\n";

int trouble(const llvm::Twine &message) {
  llvm::errs() << "layout-port explain: " << message << "\n";
  return 2;
}

// What is said of a kernel, one part after the other. A part gets the line that was asked
// for (0: all) and returns its text, empty when it has nothing to say.
using Part = std::string (*)(clang::ASTContext &, const clang::FunctionDecl *, unsigned line);
constexpr Part parts[] = {recover::explainKernel};

struct CommandLine {
  ParseOptions parse;
  std::string resourceDir;
  unsigned line = 0;
};

// kernel.cu:42, unless there is a file of that name.
void splitLine(llvm::StringRef word, CommandLine &line) {
  line.parse.input = word.str();
  const auto [file, number] = word.rsplit(':');
  unsigned value = 0;
  if (llvm::sys::fs::exists(word) || number.empty() || number.getAsInteger(10, value))
    return;
  line.parse.input = file.str();
  line.line = value;
}

// Empty, or what is wrong.
std::string read(llvm::ArrayRef<const char *> args, CommandLine &line) {
  for (size_t i = 1; i < args.size(); ++i) {
    const llvm::StringRef word = args[i];
    if (word == "--") {
      const std::vector<std::string> flags(args.begin() + i + 1, args.end());
      line.parse.flags = translateNvccFlags(flags).flags;
      break;
    }
    auto [name, value] = word.split('=');
    if (name == "--cuda-path" || name == "--resource-dir") {
      if (!word.contains('=')) {
        if (++i == args.size())
          return name.str() + " needs a value";
        value = args[i];
      }
      (name == "--cuda-path" ? line.parse.cudaPath : line.resourceDir) = value.str();
    } else if (word.starts_with("-"))
      return "unknown option '" + word.str() + "' (--help lists the options)";
    else if (!line.parse.input.empty())
      return "one file at a time, please";
    else
      splitLine(word, line);
  }
  return line.parse.input.empty() ? "no input file: see --help" : "";
}

std::string explainAll(clang::ASTContext &context, unsigned line) {
  std::string text;
  for (const clang::FunctionDecl *kernel : recover::findKernels(context))
    for (const Part part : parts) {
      const std::string said = part(context, kernel, line);
      if (!said.empty())
        text += (text.empty() ? "" : "\n") + said;
    }
  return text;
}

} // namespace

int explain(llvm::ArrayRef<const char *> args) {
  for (const char *arg : args)
    if (llvm::StringRef(arg) == "--help" || llvm::StringRef(arg) == "-h") {
      llvm::outs() << usage;
      return 0;
    }
  CommandLine line;
  if (const std::string problem = read(args, line); !problem.empty())
    return trouble(problem);
  if (!llvm::sys::fs::exists(line.parse.input))
    return trouble("'" + line.parse.input + "': no such file");
  Resources resources;
  if (const std::string problem = findResources(args[0], line.resourceDir, resources);
      !problem.empty())
    return trouble(problem);
  std::string text;
  std::vector<Diagnostic> errors;
  const std::string problem = parseDeviceSide(
      line.parse, resources,
      [&](clang::ASTContext &context) { text = explainAll(context, line.line); }, errors);
  if (!problem.empty())
    return trouble(problem);
  ParseResult parsed;
  if (const std::string unread = parseBothSides(line.parse, resources, parsed); !unread.empty())
    return trouble(unread);
  const std::string fragments = native::explainFragments(parsed.program, PortCaps(), line.line);
  text += (text.empty() || fragments.empty() ? "" : "\n") + fragments;
  for (const Diagnostic &error : errors)
    llvm::errs() << error.file << ":" << error.line << ": " << error.message << "\n";
  llvm::outs() << text;
  if (text.empty())
    llvm::errs() << "layout-port explain: "
                 << (line.line ? "nothing recovered at line " + std::to_string(line.line)
                               : std::string("no kernel with a body"))
                 << "\n";
  return text.empty() ? 1 : 0;
}

} // namespace layout_port::commands
