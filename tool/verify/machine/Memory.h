// Memory of the SIMT machine: bytes, and one shadow byte beside each.
//
//   generic address   0x0000_xxxx_xxxx_xxxx  global and constant memory
//                     0x0001_0000_xxxx_xxxx  window onto the block's shared memory
//                     0x0002_0000_xxxx_xxxx  window onto the lane's private memory
//
//   shadow byte       7 6 5 4   3         2        1        0
//                     payload   reserved  tainted  defined  addressable
//
// The payload nibble says which byte of which float payload a byte is, so that the
// field domain knows a residue from raw bits whatever way it was copied: 0 is raw,
// w + i is byte i of a payload w bytes wide (w = 1, 2, 4, 8). Registers carry the
// same nibbles, eight to a 64-bit slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace layout_port::verify {

enum class Space : uint8_t { Generic, Global, Shared, Local };

constexpr unsigned kWindowShift = 48;
constexpr uint64_t kSharedWindow = uint64_t(1) << kWindowShift;
constexpr uint64_t kLocalWindow = uint64_t(2) << kWindowShift;
constexpr uint64_t kGlobalBase = uint64_t(1) << 32;

namespace shadow {
constexpr uint8_t addressable = 1, defined = 2, tainted = 4;
constexpr uint8_t fresh = addressable, ready = addressable | defined;
// Repeats a flag in each byte of a word.
constexpr uint64_t each(uint8_t flag) { return 0x0101010101010101u * flag; }
} // namespace shadow

// Nibbles of a payload of `width` bytes at byte 0 of a register: 0x32 for 2 bytes.
constexpr uint32_t payloadCode(unsigned width) {
  uint32_t code = 0;
  for (unsigned i = 0; i < width; ++i)
    code |= uint32_t(width + i) << (4 * i);
  return code;
}

// The width of the one payload that fills a register's low bytes; 0 if it is not that.
constexpr unsigned payloadWidth(uint32_t code) {
  const unsigned width = code & 15;
  return width && width <= 8 && code == payloadCode(width) ? width : 0;
}

// Whether no payload lies in a register without all of its bytes.
constexpr bool holdsWhole(uint32_t code) {
  for (unsigned i = 0; i < 8 && code >> (4 * i);) {
    const unsigned width = code >> (4 * i) & 15;
    if (width > 8 || (width & (width - 1)) || i + width > 8)
      return false;
    for (unsigned b = 1; b < width; ++b)
      if ((code >> (4 * (i + b)) & 15) != width + b)
        return false;
    i += width ? width : 1;
  }
  return true;
}

struct Arena {
  uint64_t base = 0;
  std::vector<uint8_t> bytes, shadow;

  // Grows by `size` bytes, addressable, behind a gap that is not; returns the offset.
  size_t allocate(size_t size, size_t alignment, uint8_t flags);
  void resize(size_t size, uint8_t flags);
  void clear();
};

// A named piece of global memory: a buffer of the launch file or a __device__
// variable. Findings use it to turn addresses into words.
struct Region {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
};

class GlobalMemory {
public:
  GlobalMemory();
  // Returns the generic address.
  uint64_t allocate(std::string name, uint64_t size, uint64_t alignment = 256,
                    uint8_t flags = shadow::fresh);
  uint8_t *bytesAt(uint64_t address) { return arena.bytes.data() + (address - arena.base); }
  uint8_t *shadowAt(uint64_t address) { return arena.shadow.data() + (address - arena.base); }
  // "A+0x20" or "no allocation".
  std::string describe(uint64_t address) const;
  const std::vector<Region> &regions() const { return regions_; }
  uint64_t size() const { return arena.bytes.size(); }

  Arena arena;

private:
  std::vector<Region> regions_;
};

} // namespace layout_port::verify
