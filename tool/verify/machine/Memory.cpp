// See Memory.h.
#include "machine/Memory.h"

namespace layout_port::verify {

// Unaddressable bytes between two allocations, so that an index that runs over
// the end of a buffer does not land in the next one.
constexpr size_t kRedZone = 512;

size_t Arena::allocate(size_t size, size_t alignment, uint8_t flags) {
  size_t offset = (bytes.size() + kRedZone + alignment - 1) / alignment * alignment;
  bytes.resize(offset + size + kRedZone);
  shadow.resize(bytes.size());
  std::fill(shadow.begin() + offset, shadow.begin() + offset + size, flags);
  return offset;
}

void Arena::resize(size_t size, uint8_t flags) {
  bytes.assign(size, 0);
  shadow.assign(size, flags);
}

void Arena::clear() {
  bytes.clear();
  shadow.clear();
}

GlobalMemory::GlobalMemory() { arena.base = kGlobalBase; }

uint64_t GlobalMemory::allocate(std::string name, uint64_t size, uint64_t alignment,
                                uint8_t flags) {
  uint64_t address = kGlobalBase + arena.allocate(size, alignment, flags);
  regions_.push_back({std::move(name), address, size});
  return address;
}

std::string GlobalMemory::describe(uint64_t address) const {
  const Region *nearest = nullptr;
  for (const Region &region : regions_)
    if (address >= region.address && (!nearest || region.address > nearest->address))
      nearest = &region;
  if (!nearest || address - nearest->address >= nearest->size + 2 * kRedZone)
    return "no allocation";
  char text[32];
  snprintf(text, sizeof(text), "+0x%llx", (unsigned long long)(address - nearest->address));
  return nearest->name + text;
}

} // namespace layout_port::verify
