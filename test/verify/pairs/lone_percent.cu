// PTX as nvcc takes it: one % before a special register, a comma missing between operands, and
// addresses that are sums.
__global__ void lanes(const int *in, int *out) {
  int lane, warp, mine, far;
  asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %warpid;" : "=r"(warp));
  const int *here = in + blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("ld.global.u32 %0, [%1+%2];" : "=r"(mine) : "l"(here) "n"(64));
  asm volatile("ld.global.u32 %0, [%1 + 128];" : "=r"(far) : "l"(here));
  out[blockIdx.x * blockDim.x + threadIdx.x] = lane + 32 * warp + 1000 * mine + 7 * far;
}
