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

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace layout_port::native {

// Rows of threads that a kernel's reading counts on: of any length (or it has one row), of whole
// warps, or of one warp, (32, W) threads.
enum class BlockRows { Any, WholeWarps, OneWarp };

// What all launches of a kernel that are in view agree about; 0: nothing.
struct LaunchShape {
  unsigned oddWarps = 0; // of a block of an odd number of warps
  unsigned row = 0;      // threads along x
};

class LanePlaces;

// Bytes [begin, end) of file number `file`.
struct TextRange {
  unsigned file = 0, begin = 0, end = 0;
  bool contains(const TextRange &r) const {
    return file == r.file && begin <= r.begin && r.end <= end;
  }
  bool operator==(const TextRange &r) const {
    return file == r.file && begin == r.begin && end == r.end;
  }
};

// One index of an array access: its text, and what is known of it:
// scale * variable + offset, or a literal.
struct Index {
  std::string text;
  std::optional<int64_t> literal;
  std::string variable;     // empty when the text is of another form
  std::string type = "int"; // of the variable
  int64_t scale = 0, offset = 0;
  bool isMember = false; // not an index: ".x"
  bool isNamed = false;  // a member that the variable's name stands for, and no text says
  // Variables of the loops around in whose turns it may be another.
  std::set<std::string> turns;
  // What stands beside the variable, or alone.
  int64_t constant() const { return literal.value_or(offset); }
};

// What a loop's variable goes by in a function that is called in its turns: no name begins so.
inline std::string ofCaller(const std::string &variable) { return "^" + variable; }

// One register of a fragment, e.g. acc[i][j][2]: variable acc, tile [i][j], register 2.
struct Slot {
  std::string variable;                 // name
  uint64_t declaration = 0;             // tells variables of one name apart
  std::vector<Index> tile;              // indices but the last
  std::vector<int64_t> extents;         // of those dims, 0 where unknown
  std::vector<std::string> extentTexts; // the same, as the author wrote them
  int reg = 0;                          // the last index; scalars: the operand's position
  bool isScalar = false;                // a variable of its own, not an array element
  bool isOfScalars = false;             // ... and a register of the tile that some are together
  // Of all its indices. Of a row that a function is handed, those of loops around the call, too
  // (ofCaller).
  std::set<std::string> turns;
  bool turnsByName = false; // some of those are not of its indices, but of what its name stands for
  std::string text;         // the whole access
  std::string tileText;   // without the last index
  std::string vectorType; // of its registers, where those are x, y... of a vector
  // Tiles behind each other in one array (Flat.h): the array's words, the word this is as
  // a sum, and the registers of a tile; 0 until it is known.
  int64_t flatWords = 0, flatOffset = 0;
  std::vector<std::pair<std::string, int64_t>> flatTerms; // variable, scale
  std::string flatType;
  int flatRegisters = 0;
  // In a template whose instances have other numbers there: the place of word flatBegin in the
  // author's words, and the array's extent.
  std::string flatText, flatExtent;
  std::pair<std::string, int64_t> flatTiles; // that place as a product: flatText is first * second
  int64_t flatBegin = 0;
  // It goes by the name of one row of its variable, and which one that is only the name says.
  bool isOfRow = false;
  int rowDepth = 0;                       // flat: the indices that the name has
  std::vector<std::string> rowExtents;    // flat sums: the extents of those, as extentTexts
  std::string rowMember; // ... and the member of theirs that has the words, ".data"
  std::shared_ptr<const Slot> belowFirst; // flat: the same place, with the first index in the name
  // Of four registers, in the order 0, 2, 1, 3; sums: of two tiles of which each has every other
  // row of the pair, one behind the other (interleaved() in Flat.h).
  bool isSwapped = false;

  bool sameTile(const Slot &other) const {
    return declaration == other.declaration && tileText == other.tileText;
  }
};

// New text for a piece of the source.
struct SourceEdit {
  TextRange range;
  std::string text;
};

// A function that reads the thread's index, and now is told whose (RecoverTold.cpp).
struct ToldFunction {
  std::string name;
  std::vector<SourceEdit> edits;
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
  std::string laneType = "int", warpType = "int"; // as the author has them
  bool usesLane = false, usesWarp = false;
  bool readsWarp = false;                 // some of `fetched` are the same for a warp
  bool dependsOnPair = false;             // differs between the two warps of a wave
  std::vector<std::string> loopVariables; // that it mentions
  // Variables that cannot be computed anew (they walk, or were read from memory): their
  // values are asked of the lane that has them.
  std::vector<std::string> fetched;
  // Variables of loops in which something else that the address is made from changes: it
  // cannot be evaluated there for another turn.
  std::vector<std::string> walksIn;
  // Counters that begin elsewhere in each warp: how far the thread's own has come is captured, as
  // `k_ = k - warp * 16`, and counted from where the other warp begins.
  std::vector<std::pair<std::string, std::string>> moved; // the name, and what it is
  // Loop variables that uniform variables were computed from which it mentions: these
  // would not follow if the loop variable were rebound.
  std::set<std::string> hiddenVariables;
  std::vector<ToldFunction> told; // that it calls
  // In front of statements that change a variable: what it was is kept by another name.
  std::vector<SourceEdit> kept;
};

// What a value of the thread's own is called where other lanes are asked for it.
inline std::string askedAs(const std::string &name) {
  return name + (!name.empty() && name.back() == '_' ? "own" : "_"); // no name has two in a row
}

// A loop around a site. Constants where they are known: for (v = first; v < last; v += step).
struct Loop {
  TextRange range;
  std::string variable;
  std::string type = "int"; // of the variable
  // Of a loop whose turns are numbers of two digits, `t / 2` and `t % 2`, each digit is a loop
  // (Digits.h): the counter, and the number that it is divided by.
  std::string counter;
  int64_t digitsBy = 0;
  std::optional<int64_t> first, last, step;
  TextRange increment; // v += step
  // The same where the head moves others, too, `v += step, p += 4`; `step` says nothing then.
  std::optional<int64_t> stepBesideOthers;
  // for (T v = begin; condition; v += step), where a bound is all that is asked, and may be asked
  // more often; else empty.
  TextRange begin, condition;
  // Variables of loops around in whose turns it may go otherwise.
  std::set<std::string> turns;
  // The variable is made of the loop's counter, and is each number once, in another order for each
  // turn of the loops around (Reordered.h).
  bool isReordered = false;
  bool isDigit() const { return !counter.empty(); }
  bool isCountedBy(const std::string &name) const {
    return name == (isDigit() ? counter : variable);
  }
};

// What runs on a condition: one part of a branch, and the whole statement. Of a switch the part is
// empty.
struct Branch {
  TextRange part, whole;
};

// A call of a function of the author's.
struct CallPlace {
  TextRange range;
  std::vector<Loop> loops;      // around it, outermost first
  std::vector<Branch> branches; // likewise
};

struct MmaSite {
  TextRange range; // of the statement, without its ';'
  // One statement may be several products, a call of a function of two mma or a macro of them. Each
  // has a part of the statement's text for its range, in order; this is number `part` of them.
  unsigned part = 0;
  // A function's text stands for as many sites as there are sets of fragments that it is called
  // with, or instances of its template; each has a number, and the kernel's own have 0.
  unsigned frame = 0;
  std::string name; // "mma.m16n8k16.f16"
  std::string shape;
  std::string spelling;
  unsigned m = 0, n = 0, k = 0;
  ptx::Type typeA{}, typeB{}, typeC{}, typeD{};
  bool satfinite = false;
  bool isFromZero = false; // C is the constant 0: the sums begin here, and `c` is `d`
  std::vector<Slot> d, a, b, c;
  std::vector<Loop> loops;      // enclosing, outermost first
  std::vector<Branch> branches; // likewise
  // Where what decides about the branches around it gets its values.
  std::vector<TextRange> decided;
  // Where the lambda or function is called that holds it; empty when the kernel does.
  std::vector<CallPlace> calls;
};

struct LoadSite {
  TextRange range;
  unsigned part = 0;  // as above
  unsigned frame = 0; // as above
  unsigned line = 0;
  std::string spelling;
  bool transposed = false;
  std::vector<Slot> registers; // one a matrix
  AddressFunction address;
  std::string problem;                      // why the address is not understood; empty when it is
  std::shared_ptr<const LanePlaces> places; // where the lanes read; null: nobody knows
  std::vector<Loop> loops;
  std::vector<TextRange> decided; // as above
  std::vector<CallPlace> calls;   // as above
  // Not ldmatrix but the kernel's own expressions, free of effects: one a register, or one
  // for all of them, of `registerName`. `address` holds the variables they are made from.
  std::vector<std::string> values;
  std::string registerName;
  std::vector<TextRange> removed; // copies that the load makes needless
  TextRange pragma;               // of the loop over registers that the site is
  std::string declaration;        // "uint32_t b[2]", when the site is a declaration with its values
  bool isWhole = false;           // the range holds its own ';', or is a block
  bool isInCall = false;          // gathered; written into the call of the product that `range` is
  // A call within the product's, at `statement`: in front of that, with a variable of its own.
  bool isAhead = false;
  TextRange statement;
  bool isTurned = false; // by movmatrix: what the expressions give, or what is read
  std::string converts;  // the runtime's function that each value is handed through
  // Values that make a register: several of a type that is shorter, counted through all of them.
  int valuesInWord = 1;
  // Gathered: zeros where it does not hold any more, of a loop that warps leave apart.
  std::string onlyWhile;
  bool isGathered() const { return !values.empty(); }
  // Of a loop that fills several variables: it stands behind what comes in the loop's place.
  bool isFurther() const { return range.begin == range.end; }
};

// A mention of a fragment variable outside of the sites above.
struct FragmentUse {
  uint64_t declaration = 0;
  TextRange range; // of the name; where a function that is handed the fragment is called
  TextRange place; // of the name
  // One constant into every register of a tile, for all threads alike.
  bool isFill = false;
  bool isOfSomeTiles = false; // a fill of tiles by number, perhaps not of all
  // Every register of a tile is changed in one way, by what all lanes have: wherever they lie.
  bool isAlike = false;
  // ... and of every tile, in each turn of what is around: the counters that say which tile it is.
  bool isOfAllTiles = false;
  std::set<std::string> tileCounters;
  // Read or written there, by the kernel or a function that is handed it for as long: nobody keeps
  // another name of it.
  bool isDoneThere = false;
  bool isOfNewLife = false; // behind the products, where all that is read was written anew
  std::vector<TextRange> loops;
  // The innermost statement around it that may leave it out: a part under a condition, a loop of
  // perhaps no turns. Empty when there is none.
  TextRange mayBeSkippedBy;
};

// Accumulators that other code works on between the products, or packs into an operand:
// what was found out about that code (Exchange.h), and what has to change in it.
// A shuffle of results in a function that another kernel calls, too: one text for both.
struct SharedShuffle {
  TextRange shuffle, kernel;
};

struct Between {
  std::string problem; // why it has to see CUDA's layout; empty when it need not
  TextRange problemAt;
  std::set<uint64_t> changed;       // first operands that other code changes, of no results
  TextRange region;                 // up to the end of the last product's statement
  TextRange last;                   // that statement
  std::vector<TextRange> functions; // that multiply or load, called nowhere but there
  std::set<uint64_t> fragments, turnable, halfTurnable; // declarations
  struct Shuffle {
    TextRange range, value, mask;
  };
  std::vector<Shuffle> shuffles;
  // Pairs of values that belong to rows r and r + 8, read behind the region.
  struct Rows {
    std::string lower, upper;
    // Or an array of them, the lower ones first, and loops with the counters i, j, ... that it
    // mentions, by their extents.
    std::string array;
    std::vector<std::string> extents;
  };
  std::vector<Rows> rows;
  // A function that exchanges results here is called behind the region, too: its shuffles can
  // serve both only where the epilogue follows.
  std::string elsewhere;
  TextRange elsewhereAt;

  bool holds(const TextRange &place) const {
    return region.contains(place) ||
           std::any_of(functions.begin(), functions.end(),
                       [&](const TextRange &function) { return function.contains(place); });
  }
};

// Statements behind the loops that hand on the elements of one accumulator tile. CUDA's
// thread holds two rows of it, r and r + 8, and says everything twice:
//
//   C[row * N + col] = c[0];              C[(row + 8 * lower) * N + col] = v[0];
//   C[(row + 8) * N + col] = c[2];
//
// `edits` make one statement of two, on `valueNames`, the neighbours along n of one row,
// and `lowerName`, which of the rows it is. Neighbours of other tiles of the body have names of
// their own.
// A function that stores the tile it is handed, once more for one row of it (RowFunction.h).
struct RowFunction {
  std::string name, text;
  TextRange range;              // of the function
  std::vector<TextRange> calls; // its name where it is called
};

struct EpilogueBody {
  TextRange range; // with the braces, when it is one block
  bool isBlock = false;
  // What the statements name: a tile of the accumulator, or several (silu(gate) * up), perhaps of
  // several accumulators. Registers do not count.
  std::vector<Slot> tiles;
  std::vector<Loop> loops;
  std::vector<SourceEdit> edits;
  // What has to be computed anew where lane and warp are others; or the lane alone.
  struct Rebound {
    AddressFunction names; // no expression
    std::vector<SourceEdit> edits;
    std::string problem;
  };
  Rebound forThread, forLane;
  bool isRow = false; // speaks of values of a row, of no tile
  // A loop over both rows, with the tiles of either in it. Its body, `inner`, is run for the row
  // that the lane has, once for either warp:
  //
  //   for (int r = 0; r < 2; ++r) { ... l[r] ... }
  //   lp::each_row([&](int lane, int warp, int r, int h) { ... l[h] ... });
  bool isRowLoop = false;
  TextRange inner;
  std::string rowName, rowType; // its counter
  bool isInRowLoop = false;     // of one warp's tile: stands in such a body
  bool usesLower = false;
  bool changes = false;   // the elements, which stay so
  bool usesPair = false;  // of sums that are kept for both warps: which of them is meant
  bool hasPragma = false; // the range begins with the line of a #pragma
  // Counters of loops around whose turns do more than run such bodies, or decide by their number
  // what is run: tiles of several turns cannot be handed on in one.
  std::set<std::string> ownTurns;
  std::vector<RowFunction> functions; // that tiles are handed to
};

// Everything that reads an accumulator behind the loops, or why it is not understood.
struct Epilogue {
  uint64_t accumulator = 0;
  // Several accumulators in one statement have one epilogue: it is written with the leader's.
  uint64_t leader = 0;
  std::vector<EpilogueBody> bodies;
  std::string lowerName, pairName;
  std::vector<std::string> valueNames; // of a body's tiles
  // Sums over a row, in two scalars, one for r and one for r + 8; here, one for each warp:
  //   s0 += |c[0]| + |c[1]|; s1 += |c[2]| + |c[3]|;  ──▶  (h ? s1 : s0) += |v[0]| + |v[1]|;
  // The lanes of a quad that hold parts of the sum become lanes 4 and 5 of the index.
  bool hasSums = false;
  struct Butterfly {
    TextRange call;    // __shfl_xor_sync(mask, value, 1 or 2)
    std::string value; // quoted
    int bit = 0;
  };
  std::vector<Butterfly> butterflies;
  // Of an accumulator that other code works on between the products (Between): shuffles behind
  // those are between the lanes that hold the same rows, too.
  bool isBehindBetween = false;
  std::vector<Between::Shuffle> shuffles;
  bool usesRows = false; // values that rows have: one for each warp here
  // `p += n;` at the end of a turn of a loop around bodies, each of which says what p is by itself.
  struct Step {
    std::string name;
    TextRange statement; // with its ';'
  };
  std::vector<Step> steps;
  // Turned tiles (Scheme.h) are right up to here, as a whole and in halves.
  bool mayTurn = true, mayTurnHalf = true;
  std::vector<std::string> assumptions;
  std::string problem;
  TextRange problemAt;
};

struct Kernel {
  std::string name;
  // Of an instance of a template, what each of its arguments is, as a condition on the parameter's
  // name: `TilesN == 2`, `__is_same(T, __half)`. Empty text: it cannot be said.
  std::vector<std::string> arguments;
  TextRange range;               // of the definition
  std::vector<TextRange> dead;   // of it, arms that this instance never comes to
  std::vector<TextRange> called; // functions that it comes to
  TextRange bodyBegin;           // empty range just behind the opening brace
  std::vector<MmaSite> mmas;
  std::vector<LoadSite> loads;
  std::vector<FragmentUse> uses;
  // All registers of one operand go to another's: `a = next` (RecoverCopied.cpp).
  struct Copy {
    uint64_t from = 0, to = 0; // declarations
    TextRange range;
    bool isWhole = false; // whatever it has: not element by element
  };
  std::vector<Copy> copies;
  // Operands that stay where CUDA has them, since other code makes or changes them there, and why
  // (RecoverConverted.cpp): each product moves their registers to the MFMA's lanes.
  struct Converted {
    uint64_t operand = 0; // a declaration
    std::string reason;
    TextRange at;
  };
  std::vector<Converted> converted;
  // What fills them, which has to stay as it is.
  struct Left {
    TextRange place;
    unsigned frame = 0; // MmaSite::frame
  };
  std::vector<Left> left;
  bool isConverted(uint64_t operand) const {
    return std::any_of(converted.begin(), converted.end(),
                       [&](const Converted &known) { return known.operand == operand; });
  }
  bool isConverted(const std::vector<Slot> &operand) const {
    return std::any_of(operand.begin(), operand.end(),
                       [&](const Slot &slot) { return isConverted(slot.declaration); });
  }
  std::vector<TextRange> jumps;   // break and continue
  std::vector<TextRange> returns; // in the text that is ported with the kernel
  std::vector<Epilogue> epilogues;
  // Loops that do nothing but read operands and multiply.
  std::vector<TextRange> productLoops;
  // Loops in which nothing but reads of operands and products touches memory or waits.
  std::vector<TextRange> quietLoops;
  // Statements side by side in one block that do nothing but read operands and multiply.
  std::vector<TextRange> productRuns;
  // Declarations of fragment variables: where their scope begins.
  struct Variable {
    std::string name;
    uint64_t declaration = 0;
    TextRange scope;            // of the block that holds it, or of the loop that begins it anew
    TextRange statement;        // of its declaration
    bool beginsUnequal = false; // its initializer differs from register to register
    bool halvesAlike = false;   // the two halves of its registers are set to the same constants
    bool isConstant = false;    // one constant in all registers, from the first product on
    TextRange registers;        // of the last extent of its array type, as the author wrote it
    int64_t registerCount = 0;
    // A private member, whose name the kernel cannot use: how to get at its words.
    bool isPrivate = false;
    std::string object, type;
    int64_t words = 0, firstWord = 0;
  };
  std::vector<Variable> variables;
  std::optional<Between> between; // where there is such code
  // Accumulators keep the MFMA's layout up to the end of between->region.
  bool staysNative() const { return between && between->problem.empty(); }
  // What stands for several sites (MmaSite::frame).
  struct Frame {
    unsigned number = 0;
    TextRange function;
    TextRange bodyBegin;                // of the function, as above
    std::vector<std::string> arguments; // of an instance, as above
    // Where the function, and its calls, can be told which set of fragments it is
    // (RecoverTagged.cpp).
    struct Tag {
      TextRange header; // in front of it, or of the '>' of its parameters
      bool isTemplate = false;
      TextRange parameter;          // in front of the ')'
      bool isOnly = false;          // parameter
      std::vector<TextRange> calls; // in front of each ')'
    };
    std::optional<Tag> tag;
  };
  std::vector<Frame> frames;
  // What a statement in a block of the kernel's, or of a function below, declares by values without
  // effects.
  struct Local {
    std::vector<std::string> names;
    TextRange statement; // with its ';'
    TextRange scope;     // the block
  };
  std::vector<Local> locals;
  // Functions that handle its fragments and are ported where they stand: whoever calls
  // them must be ported alike.
  std::vector<TextRange> functions;
  std::vector<SharedShuffle> sharedShuffles; // whose kernels must be ported alike
  // Of functions that are handed sums: `inline`, or where `__forceinline__` belongs.
  std::vector<TextRange> inlined;
  std::vector<TextRange> needless; // declarations of names that the port does not use
  std::vector<TextRange>
      opened; // `private:`, or what a class begins with: the kernel names members
  // Wrapper functions whose asm is written anew at each site. Of operators, which are called
  // without their name, all calls.
  std::vector<TextRange> wrappers;
  struct OperatorCalls {
    TextRange definition;
    std::vector<TextRange> calls;
  };
  std::vector<OperatorCalls> operators;
  std::vector<ToldFunction> toldBetween; // of code between the products
  std::vector<SourceEdit> keptBetween;   // likewise
  BlockRows rows = BlockRows::Any;
  bool isOneRow = false; // the text reads threadIdx.x and no other part of the thread's number
  uint64_t saidRow = 0;  // threads of a row, where launches or the text say another number than 32
  std::vector<std::string> assumptions; // of the author's, that the port relies on
  bool assumesWholeWaves = false;       // on the author's word
  // Every launch in view has blocks of this odd number of warps; 0: not so. The kernel is read as
  // it is once such a block is padded to whole waves (launch/odd_warps): the half wave beyond the
  // last warp has that one's thread numbers.
  unsigned paddedWarps = 0;
  // Warps that return before anything is done, each on its own: one whose neighbour stays does as
  // that one (RecoverLeaving.cpp).
  struct Leaving {
    std::string name;       // of what says which warp a half wave does
    AddressFunction leaves; // does the warp?
    // How the kernel says the thread's number: threadIdx.x, or .y of rows that are warps, or both
    // of rows of any length.
    enum class Numbering { Row, Rows, Both };
    Numbering numbering = Numbering::Row;
    struct Mention {
      TextRange place;
      int axis = 0; // of threadIdx
    };
    std::vector<Mention> mentions; // where the kernel names it
    bool isChecked = false;        // each of its threads is asked, and they must be of one mind
  };
  std::optional<Leaving> leaving;
  // Loops that warps leave in turns of their own (RecoverApart.cpp): both go on while one does.
  struct Apart {
    TextRange condition;
    // One that is beyond its end does as the other; else its operands are zeros.
    bool isMirrored = false;
    std::string counter, type;    // mirrored
    std::vector<TextRange> names; // of the counter in the loop's head
    TextRange body;               // with its braces
  };
  std::vector<Apart> apart;
  int launchBound = 0; // threads, of __launch_bounds__; 0 where it says nothing
  std::string problem; // why the kernel as a whole cannot be native; empty when it can
  TextRange problemAt;
};

// From the first product on the accumulator to the end of the outermost loop, inside
// the accumulator's scope, that holds one; or of the branch, if not all of them are in one part.
TextRange regionOf(const Kernel &kernel, uint64_t accumulator);

} // namespace layout_port::native
