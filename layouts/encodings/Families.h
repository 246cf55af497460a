// One function a family, behind toLinearLayout. The shape's sizes are powers of two.
#pragma once

#include "layout_port/layouts/Encodings.h"

namespace layout_port {
namespace encodings {

Result<LinearLayout> blocked(const BlockedEncoding &e, const PerDim &shape);
Result<LinearLayout> slice(const SliceEncoding &e, const PerDim &shape);
Result<LinearLayout> nvidiaMma(const NvidiaMmaEncoding &e, const PerDim &shape);
Result<LinearLayout> amdMfma(const AmdMfmaEncoding &e, const PerDim &shape);
Result<LinearLayout> amdWmma(const AmdWmmaEncoding &e, const PerDim &shape);
Result<LinearLayout> dotOperand(const DotOperandEncoding &e, const PerDim &shape);
Result<LinearLayout> swizzledShared(const SwizzledSharedEncoding &e, const PerDim &shape);
Result<LinearLayout> nvmmaShared(const NvmmaSharedEncoding &e, const PerDim &shape);
Result<LinearLayout> amdRotatingShared(const AmdRotatingSharedEncoding &e, const PerDim &shape);
Result<LinearLayout> paddedShared(const PaddedSharedEncoding &e, const PerDim &shape);

// The operands of the families that have them.
Result<LinearLayout> blockedOperand(const DotOperandEncoding &dot, const BlockedEncoding &parent,
                                    const PerDim &shape);
Result<LinearLayout> nvidiaMmaOperand(const DotOperandEncoding &dot,
                                      const NvidiaMmaEncoding &parent, const PerDim &shape);
Result<LinearLayout> amdMfmaOperand(const DotOperandEncoding &dot, const AmdMfmaEncoding &parent,
                                    const PerDim &shape);
Result<LinearLayout> amdWmmaOperand(const DotOperandEncoding &dot, const AmdWmmaEncoding &parent,
                                    const PerDim &shape);

// The dims of an operand of a dot: k, the other one (m or n), and the batch dim first.
struct OperandDims {
  uint64_t k, nonK;
  bool hasBatch;
};
OperandDims operandDims(const DotOperandEncoding &dot, size_t rank);

} // namespace encodings
} // namespace layout_port
