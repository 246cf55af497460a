// See StoreTrace.h.
#include "observe/StoreTrace.h"

#include "machine/Machine.h"

namespace layout_port::verify {

StoreSite StoreTrace::siteOf(const Wave &wave, Space space) const {
  return {wave.block->id, wave.index * wave.lanes, locationBase + location_, launch, space, 0};
}

// Calls found(offset, residue) for each whole residue among the bytes. The nibble of
// a residue's first byte is its width, a power of two (machine/Memory.h).
template <class F>
void StoreTrace::elements(BlockState &block, Space space, uint64_t address, unsigned bytes,
                          F found) const {
  const Arena &arena = space == Space::Shared ? block.shared : block.global->arena;
  const uint64_t offset = address - (space == Space::Shared ? 0 : arena.base);
  if (offset > arena.bytes.size() || bytes > arena.bytes.size() - offset)
    return;
  for (unsigned i = 0; i < bytes;) {
    const unsigned width = arena.shadow[offset + i] >> 4;
    const bool begins = width && !(width & (width - 1)) && i + width <= bytes;
    if (begins) {
      uint64_t residue = 0;
      std::memcpy(&residue, arena.bytes.data() + offset + i, width);
      found(i, residue);
    }
    i += begins ? width : 1;
  }
}

void StoreTrace::store(BlockState &block, StoreSite site, uint64_t address, unsigned bytes) {
  elements(block, site.space, address, bytes, [&](unsigned offset, uint64_t residue) {
    if (log_.stored.size() >= StoreLog::kMost) {
      log_.complete = false;
      return;
    }
    site.address = address + offset;
    log_.stored.push_back(residue);
    log_.sites.push_back(site);
  });
}

void StoreTrace::flush() {
  for (const auto &[lane, address] : pending_.lanes) {
    StoreSite site = pending_.site;
    site.thread += lane;
    store(*pending_.block, site, address, pending_.bytes);
  }
  pending_.lanes.clear();
}

void StoreTrace::onInstruction(const Wave &, const Op &op) {
  flush();
  location_ = op.location;
}

void StoreTrace::onMemory(const Wave &wave, const MemoryEvent &event) {
  flush();
  if (event.space != Space::Global && event.space != Space::Shared)
    return;
  if (event.kind == MemoryEvent::Load && event.space == Space::Global)
    forLanes(event.lanes, [&](unsigned lane) {
      elements(*wave.block, event.space, event.addresses[lane], event.bytes,
               [&](unsigned, uint64_t residue) {
                 if (log_.loaded.size() < StoreLog::kMost)
                   log_.loaded.push_back(residue);
                 else
                   log_.complete = false;
               });
    });
  if (event.kind != MemoryEvent::Store && event.kind != MemoryEvent::Atomic)
    return;
  pending_.block = wave.block;
  pending_.site = siteOf(wave, event.space);
  pending_.bytes = event.bytes;
  forLanes(event.lanes,
           [&](unsigned lane) { pending_.lanes.push_back({lane, event.addresses[lane]}); });
}

void StoreTrace::onAsyncDone(const Wave &wave, unsigned lane, uint64_t address, unsigned bytes) {
  flush();
  StoreSite site = siteOf(wave, Space::Shared);
  site.thread += lane;
  store(*wave.block, site, address, bytes);
}

void StoreTrace::finish(const GlobalMemory &memory) {
  flush();
  log_.regions = memory.regions();
}

} // namespace layout_port::verify
