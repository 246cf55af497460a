// The operations of `layout-port layout serve`: a table from names to functions.
//
// Each function reads its fields, asks the library, and writes the result; docs/serve.md
// describes them, one example each. To add one, write it in the file of its kind and
// add a row to that file's table.
#pragma once

#include "Json.h"

namespace layout_port::serve {

using Answer = Result<llvm::json::Value>;

struct Op {
  const char *name;
  Answer (*run)(const wire::Reader &request);
};

// Algebra and encodings; instructions and banks; solvers; CuTe.
llvm::ArrayRef<Op> algebraOps();
llvm::ArrayRef<Op> hardwareOps();
llvm::ArrayRef<Op> solverOps();
llvm::ArrayRef<Op> cuteOps();

// Nothing when there is no such op.
const Op *findOp(llvm::StringRef name);

// An answer out of what the library returned.
template <typename T> Answer answer(const Result<T> &result) {
  if (!result)
    return result.error();
  return llvm::json::Value(wire::toJson(*result));
}

} // namespace layout_port::serve
