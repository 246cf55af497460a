// See NvvmWmma.h.
#include "semantics/NvvmWmma.h"

#include "semantics/Matrix.h"

namespace layout_port::verify {

bool decodeWmma(Decoder &, const llvm::CallBase &, llvm::StringRef) { return false; }

} // namespace layout_port::verify
