// The device end of a program's runtime calls: memory, variables and kernels of one side.
#pragma once

#include "host/Replay.h"
#include "host/Types.h"

#include "share/host/call.h"

namespace layout_port::verify {

// An allocation of main's or a __device__ variable.
struct DeviceBuffer {
  std::string name;   // as main calls it: "d_A"
  std::string symbol; // of a variable: its mangled name
  uint64_t address = 0, bytes = 0;
  std::optional<ElementType> type; // of the kernels that were given it
  bool live = true;
  bool variable = false;
  bool written = false; // by main, since it began
  LpMemory memory = LpDeviceMemory;
  bool contains(uint64_t at) const { return at >= address && at - address < bytes; }
};

class Device {
public:
  // heap: where allocations begin, the same on both sides, so that equal calls get equal
  // addresses and pointers in memory can be compared.
  Device(HostSide &side, uint64_t heap, const Limits &limits);

  // Any request that has a reply, but launches.
  LpReply serve(const LpRequest &request, llvm::ArrayRef<uint8_t> bytes, std::vector<uint8_t> &out);
  // A launch as it was asked for.
  llvm::Expected<RecordedLaunch> record(const LpRequest &request, llvm::ArrayRef<uint8_t> bytes);
  // What a launch made of a copy of the memory. (The machine puts hidden arguments behind the
  // buffers, which must not move those that main allocates next.)
  void take(const GlobalMemory &after);

  GlobalMemory &memory() { return memory_; }
  std::vector<DeviceBuffer> &buffers() { return buffers_; }
  const DeviceBuffer *bufferAt(uint64_t address) const;
  // "cudaMalloc: out of memory (64 MiB)"; empty when no call failed.
  const std::string &firstError() const { return firstError_; }
  // Why main cannot go on: a kernel the machine cannot run. Empty when it can.
  const std::string &trouble() const { return trouble_; }

private:
  using Bytes = llvm::ArrayRef<uint8_t>;
  bool accessible(uint64_t address, uint64_t size) const;
  LpReply kernelInfo(uint64_t function, std::vector<uint8_t> &out);
  LpReply symbol(uint64_t variable) const;
  LpReply allocate(uint64_t size, LpMemory memory, std::string name);
  uint64_t place(const DeviceBuffer &buffer);
  LpReply release(uint64_t address);
  LpReply write(uint64_t address, Bytes bytes);
  LpReply read(uint64_t address, uint64_t size, std::vector<uint8_t> &out);
  LpReply copy(uint64_t to, uint64_t from, uint64_t size);
  LpReply fill(uint64_t address, uint64_t value, uint64_t width, uint64_t count);
  LpReply noteError(uint64_t code, llvm::StringRef call);
  void noteWritten(uint64_t address);
  void noteTypes(const RecordedLaunch &launch);

  HostSide &side_;
  Limits limits_;
  GlobalMemory memory_;
  std::vector<DeviceBuffer> buffers_; // variables first, then allocations in their order
  std::map<uint64_t, std::string> functions_, variables_; // by their host addresses
  std::map<std::string, std::vector<std::optional<ElementType>>> pointeeTypes_;
  uint64_t lastSize_ = 0;
  std::string firstError_, trouble_;
};

// A kernel of the side, for the variables: each kernel has all of them, at the same addresses.
llvm::Expected<const Program *> anyKernel(HostSide &side);

} // namespace layout_port::verify
