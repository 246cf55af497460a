// The walk behind FromAst.h: one thread's run of a kernel with indices for values.
//
//   expressions   Expressions.cpp   rvalue(): an index; place(): which part of which object
//   calls         Calls.cpp         functions and lambdas in place, intrinsics by name
//   statements    Statements.cpp    branches merge what both arms assign
//   loops         Loops.cpp         closed forms of what an iteration hands to the next
//   asm           AsmEffects.cpp    integer arithmetic in PTX; the rest is unknown
//   memory        Memory.cpp        what the thread's own variables hold
#pragma once

#include "recover/FromAst.h"
#include "recover/Memory.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>
#include <functional>

namespace layout_port::recover {

class Walk {
public:
  Walk(clang::ASTContext &context, const clang::FunctionDecl *kernel, BlockShape block);

  void run(Observer &observer);

  IndexGraph graph;
  ThreadVariables threads;
  BlockShape block;
  std::string problem;

  Index valueOf(const clang::Expr *expr) const;
  std::optional<Place> placeOf(const clang::Expr *expr) const;

private:
  // How a statement ends.
  enum class Flow { Next, Gone }; // Gone: return, break or continue on every path

  // A value that left a function or an iteration early, and when.
  struct Exit {
    Index condition; // of being here, since the frame began
    Index value;     // of a return; null
    Environment environment;
  };
  struct Frame {
    const clang::FunctionDecl *function = nullptr;
    size_t conditions = 0; // length of the list when the frame began
    std::vector<Exit> returns;
    std::optional<Place> result; // where a returned record is put
  };
  struct LoopFrame {
    size_t conditions = 0;
    std::vector<Exit> continues;
    std::vector<Index> exits; // conditions of break, and of return from here
    bool hasBreak = false, hasReturn = false;
  };
  struct Closure {
    const clang::LambdaExpr *lambda = nullptr;
    std::vector<std::pair<const clang::ValueDecl *, Place>> copies;
  };

  // ---- Expressions
  Index rvalue(const clang::Expr *e);
  Index compute(const clang::Expr *e);
  Index computeOther(const clang::Expr *e);
  Index cast(const clang::CastExpr *e);
  Index unary(const clang::UnaryOperator *e);
  Index binary(const clang::BinaryOperator *e);
  Index arithmetic(clang::BinaryOperatorKind kind, Index a, Index b, const clang::Expr *e);
  Index pointerArithmetic(const clang::BinaryOperator *e);
  Index logical(const clang::BinaryOperator *e);
  Index conditional(const clang::AbstractConditionalOperator *e);
  Index assign(const clang::BinaryOperator *e);
  Index compoundAssign(const clang::CompoundAssignOperator *e);
  Index increment(const clang::UnaryOperator *e);
  std::optional<Index> constantOf(const clang::Expr *e);

  Place place(const clang::Expr *e);
  Place computePlace(const clang::Expr *e);
  Place placeOfVariable(const clang::ValueDecl *decl);
  Place member(const clang::MemberExpr *e);
  Place subscript(const clang::ArraySubscriptExpr *e);
  Place pointee(Index address, unsigned bytes);
  Place placeOfAssigned(const clang::Expr *e);
  Place materialize(const clang::Expr *e);
  Place conditionalPlace(const clang::AbstractConditionalOperator *e);
  Place at(const Place &place, Index moreBytes, unsigned bytes);
  // Where a record-valued expression's value lies (a new object for temporaries).
  Place record(const clang::Expr *e);
  void initialize(const Place &place, clang::QualType type, const clang::Expr *init);
  void initializeList(const Place &place, clang::QualType type, const clang::InitListExpr *list);
  void construct(const Place &place, const clang::CXXConstructExpr *e);
  void zeroArray(const Place &place, clang::QualType type);
  void capture(const clang::LambdaExpr *lambda);
  void copyRecord(const Place &to, const Place &from);
  void copyParts(const Place &to, const Place &from);

  Index load(const Place &place, clang::QualType type, const clang::Expr *e);
  void store(const Place &place, Index value, const clang::Expr *e, const clang::Expr *from);
  Index addressOf(const Place &place);
  bool mentionsNode(Index e, Index what);

  // ---- Calls
  Index call(const clang::CallExpr *e);
  std::optional<Index> intrinsic(const clang::CallExpr *e, llvm::StringRef name);
  std::optional<Index> specialRegister(llvm::StringRef name);
  Index shuffle(const clang::CallExpr *e, llvm::StringRef name);
  Index walkFunction(const clang::CallExpr *e, const clang::FunctionDecl *callee);
  static const clang::Stmt *findGoto(const clang::Stmt *s);
  bool mayWalk(const clang::FunctionDecl *callee) const;
  void bindParameters(const clang::FunctionDecl *callee, llvm::ArrayRef<const clang::Expr *> args);
  Index opaqueCall(const clang::CallExpr *e);
  const clang::LambdaExpr *lambdaOf(const clang::Expr *e);

  // ---- Statements
  Flow statement(const clang::Stmt *s);
  Flow compound(const clang::CompoundStmt *s);
  Flow ifStatement(const clang::IfStmt *s);
  Flow switchStatement(const clang::SwitchStmt *s);
  static bool endsWithBreak(const clang::Stmt *s);
  void declare(const clang::VarDecl *decl);
  Flow leave(const clang::ReturnStmt *s);
  // Runs `a` where the condition holds and `b` where not, and merges.
  Flow branch(Index condition, const clang::Stmt *at, const std::function<Flow()> &a,
              const std::function<Flow()> &b);
  Environment merged(Index condition, const Environment &a, const Environment &b,
                     const clang::Stmt *at);
  Index pathSince(size_t from);
  Index resultOf(Frame &frame, clang::QualType type, const clang::Stmt *at);

  // ---- Loops
  struct LoopParts {
    const clang::Stmt *at = nullptr;
    const clang::Expr *condition = nullptr;
    const clang::Expr *step = nullptr;
    const clang::Stmt *body = nullptr;
    const clang::VarDecl *conditionVariable = nullptr;
    bool testsFirst = true; // false: do ... while
  };
  Flow loop(const LoopParts &parts);
  struct Carried {
    const Object *object;
    Index offset;
    unsigned bytes;
    Index before, placeholder;
    Index after = nullptr;   // an iteration, of the placeholders
    Index atStart = nullptr; // closed form over the iteration
  };
  std::vector<Carried> carriedBy(const LoopParts &parts);
  LoopFrame runIteration(const LoopParts &parts, Index *condition);
  // A round of `before` objects that changed unannounced; true when the walk must be redone.
  bool addSurprises(std::vector<Carried> &carried, const Environment &before);
  void solveCarried(std::vector<Carried> &carried, VariableId t);
  Index closedForm(const Carried &c, const std::map<Index, Index, ByNumber> &solved,
                   const std::vector<Carried> &all, VariableId t);
  Index orbit(const Carried &c, VariableId t);
  Index listed(const std::vector<Index> &values, Index place);
  Index recurrence(const Carried &c, const std::map<Index, Index, ByNumber> &own, VariableId t);
  std::optional<uint64_t> tripCount(Index condition, VariableId t);
  Uniformity tripUniformity(Index test, const std::vector<Index> &exits, VariableId t,
                            uint64_t size);
  void noteReturns(const std::vector<Index> &exits, const LoopParts &parts);
  void leaveLoop(const LoopParts &parts, const std::vector<Carried> &carried,
                 const Environment &before, VariableId t, std::optional<uint64_t> trips,
                 Index test);
  Index replaceSymbols(Index e, const std::map<Index, Index, ByNumber> &by);

  // ---- Asm
  void inlineAsm(const clang::GCCAsmStmt *s);

  // ---- Objects
  Object *newObject(const std::string &name, const clang::ValueDecl *decl, Space space,
                    uint64_t bytes, unsigned alignment);
  Object *objectOf(const clang::VarDecl *decl);
  Index parameterPart(const Place &place, clang::QualType type);
  std::optional<Index> constantTable(const Place &place, clang::QualType type);

  Index tabulate(Index offset, const std::function<Index(Index)> &f);

  // ---- Small things
  std::optional<IndexType> typeOf(clang::QualType type) const;
  uint64_t sizeOf(clang::QualType type) const;
  Index number(int64_t v, IndexType type = kI64) { return graph.constant(uint64_t(v), type); }
  Index opaque(clang::QualType type, const std::string &name, const std::vector<Index> &of,
               const clang::Stmt *at, const std::string &reason);
  // May differ from thread to thread and from iteration to iteration.
  Index unknown(clang::QualType type, const clang::Stmt *at, const std::string &reason);
  Index fit(Index value, clang::QualType type);
  // Gives up on all code to come: it has been too much.
  bool exhausted(const clang::Stmt *s);
  std::vector<Index> everything();
  std::vector<Index> loopsNow();
  unsigned lineOf(const clang::Stmt *s) const;
  unsigned outerLine(const clang::Stmt *s) const;
  std::string where(const clang::Stmt *s) const;
  std::string textOf(const clang::Stmt *s) const;
  bool live() const { return observer_ && muted_ == 0; }
  void remember(const clang::Expr *e, Index value);

  clang::ASTContext &context_;
  const clang::FunctionDecl *kernel_;
  Observer *observer_ = nullptr;
  int muted_ = 0;
  uint64_t steps_ = 0;
  Environment environment_;
  Control control_;
  std::vector<Frame> frames_;
  std::vector<LoopFrame> loopFrames_;
  std::deque<Object> objects_;
  llvm::DenseMap<const clang::ValueDecl *, Place> bindings_;
  llvm::DenseMap<const clang::VarDecl *, Object *> statics_;
  llvm::DenseMap<const clang::LambdaExpr *, Closure> closures_;
  llvm::DenseMap<const clang::ValueDecl *, const clang::LambdaExpr *> lambdas_;
  Place this_;
  std::optional<Place> result_;          // where the next call is to put its record
  const clang::Expr *current_ = nullptr; // the expression that copies a record
  Place returnedPlace_;                  // of the last call of a function that returns a reference
  std::map<std::string, Index> specials_;
  std::map<std::pair<int, bool>, Index> exhausted_;
  std::map<std::pair<unsigned, Index>, Index> parameterParts_;
  llvm::DenseMap<const clang::Expr *, Index> values_; // null: several
  llvm::DenseMap<const clang::Expr *, Place> places_;
};

} // namespace layout_port::recover
