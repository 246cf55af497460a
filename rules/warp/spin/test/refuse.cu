// Waiting for a lane that may be of the same wave.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
__device__ int mutex;
__global__ void locks(int *sum, int v) {
  const int tid = threadIdx.x, lane = tid % 32;
  // One lane a warp, but two a wave.
  if (lane == 0) {
    // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: lock: lanes wait for a lock that another lane of their wave may hold, and the wave leaves the loop only with all its lanes: take the lock, use it and give it back in one pass of the loop, or let one thread of the block take it
    while (atomicCAS(&mutex, 0, 1) != 0)
      ;
    *sum += v;
    atomicExch(&mutex, 0);
  }
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: lock: lanes wait for a lock
  do {
  } while (atomicExch(&mutex, 1));
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: lock: lanes wait for a lock
  for (;;) {
    if (atomicCAS(&mutex, 0, 1) == 0)
      break;
  }
  // One thread a block, a pass that gives the lock back, an exchange that always gets on.
  // CHECK-NOT: manual:
  if (tid == 0 && v > 0)
    while (atomicCAS(&mutex, 0, 1))
      __nanosleep(20);
  for (bool done = false; !done;)
    if (atomicCAS(&mutex, 0, 1) == 0) {
      *sum += v;
      atomicExch(&mutex, 0);
      done = true;
    }
  int old = *sum, seen;
  do {
    seen = old;
    old = atomicCAS(sum, seen, seen + v);
  } while (seen != old);
}
__global__ void turns(int *out) {
  __shared__ volatile int turn;
  const int warp = threadIdx.x / 32;
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: flag: waits for a thread of the same block, which may be in the same wave and then stands still meanwhile: use __syncthreads()
  while (turn != warp)
    ;
  out[warp] = turn;
  turn = warp + 1;
}
