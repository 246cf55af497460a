// See Compare.h.
#include "host/Compare.h"

#include <llvm/ADT/STLExtras.h>

namespace layout_port::verify {
namespace {

bool sameBytes(Device &left, const DeviceBuffer &a, Device &right, const DeviceBuffer &b) {
  const uint8_t *x = left.memory().bytesAt(a.address), *y = right.memory().bytesAt(b.address);
  const uint8_t *s = left.memory().shadowAt(a.address), *t = right.memory().shadowAt(b.address);
  if (std::memcmp(x, y, a.bytes) == 0 && std::memcmp(s, t, a.bytes) == 0)
    return true;
  for (uint64_t i = 0; i < a.bytes; ++i) {
    const bool defined = s[i] & shadow::defined;
    if (defined != bool(t[i] & shadow::defined) || (defined && x[i] != y[i]))
      return false;
  }
  return true;
}

BufferImage imageOf(Device &device, const DeviceBuffer &buffer) {
  const uint8_t *bytes = device.memory().bytesAt(buffer.address);
  const uint8_t *shade = device.memory().shadowAt(buffer.address);
  return {{bytes, bytes + buffer.bytes}, {shade, shade + buffer.bytes}};
}

void takeOver(Device &from, const DeviceBuffer &a, Device &to, const DeviceBuffer &b) {
  std::memcpy(to.memory().bytesAt(b.address), from.memory().bytesAt(a.address), a.bytes);
  std::memcpy(to.memory().shadowAt(b.address), from.memory().shadowAt(a.address), a.bytes);
}

std::string describe(const DeviceBuffer &buffer) {
  return buffer.name + " of " + std::to_string(buffer.bytes) + " bytes";
}

} // namespace

llvm::Expected<std::vector<BufferPair>> pairBuffers(Device &left, Device &right) {
  const std::vector<DeviceBuffer> &a = left.buffers(), &b = right.buffers();
  std::vector<BufferPair> pairs;
  size_t i = 0, j = 0;
  for (; i < a.size() && a[i].variable; ++i)
    for (size_t k = 0; k < b.size() && b[k].variable; ++k)
      if (a[i].name == b[k].name && a[i].bytes == b[k].bytes)
        pairs.push_back({i, k});
  while (j < b.size() && b[j].variable)
    ++j;
  for (; i < a.size() && j < b.size(); ++i, ++j) {
    if (a[i].bytes != b[j].bytes || a[i].live != b[j].live)
      return llvm::createStringError("main has " + describe(a[i]) + (a[i].live ? "" : ", freed,") +
                                     " in the source, " + describe(b[j]) +
                                     (b[j].live ? "" : ", freed,") + " in the port");
    if (a[i].live)
      pairs.push_back({i, j});
  }
  if (i < a.size())
    return llvm::createStringError("main allocates " + describe(a[i]) + " in the source only");
  if (j < b.size())
    return llvm::createStringError("main allocates " + describe(b[j]) + " in the port only");
  return pairs;
}

BufferSpec specOf(const DeviceBuffer &buffer) {
  BufferSpec spec;
  spec.name = buffer.name;
  spec.type = buffer.type && buffer.bytes % buffer.type->bytes == 0
                  ? *buffer.type
                  : llvm::cantFail(parseElementType("u8"));
  spec.count = buffer.bytes / spec.type.bytes;
  spec.init = Init::File; // as main left it
  spec.out = true;
  return spec;
}

MemoryDifference compareMemories(Device &left, Device &right, llvm::ArrayRef<BufferPair> pairs,
                                 bool &rounded) {
  RunOptions options;
  options.domain = Domain::Float;
  MemoryDifference result;
  for (const BufferPair &pair : pairs) {
    const DeviceBuffer &a = left.buffers()[pair.left], &b = right.buffers()[pair.right];
    if (sameBytes(left, a, right, b))
      continue;
    LaunchFile file;
    file.buffers.push_back(specOf(a));
    RunResult x, y;
    x.buffers[a.name] = imageOf(left, a);
    y.buffers[a.name] = imageOf(right, b);
    result.difference = compareOutputs(file, options, x, y);
    if (result.difference.found) {
      result.spec = file.buffers.front();
      result.pair = pair;
      result.untyped = !a.type;
      return result;
    }
    rounded = true;
    takeOver(left, a, right, b);
  }
  return result;
}

} // namespace layout_port::verify
