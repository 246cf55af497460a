// Where the lanes of a wave read, as numbers: what the price of a plan is counted from.
// The addresses themselves are the author's text (AddressFunction); this is their form, as
// rules/recover found it, and it may be missing.
#pragma once

#include "native/FragmentProgram.h"
#include "recover/Forms.h"

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace layout_port::native {

class LanePlaces {
public:
  LanePlaces(recover::NumericForm form, recover::VariableId lane, recover::VariableId pair)
      : form_(std::move(form)), lane_(lane), pair_(pair) {}

  // Bytes from the address of lane 0 of an even warp at the start of all loops, or rather
  // from a place that is the same for all lanes. `turns`: how often loops have gone round,
  // by the name of their variable; others 0. Nothing when it cannot be told.
  std::optional<uint64_t> at(unsigned lane, unsigned pair,
                             const std::map<std::string, uint64_t> &turns) const;

  // A turn of a loop adds or XORs something that does not depend on the lane: the lane's part
  // of the address can be computed in front of the loop.
  bool isSeparable() const {
    return form_.kind == recover::FormKind::AffineF2 || form_.kind == recover::FormKind::AffineInt;
  }

private:
  recover::NumericForm form_;
  recover::VariableId lane_, pair_;
};

// Fills in what the kernel's loads by ldmatrix read from shared memory.
void findPlaces(clang::ASTContext &context, const clang::FunctionDecl &launched,
                const clang::FunctionDecl &function, Kernel &kernel);

} // namespace layout_port::native
