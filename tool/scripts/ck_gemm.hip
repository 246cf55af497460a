// A GEMM of Composable Kernel to stand beside our ports in docs/quality.md: f16 with f32
// sums, A by rows, B by columns, a 128x128x32 tile for four waves of 32x128. Compiled by
// quality.py --ck with CK's public headers; the warp layout is that of CK's own policy.
#include <iostream>

#include <hip/hip_runtime.h>
// CK wants a constant; HIP's is none any more.
#define warpSize 64
#include "ck_tile/core.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/gemm.hpp"

using namespace ck_tile;
using Row = tensor_layout::gemm::RowMajor;
using Column = tensor_layout::gemm::ColumnMajor;
using Shape =
    TileGemmShape<sequence<128, 128, 32>, sequence<2, 2, 1>, sequence<32, 32, 8>>;
using Traits = TileGemmTraits<true, true, true, Row, Column, Row>;
using Problem = GemmPipelineProblem<half_t, half_t, float, Shape, Traits>;
using Epilogue = Default2DEpilogue<Default2DEpilogueProblem<float, half_t, true, true>>;
using Gemm =
    GemmKernel<GemmTilePartitioner<Shape>, GemmPipelineAGmemBGmemCRegV1<Problem>, Epilogue>;

extern "C" __global__ void __launch_bounds__(Gemm::KernelBlockSize)
    composable_kernel_128x128x32(Gemm::GemmCommonKargs arguments) {
  Gemm{}(arguments);
}
