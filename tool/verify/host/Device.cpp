// See Device.h. Requests come from a child process that may send anything: every address and size
// is checked against what is allocated.
#include "host/Device.h"

#include "decode/Decoder.h"
#include "decode/Names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/FormatVariadic.h>

namespace layout_port::verify {

namespace {

constexpr uint64_t kPage = 4096; // shared memory is mapped by pages in the child

LpReply status(LpStatus code) { return {code, {0, 0, 0, 0}, 0}; }

} // namespace

llvm::Expected<const Program *> anyKernel(HostSide &side) {
  std::string problem = "there is no kernel in it";
  for (const std::string &name : kernelNames(*side.compiled().module)) {
    llvm::Expected<const Program *> code = side.kernel(name);
    if (code)
      return code;
    problem = llvm::toString(code.takeError());
  }
  return llvm::createStringError(problem);
}

Device::Device(HostSide &side, uint64_t heap, const Limits &limits) : side_(side), limits_(limits) {
  const llvm::Module &module = *side.compiled().module;
  llvm::Expected<const Program *> variables = anyKernel(side);
  if (!variables) {
    trouble_ = llvm::toString(variables.takeError());
    return;
  }
  placeGlobals(**variables, memory_);
  memory_.arena.bytes.resize(heap - kGlobalBase);
  memory_.arena.shadow.resize(heap - kGlobalBase);
  for (const Global &global : (*variables)->globals) {
    const llvm::GlobalVariable *variable = module.getNamedGlobal(global.name);
    if (!variable || variable->hasLocalLinkage() || global.name.rfind("__hip_", 0) == 0)
      continue; // string literals, and what the compiler adds
    DeviceBuffer buffer;
    buffer.name = llvm::demangle(global.name);
    buffer.symbol = global.name;
    buffer.address = global.address;
    buffer.bytes = global.bytes.size();
    buffer.type = variableType(variable->getValueType());
    buffer.variable = true;
    buffers_.push_back(std::move(buffer));
  }
  llvm::sort(buffers_,
             [](const DeviceBuffer &a, const DeviceBuffer &b) { return a.name < b.name; });
}

const DeviceBuffer *Device::bufferAt(uint64_t address) const {
  for (const DeviceBuffer &buffer : buffers_)
    if (buffer.live && buffer.contains(address))
      return &buffer;
  return nullptr;
}

bool Device::accessible(uint64_t address, uint64_t size) const {
  const DeviceBuffer *buffer = bufferAt(address);
  return buffer && size <= buffer->bytes - (address - buffer->address);
}

LpReply Device::serve(const LpRequest &request, Bytes bytes, std::vector<uint8_t> &out) {
  const uint64_t (&a)[8] = request.args;
  const std::string text(bytes.begin(), bytes.end());
  LpReply reply = status(LpOk);
  switch (request.op) {
  case LpFunction:
    functions_[a[0]] = text;
    return reply;
  case LpVariable:
    variables_[a[0]] = text;
    return reply;
  case LpKernel:
    return kernelInfo(a[0], out);
  case LpSymbol:
    return symbol(a[0]);
  case LpAllocate:
    return allocate(a[0], LpMemory(a[1]), text);
  case LpFree:
    return release(a[0]);
  case LpWrite:
    return write(a[0], bytes);
  case LpRead:
    return read(a[0], a[1], out);
  case LpCopy:
    return copy(a[0], a[1], a[2]);
  case LpFill:
    return fill(a[0], a[1], a[2], a[3]);
  case LpRange:
    if (const DeviceBuffer *buffer = bufferAt(a[0]))
      return {LpOk, {buffer->address, buffer->bytes, buffer->memory, 0}, 0};
    return status(LpInvalidValue);
  case LpUsage:
    reply.results[0] = limits_.memory - std::min(limits_.memory, memory_.size());
    reply.results[1] = limits_.memory;
    return reply;
  case LpError:
    return noteError(a[0], text);
  default:
    return status(LpNotSupported);
  }
}

LpReply Device::kernelInfo(uint64_t function, std::vector<uint8_t> &out) {
  auto known = functions_.find(function);
  if (known == functions_.end())
    return status(LpInvalidFunction);
  llvm::Expected<const Program *> code = side_.kernel(known->second);
  if (!code) {
    trouble_ = llvm::toString(code.takeError());
    return status(LpInvalidFunction);
  }
  LpReply reply = status(LpOk);
  reply.results[0] = (*code)->staticShared;
  for (const Parameter &parameter : (*code)->parameters) {
    const uint32_t size = uint32_t(parameter.size);
    out.insert(out.end(), reinterpret_cast<const uint8_t *>(&size),
               reinterpret_cast<const uint8_t *>(&size + 1));
  }
  return reply;
}

LpReply Device::symbol(uint64_t variable) const {
  auto known = variables_.find(variable);
  for (const DeviceBuffer &buffer : buffers_)
    if (known != variables_.end() && buffer.variable && buffer.symbol == known->second)
      return {LpOk, {buffer.address, buffer.bytes, 0, 0}, 0};
  return status(LpInvalidSymbol);
}

LpReply Device::allocate(uint64_t size, LpMemory memory, std::string name) {
  lastSize_ = size;
  const size_t count =
      size_t(llvm::count_if(buffers_, [](const DeviceBuffer &buffer) { return !buffer.variable; }));
  const std::string number = "allocation " + std::to_string(count + 1);
  if (name.empty())
    name = number;
  else if (llvm::any_of(buffers_, [&](const DeviceBuffer &b) { return b.name == name; }))
    name += " (" + number + ")"; // main's second d_A
  DeviceBuffer buffer;
  buffer.name = name;
  buffer.bytes = size;
  buffer.memory = memory;
  buffer.address = place(buffer);
  if (!buffer.address)
    return status(LpOutOfMemory);
  buffers_.push_back(buffer);
  return {LpOk, {buffer.address, size, memory, 0}, 0};
}

// An address for the buffer; 0 where the limit leaves none. While there is room an address is
// never used twice, so that what still reads a freed buffer is found.
uint64_t Device::place(const DeviceBuffer &buffer) {
  const bool shared = buffer.memory == LpSharedMemory;
  const uint64_t room = shared ? (buffer.bytes + kPage - 1) / kPage * kPage : buffer.bytes;
  if (room < buffer.bytes || room > limits_.memory || memory_.size() + room > limits_.memory) {
    for (DeviceBuffer &freed : buffers_) {
      if (freed.live || freed.bytes != buffer.bytes || freed.memory != buffer.memory)
        continue;
      freed.bytes = 0;
      std::fill_n(memory_.bytesAt(freed.address), buffer.bytes, uint8_t(0));
      std::fill_n(memory_.shadowAt(freed.address), buffer.bytes, shadow::fresh);
      return freed.address;
    }
    return 0;
  }
  const uint64_t address = memory_.allocate(buffer.name, room, shared ? kPage : 256);
  std::fill_n(memory_.shadowAt(address) + buffer.bytes, room - buffer.bytes, uint8_t(0));
  return address;
}

// A freed buffer's bytes are no longer addressable.
LpReply Device::release(uint64_t address) {
  for (DeviceBuffer &buffer : buffers_) {
    if (!buffer.live || buffer.variable || buffer.address != address)
      continue;
    buffer.live = false;
    std::fill_n(memory_.shadowAt(address), buffer.bytes, uint8_t(0));
    return status(LpOk);
  }
  return status(LpInvalidValue);
}

void Device::noteWritten(uint64_t address) {
  for (DeviceBuffer &buffer : buffers_)
    if (buffer.live && buffer.contains(address))
      buffer.written = true;
}

LpReply Device::write(uint64_t address, Bytes bytes) {
  if (!accessible(address, bytes.size()))
    return status(LpInvalidValue);
  std::copy(bytes.begin(), bytes.end(), memory_.bytesAt(address));
  uint8_t *shade = memory_.shadowAt(address);
  for (size_t i = 0; i < bytes.size(); ++i) // a variable stays constant to kernels
    shade[i] = uint8_t((shade[i] & ~shadow::tainted & 0xf) | shadow::ready);
  noteWritten(address);
  return status(LpOk);
}

LpReply Device::read(uint64_t address, uint64_t size, std::vector<uint8_t> &out) {
  if (!accessible(address, size))
    return status(LpInvalidValue);
  const uint8_t *bytes = memory_.bytesAt(address);
  out.assign(bytes, bytes + size);
  return status(LpOk);
}

LpReply Device::copy(uint64_t to, uint64_t from, uint64_t size) {
  if (!accessible(to, size) || !accessible(from, size))
    return status(LpInvalidValue);
  std::memmove(memory_.bytesAt(to), memory_.bytesAt(from), size);
  std::memmove(memory_.shadowAt(to), memory_.shadowAt(from), size);
  noteWritten(to);
  return status(LpOk);
}

LpReply Device::fill(uint64_t address, uint64_t value, uint64_t width, uint64_t count) {
  if ((width != 1 && width != 2 && width != 4) || count > limits_.memory ||
      !accessible(address, width * count))
    return status(LpInvalidValue);
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(memory_.bytesAt(address) + i * width, &value, width);
  std::fill_n(memory_.shadowAt(address), width * count, shadow::ready);
  noteWritten(address);
  return status(LpOk);
}

LpReply Device::noteError(uint64_t code, llvm::StringRef call) {
  if (firstError_.empty()) {
    firstError_ = call.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).str() +
                  " returned error " + std::to_string(code);
    if (code == LpOutOfMemory)
      firstError_ += llvm::formatv(", out of memory ({0} MiB; the limit is {1} MiB, --memory)",
                                   lastSize_ >> 20, limits_.memory >> 20);
  }
  return status(LpOk);
}

llvm::Expected<RecordedLaunch> Device::record(const LpRequest &request, Bytes bytes) {
  auto known = functions_.find(request.args[0]);
  if (known == functions_.end())
    return llvm::createStringError("launches what is no kernel of the program");
  llvm::Expected<const Program *> code = side_.kernel(known->second);
  if (!code)
    return code.takeError();
  RecordedLaunch recorded;
  recorded.kernel = known->second;
  recorded.name = kernelName(known->second);
  recorded.code = *code;
  for (unsigned axis = 0; axis < 3; ++axis) {
    recorded.launch.grid[axis] = uint32_t(request.args[1 + axis]);
    recorded.launch.block[axis] = uint32_t(request.args[4 + axis]);
  }
  recorded.launch.dynamicShared = uint32_t(request.args[7]);
  if (request.args[7] > (1u << 20))
    return llvm::createStringError("launches " + recorded.name + " with " +
                                   std::to_string(request.args[7]) + " bytes of shared memory");
  for (const Parameter &parameter : (*code)->parameters) {
    if (bytes.size() < parameter.size)
      return llvm::createStringError("launches " + recorded.name + " with too few arguments");
    recorded.launch.arguments.push_back(bytes.take_front(parameter.size).vec());
    recorded.launch.argumentShadow.emplace_back(parameter.size, shadow::ready);
    bytes = bytes.drop_front(parameter.size);
  }
  noteTypes(recorded);
  return recorded;
}

// A buffer is what the kernels it is given to take it for; floats go before integers, since
// halves are often handed around as words.
void Device::noteTypes(const RecordedLaunch &recorded) {
  auto entry = pointeeTypes_.try_emplace(recorded.kernel);
  if (entry.second)
    if (const llvm::Function *function = side_.compiled().module->getFunction(recorded.kernel))
      entry.first->second = pointeeTypes(*function);
  const auto &types = entry.first->second;
  for (size_t i = 0; i < types.size() && i < recorded.launch.arguments.size(); ++i) {
    if (!types[i] || recorded.launch.arguments[i].size() != 8)
      continue;
    uint64_t address = 0;
    std::memcpy(&address, recorded.launch.arguments[i].data(), 8);
    for (DeviceBuffer &buffer : buffers_)
      if (buffer.live && buffer.contains(address) && !buffer.variable &&
          (!buffer.type || (types[i]->isFloat() && !buffer.type->isFloat())))
        buffer.type = types[i];
  }
}

void Device::take(const GlobalMemory &after) {
  std::copy_n(after.arena.bytes.begin(), memory_.arena.bytes.size(), memory_.arena.bytes.begin());
  std::copy_n(after.arena.shadow.begin(), memory_.arena.shadow.size(),
              memory_.arena.shadow.begin());
}

} // namespace layout_port::verify
