// The #if arms that no output of this port compiles.
//
//   #ifdef CUSOLVER_COMMON_H_     neither side of the parse compiled these lines, and the
//     case CUSOLVER_STATUS_...    output asks for the same macros: a name without counterpart
//   #endif                        is no part of the program here
//
// Not so in an input that is itself a header, which others include with macros of their
// own, nor where a header was not found: it might have defined what the #if asks for.
#pragma once

#include "source/Program.h"

namespace layout_port {

class DeadArms {
public:
  explicit DeadArms(const Program &program);

  // Do bytes [begin, end) of `file` lie in one such arm?
  bool hold(unsigned file, unsigned begin, unsigned end) const;

private:
  std::map<unsigned, std::map<unsigned, unsigned>> arms_; // file -> begin -> end
};

} // namespace layout_port
