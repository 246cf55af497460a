// serve: CuTe's layout algebra.
#include "Ops.h"

namespace layout_port::serve {

llvm::ArrayRef<Op> cuteOps() { return {}; }

} // namespace layout_port::serve
