// Encodings: the layouts that GPU tensor compilers name by a family and a few
// parameters, as linear layouts.
//
// A tensor of shape [M, N] is spread over the registers of the lanes of the warps of
// the blocks of a cluster ("distributed" families), or over the offsets of a buffer in
// shared memory ("shared" families). Compilers write down neither the table nor the
// matrix, but for example
//
//   blocked {sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2],
//            order = [1, 0]}                       on a tensor of shape [16, 16]
//
// which reads, from the inside out and along `order` (fastest dim first): a thread
// holds 1x2 neighbouring elements; the 32 lanes of a warp stand 8x4, so a warp covers
// 8x8; two warps stand side by side, so the block covers 8x16; the tensor is two of
// these high, so each thread holds a second piece, 8 rows further down:
//
//   register=1 -> (0, 1)    lane=1 -> (0, 2)    lane=4 -> (1, 0)    warp=1 -> (0, 8)
//   register=2 -> (8, 0)    lane=2 -> (0, 4)    lane=8 -> (2, 0)
//                                               lane=16 -> (4, 0)
//
// Two rules make every encoding fit every shape:
//   wrap-around   where the tensor is larger than the tile, the tile repeats, in the
//                 highest register (or offset) bits, out-dims in the family's order;
//   broadcast     where the tensor is smaller, the highest bases in that dim become 0:
//                 several registers, lanes or warps hold the same element.
//
// toLinearLayout returns a layout with in-dims register, lane, warp, block, or offset,
// block, and out-dims dim0, dim1, ... of exactly the sizes of the shape. All sizes are
// powers of two, counted in elements; dims are numbered as in the shape (dim0 first,
// the batch dim of a rank 3 shape), orders list the fastest dim first.
//
// The families, the spelling of their parameters and the resulting matrices are those
// of Triton's TritonGPU dialect
// (https://github.com/triton-lang/triton/blob/main/include/triton/Dialect/TritonGPU/IR/TritonGPUAttrDefs.td).
#pragma once

#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace layout_port {

struct Encoding;
using EncodingPtr = std::shared_ptr<const Encoding>;
// One number a dim of the tensor.
using PerDim = std::vector<uint64_t>;

// How the blocks (CTAs) of a cluster (CGA) share a tensor: along each dim CTAsPerCGA
// blocks, of which CTASplitNum hold different pieces and the rest copies. An empty list
// stands for ones, an empty CTAOrder for the last dim first.
struct CtaParams {
  PerDim ctasPerCga;
  PerDim ctaSplitNum;
  PerDim ctaOrder;
};

// ---- Distributed families ------------------------------------------------------

struct BlockedEncoding {
  PerDim sizePerThread;
  PerDim threadsPerWarp;
  PerDim warpsPerCta;
  PerDim order; // empty: the last dim first
  CtaParams cta;
};

// The parent's layout for a tensor with one dim more, seen without that dim: the result
// of a reduction along `dim`. Registers that then repeat an element are dropped; lanes
// and warps that do are kept, with bases 0.
struct SliceEncoding {
  EncodingPtr parent;
  uint64_t dim = 0;
};

// The accumulator of mma.sync (version 2, instrShape [16, 8], or [1, 16, 8] with a batch
// dim) or wgmma (version 3, instrShape [16, N, K]: one warp's part of 64 x N).
struct NvidiaMmaEncoding {
  uint64_t version = 2;
  PerDim instrShape;
  PerDim warpsPerCta;
  CtaParams cta;
};

// The accumulator of an MFMA; instrShape [m, n, k] (k may be left out) with m x n one of
// 32x32, 16x16, 4x4, 64x4 (only transposed) and 4x64.
struct AmdMfmaEncoding {
  uint64_t version = 3; // 1 gfx908, 2 gfx90a, 3 gfx942, 4 gfx950; all the same layouts
  PerDim instrShape;
  bool isTransposed = false; // operands swapped: registers run along n instead of m
  PerDim warpsPerCta;
  PerDim tilesPerWarp;           // neighbouring instructions of one warp; empty: ones
  uint64_t elementBitWidth = 32; // of the accumulator: 32, or 64 for f64
  CtaParams cta;
};

// The accumulator of a WMMA of gfx11 (version 1), gfx12 (2) or gfx1250 (3).
struct AmdWmmaEncoding {
  uint64_t version = 1;
  bool isTransposed = false;
  PerDim warpsPerCta;
  PerDim instrShape = {16, 16, 16}; // m, n, k
  CtaParams cta;
};

// Operand A (opIdx 0, [.., m, k]) or B (opIdx 1, [.., k, n]) of a dot whose accumulator
// has the parent's layout; the parent is blocked, nvidia_mma, amd_mfma or amd_wmma. A
// lane holds kWidth consecutive elements along k (ignored for a blocked parent).
struct DotOperandEncoding {
  EncodingPtr parent;
  uint64_t opIdx = 0;
  uint64_t kWidth = 0;
};

// ---- Shared-memory families ----------------------------------------------------

// Row r's groups of `vec` elements are permuted by XOR with the phase of the row:
//   phase(r) = (r / perPhase) % maxPhase      column ^= vec * phase(r)
// where columns run along order[0] and rows along order[1].
struct SwizzledSharedEncoding {
  uint64_t vec = 1;
  uint64_t perPhase = 1;
  uint64_t maxPhase = 1;
  PerDim order;
  CtaParams cta;
};

// The shared-memory tiles of wgmma: rows of swizzlingByteWidth bytes (0, 32, 64, 128),
// 16-byte groups permuted within 8 rows. fp4Padded: 16 offsets hold 8 packed values and
// 8 bytes of padding, which map to the same elements.
struct NvmmaSharedEncoding {
  uint64_t swizzlingByteWidth = 0;
  bool transposed = false;
  uint64_t elementBitWidth = 32;
  bool fp4Padded = false;
  CtaParams cta;
};

// As swizzled_shared with a phase that also rotates from block to block of rows:
//   phase(r) = (r / perPhase) % maxPhase ^ (r / perPhase / maxPhase) % maxPhase
// (stated for rows that are powers of two; the others follow by XOR).
struct AmdRotatingSharedEncoding {
  uint64_t vec = 1;
  uint64_t perPhase = 1;
  uint64_t maxPhase = 1;
  PerDim order;
  CtaParams cta;
};

// Rows in plain order with paddings[i] elements inserted after every intervals[i].
// Padding is not linear: toLinearLayout gives the layout before it, paddedOffset adds
// it. Instead of `order` the bases of that layout may be given, one list of coordinates
// for each bit of the offset and of the block.
struct PaddedSharedEncoding {
  PerDim intervals;
  PerDim paddings;
  PerDim order;
  std::vector<PerDim> offset;
  std::vector<PerDim> block;
  CtaParams cta;
};

struct Encoding {
  std::variant<BlockedEncoding, SliceEncoding, NvidiaMmaEncoding, AmdMfmaEncoding, AmdWmmaEncoding,
               DotOperandEncoding, SwizzledSharedEncoding, NvmmaSharedEncoding,
               AmdRotatingSharedEncoding, PaddedSharedEncoding>
      params;
};

// The names of the families: blocked, slice, nvidia_mma, amd_mfma, amd_wmma,
// dot_operand, swizzled_shared, nvmma_shared, amd_rotating_shared, padded_shared.
std::vector<std::string> encodingFamilies();
// A family's default parameters, to be filled in.
Result<Encoding> makeEncoding(const std::string &family);
const char *familyName(const Encoding &encoding);

// Calls visit(name, field) for every parameter under its public spelling: enough for a
// front end to read or print any family. The fields are uint64_t, bool, PerDim,
// std::vector<PerDim> and EncodingPtr.
template <typename Visitor> void visitParams(Encoding &encoding, Visitor &&visit);

// The layout of a tensor of this shape. Errors: a size that is no power of two,
// parameters of the wrong rank, an instruction shape that does not exist, an order that
// is no permutation, a tile that a tensor is too small for (nvmma_shared).
Result<LinearLayout> toLinearLayout(const Encoding &encoding, const PerDim &shape);

// The offset in shared memory, padding included, of the element at this offset:
// offset + sum of offset / intervals[i] * paddings[i].
uint64_t paddedOffset(const PaddedSharedEncoding &encoding, uint64_t offset);

// ---- Details ------------------------------------------------------------------

namespace encodings {

template <typename V> void visitCta(CtaParams &cta, V &visit) {
  visit("CTAsPerCGA", cta.ctasPerCga);
  visit("CTASplitNum", cta.ctaSplitNum);
  visit("CTAOrder", cta.ctaOrder);
}
template <typename V> void visitFields(BlockedEncoding &e, V &visit) {
  visit("sizePerThread", e.sizePerThread);
  visit("threadsPerWarp", e.threadsPerWarp);
  visit("warpsPerCTA", e.warpsPerCta);
  visit("order", e.order);
  visitCta(e.cta, visit);
}
template <typename V> void visitFields(SliceEncoding &e, V &visit) {
  visit("parent", e.parent);
  visit("dim", e.dim);
}
template <typename V> void visitFields(NvidiaMmaEncoding &e, V &visit) {
  visit("version", e.version);
  visit("instrShape", e.instrShape);
  visit("warpsPerCTA", e.warpsPerCta);
  visitCta(e.cta, visit);
}
template <typename V> void visitFields(AmdMfmaEncoding &e, V &visit) {
  visit("version", e.version);
  visit("instrShape", e.instrShape);
  visit("isTransposed", e.isTransposed);
  visit("warpsPerCTA", e.warpsPerCta);
  visit("tilesPerWarp", e.tilesPerWarp);
  visit("elementBitWidth", e.elementBitWidth);
  visitCta(e.cta, visit);
}
template <typename V> void visitFields(AmdWmmaEncoding &e, V &visit) {
  visit("version", e.version);
  visit("isTransposed", e.isTransposed);
  visit("warpsPerCTA", e.warpsPerCta);
  visit("instrShape", e.instrShape);
  visitCta(e.cta, visit);
}
template <typename V> void visitFields(DotOperandEncoding &e, V &visit) {
  visit("parent", e.parent);
  visit("opIdx", e.opIdx);
  visit("kWidth", e.kWidth);
}
template <typename V> void visitFields(SwizzledSharedEncoding &e, V &visit) {
  visit("vec", e.vec);
  visit("perPhase", e.perPhase);
  visit("maxPhase", e.maxPhase);
  visit("order", e.order);
  visitCta(e.cta, visit);
}
template <typename V> void visitFields(NvmmaSharedEncoding &e, V &visit) {
  visit("swizzlingByteWidth", e.swizzlingByteWidth);
  visit("transposed", e.transposed);
  visit("elementBitWidth", e.elementBitWidth);
  visit("fp4Padded", e.fp4Padded);
  visitCta(e.cta, visit);
}
template <typename V> void visitFields(AmdRotatingSharedEncoding &e, V &visit) {
  visit("vec", e.vec);
  visit("perPhase", e.perPhase);
  visit("maxPhase", e.maxPhase);
  visit("order", e.order);
  visitCta(e.cta, visit);
}
template <typename V> void visitFields(PaddedSharedEncoding &e, V &visit) {
  visit("intervals", e.intervals);
  visit("paddings", e.paddings);
  visit("order", e.order);
  visit("offset", e.offset);
  visit("block", e.block);
  visitCta(e.cta, visit);
}

} // namespace encodings

template <typename Visitor> void visitParams(Encoding &encoding, Visitor &&visit) {
  std::visit([&](auto &params) { encodings::visitFields(params, visit); }, encoding.params);
}

} // namespace layout_port
