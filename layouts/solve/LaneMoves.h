// Which instruction makes a given lane map.
#pragma once

#include "layout_port/layouts/Plan.h"

#include <memory>
#include <optional>

namespace layout_port::solve {

// The chip's rows, looked up once.
const std::vector<const isa::CrossLaneMove *> &crossLaneRows(isa::Arch arch);

// The cheapest instruction by which each lane reads lane `source thread ^ offset`, when
// `words` words are moved one after the other (so that latency is paid once). The
// matrix may depend on warp bits. `inverse` is the map from sender to receiver, without
// its offset, if there is one. Answers are remembered by offset.
class LaneMoveChooser {
public:
  LaneMoveChooser(isa::Arch arch, int laneBits, const f2::Columns &source,
                  const f2::Columns *inverse, int words);
  ~LaneMoveChooser();
  const LaneInstruction &choose(uint64_t offset);

private:
  LaneInstruction find(uint64_t offset) const;

  struct Map;
  isa::Arch arch_;
  int words_;
  std::unique_ptr<Map> map_;
  bool sameInAllWaves_, scatters_;
  std::vector<std::optional<LaneInstruction>> known_;
};

// v_permlane16_swap or v_permlane32_swap, null where the chip has none for this bit.
const isa::CrossLaneMove *permlaneSwap(isa::Arch arch, int laneBit);

} // namespace layout_port::solve
