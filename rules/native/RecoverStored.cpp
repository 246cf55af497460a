// Results that are stored to memory between the products: the lanes that have them here write them,
// each to where CUDA's thread would have.
//
//   *(half2 *)&sP[(lane / 4) * pitch + j * 8 + lane % 4 * 2] = __floats2half2_rn(p[j][0], p[j][1]);
//
//   ──▶  *(half2 *)lp::of_element(0, [&](int lane, int warp, int lower) {
//          return lower ? &sP[(lane / 4 + 8) * pitch + ...] : &sP[(lane / 4) * pitch + ...];
//        }) = __floats2half2_rn(p[j][0], p[j][1]);
//
// Another lane writes than in CUDA, and of rows r and r + 8 the two statements are the two warps'.
// So no two elements of a thread may go to one place, nothing else may be done with memory between
// the two, and whatever is done with this memory by its name has to be parted from it by a barrier
// (SharedFlow.h). By another name it may be the same memory: then no compiler moves the one across
// the other, and the lanes of a wave run in step.
#include "native/EpilogueMemory.h"
#include "native/MergeRows.h"
#include "native/Recovery.h"
#include "native/SharedFlow.h"
#include "native/WholeText.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// Functions get at it by themselves: it is declared outside of all, or by a name that others share.
class Others : public DynamicRecursiveASTVisitor {
public:
  Others(const VarDecl &memory, const FunctionDecl &kernel) : memory_(memory), kernel_(kernel) {}
  bool TraverseDecl(Decl *decl) override {
    const auto *function = dyn_cast_or_null<FunctionDecl>(decl);
    const FunctionDecl *outer = in_;
    in_ = function ? function : in_;
    const bool goesOn = DynamicRecursiveASTVisitor::TraverseDecl(decl);
    in_ = outer;
    return goesOn;
  }
  bool VisitVarDecl(VarDecl *variable) override {
    any |= isDynamic(*variable) && isDynamic(memory_) && isElsewhere();
    return !any;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    any |= variable == &memory_ && isElsewhere();
    // All of a launch's dynamic memory begins at one place, whatever it is called.
    any |= variable && isDynamic(*variable) && isDynamic(memory_) &&
           variable->getName() != memory_.getName() &&
           (isElsewhere() || (in_ && in_->getLocation() == kernel_.getLocation()));
    return !any;
  }
  bool any = false;

private:
  static bool isDynamic(const VarDecl &variable) {
    return isSharedVariable(&variable) && variable.hasExternalStorage();
  }
  // In a function of the device's: another kernel has its own.
  bool isElsewhere() const {
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(in_);
    return in_ && !isKernelText(*in_) && in_->getLocation() != kernel_.getLocation() &&
           !(method && method->getParent()->isLambda());
  }

  const VarDecl &memory_;
  const FunctionDecl &kernel_;
  const FunctionDecl *in_ = nullptr;
};

} // namespace

// The loops around that count its place, but for those whose turns wait for each other; and the one
// over rows r and r + 8.
Sampler::Counters Recovery::countersOf(const Expr &place, const VarDecl *ofRows) {
  class Makers : public DynamicRecursiveASTVisitor {
  public:
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      auto *variable = dyn_cast<VarDecl>(name->getDecl());
      if (variable && made.insert(variable).second && variable->getInit())
        TraverseStmt(variable->getInit());
      return true;
    }
    std::set<const VarDecl *> made;
  };
  Makers makers;
  makers.TraverseStmt(const_cast<Expr *>(&place));
  Sampler::Counters counters;
  for (const Stmt *at = &place; at; at = parentOf(DynTypedNode::create(*at))) {
    const auto *loop = dyn_cast<ForStmt>(at);
    const auto counter = loop ? steppedCounter(loop, context_) : std::nullopt;
    if (!counter || (counter->variable != ofRows &&
                     (!makers.made.count(counter->variable) || waitsInTurns(*loop))))
      continue;
    const auto range = texts_.statement(loop->getSourceRange());
    const Loop known = loopOf(loop, range ? *range : TextRange());
    std::vector<int64_t> turns = Sampler::turnsOf(known);
    if (!turns.empty())
      counters.push_back({counter->variable, std::move(turns)});
  }
  return counters;
}

// A pointer that leads somewhere else then: p = q, but not p += n.
bool Recovery::isSetAnew(const VarDecl &pointer) const {
  class Assignments : public DynamicRecursiveASTVisitor {
  public:
    explicit Assignments(const VarDecl &variable) : variable_(variable) {}
    bool VisitBinaryOperator(BinaryOperator *op) override {
      const auto *name = dyn_cast<DeclRefExpr>(op->getLHS()->IgnoreParens());
      any = any || (op->getOpcode() == BO_Assign && name && name->getDecl() == &variable_);
      return !any;
    }
    bool any = false;

  private:
    const VarDecl &variable_;
  };
  if (isSharedVariable(&pointer))
    return false;
  Assignments assignments(pointer);
  assignments.TraverseStmt(kernel_.getBody());
  return assignments.any || sampler_.changesUnseen(&pointer);
}

// Another variable leads there, to memory of its own; or other threads read the place, too: for
// this one to write it between two barriers would be a race.
bool Recovery::liesElsewhere(const Expr &place, const Memory &written) {
  std::vector<const VarDecl *> through;
  const Memory read = memoryOf(place, &through);
  const auto *parameter = dyn_cast_or_null<ParmVarDecl>(read.root);
  const auto *function = parameter ? dyn_cast<FunctionDecl>(parameter->getDeclContext()) : nullptr;
  const bool isOfKernel = function && isKernelText(*function);
  if (!written.root || !read.root || read == written ||
      (!isOfKernel && !isSharedVariable(read.root)) ||
      llvm::any_of(through, [&](const VarDecl *v) { return isSetAnew(*v); }))
    return false;
  if (leadApart(*written.root, *read.root) || sampler_.isReadByOthers(&place))
    return true;
  for (const VarDecl *variable : {written.root, read.root})
    if (says("layout-port: noalias(" + variable->getNameAsString() + ")")) {
      const std::string said =
          "nothing else leads to the memory of '" + variable->getNameAsString() + "'";
      if (!llvm::is_contained(out_.assumptions, said))
        out_.assumptions.push_back(said);
      return true;
    }
  return false;
}

// Results go to other places than this one.
bool Recovery::isStoredElsewhere(const Expr &place) {
  return llvm::all_of(storedTo_,
                      [&](const Memory &memory) { return liesElsewhere(place, memory); });
}

const Stmt *Recovery::loopAround(const Stmt &stmt) const {
  const Stmt *at = parentOf(DynTypedNode::create(stmt));
  while (at && !isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(at))
    at = parentOf(DynTypedNode::create(*at));
  return at;
}

// A statement of its own, or cast to void: nobody sees what the call gives.
bool Recovery::isDropped(const CallExpr &call) const {
  const Stmt *inner = &call, *user = parentOf(DynTypedNode::create(call));
  const auto isPassedOn = [](const Stmt *stmt) {
    const auto *cast = dyn_cast_or_null<CastExpr>(stmt);
    return isa_and_nonnull<ExprWithCleanups, ParenExpr>(stmt) ||
           (cast && cast->getCastKind() == CK_ToVoid);
  };
  for (; isPassedOn(user); user = parentOf(DynTypedNode::create(*user)))
    inner = user;
  if (const auto *block = dyn_cast_or_null<CompoundStmt>(user))
    return block->body_back() != inner ||
           !isa_and_nonnull<StmtExpr>(parentOf(DynTypedNode::create(*block)));
  const auto *loop = dyn_cast_or_null<ForStmt>(user);
  const auto *branch = dyn_cast_or_null<IfStmt>(user);
  return (loop && loop->getBody() == inner) ||
         (branch && (branch->getThen() == inner || branch->getElse() == inner));
}

// atomicAdd(p, result): in which order, and by which lane, is the same to all but the last bit. So
// long as nothing else is done with the memory in the kernel.
std::string Recovery::whyNotAdded(const Exchange &exchange, const CallExpr &call,
                                  const Exchange::Stored &stored) {
  if (!isDropped(call))
    return "what was there before is used";
  if (sampler_.isMirrored())
    return "the block is padded, and the other half of its wave would add, too";
  std::vector<const VarDecl *> names;
  const Memory memory = memoryOf(*stored.place, &names);
  if (!memory.root || (!isSharedVariable(memory.root) && !isa<ParmVarDecl>(memory.root)) ||
      memory.member || llvm::any_of(names, [&](const VarDecl *v) { return isSetAnew(*v); }))
    return "where its address leads to is not clear";
  const auto met = llvm::find_if(exchange.met,
                                 [&](const Exchange::Met &m) { return m.value == stored.address; });
  if (met == exchange.met.end())
    return "it is not clear where";
  if (met->isTouchedBetween || llvm::any_of(met->readBetween, [&](const Expr *place) {
        return !liesElsewhere(*place, memory);
      }))
    return "memory is used between the two of them, which are done at once here";
  std::vector<const Expr *> places; // that are added to, and what the names on the way are made of
  for (const auto &[other, its] : exchange.stored)
    if (isa<CallExpr>(other))
      places.push_back(its.place);
  for (const VarDecl *name : names)
    places.push_back(name->getInit());
  names.push_back(memory.root);
  llvm::DenseSet<const DeclRefExpr *> inPlaces;
  for (const Expr *place : places)
    for (const DeclRefExpr *name : mentionsIn(place))
      inPlaces.insert(name);
  for (const DeclRefExpr *name : mentionsIn(kernel_.getBody()))
    if (llvm::is_contained(names, name->getDecl()) && !inPlaces.contains(name))
      return "'" + name->getDecl()->getNameAsString() + "' is used otherwise, too";
  if (isReachedByOthers(*memory.root))
    return "functions, or other names, get at '" + memory.root->getNameAsString() +
           "' by themselves";
  return "";
}

std::string Recovery::whyNotStored(const Exchange &exchange, const Expr &write,
                                   const Exchange::Stored &stored) {
  const auto *call = dyn_cast<CallExpr>(&write);
  if (call && !isa<CXXOperatorCallExpr>(call))
    return whyNotAdded(exchange, *call, stored);
  const auto met = llvm::find_if(exchange.met,
                                 [&](const Exchange::Met &m) { return m.value == stored.address; });
  if (met == exchange.met.end())
    return "it is not clear where";
  if (sampler_.isMirrored())
    return "the block is padded, and the other half of its wave would write, too";
  std::vector<const VarDecl *> through;
  const Memory memory = memoryOf(*stored.place, &through);
  through.push_back(memory.root);
  if (!memory.root || llvm::any_of(through, [&](const VarDecl *v) { return isSetAnew(*v); }) ||
      (!isSharedVariable(memory.root) && !isa<ParmVarDecl>(memory.root)))
    return "where its address leads to is not clear";
  if (met->isTouchedBetween || llvm::any_of(met->readBetween, [&](const Expr *place) {
        return !liesElsewhere(*place, memory);
      }))
    return "memory is used between the two of them, which are written at once here";
  std::vector<const Expr *> places; // that are written in one turn of the loops around
  std::set<const Expr *> writes;
  for (const auto &[other, its] : exchange.stored)
    if (memoryOf(*its.place) == memory && loopAround(*other) == loopAround(write)) {
      places.push_back(its.place);
      writes.insert(other);
    }
  const std::optional<bool> areApart =
      sampler_.areApart(places, countersOf(*stored.place, met->counter));
  if (!areApart || !*areApart)
    return areApart ? "several elements are written to one place"
                    : "whether each element is written to a place of its own is not clear";
  const Stmt &body = *kernel_.getBody();
  const std::string name = "'" + memory.root->getNameAsString() + "'";
  if (isReachedByOthers(*memory.root))
    return "functions, or other names, get at " + name + " by themselves";
  if (!isWrittenApart(memory, write, writes, body))
    return name + " is used otherwise without a barrier between, or it cannot be told";
  return "";
}

bool Recovery::isReachedByOthers(const VarDecl &memory) const {
  Others others(memory, kernel_);
  others.TraverseDecl(context_.getTranslationUnitDecl());
  return others.any;
}

bool Recovery::lookAtStored(Exchange &exchange) {
  for (const auto &[write, stored] : exchange.stored)
    if (const std::string why = whyNotStored(exchange, *write, stored); !why.empty()) {
      fail(exchange, std::string(kStored) + ": " + why, write->getSourceRange());
      return false;
    }
  return true;
}

} // namespace layout_port::native
