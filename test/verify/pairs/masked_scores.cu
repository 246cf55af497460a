// Scores that are masked with -inf and scaled behind that, as attention kernels do: were -inf * scale
// taken for +inf, all rows with a mask would be NaN in the field, and equal to anything.
__global__ void masked(const float *A, float *O, float scale, int rows) {
  const int row = threadIdx.x;
  float most = -INFINITY, sum = 0.f, out = 0.f;
  for (int k = 0; k < rows; ++k) {
    const float s = (k > row ? -INFINITY : A[row * rows + k]) * scale;
    most = fmaxf(most, s);
  }
  for (int k = 0; k < rows; ++k) {
    const float s = (k > row ? -INFINITY : A[row * rows + k]) * scale;
    const float p = expf(s - most);
    sum += p;
    out += p * A[k];
  }
  O[row] = out / sum;
}

// The largest score by a sign that only the input has.
__global__ void signed_(const float *A, const float *B, float *O) {
  const int i = threadIdx.x;
  const float s = -INFINITY * fabsf(B[0]);
  O[i] = expf(s) * A[i] + A[i];
}

// A number that is zero in the field: what is divided by it is infinite there.
__global__ void byThePrime(const float *A, float *O) {
  O[threadIdx.x] = A[threadIdx.x] / 65267.f;
}
