// The bench for golden meanings: one instruction is executed by the machine over all
// lanes, and compared with loops over row and column formulas that the tests write
// out from the vendors' manuals. Nothing here reads layouts/isa: the port and the
// machine share those tables, so the tests must not.
//
//   matrix --formula--> registers --instruction--> registers --formula--> matrix
//
// A test kernel loads operand register r of lane l from in[r][l], runs its body, and
// stores result register r to out[r][l].
#pragma once

#include "domain/Field.h"
#include "domain/Ieee.h"
#include "observe/Observer.h"

#include <functional>
#include <string>
#include <vector>

namespace layout_port::verify::golden {

// A target of test kernels.
struct Chip {
  std::string triple, layout, convention, cpu, features;
  unsigned lanes = 32;
  bool nvidia() const { return triple.front() == 'n'; }
};
Chip nvidia();
// lanes: 64, or 32 on gfx11 and gfx12.
Chip amd(const std::string &cpu, unsigned lanes = 64);

// 32-bit registers of a wave. Beside each word stand the payload nibbles of its four
// bytes (machine/Memory.h): 0 raw, w + i byte i of a residue that is w bytes wide.
class Registers {
public:
  Registers(unsigned count, unsigned lanes)
      : lanes_(lanes), words_(count * lanes), codes_(count * lanes) {}
  unsigned count() const { return unsigned(words_.size()) / lanes_; }
  unsigned lanes() const { return lanes_; }
  uint32_t &word(unsigned reg, unsigned lane) { return words_[reg * lanes_ + lane]; }
  uint32_t word(unsigned reg, unsigned lane) const { return words_[reg * lanes_ + lane]; }
  uint32_t &code(unsigned reg, unsigned lane) { return codes_[reg * lanes_ + lane]; }

  // `width` bits from bit `at` of the lane's registers, laid end to end.
  void put(unsigned lane, unsigned at, unsigned width, uint64_t value, bool payload);
  uint64_t get(unsigned lane, unsigned at, unsigned width) const;
  // Whether all those bits are one residue's payload.
  bool isPayload(unsigned lane, unsigned at, unsigned width) const;
  // The same, of the buffer as flat memory: [register][lane] without gaps.
  void putFlat(unsigned at, unsigned width, uint64_t value, bool payload);
  uint64_t getFlat(unsigned at, unsigned width) const;

private:
  unsigned lanes_;
  std::vector<uint32_t> words_, codes_;
};
Registers randomRegisters(unsigned count, unsigned lanes, unsigned seed);

// A body computes %d0, %d1, .. (i32) from %r0, %r1, .. (i32) and %lane; or it works on
// the pointers %in and %out itself.
struct Snippet {
  std::string body, declarations;
  bool onMemory = false;
};
struct Outcome {
  Registers out;
  std::string error;             // of decoding or running
  std::vector<Problem> problems; // what the machine told its observers
};
// field: null for IEEE arithmetic. active: how many lanes of the wave have threads.
Outcome tryExecute(const Chip &chip, const Registers &in, unsigned outputs, const Snippet &snippet,
                   const Field *field = nullptr, unsigned threads = 0);
// The same; an error or a problem fails the test.
Registers execute(const Chip &chip, const Registers &in, unsigned outputs, const Snippet &snippet,
                  const Field *field = nullptr);

//===-- Text of test kernels -----------------------------------------------===//

// "<4 x half>", or "half" for one.
std::string vectorOf(unsigned count, const std::string &element);
// %name = words %r<first>.. as one value of the type.
std::string packWords(const std::string &name, unsigned first, unsigned count,
                      const std::string &type);
// %d0.. = the words of %name.
std::string unpackWords(const std::string &name, unsigned count, const std::string &type);

// The operands of a PTX statement, in the order $0, $1, ..: results, then inputs.
struct PtxOperands {
  unsigned count = 0;
  char constraint = 'r'; // r: 32 bits, f: float, d: double
};
// `{}` in the text stands for the next group of operands: "{$0,$1}".
std::string ptxStatement(const std::string &text, PtxOperands results,
                         const std::vector<PtxOperands> &inputs);

//===-- Matrix products ----------------------------------------------------===//

struct Place {
  int row = 0, col = 0, block = 0; // row -1: the instruction does not read it
};
struct Operand {
  FloatFormat format = FloatFormat::None; // None: integers
  unsigned bits = 32;                     // of an element
  bool isSigned = true;
  unsigned elements = 1; // a lane
  std::function<Place(int lane, int element)> at;
  unsigned slot = 0;   // bits from one element to the next, if more than `bits`
  unsigned offset = 0; // bits before the first

  unsigned stride() const { return slot ? slot : bits; }
  unsigned words() const { return (elements * stride() + 31) / 32; }
  unsigned bitOf(unsigned element) const { return offset + element * stride(); }
};

// D(m, n) = C(m, n) + sum over k of A(m, k) B(k, n), block by block.
struct Product {
  std::string name;
  Chip chip;
  int m = 0, n = 0, k = 0, blocks = 1;
  Operand a, b, c, d;
  Snippet snippet; // registers of A, then B, C and `more`
  bool saturate = false;
  // How the product of two bits is formed: 0 multiply, 1 xor.
  bool xorBits = false;
  std::vector<uint32_t> more; // further registers, the same in all lanes
  // Factor of a product by row, column and k: block scales, as an exponent of two.
  std::function<int(int row, int col, int k)> exponent;
  // Which block of A, B a product of this block reads (broadcasts). Empty: its own.
  std::function<int(int block)> blockOfA, blockOfB;
};

// Whole numbers in IEEE arithmetic and, if the operands are floats, random residues
// in the field; integers over their whole range. Every lane and element is compared.
void check(const Product &product);

} // namespace layout_port::verify::golden
