// What running a piece of the kernel does to the world.
//
// The port runs some expressions more often than CUDA does, or on other lanes: addresses, operands,
// conditions of masks, what stands beside the stores. That is right for what only computes:
//
//   changes nothing   row * ld + swizzle(col); functions, constructors and operators whose bodies
//                     change variables of their own alone
//   changes           n++, next(&n), atomicAdd(); a function that counts its calls, a constructor
//                     that writes through a pointer, an object whose end is a function's
//
// Only changes are looked for. Whether a value is another one on another lane is asked elsewhere.
#pragma once

#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"

namespace layout_port::native {

// A call that only computes: running it more or less often changes nothing, but for what a plain
// assignment writes. PTX in it may convert, no more, as its lanes are not known.
bool onlyComputes(const clang::CallExpr &call);
// ... but for what it changes of the object that it is called for.
bool changesOnlyIts(const clang::CXXMemberCallExpr &call);
// ... but for shuffles, which every lane of the warp takes part in.
bool onlyComputesInWarp(const clang::CallExpr &call);

// An expression or statement that changes nothing but what is declared in it. PTX in it may only
// compute.
bool changesNothing(const clang::Stmt &stmt);

// Functions of CUDA's that act on memory or on other lanes.
bool actsByName(llvm::StringRef cudaName);

// Why the statement acts on memory or on other lanes ("is made with st.global in PTX"); empty if it
// only computes.
std::string actsInPtx(const clang::GCCAsmStmt &stmt);

} // namespace layout_port::native
