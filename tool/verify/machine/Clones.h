// For inner loops: LP_CLONES compiles a function twice, for any x86-64 and for AVX2, and the
// one that fits is taken when the program starts. What it calls is LP_INLINE, so that it is
// compiled with it.
// https://clang.llvm.org/docs/AttributeReference.html#target-clones
#pragma once

#if defined(__x86_64__) && defined(__clang__)
#define LP_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define LP_CLONES
#endif
#define LP_INLINE inline __attribute__((always_inline))
