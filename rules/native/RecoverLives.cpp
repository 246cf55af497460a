// Behind its last product, an operand's array may serve the kernel for something else:
//
//   RA[0][j][0] = RC[i][j][0];                        // what the quad's lanes have, side by side
//   RA[0][j][1] = __shfl_sync(~0u, RC[i][j][0], lane + 1);
//   ...
//   LDST128BITS(C[at]) = LDST128BITS(RA[0][j][0]);
//
// Where every word that is read there was written there before, it is a variable like any other:
// that operands lay in it by the MFMA's layout is nobody's business any more. A word counts as
// written when a store stands in front of the read in a block that holds both, with nothing around
// it on the way there but loops whose turns are known, and these together reach it. A pointer that
// is made there, and stays where it points, is another name for the words from there on:
//
//   uint32_t *z = reinterpret_cast<uint32_t *>(&RA[0][0]);
//   z[1] = __shfl_sync(~0u, RC[i][j][0], lane + 1);
#include "native/Recovery.h"

#include "native/FragmentName.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int64_t kWordBytes = 4;
constexpr size_t kMostTurns = 4096;

using Turns = std::map<std::string, int64_t>; // the values of loop variables

// One mention of the array: the words from `indices` on.
struct Access {
  std::vector<const Stmt *> around; // outermost first, up to the mention
  std::vector<Index> indices;
  std::optional<Index> step; // through a pointer: words behind that
  std::vector<Loop> loops;   // of `around`
  int64_t words = 1;
  bool isWrite = false;
};

} // namespace

class Recovery::Lives {
public:
  Lives(Recovery &recovery, const VarDecl &variable, const std::vector<const Stmt *> &tail)
      : r_(recovery), variable_(variable), tail_(tail) {}

  // Everything that is read was written before.
  bool areNew() {
    QualType type = variable_.getType();
    for (const auto *array = r_.context_.getAsConstantArrayType(type); array;
         array = r_.context_.getAsConstantArrayType(type)) {
      extents_.push_back(static_cast<int64_t>(array->getSize().getZExtValue()));
      type = array->getElementType();
    }
    if (extents_.empty() || !type->isArithmeticType() || r_.context_.getTypeSize(type) != 32)
      return false;
    findPointers();
    Mentions mentions([&](const DeclRefExpr &name) {
      const bool isIts = name.getDecl() == &variable_ || pointers_.count(name.getDecl());
      isKnown_ = isKnown_ && (!isIts || inits_.count(&name) || add(name));
    });
    for (const Stmt *stmt : tail_)
      mentions.TraverseStmt(const_cast<Stmt *>(stmt));
    return isKnown_ && llvm::all_of(accesses_, [&](const Access &access) {
             return access.isWrite || isWritten(access);
           });
  }

  bool isPointer(const VarDecl *variable) const { return pointers_.count(variable) != 0; }

private:
  const Stmt *parentOf(const Stmt &stmt) const {
    return r_.parentOf(DynTypedNode::create(stmt));
  }

  // T *p = (T *)&X[i][j]; of 32 bits each, and no more is done to p.
  void findPointers() {
    class Declared : public DynamicRecursiveASTVisitor {
    public:
      bool VisitVarDecl(VarDecl *variable) override {
        all.push_back(variable);
        return true;
      }
      std::vector<const VarDecl *> all;
    };
    Declared declared;
    for (const Stmt *stmt : tail_)
      declared.TraverseStmt(const_cast<Stmt *>(stmt));
    for (const VarDecl *variable : declared.all) {
      const QualType type = variable->getType();
      const auto *address =
          variable->getInit() ? dyn_cast<UnaryOperator>(variable->getInit()->IgnoreParenCasts())
                              : nullptr;
      if (!type->isPointerType() || !type->getPointeeType()->isArithmeticType() ||
          r_.context_.getTypeSize(type->getPointeeType()) != 32 || !address ||
          address->getOpcode() != UO_AddrOf || r_.sampler_.changes(variable) ||
          r_.sampler_.changesUnseen(variable))
        continue;
      std::vector<Index> indices;
      const Expr *place = address->getSubExpr()->IgnoreParens();
      for (; const auto *element = dyn_cast<ArraySubscriptExpr>(place);
           place = element->getBase()->IgnoreParenImpCasts())
        indices.insert(indices.begin(), r_.indexOf(element->getIdx(), nullptr));
      const auto *name = dyn_cast<DeclRefExpr>(place);
      if (!name || name->getDecl() != &variable_ || indices.size() > extents_.size())
        continue;
      // A counter there may be another where the pointer is used.
      if (llvm::any_of(indices, [](const Index &index) { return !index.literal; }))
        continue;
      Index first;
      first.literal = 0;
      indices.resize(extents_.size(), first);
      inits_.insert(name);
      pointers_[variable] = indices;
    }
  }

  // X[i][j][r], read or written, or the address of it as that of a vector which is.
  bool add(const DeclRefExpr &name) {
    Access access;
    const Stmt *at = &name;
    const auto pointer = pointers_.find(name.getDecl());
    const size_t depth = pointer == pointers_.end() ? extents_.size() : 1;
    std::vector<const Expr *> subscripts;
    const Stmt *above = parentOf(*at);
    for (; above; at = above, above = parentOf(*above)) {
      const auto *element = dyn_cast<ArraySubscriptExpr>(above);
      if (element && element->getBase() == at && subscripts.size() < depth)
        subscripts.push_back(element->getIdx());
      else if (!isa<ParenExpr>(above) && !isDecay(*above) &&
               (pointer == pointers_.end() || !subscripts.empty() || !isRead(*above)))
        break;
    }
    if (!above || subscripts.size() != depth)
      return false;
    if (const auto *address = dyn_cast<UnaryOperator>(above);
        address && address->getOpcode() == UO_AddrOf) {
      at = vectorAt(*address, access.words);
      above = at ? parentOf(*at) : nullptr;
    }
    while (above && isa<ParenExpr>(above))
      at = above, above = parentOf(*above);
    if (!above)
      return false;
    const auto *assignment = dyn_cast<BinaryOperator>(above);
    access.isWrite =
        assignment && assignment->getOpcode() == BO_Assign && assignment->getLHS() == at;
    if (!access.isWrite && !isRead(*above) && !isCopied(*above, *at, access))
      return false;
    for (const Expr *subscript : subscripts)
      access.indices.push_back(r_.indexOf(subscript, nullptr));
    if (pointer != pointers_.end())
      access.step = std::exchange(access.indices, pointer->second)[0];
    return place(name, access);
  }
  static bool isRead(const Stmt &stmt) {
    const auto *cast = dyn_cast<CastExpr>(&stmt);
    return cast && cast->getCastKind() == CK_LValueToRValue;
  }
  static bool isDecay(const Stmt &stmt) {
    const auto *cast = dyn_cast<ImplicitCastExpr>(&stmt);
    return cast && cast->getCastKind() == CK_ArrayToPointerDecay;
  }
  // Vectors of CUDA's are copied by functions of their own.
  static bool isCopied(const Stmt &above, const Stmt &at, Access &access) {
    const auto *op = dyn_cast<CXXOperatorCallExpr>(&above);
    if (op && op->getOperator() == OO_Equal && op->getNumArgs() == 2 && op->getArg(0) == &at)
      return access.isWrite = true;
    const auto *cast = dyn_cast<ImplicitCastExpr>(&above);
    return (op && op->getOperator() == OO_Equal && op->getArg(1) == &at) ||
           (cast && cast->getCastKind() == CK_NoOp && cast->getType().isConstQualified());
  }
  // (T *)&x, as *p or p[0]: the expression, and how many words it has.
  const Stmt *vectorAt(const Stmt &address, int64_t &words) const {
    const Stmt *at = &address;
    for (const Stmt *above = parentOf(*at); above; at = above, above = parentOf(*above)) {
      if (isa<ParenExpr, CastExpr>(above))
        continue;
      const auto *deref = dyn_cast<UnaryOperator>(above);
      const auto *element = dyn_cast<ArraySubscriptExpr>(above);
      const bool isFirst = (deref && deref->getOpcode() == UO_Deref) ||
                           (element && element->getBase() == at &&
                            r_.constant(element->getIdx()) == std::optional<int64_t>(0));
      if (!isFirst)
        return nullptr;
      const QualType type = cast<Expr>(above)->getType();
      if (type->isIncompleteType())
        return nullptr;
      words = r_.context_.getTypeSizeInChars(type).getQuantity() / kWordBytes;
      return words > 0 ? above : nullptr;
    }
    return nullptr;
  }

  bool place(const DeclRefExpr &name, Access &access) {
    for (const Stmt *stmt = &name; stmt; stmt = parentOf(*stmt)) {
      access.around.insert(access.around.begin(), stmt);
      if (llvm::is_contained(tail_, stmt)) {
        for (const Stmt *loop : access.around)
          if (const auto range = r_.texts_.statement(loop->getSourceRange());
              isa<ForStmt>(loop) && range)
            access.loops.push_back(r_.loopOf(loop, *range));
        accesses_.push_back(std::move(access));
        return true;
      }
    }
    return false;
  }

  // ---- what is written

  bool isWritten(const Access &read) const {
    Turns turns;
    bool all = true;
    size_t left = kMostTurns;
    return inTurns(read.loops, 0, turns, left, [&] {
             for (int64_t w = 0; all && w < read.words; ++w) {
               const auto word = wordAt(read, turns);
               all = word && llvm::any_of(accesses_, [&](const Access &write) {
                       return write.isWrite && reaches(write, read, turns, *word + w);
                     });
             }
           }) &&
           all;
  }

  // For every turn of the loops from number `first` on. False: they are not known.
  static bool inTurns(const std::vector<Loop> &loops, size_t first, Turns &turns, size_t &left,
                      const std::function<void()> &visit) {
    if (first == loops.size()) {
      visit();
      return left-- > 0;
    }
    const Loop &loop = loops[first];
    if (!loop.first || !loop.last || !loop.step || *loop.step <= 0 || loop.variable.empty())
      return false;
    for (int64_t turn = *loop.first; turn < *loop.last; turn += *loop.step) {
      turns[loop.variable] = turn;
      if (!left || !inTurns(loops, first + 1, turns, left, visit))
        return false;
    }
    turns.erase(loop.variable);
    return true;
  }

  static std::optional<int64_t> valueOf(const Index &index, const Turns &turns) {
    if (index.literal)
      return index.literal;
    const auto turn = turns.find(index.variable);
    if (turn == turns.end())
      return std::nullopt;
    return index.offset + index.scale * turn->second;
  }
  std::optional<int64_t> wordAt(const Access &access, const Turns &turns) const {
    int64_t word = 0;
    for (size_t d = 0; d < extents_.size(); ++d) {
      const auto value = valueOf(access.indices[d], turns);
      if (!value)
        return std::nullopt;
      word = word * extents_[d] + *value;
    }
    const auto step = access.step ? valueOf(*access.step, turns) : std::optional<int64_t>(0);
    return step ? std::optional(word + *step) : std::nullopt;
  }

  // The write stands in front of the read and is done whenever that is.
  bool reaches(const Access &write, const Access &read, const Turns &turns, int64_t word) const {
    size_t common = 0;
    while (common < write.around.size() && common < read.around.size() &&
           write.around[common] == read.around[common])
      ++common;
    if (common >= write.around.size() || common >= read.around.size())
      return false;
    if (!isBefore(common ? write.around[common - 1] : nullptr, write.around[common],
                  read.around[common]))
      return false;
    size_t shared = 0;
    for (size_t i = 0; i < write.around.size(); ++i)
      if (i < common)
        shared += isa<ForStmt>(write.around[i]);
      else if (!isa<CompoundStmt, ForStmt, Expr, AttributedStmt>(write.around[i]) ||
               isa<AbstractConditionalOperator, LambdaExpr>(write.around[i]) || parts(write, i))
        return false;
    Turns here = turns;
    bool found = false;
    size_t left = kMostTurns;
    inTurns(write.loops, shared, here, left, [&] {
      const auto at = wordAt(write, here);
      found = found || (at && *at <= word && word < *at + write.words);
    });
    return found;
  }
  bool isBefore(const Stmt *parent, const Stmt *first, const Stmt *second) const {
    const auto place = [&](const Stmt *stmt) {
      if (!parent)
        return llvm::find(tail_, stmt) - tail_.begin();
      return std::distance(parent->child_begin(), llvm::find(parent->children(), stmt));
    };
    return (!parent || isa<CompoundStmt>(parent)) && place(first) < place(second);
  }
  // A loop that may be left, or && and ||.
  static bool parts(const Access &write, size_t i) {
    class Jumps : public DynamicRecursiveASTVisitor {
    public:
      bool VisitStmt(Stmt *stmt) override {
        any |= isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt>(stmt);
        return !any;
      }
      bool any = false;
    };
    const auto *op = dyn_cast<BinaryOperator>(write.around[i]);
    if (!isa<ForStmt>(write.around[i]))
      return op && op->isLogicalOp();
    Jumps jumps;
    jumps.TraverseStmt(const_cast<Stmt *>(write.around[i]));
    return jumps.any;
  }

  Recovery &r_;
  const VarDecl &variable_;
  const std::vector<const Stmt *> &tail_;
  std::vector<int64_t> extents_;
  std::vector<Access> accesses_;
  std::map<const ValueDecl *, std::vector<Index>> pointers_; // where they point
  std::set<const DeclRefExpr *> inits_;                      // that made them
  bool isKnown_ = true;
};

void Recovery::findNewLives() {
  TextRange region;
  const Stmt *last = out_.mmas.empty() ? nullptr : lastProduct(region);
  const bool isHere =
      last && llvm::none_of(out_.mmas, [](const MmaSite &mma) { return !mma.calls.empty(); });
  if (!isHere)
    return;
  std::vector<const Stmt *> tail;
  bool isBehind = false;
  for (const Stmt *stmt : cast<CompoundStmt>(kernel_.getBody())->body()) {
    if (isBehind)
      tail.push_back(stmt);
    isBehind |= stmt == last;
  }
  std::map<uint64_t, bool> known;
  for (FragmentUse &use : out_.uses) {
    const auto root = roots_.find(use.declaration);
    if (use.isFill || use.range.begin < region.end || root == roots_.end() ||
        root->second.part || scalarOf(use.declaration))
      continue;
    const VarDecl *variable = root->second.variable;
    const auto [it, isNew] = known.try_emplace(use.declaration, false);
    if (isNew) {
      Lives lives(*this, *variable, tail);
      const bool areNew = lives.areNew();
      it->second = areNew && llvm::none_of(views_, [&](const auto &view) {
                     return view.second.variable == variable && !lives.isPointer(view.first);
                   });
    }
    use.isOfNewLife = it->second;
  }
}

} // namespace layout_port::native
