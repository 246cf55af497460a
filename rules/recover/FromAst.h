// From a kernel's AST to indices at program points.
//
// A kernel is walked once, from its first statement to its last, as one thread would run
// it, with lane, pair bit, wave and loop indices as variables: variables are followed through
// assignments, branches become selects, loops stay loops (their index is a variable; what
// they carry gets a closed form), device functions and lambdas are walked in place. Whoever
// wants to know something listens:
//
//   class Addresses : public Observer {
//     void onAsm(const AsmSite &site) override { ... site.operands[4].value ... }
//   };
//   KernelWalk walk(context, kernel);
//   walk.run(observer);
//   Form form = classify(walk.graph(), address);
//
// Each template instantiation is a kernel of its own. What cannot be followed is a symbol
// with a reason that names construct and line; nothing is guessed, and time is bounded.
#pragma once

#include "recover/Forms.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class CallExpr;
class Expr;
class FunctionDecl;
class GCCAsmStmt;
class Stmt;
class ValueDecl;
} // namespace clang

namespace layout_port::recover {

// The launch's block, where it is known.
struct BlockShape {
  unsigned x = 0, y = 0, z = 0;   // 0: unknown
  unsigned mostThreads = 0;       // from __launch_bounds__; 0: unknown
  std::vector<std::string> notes; // where that is from, and what was assumed

  bool isKnown() const { return x && y && z; }
  unsigned threads() const { return isKnown() ? x * y * z : mostThreads; }
};

// From launches in this translation unit (when all agree), __launch_bounds__, and, where
// neither says, from which of threadIdx.x and .y the kernel reads: blocks of one dimension,
// or (32, W), which is noted as an assumption.
BlockShape findBlockShape(clang::ASTContext &context, const clang::FunctionDecl *kernel);

// Kernels with a body that are not in system headers: templates by their instantiations.
std::vector<const clang::FunctionDecl *> findKernels(clang::ASTContext &context);

enum class Space { Local, Shared, Global, Parameter, Constant };
const char *name(Space space);

// Something with an address: a variable (each time it comes into being), or the memory
// that a pointer from outside points to.
struct Object {
  std::string name;
  const clang::ValueDecl *decl = nullptr;
  Space space = Space::Local;
  uint64_t bytes = 0;      // 0: unknown
  unsigned number = 0;     // in order of appearance
  Index address = nullptr; // a symbol, kI64
};

// A part of an object. `object` is null when the address is not counted from one; then
// `address` is all there is.
struct Place {
  const Object *object = nullptr;
  Index offset = nullptr;  // bytes into the object, kI64
  Index address = nullptr; // the whole, where it came from a pointer
  unsigned bytes = 0;
};

// What holds at a program point.
struct Condition {
  Index value = nullptr; // true here
  const clang::Stmt *at = nullptr;
  bool isExit = false; // others have left by return, break or continue
};
struct LoopScope {
  VariableId variable = 0; // counts iterations from 0; Variable::size is the trip count
  const clang::Stmt *at = nullptr;
  Index condition = nullptr;                // that it goes on; null: none
  Uniformity trips = Uniformity::Divergent; // over which threads the count is the same
  bool hasBreak = false;
};
struct Control {
  std::vector<Condition> conditions; // outermost first, those of callers too
  std::vector<LoopScope> loops;
  std::vector<const clang::CallExpr *> calls; // that are being walked in place
};

struct AccessSite {
  enum class Kind { Load, Store };
  Kind kind = Kind::Load;
  const clang::Expr *expr = nullptr;
  Place place;
  unsigned bytes = 0;
  unsigned line = 0; // in the kernel's own text: of the outermost call
};

struct AsmValue {
  const clang::Expr *expr = nullptr;
  bool isOutput = false;
  std::string constraint;
  Place place;           // of what can be assigned to
  Index value = nullptr; // before the asm; null for floating point
};
struct AsmSite {
  const clang::GCCAsmStmt *stmt = nullptr;
  std::string text;
  std::vector<std::string> names; // of %[name], by number
  std::vector<AsmValue> operands; // outputs first, as %n counts
  unsigned line = 0;
};

struct ShuffleSite {
  const clang::CallExpr *call = nullptr;
  std::string name;       // "__shfl_xor_sync"
  Index source = nullptr; // the lane that is read, kI32
  unsigned line = 0;
};

struct AssignSite {
  const clang::Expr *expr = nullptr; // the assignment, or the initializer
  Place place;
  const clang::Expr *value = nullptr;
  unsigned line = 0;
};

struct BranchSite {
  const clang::Stmt *at = nullptr;
  Index condition = nullptr;
  Uniformity uniformity = Uniformity::Divergent;
  bool isLoop = false;
  unsigned line = 0;
};

class Observer {
public:
  virtual ~Observer();
  // Reads and writes of memory that is not the thread's own.
  virtual void onAccess(const AccessSite &, const Control &) {}
  virtual void onAsm(const AsmSite &, const Control &) {}
  virtual void onShuffle(const ShuffleSite &, const Control &) {}
  // A value given to a part of a local variable.
  virtual void onAssign(const AssignSite &, const Control &) {}
  virtual void onBranch(const BranchSite &, const Control &) {}
  virtual void onBarrier(const clang::CallExpr *, const Control &) {}
  // Any call, before what it does.
  virtual void onCall(const clang::CallExpr *, const Control &) {}
};

class Walk;

class KernelWalk {
public:
  KernelWalk(clang::ASTContext &context, const clang::FunctionDecl *kernel);
  // With a block that the caller knows better.
  KernelWalk(clang::ASTContext &context, const clang::FunctionDecl *kernel, BlockShape block);
  ~KernelWalk();

  // Once.
  void run(Observer &observer);

  IndexGraph &graph();
  const ThreadVariables &threads() const;
  const BlockShape &block() const;

  // After run(), or from an observer: the value that an expression of the kernel had where
  // it stands (an address for a pointer). Null when it was not reached, is no integer or
  // pointer, or had different values because its function is called at several places.
  Index valueOf(const clang::Expr *expr) const;
  // The same for what can be assigned to: which part of which object.
  std::optional<Place> placeOf(const clang::Expr *expr) const;

  // Why the walk gave up before the end (it is too long); empty when it did not.
  const std::string &problem() const;

private:
  std::unique_ptr<Walk> walk_;
};

} // namespace layout_port::recover
