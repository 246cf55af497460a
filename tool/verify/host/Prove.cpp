// See Prove.h.
#include "host/Prove.h"

#include <llvm/ADT/StringExtras.h>

namespace layout_port::verify {

void ReadSet::onMemory(const Wave &, const MemoryEvent &event) {
  if (event.space != Space::Global ||
      (event.kind != MemoryEvent::Load && event.kind != MemoryEvent::Atomic))
    return;
  forLanes(event.lanes, [&](unsigned lane) {
    const uint64_t granule = event.addresses[lane] >> kGranuleBits;
    if (granule != last_)
      granules_.insert(last_ = granule);
  });
}

bool ReadSet::touches(const DeviceBuffer &buffer) const {
  auto first = granules_.lower_bound(buffer.address >> kGranuleBits);
  return first != granules_.end() && *first <= (buffer.address + buffer.bytes - 1) >> kGranuleBits;
}

std::string launchKey(const Device &device, const RecordedLaunch &recorded) {
  std::string key = recorded.kernel + "|" + recorded.shape();
  std::vector<uint64_t> targets;
  for (size_t i = 0; i < recorded.launch.arguments.size(); ++i) {
    const std::vector<uint8_t> &bytes = recorded.launch.arguments[i];
    key += "|";
    uint64_t address = 0;
    const DeviceBuffer *buffer = nullptr;
    if (recorded.code->parameters[i].pointer && bytes.size() == 8) {
      std::memcpy(&address, bytes.data(), 8);
      buffer = device.bufferAt(address);
    }
    if (!buffer) {
      key += llvm::toHex(bytes);
      continue;
    }
    auto alias = llvm::find(targets, buffer->address);
    key += std::to_string(alias - targets.begin()) + "+" +
           std::to_string(address - buffer->address) + "/" + std::to_string(buffer->bytes) +
           (buffer->type ? buffer->type->name : "");
    if (alias == targets.end())
      targets.push_back(buffer->address);
  }
  return key;
}

namespace {

bool allZero(const GlobalMemory &memory, const DeviceBuffer &buffer) {
  const auto begin = memory.arena.bytes.begin() + int64_t(buffer.address - memory.arena.base);
  return std::all_of(begin, begin + int64_t(buffer.bytes), [](uint8_t b) { return b == 0; });
}

bool anyDefined(const GlobalMemory &memory, const DeviceBuffer &buffer) {
  const auto begin = memory.arena.shadow.begin() + int64_t(buffer.address - memory.arena.base);
  return std::any_of(begin, begin + int64_t(buffer.bytes),
                     [](uint8_t shade) { return shade & shadow::defined; });
}

bool isConstant(const GlobalMemory &memory, const DeviceBuffer &buffer) {
  return buffer.variable && (memory.arena.shadow[buffer.address - memory.arena.base] & 8);
}

// Floats stand for all inputs. A variable that main never wrote is a table of the program's.
bool isInput(const DeviceBuffer &buffer) {
  return buffer.type && buffer.type->isFloat() && buffer.bytes % buffer.type->bytes == 0 &&
         (!buffer.variable || buffer.written);
}

// Tables that the program itself holds need no apology for not being refilled, nor do zeros.
bool keepsData(const GlobalMemory &before, const DeviceBuffer &buffer) {
  return !isInput(buffer) && !(buffer.variable && !buffer.written) && !allZero(before, buffer);
}

} // namespace

LaunchProof proveLaunch(const ProofSide &left, const ProofSide &right,
                        llvm::ArrayRef<BufferPair> pairs, const ReadSet &reads,
                        const ProofOptions &options) {
  LaunchProof proof;
  LaunchFile file;
  HostSide::Replay a{&left.launch, &left.before, {}}, b{&right.launch, &right.before, {}};
  for (const BufferPair &pair : pairs) {
    const DeviceBuffer &own = left.device.buffers()[pair.left];
    BufferSpec spec = specOf(own);
    // What main's own launch has left without any value is none of its outputs.
    spec.out = !isConstant(left.before, own) && anyDefined(left.device.memory(), own);
    if (isInput(own))
      spec.init = Init::Random;
    else if (reads.touches(own) && keepsData(left.before, own))
      proof.kept.push_back(own.name);
    a.addresses.push_back(own.address);
    b.addresses.push_back(right.device.buffers()[pair.right].address);
    file.buffers.push_back(std::move(spec));
  }
  LaunchSpec launch;
  launch.kernel = left.launch.name;
  launch.kernelHip = right.launch.name;
  launch.grid = left.launch.launch.grid;
  launch.block = left.launch.launch.block;
  launch.blockHip = right.launch.launch.block;
  file.launches.push_back(launch);
  left.side.setReplay(&a);
  right.side.setReplay(&b);
  proof.report = prove(left.side, right.side, file, options);
  left.side.setReplay(nullptr);
  right.side.setReplay(nullptr);
  // An integer buffer that main zeroed and the kernel left alone is no sign of idleness.
  for (const BufferSpec &spec : file.buffers)
    if (spec.init == Init::File)
      proof.report.limits.erase("output " + spec.name + " is all zero: little is shown of it");
  return proof;
}

} // namespace layout_port::verify
