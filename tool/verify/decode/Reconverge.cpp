// See Reconverge.h. Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on
// the reversed graph: https://www.cs.tufts.edu/~nr/cs257/archive/keith-cooper/dom14.pdf
#include "decode/Reconverge.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

namespace layout_port::verify {

constexpr unsigned kNone = ~0u;

Reconvergence::Reconvergence(const llvm::Function &function)
    : plain_(const_cast<llvm::Function &>(function)) {
  findDoomed(function);
  if (doomed_.empty())
    return;
  number(function);
  solve();
}

void Reconvergence::findDoomed(const llvm::Function &function) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::BasicBlock &block : function) {
      const bool ends = llvm::isa<llvm::UnreachableInst>(block.getTerminator());
      const bool leads = llvm::succ_begin(&block) != llvm::succ_end(&block) &&
                         llvm::all_of(llvm::successors(&block), [&](const llvm::BasicBlock *next) {
                           return doomed_.contains(next);
                         });
      if (ends || leads)
        changed |= doomed_.insert(&block).second;
    }
  }
}

Reconvergence::Blocks Reconvergence::successors(const llvm::BasicBlock *block) const {
  Blocks result;
  for (const llvm::BasicBlock *next : llvm::successors(block))
    if (!doomed_.contains(next))
      result.push_back(next);
  return result;
}

// In post-order of the reversed graph, so that what is nearer to the exit has the higher
// number. What cannot reach the exit gets none.
void Reconvergence::number(const llvm::Function &function) {
  llvm::DenseMap<const llvm::BasicBlock *, Blocks> before;
  for (const llvm::BasicBlock &block : function)
    for (const llvm::BasicBlock *next : successors(&block))
      before[next].push_back(&block);
  llvm::DenseSet<const llvm::BasicBlock *> seen;
  std::vector<std::pair<const llvm::BasicBlock *, size_t>> path;
  for (const llvm::BasicBlock &exit : function) {
    if (!llvm::isa<llvm::ReturnInst>(exit.getTerminator()))
      continue;
    seen.insert(&exit);
    path.push_back({&exit, 0});
    while (!path.empty()) {
      auto &[block, done] = path.back();
      const Blocks &more = before[block];
      if (done < more.size()) {
        const llvm::BasicBlock *next = more[done++];
        if (seen.insert(next).second)
          path.push_back({next, 0});
        continue;
      }
      numbers_[block] = unsigned(blocks_.size());
      blocks_.push_back(block);
      path.pop_back();
    }
  }
}

unsigned Reconvergence::meet(unsigned a, unsigned b) const {
  while (a != b)
    (a < b ? a : b) = next_[a < b ? a : b];
  return a;
}

void Reconvergence::solve() {
  const unsigned exit = unsigned(blocks_.size());
  next_.assign(exit + 1, kNone);
  next_[exit] = exit;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned block = exit; block-- > 0;) {
      unsigned found = llvm::isa<llvm::ReturnInst>(blocks_[block]->getTerminator()) ? exit : kNone;
      for (const llvm::BasicBlock *next : successors(blocks_[block])) {
        const auto known = numbers_.find(next);
        if (known == numbers_.end() || next_[known->second] == kNone)
          continue;
        found = found == kNone ? known->second : meet(found, known->second);
      }
      changed |= found != next_[block];
      next_[block] = found;
    }
  }
}

const llvm::BasicBlock *Reconvergence::of(const llvm::BasicBlock *block) const {
  const auto number = numbers_.find(block);
  if (number != numbers_.end())
    return next_[number->second] < blocks_.size() ? blocks_[next_[number->second]] : nullptr;
  auto *node = plain_.getNode(block);
  auto *next = node ? node->getIDom() : nullptr;
  return next ? next->getBlock() : nullptr;
}

} // namespace layout_port::verify
