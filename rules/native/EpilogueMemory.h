// What the statements of an epilogue read and write.
//
// Other lanes run them, and in another order: that is right where no read sees what another lane
// wrote. So of each access it is told which variable its address is counted from:
//
//   const float4 *in = (const float4 *)&D[row * N];
//   C[row * N + col] = in[col / 4].x;                 C is written, D is read
//
// Functions of the author's do with what they are given what their bodies say.
#pragma once

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

#include <map>
#include <set>
#include <vector>

namespace layout_port::native {

// ---- memory

// A read or a write of memory, and the variable that its address is counted from (none
// where that is not clear).
struct Touch {
  const clang::Expr *place = nullptr;
  const clang::VarDecl *root = nullptr;
  bool isWrite = false, isRead = false;
  const clang::CallExpr *call = nullptr; // of the function that holds the place
  // Of a struct that the kernel is given, the pointer: `params.out`.
  const clang::FieldDecl *member = nullptr;

  // Are both counted from one pointer?
  bool isOfSame(const Touch &other) const { return root == other.root && member == other.member; }

  // Where the statements themselves do it.
  const clang::Stmt *anchor() const {
    return call ? static_cast<const clang::Stmt *>(call) : place;
  }
};

// __stcs(p, x) and its kin: *p = x, with a word for the cache.
bool isCachedStore(const clang::CallExpr &call);
// A function of the author's, or a lambda, that only writes what it is given.
const clang::FunctionDecl *storingFunction(const clang::CallExpr &call);
const clang::Expr *argumentOf(const clang::CallExpr &call, unsigned parameter);
// The object that a method of the author's is called on, where that is a variable.
const clang::VarDecl *objectOf(const clang::CallExpr &call);

// An element, what a pointer leads to, or a member of that.
bool isMemory(const clang::Expr *expr);
// The variable that its address is counted from; of a parameter that is a struct, and its member.
const clang::VarDecl *rootOfPlace(const clang::Expr *place, int depth,
                                  const clang::FieldDecl **member = nullptr);
// this->out of this->out[i]; none where the place has another root.
const clang::MemberExpr *memberOfThis(const clang::Expr *expr);
// A part of the object itself, behind no pointer.
bool isPartOfThis(const clang::Expr *place);

// What is read and written below a statement.
class Touches : public clang::DynamicRecursiveASTVisitor {
public:
  bool TraverseStmt(clang::Stmt *stmt) override;
  static bool isAtomic(const clang::CallExpr *call);

  std::vector<Touch> all;
  std::vector<const clang::Expr *> variables; // that are assigned

private:
  void addFunction(const clang::CallExpr &call, const clang::FunctionDecl &function);
  bool inside(const clang::Expr *place);
  bool address(const clang::Expr *expr);
  void written(const clang::Expr *target, bool isRead);

  bool isInFunction_ = false;
};
std::vector<Touch> touchesOf(const clang::Stmt *stmt);
// What the address of an access in the function is counted from, at the call.
const clang::VarDecl *rootSeenFrom(const clang::CallExpr &call, const clang::FunctionDecl &function,
                                   const Touch &touch);

// ---- values that live in registers

bool isSharedVariable(const clang::VarDecl *variable);
// auto &smem = *reinterpret_cast<Smem *>(raw): the variable in whose memory the place is; null: it
// is no such reference.
const clang::VarDecl *sharedNamedBy(const clang::VarDecl &reference);
// Of two variables that lead to memory: it is not the same. All dynamic shared memory begins at one
// place; `restrict` says it of a pointer.
bool leadApart(const clang::VarDecl &a, const clang::VarDecl &b);
// A variable of the thread's own that is no number: an array or struct in registers.
bool isRegisters(const clang::VarDecl *variable);

// What every variable of the kernel is computed from.
class Values : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitVarDecl(clang::VarDecl *variable) override;
  bool VisitBinaryOperator(clang::BinaryOperator *op) override;
  bool VisitUnaryOperator(clang::UnaryOperator *op) override;
  bool VisitCallExpr(clang::CallExpr *call) override;
  bool VisitGCCAsmStmt(clang::GCCAsmStmt *stmt) override;

  std::map<const clang::VarDecl *, std::vector<const clang::Expr *>> from;
  std::set<const clang::VarDecl *> lent;

private:
  void lend(const clang::Expr *expr);
};

// The variables that a statement names.
std::vector<const clang::DeclRefExpr *> mentionsIn(const clang::Stmt *stmt);
std::set<const clang::VarDecl *> namesIn(const clang::Stmt *stmt);

} // namespace layout_port::native
