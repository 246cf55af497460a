// The special functions of C++17's <cmath>, declared: libstdc++ defines them in headers that take
// a third of the time of all that a kernel includes, and to read a source their types are enough.
// https://en.cppreference.com/w/cpp/numeric/special_functions
#pragma once

#define LP_SPECIAL_NAMES(NAME, ...)                                                                \
  float NAME##f(__VA_ARGS__);                                                                      \
  long double NAME##l(__VA_ARGS__);
#define LP_SPECIAL_1(NAME)                                                                         \
  template <class A> typename __gnu_cxx::__promote<A>::__type NAME(A);                             \
  LP_SPECIAL_NAMES(NAME, long double)
#define LP_SPECIAL_2(NAME)                                                                         \
  template <class A, class B> typename __gnu_cxx::__promote_2<A, B>::__type NAME(A, B);            \
  LP_SPECIAL_NAMES(NAME, long double, long double)
#define LP_SPECIAL_3(NAME)                                                                         \
  template <class A, class B, class C>                                                             \
  typename __gnu_cxx::__promote_3<A, B, C>::__type NAME(A, B, C);                                  \
  LP_SPECIAL_NAMES(NAME, long double, long double, long double)
#define LP_SPECIAL_N1(NAME)                                                                        \
  template <class A> typename __gnu_cxx::__promote<A>::__type NAME(unsigned, A);                   \
  LP_SPECIAL_NAMES(NAME, unsigned, long double)
#define LP_SPECIAL_NN1(NAME)                                                                       \
  template <class A> typename __gnu_cxx::__promote<A>::__type NAME(unsigned, unsigned, A);         \
  LP_SPECIAL_NAMES(NAME, unsigned, unsigned, long double)

namespace std {
LP_SPECIAL_NN1(assoc_laguerre)
LP_SPECIAL_NN1(assoc_legendre)
LP_SPECIAL_2(beta)
LP_SPECIAL_1(comp_ellint_1)
LP_SPECIAL_1(comp_ellint_2)
LP_SPECIAL_2(comp_ellint_3)
LP_SPECIAL_2(cyl_bessel_i)
LP_SPECIAL_2(cyl_bessel_j)
LP_SPECIAL_2(cyl_bessel_k)
LP_SPECIAL_2(cyl_neumann)
LP_SPECIAL_2(ellint_1)
LP_SPECIAL_2(ellint_2)
LP_SPECIAL_3(ellint_3)
LP_SPECIAL_1(expint)
LP_SPECIAL_N1(hermite)
LP_SPECIAL_N1(laguerre)
LP_SPECIAL_N1(legendre)
LP_SPECIAL_1(riemann_zeta)
LP_SPECIAL_N1(sph_bessel)
LP_SPECIAL_NN1(sph_legendre)
LP_SPECIAL_N1(sph_neumann)
} // namespace std

#undef LP_SPECIAL_NAMES
#undef LP_SPECIAL_1
#undef LP_SPECIAL_2
#undef LP_SPECIAL_3
#undef LP_SPECIAL_N1
#undef LP_SPECIAL_NN1
