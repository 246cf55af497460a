#include "Rule.h"

namespace layout_port {

llvm::StringRef tierName(Tier tier) {
  switch (tier) {
  case Tier::Native:
    return "native";
  case Tier::Bridged:
    return "bridged";
  case Tier::Emulated:
    return "emulated";
  case Tier::Renamed:
    return "renamed";
  case Tier::Manual:
    return "manual";
  }
  return "manual";
}

} // namespace layout_port
