// What the parser makes of the text of one asm statement.
//
//   { .reg .pred p;                          Declaration  pred p            scope 1
//     setp.ne.b32 p, %2, 0;                  Instruction  setp              scope 1
//     @p ld.global.nc.v2.f32 {%0,%1}, [%3+8]; }
//     │  │  └──────────────┘ └─────┘  └────┘
//     │  opcode  modifiers   Vector   Address: addends {%3}, offset 8
//     guard
//
// Nested blocks are flattened: instructions keep their order, and `scope` tells
// which braces they stand in, so that a register name means the right register.
// Modifiers are kept as written; since their order rarely matters, ask with has().
#pragma once

#include "ptx/Outcome.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace layout_port::ptx {

// The beginning of `text`, short enough for a one-line message.
inline std::string brief(std::string_view text) {
  constexpr std::size_t most = 100;
  return text.size() <= most ? std::string(text) : std::string(text.substr(0, most)) + "...";
}

// A number in the text. PTX keeps integers and floats apart: 0f3F800000 and 1.0
// are floats and are held as their bit pattern.
struct Immediate {
  enum class Kind { Integer, Float32, Float64 };
  Kind kind = Kind::Integer;
  std::uint64_t bits = 0; // an integer is held as 64 bits of two's complement
};

struct Operand {
  enum class Kind {
    AsmOperand, // %3, %[name]: bound outside of the text
    Register,   // declared by a .reg of this text: `declaration` says which
    Special,    // %laneid, %tid.x: see SpecialRegisters.h
    Symbol,     // a label, a variable, a function, or a register declared elsewhere
    Immediate,
    Vector,  // {elements...}
    Address, // [elements... + offset, extra...]: the elements are added up
    Pair,    // elements[0] | elements[1], as in shfl's d|p
    Tuple,   // (elements...), of call
    Sink,    // _
  };
  Kind kind = Kind::Sink;
  Span span;
  bool negated = false; // !p; inside an address, a subtracted addend

  int index = -1;          // AsmOperand: its number, -1 when it is only given by name
  char modifier = 0;       // AsmOperand: the letter of %h3
  std::string name;        // AsmOperand by name, Register, Special, Symbol
  std::string component;   // the part after the dot in %tid.x, v.y, %1.b0
  int declaration = -1;    // Register, Symbol: index into Block::declarations
  Immediate immediate;     // Immediate
  std::int64_t offset = 0; // Address, Symbol: constant bytes added

  std::vector<Operand> elements; // Vector, Address, Pair, Tuple
  std::vector<Operand> extra;    // Address: what follows a comma (tensor coordinates)

  bool is(Kind k) const { return kind == k; }
};

// @p or @!p before an instruction.
struct Guard {
  Operand predicate; // `negated` is set for @!p
};

struct Instruction {
  Span span; // from its guard or opcode up to, not including, the ';'
  std::size_t opcodeOffset = 0;
  int scope = 0;
  std::optional<Guard> guard;
  std::string opcode;                 // "mma"
  std::vector<std::string> modifiers; // "sync", "aligned", "m16n8k16", ...
  std::vector<std::size_t> modifierOffsets;
  std::vector<Operand> operands;

  bool has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
  }
  // "mma.sync.aligned.m16n8k16..."
  std::string spelling() const {
    std::string s = opcode;
    for (const std::string &m : modifiers)
      s += "." + m;
    return s;
  }
};

// .reg .b32 r, t<5>;  or  .shared .align 4 .b8 buf[64];  One entry a name.
struct Declaration {
  Span span;
  int scope = 0;
  std::string space;        // "reg", "shared", "local", "global", "const", "param"
  std::string type;         // "b32", "pred"
  std::string name;         // without the <n>
  unsigned count = 0;       // the n of t<n>, which declares t0 .. t(n-1); 0 for a plain name
  unsigned vector = 1;      // 2 or 4 for .v2 and .v4
  std::uint64_t align = 0;  // of .align; 0 when not given
  std::uint64_t length = 0; // variables: the number of elements of buf[length]; 0 for a scalar
};

struct Label {
  Span span;
  int scope = 0;
  std::string name;
  std::size_t before = 0; // index of the instruction it stands before
};

// .pragma, .loc, .branchtargets: kept by name only.
struct Directive {
  Span span;
  std::string name;
};

struct Scope {
  int parent = -1; // -1 for the outermost one
};

struct Block {
  std::vector<Scope> scopes; // scopes[0] is the whole text
  std::vector<Declaration> declarations;
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<Directive> directives;

  bool empty() const { return instructions.empty() && labels.empty(); }
};

} // namespace layout_port::ptx
