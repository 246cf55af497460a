// Names of PyTorch's namespaces for CUDA. Their letters alone say nothing: at::cuda::set_device.
#pragma once

#include "source/Tokens.h"

namespace layout_port {

// The tokens of `at::cuda::`.
constexpr size_t torchScopeLength = 4;

// "at", "c10" or "torch", if token i stands behind that and `::cuda::`; else empty.
inline llvm::StringRef torchScope(const TokenStream &tokens, size_t i) {
  if (i < torchScopeLength || !tokens.is(i - 1, "::") || !tokens.is(i - 2, "cuda") ||
      !tokens.is(i - 3, "::"))
    return "";
  const llvm::StringRef outer = tokens.spelling(i - torchScopeLength);
  return outer == "at" || outer == "c10" || outer == "torch" ? outer : "";
}

} // namespace layout_port
