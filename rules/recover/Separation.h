// Separation: an index as a sum of products, so that what is unknown but uniform (pointers,
// sizes, block indices) stands apart from what is a number for each lane.
//
//   base + ((row * K + k0) << 1)    =    base  +  2 k0  +  2 K row
//                                        └─ uniform ──┘    └ K times a function of lane
//
// Addition and multiplication by constants are followed through all operations that respect
// them. If S has z low zero bits, p is any number and q < 2^z, then
//
//   (S + p) ^ q  = S + (p ^ q)          (S + p) & q  = p & q
//   (S + p) | q  = S + (p | q)          (S + p) >> s = (S >> s) + (p >> s)      s <= z
//   (S + p) % 2^s = p % 2^s             c ? a : b    = b + c * (a - b)
//
// What does not come apart stays whole, as an *atom*. Where coming apart needs something
// that the source does not say but a port can see to or check (a buffer's alignment, that
// a 32-bit index does not wrap), it is assumed and the assumption is kept. Of 64-bit indices
// (pointers, sizes) it is always taken that they do not wrap.
#pragma once

#include "recover/Index.h"

#include <map>
#include <string>
#include <vector>

namespace layout_port::recover {

struct ByNumber {
  bool operator()(Index a, Index b) const { return a->number < b->number; }
  bool operator()(const std::vector<Index> &a, const std::vector<Index> &b) const;
};

// Atoms, ascending by number; a square has its atom twice. Empty: the constant 1.
using Monomial = std::vector<Index>;

// Sum of coefficient * monomial, modulo 2^64; no coefficient is 0.
struct Sum {
  std::map<Monomial, uint64_t, ByNumber> terms;

  void add(const Monomial &monomial, uint64_t coefficient);
  bool isZero() const { return terms.empty(); }
  // The number, if no atom is left.
  std::optional<uint64_t> constant() const;
};
Sum operator+(const Sum &a, const Sum &b);
Sum operator-(const Sum &a, const Sum &b);
Sum operator*(const Sum &a, const Sum &b);
Sum scaled(const Sum &a, uint64_t by);

struct Assumption {
  enum class Kind {
    Aligned, // the symbol has `bits` low zero bits
    NoWrap,  // the expression keeps its value when its type is widened
  };
  Kind kind = Kind::NoWrap;
  Index of = nullptr;
  unsigned bits = 0;

  friend bool operator==(const Assumption &a, const Assumption &b) {
    return a.kind == b.kind && a.of == b.of && a.bits == b.bits;
  }
};
// "smem is aligned to 128 bytes", "blockIdx.x * 64 + lane does not wrap".
std::string toString(const IndexGraph &graph, const Assumption &assumption);

struct Separated {
  Sum sum;
  // The sum equals the value modulo 2^64; else only modulo 2^(bits of its type).
  bool exact = true;
  std::vector<Assumption> assumptions;
};

class Separation {
public:
  explicit Separation(IndexGraph &graph) : graph_(graph) {}

  const Separated &of(Index e);

  // The sum as an expression again.
  Index rebuild(const Sum &sum, IndexType type);

private:
  struct Parts {
    Sum symbolic, pure;
    unsigned zeroBits = 64; // of the symbolic part
  };

  Separated separate(Index e);
  Separated atom(Index e) const;
  Separated separateSum(Index e);
  Separated separateConvert(Index e);
  Separated separateSelect(Index e);
  Separated separateCompare(Index e);
  Separated separateBits(Index e);
  Separated separateShiftRight(Index e, Index a, unsigned by);
  Separated separateRemainder(Index e);
  Separated separateQuotient(Index e);
  Separated separateMinMax(Index e);
  std::optional<Separated> bitsOfSymbolicAndPure(Op op, const Separated &a, Index pure);
  std::optional<Separated> bitsHighAndLow(Op op, const Separated &a, const Separated &b);

  // The same value without symbols, where they cancel; else null.
  Index pureOf(Index e);
  Parts partsOf(const Sum &sum) const;
  // Makes the symbolic part a multiple of 2^bits by assuming its base aligned, if that is
  // all that is missing.
  bool alignBase(Parts &parts, unsigned bits, std::vector<Assumption> &assumptions) const;
  unsigned zeroBitsOf(const Monomial &monomial, uint64_t coefficient) const;
  std::optional<Range> rangeOf(const Sum &sum) const;
  std::optional<Sum> shiftedDown(const Sum &sum, unsigned by);

  IndexGraph &graph_;
  std::map<Index, Separated, ByNumber> known_;
};

} // namespace layout_port::recover
