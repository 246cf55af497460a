// Shuffles, votes, wmma, cooperative groups, pipelines.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

__global__ void warps(float *f, int *n) {
  int lane = threadIdx.x % warpSize;
  for (int offset = 16; offset > 0; offset >>= 1)
    f[0] += __shfl_down_sync(0xffffffff, f[0], offset);
  double d = __shfl_xor_sync(0xffffffff, (double)f[1], 1, 16);
  long long l = __shfl_sync(0xffffffff, 1ll << lane, 3);
  n[0] = __ballot_sync(__activemask(), lane > 3) + __any_sync(~0u, lane) + __all_sync(~0u, lane);
  n[1] = __match_any_sync(~0u, lane) + __reduce_add_sync(~0u, lane) + (int)d + (int)l;
  n[2] = __popc(n[0]) + __clz(n[1]) + __ffs(n[0]) + __brev(n[1]) + __byte_perm(n[0], n[1], 0x5410);
  n[3] = __funnelshift_l(n[0], n[1], 3) + __dp4a(n[0], n[1], n[2]) + __mulhi(n[0], n[1]) +
         __fns(n[0], 0, 1);
  __syncwarp();
}

__global__ void tiles(const half *a, const half *b, float *c, const signed char *s, int *n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; i++)
    fc.x[i] *= 2.f;
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major> sa;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::col_major> sb;
  wmma::fragment<wmma::accumulator, 8, 32, 16, int> sc;
  wmma::fill_fragment(sc, 0);
  wmma::load_matrix_sync(sa, s, 16);
  wmma::load_matrix_sync(sb, s, 16);
  wmma::mma_sync(sc, sa, sb, sc, true);
  wmma::store_matrix_sync(n, sc, 32, wmma::mem_col_major);
}

__global__ void groups(float *f, int n) {
  __shared__ float tile[2][128];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  f[0] = cg::reduce(warp, f[1], cg::plus<float>()) + cg::inclusive_scan(warp, f[2]) +
         warp.shfl_down(f[3], 2);
  cg::coalesced_group active = cg::coalesced_threads();
  if (active.thread_rank() == 0)
    f[1] = active.size() + warp.meta_group_rank();
  cg::memcpy_async(block, tile[0], f, sizeof(tile[0]));
  cg::wait(block);
  __pipeline_memcpy_async(&tile[1][threadIdx.x * 4], f + threadIdx.x * 4, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[0][0], f, sizeof(float), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  pipe.consumer_release();
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (block.thread_rank() == 0)
    init(&barrier, block.size());
  block.sync();
  barrier.arrive_and_wait();
  cg::sync(block);
}
