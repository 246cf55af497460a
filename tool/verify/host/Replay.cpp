// See Replay.h.
#include "host/Replay.h"

namespace layout_port::verify {
namespace {

// In the field domain a float argument is the constant it says. Bits inside of structs stay raw:
// they are converted where they meet float arithmetic.
void toField(Launch &launch, const Program &code, const Field &field) {
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const Parameter &parameter = code.parameters[i];
    if (parameter.indirect || parameter.scalars.size() != 1 ||
        parameter.scalars[0].format == FloatFormat::None)
      continue;
    const unsigned width = parameter.scalars[0].bytes();
    uint64_t bits = 0;
    std::memcpy(&bits, launch.arguments[i].data(), width);
    const uint64_t residue =
        floatArgument(decodeFloat(parameter.scalars[0].format, bits), code, field);
    std::memcpy(launch.arguments[i].data(), &residue, width);
    for (unsigned b = 0; b < width; ++b)
      launch.argumentShadow[i][b] = uint8_t(shadow::ready | (width + b) << 4);
  }
}

} // namespace

std::string RecordedLaunch::shape() const {
  auto axes = [](const std::array<uint32_t, 3> &n) {
    return std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]);
  };
  return "grid " + axes(launch.grid) + ", block " + axes(launch.block) +
         (launch.dynamicShared
              ? ", " + std::to_string(launch.dynamicShared) + " bytes of shared memory"
              : "");
}

llvm::Expected<const Program *> HostSide::kernel(const std::string &name) {
  RunOptions options;
  options.domain = Domain::Float;
  return program(name, options);
}

RunResult HostSide::run(const LaunchFile &file, const RunOptions &options) {
  if (!replay_)
    return Side::run(file, options);
  RunResult result;
  llvm::Expected<const Program *> code = program(replay_->launch->kernel, options);
  if (!code) {
    result.error = llvm::toString(code.takeError());
    return result;
  }
  const Field field(options.fieldBits, mix(options.seed), options.algebra, options.roundings);
  const bool inField = options.domain == Domain::Field;
  GlobalMemory memory = *replay_->before;
  LaunchRunner runner(memory, inField ? &field : nullptr, options, result);
  for (size_t i = 0; i < file.buffers.size(); ++i) {
    const BufferSpec &buffer = file.buffers[i];
    const uint64_t address = replay_->addresses[i];
    if (buffer.init == Init::Random)
      fillBuffer(buffer, options, field, memory.bytesAt(address), memory.shadowAt(address));
    if (buffer.out)
      runner.watch(buffer.name, address, buffer.bytes());
  }
  runner.hold(promises(), compiled().path);
  Launch launch = replay_->launch->launch;
  if (inField)
    toField(launch, **code, field);
  runner.run(**code, launch, replay_->launch->name);
  runner.finish();
  for (size_t i = 0; i < file.buffers.size(); ++i)
    if (file.buffers[i].out)
      runner.collect(file.buffers[i], replay_->addresses[i]);
  return result;
}

} // namespace layout_port::verify
