// The recovery of one kernel: the members of a class whose definitions stand in several
// files, one for each of the sections below.
#pragma once

#include "native/Asked.h"
#include "native/AstRead.h"
#include "native/Effects.h"
#include "native/Exchange.h"
#include "native/Flat.h"
#include "native/Gather.h"
#include "native/Guarded.h"
#include "native/Lanewise.h"
#include "native/Members.h"
#include "native/OuterNames.h"
#include "native/Recover.h"
#include "native/RecoverEpilogue.h"
#include "native/Reordered.h"
#include "native/Sample.h"
#include "native/SharedFlow.h"
#include "native/Texts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ASTTypeTraits.h"
#include "clang/AST/ExprCXX.h"

namespace layout_port::native {

// What a wrapper's parameters and locals stand for at one call.
struct Binding {
  std::map<const clang::VarDecl *, const clang::Expr *> values;
  const clang::Expr *self = nullptr; // the object, where the wrapper is one's method
  const Binding *outer = nullptr;    // the values are expressions there
  // The variable that it returns, and what takes it: another expression of `outer`.
  const clang::VarDecl *returned = nullptr;
  const clang::Expr *destination = nullptr;
  // Locals that an asm casts to shared memory, and the pointers that they are made of.
  std::map<const clang::VarDecl *, const clang::Expr *> casts;
  // Registers that the wrapper sets to zero in front of its instruction.
  std::vector<const clang::Expr *> zeroed;
};

// What tells an instance of a template from others (Kernel::arguments).
std::vector<std::string> argumentsOf(const clang::FunctionDecl &instance);

// Variables that are made from results, and members of others through which results are stored.
struct Made {
  std::set<const clang::VarDecl *> variables;
  std::set<std::pair<const clang::VarDecl *, const clang::FieldDecl *>> pointers;

  bool isIn(const clang::Expr &value) const;
  bool holds(const clang::VarDecl &variable) const; // at least a part of it
};

// Refusals are kept in the kernel's `problem`: the first one counts.
class Recovery {
public:
  // `kernel`: whose text it is, the launched one's or that of a function which does all of it
  // (WholeText.h). `fillers`: functions without a matrix instruction that are known to put operands together.
  Recovery(const clang::ASTContext &context, const PlaceOf &placeOf,
           const clang::FunctionDecl &launched, const clang::FunctionDecl &kernel,
           const LaunchShape &blocks, std::set<const clang::FunctionDecl *> fillers)
      : context_(context), texts_(context, placeOf), launched_(launched), kernel_(kernel),
        sampler_(context, launched, kernel, blocks), members_(context),
        fillers_(std::move(fillers)) {
    out_.paddedWarps = blocks.oddWarps;
  }
  // Operands are registers that are put together from what is read, not followed lane by lane.
  void putTogether() { putsTogether_ = true; }
  // Behind run(): other code works on results, which cannot be told from what an operand is
  // computed by.
  bool computesBetween() const { return computesBetween_; }
  // Results that are stored between the products may be written by the lanes that have them.
  void storeResults() { storesResults_ = true; }
  // And so is all that stands behind the last product.
  void goToEnd() { goesToEnd_ = storesResults_ = true; }
  // Behind run(): they are, and it was not asked for.
  bool missesStores() const { return missesStores_; }
  // Functions that are handed sums behind the products are ported where they stand.
  void handOnIn(const std::set<const clang::FunctionDecl *> &functions) {
    fillers_.insert(functions.begin(), functions.end());
    handingOn_ = functions;
  }
  // Behind run(): those that may be.
  const std::set<const clang::FunctionDecl *> &mayHandOn() const { return mayHandOn_; }
  // These operands stay where CUDA has them (Kernel::converted).
  void convert(std::vector<Kernel::Converted> operands) { toConvert_ = std::move(operands); }
  std::optional<Kernel> run();
  // Behind run(): functions that were handed operands which nothing else fills.
  const std::set<const clang::FunctionDecl *> &fillersMissed() const { return missed_; }

private:
  // ---- control flow and sites (Recover.cpp)

  void refuse(const std::string &reason, clang::SourceRange at);
  // `part` runs where it holds, and nothing else where it does not.
  void condition(const clang::Expr *expr, const clang::Stmt *part = nullptr);
  bool multipliesAlways(const clang::Stmt *stmt);
  bool runsOnce(const clang::ForStmt &loop) const;
  static bool leaves(const clang::Stmt *stmt);
  const clang::VarDecl *countedByHead(const clang::ForStmt &loop);
  bool countsAlikeForPair(const clang::Stmt &stmt);
  bool turnsAlike(const clang::ForStmt &loop, const clang::VarDecl &counter);

  // The text from the line above `first` up to `last`.
  llvm::StringRef textAround(clang::SourceLocation first, clang::SourceLocation last) const;

  // "layout-port: assume uniform" in a comment on the line of the condition or the one
  // above: the author's word, which verify checks (an MFMA of part of a wave is found).
  bool isAssumedUniform(const clang::Expr *expr) const;

  // A comment inside the kernel or on the line above it.
  bool says(const std::string &words) const;
  void walk(const clang::Stmt *stmt);
  void walkLambda(const clang::LambdaExpr &lambda, const clang::CXXMethodDecl &its);
  void walkInstances(const clang::LambdaExpr &lambda);
  void walkPart(const clang::Stmt *part, const clang::Stmt &branch);

  // Part of it is evaluated on a condition.
  static bool isConditional(const clang::Stmt *stmt);
  void walkConditional(const clang::Stmt *stmt);

  // The warps of a wave may part where a jump depends on the thread: from there to the end
  // of the loop it leaves or shortens, and in all its later turns.
  void notePartings(size_t loop);
  void checkPartings();

  // Where the variables of the conditions around are declared and assigned.
  std::vector<TextRange> decided();
  void inLoop(const clang::Stmt *stmt, const clang::Expr *cond, const clang::Stmt *body,
              const clang::Stmt *increment);
  std::optional<int64_t> constant(const clang::Expr *expr) const;
  Loop loopOf(const clang::Stmt *stmt, const TextRange &range);
  std::optional<int64_t> stepOf(const clang::VarDecl &counter, const clang::Expr *increment) const;
  std::optional<int64_t> stepBesideOthers(const clang::VarDecl &counter,
                                          const clang::Expr *increment) const;
  // The loops around in whose turns it may run another number of times.
  std::set<std::string> turnsOfLoop(const clang::Stmt &loop, const clang::VarDecl *counter);
  // What stands in a loop that runs another number of times for each tile is decided there.
  void decideByTiles();
  // Of a declaration without its ';'.
  std::optional<TextRange> rangeOfSite(const clang::Stmt &site) const;
  bool standsAlone(const clang::Stmt &site, const TextRange &range);
  // Which product of a statement that is several (MmaSite::part).
  struct Part {
    unsigned number = 0, count = 1;
  };
  static constexpr unsigned kMostParts = 16;
  Part partInMacro(const clang::Stmt &site, const TextRange &range);
  static TextRange rangeOfPart(const TextRange &range, const Part &part);
  void visitAsm(const clang::GCCAsmStmt &stmt, const clang::Stmt &site, const Binding *binding);
  // Of a row of four registers every other one.
  static bool takesOthers(const std::vector<Slot> &slots);
  bool isZero(const clang::Expr *expr, const Binding *binding);
  bool isSetToZero(const clang::VarDecl &variable);
  static std::string whatElse(const clang::GCCAsmStmt &stmt);
  void addMma(const clang::GCCAsmStmt &stmt, const ptx::Instruction &instruction,
              const TextRange &range, const Binding *binding, const clang::Stmt &site);
  // The kernel's own p, where a macro writes (uint32_t)__cvta_generic_to_shared(p).
  const clang::Expr *behindMacro(const clang::Expr *address) const;
  // asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(s) : "l"(p));
  void noteCast(const clang::GCCAsmStmt &stmt, Binding &binding);
  void addLoad(const clang::GCCAsmStmt &stmt, const ptx::Block &block,
               const ptx::Instruction &instruction, const TextRange &range, const Binding *binding,
               const clang::Stmt &site);
  void note(const clang::Stmt &site);

  // ---- several matrix instructions in one statement (RecoverParts.cpp)

  // How many an asm, or a wrapper that the statement calls, writes; 0: it is something else.
  unsigned partsOf(const clang::Stmt &stmt);
  unsigned partsIn(const clang::FunctionDecl &function);
  // The asm's operands that an address is made from, by what stands before the instruction.
  const clang::Expr *addressIn(const clang::GCCAsmStmt &stmt, const ptx::Block &block,
                               const ptx::Instruction &load, const ptx::Operand &address) const;
  const clang::Expr *registerIn(const clang::GCCAsmStmt &stmt, const ptx::Block &block,
                                const ptx::Instruction &reader, const ptx::Operand &value) const;
  const clang::Expr *sumOf(const clang::Expr *a, const clang::Expr *b) const;
  const clang::Expr *number(int64_t value) const;
  // Of a site in a macro: the macro's own text declares what holds the fragment.
  static constexpr const char *kOwnFragment =
      "a macro writes matrix instructions and declares the fragments that they name";
  bool declaresOne(const clang::Stmt &site, const std::vector<Slot> &slots);

  // ---- functions, lambdas and methods that handle fragments (RecoverCalls.cpp)

  bool matrixWithin(const clang::FunctionDecl *function);

  // One matrix instruction on registers that are handed to it by reference.
  bool isWrapperLambda(const clang::CXXMethodDecl &method);

  // A lambda of the kernel that loads fragments: where it is called, the wave must be
  // whole, and what it is called with must be the same for all of it. True when the call
  // is dealt with.
  bool visitOperator(const clang::CXXOperatorCallExpr &call);
  std::string keptBy(const clang::CXXMethodDecl &method);
  bool noteFillingCall(const clang::CXXMethodDecl &lambda, const clang::CXXOperatorCallExpr &call);
  bool visitLambdaCall(const clang::CXXOperatorCallExpr &call);
  static bool copiesArrays(const clang::LambdaExpr &lambda);
  // A lambda or function, and which of the function's frames (below): of a lambda, that of the
  // function that it stands in.
  using Owner = std::pair<const clang::Decl *, unsigned>;
  void noteCall(const Owner &callee, const clang::Expr &call);
  std::vector<CallPlace> placesOfCalls(const Owner &callee, int depth = 0) const;

  // Products in lambdas and functions take place where those are called.
  void placeCalls();
  void tagFrames();
  void checkSumsOfCallers();

  // A function that does more to fragments than one instruction is ported where it stands.
  // It is handed whole variables or rows of them, and values; those of the thread are asked of
  // the lane that has them, where the function makes an address from them.
  void enterFunction(const clang::CallExpr &call, const clang::FunctionDecl &function);

  // A call of such a function, and what the variables that its arguments are made from were
  // last set to before it.
  struct Handing {
    const clang::CallExpr *call = nullptr;
    std::vector<std::pair<const clang::VarDecl *, const clang::Expr *>> latest;
    std::vector<TextRange> decided;
    // Arguments of which some of what they are made from is another by now, or nobody knows; and
    // whether the caller was given such.
    std::set<const clang::Expr *> stale;
    bool isCallersStale = false;
    const clang::FunctionDecl *caller = nullptr; // null: the kernel
    std::set<const clang::Expr *> ofObject;      // the thread's, by members of the caller's object
    bool isStale() const { return isCallersStale || !stale.empty(); }
  };
  // What a parameter has at a call; null: a whole variable or row.
  const clang::Expr *valueHanded(const Handing &handing, const clang::FunctionDecl &function,
                                 unsigned parameter) const;
  void noteHanding(const clang::CallExpr &call, const clang::FunctionDecl &function);
  bool noteLatest(const clang::Expr &given, Handing &handing);
  bool isOfKernelAlone(const clang::FunctionDecl &function, int depth);
  const clang::FunctionDecl *nextToWalk();
  void walkFunctions();
  bool multipliesBelow(const clang::FunctionDecl &function) const;
  bool isHandedSums(const clang::FunctionDecl &function) const;
  void findInlined();
  bool isPlainly(const Handing &handing, const clang::Expr &value);
  bool isHanding(const clang::CallExpr &call) const;
  void handIn(const Handing &handing, const clang::FunctionDecl &function, unsigned parameter);

  // Asked for every call of the function that is being walked: parameters have its values.
  template <class Query> bool holdsForCalls(Query query);
  bool holdsForCallsOf(const clang::FunctionDecl &function, int depth,
                       llvm::function_ref<bool(const Handing &)> query);
  bool sameForWave(const clang::Expr *expr);
  bool sameForPair(const clang::Expr *expr);
  ThreadValue classify(const clang::Expr *expr);

  // A parameter that a value of the thread is handed for, in an address.
  void needHanded(const clang::ParmVarDecl &parameter, AddressFunction &out, std::string &problem);

  // ---- structs of numbers that functions are handed (RecoverPositions.cpp)

  // In all calls the same: a sum of digits of lane and warp, or equal for the lanes of a wave.
  struct MemberValue {
    std::optional<Sampler::Formula> formula;
    bool isOfWave = false;
  };
  bool isPosition(const clang::ParmVarDecl &parameter) const;
  bool isOfWords(const clang::VarDecl &variable) const;
  std::vector<MemberValue> valuesOfMembers(const clang::ParmVarDecl &parameter);
  std::string typeOfPosition(const clang::VarDecl &variable) const;
  std::string asType(const std::string &text, clang::QualType type) const;
  std::vector<std::string> membersOf(const clang::VarDecl &variable,
                                     const std::vector<MemberValue> &values,
                                     AddressFunction &out);
  void askFor(const clang::VarDecl &variable, AddressFunction &out);
  bool needPosition(const clang::VarDecl &variable, AddressFunction &out);

  // The object of a method's call: `f` of f.load(p), also where that is a pointer.
  static const clang::Expr *objectOf(const clang::CallExpr &call);

  // An array or struct in the thread's registers, named as a whole.
  static const clang::VarDecl *wholeVariable(const clang::Expr &expr);

  // A variable that holds fragments, or one of its rows, or an array in it:
  //
  //   load(frag)   load(frag[k % 2])   unsigned *now = frag[k % 2];   load(set[k % 2].b)
  //
  // with the number of indices, and of those behind the array's name; which row it is only the
  // author's text says.
  struct View {
    const clang::VarDecl *variable = nullptr;
    int depth = 0;
    const clang::FieldDecl *part = nullptr;
    int depthInPart = 0;
    // Of loops in whose turns the row may be another one (Slot::turns).
    std::set<std::string> turns;
    bool operator==(const View &other) const {
      return variable == other.variable && depth == other.depth && part == other.part &&
             depthInPart == other.depthInPart;
    }
  };
  // `names`: where the variable is named in it.
  std::optional<View> viewIn(const clang::Expr &expr, const clang::Expr *&name);
  std::optional<View> viewOfPart(const clang::MemberExpr &member, const clang::Expr *&name);
  std::optional<View> handedView(const clang::ParmVarDecl &parameter, const clang::Expr &argument);
  const clang::Expr *asWords(const clang::Expr &argument) const;
  // Of a parameter of the function being walked, or a pointer or reference of the kernel's own.
  std::optional<View> viewOf(const clang::VarDecl &variable);
  void walkFunction(const clang::FunctionDecl &function);
  // What is asked from here on is asked about the function's text; null: the kernel's.
  void speakOfLambda(const clang::Decl *lambda);
  std::string askInLambda(const Exchange::Met &met, const clang::CXXMethodDecl &lambda);
  void speakOf(const clang::FunctionDecl *function, unsigned frame);
  bool isHandedOwn(const clang::FunctionDecl &function, const clang::ParmVarDecl *parameter);

  // Declarations, cvta and one matrix instruction, or a call of such a function.
  bool isWrapper(const clang::FunctionDecl &function);
  // d[0] = d[1] = 0;  in a wrapper: the places, of none where it is something else.
  std::vector<const clang::Expr *> zeroedBy(const clang::Stmt &stmt);
  bool isSumsBegin(const clang::GCCAsmStmt &stmt, const ptx::Mma &mma, const Binding &binding);
  // The mma that a function is, one behind the other; 0 where it does anything else.
  unsigned productsIn(const clang::FunctionDecl &function);
  std::optional<TextRange> rangeOf(const clang::FunctionDecl &function) const;

  // Every function in reach that may be ported where it stands, also when this kernel is
  // not: another one that calls it must know.
  void recordFunctions(const clang::FunctionDecl &function);

  // True when the call was a matrix wrapper and is dealt with.
  bool visitCall(const clang::CallExpr &call);

  // Blocks and constexpr branches opened.
  std::vector<const clang::Stmt *> flattened(const clang::Stmt *stmt) const;
  bool flattenInto(const clang::Stmt *stmt, std::vector<const clang::Stmt *> &all) const;

  // The wrapper's body: declarations, cvta blocks and one matrix instruction.
  bool isPartOfExpression(const clang::Stmt &call) const;
  bool hasEffects(const clang::CallExpr &call, const clang::Stmt &site);
  // `result`: what is known of what it returns.
  bool liftCall(const clang::CallExpr &call, const clang::FunctionDecl &wrapper,
                const clang::Stmt &site, const Binding *outer, const Binding *result = nullptr);

  // With the declaration of the variable that a lambda is kept in.
  std::optional<TextRange> definitionOf(const clang::FunctionDecl &wrapper) const;

  // ---- wrappers that return fragments by value (RecoverReturned.cpp)

  std::optional<int64_t> pieceOf(const clang::Expr *place, const clang::VarDecl &whole) const;
  bool writesWhole(const clang::GCCAsmStmt &stmt, const clang::VarDecl &whole) const;
  // The variable or parameter that one matrix instruction writes, all of it, and that is returned
  // then; null: the function does anything else.
  const clang::VarDecl *returnedBy(const clang::FunctionDecl &function);
  const clang::CallExpr *handedOnBy(const clang::FunctionDecl &function);
  const clang::CallExpr *returningCall(const clang::Expr *value);
  struct Taking {
    const clang::CallExpr *call = nullptr;
    const clang::Expr *destination = nullptr; // that is assigned; or
    const clang::VarDecl *declared = nullptr; // with the value
    bool isAlone = true;                      // the only one of its statement
  };
  using IsTaken = llvm::function_ref<const clang::CallExpr *(const clang::Expr *)>;
  std::optional<Taking> takingAt(const clang::Stmt &stmt, IsTaken isTaken) const;
  const clang::Expr *nameOf(const clang::VarDecl &variable) const;
  std::string obstacleToTaking(const Taking &taking, const clang::Stmt &stmt);
  std::string declarationOf(const clang::VarDecl &variable) const;
  static bool readsFrom(const clang::CallExpr &call, const clang::VarDecl &variable);
  // True when the statement takes what such a wrapper returns, and is dealt with.
  bool visitTaking(const clang::Stmt &stmt);
  bool takeList(const clang::DeclStmt &declaration);
  std::vector<const clang::Expr *> callsListed(const clang::VarDecl &variable);
  std::string arrayDeclarationOf(const clang::VarDecl &variable) const;
  void refuseSumsOf(const clang::CallExpr &call, const clang::VarDecl &declared,
                    const clang::Stmt &stmt);
  void take(const Taking &taking, const clang::Stmt &stmt);
  bool refuseUntaken(const clang::CallExpr &call);
  bool refuseUntakenIn(const clang::CallExpr &call, const clang::Stmt &site);
  // mma(c, a, load(p)): a variable of its own for what the load returns; null: it is none such.
  const clang::Expr *takenAhead(const clang::Expr *argument, const clang::ParmVarDecl &parameter,
                                const clang::Stmt &site);
  bool isTakenAhead(const clang::Expr &argument, const clang::Stmt &site);

  // ---- operands (RecoverSlots.cpp)

  const clang::Expr *boundValue(const clang::VarDecl *variable, const Binding *binding) const;

  // Follows a wrapper's parameters, casts and cvta up to the kernel's own expression;
  // `binding` becomes null there.
  const clang::Expr *kernelExpression(const clang::Expr *expr, const Binding *&binding) const;

  // A variable that holds fragments, and which part of it is one.
  struct Root {
    const clang::VarDecl *variable = nullptr;
    const clang::FieldDecl *part = nullptr;
  };

  struct Path {
    const clang::VarDecl *root = nullptr;
    std::vector<Index> indices;
    std::string prefix, suffix;  // around the variable: casts
    std::string name;            // what it is called at the site, where that is not its own
    std::set<std::string> turns; // in which the name may stand for another row
  };
  Index indexOf(const clang::Expr *expr, const Binding *binding);
  std::set<std::string> allTurns() const;

  // The loops around in whose turns the values may differ.
  std::set<std::string> turnsOf(llvm::ArrayRef<const clang::Expr *> values);
  std::set<std::string> turnsOf(const std::vector<const clang::VarDecl *> &variables);

  // scale * variable + offset; true when `expr` has that form.
  bool scaled(const clang::Expr *expr, Index &index) const;
  static Index sum(const Index &a, const Index &b);

  // X[e]..., &X[e], a parameter that is one of these, each with what it stands for.
  bool isRowStill(const clang::VarDecl &name);
  bool isStill(const clang::VarDecl &name);
  // float *d = &acc[i * 8 + j * 4]: what it points to, where that is a place in an array.
  void forgetPlace(const clang::VarDecl &place);
  // What a wrapper declares, and nothing changes: a register, or anything.
  bool isCopyOfWord(const clang::VarDecl &variable);
  bool isStillInWrapper(const clang::VarDecl &variable);
  const clang::Expr *objectSeenAsWords(const clang::Expr &expr) const;
  bool wordsOf(const clang::Expr &object, Path &path) const;
  const clang::Expr *placeNamed(const clang::VarDecl &name);
  // Nothing but sites mentions such names; their declarations go. `first`: of those from there on.
  void checkPlaces(size_t first);
  bool hasNamesakeBehind(const clang::VarDecl &variable, const TextRange &made) const;
  const clang::Expr *memberHanded(const clang::MemberExpr &member, const Binding &binding);
  std::optional<Path> pathOf(const clang::Expr *expr, const Binding *binding, bool isAddress);

  // ---- registers that hand on what ldmatrix gave them (RecoverForwarded.cpp)

  struct Copy { // to = from[element];
    const clang::Stmt *statement = nullptr;
    const clang::Expr *to = nullptr;
    const clang::VarDecl *from = nullptr;
    int64_t element = 0;
    bool isTurned = false; // by movmatrix on the way
  };
  struct Forwarded {
    std::vector<const clang::Expr *> targets; // of each word
    std::vector<const clang::Stmt *> copies;
    const clang::DeclStmt *declaration = nullptr;
    bool isMet = false; // the load
    bool isTurned = false;
  };
  std::optional<Copy> copyOf(const clang::Stmt *stmt) const;
  bool isPlainPlace(const clang::Expr *place) const;
  int64_t wordsOf(const clang::VarDecl &variable) const;
  bool mayMoveUp(const Copy &copy, const clang::Stmt &load,
                 llvm::ArrayRef<const clang::Stmt *> between);
  void forwardTemporaries(const clang::CompoundStmt &block);
  void forward(const clang::VarDecl &variable, int inLoad, llvm::ArrayRef<const clang::Stmt *> body,
               size_t load);
  const clang::Expr *forwardedTo(const clang::Expr *destination, const Binding *binding,
                                 int position, std::set<const clang::Stmt *> &removed,
                                 bool &isTurned);
  // A function that holds a movmatrix or a stmatrix is called no more there.
  void noteWrapper(const clang::FunctionDecl *function);
  std::vector<TextRange> linesOf(const std::set<const clang::Stmt *> &statements) const;
  bool arePlacesApart(const clang::Expr *a, const clang::Expr *b) const;
  Index plainIndex(const clang::Expr *expr) const;
  void checkForwarded();

  // ---- registers side by side in an array of their own (RecoverBundled.cpp)

  const clang::InitListExpr *bundleOf(const clang::VarDecl &variable);
  const clang::Expr *bundledWord(const Path &path);

  // A variable of the kernel or of the function being walked, and of no lambda in it.
  bool isRegister(clang::QualType type) const;
  const clang::Expr *wordSeenAs(const clang::Expr &expr) const;
  const clang::Expr *wordGiven(const clang::CallExpr &call) const;
  bool isOutside(const clang::VarDecl &variable) const;

  // What the function being walked has as this parameter; null: as its object.
  std::optional<View> handedTo(const clang::VarDecl *variable) const;
  static Index literalIndex(int64_t value);
  // Of a row that goes by another name.
  static Index hiddenIndex();
  static bool isHiddenIndex(const Index &index) { return index.isMember && index.text.empty(); }
  static Path pathOfView(const View &view, const std::string &name);
  static const clang::FieldDecl *fieldOf(clang::QualType type, llvm::StringRef name);

  // Nothing in the method being walked hides the member.
  bool isFreeInMethod(const clang::FieldDecl &member) const;

  // As the author wrote them: float acc[TM][TN][4] -> TM, TN, 4.
  std::vector<std::string> extentTextsOf(const clang::DeclaratorDecl &variable) const;
  void noteRoot(uint64_t fragment, const Root &root);
  std::optional<Slot> slotOf(const clang::Expr *expr, const Binding *binding, int position);
  std::optional<Slot> flatSlot(const clang::Expr *expr, const Binding *binding);

  std::optional<FlatRow> flatRow(const clang::Expr *expr);
  void nameNumbers(FlatSlot &flat) const;

  // Tiles in one array, by the registers that their mma takes (RecoverRows.cpp).
  void forSlots(const std::function<void(Slot &)> &visit);
  std::set<uint64_t> takenInHalves() const;
  void orderHalves();
  void orderSums();
  clang::QualType typeOf(const Root &root) const;
  int64_t lastExtentOf(clang::QualType type) const;
  bool holdsOthers(const std::vector<Slot> &slots, bool areSums) const;
  void flattenRows();
  bool nameRows(Slot &slot) const;
  void splitFlat();

  // A register is chosen by a value in which the lanes of a wave may differ: the port's lanes
  // hold other lanes' registers.
  void checkIndices(clang::SourceRange at);
  void open(const clang::ValueDecl &member);
  std::optional<Slot> slotAt(const std::optional<Path> &path, int position);

  // ---- tiles in another order (RecoverReordered.cpp)

  void noteReordered(const clang::DeclStmt &declarations);
  void takeReordered(MmaSite &mma) const;
  static bool takeReordered(Slot &slot, const Reordered &found);

  // ---- variables that are registers (RecoverScalars.cpp)

  // uint32_t a0, a1, a2, a3: the registers of one fragment, in order. Several such fragments that
  // one load fills are tiles of one.
  struct Scalar {
    uint64_t fragment = 0; // of the first variable
    int tile = 0, tiles = 1, reg = 0;
    size_t names = 0; // of the tile: in scalarTiles_
  };
  void joinScalars();
  void joinTile(const std::vector<Slot> &slots);
  void joinLoaded(const LoadSite &load);
  bool isTile(const std::vector<Slot> &slots) const;
  void renameScalars(std::vector<Slot> &slots) const;
  Slot scalarSlot(const Scalar &scalar) const;
  const Scalar *scalarOf(uint64_t declaration) const;
  // Everything that holds the fragment.
  std::vector<Root> rootsOf(uint64_t fragment) const;
  // The block that declares it.
  const clang::Stmt *blockOf(const clang::VarDecl &variable) const;

  // ---- addresses (RecoverAddress.cpp)

  // The author's variables below a statement that depend on the thread, in the order in
  // which they must be computed; a lane, a warp or the thread itself ends the search.
  class Needs;
  void needAll(const clang::Stmt *below, AddressFunction &out, std::string &problem, unsigned file);
  void need(const clang::VarDecl *variable, AddressFunction &out, std::string &problem,
            unsigned file);

  // The first variable that is the lane names it, others are set from that.
  static void takeLane(const std::string &name, const std::string &type, AddressFunction &out);
  std::string warpText(const AddressFunction &out) const;
  void takeWarp(const std::string &name, const std::string &type, AddressFunction &out);
  void forgetSiteValues();

  // The object of the one method whose text the site's is; null where it is of none, or of several.
  const clang::Expr *siteSelf() const { return selves_.size() == 1 ? selves_[0] : nullptr; }

  // What a variable is called in the site's text. A wrapper's own gets a name there that nothing
  // else has.
  std::string siteName(const clang::VarDecl &variable) const;
  void takeSiteName(const clang::VarDecl &variable, const AddressFunction &out);
  bool isAsGiven(const clang::VarDecl &parameter, const clang::Expr &argument) const;
  // How the parameter is declared with what it is given; empty: in no way that can be said here.
  std::string givenType(const clang::VarDecl &parameter, const clang::Expr &argument);

  // A statement of the site's own block that makes another value of a variable that the block
  // declares:
  //
  //   uint32_t at = address(lane);
  //   if constexpr (isSwizzled)
  //     at = swizzle(at);
  //
  // `assignment` is null where another instantiation of the template has it.
  struct Step {
    TextRange range;
    const clang::BinaryOperator *assignment = nullptr;
  };

  // What a loop over tiles moves on at the end of each turn: as it begins, and `by` times the turn
  // behind all variables that are made of it.
  void addWalked(const clang::VarDecl &variable, const Sampler::Walk &walk, AddressFunction &out,
                 std::string &problem, unsigned file);
  bool outgrows(const Sampler::Walk &walk, const clang::VarDecl &variable) const;
  std::vector<std::string> walkedOn_;

  // A kernel's pointer that the kernel moves on once: from what the launch gave.
  bool addGiven(const clang::ParmVarDecl &parameter, AddressFunction &out, std::string &problem,
                unsigned file);

  // Those between the declaration and the site, when nothing else changes the variable there
  // and what they are made from is the same at the site.
  std::vector<Step> stepsOf(const clang::VarDecl &variable);
  std::optional<Step> stepAt(const clang::VarDecl &variable, const clang::Stmt &stmt,
                             const TextRange &range);

  // Inputs that are others by the time of the site; the variable itself is followed.
  std::string staleBut(const clang::VarDecl &variable, const clang::Expr &value,
                       const TextRange &made);

  // With the ';' behind it, where the statement does not hold its own.
  std::optional<TextRange> wholeStatement(const clang::Stmt &stmt) const;

  // Variables that the template assigns under an 'if constexpr', whether or not this
  // instantiation has it.
  std::set<clang::SourceLocation> assignedUnder(const clang::IfStmt &branch) const;

  // The declaration, no longer const, and the statements as they stand.
  void addSteps(const clang::VarDecl &variable, const std::vector<Step> &steps,
                AddressFunction &out, std::string &problem, unsigned file);

  // By another lane: it changes nothing, and is no matter of what lanes tell each other.
  // A macro declares it in the statement that is written anew.
  bool goesWithSite(const clang::VarDecl &variable) const;
  bool isOfLambdaElsewhere(const clang::VarDecl &variable) const;
  bool canBeMadeAgain(const clang::Expr &value);
  // A function of CUDA's headers that a macro's own text calls: printed elsewhere, no rule would
  // port that name. Empty when there is none.
  std::string foreignName(const clang::Expr &value) const;
  // A variable that is made again, with its value's text.
  void addMade(const clang::VarDecl &variable, const clang::Expr &value, AddressFunction &out,
               std::string &problem, unsigned file);

  // The loops around the site of whose turn `variable` is a matter, but for the loop that it
  // counts.
  void noteWalk(const clang::VarDecl &variable, AddressFunction &out);
  bool isCounter(const clang::VarDecl &variable) const;

  // Another value in another turn of the loop: it is assigned there, or declared there and
  // made from what is.
  bool variesIn(const clang::VarDecl &variable, const Loop &loop, int depth);

  // The value of a variable that cannot be computed anew, from the lane that has it: every
  // thread of the port has the values of the same thread of the program.
  // `isOfWarp`: the same for its 32 threads.
  bool fetch(const clang::VarDecl &variable, bool isForeign, AddressFunction &out,
             bool isOfWarp = false);
  // A pointer to what the thread has for itself: it says nothing about another thread's.
  bool pointsToOwn(const clang::VarDecl &pointer);

  bool leadsToOwn(const clang::Expr &value);
  // What lanes can be asked for as it is.
  bool addMoved(const clang::VarDecl &counter, bool isForeign, AddressFunction &out,
                std::string &problem, unsigned file);
  bool isHeldByLanes(clang::QualType type) const;

  // ---- members of the object whose method is walked (RecoverMembers.cpp)

  // Each thread has one for itself, and what is read as this->x is that object's.
  bool speaksOfOwnObject() const;
  // A scalar member of it; null: it is none.
  const clang::MemberExpr *ownMember(const clang::Expr &place) const;
  void findObject();
  bool isPlaceForAll(const clang::Expr &value);
  bool leadsToPlaceForAll(const clang::MemberExpr &member) const;
  bool isStillGiven(const clang::Expr &value, int depth);
  // What members that the function mentions are, whenever they are read.
  void settleMembers();
  const clang::Expr *settle(const clang::FieldDecl &field);
  bool isOfThreadAlone(const clang::Expr &value, const Members::Write &write);
  bool isLocalOfWriter(const clang::VarDecl &variable, const Members::Write &write);
  // Nothing but a constructor of the object writes it.
  bool memberStays(const clang::FieldDecl &field);
  // A member that a value is made from and that may be another by the time of the site.
  std::string staleMember(const clang::Expr &value);
  void noteMemberWalk(const clang::FieldDecl &field, AddressFunction &out);
  bool hasMember(llvm::StringRef name) const;
  // A value handed on that only the method's own object makes the thread's.
  bool hangsOnObject(const clang::Expr &value, const clang::FunctionDecl &callee);
  // The method's class has this name for something else.
  bool isOtherMember(llvm::StringRef name, ThreadValue meaning);
  void needMember(const clang::MemberExpr &member, AddressFunction &out, std::string &problem,
                  unsigned file);
  bool makeMember(const clang::FieldDecl &field, const clang::Expr &value, AddressFunction &out,
                  std::string &problem, unsigned file);
  // Not to what the thread has for itself; null: who knows where to.
  bool leadsElsewhere(const clang::Expr *pointer);
  bool isMadeOfIndices(const clang::Expr &value);
  // A parameter of the object's constructor.
  bool isGivenToObject(const clang::VarDecl &variable) const;
  void needGiven(const clang::VarDecl &parameter, AddressFunction &out);
  bool fetchMember(const clang::FieldDecl &field, AddressFunction &out);

  // An array that a loop fills, one element a turn (RecoverFilled.cpp).
  struct Filled {
    std::vector<const clang::VarDecl *> counters; // of its dimensions, outermost first
    std::vector<const clang::VarDecl *> locals;   // of the loops' bodies
    const clang::Expr *value = nullptr;
  };
  struct FillingLoop {
    const clang::ForStmt *stmt = nullptr;
    const clang::VarDecl *counter = nullptr;
    int64_t turns = 0;
  };
  std::vector<FillingLoop> loopsAround(const clang::Stmt &store, size_t count, Filled &filled);
  std::optional<Filled> filledArray(const clang::VarDecl &array);
  bool mayFillAgain(const Filled &filled, const TextRange &loop);
  std::vector<const clang::Expr *> listedArray(const clang::VarDecl &array);
  std::vector<const clang::Expr *> elementsOf(const clang::VarDecl &array);
  void addListed(const clang::VarDecl &array, const std::vector<const clang::Expr *> &values,
                 AddressFunction &out, std::string &problem, unsigned file);
  void addFilled(const clang::VarDecl &array, const Filled &filled, AddressFunction &out,
                 std::string &problem, unsigned file);

  // Computed from one of these.
  bool follows(const clang::VarDecl *variable, const std::set<std::string> &names, int depth = 0);

  // ... from a tile index that the port may rebind.
  bool followsTile(const clang::VarDecl *variable);
  static std::set<std::string> tileVariablesOf(const std::vector<Slot> &slots);
  static bool mentionsWord(llvm::StringRef text, llvm::StringRef word);

  // The value assigned to `variable` by the last statement before the site that does so,
  // when that statement stands in the site's own block and nothing between them may change
  // the variable or what the value is made from.
  const clang::Expr *latestValue(const clang::VarDecl &variable);

  // Is `variable` assigned between `made` and the site? Places count up to the site, or to
  // the end of the outermost loop that holds the site and not `made`.
  bool changesAfter(const clang::VarDecl &variable, const TextRange &made);
  // Where the site runs for the last time, of what is made there (RecoverLambdaUses.cpp).
  unsigned lastRunOfSite(const TextRange &made);
  bool isMadeIn(const TextRange &loop);
  const Sampler::Walk *walkAtSite(const clang::VarDecl &variable);

  // What a value was made from and is another by the time of the site, where the value is
  // computed anew. Empty when nothing is.
  std::string staleInput(const clang::Expr &value, const TextRange &made);
  std::string staleInput(const clang::VarDecl &variable);
  // What was read for the value is in memory still, at the place where it is asked for.
  bool mayReadAgain(const TextRange &made, bool isStoredElsewhere = false);
  bool isStoredElsewhere(const clang::Expr &place);
  static void addBlocks(const clang::Stmt &stmt, std::vector<const clang::CompoundStmt *> &blocks);

  // Names of types may be CUDA's: integers by their own name, else what the value has.
  std::string typeText(const clang::VarDecl &variable) const;
  // Of a variable that is made again with this value; empty: nothing that can be said here.
  std::string typeText(const clang::VarDecl &variable, const clang::Expr &value);
  std::string repeatedType(const clang::VarDecl &variable, const clang::Expr &value, bool changes,
                           std::string &problem);
  // Of a parameter that stands for the variable.
  static std::string parameterType(const clang::VarDecl &variable);
  // Lane and warp by names that hide nothing else of the kernel's, until the author's are
  // found; and with their types.
  // ---- warps that return at once (RecoverLeaving.cpp)

  struct Leaves {
    const clang::Expr *condition = nullptr;
    bool isNegated = false; // who does not pass it leaves
    bool isOfWarp = false;  // the same for its threads
  };
  std::vector<Leaves> leavesAtOnce();
  bool decidesElsewhere(const clang::IfStmt *all);
  bool addUniformLocals(const clang::Stmt &below, std::set<const clang::VarDecl *> &seen,
                        AddressFunction &out, std::string &problem);
  std::optional<AddressFunction> leavingText(const std::vector<Leaves> &conditions);
  bool findMirrored(Kernel::Leaving &leaving) const;

  // Loops that the two warps of a wave may leave in turns of their own (RecoverApart.cpp).
  struct Apart {
    const clang::ForStmt *loop = nullptr;
    TextRange range;
    bool isMirrored = false;
  };
  bool isLeftApart(const clang::Stmt &stmt);
  bool mayMirror(const clang::ForStmt &loop, const clang::VarDecl &counter, Kernel::Apart &out);
  std::string tellsApart(const clang::Stmt &body);
  std::vector<const clang::Expr *> apartAround(const std::vector<Loop> &loops) const;
  std::string obstacleToApart(const clang::VarDecl &variable) const;
  std::string obstacleToApart(const MmaSite &mma, const Apart &apart) const;
  std::string doneBesides(const clang::Stmt *stmt, std::set<const clang::VarDecl *> &own) const;
  bool loadsForOthers(const Apart &apart) const;
  void checkApart();
  void findLeaving();
  std::string returnedBefore() const; // why a product cannot be native there

  void nameLanes(AddressFunction &out);
  void typeLanes(AddressFunction &out) const;
  // Why the text that was made does not mean the same at the site; empty when it does.
  std::string ambiguity() const;
  bool isHidden(const clang::VarDecl &variable) const;
  std::optional<TextRange> scopeOf(const clang::VarDecl &variable) const;
  // Another name where something else in the kernel has this one.
  bool callsFunctionNamed(llvm::StringRef name);
  std::string hiddenName(const std::string &name, ThreadValue meaning);
  bool isOfKernel(const clang::VarDecl *variable) const;

  // The text of `expr` with the thread's index in terms of lane and warp.
  std::string siteTextOf(const clang::Expr &argument) const;
  std::string selfTextIn(const clang::Expr &expr, AddressFunction &out, unsigned file,
                         std::string &problem);
  // Members and overloads in the text that are others where it stands at the site: the object is of
  // a class that hides them, or is not const there.
  class Lookups;
  const clang::Expr *givenAtSite(const clang::Expr &argument) const;
  bool isAsDeclared(const clang::VarDecl &variable) const;
  const TextSite &textSite();
  // How the site says the names of a class template whose method the text is from
  // (RecoverOfClass.cpp).
  TextClass classThrough(const clang::Expr &self, const clang::CXXRecordDecl &record);
  TextClass classCalled(const clang::CallExpr &call, const clang::CXXRecordDecl &record);
  TextClass classOfText(const clang::FunctionDecl *from);
  void noteTemplateCall(const clang::FunctionDecl &callee, const clang::CallExpr &call);
  std::string textOf(const clang::Expr *expr, AddressFunction &out, unsigned file,
                     std::string &problem);
  std::string choiceText(const clang::ConditionalOperator &choice, AddressFunction &out,
                         unsigned file, std::string &problem);
  // lane_id(), threadIdx.x % 32, or threadIdx.x itself, in an address for another lane; and calls
  // that are told whose index they speak of.
  std::vector<const clang::Expr *> indicesBelow(const clang::Stmt &stmt);
  std::string indexText(const clang::Expr &index, bool keepsSign, AddressFunction &out);
  // None: a macro writes it.
  std::optional<SourceEdit> indexEdit(const clang::Expr &index, bool keepsSign,
                                      AddressFunction &out);
  std::string threadText(int axis, bool keepsSign, AddressFunction &out);
  // Some difference or complement in it may be less than zero: then the sign of what it is
  // made from matters.
  bool isNeverNegative(const clang::Expr &value, int depth);
  bool mayBeNegative(const clang::Stmt &stmt);
  AddressFunction addressOf(const clang::Expr *expr, unsigned file, std::string &problem);

  // The author's variables that the expressions are made from.
  AddressFunction variablesOf(llvm::ArrayRef<const clang::Expr *> expressions, unsigned file,
                              std::string &problem);
  AddressFunction variablesSaid(llvm::ArrayRef<const clang::Expr *> expressions, unsigned file,
                                std::string &problem);
  std::string whyNotSaid(llvm::ArrayRef<const clang::Expr *> expressions, AddressFunction out,
                         unsigned file);

  // ---- numbers of the thread in other words than the author's (RecoverFormula.cpp)

  bool isOfMacro(const clang::Expr &expr) const;
  bool mayBeFormula(const clang::Expr &expr) const;
  bool isFormula(const clang::Expr &expr);
  bool saysInOtherWords(const clang::Stmt &stmt);
  const Sampler::Formula *formulaFor(const clang::Expr &expr);
  std::optional<std::string> formulaText(const Sampler::Formula &formula,
                                         const AddressFunction &out) const;
  void noteLanes(const std::string &text, AddressFunction &out) const;
  std::string formulaAs(const clang::Expr &expr, bool keepsType, AddressFunction &out);
  bool isGivenToTemplate(const clang::Expr &expr) const;
  bool needByFormula(const clang::DeclRefExpr &name, AddressFunction &out);
  bool isMadeUnsaid(const clang::VarDecl &variable);
  const clang::VarDecl *lambdaMadeAgain(const clang::CallExpr &call);

  // ---- functions that are told whose index they speak of (RecoverTold.cpp)

  // The text of one function.
  struct Reader {
    std::string name;
    bool isTold = false; // it can be, but for those that it calls
    bool hasParameters = false;
    TextRange end; // of its parameters
    std::vector<SourceEdit> mentions;
    bool reads[3] = {false, false, false}; // threadIdx.x, .y, .z, itself
    struct Call {
      TextRange end; // of its arguments
      const clang::FunctionDecl *callee = nullptr;
      bool hasArguments = false;
    };
    std::vector<Call> calls; // of functions that read the index
  };
  const Reader &readerOf(const clang::FunctionDecl &text);
  // With all that it calls.
  void addReaders(const clang::FunctionDecl &text, std::set<const clang::FunctionDecl *> &all);
  // Of the axes that it, or a function that it calls, reads.
  std::string indexArguments(const clang::FunctionDecl &text,
                             llvm::function_ref<std::string(int)> index);
  static bool isWholeCall(const clang::CallExpr &call); // no argument is left out
  static bool takesOneMore(const clang::FunctionDecl &text);
  bool isToldCall(const clang::CallExpr &call);
  std::vector<ToldFunction> toldBy(const clang::CallExpr &call);

  // ---- operands that the kernel puts together itself (RecoverGather.cpp)

  // Where a filling was met: what it is can be told once all products are known.
  struct PendingFilling {
    Filling filling;
    std::vector<Loop> loops;
    const clang::CompoundStmt *block = nullptr;
    std::string problem;
    std::vector<TextRange> decided = {};
    // A function that does it, where it is called.
    const clang::CallExpr *call = nullptr;
    std::map<const clang::VarDecl *, const clang::Expr *> given = {};
    const clang::Expr *self = nullptr; // its object
    // The statement that takes what it returns, and the variable that this declares.
    const clang::Stmt *taking = nullptr;
    const clang::VarDecl *declares = nullptr;
    // A function that multiplies as well, in which it stands.
    const clang::FunctionDecl *function = nullptr;
    unsigned frame = 0;
    const clang::Decl *lambda = nullptr;             // the kernel's own, in which it stands
    std::shared_ptr<const GuardedRun> run = nullptr; // instead of the filling
  };
  const clang::Decl *lambdaOfKernel() const { return inLambda_ && !function_ ? owner_ : nullptr; }
  void noteFillings(llvm::ArrayRef<const clang::Stmt *> statements);
  // Registers that are set under conditions, all of them operands': such statements are taken as
  // one, unless warps go one way and each fills whole operands.
  bool isOfOperands(const PendingFilling &pending, const std::set<uint64_t> &operands,
                    const Made &results);
  bool fillsWholeIn(const Filling &filling, const GuardedRun &run) const;
  void gatherGuarded(const PendingFilling &pending, const std::set<uint64_t> &operands);

  // ---- operands that are filled by values shorter than a word (RecoverPacked.cpp)

  int64_t valuesInWord(clang::QualType type) const;
  struct PackedPlace {
    Slot slot;                           // the word
    int64_t part = 0;                    // which of its values
    const clang::Expr *values = nullptr; // the array of them
  };
  std::optional<PackedPlace> packedPlace(const Filling &filling, const Filling::Store &store);
  clang::Expr *elementAt(const clang::Expr &array, int64_t number) const;
  const clang::Expr *wordFrom(const clang::Expr &values, int64_t number) const;
  std::optional<Slot> wordBelow(const clang::Expr &values, int64_t word);
  std::optional<Slot> wordOfValues(const clang::Expr &values, int64_t word, int64_t parts);
  std::optional<Slot> wordOfUnion(const clang::Expr &values, int64_t word);
  void gatherPacked(const PendingFilling &pending, int64_t parts,
                    const std::set<uint64_t> &operands);
  std::string packedText(const Filling::Store &store, const std::string &text, bool isPart,
                         LoadSite &site) const;
  void addArraysMadeAgain(const clang::Expr &value, std::set<const clang::VarDecl *> &made);
  bool fillsAll(const PendingFilling &pending, const LoadSite &site) const;
  void gatherOperands();
  // Operands that stay where CUDA has them (RecoverConverted.cpp).
  void leaveConverted();
  void noteLeft(const LoadSite &load);
  void leaveCopies();
  void checkConverted(Exchange &exchange) const;
  std::set<uint64_t> changedOperands(const Exchange &exchange) const;
  std::vector<FragmentUse> loadsLeft_; // of those
  std::vector<Kernel::Converted> toConvert_;
  // Operands that are copied (RecoverCopied.cpp).
  class CopyFinder;
  void findCopies();
  std::set<uint64_t> withSources(std::set<uint64_t> operands) const;
  bool comesFrom(const clang::VarDecl &variable, uint64_t operand) const;
  bool isOperandCopy(const Filling &filling) const;
  bool changesOwn(const Filling &filling) const;
  static const clang::Expr *copiedBy(const clang::VarDecl &variable);
  bool isCopyOfOperand(const clang::VarDecl &variable, const clang::FieldDecl *part) const;
  const clang::VarDecl *filledIn(const Filling &filling);

  // What is made from results (RecoverMade.cpp).
  bool isMadeFromAny(const clang::Expr &value, const Made &made);
  bool mentionsObject(const clang::Stmt &stmt) const;
  bool isBehindProducts(const clang::Expr &value) const;
  Made madeFromResults();

  static void sortRegisters(std::vector<Slot> &registers, std::vector<Filling::Store> &stores);
  clang::SourceRange rangeOfStores(const std::vector<Filling::Store> &stores) const;
  // One site for each tile.
  void gatherRuns(const PendingFilling &pending, const clang::VarDecl &variable,
                  const std::set<uint64_t> &operands);
  // The same of variables of their own; and their declarations.
  void gatherScalars(const PendingFilling &pending, const std::set<uint64_t> &operands);
  void declareScalars(const std::vector<Filling::Store> &stores, LoadSite &site);
  bool hasOneRegister(const clang::VarDecl &variable) const;
  bool hasRegisters(const clang::VarDecl &variable, int64_t count) const;
  bool hasWordsOf(const clang::VarDecl &variable, clang::QualType type) const;
  std::optional<Slot> flatRegister(const Filling &filling, const Filling::Store &store, int64_t r,
                                   const Binding *binding);
  // Which of `count` registers, called `name`, in that digit of its number.
  static std::string digitText(const Filling::Counter &digit, int64_t count,
                               const std::string &name);
  static std::string chosen(const std::vector<std::string> &values, const Filling &filling,
                            const std::string &name);
  bool mayDifferForPair(const Filling &filling);
  // The filling's own variables: counters, and what its loops' bodies make.
  bool needOfFilling(const clang::VarDecl &variable, AddressFunction &out, std::string &problem,
                     unsigned file);
  void nameOfFilling(const clang::VarDecl &variable, const AddressFunction &out);
  void addFillingSteps(AddressFunction &out, std::string &problem, unsigned file);
  bool isConstant(const clang::Expr *value) const;
  std::optional<Slot> registerAt(const Filling &filling, const Filling::Store &store,
                                 const clang::VarDecl &variable, int r, const Binding *binding);
  static const clang::Expr *wholeRead(const clang::Expr *value);

  // The same in a function of the author's (RecoverLifted.cpp).
  bool isFilledBy(const clang::FunctionDecl &function, Filling &out,
                  const clang::VarDecl *returned = nullptr);
  static const clang::VarDecl *filledAndReturnedBy(const clang::FunctionDecl &function);
  bool namesTemplate(const clang::FunctionDecl &function) const;
  bool noteLifted(const clang::CallExpr &call, const Taking *taking = nullptr,
                  const clang::Stmt *stmt = nullptr);
  bool visitFilled(const clang::Stmt &stmt);
  // Functions that may put operands together in more than one filling, with what they are handed:
  // whether those are operands is known at the end. Then all is read once more (recoverKernels).
  void noteMayFill(const clang::CallExpr &call, const clang::FunctionDecl &function);

  // ---- functions that hand results on (RecoverHandedOn.cpp)

  void noteHandedOn(const clang::CallExpr &call, const clang::FunctionDecl &function);
  bool isHandedOnBehind(const clang::CallExpr &call, const clang::FunctionDecl &function) const;
  void findHandingOn();
  EpilogueCall epilogueCallOf(const clang::CallExpr &call,
                              const clang::FunctionDecl &function) const;
  std::vector<EpilogueCall> epilogueCalls() const;
  Epilogue epilogueIn(EpilogueInput input, const EpilogueCall &place);
  void addCalled(const EpilogueInput &input, Epilogue &epilogue);
  bool namesHandedOn(const clang::MemberExpr &member) const;
  std::set<const clang::FunctionDecl *> findMissed();
  int64_t registersOfTile(uint64_t operand) const;
  bool areOfOneTile(const Slot &a, const Slot &b) const;
  // Of an operand that is taken in halves: its registers in the order of the products.
  static void orderFilling(Filling &filling, std::vector<Slot> &registers,
                           std::vector<Filling::Store> &stores);
  void gather(const PendingFilling &pending, LoadSite &site,
              const std::vector<Filling::Store> &stores);

  // ---- operands that are written into a product's call (RecoverInCall.cpp)

  bool isWord(const clang::Expr &value) const;
  bool isReadOnce(const clang::VarDecl &variable);
  bool isMadeOnce(const clang::VarDecl &variable);
  bool isCopy(const clang::VarDecl &parameter);
  std::set<const clang::VarDecl *> madeOnceIn(const clang::Expr &value);
  const clang::Expr *writtenValue(const clang::Expr *expr, const Binding *binding) const;
  bool addWritten(const std::vector<const clang::Expr *> &registers, const Binding *binding,
                  const MmaSite &mma, bool isA, std::vector<Slot> &slots);
  void checkInCall();

  // ---- operands that lanes compute from values of their own (RecoverLanewise.cpp)

  // The expression of the kernel whose registers a wrapper takes; null when it is not clear.
  const clang::Expr *kernelOperand(const clang::Expr *expr, const Binding *binding);

  // Byte `byte` of a value of the kernel, as a wrapper names it.
  struct Word {
    const clang::Expr *value = nullptr;
    int64_t byte = 0;
  };
  std::optional<Word> wordAt(const clang::Expr *expr, const Binding *binding);
  std::optional<Word> wordBehind(const clang::Expr *pointer, const Binding *binding);

  // B as the words of a value: what a function returns, or a struct.
  bool addComputed(const std::vector<const clang::Expr *> &registers, const Binding *binding,
                   unsigned file, std::vector<Slot> &slots);
  void followOperands();
  bool followTogether(const std::vector<size_t> &products);
  void addBegin(const Lanewise::Begin &begin, const std::vector<size_t> &products, uint64_t group);
  std::set<std::string> turnsOf(const Lanewise &flow, const MmaSite &mma);
  void finishLanewise();

  // The line of "#pragma unroll" above a loop.
  std::string changeText(const clang::Stmt &step, AddressFunction &out, std::string &problem,
                         unsigned file);
  std::string obstacleToLocal(const clang::VarDecl &local, const Filling &filling);
  bool pragmaAbove(const clang::Stmt &loop, const TextRange &range, TextRange &pragma) const;

  // A name that nothing in the kernel has.
  std::string freeName() const;
  // ... nor the site's text.
  std::string freeName(const AddressFunction &site) const;
  std::string freeNameBeside(const PendingFilling &pending) const;
  std::string freeName(const std::string &name) const;
  std::string unusedName(const std::string &name) const;

  // T x[n] = {...}  becomes  T x[n]; and its values.
  void declareFirst(const clang::VarDecl &variable, LoadSite &site);

  // Equal for the two warps of a wave: by value where it can be followed, else because it
  // is made from such.
  bool asksAlikeForPair(const clang::FunctionDecl &function, int depth);
  bool sameValueForPair(const clang::Expr *expr);

  bool isSameForAll(const clang::Expr &value);
  // The same, of a condition too: its sides must be, since random values seldom part the
  // warps of `column < n`.
  bool isSameForPair(const clang::Expr &value);
  bool isMadeAlikeForPair(const clang::Expr &value);
  bool isMadeAlikeForQuads(const clang::Expr &value);
  using AlikeTest = llvm::function_ref<bool(const clang::Expr &)>;
  bool isMadeAlike(const clang::Expr &value, AlikeTest isAlike);
  bool isSameForWarp(const clang::Expr &value);

  // Made by a condition, on the way.
  bool isDecided(const clang::Expr &value, int depth);

  // ---- loops of products, and what is done with accumulators behind them (RecoverProducts.cpp)

  void nameMembers(const clang::Stmt &stmt, EpilogueBody::Rebound &out);
  EpilogueBody::Rebound rebind(const std::vector<const clang::Stmt *> &stmts,
                               const EpilogueBody &body,
                               const std::set<const clang::VarDecl *> &own,
                               const std::set<const clang::VarDecl *> &views, bool laneOnly);
  EpilogueBody::Rebound rebindAsSaid(const std::vector<const clang::Stmt *> &stmts,
                                     const EpilogueBody &body,
                                     const std::set<const clang::VarDecl *> &own,
                                     const std::set<const clang::VarDecl *> &views, bool laneOnly);

  // A value that may be computed more or less often.
  bool onlyComputes(const clang::Expr &value) const;

  // Nothing but tile loops, declarations, loads of operands and products.
  bool onlyProducts(const clang::Stmt *stmt);
  void collectProductLoops();
  void collectProductRuns();
  // Whether anything but the sites writes memory, or may.
  class Effects;
  void collectEpilogues();
  // Of one accumulator; `ownsRows`: no other is read behind the products.
  bool isFillOf(const clang::Expr &name, uint64_t accumulator) const;
  const Slot *flatTileOf(uint64_t accumulator) const;
  Epilogue epilogueOf(const std::vector<uint64_t> &accumulators, bool isPacked, bool ownsRows);
  bool hasRowsBehind() const;
  void joinEpilogues(const std::set<uint64_t> &readBehind);
  bool join(const std::vector<uint64_t> &accumulators);

  // ---- other mentions of fragment variables (RecoverUses.cpp)

  void memberPlace(const Root &root, Kernel::Variable &out) const;
  void lastExtent(const clang::VarDecl &variable, Kernel::Variable &out) const;

  // make_float4, __floats2half2_rn...: registers are equal when the arguments are.
  static bool makesOfItsArguments(const clang::CallExpr &call);

  // The value of a constant; empty when it is none, or not the same in all elements.
  std::string constantText(const clang::Expr *value) const;
  bool listedObject(const clang::CXXConstructExpr &made, std::set<std::string> &found) const;

  // Every scalar that a list sets, and zero for what it leaves out.
  void listed(const clang::Expr *value, std::set<std::string> &found) const;

  // The loop in each turn of which sums begin anew and end; none when they are what is declared.
  std::optional<TextRange> loopOfLives(uint64_t declaration);
  bool livesInTurns(uint64_t declaration, const TextRange &loop,
                    const std::vector<TextRange> &products);
  bool isLeft(const TextRange &loop) const;

  // What its body does is a use like others (Uses). `part`: of that member alone; null: of all.
  bool beginsUnequal(const clang::CXXConstructorDecl &constructor,
                     const clang::FieldDecl *part = nullptr) const;

  // An initializer that does not put one constant into all registers.
  bool beginsUnequal(const clang::VarDecl &variable, const clang::FieldDecl *part) const;
  // All its registers begin with zero, or with nothing.
  bool beginsAtZero(const clang::VarDecl &variable) const;
  class Uses;
  bool isConstant(uint64_t declaration, const clang::VarDecl &variable) const;
  void collectUses();
  void collectLocals();

  // ---- operands' arrays that serve for something else behind the products (RecoverLives.cpp)

  class Lives;
  void findNewLives();

  // ---- ... that are read in one place and made of results in another (RecoverTwoLives.cpp)

  class TwoLives;
  void partLives();
  void partUses();

  // ---- code between the products (RecoverBetween.cpp)

  // The statement of the kernel's body that holds the last product.
  const clang::Stmt *lastProduct(TextRange &region) const;
  const clang::Stmt *lastStatement(TextRange &region) const;
  bool isWorkedOn(const Between &between) const;
  void lookBetween();
  void describe(Exchange &exchange, Between &between);

  // What is known where the kernel begins to hand on results: of the statements between the
  // products, and of those behind them that only compute.
  struct Behind {
    Exchange exchange;
    TextRange region;
    std::vector<const clang::CallExpr *> between;  // shuffles up to the last product
    std::vector<const clang::CallExpr *> shuffles; // and behind it
    std::string whyNot; // statements behind the last product are not followed
    clang::SourceRange whyNotAt;
  };
  void lookBehind(Exchange &between, const clang::Stmt &last, const TextRange &region,
                  const std::function<Exchange(const clang::Stmt *)> &find);
  void addDeclared(const clang::Stmt &stmt, std::set<const clang::VarDecl *> &variables);
  static bool mentionsAnyOf(const clang::Stmt &stmt,
                            const std::set<const clang::VarDecl *> &variables);
  std::optional<Between::Shuffle> placesOf(const clang::CallExpr &shuffle) const;
  // Behind the products, an epilogue's shuffles: where their functions are called, they
  // exchange results too.
  void addShuffles(Epilogue &epilogue, const std::vector<const clang::CallExpr *> &own);
  // Where in its variable it lies: from the first byte to the one behind the last.
  std::pair<int64_t, int64_t> bytesOf(const Root &root) const;
  bool isReadBehind(uint64_t accumulator) const;

  // A value that results meet, as a function of the thread that CUDA has them in. Why not;
  // empty when it is.
  std::string ask(const Exchange::Met &met, const TextRange &region);
  std::string askHere(const Exchange::Met &met);
  static std::string whyNotMade(const AskedValue &asked);
  bool readsWhatChanges(const std::vector<const clang::Expr *> &values,
                        const Inputs::PlaceTest &isNoMatter) const;
  std::string whyNotRepeated(const clang::Expr &condition);
  std::string askEither(const Exchange::Met &met);

  // ---- ... that is where results are stored (RecoverStored.cpp)

  Sampler::Counters countersOf(const clang::Expr &place, const clang::VarDecl *ofRows);
  bool isSetAnew(const clang::VarDecl &pointer) const;
  bool liesElsewhere(const clang::Expr &place, const Memory &written);
  const clang::Stmt *loopAround(const clang::Stmt &stmt) const;
  bool isDropped(const clang::CallExpr &call) const;
  std::string whyNotAdded(const Exchange &exchange, const clang::CallExpr &call,
                          const Exchange::Stored &stored);
  std::string whyNotStored(const Exchange &exchange, const clang::Expr &write,
                           const Exchange::Stored &stored);
  bool isReachedByOthers(const clang::VarDecl &memory) const;
  bool lookAtStored(Exchange &exchange);

  // ---- ... as matrices (RecoverStoredMatrices.cpp)

  using StoredMatrices = WaveRun::StoredMatrices;
  const clang::Expr *placeOfMatrices(const StoredMatrices &stored);
  std::string whyNoWord(const clang::Expr &value, clang::QualType as) const;
  std::string matrixText(const StoredMatrices &stored, const clang::Expr *matrix,
                         std::string &problem);
  std::string argumentsBehind(const clang::Expr &place, const StoredMatrices &stored) const;
  Memory sharedBehind(const clang::Expr &address);
  std::string whyNotStored(const Exchange &exchange, const StoredMatrices &stored);
  bool isAllOfMacro(const clang::Stmt &site, const TextRange &range);
  std::string writeMatrices(const StoredMatrices &stored);
  bool lookAtStoredMatrices(Exchange &exchange);

  // ---- ... by the name of a variable (RecoverAskedOnce.cpp)

  bool isAskable(const clang::VarDecl &variable);
  const clang::VarDecl *askedByName(const Exchange::Met &met);
  bool isMentionedBesides(const clang::VarDecl &variable,
                          llvm::function_ref<bool(const clang::DeclRefExpr &)> isKnown);
  const clang::VarDecl *onlyOwnIn(const clang::Expr &value);
  struct InOrder { // of their declarations
    bool operator()(const clang::VarDecl *a, const clang::VarDecl *b) const {
      return a->getLocation().getRawEncoding() < b->getLocation().getRawEncoding();
    }
  };
  using AskedVariables = std::map<const clang::VarDecl *, Exchange::Met, InOrder>;
  bool askEarlier(AskedVariables &once);
  std::vector<Exchange::Met> askedOnce(const std::vector<Exchange::Met> &all);

  // ---- sums of rows by an mma with constants (RecoverRowSums.cpp)

  void noteRowSums(const TextRange &site);
  std::string writeRowSums(const clang::GCCAsmStmt &stmt, const RowSums &sums);
  bool lookAtRowSums(Exchange &exchange, const Between &between);
  std::vector<TextRange> rowSums_;

  // ---- ... in a function that results are handed to (RecoverAskedIn.cpp)

  std::vector<const clang::CallExpr *> callsFromKernel(const clang::FunctionDecl &function) const;
  bool isOnlyCalled(const clang::CXXMethodDecl &lambda) const;
  bool isCalledByOthers(const clang::FunctionDecl &function) const;
  std::string whyNotAskedIn(const clang::FunctionDecl *function, const TextRange &region) const;
  void enterCall(const clang::FunctionDecl &function, const clang::CallExpr &call);
  void leaveCall(const clang::FunctionDecl &function);
  ThreadValue classifyAsked(const clang::Expr *expr);
  void enterAsked(const clang::FunctionDecl &function);
  void leaveAsked();
  // isMadeAlikeForPair() of an expression of the kernel, or of a function that it calls.
  bool isAlikeForPair(const clang::Expr &value);
  void needOfAsked(const clang::ParmVarDecl &parameter, AddressFunction &out, std::string &problem);
  std::optional<TextRange> typeOfParameter(const clang::ParmVarDecl &parameter) const;
  std::string handHalves(const clang::ParmVarDecl &parameter, const Exchange::Met &met);
  std::string handHalf(const clang::Expr &argument, const std::string &type,
                       const std::set<const clang::VarDecl *> &even);

  // Of the line.
  std::string indentOf(clang::SourceLocation at) const;
  std::string whyNotAsked(const Exchange::Met &met, const std::vector<const clang::Expr *> &values,
                          const AskedValue &asked);

  // Of variables, numbers and operators: nothing that any rule changes.
  bool isPlain(const clang::Expr &value);
  bool knowsNoThread(const clang::CallExpr &call);

  // Declared before `first`, in a block that holds both places.
  bool isVisible(const clang::VarDecl &variable, unsigned first, const TextRange &a,
                 const TextRange &b) const;
  const clang::Stmt *parentOf(const clang::DynTypedNode &node) const;

  // The site, its loops and its block are those of an expression of the kernel.
  void placeAt(const clang::Expr &expr, const TextRange &range);
  static void fail(Exchange &exchange, const std::string &problem, clang::SourceRange at);

  // A call from outside the region to a function that holds the shuffle (or what else works on
  // results as they lie here), or to one that calls such a function; but for those by kernels that
  // handle fragments, which go to `kernels`.
  const clang::CallExpr *calledElsewhere(const clang::Stmt &shuffle,
                                         const std::function<bool(const TextRange &)> &isInside,
                                         std::set<const clang::FunctionDecl *> *kernels);
  const clang::CallExpr *exchangedElsewhere(const std::vector<const clang::Stmt *> &shuffles,
                                            const std::function<bool(const TextRange &)> &isInside);
  const std::vector<clang::CallExpr *> &allCalls();
  void noteOperator(const clang::FunctionDecl &wrapper, const TextRange &definition);
  std::vector<clang::CallExpr *> allCalls_; // of the translation unit, once it is asked for
  static std::string nameCalled(const clang::CallExpr &call);
  const clang::FunctionDecl *enclosingFunction(const clang::Stmt &stmt) const;
  const clang::VarDecl *aliasBehind(const clang::VarDecl &variable, const TextRange &region) const;
  bool isUsedBehind(const clang::VarDecl &variable, const TextRange &region) const;

  // All elements of an array whose last index says which of the rows.
  std::optional<Between::Rows> wholeArray(const clang::VarDecl &variable,
                                          llvm::ArrayRef<Exchange::Rows> rows) const;
  // The author's text for the word at `offset` bytes of a variable.
  std::optional<std::string> textAt(const clang::VarDecl &variable, int64_t offset) const;

  const clang::ASTContext &context_;
  Texts texts_;
  const clang::FunctionDecl &launched_, &kernel_;
  Sampler sampler_;
  Members members_;
  std::map<const clang::FieldDecl *, const clang::Expr *> settled_; // null: not so
  std::set<const clang::FunctionDecl *> writers_;     // of members, that the sampler has seen
  const clang::CXXConstructorDecl *object_ = nullptr; // of the object whose method is walked
  std::set<const clang::FieldDecl *> neededMembers_;  // of the site
  bool saysFormulas_ = false; // in other words, where the author's cannot be
  std::map<const clang::Expr *, std::optional<Sampler::Formula>> formulas_; // of the site
  std::set<const clang::ValueDecl *> byFormula_;                            // declared anew
  Kernel out_;
  std::vector<Loop> loops_;
  std::vector<const clang::Expr *> divergent_;
  std::vector<const clang::Expr *> deciding_; // conditions of the branches around
  std::vector<Branch> branches_;
  std::string whyNotMirrored_;                    // warps that leave alone
  std::set<const clang::VarDecl *> warpCounters_; // the 32 threads of a warp have them alike
  std::vector<Apart> apart_;
  bool isOfApart_ = false; // the site stands in one of those
  const clang::Stmt *earlyReturn_ = nullptr;
  const clang::Stmt *partedReturn_ = nullptr; // of the kernel, wherever it stands
  const clang::Stmt *goesTo_ = nullptr;
  bool jumpsInMacro_ = false;                                       // where is not known
  std::vector<std::pair<TextRange, const clang::Expr *>> partings_; // a loop, and where it parts
  int inLambda_ = 0;
  const clang::VarDecl *maker_ = nullptr; // whose declaration is asked about, in whatever macro
  // Whose calls are not followed: by a value of the thread, where warps part, or in functions.
  llvm::DenseSet<const clang::Decl *> calledApart_;
  // Lambdas and functions that multiply: the one being walked, those of the products, and
  // where each is called.
  // What a function is handed at a call. It is walked once for each such set of fragments, with the
  // numbers 1, 2, ... over all functions; 0 is the kernel.
  struct Frame {
    unsigned number = 0;
    std::map<const clang::ParmVarDecl *, View> views;
  };
  const clang::Decl *owner_ = nullptr;
  const clang::FunctionDecl *function_ = nullptr;
  unsigned frame_ = 0, frameCount_ = 0; // of function_
  std::map<const clang::CXXMethodDecl *, unsigned> frameOfInstance_; // of generic lambdas
  std::vector<Owner> owners_;
  // Where functions and lambdas are called that handle fragments, by the kernel or by each other;
  // and what of the kernel's text that comes to.
  struct Called {
    const clang::FunctionDecl *caller = nullptr; // null: the kernel
    unsigned frame = 0;                          // of the caller
    CallPlace place;
  };
  std::map<Owner, std::vector<Called>> called_;
  std::map<Owner, std::vector<CallPlace>> calls_;
  std::map<const clang::FunctionDecl *, std::vector<Frame>> frames_;
  std::vector<const clang::FunctionDecl *> toWalk_;
  std::set<const clang::FunctionDecl *> walked_;
  std::map<const clang::FunctionDecl *, std::vector<Handing>> handings_;
  std::map<size_t, Owner> loadOwners_;                        // by number of the load
  std::map<size_t, std::set<const clang::VarDecl *>> inCall_; // what it is made from, likewise
  // The kernel's own pointers to rows, and the names of variables that are handed: no other use.
  std::map<const clang::VarDecl *, View> views_;
  llvm::DenseSet<const clang::Expr *> handedNames_;
  llvm::SetVector<const clang::VarDecl *> places_; // placeNamed() of a slot
  llvm::DenseSet<const clang::FunctionDecl *> recorded_;
  bool pointsInto_ = false;
  FlatOrder flatOrder_ = FlatOrder::Any;
  bool seesRows_ = false; // a row's name stands for the row
  bool multiplies_ = false;
  bool returnsSums_ = false;                       // some product's go through a function's value
  Part part_;                                      // of the call that is being looked through
  unsigned listed_ = 0;                            // elements of a list that take calls' values
  unsigned declarator_ = 0;                        // of the declaration, where it takes several
  std::set<const clang::FunctionDecl *> handing_;  // that are being looked at (handedOnBy)
  TextRange siteRange_;                            // of the load whose address is made
  const clang::CompoundStmt *siteBlock_ = nullptr; // the block it stands in
  std::vector<const clang::Expr *> selves_;        // objects of the methods that are looked through
  std::vector<const clang::VarDecl *> siteAliases_;
  std::vector<const clang::VarDecl *> siteFilled_;
  std::set<const clang::VarDecl *> inner_;                  // of functions within the site's text
  std::map<const clang::VarDecl *, std::string> siteNames_; // that are not their own
  std::map<const clang::FunctionDecl *, TextSite> textSites_;
  TemplateCalls templateCalls_;
  std::vector<PendingFilling> pending_;
  llvm::DenseSet<const clang::Stmt *> ofRuns_;      // that are taken as one
  const Filling *filling_ = nullptr;                // whose text is made
  std::string registerName_;                        // in it
  llvm::DenseSet<const clang::VarDecl *> gathered_; // declared with values that are a site's
  std::vector<const clang::Stmt *> sites_;
  std::map<const clang::VarDecl *, Forwarded> forwarded_;
  std::set<const clang::Stmt *> forwardedCopies_;
  std::map<const clang::VarDecl *, const clang::InitListExpr *> bundles_; // null: it is none
  const clang::Expr *partingIndex_ = nullptr; // of a slot, where the lanes of a wave differ
  // By product: the kernel's expressions that are its B, none where those stand elsewhere; the
  // products whose B is followed so, with what tells it apart, and why others are not.
  std::vector<std::vector<const clang::Expr *>> seconds_;
  std::set<size_t> computed_;
  std::map<size_t, uint64_t> lanewise_;
  std::map<size_t, std::string> whyNotLanewise_;
  std::map<uint64_t, Root> roots_;
  std::set<uint64_t> halves_;                      // arrays of rows that are two tiles each
  std::vector<Reordered> reordered_;
  std::map<uint64_t, Scalar> scalars_;             // by the variable's declaration
  std::vector<std::vector<uint64_t>> scalarTiles_; // variables of each tile, in order
  std::optional<Behind> behind_;
  // Functions that only compute, and exchange values of rows between the lanes that have them.
  std::set<const clang::FunctionDecl *> exchanging_;
  llvm::DenseMap<const clang::FunctionDecl *, bool> matrixFunctions_;
  std::set<const clang::FunctionDecl *> fillers_, missed_;
  // Functions that hand sums on and are followed; that may be; and of what calls that is said.
  std::set<const clang::FunctionDecl *> handingOn_, mayHandOn_;
  std::vector<std::pair<const clang::CallExpr *, const clang::FunctionDecl *>> handedOn_;
  std::set<uint64_t> handsOn_; // the sums of the epilogue that is rebound
  std::vector<std::pair<const clang::FunctionDecl *, const clang::VarDecl *>> mayFill_;
  llvm::DenseMap<const clang::CXXMethodDecl *, const clang::LambdaExpr *> lambdas_;
  std::map<const clang::FunctionDecl *, Reader> readers_; // by their texts
  std::map<uint64_t, uint64_t> madeLives_;  // of fragments that are read, too: what they are then
  std::set<const clang::VarDecl *> remade_; // of loops that are written anew
  std::vector<const clang::VarDecl *> spoken_;    // everything that the site's text names
  std::set<const clang::VarDecl *> needed_, own_; // own_: declared in the text that is rebound
  // The function that a value is asked for in, the kernel's calls of it, the parameters that the
  // value needs as halves, and what the parameters stood for before.
  struct AskedIn {
    const clang::FunctionDecl *function = nullptr;
    std::vector<const clang::CallExpr *> calls;
    std::vector<const clang::ParmVarDecl *> halves;
    std::vector<const clang::Expr *> before;
  };
  AskedIn askedIn_;
  bool asks_ = false;           // for a value that meets results
  bool fetchesNumbers_ = false; // of any kind, and structs: for an operand
  bool readsThrough_ = false;   // what pointers lead to, not where
  bool keepsSign_ = false;      // threadIdx is unsigned, also when it is another lane's
  bool putsTogether_ = false, computesBetween_ = false;
  bool storesResults_ = false, missesStores_ = false, goesToEnd_ = false;
  std::vector<Memory> storedTo_;        // by results, between the products
  std::set<const clang::Stmt *> storing_; // what does that: assignments, stmatrix
  bool warpStays_ = false;              // what the warp alone decides need not be made again
  std::set<std::string> tileVariables_; // that the port may rebind
  std::vector<AddressFunction::Variable> threads_;
};

} // namespace layout_port::native
