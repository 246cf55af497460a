// A kernel's own text, run for the 64 threads of one wave, with names for values.
//
//   mx = fmaxf(mx, s[j][2])      every thread: name("fmaxf", name of mx, name of s[j][2])
//
// Two equal names are equal values (commutative operators sort what they are given), so
// two runs can be compared without knowing a single number: once with fragments where
// CUDA has them, once with rows r + 8 of a tile and the second warp exchanged (Exchange.h).
// Loops whose count is known are run; of other loops one iteration, from a state with new
// names that the caller chooses. What cannot be followed gets a name of the thread's own,
// which then differs between the runs as soon as a fragment is made from it.
#pragma once

#include "native/RowSums.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace layout_port::native {

constexpr int kWaveThreads = 64;

// What an expression is worth for each thread of the wave. Threads 0-31 are the first of
// the two warps.
struct WaveValue {
  std::array<uint64_t, kWaveThreads> of{}; // a number, or a name
  bool isNumber = false;                   // then the same for all: a thread's index is a name
  // Which rows of a tile it is made from: 1 the lower (register bit clear), 2 the upper.
  uint8_t rows = 0;
  // Names the ldmatrix that made it; 0: none, or something was done to it since.
  uint64_t loaded = 0;
  // The rows of the results that it has met: it is theirs already, and what is made of it alone.
  uint8_t met = 0;
  // Made of a value of the thread's own that is asked of another thread where it meets results:
  // what is no result must not be made of it.
  bool isAsked = false;
  // What a loop leaves in bytes that have no partner (CarriedCell): nobody may read it.
  bool isStale = false;

  bool isLost() const { return isAsked && !rows; } // to anything but results
  bool isUniform() const;
  // Thread bits that do not matter: bit i when the value is equal for t and t ^ (1 << i).
  unsigned invariantBits() const;
};

// Some of the bytes of the thread's own variables: begin <= offset < end. A struct may hold sums
// and operands side by side.
class Bytes {
public:
  void add(const clang::VarDecl *variable, int64_t begin, int64_t end) {
    spans_[variable].insert({begin, end});
  }
  // All of these are among them, as they were added; any of these is.
  bool hold(const clang::VarDecl *variable, int64_t begin, int64_t end) const;
  bool touch(const clang::VarDecl *variable, int64_t begin, int64_t end) const;
  std::set<const clang::VarDecl *> variables() const;

private:
  std::map<const clang::VarDecl *, std::set<std::pair<int64_t, int64_t>>> spans_;
};

// Bytes of one of the thread's own variables. `root` counts them as they come into being.
struct CellKey {
  unsigned root = 0;
  int64_t offset = 0;
  uint64_t bytes = 0;
  friend bool operator<(const CellKey &a, const CellKey &b) {
    return std::tie(a.root, a.offset, a.bytes) < std::tie(b.root, b.offset, b.bytes);
  }
  friend bool operator==(const CellKey &a, const CellKey &b) {
    return a.root == b.root && a.offset == b.offset && a.bytes == b.bytes;
  }
};

// What is known of bytes that a loop hands from one iteration to the next, or that are
// there at the end. Found over several runs, each adding what the one before assumed
// wrongly.
struct CarriedCell {
  uint8_t rows = 0;
  unsigned invariant = kWaveThreads - 1;
  bool isLoaded = false;
  uint64_t color = 0;             // equal for what is computed alike
  std::optional<CellKey> partner; // the same of the other rows
  // Of one half alone, like what is left of a tile that was packed into part of its own registers:
  // it has to be written before it is read.
  bool isStale = false;
};
using CarriedCells = std::map<CellKey, CarriedCell>;

// A loop that is run once, by statement and how many times it was met; null: the end.
using LoopKey = std::pair<const clang::Stmt *, int>;

struct Carried {
  std::map<LoopKey, CarriedCells> loops;
  std::map<LoopKey, std::set<CellKey>> assigned;  // by a turn of theirs
  std::map<const void *, unsigned> roots;         // numbers of variables
  std::vector<const clang::VarDecl *> variables;  // by number; null for temporaries
  std::map<CellKey, uint8_t> results;             // registers of products: their rows
  std::map<CellKey, uint8_t> born;                // of own numbers: the rows that they meet
  std::map<unsigned, const clang::Stmt *> stores; // what results are stored by, by root
  bool changed = false;
};

// A value of the thread's own that meets results: the bound of a mask, a bias by column. Once
// exchanged, it is wanted of the thread that CUDA has the results in.
struct Met {
  const clang::Expr *value = nullptr;
  uint8_t rows = 0; // of the results
  // Loops and calls around, outermost first, and which of a loop's turns it is.
  std::vector<std::pair<const clang::Stmt *, uint64_t>> turns;
  std::vector<uint64_t> of; // one name, when it is the same for all threads
  uint64_t effects = 0;     // on memory and other lanes but by shuffles, so far in the run, but for
  uint64_t storings = 0;    // results that are stored
  uint64_t touches = 0;     // of memory by anything but these, so far, and but for
  size_t reads = 0;         // so many of WaveRun::reads
};
// What values met in a run, in order, and for each the number of the meeting that is the same
// for the other half of a tile's rows; -1: none.
struct Meetings {
  std::vector<Met> all;
  std::vector<int> partners;
  WaveValue valueOf(size_t number) const;
};

// What is known where the watched statement is about to run.
struct Visit {
  std::map<const clang::VarDecl *, int64_t> numbers; // counters of the loops around, and others
  // Bytes, by variable and offset, that the four lanes of a quad have the same value of.
  std::set<std::pair<const clang::VarDecl *, int64_t>> evenInQuads;
};

// Whether some threads have the same of a value, though its names are not.
struct Alike {
  using Asked = std::function<bool(const clang::Expr *)>;
  Asked forPair;  // the two warps of a wave, each thread and the one 32 further on
  Asked forWarp;  // the 32 threads of a warp
  Asked forQuads; // the four of a quad
};

struct RunMode {
  // A number that meets results of one half alone belongs to their rows from where it is made, not
  // from where it meets them:  m[i] = fmaxf(sMax[0][row + i * 8], sMax[1][row + i * 8])
  bool bearsRows = false;
  // Results may be stored to memory between the products.
  bool storesResults = false;
};
constexpr char kStored[] = "results are stored to memory between the products";

// Tiles whose index takes bits of n (Scheme.h): both low ones, or one.
enum class Turn { None, Whole, InHalves };
// An n8 tile, and which of its columns.
struct TileColumn {
  int64_t tile = 0;
  int n = 0;
};

using TurnedTiles = std::map<unsigned, Turn>; // of accumulators, by root
inline Turn turnOf(const TurnedTiles &turns, unsigned root) {
  const auto known = turns.find(root);
  return known == turns.end() ? Turn::None : known->second;
}

// Where accumulators lie in a run (see Scheme.h for both).
struct RunLayout {
  bool isExchanged = false;
  // Names of rows r and r + 8 are made equal, to see what is computed alike.
  bool isSymmetric = false;
  TurnedTiles turned;
  const Meetings *meetings = nullptr; // of the straight run, once it is known
  Alike alike;
  // A statement behind the products that the run goes up to, in every turn of the loops around
  // it: on the way results may be stored.
  const clang::Stmt *watched = nullptr;
  RunMode mode = {};
};

class WaveRun {
public:
  // The state at a point of the run that two runs are compared at.
  struct Event {
    LoopKey loop;
    const clang::Stmt *at = nullptr;
    std::map<CellKey, WaveValue> cells;
    std::vector<uint64_t> rows; // of an mma: names of the first operand's rows
  };
  struct Shuffle {
    bool onFragments = false, onOthers = false;
  };
  struct Accumulator {
    bool isWhole = true;    // tiles of neighbouring registers, in order
    unsigned registers = 0; // of a tile
  };

  // `operands`: registers whose plain values are loaded fragments.
  WaveRun(const clang::ASTContext &context, const clang::FunctionDecl &kernel, Carried &carried,
          const Bytes &operands, RunLayout layout);

  // The statements of the kernel's body up to and including `last`.
  void run(const clang::Stmt *last);

  std::vector<Event> events;
  std::map<const clang::CallExpr *, Shuffle> shuffles;
  std::map<unsigned, Accumulator> accumulators; // by root
  Bytes holders;                                // of anything made from rows of results
  // Registers of first operands that are neither results nor as something loaded them.
  Bytes changed;
  std::vector<Met> meetings;
  std::vector<const clang::Expr *> reads; // places in memory, in order
  std::set<const clang::Expr *> apart;    // values that are wanted as they are
  // Results that go to memory: the assignment, or the call of atomicAdd, and which expression says
  // where.
  struct Stored {
    const clang::Expr *place = nullptr, *address = nullptr;
    bool isPlace = false; // the address is that of what the expression names
  };
  std::map<const clang::Expr *, Stored> stored;
  // ... as matrices, by stmatrix: which bit of a matrix's number says whether it is of rows r or
  // rows r + 8.
  struct StoredMatrices {
    const clang::GCCAsmStmt *code = nullptr;
    const clang::CallExpr *call = nullptr; // of the function that it stands in; null: the kernel
    const clang::Expr *address = nullptr;
    std::vector<const clang::Expr *> matrices;
    bool isTurned = false;
    int bit = 0;
  };
  std::map<const clang::Stmt *, StoredMatrices> storedMatrices; // by the asm or the call
  std::map<const clang::GCCAsmStmt *, RowSums> rowSums;         // of results
  std::vector<Visit> visits;                                    // of the watched statement
  // Conditions of masks that were asked together with a condition on the warp around.
  std::map<const clang::Expr *, const clang::Expr *> under;
  // Variables that were the same for all threads wherever a value met results.
  std::map<const clang::Expr *, std::set<const clang::VarDecl *>> even;
  // Why the text cannot be judged; empty when it could.
  std::string problem;
  const clang::Stmt *problemAt = nullptr;

private:
  enum class Flow { Next, Return, Break, Continue };

  // An lvalue: bytes of an own variable, or memory of which the address is known by name.
  struct Place {
    bool isOwn = false, isExact = true;
    unsigned root = 0;
    int64_t offset = 0;
    WaveValue address;
    uint64_t bitBytes = 0; // how many bytes the bit field that it is lies in; 0: it is none
  };
  // A value, or a pointer into an own variable.
  struct Value {
    WaveValue wave;
    std::optional<Place> pointee;
  };
  struct Cell {
    uint64_t bytes = 0;
    Value value;
  };
  using Contents = std::map<int64_t, Cell>;
  using Memory = std::map<unsigned, Contents>;
  // Where a turn of a counted loop, or a function, may have ended: on what condition, with what
  // state.
  struct Skip {
    const clang::IfStmt *at = nullptr;
    WaveValue test;
    Memory memory, before;
    uint64_t effects = 0;
  };
  struct Frame {
    const clang::FunctionDecl *function = nullptr;
    std::vector<std::pair<WaveValue, Value>> early; // condition, value
    Value value;
    std::optional<Place> place;
    bool isPartial = false;  // has returned already, under a condition
    size_t loops = 0;        // around its call
    std::vector<Skip> skips; // of one that gives nothing back
    unsigned arms = 0;       // conditions around
    int controlRows = 0;     // it has left where results said so
  };

  // ---- values
  static WaveValue number(uint64_t n);
  static WaveValue uniformName(uint64_t key);
  static WaveValue threadName(uint64_t key);
  static uint64_t hashOf(const std::string &text);
  static WaveValue combine(uint64_t op, const std::vector<const WaveValue *> &of,
                           bool commutes = false);
  WaveValue fresh(); // a name of each thread's own
  bool refuse(const std::string &reason, const clang::Stmt *at);

  // ---- expressions
  Value rvalue(const clang::Expr *e);
  Value compute(const clang::Expr *e);
  void noteRead(const clang::Expr &place, uint64_t touchesBefore);
  Value cast(const clang::CastExpr *e);
  Place cast(Place place, const clang::CastExpr &e);
  Value converted(Value value, clang::QualType from, clang::QualType to, const clang::Stmt *at);
  Value unary(const clang::UnaryOperator *e);
  Value binary(const clang::BinaryOperator *e);
  Value assignment(const clang::BinaryOperator *e);
  Value arithmetic(clang::BinaryOperatorKind op, const Value &a, const Value &b,
                   clang::QualType left, clang::QualType right, clang::QualType type);
  Value pointerStep(const Value &pointer, const Value &index, uint64_t size, bool back);
  bool changesVariables(const clang::Expr *e) const;
  Value conditional(const clang::AbstractConditionalOperator *e);
  Value select(const WaveValue &condition, const Value &a, const Value &b);
  WaveValue met(const clang::Expr *at, WaveValue value, uint8_t rows, const Memory &memory);
  void evenQuads(WaveValue &value, const clang::Expr *at) const;
  WaveValue askedFor(size_t number, size_t partner, uint8_t rows) const;
  // A value of the thread's own that results begin with, in all of these places: a bias, an element
  // of C. `isUsed`: it goes on to somewhere else.
  struct Beginning {
    Place place;
    clang::QualType type;
  };
  bool begin(llvm::ArrayRef<Beginning> places, bool isUsed, const clang::Expr *at, Value &value);
  uint8_t rowsOf(const Beginning &beginning) const;
  uint8_t bornTo(const CellKey &key) const;
  void meet(const std::vector<std::pair<const clang::Expr *, Value *>> &values, uint8_t rows = 0);
  WaveValue metOnce(const clang::Expr *at, WaveValue value, uint8_t rows, const Memory &memory);
  WaveValue meeting(const clang::Expr *at, WaveValue value, uint8_t rows, const Memory &memory);
  uint8_t
  rowsOfReferences(const clang::FunctionDecl &callee,
                   const std::vector<std::pair<const clang::ParmVarDecl *, Place>> &references);
  void notMet(const clang::Expr *at, const WaveValue &value);
  void noteEven(const clang::Expr *at, const Memory &memory);
  void noteBorn(const clang::Expr *at, uint8_t rows);
  std::optional<Value> constant(const clang::Expr *e);
  Place place(const clang::Expr *e);
  Place pointee(const Value &pointer);
  Value pointerTo(const Place &place);
  Place nowhere();
  Place placeOf(const clang::VarDecl &variable, bool isCaptured);
  Place elsewhere(const clang::ValueDecl &variable);
  Place moved(Place place, int64_t bytes);
  Place member(Place whole, const clang::FieldDecl &field) const;
  Place base(Place whole, const clang::CXXRecordDecl &record, const clang::CXXRecordDecl &of) const;
  Place temporary(const clang::Expr *e);
  uint64_t sizeOf(clang::QualType type) const;
  bool isInteger(clang::QualType type) const;
  uint64_t keyOf(clang::QualType type) const;

  // ---- memory
  unsigned rootOf(const void *key, const clang::VarDecl *variable);
  Value read(const Place &place, clang::QualType type, const clang::Stmt *at);
  uint64_t versionOfMemory(const clang::Stmt *at);
  Value readAs(Value value, clang::QualType type, const clang::Stmt *at);
  Value readOwn(const Place &place, uint64_t bytes);
  static WaveValue piece(const Cell &cell, int64_t begin, int64_t from, int64_t to);
  void write(const Place &place, uint64_t bytes, const Value &value, const clang::Stmt *at);
  Value assign(const Place &place, clang::QualType type, const Value &value, const clang::Stmt *at);
  bool store(const Place &place, const Value &value, const clang::Stmt *at);
  void noteStore(const clang::Expr *target, const WaveValue &value, const WaveValue &address,
                 const clang::Stmt *at);
  Memory storesNow() const;
  size_t storesIn(const Memory &memory) const;
  void noteStored(const Memory &one, const Memory &other,
                  llvm::function_ref<void(const Value *, const Value *)> note) const;
  void mergeStored(const WaveValue &condition, const Memory &no);
  void forget(unsigned root);
  void forgetLost();
  void renew(unsigned root);
  bool isConstant(unsigned root) const;
  bool isLocal(unsigned root) const;
  void initialize(const Place &place, clang::QualType type, const clang::Expr *init);
  void initializeVector(const Place &place, const clang::CXXRecordDecl &record,
                        const clang::CallExpr &made);
  void initializeRecord(const Place &place, const clang::CXXRecordDecl &record,
                        const clang::InitListExpr &list);
  void initializeMember(const Place &object, const clang::FieldDecl &field,
                        const clang::Expr *init);
  void unknown(const Place &place, clang::QualType type);
  void construct(const Place &place, clang::QualType type, const clang::CXXConstructExpr &made);
  void initializeParts(const Place &object, const clang::CXXConstructorDecl &constructor);
  Value constructed(const clang::CXXConstructExpr *made);
  void bind(const Place &member, const clang::Expr *to);
  void copyCaptures(const clang::LambdaExpr &lambda);
  std::optional<Place> copyOf(const clang::ValueDecl &variable);
  std::optional<Place> objectOf(const clang::CXXRecordDecl &closure);
  void zero(const Place &place, clang::QualType type);
  Value zeroOf(clang::QualType type);
  Value realNumber(llvm::APFloat real, clang::QualType type);
  void copyRecord(const Place &to, const Place &from, uint64_t bytes);
  void declare(const clang::VarDecl *variable);
  static bool isOwn(const clang::VarDecl *variable);

  // ---- calls
  Value call(const clang::CallExpr *e);
  bool hasWords(clang::QualType type) const;
  bool assignsParts(const clang::CXXOperatorCallExpr &op) const;
  std::optional<Value> assignParts(const clang::CallExpr *e);
  bool takeParts(const Place &to, const clang::CallExpr &made, Value &value);
  std::optional<Value> takeReturned(const clang::CallExpr *e);
  Place takenTo(Place sums);
  Value inlined(const clang::CallExpr *e, const clang::FunctionDecl *callee, unsigned first);
  Frame follow(const clang::Expr *e, const clang::FunctionDecl &callee,
               llvm::ArrayRef<const clang::Expr *> arguments, const std::optional<Place> &self);
  // What a function gets that is not followed.
  struct Written {
    Place at;
    uint64_t bytes = 0; // of a reference; 0: where a pointer leads
    unsigned argument = 0;
  };
  struct Handed {
    std::vector<Value> values;
    std::vector<Written> written;
    unsigned replaced = 0; // how many of them go into nothing: x of x = y
    uint8_t rows = 0;
    bool leadsOn = false, mayWrite = false; // to more than the values; and it may write there
  };
  void handObject(const clang::CXXMemberCallExpr *e, Handed &handed);
  Handed handed(const clang::CallExpr *e, unsigned first);
  WaveValue resultOf(const clang::CallExpr *e, const Handed &handed, bool isWide);
  void writeHanded(const clang::CallExpr *e, const Handed &handed, const WaveValue &result);
  void refuseHanded(const clang::CallExpr *e);
  bool addTo(const clang::CallExpr *e, const Handed &handed);
  Value unknownCall(const clang::CallExpr *e, unsigned first);
  Value shuffle(const clang::CallExpr *e, const std::string &name);

  // ---- statements
  Flow run1(const clang::Stmt *s);
  void noteUnused(const clang::Expr *e);
  void leaveScope();
  Flow compound(const clang::CompoundStmt *s);
  // A condition on the warp around the mask that is run.
  struct Around {
    const clang::Expr *at = nullptr;
    WaveValue test;
  };
  Flow branch(const clang::IfStmt *s);
  Flow branchUnder(const clang::IfStmt *s, const Around &around);
  bool isTestAroundMask(const clang::IfStmt &s, const WaveValue &test) const;
  const clang::Stmt *armToWatched(const clang::IfStmt &s) const;
  void noteVisit();
  Flow rangeLoop(const clang::CXXForRangeStmt &s);
  Flow turn(const clang::Stmt *loop, const clang::Stmt *body);
  Flow loop(const clang::Stmt *at, const clang::Expr *condition, const clang::Expr *step,
            const clang::Stmt *body, bool testsFirst);
  Flow unknownLoop(const clang::Stmt *at, const clang::Expr *condition, const clang::Expr *step,
                   const clang::Stmt *body);
  std::set<CellKey> assignedBy(const std::function<void()> &body);
  std::set<CellKey> wouldAssign(const std::function<void()> &body);
  bool isWritten(const CellKey &at);
  WaveValue carriedBy(const CellKey &at, const clang::Stmt *loop);
  void enter(const LoopKey &key, const std::set<CellKey> &cells);
  void snapshot(const LoopKey &key, const clang::Stmt *at);
  void partTurns(const LoopKey &key, unsigned alike, const clang::Stmt *at);
  void learn(CarriedCell &cell, const WaveValue &value, bool isEntry);
  void returnUnder(const WaveValue &test, const Frame &kept, const Memory &before,
                   const clang::Stmt *at);
  struct Changes {
    uint8_t rows = 0;
    bool others = false;
  };
  void cutAlike(Memory &yes, Memory &no) const;
  static void cutBy(const Contents &pieces, Contents &contents);
  Changes changesBetween(const Memory &yes, const Memory &no) const;
  void merge(const WaveValue &condition, Memory yes, const Memory &no);
  bool mayEndHere() const;
  void joinReturns();
  void joinSkips(std::vector<Skip> skips);
  void skip(const clang::Stmt *s);

  // ---- what is not followed
  std::map<unsigned, bool> rootsBelow(const clang::Stmt *s);
  void lose(unsigned root, const clang::Stmt *at);
  void lose(const Value &pointer, const clang::Stmt *at);
  void loseAll(const clang::Stmt *s);
  void refuseLost(unsigned root, const clang::Stmt *at);

  void finish(const clang::Stmt *last);

  // ---- matrices
  void assembly(const clang::GCCAsmStmt *s);
  void otherAssembly(const clang::GCCAsmStmt *s);
  bool storeMatrices(const clang::GCCAsmStmt *s);
  void sumRows(const clang::GCCAsmStmt *s, const RowSums &sums);
  void noteChanged(const clang::Expr &operand);
  void multiply(const clang::GCCAsmStmt *s, const std::vector<const clang::Expr *> &d,
                const std::vector<const clang::Expr *> &a,
                const std::vector<const clang::Expr *> &b,
                const std::vector<const clang::Expr *> &c);
  std::vector<uint64_t> rowNames(const std::vector<Value> &a) const;
  void loadMatrices(const clang::GCCAsmStmt *s, const std::vector<const clang::Expr *> &to);

  const clang::ASTContext &context_;
  const clang::FunctionDecl &kernel_;
  Carried &carried_;
  const Bytes &operands_;
  const RunLayout layout_;
  Memory memory_;
  std::map<const clang::VarDecl *, Place> references_;
  // What a lambda has copied, by its class.
  std::map<std::pair<const clang::CXXRecordDecl *, const clang::VarDecl *>, Place> copies_;
  std::map<unsigned, const clang::VarDecl *> kept_; // roots of what references keep alive
  // 'this' of a lambda, by its class; known as long as the root is there.
  std::map<const clang::CXXRecordDecl *, std::pair<unsigned, Place>> objects_;
  std::vector<std::vector<unsigned>> scopes_; // roots of the variables of each
  std::vector<Place> this_;
  // Variables that the functions being run return, and where that goes.
  std::vector<std::pair<const clang::VarDecl *, Place>> taking_;
  Place target_; // of the assignment that was run last
  std::vector<Frame> frames_;
  std::set<const clang::FunctionDecl *> active_;
  std::map<const clang::Stmt *, int> met_;
  std::set<CellKey> *assigned_ = nullptr;
  std::vector<const clang::Stmt *> skipped_;
  std::set<const clang::Expr *> unused_;         // whose value nobody asks for: statements
  std::map<unsigned, const clang::Stmt *> lost_; // roots whose address is not followed
  const clang::Stmt *current_ = nullptr;         // statement that is run
  Around around_;
  std::vector<std::vector<Skip>> skips_; // of the counted loops around
  std::vector<unsigned> arms_;           // of the loops around: conditions between it and the next
  std::vector<bool> isCounted_;          // of the loops around: whether every iteration is run
  std::vector<std::pair<const clang::Stmt *, uint64_t>> turns_; // of the loops and calls around
  uint64_t passes_ = 0;                                         // over loops that are run once
  uint64_t products_ = 0;                                       // so far
  uint64_t effects_ = 0, storings_ = 0, touches_ = 0;           // as in Met, and with shuffles,
  uint64_t shuffles_ = 0; // which are so many: what they give, nobody has put into memory
  uint64_t epoch_ = 0;    // of memory: barriers, and turns of loops that are run once
  int controlRows_ = 0;   // conditions around that are made from results
  uint64_t counter_ = 0, steps_ = 0;
  bool isRehearsal_ = false;
};

std::string notAlike(const clang::VarDecl *variable); // why the two halves are not exchanged

// The value that bytes have in a run with exchanged fragments when in CUDA's layout they
// have `of`. None when they have no partner.
std::optional<WaveValue> exchanged(const CellKey &key, const CarriedCell &cell, Turn turned,
                                   const std::function<const WaveValue *(const CellKey &)> &of);

} // namespace layout_port::native
