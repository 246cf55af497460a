// nvcc's options: https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/
#include "frontend/Flags.h"

#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

#include <optional>

namespace layout_port {

namespace {

// An option that takes a value: `--name value`, `--name=value`, and joined
// (`-Idir`) where `joined` says so. `clang` is what it becomes: "" is nothing, a
// trailing '=' or `joined` means in one word, otherwise in two.
struct ValueOption {
  llvm::StringRef longName, shortName, clang;
  bool joined = false;
};

constexpr ValueOption valueOptions[] = {
    {"--define-macro", "-D", "-D", true},
    {"--undefine-macro", "-U", "-U", true},
    {"--include-path", "-I", "-I", true},
    {"--system-include", "-isystem", "-isystem", false},
    {"--pre-include", "-include", "-include", false},
    {"", "-iquote", "-iquote", false},
    {"", "-idirafter", "-idirafter", false},
    {"", "-imacros", "-imacros", false},
    {"--std", "-std", "-std=", false},
    {"", "--sysroot", "--sysroot=", false},
    {"--gpu-architecture", "-arch", "", false},
    {"--gpu-code", "-code", "", false},
    {"--generate-code", "-gencode", "", false},
    {"--ptxas-options", "-Xptxas", "", false},
    {"--linker-options", "-Xlinker", "", false},
    {"--archive-options", "-Xarchive", "", false},
    {"--nvlink-options", "-Xnvlink", "", false},
    {"--fatbin-options", "-Xfatbin", "", false},
    {"", "-Xcudafe", "", false},
    {"", "-Xptxas-options", "", false},
    {"--output-file", "-o", "", false},
    {"--output-directory", "-odir", "", false},
    {"--compiler-bindir", "-ccbin", "", false},
    {"--threads", "-t", "", true},
    {"", "-x", "", false},
    {"--x", "", "", false},
    {"--maxrregcount", "-maxrregcount", "", false},
    {"--library", "-l", "", true},
    {"--library-path", "-L", "", true},
    {"--diag-suppress", "-diag-suppress", "", false},
    {"--diag-error", "-diag-error", "", false},
    {"--diag-warn", "-diag-warn", "", false},
    {"--relocatable-device-code", "-rdc", "", false},
    {"--cudart", "-cudart", "", false},
    {"--cudadevrt", "-cudadevrt", "", false},
    {"--fmad", "-fmad", "", false},
    {"--ftz", "-ftz", "", false},
    {"--prec-div", "-prec-div", "", false},
    {"--prec-sqrt", "-prec-sqrt", "", false},
    {"--default-stream", "-default-stream", "", false},
    {"--machine", "-m", "", true},
    {"--optimize", "-O", "", true},
    {"--dopt", "-dopt", "", false},
    {"--split-compile", "-split-compile", "", false},
    {"--time", "-time", "", false},
    {"--keep-dir", "-keep-dir", "", false},
    {"--compress-mode", "-compress-mode", "", false},
    {"--dependency-output", "-MF", "", false},
    {"--dependency-target-name", "-MT", "", false},
    {"", "-MQ", "", false},
    {"--cuda-gpu-arch", "", "", false},
    {"--offload-arch", "", "", false},
};

// Options of other stages; each with all that begin so.
constexpr llvm::StringRef droppedPrefixes[] = {"--expt-",
                                               "-expt-",
                                               "--extended-lambda",
                                               "-extended-lambda",
                                               "-dc",
                                               "--device-c",
                                               "-dlto",
                                               "-lineinfo",
                                               "--generate-line-info",
                                               "--device-debug",
                                               "-G",
                                               "--ptx",
                                               "-ptx",
                                               "-cubin",
                                               "--cubin",
                                               "-fatbin",
                                               "--fatbin",
                                               "--keep",
                                               "-keep",
                                               "--source-in-ptx",
                                               "-src-in-ptx",
                                               "-restrict",
                                               "--restrict",
                                               "--resource-usage",
                                               "-res-usage",
                                               "--display-error-number",
                                               "-err-no",
                                               "-W",
                                               "-w",
                                               "-M",
                                               "-g",
                                               "-c",
                                               "-S",
                                               "-E",
                                               "-m",
                                               "--dlink",
                                               "-dlink",
                                               "-dw",
                                               "--device-w",
                                               "--forward-unknown",
                                               "-forward-unknown",
                                               "--Werror",
                                               "-Werror",
                                               "--compress",
                                               "-v",
                                               "--verbose",
                                               "--dryrun",
                                               "-dryrun",
                                               "-f",
                                               "-shared",
                                               "--shared",
                                               "-pthread",
                                               "-H",
                                               "--extra-device-vectorization",
                                               "-extra-device-vectorization",
                                               "--disable-warnings",
                                               "--debug",
                                               "--profile",
                                               "-pg",
                                               "-lib",
                                               "--lib",
                                               "-link",
                                               "--compile",
                                               "-run",
                                               "--run",
                                               "--no-",
                                               "-no-",
                                               "-rpath",
                                               "-pipe",
                                               "-rdynamic",
                                               "-static",
                                               "-std-",
                                               "-arch-ls",
                                               "-code-ls",
                                               "--gen-opt-lto",
                                               "-dlink-time-opt",
                                               "--allow-unsupported-compiler",
                                               "-allow-unsupported-compiler",
                                               "--driver-mode",
                                               "--target",
                                               "--clean",
                                               "-clean",
                                               "-tile",
                                               "-pedantic",
                                               "-ansi"};

// Flags of clang and gcc that change how a source reads; `-f` of other kinds is
// about code generation.
constexpr llvm::StringRef keptPrefixes[] = {
    "-fno-exceptions", "-fexceptions",       "-fno-rtti",     "-frtti",          "-ffast-math",
    "-fms-extensions", "-fno-ms-extensions", "-fsigned-char", "-funsigned-char", "-fpermissive",
    "-fchar8_t",       "-fno-char8_t",       "-fcoroutines",  "-ffp-contract",   "-nostdinc",
    "-stdlib=",        "-Wno-error="};

const ValueOption *findValueOption(llvm::StringRef name) {
  for (const ValueOption &option : valueOptions)
    if (!name.empty() && (name == option.longName || name == option.shortName))
      return &option;
  return nullptr;
}

const ValueOption *findJoined(llvm::StringRef word) {
  for (const ValueOption &option : valueOptions)
    if (option.joined && word.size() > option.shortName.size() &&
        word.starts_with(option.shortName))
      return &option;
  return nullptr;
}

bool hasPrefix(llvm::ArrayRef<llvm::StringRef> prefixes, llvm::StringRef word) {
  return llvm::any_of(prefixes, [&](llvm::StringRef p) { return word.starts_with(p); });
}

class Translator {
public:
  FlagTranslation run(const std::vector<std::string> &words) {
    for (size_t i = 0; i < words.size(); ++i)
      take(words, i);
    return std::move(result_);
  }

private:
  void take(const std::vector<std::string> &words, size_t &i) {
    const llvm::StringRef word = words[i];
    const auto [name, value] = word.split('=');
    const bool inWord = word.contains('=');
    if (name == "-Xcompiler" || name == "--compiler-options")
      return hostFlags(inWord ? value : next(words, i));
    if (word == "-Xclang" || word == "-mllvm") {
      result_.flags.insert(result_.flags.end(), {words[i], next(words, i).str()});
      return;
    }
    if (const ValueOption *option = findValueOption(name))
      return add(*option, inWord ? value : next(words, i));
    if (hasPrefix(keptPrefixes, word))
      return result_.flags.push_back(words[i]);
    if (word == "--use_fast_math" || word == "-use_fast_math")
      return result_.flags.push_back("-ffast-math");
    if (hasPrefix(droppedPrefixes, word))
      return;
    if (const ValueOption *option = findJoined(word))
      return add(*option, word.drop_front(option->shortName.size()));
    // A word that is no flag is an input or an object.
    if (word.starts_with("-") && word != "-" && word != "--")
      result_.unknown.push_back(words[i]);
  }

  // -Xcompiler -Wall,-DX=1: the host compiler preprocesses for both sides.
  void hostFlags(llvm::StringRef list) {
    llvm::SmallVector<llvm::StringRef, 8> parts;
    list.trim("\"'").split(parts, ',', -1, /*KeepEmpty=*/false);
    std::vector<std::string> words;
    for (const llvm::StringRef part : parts)
      for (const llvm::StringRef word : llvm::split(part, ' '))
        if (!word.empty())
          words.push_back(word.str());
    const FlagTranslation host = Translator().run(words);
    result_.flags.insert(result_.flags.end(), host.flags.begin(), host.flags.end());
  }

  static llvm::StringRef next(const std::vector<std::string> &words, size_t &i) {
    return i + 1 < words.size() ? llvm::StringRef(words[++i]) : "";
  }

  void add(const ValueOption &option, llvm::StringRef value) {
    if (option.clang.empty())
      return;
    if (option.joined || option.clang.ends_with("="))
      return result_.flags.push_back((option.clang + value).str());
    result_.flags.insert(result_.flags.end(), {option.clang.str(), value.str()});
  }

  FlagTranslation result_;
};

std::string absolutePath(llvm::StringRef path, llvm::StringRef directory) {
  llvm::SmallString<256> full(path);
  llvm::sys::path::make_absolute(directory, full);
  return std::string(full);
}

// The file a word at `i` names for its flags; moves `i` onto the last word used.
std::optional<std::string> responseFile(const std::vector<std::string> &words, size_t &i) {
  const llvm::StringRef word = words[i];
  if (word.size() > 1 && word.starts_with("@"))
    return word.drop_front().str();
  const auto [name, value] = word.split('=');
  if (name != "--options-file" && name != "-optf")
    return std::nullopt;
  if (word.contains('='))
    return value.str();
  return i + 1 < words.size() ? words[++i] : std::string();
}

} // namespace

FlagTranslation translateNvccFlags(const std::vector<std::string> &flags) {
  return Translator().run(flags);
}

std::string expandResponseFiles(std::vector<std::string> &words, const std::string &directory) {
  constexpr unsigned mostFiles = 100; // a file may name itself
  unsigned files = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t first = i;
    const std::optional<std::string> name = responseFile(words, i);
    if (!name)
      continue;
    const auto buffer = llvm::MemoryBuffer::getFile(absolutePath(*name, directory));
    if (!buffer || ++files > mostFiles)
      return "the response file '" + *name + "' cannot be read";
    llvm::BumpPtrAllocator memory;
    llvm::StringSaver saver(memory);
    llvm::SmallVector<const char *, 16> read;
    llvm::cl::TokenizeGNUCommandLine((*buffer)->getBuffer(), saver, read);
    words.erase(words.begin() + first, words.begin() + i + 1);
    words.insert(words.begin() + first, read.begin(), read.end());
    i = first - 1; // what was read may name files too
  }
  return "";
}

// Include paths relative to where the command ran.
static void makeAbsolute(std::vector<std::string> &flags, llvm::StringRef directory) {
  static constexpr llvm::StringRef separate[] = {"-isystem", "-iquote", "-idirafter"};
  for (size_t i = 0; i < flags.size(); ++i) {
    const llvm::StringRef flag = flags[i];
    if (llvm::is_contained(separate, flag) && i + 1 < flags.size())
      flags[i + 1] = absolutePath(flags[i + 1], directory);
    else if (flag.starts_with("-I") && flag.size() > 2)
      flags[i] = "-I" + absolutePath(flag.drop_front(2), directory);
    else if (flag == "-include" && i + 1 < flags.size() &&
             llvm::sys::fs::exists(absolutePath(flags[i + 1], directory)))
      flags[i + 1] = absolutePath(flags[i + 1], directory);
  }
}

std::string flagsFromDatabase(const std::string &buildDir, const std::string &input,
                              FlagTranslation &translation) {
  std::string error;
  const auto database = clang::tooling::CompilationDatabase::loadFromDirectory(buildDir, error);
  if (!database)
    return "-p " + buildDir + ": no compile_commands.json can be read there";
  llvm::SmallString<256> full(input);
  llvm::sys::fs::make_absolute(full);
  llvm::sys::path::remove_dots(full, true);
  const auto commands = database->getCompileCommands(full);
  if (commands.empty())
    return "-p " + buildDir + ": compile_commands.json has no entry for '" + input + "'";
  std::vector<std::string> words = commands[0].CommandLine;
  if (!words.empty())
    words.erase(words.begin());
  error = expandResponseFiles(words, commands[0].Directory);
  if (!error.empty())
    return "-p " + buildDir + ": " + error;
  translation = translateNvccFlags(words);
  makeAbsolute(translation.flags, commands[0].Directory);
  return "";
}

} // namespace layout_port
