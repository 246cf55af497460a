// cuRAND's device interface: states and the functions over them, without bodies.
#pragma once
#include "curand.h"

#define LP_STATE(name, alias)                                                                      \
  struct name {                                                                                    \
    unsigned int lp_words[16];                                                                     \
  };                                                                                               \
  typedef name alias;
LP_STATE(curandStateXORWOW, curandStateXORWOW_t)
LP_STATE(curandStatePhilox4_32_10, curandStatePhilox4_32_10_t)
LP_STATE(curandStateMRG32k3a, curandStateMRG32k3a_t)
LP_STATE(curandStateSobol32, curandStateSobol32_t)
#undef LP_STATE
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;

template <typename State>
__device__ void curand_init(unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, State *state);
template <typename State> __device__ unsigned int curand(State *state);
template <typename State> __device__ uint4 curand4(State *state);
template <typename State> __device__ float curand_uniform(State *state);
template <typename State> __device__ float4 curand_uniform4(State *state);
template <typename State> __device__ double curand_uniform_double(State *state);
template <typename State> __device__ double2 curand_uniform2_double(State *state);
template <typename State> __device__ float curand_normal(State *state);
template <typename State> __device__ float2 curand_normal2(State *state);
template <typename State> __device__ float4 curand_normal4(State *state);
template <typename State> __device__ double curand_normal_double(State *state);
template <typename State>
__device__ float curand_log_normal(State *state, float mean, float stddev);
template <typename State> __device__ unsigned int curand_poisson(State *state, double lambda);
template <typename State> __device__ void skipahead(unsigned long long n, State *state);
