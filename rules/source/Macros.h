// Which macros the files of a program use at all, judged from their tokens.
//
// The preprocessor sees one set of #if arms; here a macro counts as used when its
// name stands anywhere outside of a macro body, or in the body of a used macro.
// What is not used by this measure no choice of arms can expand.
#pragma once

#include "source/Program.h"

namespace layout_port {

// Is the input itself a header, which others include?
bool isHeaderInput(const Program &program);

class MacroUses {
public:
  explicit MacroUses(const Program &program);

  // Does token i of `file` stand in the body of a macro that nothing here can
  // expand? Never so in an input that is itself a header: others include it.
  bool isInUnusedMacro(const SourceFile &file, size_t i) const;

private:
  std::set<std::string> used_;
  bool inputIsHeader_ = false;
};

} // namespace layout_port
