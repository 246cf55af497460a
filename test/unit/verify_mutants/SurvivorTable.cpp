#include "Survivors.h"

namespace layout_port::verify {
namespace {

constexpr Survivor kSurvivors[] = {
#define SURVIVOR(place, mutation, reason, why) {place, mutation, Survival::reason, why},
#include "Survivors.inc"
#undef SURVIVOR
};

} // namespace

const Survivor *findSurvivor(const std::string &place, const std::string &mutation) {
  for (const Survivor &survivor : kSurvivors)
    if (place == survivor.place && mutation == survivor.mutation)
      return &survivor;
  return nullptr;
}

} // namespace layout_port::verify
