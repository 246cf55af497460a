#include "frontend/Flags.h"

#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace layout_port {

namespace {

enum class Kind { Keep, KeepWithValue, Drop, DropWithValue };

// What to do with a flag that is spelled whole: `-flag` or `-flag value`.
Kind kindOf(llvm::StringRef flag) {
  return llvm::StringSwitch<Kind>(flag)
      .Cases({"-I", "-D", "-U", "-isystem", "-include", "-iquote", "-idirafter"},
             Kind::KeepWithValue)
      .Cases({"-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code"},
             Kind::DropWithValue)
      .Cases({"--gpu-code", "-Xcompiler", "--compiler-options", "-Xptxas", "--ptxas-options"},
             Kind::DropWithValue)
      .Cases({"-Xlinker", "--linker-options", "-Xcudafe", "-Xfatbin", "-Xnvlink", "-Xarchive"},
             Kind::DropWithValue)
      .Cases({"-o", "--output-file", "-ccbin", "--compiler-bindir", "-t", "--threads", "-x"},
             Kind::DropWithValue)
      .Cases({"-maxrregcount", "--maxrregcount", "-MF", "-MT", "-MQ", "-L", "-l"},
             Kind::DropWithValue)
      .Cases({"--diag-suppress", "-diag-suppress", "--relocatable-device-code"},
             Kind::DropWithValue)
      .Default(Kind::Keep);
}

// Flags of other programs, architectures and outputs; joined forms too.
bool isDropped(llvm::StringRef flag) {
  static constexpr llvm::StringRef prefixes[] = {
      "-arch=", "--gpu-architecture=", "-gencode=", "--generate-code=", "-code=", "--gpu-code=",
      "-Xcompiler=", "--compiler-options=", "-Xptxas=", "--ptxas-options=", "-Xlinker=",
      "-Xcudafe", "--expt-", "-expt-", "--extended-lambda", "-extended-lambda", "-rdc",
      "--relocatable-device-code", "-dc", "--device-c", "-lineinfo", "--generate-line-info",
      "--device-debug", "-G", "-maxrregcount", "--maxrregcount", "-ccbin=", "--compiler-bindir",
      "--threads", "-t=", "-cudart", "--cudart", "--ptx", "-ptx", "-cubin", "--cubin", "-fatbin",
      "--keep", "-keep", "--source-in-ptx", "-restrict", "--restrict", "-ftz", "--ftz",
      "-prec-", "--prec-", "-fmad", "--fmad", "--resource-usage", "-res-usage", "--diag-",
      "-diag-", "--display-error-number", "-W", "-w", "-M", "-l", "-L", "-O", "-g", "-c",
      "-S", "-E", "-m64", "--machine", "-march", "-mtune", "--dlink", "-dlink", "--forward-unknown",
      "-forward-unknown", "--Werror", "-Werror", "--default-stream", "-default-stream", "-x",
      "--compress", "--split-compile", "--time", "-time", "-v", "--verbose", "-fPIC", "-fopenmp",
      "-shared", "--shared", "-pthread", "--cuda-gpu-arch", "--offload-arch", "-H"};
  for (const llvm::StringRef prefix : prefixes)
    if (flag.starts_with(prefix))
      return true;
  return false;
}

std::string translated(llvm::StringRef flag) {
  if (flag == "--use_fast_math" || flag == "-use_fast_math")
    return "-ffast-math";
  if (flag.consume_front("--std="))
    return ("-std=" + flag).str();
  if (flag.consume_front("--define-macro="))
    return ("-D" + flag).str();
  if (flag.consume_front("--include-path="))
    return ("-I" + flag).str();
  if (flag.consume_front("-isystem="))
    return ("-isystem" + flag).str();
  return flag.str();
}

} // namespace

std::vector<std::string> translateNvccFlags(const std::vector<std::string> &flags) {
  std::vector<std::string> result;
  for (size_t i = 0; i < flags.size(); ++i) {
    const llvm::StringRef flag = flags[i];
    switch (kindOf(flag)) {
    case Kind::KeepWithValue:
      result.push_back(flags[i]);
      if (i + 1 < flags.size())
        result.push_back(flags[++i]);
      break;
    case Kind::DropWithValue:
      ++i;
      break;
    case Kind::Drop:
      break;
    case Kind::Keep:
      if (!isDropped(flag))
        result.push_back(translated(flag));
      break;
    }
  }
  return result;
}

// -I sub, -Isub, -isystem sub: paths relative to where the command ran.
static void makeAbsolute(std::vector<std::string> &flags, llvm::StringRef directory) {
  auto absolute = [&](llvm::StringRef path) {
    llvm::SmallString<256> full(path);
    llvm::sys::path::make_absolute(directory, full);
    return std::string(full);
  };
  for (size_t i = 0; i < flags.size(); ++i) {
    const llvm::StringRef flag = flags[i];
    if ((flag == "-I" || flag == "-isystem" || flag == "-iquote") && i + 1 < flags.size())
      flags[i + 1] = absolute(flags[i + 1]);
    else if (flag.starts_with("-I") && flag.size() > 2)
      flags[i] = "-I" + absolute(flag.drop_front(2));
  }
}

std::string flagsFromDatabase(const std::string &buildDir, const std::string &input,
                              std::vector<std::string> &flags) {
  std::string error;
  const auto database =
      clang::tooling::CompilationDatabase::loadFromDirectory(buildDir, error);
  if (!database)
    return "-p " + buildDir + ": no compile_commands.json can be read there";
  llvm::SmallString<256> full(input);
  llvm::sys::fs::make_absolute(full);
  llvm::sys::path::remove_dots(full, true);
  const auto commands = database->getCompileCommands(full);
  if (commands.empty())
    return "-p " + buildDir + ": compile_commands.json has no entry for '" + input + "'";
  std::vector<std::string> line = commands[0].CommandLine;
  if (!line.empty())
    line.erase(line.begin());
  std::vector<std::string> kept;
  for (const std::string &word : line)
    if (word != commands[0].Filename && llvm::StringRef(full) != word)
      kept.push_back(word);
  flags = translateNvccFlags(kept);
  makeAbsolute(flags, commands[0].Directory);
  // Positional words that remain are inputs or objects, not flags.
  std::vector<std::string> clean;
  for (size_t i = 0; i < flags.size(); ++i) {
    const bool value = i > 0 && kindOf(flags[i - 1]) == Kind::KeepWithValue;
    if (value || llvm::StringRef(flags[i]).starts_with("-"))
      clean.push_back(flags[i]);
  }
  flags = clean;
  return "";
}

} // namespace layout_port
