// The fragment program of a kernel: which registers are matrix fragments, and what is
// done to them. Plain data: made from an AST by Recover, read by Scheme and NativeRule.
//
//   ldmatrix ──▶ A ─┐
//   ldmatrix ──▶ B ─┴▶ mma ──▶ C ──▶ what reads it behind the loop
//
// Texts are pieces of the author's source: quoted with sourceRange() (Edits.h) where
// they stand in the file as they are, so that what other rules change inside them is
// changed here too; written anew where a wrapper's parameters had to be put in.
#pragma once

#include "ptx/decode/Mma.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace layout_port::native {

// Bytes [begin, end) of file number `file`.
struct TextRange {
  unsigned file = 0, begin = 0, end = 0;
  bool contains(const TextRange &r) const {
    return file == r.file && begin <= r.begin && r.end <= end;
  }
};

// One index of an array access: its text, and what is known of it:
// scale * variable + offset, or a literal.
struct Index {
  std::string text;
  std::optional<int64_t> literal;
  std::string variable; // empty when the text is of another form
  int64_t scale = 0, offset = 0;
  bool isMember = false; // not an index: ".x"
};

// One register of a fragment, e.g. acc[i][j][2]: variable acc, tile [i][j], register 2.
struct Slot {
  std::string variable;                 // name
  uint64_t declaration = 0;             // tells variables of one name apart
  std::vector<Index> tile;              // indices but the last
  std::vector<int64_t> extents;         // of those dims, 0 where unknown
  std::vector<std::string> extentTexts; // the same, as the author wrote them
  int reg = 0;                          // the last index; scalars: the operand's position
  bool isScalar = false;                // a variable of its own, not an array element
  std::string text;                     // the whole access
  std::string tileText;                 // without the last index
  // Tiles behind each other in one array (Flat.h): the array's words, the word this is as
  // a sum, and the registers of a tile; 0 until it is known.
  int64_t flatWords = 0, flatOffset = 0;
  std::vector<std::pair<std::string, int64_t>> flatTerms; // variable, scale
  std::string flatType;
  int flatRegisters = 0;

  bool sameTile(const Slot &other) const {
    return declaration == other.declaration && tileText == other.tileText;
  }
};

// An address that depends on the thread, as a function of the warp's lane and the warp:
// the expression, and the author's variables it is made from, in order.
struct AddressFunction {
  std::string expression;
  struct Variable {
    std::string type, name, value;
  };
  std::vector<Variable> variables; // recomputed from lane and warp
  std::string laneName = "lane", warpName = "warp";
  bool usesLane = false, usesWarp = false;
  bool dependsOnPair = false;             // differs between the two warps of a wave
  std::vector<std::string> loopVariables; // that it mentions
  // Variables that cannot be computed anew (they walk, or were read from memory): their
  // values are asked of the lane that has them.
  std::vector<std::string> fetched;
  // Variables of loops in which something else that the address is made from changes: it
  // cannot be evaluated there for another turn.
  std::vector<std::string> walksIn;
};

// A loop around a site. Constants where they are known: for (v = first; v < last; v += step).
struct Loop {
  TextRange range;
  std::string variable;
  std::optional<int64_t> first, last, step;
};

struct MmaSite {
  TextRange range;  // of the statement, without its ';'
  std::string name; // "mma.m16n8k16.f16"
  std::string shape;
  std::string spelling;
  unsigned m = 0, n = 0, k = 0;
  ptx::Type typeA{}, typeB{}, typeC{}, typeD{};
  bool satfinite = false;
  std::vector<Slot> d, a, b, c;
  std::vector<Loop> loops; // enclosing, outermost first
  // Where what decides about the branches around it gets its values.
  std::vector<TextRange> decided;
  // Where the lambda or function is called that holds it; empty when the kernel does.
  struct Call {
    TextRange range;
    std::vector<Loop> loops;
  };
  std::vector<Call> calls;
};

struct LoadSite {
  TextRange range;
  std::string spelling;
  bool transposed = false;
  std::vector<Slot> registers; // one a matrix
  AddressFunction address;
  std::string problem; // why the address is not understood; empty when it is
  std::vector<Loop> loops;
  std::vector<TextRange> decided; // as above
  // Not ldmatrix but the kernel's own expressions, free of effects: one a register, or one
  // for all of them, of `registerName`. `address` holds the variables they are made from.
  std::vector<std::string> values;
  std::string registerName;
  TextRange pragma;        // of the loop over registers that the site is
  std::string declaration; // "uint32_t b[2]", when the site is a declaration with its values
  bool isGathered() const { return !values.empty(); }
};

// A mention of a fragment variable outside of the sites above.
struct FragmentUse {
  uint64_t declaration = 0;
  TextRange range; // of the name
  // One constant into every register of a tile, for all threads alike.
  bool isFill = false;
  bool isOfSomeTiles = false; // a fill of tiles by number, perhaps not of all
  std::vector<TextRange> loops;
};

// Accumulators that other code works on between the products, or packs into an operand:
// what was found out about that code (Exchange.h), and what has to change in it.
struct Between {
  std::string problem; // why it has to see CUDA's layout; empty when it need not
  TextRange problemAt;
  TextRange region;                       // up to the end of the last product's statement
  TextRange last;                         // that statement
  std::set<uint64_t> fragments, turnable; // declarations
  struct Shuffle {
    TextRange range, value, mask;
  };
  std::vector<Shuffle> shuffles;
  // Pairs of values that belong to rows r and r + 8, read behind the region.
  struct Rows {
    std::string lower, upper;
  };
  std::vector<Rows> rows;
};

struct Kernel {
  std::string name;
  TextRange range;     // of the definition
  TextRange bodyBegin; // empty range just behind the opening brace
  std::vector<MmaSite> mmas;
  std::vector<LoadSite> loads;
  std::vector<FragmentUse> uses;
  std::vector<TextRange> jumps; // break and continue
  // Declarations of fragment variables: where their scope begins.
  struct Variable {
    std::string name;
    uint64_t declaration = 0;
    TextRange scope;            // of the block that holds it
    TextRange statement;        // of its declaration
    bool beginsUnequal = false; // its initializer differs from register to register
  };
  std::vector<Variable> variables;
  std::optional<Between> between; // where there is such code
  // Accumulators keep the MFMA's layout up to the end of between->region.
  bool staysNative() const { return between && between->problem.empty(); }
  // Functions that handle its fragments and are ported where they stand: whoever calls
  // them must be ported alike.
  std::vector<TextRange> functions;
  // Wrapper functions whose asm is written anew at each site.
  std::vector<TextRange> wrappers;
  bool isTwoDimensional = false; // counts on it that a warp is a row of the block: (32, W) threads
  std::vector<std::string> assumptions; // of the author's, that the port relies on
  bool assumesWholeWaves = false;       // on the author's word
  int launchBound = 0;                  // threads, of __launch_bounds__; 0 where it says nothing
  std::string problem; // why the kernel as a whole cannot be native; empty when it can
  TextRange problemAt;
};

} // namespace layout_port::native
