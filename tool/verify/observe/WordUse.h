// Whether a kernel computes with the words of one buffer as the floats they are declared to be.
//
// The run is one in IEEE arithmetic in which the words of that buffer alone are marked as payloads:
// a mark goes where its bytes are moved, and ends in any arithmetic. Integer arithmetic that meets
// one gives up, as in the field; this observer sees the float arithmetic.
#pragma once

#include "observe/Observer.h"

namespace layout_port::verify {

class WordUse : public Observer {
public:
  // bytes: of a word as it is declared.
  explicit WordUse(unsigned bytes) : bytes_(bytes) {}
  bool readsNumbers() const { return numbers_; }
  // Numbers of another width than the declared one.
  bool takesApart() const { return apart_; }

  bool wantsInstructions() const override { return true; }
  void onInstruction(const Wave &wave, const Op &op) override;

private:
  void look(const Wave &wave, Reg reg);

  unsigned bytes_;
  bool numbers_ = false, apart_ = false;
};

} // namespace layout_port::verify
