// Index: an integer expression over lane, warp and loop indices, without any compiler.
//
//   smem + r * 64 + (((c >> 3 ^ r) & 7) << 3),   r = 16 * warp + (lane & 15), ...
//
//              [+]
//            /     \              leaves  constants
//        smem       [+]                   variables: take every value below their size
//                 /     \                 symbols:   one unknown value, the same for every
//            [*]          [<<]                       value of the variables not listed
//           /   \        /    \                      in `varies`
//          r     64   ...      3
//
// Nodes are made once and shared (equal expressions are the same node), so expressions
// are DAGs and comparing them is comparing pointers. The meaning is that of C++ on a GPU:
// every node has a width and a signedness, unsigned arithmetic wraps, signed arithmetic
// that overflows has no meaning (so it may be assumed not to), shifts by the width or more
// give 0 (or the sign), division by zero gives 0. A node's value is held as 64 bits,
// sign-extended where its type is signed, zero-extended where it is not.
//
// What is asked of an index (does it depend on h? is it linear over F2?) is in Forms.h.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace layout_port::recover {

struct IndexType {
  uint8_t bits = 32; // 1 to 64
  bool isSigned = true;

  friend bool operator==(IndexType a, IndexType b) {
    return a.bits == b.bits && a.isSigned == b.isSigned;
  }
  friend bool operator!=(IndexType a, IndexType b) { return !(a == b); }
};

inline constexpr IndexType kBool{1, false};
inline constexpr IndexType kI32{32, true}, kU32{32, false};
inline constexpr IndexType kI64{64, true}, kU64{64, false};

// The 64 bits that stand for `value` in this type.
uint64_t normalize(uint64_t value, IndexType type);

using VariableId = uint32_t;
using SymbolId = uint32_t;

// What a variable counts. A warp's number is 2 * wave + pair: the two warps that will
// share a wave of 64 differ in `pair`, the h of DESIGN.
enum class Role { Lane, Pair, Wave, Loop, Other };

struct Variable {
  std::string name;
  uint64_t size = 0; // values 0 .. size-1; 0: nobody knows how many
  Role role = Role::Other;

  bool isFinite() const { return size != 0; }
  // Bits that hold all values: 3 for size 5 to 8.
  int bits() const;
};

struct Symbol {
  std::string name;
  IndexType type;
  unsigned zeroBits = 0;          // that many low bits are 0: the alignment of a pointer
  int64_t least = 0, most = -1;   // the range, when least <= most
  std::vector<VariableId> varies; // may have another value for each of theirs
  std::string reason;             // why nothing more is known ("loaded at line 7")
  const void *object = nullptr;   // of a base address: what it is the address of
};

// Values as mathematics: wide enough for all 64-bit types.
__extension__ typedef __int128 Wide;
struct Range {
  Wide least = 0, most = 0;
  bool isNonNegative() const { return least >= 0; }
  bool within(Wide low, Wide high) const { return low <= least && most <= high; }
};
Range rangeOf(IndexType type);

enum class Op : uint8_t {
  Constant,
  Variable,
  Symbol,
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Shl,
  Shr,
  And,
  Or,
  Xor,
  Min,
  Max, // operands and result of one type
  Eq,
  Ne,
  Lt,
  Le,      // result: bool
  Select,  // bool ? a : b
  Convert, // to `type`
};

struct Node;
// A pointer to a node of a graph; the null index stands for "no expression".
using Index = const Node *;

struct Node {
  Op op = Op::Constant;
  IndexType type;
  uint64_t value = 0; // of a constant; the number of a variable or symbol
  Index args[3] = {nullptr, nullptr, nullptr};
  uint32_t number = 0;             // in order of making: operands come first
  std::vector<VariableId> support; // what it is written with, ascending; symbols' `varies` too
  bool hasSymbol = false;
  bool hasEndless = false; // a variable of unknown size
  Range range;             // holds every value
  unsigned zeroBits = 0;   // low bits that are 0, by its shape

  bool isConstant() const { return op == Op::Constant; }
  bool isConstant(uint64_t v) const { return op == Op::Constant && value == v; }
  // Numbers alone: constants and variables of known size.
  bool isPure() const { return !hasSymbol && !hasEndless; }
  // The same, but for this variable, whose size may be unknown.
  bool isPureBut(VariableId variable) const {
    return !hasSymbol && (!hasEndless || mentions(variable));
  }
  bool mentions(VariableId variable) const;
};

// Values for variables and symbols, by number; absent ones are 0.
struct Bindings {
  std::map<VariableId, uint64_t> variables;
  std::map<SymbolId, uint64_t> symbols;
};

class Separation; // Separation.h

class IndexGraph {
public:
  IndexGraph();
  ~IndexGraph();
  IndexGraph(const IndexGraph &) = delete;
  IndexGraph &operator=(const IndexGraph &) = delete;

  // ---- Making ----------------------------------------------------------------
  // Operands of Add .. Le have one type: that of the first, to which the second is
  // converted (shift amounts keep theirs). C++'s usual conversions are the caller's. What can
  // be seen at once is folded: constants, x + 0, x & 31 of an x below 32, ...

  Index constant(uint64_t value, IndexType type = kI32);
  VariableId addVariable(Variable variable);
  Index variable(VariableId id, IndexType type = kI32);
  SymbolId addSymbol(Symbol symbol);
  Index symbol(SymbolId id);
  // A new symbol for a value of which only this is known: it is the same where the
  // variables that `of` mention are the same.
  Index opaque(const std::string &name, IndexType type, const std::vector<Index> &of,
               const std::string &reason);

  Index binary(Op op, Index a, Index b);
  Index add(Index a, Index b) { return binary(Op::Add, a, b); }
  Index sub(Index a, Index b) { return binary(Op::Sub, a, b); }
  Index mul(Index a, Index b) { return binary(Op::Mul, a, b); }
  Index select(Index condition, Index a, Index b);
  Index convert(Index a, IndexType type);
  Index negate(Index a) { return sub(constant(0, a->type), a); }
  Index bitNot(Index a) { return binary(Op::Xor, a, constant(~uint64_t(0), a->type)); }
  // a != 0, as a bool; and its negation.
  Index truth(Index a);
  Index logicalNot(Index a) { return binary(Op::Xor, truth(a), constant(1, kBool)); }
  // values[v] for a variable of values.size() values: a tree of selects.
  Index table(VariableId v, const std::vector<Index> &values);

  // The expression with variables replaced (converted to the type of each use).
  Index substitute(Index e, const std::map<VariableId, Index> &by);

  // ---- Looking ---------------------------------------------------------------

  const Variable &variableAt(VariableId id) const { return variables_[id]; }
  const Symbol &symbolAt(SymbolId id) const { return symbols_[id]; }
  size_t variableCount() const { return variables_.size(); }
  size_t nodeCount() const { return nodes_.size(); }

  uint64_t evaluate(Index e, const Bindings &at) const;
  // The values of a pure expression at all joint values of `inputs`, which include its
  // support; bits flattened, first variable lowest: entry lane | h << 5 for {lane, h}.
  // Entries at values beyond a variable's size are meaningless.
  std::vector<uint64_t> evaluateAll(Index e, const std::vector<VariableId> &inputs) const;

  // As C++ would write it, without the casts that change nothing.
  std::string toString(Index e) const;

  // Separation of this graph's expressions, made on first use.
  Separation &separation();

private:
  struct Key {
    Op op;
    IndexType type;
    uint64_t value;
    Index args[3];
    bool operator==(const Key &o) const;
  };
  struct KeyHash {
    size_t operator()(const Key &k) const;
  };
  Index make(Op op, IndexType type, uint64_t value, Index a = nullptr, Index b = nullptr,
             Index c = nullptr);
  void describe(Node &node) const;
  // The symbol where its variables have these values.
  Index instance(SymbolId id, const std::map<VariableId, Index> &by);
  Index foldArithmetic(Op op, Index a, Index b);
  Index foldBits(Op op, Index a, Index b);
  Index foldHalf(Op op, Index a, Index b);
  Index foldComparison(Op op, Index a, Index b);

  std::deque<Node> nodes_;
  std::unordered_map<Key, Index, KeyHash> known_;
  std::deque<Variable> variables_;
  std::deque<Symbol> symbols_;
  std::map<std::pair<SymbolId, std::vector<Index>>, Index> instances_;
  std::unique_ptr<Separation> separation_;
};

// The value of one operation on normalized operands; Div and Rem by 0 give 0.
uint64_t apply(Op op, IndexType type, IndexType operandType, uint64_t a, uint64_t b, uint64_t c);

// The variables that any of the expressions mention, ascending.
std::vector<VariableId> supportOf(const std::vector<Index> &expressions);

} // namespace layout_port::recover
