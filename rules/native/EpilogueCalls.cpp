// What else may stand in an epilogue: statements that can be followed, and calls of functions that
// compute, or store what they are handed. One that is handed a whole tile is written once more, for
// one of its rows.
#include "native/EpilogueFinder.h"

#include "native/AstRead.h"
#include "native/Effects.h"
#include "native/MergeRows.h"
#include "native/RowFunction.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// Memory, by a pointer or an array that is not the function's own.
bool isStoredTo(const Expr *target) {
  const Expr *place = bare(target);
  if (isPartOfThis(place))
    return false;
  if (memberOfThis(place))
    return isMemory(place) || isa<MemberExpr>(place);
  while (const auto *member = dyn_cast<MemberExpr>(place)) {
    if (member->isArrow())
      return true;
    place = bare(member->getBase());
  }
  const VarDecl *root = isMemory(place) ? rootOfPlace(place, 0) : nullptr;
  return root && !isRegisters(root);
}

// v0 *= alpha; old.x += 1;  of a variable of the function's own, or what it is given by value: a
// real number, from which no place is made.
bool isOwnValue(const Expr *target, const FunctionDecl &function) {
  const Expr *whole = bare(target);
  for (const auto *member = dyn_cast<MemberExpr>(whole); member && !member->isArrow();
       member = dyn_cast<MemberExpr>(whole))
    whole = bare(member->getBase());
  const auto *name = dyn_cast<DeclRefExpr>(whole);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  const auto isNumber = [](QualType type) {
    const CXXRecordDecl *record = type->getAsCXXRecordDecl();
    const StringRef of = record && record->getIdentifier() ? record->getName() : "";
    return type->isRealFloatingType() || of.starts_with("__half") || of.starts_with("__nv_bfloat");
  };
  return variable && variable->getDeclContext() == &function && variable->hasLocalStorage() &&
         !variable->getType()->isReferenceType() && isNumber(target->getType());
}

// Of one template, or in other classes of one, from the same text.
bool hasOtherInstances(const FunctionDecl &function) {
  const FunctionTemplateDecl *pattern = function.getPrimaryTemplate();
  if (pattern)
    return llvm::count_if(pattern->specializations(), [](const FunctionDecl *instance) {
             return instance->getDefinition() != nullptr;
           }) > 1;
  const auto *owner = dyn_cast<ClassTemplateSpecializationDecl>(function.getDeclContext());
  return owner && std::distance(owner->getSpecializedTemplate()->spec_begin(),
                                owner->getSpecializedTemplate()->spec_end()) > 1;
}

} // namespace

// ---- statements and calls

// No shuffle, vote, barrier or other matter of several threads; no way out.
bool EpilogueFinder::plainStatements(const Stmt *stmt, const Group &group) {
  class Others : public DynamicRecursiveASTVisitor {
  public:
    // What sees nothing of the thread acts where it is called.
    bool TraverseLambdaExpr(LambdaExpr *lambda) override {
      return lambda->capture_size() == 0 || DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda);
    }
    bool VisitStmt(Stmt *s) override {
      if (isa<AsmStmt, LambdaExpr, ReturnStmt, GotoStmt, SwitchStmt, WhileStmt, DoStmt,
              CXXForRangeStmt>(s))
        hit = hit ? hit : s;
      return true;
    }
    bool VisitBreakStmt(BreakStmt *s) override {
      breaks.push_back(s);
      return true;
    }
    bool VisitContinueStmt(ContinueStmt *s) override {
      skips.push_back(s);
      return true;
    }
    bool VisitCallExpr(CallExpr *call) override {
      calls.push_back(call);
      return true;
    }
    const Stmt *hit = nullptr;
    std::vector<const Stmt *> skips, breaks;
    std::vector<const CallExpr *> calls;
  };
  Others others;
  others.TraverseStmt(const_cast<Stmt *>(stmt));
  for (const Stmt *skip : others.skips)
    if (!others.hit && !isOfLoopIn(*stmt, *skip) && !skipsBody(*skip, group))
      others.hit = skip;
  for (const Stmt *stop : others.breaks)
    if (!others.hit && !leavesTiles(*stop, group))
      others.hit = stop;
  if (others.hit)
    return refuse("a statement of the epilogue is not followed", others.hit->getSourceRange());
  const bool mayShuffle = llvm::is_contained(group.prefix, stmt);
  return llvm::all_of(others.calls, [&](const CallExpr *call) {
    return (mayShuffle && exchanges(*call)) || plainCall(call);
  });
}

// A 'break' of the loop over tiles that leaves out what a 'continue' in each turn behind would.
bool EpilogueFinder::leavesTiles(const Stmt &stop, const Group &group) {
  const IfStmt *branch = wayOut(stop);
  const auto *loop = dyn_cast<ForStmt>(group.holder);
  const auto *block = branch ? dyn_cast_or_null<CompoundStmt>(parentOf(branch)) : nullptr;
  return loop && block && loop->getBody() == block && !group.isRow &&
         leavesForGood(*branch, *block, *loop);
}

// The turn of the loop whose body the group is. A row's, whose tiles lanes of a quad hand on
// together, all of them leave or none.
bool EpilogueFinder::skipsBody(const Stmt &skip, const Group &group) {
  const Stmt *at = parentOf(&skip);
  for (; at && !isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(at); at = parentOf(at)) {
    const auto *branch = dyn_cast<IfStmt>(at);
    if (group.isRow && branch && !in_.sampler.sameForQuads(branch->getCond()))
      return false;
  }
  return at == group.holder;
}

// A turn of a loop inside the statement is skipped: of its element, which no other knows of.
bool EpilogueFinder::isOfLoopIn(const Stmt &stmt, const Stmt &skip) const {
  const Stmt *at = &skip;
  while (at && at != &stmt && !isa<ForStmt>(at))
    at = parentOf(at);
  return at && isa<ForStmt>(at);
}

bool EpilogueFinder::plainCall(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  const std::string name = callee && callee->getIdentifier() ? callee->getNameAsString() : "";
  if (!callee)
    return refuse("the epilogue calls what is not known here", call->getSourceRange());
  if (Touches::isAtomic(call)) {
    if (!isa<CompoundStmt, ForStmt, IfStmt>(parentOf(call)))
      return refuse("the epilogue uses what an atomic returns", call->getSourceRange());
    if (callee->getName().starts_with("atomicExch") || callee->getName().starts_with("atomicCAS"))
      return refuse("the order of '" + name + "' of several elements is lost",
                    call->getSourceRange());
    return true;
  }
  if (isCachedStore(*call))
    return true;
  if (const FunctionDecl *storing = storingFunction(*call); storing && !isOfHeaders(*callee))
    return onlyWrites(*call, *storing, callee->getNameAsString());
  const auto *method = dyn_cast<CXXMethodDecl>(callee);
  if (isa<CXXOperatorCallExpr>(call) || (method && method->isConst()))
    return isOfCuda(*callee) || asksNothing(*call);
  if (method && !method->isStatic())
    return refuse("the epilogue calls '" + name + "', which may change its object",
                  call->getSourceRange());
  for (const char *prefix : {"__shfl", "__sync", "__ballot", "__any", "__all", "__match",
                             "__reduce", "__activemask", "__barrier", "__nvvm", "__builtin_nv"})
    if (StringRef(name).starts_with(prefix))
      return refuse("the epilogue calls '" + name + "'", call->getSourceRange());
  if (in_.sampler.indexOf(call) != ThreadValue::Other)
    return true;
  const FunctionDecl *definition = callee->getDefinition();
  AsmFinder inside;
  if (definition && definition->hasBody())
    inside.TraverseStmt(definition->getBody());
  if (llvm::any_of(inside.calls, [](const CallExpr *c) { return Touches::isAtomic(c); }))
    return refuse("the epilogue calls '" + name + "', which uses an atomic of its own",
                  call->getSourceRange());
  if (definition && definition->hasBody() && in_.sampler.asksOthers(definition->getBody()))
    return refuse("the epilogue calls '" + name + "', which asks other lanes",
                  call->getSourceRange());
  if (definition && definition->hasBody() && !in_.isTold(*call) &&
      in_.sampler.dependsOnThread(definition->getBody()))
    return refuse("the epilogue calls '" + name + "', which reads the thread's index itself",
                  call->getSourceRange());
  if (!onlyComputes(*call))
    return refuse("the epilogue calls '" + name + "'", call->getSourceRange());
  for (const ParmVarDecl *parameter : callee->parameters()) {
    const QualType type = parameter->getType();
    const bool lends = type->isPointerType() ||
                       (type->isReferenceType() && !type.getNonReferenceType().isConstQualified());
    if (lends)
      return refuse("the epilogue hands memory to '" + name + "'", call->getSourceRange());
  }
  return true;
}

// A register that is handed over by reference is only read as the one that it is: no function goes
// on from its address to the tile's others, (&x)[2], which lie elsewhere here.
bool EpilogueFinder::isReadAlone(const Expr &place, int depth) const {
  constexpr int kDeepest = 8;
  const Stmt *user = userOf(&place);
  const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(user);
  if (cast && cast->getCastKind() == CK_LValueToRValue)
    return true;
  if (cast && cast->getCastKind() == CK_NoOp)
    return isReadAlone(*cast, depth);
  const ParmVarDecl *parameter = nullptr; // that it is given to
  const auto take = [&](const FunctionDecl *function, auto arguments, unsigned first) {
    unsigned i = 0;
    for (const Expr *argument : arguments)
      if (const unsigned at = i++; function && bare(argument) == bare(&place) && at >= first &&
                                   at - first < function->getNumParams())
        parameter = function->getParamDecl(at - first);
    return function && !isOfHeaders(*function) ? function->getDefinition() : nullptr;
  };
  const FunctionDecl *function = nullptr;
  if (const auto *call = dyn_cast_or_null<CallExpr>(user)) {
    const bool isMethod =
        isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(call->getDirectCallee());
    function = take(call->getDirectCallee(), call->arguments(), isMethod ? 1 : 0);
  } else if (const auto *made = dyn_cast_or_null<CXXConstructExpr>(user)) {
    function = take(made->getConstructor(), made->arguments(), 0);
  } else {
    return depth == 0; // no function has it
  }
  if (!function || function->isTrivial())
    return true;
  if (depth == kDeepest || !parameter || !function->hasBody())
    return false;
  const auto readsIt = [&](const Stmt *stmt) {
    return llvm::all_of(mentionsIn(stmt), [&](const DeclRefExpr *name) {
      const auto *named = dyn_cast<ParmVarDecl>(name->getDecl());
      return !named || named->getDeclContext() != function ||
             named->getFunctionScopeIndex() != parameter->getFunctionScopeIndex() ||
             isReadAlone(*name, depth + 1);
    });
  };
  const auto *constructor = dyn_cast<CXXConstructorDecl>(function);
  const bool begins = !constructor || llvm::all_of(constructor->inits(), [&](const auto *init) {
    return readsIt(init->getInit());
  });
  return begins && readsIt(function->getBody());
}

// An operator or const method of the author's: whatever it is called on, it may be asked for by
// another lane, and writes nothing.
bool EpilogueFinder::asksNothing(const CallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  const std::string name = callee->getNameAsString();
  const FunctionDecl *definition = callee->getDefinition();
  if (!definition || !definition->hasBody())
    return refuse("the epilogue calls what is not known here", call.getSourceRange());
  if (in_.sampler.dependsOnThread(definition->getBody()) && !in_.isOfLambda(call))
    return refuse("the epilogue calls '" + name + "', which reads the thread's index itself",
                  call.getSourceRange());
  return onlyComputes(call) || refuse("the epilogue calls '" + name + "'", call.getSourceRange());
}

// ---- functions that store

// It computes places from what it is given and writes there: declarations, conditions and
// assignments to memory, of nothing that another lane may have another of.
bool EpilogueFinder::onlyWrites(const CallExpr &call, const FunctionDecl &function,
                                const std::string &name) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  const bool isLambda = method && method->getParent()->isLambda();
  const std::string called = isLambda ? "a lambda" : "'" + name + "'";
  const ParmVarDecl *tile = tileHandedTo(call);
  if (tile && !in_.takesOneMore(call))
    return refuse("in '" + name + "', there is no place for another parameter",
                  call.getSourceRange());
  const auto no = [&](const std::string &why) {
    return refuse("the epilogue calls " + called + ", which " + why, call.getSourceRange());
  };
  AsmFinder inside;
  inside.TraverseStmt(function.getBody());
  if (llvm::any_of(inside.calls, [](const CallExpr *c) { return Touches::isAtomic(c); }))
    return no("uses an atomic of its own");
  if (in_.sampler.asksOthers(function.getBody()))
    return no("asks other lanes");
  // A lambda's parameters are its call's.
  const auto *named =
      isLambda && call.getNumArgs() ? dyn_cast<DeclRefExpr>(bare(call.getArg(0))) : nullptr;
  const auto *lambda = named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
  const bool asks = lambda ? in_.sampler.dependsOnThread(lambda)
                           : in_.sampler.dependsOnThread(function.getBody());
  if (asks && !(tile && in_.isTold(call)))
    return no("reads the thread's index itself");
  if (method && !isLambda && !method->isStatic() && (!objectOf(call) || method->isVirtual()))
    return refuse("the epilogue calls '" + name + "' of what is no variable",
                  call.getSourceRange());
  if (const VarDecl *object = objectOf(call); object && !isAlikeObject(*object))
    return refuse(whyNotAlike(*object), call.getSourceRange());
  for (const CallExpr *inner : inside.calls)
    if (!isCachedStore(*inner) && !onlyComputes(*inner))
      return no("calls another that does more than compute");
  if (!onlyWritesBelow(function.getBody(), function))
    return no("does more than write to places that it is given");
  for (const ParmVarDecl *parameter : function.parameters()) {
    const QualType type = parameter->getType();
    const bool lends = type->isReferenceType() && !type.getNonReferenceType().isConstQualified();
    if (lends && parameter != tile)
      return refuse("the epilogue hands memory to " + called, call.getSourceRange());
  }
  for (unsigned i = 0; i < function.getNumParams(); ++i)
    if (const Expr *argument = argumentOf(call, i);
        argument && isPlaceType(argument->getType()) && isChosen(argument))
      return refuse("whether each element is written to a place of its own is not clear",
                    argument->getSourceRange());
  return true;
}

bool EpilogueFinder::onlyWritesBelow(const Stmt *stmt, const FunctionDecl &function,
                                     bool isInLoop) {
  if (!stmt)
    return true;
  if (const auto *loop = dyn_cast<ForStmt>(stmt))
    return plainCounter(loop, in_.context) && onlyWritesBelow(loop->getBody(), function, true);
  const bool isPlain =
      isa<CompoundStmt, DeclStmt, IfStmt, NullStmt, AttributedStmt, Expr>(stmt) ||
      (isa<ReturnStmt>(stmt) && !cast<ReturnStmt>(stmt)->getRetValue() && !isInLoop);
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  const bool isLambda = method && method->getParent()->isLambda();
  if (!isPlain || isa<LambdaExpr, CXXNewExpr, CXXDeleteExpr>(stmt) ||
      (isa<CXXThisExpr>(stmt) && isLambda))
    return false;
  if (const auto *op = dyn_cast<UnaryOperator>(stmt); op && op->isIncrementDecrementOp())
    return false;
  const auto *op = dyn_cast<BinaryOperator>(stmt);
  const auto *assigns = dyn_cast<CXXOperatorCallExpr>(stmt);
  const Expr *target = op && op->isAssignmentOp()             ? op->getLHS()
                       : assigns && assigns->isAssignmentOp() ? assigns->getArg(0)
                                                              : nullptr;
  if (target && !isStoredTo(target) && !isOwnValue(target, function))
    return false;
  if (const auto *name = dyn_cast<DeclRefExpr>(stmt))
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl());
        variable && !mayBeNamed(*variable, function))
      return false;
  return llvm::all_of(stmt->children(), [&](const Stmt *child) {
    return onlyWritesBelow(child, function, isInLoop);
  });
}

// Its own, or what all lanes have alike at any time; of a lambda, from where it is made on.
bool EpilogueFinder::mayBeNamed(const VarDecl &variable, const FunctionDecl &function) {
  if (variable.getDeclContext() == &function)
    return !variable.isStaticLocal();
  const QualType type = variable.getType();
  return !variable.isLocalVarDeclOrParm() || isSharedVariable(&variable) ||
         (isSettled(variable, function) && !isOfRegisters(&variable) && !heldBy(variable) &&
          (isa<ParmVarDecl>(variable) || !type->isRecordType() || type.isConstQualified()));
}

// y += blockIdx.z * size;  in front of the lambda that writes to y, and nothing behind it.
bool EpilogueFinder::isSettled(const VarDecl &variable, const FunctionDecl &function) {
  if (!in_.sampler.isAssigned(&variable))
    return true;
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  const bool isLambda = method && method->getParent()->isLambda();
  const SourceManager &sm = in_.context.getSourceManager();
  const auto isBefore = [&](SourceLocation change) {
    return sm.isBeforeInTranslationUnit(change, method->getParent()->getBeginLoc());
  };
  return isLambda && !in_.sampler.changesUnseen(&variable) &&
         !in_.sampler.dependsOnThread(&variable) &&
         llvm::all_of(in_.sampler.changesOf(&variable), isBefore);
}

// A condition on the thread picks the place: of lanes that are not looked at, perhaps.
bool EpilogueFinder::isChosen(const Expr *value) {
  class Choices : public DynamicRecursiveASTVisitor {
  public:
    explicit Choices(Sampler &sampler) : sampler_(sampler) {}
    bool VisitAbstractConditionalOperator(AbstractConditionalOperator *op) override {
      any |= sampler_.dependsOnThread(op->getCond());
      return !any;
    }
    bool VisitBinaryOperator(BinaryOperator *op) override {
      any |= (op->isComparisonOp() || op->isLogicalOp()) && sampler_.dependsOnThread(op);
      return !any;
    }
    bool any = false;

  private:
    Sampler &sampler_;
  };
  std::set<const VarDecl *> made;
  addMakers(value, made);
  Choices choices(in_.sampler);
  choices.TraverseStmt(const_cast<Expr *>(value));
  for (const VarDecl *variable : made)
    for (const Expr *from : values_[variable])
      choices.TraverseStmt(const_cast<Expr *>(from));
  return choices.any;
}

// ---- functions that are handed a whole tile

// The function is written once more for one row of the tile: it must speak of the tile by its
// registers alone, and of one tile.
bool EpilogueFinder::writeForRow(const RegisterAccess &handed, const Group &group,
                                 EpilogueBody &body) {
  const CallExpr &call = *handed.call;
  const FunctionDecl &function = *storingFunction(call);
  const ParmVarDecl &tile = *tileOf(call, *handed.expr);
  const auto no = [&](const std::string &why) {
    return refuse("in '" + function.getNameAsString() + "', " + why, call.getSourceRange());
  };
  if (llvm::count_if(group.accesses, [&](const auto &access) { return access.call == &call; }) > 1)
    return no("two tiles are handed on together");
  if (hasOtherInstances(function))
    return no("what is written once for one row would be another in its other instances");
  std::vector<RegisterAccess> accesses;
  for (const DeclRefExpr *name : mentionsIn(function.getBody())) {
    const auto access = name->getDecl() == &tile ? registerNamed(*name) : std::nullopt;
    if (access)
      accesses.push_back(*access);
    else if (name->getDecl() == &tile)
      return no("'" + tile.getNameAsString() + "' is used in another way than by its registers");
  }
  const std::string lower = lowerIn(function);
  RowMerger merger(in_.context, in_.texts, accesses, in_.isPacked, lower, {tile.getNameAsString()});
  std::vector<SourceEdit> edits;
  if (const std::string problem = merger.merge({function.getBody()}, edits); !problem.empty())
    return no(problem);
  const auto name = in_.texts.range(call.getCallee()->getSourceRange());
  const bool isConst = llvm::none_of(
      accesses, [&](const RegisterAccess &access) { return isCastByName(*access.expr); });
  body.changes |= !isConst;
  RowFunction out = functionForRow(in_.texts, function, tile, in_.isPacked, isConst, lower, edits);
  const auto isIts = [&](const ToldFunction &told) {
    return llvm::any_of(told.edits,
                        [&](const SourceEdit &edit) { return out.range.contains(edit.range); });
  };
  for (EpilogueBody::Rebound *rebound : {&body.forThread, &body.forLane}) {
    std::vector<ToldFunction> &told = rebound->names.told;
    const auto own = llvm::find_if(told, isIts);
    if (own != told.end() && rebound == &body.forThread)
      llvm::append_range(edits, own->edits);
    llvm::erase_if(told, isIts);
  }
  if (out.text.empty() || !name)
    return no("a macro or a template's parameter writes the tile");
  const auto known = llvm::find_if(
      body.functions, [&](const RowFunction &other) { return other.range.contains(out.range); });
  if (known != body.functions.end()) {
    known->calls.push_back(*name);
    return true;
  }
  body.functions.push_back(
      functionForRow(in_.texts, function, tile, in_.isPacked, isConst, lower, std::move(edits)));
  body.functions.back().calls = {*name};
  return true;
}

// c[2 * h + 1], of a parameter that is a tile.
std::optional<RegisterAccess> EpilogueFinder::registerNamed(const DeclRefExpr &tile) const {
  const Stmt *user = &tile;
  do
    user = parentOf(user);
  while (isa_and_nonnull<ImplicitCastExpr, ParenExpr>(user));
  const auto *element = dyn_cast_or_null<ArraySubscriptExpr>(user);
  if (!element || bare(element->getBase()) != &tile)
    return std::nullopt;
  RegisterAccess access;
  access.expr = element;
  access.index = element->getIdx();
  access.bytes = bytesRead(element);
  return access.bytes ? std::optional(access) : std::nullopt;
}

// What is handed to the function as a tile.
const ParmVarDecl *EpilogueFinder::tileHandedTo(const CallExpr &call) const {
  for (const Group &group : groups_)
    for (const RegisterAccess &access : group.accesses)
      if (access.call == &call)
        return tileOf(call, *access.expr);
  return nullptr;
}

} // namespace layout_port::native
