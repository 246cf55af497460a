#include "commands/Batch.h"

#include "commands/batch/Children.h"
#include "commands/batch/Tree.h"
#include "commands/port/Options.h"
#include "device/Runtime.h"
#include "report/WriteFile.h"
#include "source/Emit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>
#include <thread>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
namespace json = llvm::json;

namespace layout_port::commands {

static constexpr llvm::StringRef usage =
    "layout-port batch DIR -o OUTDIR [-j N] [--json FILE] [--timeout S] [--memory MIB]\n"
    "                  [--quiet] [options of a port] [-- flags]\n\n"
    "Ports every CUDA source below DIR, each in a child process of its own; headers that\n"
    "hold CUDA are ported once, other files are copied, and OUTDIR has the shape of DIR.\n"
    "The device runtime is one header, OUTDIR/layout_port_runtime.h. Options that are not\n"
    "named here go to every port: see layout-port --help.\n\n"
    "  -o OUTDIR      the folder of outputs; made if it is not there\n"
    "  -j N           children at once (default: as many as there are cores)\n"
    "  --json FILE    one report over all files\n"
    "  --timeout S    seconds a file may take (300)\n"
    "  --memory MIB   memory a file may take (8192)\n"
    "  --quiet        no summary\n\n"
    "Exit status: 0 everything ported and compiled; 1 some file needs a person or failed;\n"
    "2 trouble, nothing ported.\n";

static int trouble(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "layout-port") << message << "\n";
  return 2;
}

namespace {

struct Request {
  std::string folder, output, json;
  ChildLimits limits;
  bool quiet = false;
  std::vector<std::string> options, flags; // for every port
};

// What became of one file.
struct Outcome {
  std::string input;  // relative to the folder
  std::string output; // relative to the folder of outputs; empty when there is none
  std::string status; // ported, person, failed
  std::string problem;
  double seconds = 0;
  unsigned peakMebibytes = 0;
  json::Value report = nullptr; // the child's JSON
};

class Arguments {
public:
  explicit Arguments(llvm::ArrayRef<const char *> args) : args_(args) {}

  // One-line error text, empty on success.
  std::string read(Request &request) {
    while (at_ < args_.size()) {
      const llvm::StringRef arg = args_[at_++];
      if (arg == "--") {
        request.flags.assign(args_.begin() + at_, args_.end());
        break;
      }
      if (const std::string problem = one(arg, request); !problem.empty())
        return problem;
    }
    if (request.folder.empty())
      return "batch needs a folder: see layout-port batch --help";
    if (request.output.empty())
      return "batch needs -o OUTDIR";
    return "";
  }

private:
  std::string one(llvm::StringRef arg, Request &request) {
    if (arg == "--quiet" || arg == "-quiet") {
      request.quiet = true;
      return "";
    }
    for (const auto &[name, text] : {std::pair("-o", &request.output), {"--json", &request.json}})
      if (takesValue(arg, name))
        return value(arg, name, *text);
    for (const auto &[name, number] : {std::pair("-j", &request.limits.jobs),
                                       {"--timeout", &request.limits.seconds},
                                       {"--memory", &request.limits.mebibytes}})
      if (takesValue(arg, name))
        return positive(arg, name, *number);
    if (arg.starts_with("-")) {
      request.options.push_back(arg.str());
      // `--target gfx942`: the value may be a word of its own.
      if (needsValue(arg) && at_ < args_.size())
        request.options.push_back(args_[at_++]);
      return "";
    }
    if (!request.folder.empty())
      return "batch takes one folder: '" + request.folder + "' or '" + arg.str() + "'?";
    request.folder = arg.str();
    return "";
  }

  static bool needsValue(llvm::StringRef option) {
    return llvm::is_contained({"target", "max-tier", "rules", "p", "cuda-path", "cuda-arch",
                               "resource-dir", "headers", "runtime"},
                              option.ltrim('-'));
  }

  static bool takesValue(llvm::StringRef arg, llvm::StringRef name) {
    return arg == name || arg.starts_with((name + "=").str()) ||
           (name == "-j" && arg.starts_with("-j"));
  }

  std::string value(llvm::StringRef arg, llvm::StringRef name, std::string &text) {
    arg.consume_front(name);
    if (arg.consume_front("=") || !arg.empty())
      text = arg.str();
    else if (at_ < args_.size())
      text = args_[at_++];
    return text.empty() ? (name + " needs a value").str() : "";
  }

  std::string positive(llvm::StringRef arg, llvm::StringRef name, unsigned &number) {
    std::string text;
    if (std::string problem = value(arg, name, text); !problem.empty())
      return problem;
    if (llvm::StringRef(text).getAsInteger(10, number) || number == 0)
      return (name + ": '" + text + "' is no number above 0").str();
    return "";
  }

  llvm::ArrayRef<const char *> args_;
  size_t at_ = 1;
};

std::string joined(const llvm::Twine &folder, llvm::StringRef name) {
  llvm::SmallString<256> full;
  folder.toVector(full);
  path::append(full, name);
  return std::string(full);
}

std::string readText(const std::string &file) {
  const auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::string writeText(const std::string &file, llvm::StringRef text) {
  fs::create_directories(path::parent_path(file));
  return writeWhole(file, text);
}

// "layout-port: error: x: the source does not parse": what a child said last.
std::string lastWords(const std::string &log) {
  const std::string text = readText(log);
  const llvm::StringRef line = llvm::StringRef(text).rtrim().rsplit('\n').second;
  llvm::StringRef words = line.empty() ? llvm::StringRef(text).rtrim() : line;
  words.consume_front("layout-port: error: ");
  return words.str();
}

class Batch {
public:
  Batch(Request request, const char *executable, std::string staging)
      : request_(std::move(request)), executable_(executable), staging_(std::move(staging)) {}

  int run() {
    files_ = walkTree(request_.folder, request_.output);
    std::vector<std::string> sources;
    for (const TreeFile &file : files_)
      if (file.kind == TreeFile::Kind::Source)
        sources.push_back(file.path);
    portAll(sources, "alongside");
    portAll(std::exchange(again_, {}), "inline");
    portAll(headersNobodyIncludes(), "alongside");
    copyOthers();
    if (!runtime_.empty())
      keepProblem(writeText(joined(request_.output, runtimeHeaderName), runtime_));
    if (!problem_.empty())
      return trouble(problem_);
    if (!request_.json.empty())
      if (const std::string problem = writeText(request_.json, jsonText()); !problem.empty())
        return trouble("--json " + problem);
    if (!request_.quiet)
      printSummary();
    return llvm::all_of(outcomes_, [](const Outcome &o) { return o.status == "ported"; }) ? 0 : 1;
  }

private:
  // Each child works in staging/<number>/tree.
  std::string childFolder(size_t number) const { return joined(staging_, std::to_string(number)); }

  ChildTask taskFor(const std::string &source, size_t number, llvm::StringRef headers) const {
    const std::string folder = childFolder(number), tree = joined(folder, "tree");
    const std::string output = joined(tree, outputName(source, files_));
    fs::create_directories(path::parent_path(output));
    ChildTask task;
    task.log = joined(folder, "log");
    task.args = {executable_,
                 "port",
                 joined(request_.folder, source),
                 "-o",
                 output,
                 "--json=" + joined(folder, "report.json"),
                 "--quiet",
                 "--source-root=" + request_.folder,
                 "--output-root=" + tree,
                 "--runtime=include",
                 "--headers=" + headers.str()};
    // A compile without end costs the check, not the port.
    if (llvm::none_of(request_.options,
                      [](llvm::StringRef option) { return option.starts_with("--check-seconds"); }))
      task.args.push_back("--check-seconds=" + std::to_string(request_.limits.seconds / 2));
    task.args.insert(task.args.end(), request_.options.begin(), request_.options.end());
    if (!request_.flags.empty())
      task.args.push_back("--");
    task.args.insert(task.args.end(), request_.flags.begin(), request_.flags.end());
    return task;
  }

  void portAll(const std::vector<std::string> &sources, llvm::StringRef headers) {
    std::vector<ChildTask> tasks;
    const size_t first = childCount_;
    for (const std::string &source : sources)
      tasks.push_back(taskFor(source, childCount_++, headers));
    expected_ += sources.size();
    runChildren(tasks, request_.limits, [&](size_t i, const ChildResult &result) {
      take(sources[i], first + i, result);
      progress(sources[i]);
    });
  }

  void take(const std::string &source, size_t number, const ChildResult &result) {
    const std::string folder = childFolder(number);
    Outcome outcome;
    outcome.input = source;
    outcome.seconds = result.seconds;
    outcome.peakMebibytes = result.peakMebibytes;
    outcome.status = result.code == 0 ? "ported" : result.code == 1 ? "person" : "failed";
    outcome.problem = result.problem;
    if (outcome.status == "failed") {
      if (outcome.problem.empty())
        outcome.problem = lastWords(joined(folder, "log"));
    } else if (!publish(joined(folder, "tree"), outputName(source, files_))) {
      // Its headers read otherwise than the ones another source brought: it keeps
      // its own, inline.
      again_.push_back(source);
      --expected_;
      return;
    } else {
      outcome.output = outputName(source, files_);
      if (auto report = json::parse(published(readText(joined(folder, "report.json")), folder)))
        outcome.report = std::move(*report);
      else
        llvm::consumeError(report.takeError());
    }
    fs::remove_directories(folder);
    outcomes_.push_back(std::move(outcome));
  }

  // A child's report speaks of the folder it worked in.
  std::string published(std::string report, const std::string &folder) const {
    const std::string tree = joined(folder, "tree");
    for (size_t at = report.find(tree); at != std::string::npos; at = report.find(tree, at))
      report.replace(at, tree.size(), request_.output);
    return report;
  }

  // Moves what a child wrote to its place; false when a header was published before
  // with another text.
  bool publish(const std::string &tree, const std::string &output) {
    std::map<std::string, std::string> texts;
    for (const TreeFile &file : walkTree(tree, ""))
      texts[file.path] = readText(joined(tree, file.path));
    for (const auto &[name, text] : texts)
      if (name != output && name != runtimeHeaderName && headers_.count(name) &&
          headers_[name] != text)
        return false;
    for (const auto &[name, text] : texts) {
      if (name == runtimeHeaderName) {
        runtime_ = runtime_.empty() ? text : mergeRuntimeHeaders(runtime_, text);
        continue;
      }
      if (name != output)
        headers_[name] = text;
      keepProblem(writeText(joined(request_.output, name), text));
    }
    return true;
  }

  std::vector<std::string> headersNobodyIncludes() const {
    std::vector<std::string> left;
    for (const TreeFile &file : files_)
      if (file.kind == TreeFile::Kind::Header && !headers_.count(file.path))
        left.push_back(file.path);
    return left;
  }

  void copyOthers() {
    for (const TreeFile &file : files_) {
      if (file.kind != TreeFile::Kind::Other)
        continue;
      const std::string to = joined(request_.output, file.path);
      fs::create_directories(path::parent_path(to));
      if (const std::error_code error = fs::copy_file(joined(request_.folder, file.path), to))
        keepProblem("'" + to + "': " + error.message());
      ++copied_;
    }
  }

  void keepProblem(const std::string &problem) {
    if (problem_.empty())
      problem_ = problem;
  }

  // [12/50] kernels/gemm.cu, on one line of a terminal.
  void progress(const std::string &file) const {
    if (request_.quiet || !llvm::errs().is_displayed())
      return;
    llvm::errs() << llvm::formatv("\r\x1b[K[{0}/{1}] {2}", outcomes_.size(), expected_, file);
    if (outcomes_.size() == expected_)
      llvm::errs() << "\r\x1b[K";
  }

  unsigned count(llvm::StringRef status) const {
    return llvm::count_if(outcomes_, [&](const Outcome &o) { return o.status == status; });
  }

  // Sites by tier over all reports.
  std::map<std::string, int64_t> tierCounts() const {
    std::map<std::string, int64_t> counts;
    for (const Outcome &outcome : outcomes_)
      if (const json::Object *report = outcome.report.getAsObject())
        if (const json::Object *summary = report->getObject("summary"))
          if (const json::Object *tiers = summary->getObject("tiers"))
            for (const auto &[tier, n] : *tiers)
              counts[tier.str()] += n.getAsInteger().value_or(0);
    return counts;
  }

  std::string jsonText() {
    json::Array list;
    json::Object tiers;
    for (const auto &[tier, n] : tierCounts())
      tiers[tier] = n;
    llvm::sort(outcomes_, [](const Outcome &a, const Outcome &b) { return a.input < b.input; });
    for (const Outcome &o : outcomes_)
      list.push_back(json::Object{{"input", o.input},
                                  {"output", o.output},
                                  {"status", o.status},
                                  {"problem", json::fixUTF8(o.problem)},
                                  {"seconds", o.seconds},
                                  {"peak_mebibytes", o.peakMebibytes},
                                  {"report", o.report}});
    json::Object summary{{"files", outcomes_.size()},  {"ported", count("ported")},
                         {"person", count("person")},  {"failed", count("failed")},
                         {"headers", headers_.size()}, {"copied", copied_},
                         {"tiers", std::move(tiers)},  {"seconds", seconds()}};
    json::Value document =
        json::Object{{"files", std::move(list)}, {"summary", std::move(summary)}};
    return llvm::formatv("{0:2}\n", document).str();
  }

  // What a person has to look at in a file that was written.
  static std::string whatIsLeft(const Outcome &outcome) {
    const json::Object *report = outcome.report.getAsObject();
    const json::Object *summary = report ? report->getObject("summary") : nullptr;
    if (!summary)
      return "no report";
    std::string text;
    if (const json::Object *tiers = summary->getObject("tiers"))
      if (const auto manual = tiers->getInteger("manual"); manual.value_or(0))
        text = std::to_string(*manual) + (*manual == 1 ? " manual site" : " manual sites");
    if (const json::Object *compiled = summary->getObject("compiled"))
      for (const auto &[target, yes] : *compiled)
        if (!yes.getAsBoolean().value_or(false))
          text +=
              (text.empty() ? "does not compile for " : ", does not compile for ") + target.str();
    return text;
  }

  void printSummary() const {
    llvm::raw_ostream &out = llvm::errs();
    out << llvm::formatv("{0}: {1} files: {2} ported, {3} need a person, {4} failed; {5} headers "
                         "ported, {6} files copied ({7:F1} s)\n",
                         request_.folder, outcomes_.size(), count("ported"), count("person"),
                         count("failed"), headers_.size(), copied_, seconds());
    out << "  sites:";
    for (const auto &[tier, n] : tierCounts())
      if (n)
        out << " " << n << " " << tier;
    out << "\n";
    for (const Outcome &o : outcomes_) {
      if (o.status == "person")
        out << o.input << ": needs a person: " << whatIsLeft(o) << "\n";
      if (o.status == "failed")
        out << o.input << ": failed, nothing written: " << o.problem << "\n";
    }
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  const Request request_;
  const std::string executable_, staging_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<TreeFile> files_;
  std::vector<Outcome> outcomes_;
  std::vector<std::string> again_;             // to be ported once more, with headers inline
  std::map<std::string, std::string> headers_; // published, by path
  std::string runtime_, problem_;
  size_t childCount_ = 0, expected_ = 0, copied_ = 0;
};

} // namespace

static std::string folderProblem(Request &request) {
  if (!fs::is_directory(request.folder))
    return "'" + request.folder + "' is no folder";
  llvm::SmallString<256> folder(request.folder);
  path::remove_dots(folder, true);
  request.folder = folder.empty() ? "." : llvm::StringRef(folder).rtrim('/').str();
  if (const std::error_code error = fs::create_directories(request.output))
    return "-o '" + request.output + "': " + error.message();
  bool same = false;
  if (!fs::equivalent(request.folder, request.output, same) && same)
    return "-o names the folder itself: outputs go to another";
  if (fs::access(request.output, fs::AccessMode::Write))
    return "-o '" + request.output + "': the folder cannot be written to";
  return "";
}

// The options of every port, read once here: a wrong one is trouble before any child
// has run.
static std::string optionProblem(const char *argv0, const Request &request) {
  std::vector<const char *> args = {argv0, "--list-rules"};
  for (const std::string &option : request.options)
    args.push_back(option.c_str());
  return parsePortOptions(args).error;
}

int batch(llvm::ArrayRef<const char *> args) {
  if (args.size() > 1 &&
      (llvm::StringRef(args[1]) == "--help" || llvm::StringRef(args[1]) == "-h")) {
    llvm::outs() << usage;
    return 0;
  }
  Request request;
  request.limits.jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string problem = Arguments(args).read(request);
  if (problem.empty())
    problem = folderProblem(request);
  if (problem.empty())
    problem = optionProblem(args[0], request);
  if (!problem.empty())
    return trouble(problem);
  llvm::SmallString<128> staging;
  if (fs::createUniqueDirectory("layout-port-batch", staging))
    return trouble("no temporary folder could be made");
  const llvm::scope_exit cleanup([&] { fs::remove_directories(staging); });
  static int anchor;
  const std::string executable = fs::getMainExecutable(args[0], &anchor);
  return Batch(std::move(request), executable.c_str(), staging.str().str()).run();
}

} // namespace layout_port::commands
