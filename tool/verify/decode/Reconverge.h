// Where lanes meet again that a branch has parted: its immediate post-dominator.
//
//   switch ─▶ one ─┐            what is unreachable is no way to go on: `meet` is where
//     │  └──▶ two ─┼─▶ meet     they meet, though `never` does not lead there
//     └──▶ never
//
// LLVM counts a block that ends in `unreachable` as one more exit of the function, so that
// nothing would post-dominate such a switch.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>

namespace layout_port::verify {

class Reconvergence {
public:
  explicit Reconvergence(const llvm::Function &function);
  // Null: they do not meet before they leave the function.
  const llvm::BasicBlock *of(const llvm::BasicBlock *block) const;

private:
  using Blocks = llvm::SmallVector<const llvm::BasicBlock *, 4>;
  void findDoomed(const llvm::Function &function);
  Blocks successors(const llvm::BasicBlock *block) const;
  void number(const llvm::Function &function);
  void solve();
  unsigned meet(unsigned a, unsigned b) const;

  llvm::PostDominatorTree plain_;
  llvm::DenseSet<const llvm::BasicBlock *> doomed_; // all ways from here end in `unreachable`
  // Blocks by number, exits last; behind them the virtual exit.
  std::vector<const llvm::BasicBlock *> blocks_;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> numbers_;
  std::vector<unsigned> next_; // the immediate post-dominator
};

} // namespace layout_port::verify
