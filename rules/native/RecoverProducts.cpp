// Loops that hold nothing but products, loops that write no memory, and what stands behind
// the products: the epilogues, whose text is rebound to the lanes of the port.
#include "native/Effects.h"
#include "native/Recovery.h"

#include "native/Digits.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

class Calls : public DynamicRecursiveASTVisitor {
public:
  bool VisitCallExpr(CallExpr *call) override {
    all.push_back(call);
    return true;
  }
  std::vector<const CallExpr *> all;
};

class MembersBelow : public DynamicRecursiveASTVisitor {
public:
  bool VisitMemberExpr(MemberExpr *member) override {
    all.push_back(member);
    return true;
  }
  std::vector<const MemberExpr *> all;
};

std::vector<const MemberExpr *> membersIn(const Stmt &stmt) {
  MembersBelow members;
  members.TraverseStmt(const_cast<Stmt *>(&stmt));
  return members.all;
}

class ForLoops : public DynamicRecursiveASTVisitor {
public:
  bool VisitForStmt(ForStmt *loop) override {
    all.push_back(loop);
    return true;
  }
  std::vector<const ForStmt *> all;
};

class Blocks : public DynamicRecursiveASTVisitor {
public:
  bool VisitCompoundStmt(CompoundStmt *block) override {
    all.push_back(block);
    return true;
  }
  std::vector<const CompoundStmt *> all;
};

} // namespace

// this->wm: what is made again has the member's name.
void Recovery::nameMembers(const Stmt &stmt, EpilogueBody::Rebound &out) {
  for (const FieldDecl *field : neededMembers_)
    for (const MemberExpr *member : membersIn(stmt)) {
      const auto *self = dyn_cast<CXXThisExpr>(stripped(member->getBase()));
      const auto range = texts_.range(member->getSourceRange());
      if (!self || self->isImplicit() || member->getMemberDecl() != field ||
          !sampler_.dependsOnThread(member))
        continue;
      if (range)
        out.edits.push_back({*range, field->getNameAsString()});
      else
        out.problem = "a member is named in a macro";
    }
}

// In the author's words if they do; else numbers of the thread are said in others.
EpilogueBody::Rebound Recovery::rebind(const std::vector<const Stmt *> &stmts,
                                       const EpilogueBody &body,
                                       const std::set<const VarDecl *> &own,
                                       const std::set<const VarDecl *> &views, bool laneOnly) {
  saysFormulas_ = false;
  EpilogueBody::Rebound out = rebindAsSaid(stmts, body, own, views, laneOnly);
  if (out.problem.empty() && out.names.fetched.empty())
    return out;
  saysFormulas_ = true;
  EpilogueBody::Rebound again = rebindAsSaid(stmts, body, own, views, laneOnly);
  const bool isBetter =
      !out.problem.empty() || again.names.fetched.size() < out.names.fetched.size();
  saysFormulas_ = false;
  return again.problem.empty() && isBetter ? again : out;
}

EpilogueBody::Rebound Recovery::rebindAsSaid(const std::vector<const Stmt *> &stmts,
                                             const EpilogueBody &body,
                                             const std::set<const VarDecl *> &own,
                                             const std::set<const VarDecl *> &views,
                                             bool laneOnly) {
  EpilogueBody::Rebound out;
  nameLanes(out.names);
  needed_ = own_ = own;
  neededMembers_.clear();
  threads_.clear();
  spoken_.clear();
  forgetSiteValues();
  inner_ = views;
  siteRange_ = body.range;
  siteBlock_ = nullptr;
  loops_ = body.loops;
  warpStays_ = laneOnly;
  tileVariables_ = laneOnly ? std::set<std::string>() : tileVariablesOf(body.tiles);
  for (const Slot &slot : body.tiles)
    for (const Index &index : slot.tile)
      if (const Loop *loop = lowerDigitOf(body.loops, index); loop && !laneOnly)
        tileVariables_.insert(loop->variable);
  for (const Stmt *stmt : stmts) {
    needAll(stmt, out.names, out.problem, body.range.file);
    ThreadMentions mentions;
    mentions.TraverseStmt(const_cast<Stmt *>(stmt));
    if (mentions.hasOther)
      out.problem = "threadIdx is used as a whole: name its .x, .y or .z";
    for (const Expr *index : indicesBelow(*stmt))
      if (const auto edit = indexEdit(*index, mayBeNegative(*stmt), out.names);
          edit && body.range.contains(edit->range))
        out.edits.push_back(*edit);
      else if (edit)
        out.problem = "a condition that goes into the epilogue names the thread's number";
      else
        out.problem = "threadIdx stands in the epilogue inside a macro: name the lane first";
  }
  for (const Stmt *stmt : stmts)
    nameMembers(*stmt, out);
  for (const std::string &step : std::exchange(walkedOn_, {}))
    out.names.variables.push_back({"", "", step});
  typeLanes(out.names);
  for (AddressFunction::Variable thread : threads_) {
    out.names.usesWarp = true;
    thread.value = warpText(out.names) + " * 32 + " + out.names.laneName;
    out.names.variables.insert(out.names.variables.begin(), thread);
  }
  if (out.problem.empty())
    out.problem = ambiguity();
  // In a function, the whole wave comes to a body of tiles.
  const bool mayAsk = function_ && !body.isInRowLoop && !body.isRow && !body.isRowLoop;
  if (!out.names.fetched.empty() && !mayAsk)
    out.problem = "the epilogue uses '" + out.names.fetched[0] +
                  "', which cannot be computed anew for another lane";
  loops_.clear();
  own_.clear();
  warpStays_ = false;
  tileVariables_.clear();
  return out;
}

bool Recovery::onlyComputes(const Expr &value) const {
  Calls calls;
  calls.TraverseStmt(const_cast<Expr *>(&value));
  return changesNothing(value) &&
         llvm::all_of(calls.all, [](const CallExpr *c) { return native::onlyComputes(*c); });
}

bool Recovery::onlyProducts(const Stmt *stmt) {
  if (!stmt || isa<NullStmt>(stmt) || llvm::is_contained(sites_, stmt))
    return true;
  if (const auto *attributed = dyn_cast<AttributedStmt>(stmt))
    return onlyProducts(attributed->getSubStmt());
  if (const auto *block = dyn_cast<CompoundStmt>(stmt))
    return llvm::all_of(block->body(), [&](const Stmt *s) { return onlyProducts(s); });
  if (const auto *loop = dyn_cast<ForStmt>(stmt))
    return onlyProducts(loop->getBody());
  if (const auto *declarations = dyn_cast<DeclStmt>(stmt))
    return llvm::all_of(declarations->decls(), [&](const Decl *decl) {
      const auto *variable = dyn_cast<VarDecl>(decl);
      return variable && (!variable->getInit() || onlyComputes(*variable->getInit()));
    });
  return false;
}

// Whether anything but the sites writes memory, or may.
class Recovery::Effects : public ExecutedVisitor {
public:
  // `storesToo`: but for where results are stored.
  explicit Effects(Recovery &recovery, bool storesToo = true)
      : r_(recovery), storesToo_(storesToo) {}
  bool TraverseStmt(Stmt *stmt) override {
    const auto *call = dyn_cast_or_null<CallExpr>(stmt);
    if (!storesToo_ && stmt && r_.storing_.count(stmt))
      return llvm::all_of(stmt->children(), [&](Stmt *child) { return TraverseStmt(child); });
    if (call && r_.isHanding(*call)) // what the function does but for its sites
      return TraverseStmt(call->getDirectCallee()->getDefinition()->getBody());
    return !stmt || llvm::is_contained(r_.sites_, stmt) ||
           DynamicRecursiveASTVisitor::TraverseStmt(stmt);
  }
  bool VisitBinaryOperator(BinaryOperator *op) override {
    return note(op->isAssignmentOp() && isMemory(op->getLHS()));
  }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    return note(op->isIncrementDecrementOp() && isMemory(op->getSubExpr()));
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (const auto *op = dyn_cast<CXXOperatorCallExpr>(call); op && op->isAssignmentOp())
      return note(isMemory(op->getArg(0)) || !callee ||
                  (!callee->isTrivial() && !isOfCuda(*callee)));
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    const bool isProduct = definition && definition->hasBody() && r_.matrixWithin(definition);
    const auto *member = dyn_cast<CXXMemberCallExpr>(call); // acc[j].clear()
    const Expr *object = member ? member->getImplicitObjectArgument() : nullptr;
    const bool isInRegisters = object && !object->getType()->isPointerType() && !isMemory(object);
    return note(!isProduct &&
                !(isInRegisters ? changesOnlyIts(*member) : native::onlyComputes(*call)));
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    return note(!changesNothing(*made));
  }
  bool VisitVarDecl(VarDecl *variable) override {
    const CXXRecordDecl *record = variable->getType()->getAsCXXRecordDecl();
    return note(record && record->hasDefinition() && !record->hasTrivialDestructor());
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override { return note(!onlyCasts(*stmt)); }
  bool any = false;

private:
  bool note(bool isEffect) { return !(any = any || isEffect); }
  static bool isMemory(const Expr *target) {
    for (;;) {
      target = stripped(target);
      if (const auto *member = dyn_cast<MemberExpr>(target)) {
        if (member->isArrow() || member->getMemberDecl()->getType()->isReferenceType())
          return true;
        target = member->getBase();
      } else if (const auto *access = dyn_cast<ArraySubscriptExpr>(target)) {
        target = stripped(access->getBase());
        if (!target->getType()->isArrayType())
          return true;
      } else {
        break;
      }
    }
    const auto *name = dyn_cast<DeclRefExpr>(target);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    return !variable || !variable->hasLocalStorage() || variable->getType()->isReferenceType();
  }
  Recovery &r_;
  bool storesToo_;
};

// From where the value is made up to the end of the statement beside that which holds the place
// where it is asked for, nothing writes memory or waits for who does.
bool Recovery::mayReadAgain(const TextRange &made, bool isStoredElsewhere) {
  if (!asks_ && !fetchesNumbers_)
    return false;
  std::vector<const CompoundStmt *> blocks = {cast<CompoundStmt>(kernel_.getBody())};
  while (!blocks.empty()) {
    const CompoundStmt *block = blocks.back();
    blocks.pop_back();
    bool isBehind = false;
    for (const Stmt *stmt : block->body()) {
      const auto range = texts_.statement(stmt->getSourceRange());
      if (!range)
        return false;
      if (isBehind && siteRange_.contains(*range)) // registers that are filled one by one
        return true;
      Effects effects(*this, !isStoredElsewhere);
      if (isBehind)
        effects.TraverseStmt(const_cast<Stmt *>(stmt));
      if (effects.any)
        return false;
      if (isBehind && range->contains(siteRange_))
        return true;
      // A declaration, or a loop that fills an array.
      isBehind =
          isBehind || (isa<DeclStmt>(stmt) && range->contains(made)) ||
          (isa<ForStmt, AttributedStmt>(stmt) && range->contains(made) && range->end == made.end);
      if (!isBehind && range->contains(made))
        addBlocks(*stmt, blocks);
    }
    if (isBehind)
      return false;
  }
  return false;
}

void Recovery::addBlocks(const Stmt &stmt, std::vector<const CompoundStmt *> &blocks) {
  if (const auto *block = dyn_cast<CompoundStmt>(&stmt))
    return blocks.push_back(block);
  for (const Stmt *child : stmt.children())
    if (child)
      addBlocks(*child, blocks);
}

void Recovery::collectLocals() {
  Blocks blocks;
  blocks.TraverseStmt(kernel_.getBody());
  for (const FunctionDecl *function : toWalk_)
    blocks.TraverseStmt(function->getBody());
  for (const CompoundStmt *block : blocks.all)
    for (const Stmt *stmt : block->body()) {
      const auto *declaration = dyn_cast<DeclStmt>(stmt);
      if (!declaration || stmt->getBeginLoc().isMacroID() || stmt->getEndLoc().isMacroID())
        continue;
      const bool arePlain = llvm::all_of(declaration->decls(), [](const Decl *decl) {
        const auto *variable = dyn_cast<VarDecl>(decl);
        return variable && variable->hasLocalStorage() && variable->getInit() &&
               !isa<DecompositionDecl>(variable);
      });
      const auto range = arePlain ? texts_.range(stmt->getSourceRange()) : std::nullopt;
      const auto scope = texts_.range(block->getSourceRange());
      if (!range || !scope || scope->file != range->file || !changesNothing(*stmt))
        continue;
      out_.locals.push_back({{}, *range, *scope});
      for (const Decl *decl : declaration->decls())
        out_.locals.back().names.push_back(cast<VarDecl>(decl)->getNameAsString());
    }
}

void Recovery::collectProductLoops() {
  ForLoops loops;
  loops.TraverseStmt(kernel_.getBody());
  for (const FunctionDecl *function : toWalk_)
    loops.TraverseStmt(function->getBody());
  for (const ForStmt *loop : loops.all) {
    const auto range = texts_.statement(loop->getSourceRange());
    if (range && onlyProducts(loop->getBody()))
      out_.productLoops.push_back(*range);
    Effects effects(*this);
    effects.TraverseStmt(const_cast<Stmt *>(loop->getBody()));
    if (range && !effects.any)
      out_.quietLoops.push_back(*range);
  }
}

void Recovery::collectProductRuns() {
  Blocks blocks;
  blocks.TraverseStmt(kernel_.getBody());
  for (const FunctionDecl *function : toWalk_)
    blocks.TraverseStmt(function->getBody());
  for (const CompoundStmt *block : blocks.all) {
    std::optional<TextRange> run;
    for (const Stmt *stmt : block->body()) {
      const auto range = texts_.statement(stmt->getSourceRange());
      const bool goesOn = range && onlyProducts(stmt);
      if (run && !goesOn)
        out_.productRuns.push_back(*run);
      if (!goesOn)
        run.reset();
      else if (run)
        run->end = range->end;
      else
        run = range;
    }
    if (run)
      out_.productRuns.push_back(*run);
  }
}

void Recovery::collectEpilogues() {
  std::set<uint64_t> done, read;
  for (const MmaSite &mma : out_.mmas)
    if (behind_ && isReadBehind(mma.d[0].declaration))
      read.insert(mma.d[0].declaration);
  // What rows have goes with the one epilogue that speaks of it.
  const bool isEachFree = read.size() == 1 || (behind_ && !hasRowsBehind());
  for (const MmaSite &mma : out_.mmas)
    if (done.insert(mma.d[0].declaration).second)
      out_.epilogues.push_back(
          epilogueOf({mma.d[0].declaration}, mma.typeD == ptx::Type::F16, isEachFree));
  joinEpilogues(read);
  if (!out_.staysNative() || out_.between->elsewhere.empty())
    return;
  // Functions that exchange results now must do so wherever they are called.
  const bool follows = llvm::any_of(out_.epilogues, [&](const Epilogue &epilogue) {
    return read.size() == 1 && read.count(epilogue.accumulator) && epilogue.problem.empty();
  });
  if (!follows) {
    const auto kept = llvm::find_if(out_.epilogues, [&](const Epilogue &epilogue) {
      return read.count(epilogue.accumulator) && !epilogue.problem.empty();
    });
    out_.between->problem = out_.between->elsewhere;
    if (kept != out_.epilogues.end())
      out_.between->problem += ", as the epilogue stays: " + kept->problem;
    out_.between->problemAt = out_.between->elsewhereAt;
  }
}

// What an epilogue says of rows, or exchanges of results.
bool Recovery::hasRowsBehind() const {
  return !out_.between->rows.empty() || !behind_->shuffles.empty();
}

// Accumulators that no epilogue of their own follows may have one together: all that are left, or
// two of them.
void Recovery::joinEpilogues(const std::set<uint64_t> &readBehind) {
  std::vector<uint64_t> left;
  for (const Epilogue &epilogue : out_.epilogues)
    if (!epilogue.problem.empty() && !scalarOf(epilogue.accumulator) &&
        (!behind_ || readBehind.count(epilogue.accumulator)))
      left.push_back(epilogue.accumulator);
  const bool takesAll = left.size() == readBehind.size();
  if (left.size() < 2 || (behind_ && hasRowsBehind() && !takesAll) || join(left) ||
      (behind_ && hasRowsBehind()))
    return;
  for (size_t i = 0; i < left.size(); ++i)
    for (size_t j = i + 1; j < left.size(); ++j)
      if (join({left[i], left[j]}))
        return;
}

bool Recovery::join(const std::vector<uint64_t> &accumulators) {
  std::set<ptx::Type> types;
  for (const MmaSite &mma : out_.mmas)
    if (llvm::is_contained(accumulators, mma.d[0].declaration))
      types.insert(mma.typeD);
  if (types.size() != 1)
    return false;
  const Epilogue together = epilogueOf(accumulators, types.count(ptx::Type::F16), true);
  const auto isIts = [&](const std::string &problem, uint64_t accumulator) {
    const auto root = roots_.find(accumulator);
    return root != roots_.end() &&
           problem == "'" + root->second.variable->getNameAsString() + "' " + kOfLane;
  };
  for (Epilogue &epilogue : out_.epilogues) {
    if (!llvm::is_contained(accumulators, epilogue.accumulator))
      continue;
    const uint64_t own = epilogue.accumulator;
    const std::string alone = epilogue.problem;
    if (together.problem.empty())
      epilogue = together;
    else if (llvm::any_of(accumulators, [&](uint64_t other) { return isIts(alone, other); })) {
      epilogue.problem = together.problem; // alone, it meets the other one
      epilogue.problemAt = together.problemAt;
    }
    epilogue.accumulator = own;
  }
  return together.problem.empty();
}

bool Recovery::isFillOf(const Expr &name, uint64_t accumulator) const {
  const auto range = texts_.statement(name.getSourceRange());
  bool any = false;
  for (const FragmentUse &use : out_.uses)
    if (range && use.declaration == accumulator && use.range.contains(*range)) {
      if (!use.isFill || use.isOfSomeTiles)
        return false;
      any = true;
    }
  return any;
}

// A tile of an accumulator, where those lie behind each other in one array.
const Slot *Recovery::flatTileOf(uint64_t accumulator) const {
  for (const MmaSite &mma : out_.mmas)
    if (mma.d[0].declaration == accumulator && mma.d[0].flatRegisters)
      return &mma.d[0];
  return nullptr;
}

Epilogue Recovery::epilogueOf(const std::vector<uint64_t> &accumulators, bool isPacked,
                              bool ownsRows) {
  const uint64_t accumulator = accumulators[0];
  if (scalarOf(accumulator)) {
    Epilogue kept;
    kept.accumulator = accumulator;
    kept.problem = "its sums are variables of their own";
    return kept;
  }
  std::vector<EpilogueInput::Accumulator> regions;
  for (const uint64_t each : accumulators)
    regions.push_back({each, behind_ ? behind_->region : regionOf(out_, each), flatTileOf(each)});
  std::vector<const CallExpr *> shuffles; // in loops over rows
  EpilogueInput input = {
      const_cast<ASTContext &>(context_),
      texts_,
      sampler_,
      kernel_,
      regions,
      isPacked,
      [&](const Stmt *stmt) { return llvm::is_contained(sites_, stmt); },
      [&](const Stmt *stmt) {
        const auto range = texts_.statement(stmt->getSourceRange());
        return loopOf(stmt, range ? *range : TextRange());
      },
      [&](const Expr *expr) { return indexOf(expr, nullptr); },
      [&](const std::vector<const Stmt *> &stmts, const EpilogueBody &body,
          const std::set<const VarDecl *> &own, const std::set<const VarDecl *> &views,
          bool laneOnly) { return rebind(stmts, body, own, views, laneOnly); },
      [&](const Expr *name, uint64_t of) { return isFillOf(*name, of); },
      [&](const std::string &pointer) { return says("layout-port: noalias(" + pointer + ")"); },
      [&](const Expr *expr) { return isAssumedUniform(expr); }};
  input.takeShuffle = [&](const CallExpr &call) {
    if (!llvm::is_contained(behind_->between, &call) &&
        !llvm::is_contained(behind_->shuffles, &call) && !llvm::is_contained(shuffles, &call))
      shuffles.push_back(&call);
    return placesOf(call).has_value();
  };
  input.isTold = [&](const CallExpr &call) { return isToldCall(call); };
  input.isOfLambda = [&](const CallExpr &call) { return lambdaMadeAgain(call) != nullptr; };
  input.takesOneMore = [](const CallExpr &call) {
    const FunctionDecl *function = call.getDirectCallee()->getDefinition();
    const FunctionDecl *pattern = function->getTemplateInstantiationPattern();
    return isWholeCall(call) && takesOneMore(pattern ? *pattern : *function);
  };
  input.takeExchanging = [&](const FunctionDecl &function) { exchanging_.insert(&function); };
  if (behind_) {
    input.between = &behind_->exchange;
    input.ownsRows = ownsRows;
  }
  if (!behind_)
    input.calls = epilogueCalls();
  Epilogue epilogue = recoverEpilogue(input);
  if (!behind_) {
    addCalled(input, epilogue);
    return epilogue;
  }
  if (!epilogue.bodies.empty())
    addShuffles(epilogue, shuffles);
  if (!epilogue.problem.empty() && !behind_->whyNot.empty()) {
    epilogue.problem = behind_->whyNot;
    if (const auto at = texts_.statement(behind_->whyNotAt))
      epilogue.problemAt = *at;
  }
  if (!ownsRows && !epilogue.bodies.empty() && epilogue.problem.empty())
    epilogue.problem = "more than one accumulator is used behind the products";
  const auto areAllIn = [&](const std::set<const VarDecl *> &turnable) {
    return llvm::all_of(accumulators, [&](uint64_t each) {
      const auto root = roots_.find(each);
      return root != roots_.end() && turnable.count(root->second.variable) != 0;
    });
  };
  epilogue.mayTurn = areAllIn(behind_->exchange.turnable);
  epilogue.mayTurnHalf = areAllIn(behind_->exchange.halfTurnable);
  return epilogue;
}

} // namespace layout_port::native
