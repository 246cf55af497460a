// A native port that clang does not take is none: the sites to blame drop to the bridged tier.
//
// The compile checks judge the text as a whole; trials tell which of its kernels they mean, as
// TierSearch.h has it for proofs.
#pragma once

#include "Rule.h"
#include "check/Compile.h"
#include "source/Program.h"

#include <functional>
#include <optional>

namespace layout_port {

struct Dropped {
  PortCaps caps;    // the caps to port with
  std::string note; // what was dropped and why, one line
};

// `failed` is what clang said of the port that `caps` made. `compiles`: whether what other caps
// make passes that check. Nothing, where no site is native or the bridged port does not compile
// either.
std::optional<Dropped> dropNative(const Program &program, const std::vector<Site> &sites,
                                  const PortCaps &caps, const CheckResult &failed,
                                  const std::function<bool(const PortCaps &)> &compiles);

} // namespace layout_port
