#include "source/WarpFacts.h"

namespace layout_port {

ShufflePart WarpFacts::shuffleAt(Place place) const {
  const auto found = shuffleParts.find(place);
  return found == shuffleParts.end() || found->second.size() != 1 ? ShufflePart()
                                                                  : *found->second.begin();
}

WaveState WarpFacts::waveAt(Place place) const {
  const auto found = waveStates.find(place);
  if (found == waveStates.end() || found->second.empty())
    return {};
  WaveState all = *found->second.begin();
  for (const WaveState &state : found->second) {
    if (state.kind == all.kind)
      continue;
    // Some ways half a wave, some whole: the reason is that of the half.
    const WaveState &parted = all.kind == WaveState::Kind::Whole ? state : all;
    all = {WaveState::Kind::Perhaps, parted.why};
  }
  return all;
}

} // namespace layout_port
