// The special functions of C++17 are declared where sources are read (lp_special_functions.h)
// with libstdc++'s types, and are libstdc++'s own where the output is compiled.
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s 
// CHECK: compiled: gfx942 yes host yes
#include <cmath>
#include <cstdio>

template <class A, class B> struct Same {
  static const bool value = false;
};
template <class A> struct Same<A, A> {
  static const bool value = true;
};
static_assert(Same<decltype(std::beta(1.f, 2.f)), float>::value, "");
static_assert(Same<decltype(std::beta(1, 2.f)), double>::value, "");
static_assert(Same<decltype(std::hermite(3, 1.0)), double>::value, "");
static_assert(Same<decltype(std::expintf(1)), float>::value, "");
static_assert(Same<decltype(std::sph_legendre(1u, 2u, 1.0L)), long double>::value, "");

__global__ void root(float *p) { p[threadIdx.x] = sqrtf(p[threadIdx.x]); }

int main() {
  printf("%f %f %f\n", std::riemann_zeta(2.0), std::cyl_bessel_j(0, 1.f),
         double(std::ellint_3(.1, .2f, 3)));
}
