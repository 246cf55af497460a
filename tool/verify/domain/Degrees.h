// Degree bounds of what a kernel computes, for the bound that a proof prints.
//
// Seen as functions of their inputs, a kernel's values are quotients of polynomials.
// Two different quotients n1/d1 and n2/d2 agree at a random point modulo p with a
// chance of at most
//
//   max(deg n1 + deg d2, deg n2 + deg d1) / p          (Schwartz, Zippel)
//
// so a run is made over *degrees* instead of residues: each value is a pair of upper
// bounds (numerator, denominator), and the payload that travels through memory,
// registers and shuffles is the pair's number in a table.
//
//   input (1,0)   constant (0,0)   a+b: numerators over the common denominator
//   a*b: sums     a/b: (na + db, da + nb)
//   f(a), f a fixed random function: a new variable, once its arguments differ:
//         (na + da + 1, 0)
//
// Sums of quotients with one denominator (softmax) must not add it up: every
// division names its denominator, products of denominators are named by the pair,
// and equal names are one denominator. Name 0 is equal to nothing.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace layout_port::verify {

struct Degree {
  uint32_t top = 0, bottom = 0; // of numerator and denominator; kDegreeLimit: or more
  uint32_t name = 0;            // of the denominator
};
constexpr uint32_t kDegreeLimit = 65535;

class DegreeTable {
public:
  // capacity: how many payloads there are, 2^16 or 2^8 less the special ones.
  explicit DegreeTable(uint32_t capacity);

  static constexpr uint32_t constant = 0, variable = 1;
  Degree at(uint32_t payload) const {
    return payload < states_.size() ? states_[payload] : Degree();
  }
  uint32_t add(uint32_t a, uint32_t b);
  uint32_t mul(uint32_t a, uint32_t b);
  uint32_t div(uint32_t a, uint32_t b);
  // One of the two, who knows which.
  uint32_t either(uint32_t a, uint32_t b);
  // A fixed random function; `cost`: 1, or 2 for an exponential, whose values are
  // drawn from half of the residues only.
  uint32_t function(uint32_t a, uint32_t b, uint32_t cost = 1);
  // The sum of `a * b` over elements bounded by these, all without denominators.
  uint32_t fma(uint32_t a, uint32_t b, uint32_t c) { return add(mul(a, b), c); }

private:
  uint32_t intern(Degree degree);
  uint32_t nameOf(uint32_t a, uint32_t b);

  uint32_t capacity_;
  uint32_t names_ = 0;
  std::vector<Degree> states_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> numbers_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> products_;
};

} // namespace layout_port::verify
