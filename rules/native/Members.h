// What the program writes to the members of its classes, over the whole translation unit:
//
//   struct Loop {
//     int lane, wm;
//     __device__ void init() {
//       lane = threadIdx.x & 31;             // once, here: whoever reads it gets this
//       wm = (threadIdx.x >> 5 & 1) * 32;
//     }
//
// A member counts as written once where nothing but that one place can give it a value, in no
// object of the class: none is copied, made from a list, kept in another object or an array, or
// reached by a pointer, and of the member itself no address or reference is taken. What is left
// besides is an object that has no value yet, and who reads that reads nothing.
#pragma once

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

#include <map>
#include <set>
#include <vector>

namespace layout_port::native {

class Members {
public:
  explicit Members(const clang::ASTContext &context) : context_(context) {}

  struct Write {
    const clang::Expr *value = nullptr;      // null: made from what it was, n += 1
    const clang::FunctionDecl *by = nullptr; // null: the member's own declaration
    bool isInitial = false;                  // where the constructor's body has not begun
    bool isInside = false; // of an object by itself: what is `this` in the value is that object
  };
  // The one write; null: there are several, or something else may write it.
  const Write *once(const clang::FieldDecl &field);
  // Only the constructors of its object write it.
  bool isOfConstructors(const clang::FieldDecl &field);

private:
  class Reader;
  void read();
  bool isClear(const clang::FieldDecl &field) const;

  const clang::ASTContext &context_;
  bool isRead_ = false;
  std::map<const clang::FieldDecl *, std::vector<Write>> writes_;
  std::set<const clang::FieldDecl *> unclear_;
  std::set<const clang::RecordDecl *> unclearClasses_;
};

} // namespace layout_port::native
