// What an index expression of a kernel is worth for one thread, uniform values being
// random numbers: answers "is this the lane?" and "do the two warps of a wave see the
// same address?" without a formula.
//
//   lane = threadIdx.x & 31      equal to t % 32 for every t
//   a + swA(wm + (lane & 15), k) equal for threads t and t ^ 32, whatever a, k are
//
// A value that cannot be followed (a variable that changes, an unknown call) is none,
// and then the answer is "depends".
#pragma once

#include "native/FragmentProgram.h"

#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace layout_port::native {

// What of the thread a variable or expression is.
enum class ThreadValue { Uniform, Lane, Warp, Thread, Other };

class Sampler {
public:
  // An odd number of warps: the last half wave has the thread numbers of the last warp.
  // `launched` says how many threads there are; the text is `kernel`'s (WholeText.h).
  Sampler(const clang::ASTContext &context, const clang::FunctionDecl &launched,
          const clang::FunctionDecl &kernel, const LaunchShape &blocks);

  // A function that the kernel calls: what it assigns, and what a parameter stands for.
  void consider(const clang::Stmt *body);
  void alias(const clang::VarDecl *parameter, const clang::Expr *argument) {
    aliases_[parameter] = argument;
    depends_.clear(); // of all that is made from it, too
  }
  // A function that is ported where it stands is called with values: those that differ from
  // thread to thread, and what they are at the call that is asked about (null: at none).
  void handValueOfThread(const clang::VarDecl *parameter) {
    conditional_.insert(parameter);
    depends_.clear();
  }
  // The object of the method that is asked about has members that do.
  void setThisOfThread(bool isOfThread) {
    thisOfThread_ = isOfThread;
    depends_.clear();
  }
  // ... but for these, which are what this says: of a member of `this`.
  using Settled = std::map<const clang::FieldDecl *, const clang::Expr *>;
  void settle(Settled members) {
    settled_ = std::move(members);
    depends_.clear();
  }
  void hand(const clang::VarDecl *parameter, const clang::Expr *argument) {
    handed_[parameter] = argument;
  }
  // What statements behind its declaration make of a variable: v = f(v), v += x; in order.
  // None: what its declaration says.
  void assume(const clang::VarDecl *variable, std::vector<const clang::BinaryOperator *> steps) {
    if (steps.empty())
      steps_.erase(variable);
    else
      steps_[variable] = std::move(steps);
  }
  // for (int j = 0; j < n; j += step) { ..; variable += by; }: in turn j it is `by` more, j / step
  // times; in front of the loop it is what its declaration says, and behind it nobody asks.
  struct Walk {
    const clang::ForStmt *loop = nullptr;
    const clang::VarDecl *counter = nullptr;
    int64_t last = 0, step = 1; // the counter stays below `last`
    const clang::Expr *by = nullptr;
  };
  void walk(const clang::VarDecl *variable, const Walk &walk) { walks_[variable] = walk; }
  const Walk *walkOf(const clang::VarDecl *variable) const {
    const auto known = walks_.find(variable);
    return known == walks_.end() ? nullptr : &known->second;
  }
  // An array whose elements are `value`, with the counters for their indices, outermost first, and,
  // made of them, the locals. No value: what is in it is not known.
  struct Elements {
    std::vector<const clang::VarDecl *> counters;
    std::vector<const clang::VarDecl *> locals;
    const clang::Expr *value = nullptr;
  };
  // ... whose elements are these; none: what is in it is not known.
  void list(const clang::VarDecl *array, std::vector<const clang::Expr *> values) {
    lists_.erase(array);
    if (!values.empty())
      lists_[array] = std::move(values);
  }
  std::vector<const clang::Expr *> listOf(const clang::VarDecl *array) const {
    const auto known = lists_.find(array);
    return known == lists_.end() ? std::vector<const clang::Expr *>() : known->second;
  }
  const Elements *elementsOf(const clang::VarDecl *array) const {
    const auto known = elements_.find(array);
    return known == elements_.end() ? nullptr : &known->second;
  }
  void fill(const clang::VarDecl *array, const Elements &elements) {
    elements_.erase(array);
    if (elements.value)
      elements_[array] = elements;
  }
  // The object of the method that is asked about is the same for all threads, and stays so.
  void takeObject(bool isAlike) { isObjectAlike_ = isAlike; }
  // The object whose method's text the expressions are from; null: they are from none.
  void setSelf(const clang::Expr *object) {
    self_ = object;
    depends_.clear();
  }
  const clang::Expr *aliasOf(const clang::VarDecl *parameter) const {
    return aliases_.lookup(parameter);
  }

  // Mentions the thread's index, directly or through variables and functions.
  bool dependsOnThread(const clang::Stmt *stmt);
  bool dependsOnThread(const clang::VarDecl *variable);
  // Takes part in what lanes tell each other (a shuffle, a vote), or reads what is another for
  // each (a clock, an atomic): to be asked again by other lanes it is another question.
  bool asksOthers(const clang::Stmt *stmt);
  // Assigned after its declaration.
  bool changes(const clang::VarDecl *variable) const {
    return changed_.contains(variable) && !namesShared(variable);
  }

  // ... or a part of it is.
  bool isAssigned(const clang::VarDecl *variable) const {
    const auto known = places_.find(variable);
    return changes(variable) || (known != places_.end() && !known->second.empty());
  }

  // Something may change it elsewhere than in changesOf: who has its address, or a lambda.
  bool changesUnseen(const clang::VarDecl *variable) const {
    return unseen_.contains(variable) && !namesShared(variable);
  }

  // Holds %laneid, read once by asm, and nothing else.
  bool isReadLane(const clang::VarDecl *variable) const;

  // What the answers so far count on: whoever uses one must see to that.
  BlockRows rows() const { return rows_; }
  // Threads of a row, where the launches or a number in the kernel's text say it and it is not 32:
  // else 0.
  uint64_t saidRow() const { return saidRow_; }
  void needWarpRows() { rows_ = BlockRows::OneWarp; }
  bool isMirrored() const { return paddedWarps_ != 0 || mirrorsLeaving_; }
  // ... and the warp that a half wave does may be another than its own.
  bool mirrorsWarps() const { return paddedWarps_ > 1 || mirrorsLeaving_; }
  // A warp that leaves alone does as the other one of its wave (RecoverLeaving.cpp).
  void mirrorLeaving() { mirrorsLeaving_ = true; }
  // The whole wave decides alike there, whatever the condition's sides are.
  void takeAlike(const clang::Expr &condition) { alike_.insert(condition.IgnoreParenImpCasts()); }
  bool isOneWarp() const { return paddedWarps_ == 1; }
  unsigned paddedWarps() const { return paddedWarps_; }
  // The kernel reads threadIdx.y or .z; it reads threadIdx.z.
  // threadIdx.x is all that the kernel reads of the thread's number.
  bool readsOneRow() const { return readsIndex_ && !twoDimensional_ && paddedWarps_ == 0; }
  bool isTwoDimensional() const { return twoDimensional_; }
  bool isThreeDimensional() const { return threeDimensional_; }
  // It does, to number the threads of a block of any shape, and counts on no rows of a warp so far.
  bool numbersThreads() const { return numbersThreads_ && rows_ != BlockRows::OneWarp; }

  // Where the variable is assigned (or handed to who may assign it), in the kernel and
  // in the functions considered.
  const std::vector<clang::SourceLocation> &changesOf(const clang::VarDecl *variable) {
    return places_[namesShared(variable) ? nullptr : variable];
  }

  ThreadValue classify(const clang::Expr *expr);
  // Of arithmetic on the thread's index alone (threadIdx.x % 32), or a call without arguments of a
  // function that reads it itself, that is the lane, the warp or the thread's number in 32 bits;
  // Other of any other expression, threadIdx.x by itself among them.
  ThreadValue indexOf(const clang::Expr *expr);
  // A number of the thread's own, in other words:
  //
  //   base + bit 0 of its index * weights[0] + bit 1 * weights[1] + ...
  //
  // None: it is not so for every thread of a block, or hangs on something else.
  struct Formula {
    int64_t base = 0;
    std::vector<int64_t> weights;
    bool operator==(const Formula &other) const {
      return base == other.base && weights == other.weights;
    }
  };
  std::optional<Formula> formulaOf(const clang::Expr *expr);
  // Statements behind its declaration make it, and nothing else changes it.
  bool isMadeByStatements(const clang::VarDecl &variable);
  // The one statement that changes a parameter of the kernel, before it is used for anything that
  // hangs on the thread: C += warp * 16 * n. Null: there are others, or it is not followed.
  const clang::Stmt *onlyChangeOf(const clang::ParmVarDecl &parameter);

  // Equal for the two warps of every wave. False when it cannot be told.
  bool sameForPair(const clang::Expr *expr);
  // Equal for the 32 threads of every warp. False when it cannot be told.
  bool sameForWarp(const clang::Expr *expr);
  // Every thread's place in memory is another thread's of its warp as well. False when it
  // cannot be told.
  bool isReadByOthers(const clang::Expr *place);
  // The numbers that a loop's counter has; none where they are not known, or are too many to look
  // at one by one.
  static std::vector<int64_t> turnsOf(const Loop &loop);
  // Different for one thread, from each other and for different numbers of the counters. None when
  // it cannot be told, or takes too long: the `share` of the time that one question may take.
  using Counters = std::vector<std::pair<const clang::VarDecl *, std::vector<int64_t>>>;
  std::optional<bool> areApart(const std::vector<const clang::Expr *> &places,
                               const Counters &counters, uint64_t share = 1);
  // Is all of the place in the other one, for every thread in every turn?
  bool liesWithin(const clang::Expr &place, const clang::Expr &other, const Counters &counters);
  // The same of the rows that stmatrix stores, where each lane of a warp says where one goes: no
  // two of them are in one place, for any numbers of the counters.
  struct Rows {
    const clang::Expr *address = nullptr;
    unsigned lanes = 0; // whose addresses count
    Counters counters;
  };
  std::optional<bool> areRowsApart(const std::vector<Rows> &stores);
  // Equal for all 64 threads of every wave. False when it cannot be told. A comparison with
  // what is only known to be uniform must have equal sides: random values seldom part the
  // threads of `lane < n`.
  bool sameForWave(const clang::Expr *expr);

  // As many turns for all 64 threads of every wave, of a loop whose counter goes from `begin` by
  // `step`, or by one, while the counter on the left of `bound`, < or <=, holds. False when it
  // cannot be told.
  bool turnsAlike(const clang::Expr &begin, const clang::BinaryOperator &bound,
                  const clang::Expr *step);

  // Equal for the four threads of every quad. False when it cannot be told.
  bool sameForQuads(const clang::Expr *expr);

private:
  // A reference to shared memory stays what it is, whatever is written there.
  static bool namesShared(const clang::VarDecl *variable);

  using Value = std::optional<uint64_t>;
  using Bindings = std::map<const clang::VarDecl *, Value>;
  struct Point {
    uint64_t thread = 0, seed = 0, rowLength = 32, rows = 1; // rows of a layer
  };

  // What a question was answered, and what the answer left behind.
  struct Answer {
    int64_t said = 0;
    BlockRows rows = BlockRows::Any;
    bool usedUniform = false, usedGiven = false;
  };
  enum class Question { Pair, Warp, Quads, Wave, Kind };
  // By which answers differ: what has been told, as it is now.
  using Told = std::vector<uintptr_t>;
  Told told() const;
  template <class Ask> int64_t once(Question question, const clang::Expr *expr, Ask ask);
  ThreadValue classifyAnew(const clang::Expr *expr);

  void findConditional(const clang::Stmt *body);
  Value value(const clang::Expr *expr);
  // The same for every thread: an integer constant expression.
  Value constant(const clang::Expr *expr);
  // A component of threadIdx or of blockDim, a number of the block, a constant.
  struct Plain {
    std::optional<int> thread, blockDim;
    std::optional<uint64_t> block;
    Value constant;
  };
  Plain plain(const clang::Expr *expr);
  uint64_t threadIndex(int axis) const;
  Value address(const clang::Expr *expr);
  Value binary(const clang::BinaryOperator *op);
  Value product(const clang::BinaryOperator *op);
  Value combined(const clang::BinaryOperator *op);
  bool cuts(const clang::BinaryOperator &op);
  Value deciding(llvm::function_ref<Value()> ask);
  Value variable(const clang::DeclRefExpr &name, const clang::VarDecl *decl);
  Value variableAnew(const clang::VarDecl *decl, clang::QualType type);
  Value walked(const clang::DeclRefExpr &name, const clang::VarDecl *decl, const Walk &walk);
  bool followsBound(const clang::VarDecl *decl);
  uint64_t mostThreads() const;    // that a block may have
  uint64_t threadsOfBlock() const; // ... where __launch_bounds__ says it
  void goTo(uint64_t thread, uint64_t seed, uint64_t rowLength, uint64_t rows = 2);
  Value stepped(const clang::VarDecl *decl,
                const std::vector<const clang::BinaryOperator *> &steps);
  Value call(const clang::CallExpr *call);

  // ---- objects of the thread's own (SampleRecord.cpp)

  static constexpr int kDeepest = 64; // recursion through calls and initialisers stops here
  // Numbers, by the offset in bytes that they lie at.
  struct Cell {
    Value value;
    bool usedUniform = false; // as usedUniform_ says it, of this number alone
  };
  using Record = std::map<uint64_t, Cell>;
  struct PartOfRecord {
    Record whole;
    uint64_t offset = 0;
  };
  // Variables of one block that statements of it make, behind their declarations and before they
  // are used (SampleMade.cpp).
  struct Making {
    std::vector<const clang::VarDecl *> variables;
    std::vector<const clang::Stmt *> statements;                  // in order, with the declarations
    std::map<const clang::VarDecl *, clang::SourceLocation> ends; // of their last changes
  };
  // In a variable; null: in the object that a method works on.
  struct Place {
    const clang::VarDecl *variable = nullptr;
    uint64_t offset = 0;
    bool isWhole = false;
  };
  // A function, or such statements, that are run (SampleRun.cpp).
  struct Run {
    const clang::FunctionDecl *function = nullptr;
    const Making *making = nullptr;
    Bindings parameters;
    std::set<const clang::VarDecl *> uniform;         // variables with such a number
    std::map<const clang::VarDecl *, Record> records; // its objects and arrays
    std::set<const clang::VarDecl *> left;            // parameters through which it may write
    const Record *object = nullptr;                   // of a method
    Record *changed = nullptr;                        // of one that may change it, a constructor
    bool wantsRecord = false;                         // what it returns is an object
    std::optional<Record> record;
    bool isOutside() const { return !function && !making; }
  };
  static Record partFrom(const Record &whole, uint64_t begin, uint64_t bytes);
  uint64_t bytesOf(clang::QualType type) const;
  Cell cellOf(llvm::function_ref<Value()> ask);
  bool put(const clang::Expr *from, clang::QualType type, uint64_t at, Record &into);
  std::optional<Record> record(const clang::Expr *expr);
  std::optional<Record> recordBehind(const clang::Expr *pointer);
  std::optional<Record> recordNamed(const clang::DeclRefExpr &name);
  std::optional<Record> listed(const clang::InitListExpr &list);
  std::optional<Record> constructed(const clang::CXXConstructExpr &made);
  std::optional<Record> returned(const clang::CallExpr &call);
  std::optional<Record> recordOfCall(const clang::CallExpr &call);
  std::optional<Record> objectOf(const clang::CallExpr &call);
  std::optional<PartOfRecord> partOf(const clang::Expr *place);
  Value memberValue(const clang::Expr *place);
  bool isMadeOnce(const clang::VarDecl &variable) const;
  bool construct(const clang::CXXConstructorDecl &constructor, Record &object);

  // ---- variables that statements make (SampleMade.cpp)

  // What they leave.
  struct Left {
    Bindings values;
    std::map<const clang::VarDecl *, Record> records;
    bool usedUniform = false;
  };
  void noteBlocks(const clang::Stmt &body);
  void noteChangedConst(const clang::Stmt &body);
  const Making *makingOf(const clang::VarDecl &variable);
  std::vector<const clang::VarDecl *> changedOfDeclared(const clang::Stmt &stmt) const;
  std::optional<Making> findMaking(const clang::VarDecl &variable) const;
  const Left *leftAt(const clang::DeclRefExpr &name);
  std::optional<Left> runMaking(const Making &making);
  std::optional<Formula> formulaAnew(const clang::Expr *expr);
  std::optional<Formula> formulaFor(const clang::Expr &expr, BlockRows rows);

  // ---- functions and statements that are run (SampleRun.cpp)

  static bool mayBeFollowed(const clang::Stmt &stmt);
  bool mayRun(const clang::FunctionDecl &definition);
  Run runOf(const clang::FunctionDecl &definition,
            llvm::function_ref<const clang::Expr *(unsigned)> argument, const Record *object);
  void within(Run &inside, bool isOwn, llvm::function_ref<void()> body);
  bool run(const clang::Stmt *body, Value &result);
  bool runAll(llvm::ArrayRef<const clang::Stmt *> stmts, Value &result);
  bool runCases(const clang::SwitchStmt &choice, Value &result);
  void declare(const clang::VarDecl &local);
  bool follows(const clang::Expr &expr);
  bool calls(const clang::CallExpr &call);
  bool placesHanded(const clang::FunctionDecl &definition,
                    llvm::function_ref<const clang::Expr *(unsigned)> argument,
                    const std::optional<Place> &object,
                    std::map<const clang::VarDecl *, Place> &places);
  bool isOfRun(const clang::VarDecl &variable) const;
  std::optional<Place> placeOf(const clang::Expr *expr);
  Record &recordAt(const Place &place);
  bool store(const Place &place, const Value &x);
  Value load(const Place &place);
  void storeRecord(const Place &place, const Record &part, uint64_t bytes);
  Value ofLane(const clang::CallExpr &call);

  Value element(const Elements &elements, const clang::ArraySubscriptExpr &access);
  Value uniform(uint64_t key, clang::QualType type) const;
  Value fit(Value value, clang::QualType type) const;
  uint64_t sizeOfPointee(clang::QualType pointer) const;
  bool mentionsThread(const clang::Stmt *stmt);
  const clang::Expr *settledValue(const clang::MemberExpr &member) const;
  bool findsThread(const clang::VarDecl *variable);
  bool namesThreadOutside(const clang::LambdaExpr &lambda);
  bool numbersRows(const clang::Stmt *body);
  std::vector<uint64_t> rowLengths() const { return rowLengths(rows_); }
  std::vector<uint64_t> rowLengths(BlockRows rows) const;
  std::vector<uint64_t> layerRows() const;
  uint64_t rowSaidIn(const clang::Stmt *body);
  bool isQuadOfRow(const clang::Expr *expr);
  ThreadValue classifyFor(const clang::Expr *expr, const std::vector<uint64_t> &rows,
                          const std::vector<uint64_t> &layers);
  bool equalInWaves(const clang::Expr *expr);
  bool liesWithinInTurns(const clang::Expr &place, const clang::Expr &other,
                         const Counters &counters, size_t first);
  using Extents = std::multimap<uint64_t, uint64_t>; // first byte, bytes
  bool addPlaces(const std::vector<const clang::Expr *> &places, const Counters &counters,
                 size_t first, Extents &found);
  bool addAddresses(const Rows &rows, size_t first, Extents &found);
  template <class Same> bool forWavesOfRows(const clang::Expr *expr, Same same);
  template <class Same> bool forWaves(const clang::Expr *expr, Same same);
  template <class Same> bool sampled(const clang::Expr *expr, Same same);
  template <class Ask, class Same> bool sampledBy(Ask ask, Same same);
  template <class Ask, class Same> bool sampledAt(const Point &at, Ask ask, Same same);
  // A place where uniform numbers and the thread's meet in a decision, and what it hangs on.
  struct Decision {
    const clang::Expr *at = nullptr;
    std::vector<const clang::Expr *> operands = {};
    bool isWithin = false; // on more than those: a function that reads the thread's index itself
    std::vector<const clang::Expr *> arms = {}; // between which it chooses
    bool isLookedInto = false; // a function: what it decides is asked for by itself
  };
  class Decisions;
  std::vector<Decision> decisionsBelow(const clang::Expr *expr);
  bool usesUniform(const Decision &decision);
  bool cutsEvenly(const Decision &decision);
  class Subtractions;
  Value anyNumber(const Decision &decision, clang::QualType type);
  bool isChosen(const clang::Expr *place);
  bool mayMeet(const std::vector<const clang::Expr *> &places, const Counters &counters);
  // A value, or what is left of it by a modulus that is not 0.
  struct Part {
    const clang::Expr *expr = nullptr;
    uint64_t modulus = 0;
  };
  std::vector<Part> partsOf(const Decision &decision);
  bool dividesEvenly(const std::vector<Part> &parts, const Counters &counters);
  std::vector<Part> decidedIn(const clang::Expr &place, const Counters &counters);
  void addValues(const std::vector<Part> &parts, const Counters &counters, size_t first,
                 std::set<std::vector<Value>> &found);

  const clang::ASTContext &context_;
  llvm::DenseSet<const clang::Stmt *> considered_;
  llvm::DenseSet<const clang::VarDecl *> changed_;
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::Stmt *>> assigned_;
  llvm::DenseMap<const clang::VarDecl *, std::vector<clang::SourceLocation>> places_;
  // Assigned under a condition on the thread: dependent, whatever the value is.
  llvm::DenseSet<const clang::VarDecl *> conditional_;
  llvm::DenseSet<const clang::VarDecl *> unseen_;
  llvm::DenseMap<const clang::VarDecl *, bool> depends_;
  std::vector<const clang::VarDecl *> asked_; // whose dependence is being found out, or was
  int asking_ = 0;
  llvm::DenseMap<const clang::VarDecl *, const clang::Expr *> aliases_, handed_;
  std::map<const clang::VarDecl *, std::vector<const clang::BinaryOperator *>> steps_;
  std::map<const clang::VarDecl *, Walk> walks_;
  std::map<const clang::VarDecl *, Elements> elements_;
  std::map<const clang::VarDecl *, std::vector<const clang::Expr *>> lists_;
  llvm::DenseMap<const clang::FunctionDecl *, bool> functions_, askers_;
  llvm::DenseMap<const clang::Expr *, Plain> plain_;
  std::map<Told, std::map<std::pair<const clang::Expr *, Question>, Answer>> answers_;
  std::map<Told, std::map<const clang::Expr *, std::pair<std::optional<Formula>, BlockRows>>>
      formulas_;
  Bindings bindings_;
  // What variables are made from, where it was asked.
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::VarDecl *>> madeFrom_;
  // What numbers of the launch decide counts as any number, of what it is decided by.
  std::map<const clang::Expr *, Decision> free_;
  Point point_;
  struct Known {
    uint64_t value = 0;
    bool usedUniform = false;
  };
  llvm::DenseMap<const clang::VarDecl *, Known> here_; // at the point
  struct KnownRecord {
    std::optional<Record> record;
    bool usedUniform = false;
  };
  std::map<const clang::VarDecl *, KnownRecord> records_; // at the point
  Run run_;
  llvm::DenseMap<const clang::FunctionDecl *, bool> followed_;
  llvm::DenseMap<const clang::VarDecl *, const clang::CompoundStmt *> blocks_; // they stand in
  std::map<const clang::VarDecl *, std::optional<Making>> makings_;
  std::map<const Making *, std::optional<Left>> left_; // at the point
  std::map<const Making *, bool> isFollowed_;
  const clang::Expr *self_ = nullptr;
  bool thisOfThread_ = false;
  Settled settled_;
  bool inCallee_ = false; // where `this` is what the call says
  int depth_ = 0;
  mutable bool usedUniform_ = false; // a value stood for something only known to be uniform
  bool decidedByUniform_ = false;    // it decided something, or was cut off
  mutable bool usedGiven_ = false;   // ... that is not of the launch's shape
  bool isObjectAlike_ = false;
  unsigned paddedWarps_ = 0;
  bool mirrorsLeaving_ = false;
  llvm::DenseSet<const clang::Expr *> alike_; // conditions
  bool readsIndex_ = false, twoDimensional_ = false, threeDimensional_ = false;
  bool numbersThreads_ = false;
  BlockRows rows_ = BlockRows::Any;
  uint64_t saidRow_ = 0;
  uint64_t mostSaid_ = 1024; // threads of a block, by __launch_bounds__
};

// asm("mov.u32 %0, %%laneid;" : "=r"(lane)): the variable that it writes.
const clang::VarDecl *laneReadBy(const clang::Stmt *stmt);

// threadIdx.x, .y or .z: 0, 1 or 2.
std::optional<int> threadIndexAxis(const clang::Expr *expr);

} // namespace layout_port::native
