// The recovery of a kernel's epilogue (RecoverEpilogue.h): the members of a class whose definitions
// stand in several files, one for each question.
//
// The questions need each other: which statements are one body depends on the loops around, whether
// a place is written once on what the tiles are numbered by. So they share what has been found.
#pragma once

#include "native/EpilogueMemory.h"
#include "native/MergeRows.h"
#include "native/RecoverEpilogue.h"
#include "native/RowValues.h"

#include <deque>

namespace layout_port::native {

// Refusals are kept in the epilogue's `problem`: the first one counts.
class EpilogueFinder {
public:
  explicit EpilogueFinder(const EpilogueInput &input);
  Epilogue run();

private:
  // The accesses of one body.
  struct Group {
    std::vector<RegisterAccess> accesses;
    std::vector<const clang::Stmt *> stmts;
    bool isRow = false;
    const clang::Stmt *holder = nullptr; // the tile loop, or the block the statements stand in
    // Around it, over both rows; or of which it is the body.
    const clang::ForStmt *rowLoop = nullptr;
    std::vector<const clang::Stmt *> prefix; // of a row loop: statements that only compute
  };
  using Accumulator = EpilogueInput::Accumulator;

  // ---- the epilogue as a whole (RecoverEpilogue.cpp)

  bool refuse(const std::string &reason, clang::SourceRange at);

  // Names that neither the kernel nor the functions use that it hands its sums to.
  void chooseNames();
  std::string lowerIn(const clang::FunctionDecl &function) const;
  std::string fresh(const std::vector<const clang::FunctionDecl *> &functions,
                    std::initializer_list<const char *> candidates, int last = 1) const;

  // ---- the function whose text it is (EpilogueIn.cpp)

  const clang::FunctionDecl &home() const { return in_.in ? *in_.in->function : in_.kernel; }
  bool isAtHome(const clang::Stmt *stmt) const;
  // Where it stands in the kernel: a statement of the function does where that is called.
  const clang::Stmt *placeOf(const clang::Stmt *stmt) const;
  const clang::Stmt *parentAtHome(const clang::Stmt *stmt) const;
  void noteParents(const clang::Stmt &stmt);
  std::vector<const clang::Stmt *> bodies() const;
  const clang::VarDecl *handedTo(const clang::VarDecl *parameter) const;
  const clang::Expr *argumentFor(const clang::VarDecl &variable) const;
  std::vector<Touch> touchesAt(const clang::Stmt *stmt) const;
  Touch seenFromKernel(Touch touch) const;
  bool isInCalled(const clang::Stmt *stmt) const;

  // One body: what it needs, and its edits.
  void addBody(Group group);
  bool ownsMentions(const Group &group);
  void finish(const Group &group, EpilogueBody &body);
  bool namesTilesOutside(const Group &group);

  // ---- where elements are named (EpilogueTiles.cpp)

  // Where a statement stands.
  const clang::Stmt *parentOf(const clang::Stmt *stmt) const;
  const clang::Stmt *userOf(const clang::Stmt *stmt) const;
  bool contains(const clang::Stmt *outer, const clang::Stmt *inner) const;
  bool isWithin(const clang::Stmt *inner, const std::vector<const clang::Stmt *> &stmts) const;
  uint64_t bytesOf(const clang::Expr *expr) const;

  // Which registers of accumulators are named behind the products, and in which statements.
  class Uses;
  void findAccesses();
  void addAccess(const clang::Expr *name, const Accumulator &accumulator);
  void follow(const clang::Expr &from, RegisterAccess access, const clang::Expr &name);
  void addMember(const clang::MemberExpr &member, clang::QualType whole,
                 RegisterAccess &access) const;
  void addRegister(const clang::Expr &expr, RegisterAccess access, const clang::Expr &name);
  const clang::CallExpr *storesTile(const clang::Expr *whole) const;
  static const clang::ParmVarDecl *tileOf(const clang::CallExpr &call, const clang::Expr &whole);
  uint64_t bytesRead(const clang::Expr *access) const;
  bool isCastByName(const clang::Expr &access) const;
  void group(const RegisterAccess &access, const clang::Expr *name);
  std::vector<const clang::Stmt *> statementsOf(const Group &group) const;

  // By a pointer or reference that the epilogue declares (EpilogueViews.cpp).
  struct View {
    const clang::VarDecl *variable = nullptr;
    const clang::DeclStmt *statement = nullptr;
    const clang::Expr *place = nullptr;       // that it leads to
    const clang::Expr *said = nullptr;        // the place or its address, as the declaration has it
    RegisterAccess leads;                     // what the place names
    bool isAddress = false;                   // of the place as a whole, not of its first element
    std::vector<const clang::Expr *> offsets; // ... but of another one
    const clang::ExplicitCastExpr *cast = nullptr; // to another type
    std::vector<const clang::Expr *> uses;
    bool isCopy = false; // const float4 v = c[j]
    bool isReference() const { return isCopy || variable->getType()->isReferenceType(); }
  };
  bool takeView(const clang::Expr &place, const RegisterAccess &leads, const clang::Expr &name);
  std::optional<View> viewOf(const clang::Expr &place) const;
  bool isCastOfTile(const View &view) const;
  bool leadsThereForGood(const View &view) const;
  bool followView(View &view, const clang::DeclRefExpr &name, const clang::Expr &accumulator);
  bool addIndex(const View &view, const clang::Expr *index, RegisterAccess &access) const;
  std::optional<LinearIndex> firstOf(const View &view) const;
  int64_t registersOf(const View &view) const;
  bool isUsed(const View &view, const Group &group) const;
  const View *viewNamed(const clang::DeclRefExpr &name) const;
  bool namesTile(const clang::DeclRefExpr &name) const;
  const clang::Expr *placeViewed(const clang::Expr &expr) const;
  const clang::Expr *tileNamed(const RegisterAccess &access) const;
  bool writeViews(const Group &group, RowMerger &merger, EpilogueBody &body);
  void checkViews();

  // In one array, tile behind tile (EpilogueFlat.cpp).
  bool numberFlat(const clang::Expr &name, const Slot &flat, RegisterAccess &access) const;
  const clang::VarDecl *arrayBelow(const clang::Expr &element) const;
  bool orderWords(int64_t registers, const clang::Expr &at, LinearIndex &words) const;
  bool countsToTwo(const clang::VarDecl &variable, const clang::Expr &at) const;
  bool isFlatArray(const clang::Expr &name) const;
  bool addWords(const clang::Expr &index, int64_t weight, LinearIndex &words) const;
  bool hasOtherNames(const clang::Expr &index, const LinearIndex &read) const;
  bool countsTiles(const clang::VarDecl &variable, const clang::Expr &at) const;
  bool placeFlat(const RegisterAccess &access, EpilogueBody &body);
  static std::set<const clang::VarDecl *> tileVariables(const RegisterAccess &access);
  static std::set<const clang::VarDecl *> registerVariables(const RegisterAccess &access);

  // Of which tiles they are.
  bool tellTiles(Group &group);
  bool areApartTiles(const Group &group) const;
  static bool sameTile(const RegisterAccess &a, const RegisterAccess &b,
                       const clang::ASTContext &context);
  bool sameTile(const RegisterAccess &a, const RegisterAccess &b) const;

  // The text of the body, the loops around it, and how it names its tiles.
  bool place(const Group &group, EpilogueBody &body);
  void addLoops(const clang::Stmt *stmt, EpilogueBody &body) const;
  bool placeTile(const RegisterAccess &access, EpilogueBody &body);
  void takePragmas(const clang::Stmt *front, EpilogueBody &body) const;
  void fillTile(const clang::Expr *expr, const std::vector<Loop> &loops, Slot &slot);

  // ---- whether all lanes get there (EpilogueWaysOut.cpp)

  bool reached(const Group &group);
  bool noneLeaves(const Group &group);
  bool returnsBefore(const Group &group);
  bool sameForWave(const clang::Expr &condition) const;

  // Ways out that go with the elements: who leaves has nothing to hand on behind.
  const clang::IfStmt *wayOut(const clang::Stmt &jump) const;
  bool leavesBy(const clang::Stmt &jump, const Group &group);
  bool isBefore(const clang::Stmt &a, const clang::Stmt &b) const;
  bool mayBeAskedAgain(const clang::Expr &condition, const clang::Stmt &at);
  bool countsAround(const clang::VarDecl &variable, const clang::Stmt &at) const;
  bool leavesForGood(const clang::IfStmt &branch, const clang::CompoundStmt &block,
                     const clang::ForStmt &loop);
  bool entersBy(const clang::Stmt &around, const Group &group);
  bool takeWaysOut(const Group &group, EpilogueBody &body);
  bool takeCondition(const clang::IfStmt &branch, bool isWayIn, const Group &group,
                     EpilogueBody &body);
  bool takeBranch(const clang::IfStmt &branch, EpilogueBody &body);
  std::set<const clang::VarDecl *> readBehindWays(const Group &group);
  bool guardReads(const Group &group, EpilogueBody &body);
  void dropReads();
  std::string indentOf(const Group &group) const;
  void checkWaysOut();
  bool onlyBodies(const clang::Stmt *stmt);
  bool hasValue(const clang::Expr &expr) const;

  // ---- turns of loops (EpilogueTurns.cpp)

  // Loops and what they count.
  static std::vector<const clang::ForStmt *> loopsIn(const std::vector<const clang::Stmt *> &stmts);
  static const clang::VarDecl *counterOf(const clang::ForStmt &loop);
  bool isCounter(const clang::Expr *target, const clang::Stmt *within) const;

  // Whether each turn does the same, and what is another value in each.
  void tellTurns(const clang::Stmt *first, EpilogueBody &body);
  bool onlyRunsBodies(const clang::Stmt *stmt, const clang::ForStmt &loop);
  bool isPure(const clang::Expr &value) const;
  bool isOfTurn(const clang::Expr *value, const clang::ForStmt &loop);
  bool isCounterWithin(const clang::VarDecl &variable, const clang::ForStmt &loop) const;
  std::optional<int> growth(const clang::Expr &value, const clang::ForStmt &loop, int depth = 0);

  // ---- what other lanes have (EpilogueUses.cpp)

  // What statements name, and what that is made from.
  static std::set<const clang::VarDecl *> declared(const std::vector<const clang::Stmt *> &stmts);
  void addMakers(const clang::Expr *value, std::set<const clang::VarDecl *> &made);
  bool isOfRegisters(const clang::VarDecl *variable);
  bool bound(const Group &group);
  bool usedBehind(const clang::VarDecl *variable, const Group &group);

  // Lambdas that are called, and objects that all threads have alike.
  bool isCalledLambda(const clang::DeclRefExpr &name) const;
  const clang::CallExpr *storingCallOf(const clang::DeclRefExpr &name) const;
  const clang::CallExpr *methodCallOf(const clang::DeclRefExpr &name) const;
  bool computesBy(const clang::DeclRefExpr &name) const;
  bool isAlikeObject(const clang::VarDecl &variable);
  std::string whyNotAlike(const clang::VarDecl &variable);
  std::string whyNotLeft(const clang::VarDecl &variable) const;
  bool isMemberRead(const clang::DeclRefExpr &name) const;

  // Structs that change, alike for all threads (EpilogueAlike.cpp).
  bool isAlikeRecord(const clang::VarDecl &variable);
  bool isMadeAgain(const clang::VarDecl &variable) const;
  static bool givesValue(const clang::CXXMethodDecl &method);
  bool isPlainlyMade(const clang::CXXConstructExpr &made) const;
  bool callsPlainMethod(const clang::DeclRefExpr &name) const;

  // The accumulator that is named, or that a variable holds.
  const Accumulator *isAccumulator(const clang::Expr &name) const;
  const Accumulator *mayBeAccumulator(const clang::Expr &name) const;
  // All mentions of their tiles below a statement, by a variable's name, a member's or a view's.
  std::vector<const clang::Expr *> tilesIn(const clang::Stmt *stmt) const;
  const Accumulator *heldBy(const clang::VarDecl &variable) const;
  const Accumulator *accumulatorWith(llvm::function_ref<bool(const Accumulator &)> is) const;

  // ---- sums over rows (EpilogueSums.cpp)

  bool isSum(const clang::VarDecl *variable) const;
  bool isSum(const clang::Expr *target) const;
  bool findSums(const Group &group);
  void addSums();
  bool declares(const clang::CompoundStmt *block, const clang::VarDecl *variable) const;
  bool startAlike(const clang::VarDecl *upper, const clang::VarDecl *lower) const;
  bool isAddedTo(const clang::DeclRefExpr *name) const;
  bool mentionsSum(const clang::Stmt *stmt) const;
  bool allSummed(const std::map<const clang::VarDecl *, unsigned> &summed) const;
  bool addRow(Group &rows, const clang::Stmt *stmt) const;
  bool butterfly(const clang::Stmt *stmt, std::map<const clang::VarDecl *, unsigned> &summed);
  void addRows(Group &rows);

  // ---- values of rows (EpilogueRows.cpp)

  // Which statements speak of rows.
  const clang::ForStmt *rowLoopAround(const Group &group) const;
  bool isRowLoop(const clang::ForStmt *loop) const;
  bool namesRows(const clang::Stmt *stmt) const;
  bool holdsTiles(const clang::Stmt *stmt) const;
  bool holdsRowLoop(const clang::Stmt *stmt) const;
  bool holdsAnyRowLoop(const clang::Stmt *stmt) const;

  // Those become bodies.
  void addRowStatements();
  bool isWritten(const clang::ForStmt &rowLoop) const;
  void addBehind(const clang::Stmt &block,
                 std::vector<std::vector<const clang::Stmt *>> &behind) const;
  void addRowsOf(llvm::ArrayRef<const clang::Stmt *> stmts);
  bool addRowsBelow(const clang::Stmt *stmt);
  void addRowBody(Group &rows);

  // Loops over r and r + 8, and what may be changed in them.
  void addRowLoop(const clang::ForStmt *loop);
  bool placeLoop(const Group &rows, bool isBlock, EpilogueBody &body);
  bool followsPrefix(Group &rows);
  bool handsOn(const clang::Stmt *stmt) const;
  bool mayChange(const clang::Expr *target, const clang::Stmt *stmt, const Group &group) const;
  bool isOfBody(const clang::Expr &target, const Group &group) const;
  bool isOfElement(const clang::Expr &target, const clang::Stmt &stmt) const;
  bool exchanges(const clang::CallExpr &call) const;
  void addEvenInRow(const Group &group, std::set<const clang::VarDecl *> &own);

  // Which values the lanes of a quad have alike.
  const std::vector<Visit> &visitsOf(const Group &group);
  bool isEvenInQuads(const clang::VarDecl *variable, const Group &group);
  bool isEven(const RowValues::Access &access, const Visit &visit) const;

  // ---- only stores (EpilogueStores.cpp)

  // What is read is not what is written, but for the very element.
  bool onlyStores(const Group &group);
  void findWalks(const Group &group);
  void findWalks(const clang::ForStmt &around, const Group &group);
  void addStep(const clang::VarDecl &variable, const clang::Stmt &stmt);
  bool isWalk(const clang::Expr &target) const;
  bool isWithin(const clang::VarDecl &variable, const clang::ForStmt &loop) const;
  bool beginsAnew(const clang::VarDecl &variable, const clang::ForStmt &loop) const;
  bool isElement(const clang::Expr *place) const;
  bool changesElements(const Group &group) const;
  bool maySee(const Touch &read, const Touch &write, const Group &group,
              const std::vector<Touch> &touches);

  // Whether two accesses are of one element, and of one row.
  bool isOwnElement(const Touch &read, const std::vector<Touch> &touches) const;
  bool isSameElement(const Touch &read, const Touch &write) const;
  bool isConstCast(const clang::Expr &read, const clang::Expr &written) const;
  bool isMemberAt(const clang::Expr &member, const clang::Expr &whole) const;
  bool isOfSameRow(const Touch &read, const Touch &write, const Group &group);
  std::vector<const clang::Stmt *> usesOf(const clang::Stmt &inner, const Group &group);
  const clang::VarDecl *madeBy(const clang::Stmt &stmt, const clang::Stmt &inner) const;
  const clang::Stmt *statementOf(const clang::Stmt &inner) const;
  const clang::ForStmt *loopWithin(const clang::Stmt &stmt, const Group &group) const;
  unsigned rowsMadeOf(const clang::Stmt &stmt, const Group &group);
  std::vector<const clang::Stmt *> makersOf(const clang::VarDecl &variable, const Group &group);

  // ... or cannot be one place.
  bool apart(const Touch &write, const Touch &read);
  bool saidApart(const Touch &touch);
  bool sameText(const clang::Expr *a, const clang::Expr *b) const;

  // What comes first on the way through a statement: a read of what the epilogue wrote (or another
  // write to it, where that is asked), or a barrier. A loop may have no turns.
  enum class Passing { Quiet, Read, Barrier };
  bool notReadBehind(const Group &group, const std::vector<Touch> &touches);
  Passing passing(const clang::Stmt *stmt, const Group &group, const std::vector<Touch> &touches);
  bool quiet(const clang::Stmt *stmt, const Group &group, const std::vector<Touch> &touches);
  bool isInBody(const Touch &touch) const;
  void checkOtherWrites();
  bool notWrittenBefore(const Group &group, const std::vector<Touch> &touches);

  // ---- a place for each element (EpiloguePlaces.cpp)

  static bool isPlaceType(clang::QualType type);
  bool isWrittenOnce(const Group &group, const std::vector<Touch> &touches);
  void
  addPlace(const clang::Expr &place, std::vector<const clang::Expr *> &places,
           llvm::function_ref<bool(const clang::Expr &, const clang::Expr &)> liesWithin) const;
  bool liesWithin(const Group &group, const clang::Expr &place, const clang::Expr &other);
  bool areOfOneValue(const Group &group, const std::vector<const clang::Expr *> &places);
  bool functionsWriteOnce(const Group &group, const std::vector<Touch> &touches);
  const clang::VarDecl *numberOfCall(size_t calls, Sampler::Counters &counters) const;
  const clang::Expr *eitherArgument(const std::vector<const clang::CallExpr *> &calls,
                                    unsigned parameter, const clang::VarDecl *which) const;
  bool liesApart(const std::vector<const clang::Expr *> &places, const Sampler::Counters &counters,
                 uint64_t share = 1);
  using Loops = std::vector<const clang::ForStmt *>;
  bool lieApart(const Group &group, const std::vector<const clang::Expr *> &places,
                const Sampler::Counters &around);
  bool lieApartInTurns(const std::vector<const clang::Expr *> &places,
                       const Sampler::Counters &loops, Sampler::Counters &counters,
                       size_t first = 0, uint64_t share = 1);
  Loops loopsAround(const clang::Expr &place, const Group &group) const;
  bool excludeEachOther(const clang::Stmt &a, const clang::Stmt &b) const;

  // The loops in whose turns places are compared.
  Sampler::Counters countersAround(const Group &group);
  void addCounter(const clang::ForStmt &loop, Sampler::Counters &counters) const;

  // ---- what else stands there (EpilogueCalls.cpp)

  // Statements and calls that can be followed.
  bool plainStatements(const clang::Stmt *stmt, const Group &group);
  bool leavesTiles(const clang::Stmt &stop, const Group &group);
  bool skipsBody(const clang::Stmt &skip, const Group &group);
  bool isOfLoopIn(const clang::Stmt &stmt, const clang::Stmt &skip) const;
  bool plainCall(const clang::CallExpr *call);
  bool asksNothing(const clang::CallExpr &call);
  bool isReadAlone(const clang::Expr &place, int depth = 0) const;

  // Functions of the author's that store what they are given.
  bool onlyWrites(const clang::CallExpr &call, const clang::FunctionDecl &function,
                  const std::string &name);
  bool onlyWritesBelow(const clang::Stmt *stmt, const clang::FunctionDecl &function,
                       bool isInLoop = false);
  bool isSettled(const clang::VarDecl &variable, const clang::FunctionDecl &function);
  bool mayBeNamed(const clang::VarDecl &variable, const clang::FunctionDecl &function);
  bool isChosen(const clang::Expr *value);

  // ... and those that are handed a whole tile.
  bool writeForRow(const RegisterAccess &handed, const Group &group, EpilogueBody &body);
  std::optional<RegisterAccess> registerNamed(const clang::DeclRefExpr &tile) const;
  const clang::ParmVarDecl *tileHandedTo(const clang::CallExpr &call) const;

  // ---- what has been found

  const EpilogueInput &in_;
  Epilogue out_;
  std::vector<Group> groups_;
  std::vector<std::vector<const clang::Stmt *>> bodyStmts_; // by the number of the body
  std::deque<View> views_; // one is followed while others come behind it
  std::set<const clang::Stmt *> writtenViews_;
  static constexpr int kMostTiles = 4;

  // What every variable is computed from, and those that others may set.
  std::map<const clang::VarDecl *, std::vector<const clang::Expr *>> values_;
  std::set<const clang::VarDecl *> lent_;
  std::set<const clang::Stmt *> walks_; // statements at the end of a turn, which go
  std::map<const clang::VarDecl *, bool> ofRegisters_;

  bool asksOfWrites_ = false; // not of reads

  // In the function at home: instances of a template share parts of its text's tree.
  std::map<const clang::Stmt *, const clang::Stmt *> parents_;

  // By the first statement of the group that they go with; and those that are in bodies now.
  // Of a group, by its first statement.
  std::map<const clang::Stmt *, std::vector<const clang::IfStmt *>> waysOut_, waysIn_;
  std::set<const clang::IfStmt *> gone_, opened_;
  // Of groups, by number of the body: what is read from memory behind those ways.
  std::map<size_t, std::set<const clang::VarDecl *>> readsBehind_;
  std::set<const clang::DeclStmt *> dropped_; // declarations of such

  // Of rows r and r + 8.
  std::vector<std::pair<const clang::VarDecl *, const clang::VarDecl *>> sums_;
  const clang::Stmt *sumBody_ = nullptr;
  std::vector<const clang::Stmt *> sumStmts_; // of all bodies that make them

  RowValues rows_;
  // Of loops over rows: what is made from values of rows.
  std::set<const clang::VarDecl *> rowLocals_;
  std::map<const clang::Stmt *, std::vector<Visit>> visits_;
};

} // namespace layout_port::native
