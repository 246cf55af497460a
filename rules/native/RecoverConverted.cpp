// Operands whose registers other code makes or changes by what CUDA's lanes have of them:
//
//   ldsm4(a, p);  a[0] = __hmul2(a[0], decay[lane / 4]);  mma(c[j], a, b[j]);
//
// Such code is not followed. It stays as it is, with all that fills the registers, and each product
// moves them to the MFMA's lanes. The sums stay where the MFMA has them all the same.
#include "native/Recovery.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace clang;

namespace layout_port::native {

// One load fills operands that all stay, or none of them; and so do the registers of one operand.
void Recovery::leaveConverted() {
  out_.converted = toConvert_;
  const auto leaveAll = [&](const std::vector<Slot> &slots) {
    const auto first =
        llvm::find_if(slots, [&](const Slot &slot) { return out_.isConverted(slot.declaration); });
    if (first == slots.end())
      return false;
    const size_t before = out_.converted.size();
    const Kernel::Converted known =
        *llvm::find_if(out_.converted, [&](const Kernel::Converted &converted) {
          return converted.operand == first->declaration;
        });
    for (const Slot &slot : slots)
      if (!out_.isConverted(slot.declaration))
        out_.converted.push_back({slot.declaration, known.reason, known.at});
    return out_.converted.size() > before;
  };
  for (bool again = !out_.converted.empty(); again;) {
    again = false;
    for (const LoadSite &load : out_.loads)
      again |= leaveAll(load.registers);
    for (const MmaSite &mma : out_.mmas)
      again |= leaveAll(mma.a) || leaveAll(mma.b);
  }
  const std::vector<LoadSite> all = std::exchange(out_.loads, {});
  const auto inCall = std::exchange(inCall_, {}); // by the loads' numbers
  for (size_t i = 0; i < all.size(); ++i) {
    if (out_.isConverted(all[i].registers)) {
      noteLeft(all[i]);
      continue;
    }
    if (const auto known = inCall.find(i); known != inCall.end())
      inCall_[out_.loads.size()] = known->second;
    out_.loads.push_back(all[i]);
  }
}

// It changes its registers, as other code does.
void Recovery::noteLeft(const LoadSite &load) {
  out_.left.push_back({load.isAhead ? load.statement : load.range, load.frame});
  FragmentUse use;
  use.place = load.isAhead ? load.statement : load.range;
  use.isDoneThere = true;
  std::vector<TextRange> ranges; // where its function is called, or itself
  for (const CallPlace &call : load.calls)
    ranges.push_back(call.range);
  if (ranges.empty())
    ranges.push_back(use.place);
  for (const Slot &slot : load.registers)
    for (const TextRange &range : ranges) {
      use.declaration = slot.declaration;
      use.range = range;
      loadsLeft_.push_back(use);
    }
}

// What is copied to or from one of them is copied where CUDA has it.
void Recovery::leaveCopies() {
  llvm::erase_if(out_.copies, [&](const Kernel::Copy &copy) {
    return out_.isConverted(copy.from) || out_.isConverted(copy.to);
  });
}

// They are not where results are that stay in the MFMA's lanes.
void Recovery::checkConverted(Exchange &exchange) const {
  for (const Kernel::Converted &left : out_.converted)
    for (const Root &root : rootsOf(left.operand)) {
      const auto [begin, end] = bytesOf(root);
      if (!exchange.problem.empty() || !exchange.fragments.touch(root.variable, begin, end))
        continue;
      exchange.problem = "'" + root.variable->getNameAsString() +
                         "' is made from results, and stays in CUDA's layout: " + left.reason;
      exchange.problemAt = root.variable->getSourceRange();
    }
}

} // namespace layout_port::native
