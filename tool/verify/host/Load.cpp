// Compiles a program for a session: device part, host part and runtime.
#include "host/Session.h"

#include "layout_port/layouts/Isa.h"

#include <llvm/Support/DynamicLibrary.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/TargetSelect.h>

#include <optional>
#include <thread>

namespace layout_port::verify {
namespace {

// Shared memory that a block may have, once asked for. NVIDIA:
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#features-and-technical-specifications-technical-specifications-per-compute-capability
unsigned sharedBytes(bool cuda, const CompileOptions &options) {
  if (!cuda) {
    const Result<isa::Arch> arch = isa::parseArch(options.hipArch);
    const int bytes = arch ? isa::archInfo(*arch).ldsBytes : 0;
    return bytes > 0 ? unsigned(bytes) : 64u << 10;
  }
  static const std::pair<llvm::StringRef, unsigned> perBlock[] = {
      {"sm_70", 96}, {"sm_75", 64},  {"sm_80", 163},  {"sm_86", 99}, {"sm_87", 163},
      {"sm_89", 99}, {"sm_90", 227}, {"sm_100", 227}, {"sm_120", 99}};
  for (const auto &[arch, kib] : perBlock)
    if (llvm::StringRef(options.cudaArch).starts_with(arch))
      return kib << 10;
  return 48u << 10;
}

bool isSource(llvm::StringRef path) {
  const llvm::StringRef extension = llvm::sys::path::extension(path);
  return extension != ".ll" && extension != ".bc";
}

using Loaded = llvm::Expected<std::unique_ptr<HostedProgram>>;

Loaded load(const std::string &path, const CompileOptions &options) {
  if (!isSource(path))
    return llvm::createStringError("no launch file: give one with --launch (" + path +
                                   " has no host part that could be run)");
  const llvm::StringRef extension = llvm::sys::path::extension(path);
  const bool cuda = extension == ".cu" || extension == ".cuh";
  llvm::Expected<CompiledModule> host = compile(Part::Host, path, options);
  if (!host)
    return host.takeError();
  if (!hasMain(*host->module))
    return llvm::createStringError("no launch file: give one with --launch (" + path +
                                   " has no main that could be run instead; "
                                   "--launch-template writes one)");
  llvm::Expected<CompiledModule> device = compileDevice(path, options);
  if (!device)
    return device.takeError();
  llvm::Expected<CompiledModule> runtime =
      compileHostRuntime(cuda, sharedBytes(cuda, options), options);
  if (!runtime)
    return runtime.takeError();
  llvm::Expected<HostProgram> program =
      compileHostProgram(std::move(*host), std::move(*runtime), providedNames());
  if (!program)
    return program.takeError();
  return std::make_unique<HostedProgram>(std::move(*device), !cuda, std::move(*program));
}

} // namespace

// Both at once: reading headers is most of the time of a small program.
llvm::Expected<HostedPrograms> loadPrograms(const std::string &source,
                                            const CompileOptions &sourceOptions,
                                            const std::string &port,
                                            const CompileOptions &portOptions) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
  std::optional<Loaded> right;
  std::thread other([&] { right.emplace(load(port, portOptions)); });
  Loaded left = load(source, sourceOptions);
  other.join();
  if (left && *right)
    return HostedPrograms(std::move(*left), std::move(**right));
  llvm::Error first = left ? llvm::Error::success() : left.takeError();
  llvm::Error second = *right ? llvm::Error::success() : right->takeError();
  if (!first)
    return std::move(second);
  llvm::consumeError(std::move(second));
  return std::move(first);
}

} // namespace layout_port::verify
