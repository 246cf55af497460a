#include "commands/PortProof.h"

#include "frontend/RepairingFiles.h"
#include "host/Session.h"
#include "launch/Template.h"
#include "proof/Verify.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace layout_port {

namespace {

using namespace layout_port::verify;

std::string writeText(const llvm::Twine &path, llvm::StringRef text) {
  const std::string name = path.str();
  std::error_code error;
  llvm::raw_fd_ostream out(name, error);
  out << text;
  return name;
}

CompileOptions compileOptions(const ProofRequest &request, const std::string &target) {
  CompileOptions options;
  options.executable = request.executable;
  options.hipArch = target;
  options.mend = mendedText;
  options.flags = request.flags;
  llvm::SmallString<256> folder(llvm::sys::path::parent_path(request.input));
  llvm::sys::fs::make_absolute(folder);
  options.flags.push_back("-iquote" + std::string(folder));
  if (request.allowManual)
    options.flags.push_back("-DLP_ALLOW_MANUAL");
  return options;
}

// The launch file to use; without one, the template of the source's kernels.
llvm::Expected<LaunchFile> launchFor(const ProofRequest &request, llvm::StringRef folder) {
  if (!request.launch.empty())
    return readLaunchFile(request.launch);
  auto source = compileDevice(request.input, compileOptions(request, "gfx942"));
  if (!source)
    return source.takeError();
  Side side(std::move(*source), false);
  auto text = launchTemplate(side, "");
  if (!text)
    return text.takeError();
  return readLaunchFile(writeText(folder + "/launch.yaml", *text));
}

ProofResult resultOf(const verify::Report &report, const std::string &target) {
  ProofResult result;
  result.target = target;
  result.verdict = toString(report.verdict);
  result.reason = report.reason;
  result.bound = report.bound;
  result.assumptions.assign(report.assumptions.begin(), report.assumptions.end());
  result.thin = report.thin;
  result.undefinedOutputs = llvm::any_of(
      report.limits, [](llvm::StringRef limit) { return limit.contains("are undefined"); });
  return result;
}

// A source that is a whole program needs no launch file: its main makes the launches.
bool isProgram(const ProofRequest &request) {
  if (!request.launch.empty())
    return false;
  auto host = compile(Part::Host, request.input, compileOptions(request, "gfx942"));
  if (host)
    return hasMain(*host->module);
  llvm::consumeError(host.takeError()); // the device part may still compile
  return false;
}

llvm::Expected<ProofResult> proveProgram(const ProofRequest &request, const std::string &cuda,
                                         const std::string &port, const std::string &target) {
  const CompileOptions options = compileOptions(request, target);
  auto programs = loadPrograms(cuda, options, port, options);
  if (!programs)
    return programs.takeError();
  const verify::Report report =
      verifyProgram(*programs->first, *programs->second, SessionOptions());
  if (report.verdict == Verdict::Trouble)
    return llvm::createStringError(report.reason);
  return resultOf(report, target);
}

// ns::k<float> and k are kernels called k.
void padBlocks(const ProofRequest &request, LaunchFile &launches) {
  for (LaunchSpec &launch : launches.launches) {
    const llvm::StringRef name = llvm::StringRef(launch.kernel).split('<').first;
    const std::string last = name.substr(name.rfind(':') + 1).str();
    if (llvm::is_contained(request.padded, last))
      launch.blockHip = paddedBlock(launch.block);
  }
}

llvm::Expected<ProofResult> proveOn(const ProofRequest &request, const LaunchFile &launch,
                                    const std::string &cuda, const std::string &port,
                                    const std::string &target) {
  const CompileOptions options = compileOptions(request, target);
  auto source = compileDevice(cuda, options);
  if (!source)
    return source.takeError();
  auto ported = compileDevice(port, options);
  if (!ported)
    return ported.takeError();
  Side left(std::move(*source), false), right(std::move(*ported), true);
  if (const std::string problem = checkLaunch(left, right, launch); !problem.empty())
    return llvm::createStringError(problem);
  return resultOf(prove(left, right, launch, ProofOptions()), target);
}

} // namespace

std::vector<ProofResult> provePort(const ProofRequest &request, std::string &problem) {
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("layout-port", folder)) {
    problem = "no temporary folder could be made";
    return {};
  }
  const llvm::scope_exit cleanup([&] { llvm::sys::fs::remove_directories(folder); });
  std::vector<ProofResult> results;
  const bool program = isProgram(request);
  llvm::Expected<LaunchFile> launch = program ? LaunchFile() : launchFor(request, folder);
  if (!launch) {
    problem = llvm::toString(launch.takeError());
    return {};
  }
  padBlocks(request, *launch);
  const std::string source =
      request.source.empty() ? request.input : writeText(folder + "/source.cu", request.source);
  const std::string port = writeText(folder + "/port.hip", request.output);
  for (const std::string &target : request.targets) {
    auto result = program ? proveProgram(request, source, port, target)
                          : proveOn(request, *launch, source, port, target);
    if (!result) {
      problem = llvm::toString(result.takeError());
      return {};
    }
    results.push_back(*result);
  }
  return results;
}

} // namespace layout_port
