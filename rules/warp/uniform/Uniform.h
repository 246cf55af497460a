// What in a function differs between the lanes of a warp, and what between warps:
// read from tokens, so that it holds in every instantiation and dead #if arm.
//
//   int tid = threadIdx.x;      tid     by lane
//   int warp = tid / 32;        warp    by warp
//   float s = alpha * 2;        s       never
//
// A name's answer is the largest over all its assignments. threadIdx.y and .z count
// as by lane, for a block of (8, 8) splits its warps along y.
#pragma once

#include "source/Tokens.h"

#include "llvm/ADT/StringMap.h"

namespace layout_port {

enum class Varies { Never, ByWarp, ByLane };

class Uniformity {
public:
  // Looks at the function body around token `i`.
  Uniformity(const TokenStream &tokens, size_t i);

  Varies of(TokenStream::Range expression) const;
  // Of the name at token i alone, in an expression that ends before `last`.
  Varies ofName(size_t i, size_t last) const;
  // May the condition send lanes of one warp different ways? `tid < 64` may not.
  bool splitsWarp(TokenStream::Range condition) const;
  // Does the condition hold for one thread of a block at most: `threadIdx.x == 0 && more`?
  bool admitsOneThread(TokenStream::Range condition) const;
  // Is it the number of a thread in its block, threadIdx.x or what linearises all three?
  bool isThreadNumber(TokenStream::Range expression) const;
  // The function's body, braces included; empty outside of functions.
  TokenStream::Range body() const { return body_; }

private:
  bool visitAssignments();
  bool mentions(llvm::StringRef name, llvm::StringRef member) const;

  const TokenStream &tokens_;
  TokenStream::Range body_{0, 0};
  llvm::StringMap<Varies> names_;
};

// The name that owns what ends before token `end`, over subscripts and members:
// `c[i].x` is c; tokens.size() if there is none from `first` on.
size_t owningName(const TokenStream &tokens, size_t end, size_t first);

// The tokens of the statement that begins at `first`, one past its end: a block, a
// simple statement, or a for, while or if with what hangs on it.
size_t endOfStatement(const TokenStream &tokens, size_t first);

} // namespace layout_port
