// Every other mention of a fragment's variable: a fill with one constant can be kept as it
// is, anything else must know where the registers' elements are.
#include "native/Recovery.h"

#include "native/FragmentName.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

void Recovery::memberPlace(const Root &root, Kernel::Variable &out) const {
  constexpr int64_t kWordBits = 32;
  const QualType element = context_.getBaseElementType(root.part->getType());
  out.isPrivate = root.part->getAccess() == AS_private || root.part->getAccess() == AS_protected;
  out.object = root.variable->getNameAsString();
  out.type =
      element.getCanonicalType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
  if (context_.getTypeSize(element) == kWordBits) {
    out.words = static_cast<int64_t>(context_.getTypeSize(root.part->getType())) / kWordBits;
    out.firstWord = static_cast<int64_t>(context_.getFieldOffset(root.part)) / kWordBits;
  }
}

void Recovery::lastExtent(const VarDecl &variable, Kernel::Variable &out) const {
  const TypeSourceInfo *info = variable.getTypeSourceInfo();
  const Expr *size = nullptr;
  for (TypeLoc loc = info ? info->getTypeLoc() : TypeLoc(); loc;) {
    const auto array = loc.getAsAdjusted<ArrayTypeLoc>();
    if (!array || !array.getSizeExpr())
      break;
    size = array.getSizeExpr();
    loc = array.getElementLoc();
  }
  if (!context_.getBaseElementType(variable.getType())->isScalarType())
    return;
  const auto count = constant(size);
  const auto range = size ? texts_.range(size->getSourceRange()) : std::nullopt;
  if (!count || !range || variable.getInit())
    return;
  out.registers = *range;
  out.registerCount = *count;
}

// Its body does something.
static bool hasOwnText(const CXXConstructorDecl &constructor) {
  const FunctionDecl *definition = constructor.getDefinition();
  const auto *body = definition ? dyn_cast_or_null<CompoundStmt>(definition->getBody()) : nullptr;
  return body && !body->body_empty();
}

class Recovery::Uses : public DynamicRecursiveASTVisitor {
public:
  explicit Uses(Recovery &recovery) : r_(recovery) {}

  bool TraverseStmt(Stmt *stmt) override {
    const auto *handing = dyn_cast_or_null<CallExpr>(stmt);
    const bool isHanding = handing && r_.isHanding(*handing); // what else it is called with
    if (!stmt || (llvm::is_contained(r_.sites_, stmt) && !isHanding))
      return true;
    if (const auto *lambda = dyn_cast<LambdaExpr>(stmt); lambda && lambda->isGenericLambda())
      return traverseInstances(*lambda);
    if (const auto *loop = dyn_cast<CXXForRangeStmt>(stmt); loop && !divergent_)
      if (const auto fill = rangeFillOf(*loop))
        return traverseFill(*fill);
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt)) {
      const auto range = r_.texts_.statement(stmt->getSourceRange());
      if (range)
        loops_.push_back(*range);
      counting_.push_back(countingOf(stmt, range ? *range : TextRange()));
      const Loop &turns = counting_.back().loop;
      const bool mayHaveNone = !turns.first || !turns.last || *turns.first >= *turns.last;
      if (mayHaveNone)
        mayBeSkipped_.push_back(range ? *range : kNowhere);
      const bool wasDivergent = divergent_;
      divergent_ = divergent_ || (mayHaveNone && !goesAlike(*stmt));
      const bool wasAlike = isAlike_, wasOfAll = isOfAllTiles_, wasApart = isApart_;
      const auto *each = dyn_cast<CXXForRangeStmt>(stmt);
      const bool isOfArray = each && each->getRangeInit()->getType()->isConstantArrayType();
      isApart_ = isApart_ || (!isOfArray && !goesAlike(*stmt) && !r_.countsAlikeForPair(*stmt));
      if (!isAlike_ && !divergent_ && !isApart_ && llvm::none_of(counting_, hasJumps))
        treatAlike(tilesTreated(*stmt, counting_.back()));
      const Stmt *outer = std::exchange(block_, stmt);
      const bool go = DynamicRecursiveASTVisitor::TraverseStmt(stmt);
      block_ = outer;
      isAlike_ = wasAlike;
      isOfAllTiles_ = wasOfAll;
      isApart_ = wasApart;
      divergent_ = wasDivergent;
      if (mayHaveNone)
        mayBeSkipped_.pop_back();
      counting_.pop_back();
      if (range)
        loops_.pop_back();
      return go;
    }
    if (auto *branch = dyn_cast<IfStmt>(stmt); branch && !branch->isConstexpr())
      return TraverseStmt(branch->getInit()) &&
             TraverseStmt(branch->getConditionVariableDeclStmt()) &&
             TraverseStmt(branch->getCond()) && onCondition(branch->getCond(), branch->getThen()) &&
             onCondition(branch->getCond(), branch->getElse());
    if (auto *choice = dyn_cast<SwitchStmt>(stmt))
      return onCondition(choice->getCond(), choice->getBody()) && TraverseStmt(choice->getCond());
    if (auto *choice = dyn_cast<ConditionalOperator>(stmt))
      return TraverseStmt(choice->getCond()) &&
             onCondition(choice->getCond(), choice->getTrueExpr()) &&
             onCondition(choice->getCond(), choice->getFalseExpr());
    if (auto *op = dyn_cast<BinaryOperator>(stmt); op && op->isLogicalOp())
      return TraverseStmt(op->getLHS()) && onCondition(op->getLHS(), op->getRHS());
    if (isa<CompoundStmt>(stmt)) {
      const Stmt *outer = std::exchange(block_, stmt);
      const bool go = DynamicRecursiveASTVisitor::TraverseStmt(stmt);
      block_ = outer;
      return go;
    }
    if (auto *call = dyn_cast<CallExpr>(stmt); call && traverseAlike(*call))
      return true;
    if (const auto *call = dyn_cast<CallExpr>(stmt); call && descendCall(*call))
      return true;
    if (const auto *op = dyn_cast<BinaryOperator>(stmt);
        op && op->getOpcode() == BO_Assign && constantOf(op->getRHS()) && !divergent_) {
      traverseFill({op->getLHS(), *constantOf(op->getRHS())});
      if (isa<BinaryOperator>(op->getRHS()->IgnoreParenImpCasts()))
        TraverseStmt(op->getRHS());
      return true;
    }
    if (const auto *op = dyn_cast<CXXOperatorCallExpr>(stmt);
        op && isPlainAssignment(*op) && !divergent_)
      if (const auto value = vectorConstantOf(op->getArg(1))) {
        const auto row = seenAsVector(*stripped(op->getArg(0)), *value);
        traverseFill(row ? *row : Fill{op->getArg(0), *value, 0});
        return !chainedVector(op->getArg(1)) || TraverseStmt(const_cast<Expr *>(op->getArg(1)));
      }
    if (const auto *call = dyn_cast<CallExpr>(stmt); call && !divergent_)
      if (const auto fill = memsetOf(*call))
        return traverseFill(*fill);
    return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
  }
  // A text of several instances, of which the sites are.
  bool traverseInstances(const LambdaExpr &lambda) {
    return llvm::all_of(lambda.getDependentCallOperator()->specializations(),
                        [&](FunctionDecl *instance) {
                          return !instance->hasBody() || TraverseStmt(instance->getBody());
                        });
  }
  // A part that runs or does not: what it sets by number is not set with what stands
  // beside it, and a loop around it does not run through all.
  bool onCondition(const Expr *condition, Stmt *part) {
    if (!part)
      return true;
    const bool outer = divergent_;
    divergent_ = divergent_ || !r_.sameForWave(condition);
    const Stmt *outerBlock = std::exchange(block_, part);
    const size_t outerLoops = std::exchange(underCondition_, counting_.size());
    const auto range = r_.texts_.statement(part->getSourceRange());
    mayBeSkipped_.push_back(range ? *range : kNowhere);
    const bool go = TraverseStmt(part);
    mayBeSkipped_.pop_back();
    underCondition_ = outerLoops;
    block_ = outerBlock;
    divergent_ = outer;
    return go;
  }

  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (!variable || r_.handedNames_.contains(name))
      return true;
    if (const auto view = r_.views_.find(variable); view != r_.views_.end()) {
      noteMention(*name, *view->second.variable, nullptr, nullptr);
      return true;
    }
    const VarDecl *handed = handedTo(variable);
    const FieldDecl *part = partNamed(*name, const_cast<ASTContext &>(r_.context_));
    if (const auto view = handed && !part ? r_.handedTo(variable) : std::nullopt)
      part = view->part;
    noteMention(*name, handed ? *handed : *variable, part, handed);
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *self) override {
    if (r_.handedNames_.contains(self))
      return true;
    const VarDecl *object = handedTo(nullptr);
    const auto parents = const_cast<ASTContext &>(r_.context_).getParents(*self);
    const auto *member = parents.empty() ? nullptr : parents[0].get<MemberExpr>();
    const auto *part = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
    if (object && (part || !member))
      noteMention(*self, *object, part, object);
    return true;
  }
  bool VisitVarDecl(VarDecl *variable) override {
    const auto *made = variable->getInit()
                           ? dyn_cast<CXXConstructExpr>(throughCopies(variable->getInit()))
                           : nullptr;
    if (made && isRoot(*variable) &&
        !descend(*made->getConstructor(), {made->getArgs(), made->getNumArgs()}, variable, *made) &&
        hasOwnText(*made->getConstructor()))
      begunUnseen_.insert(variable);
    return true;
  }
  // By a constructor that is not looked into.
  bool isBegunUnseen(const VarDecl &variable) const { return begunUnseen_.count(&variable) != 0; }

  // What a function does that is handed fragments it does where it is called: it may be
  // nothing but a fill.
  bool isRoot(const VarDecl &variable) const {
    return llvm::any_of(r_.roots_, [&](const auto &r) { return r.second.variable == &variable; });
  }
  const VarDecl *handedTo(const VarDecl *parameter) const {
    const auto known = handed_.find(parameter);
    if (known != handed_.end())
      return known->second;
    const auto view = parameter || handed_.empty() ? r_.handedTo(parameter) : std::nullopt;
    return view ? view->variable : nullptr;
  }
  // The fragments' variable that an expression names as a whole.
  const VarDecl *rootNamed(const Expr &expr) const {
    if (isa<CXXThisExpr>(stripped(&expr)))
      return handedTo(nullptr);
    const auto *name = dyn_cast<DeclRefExpr>(stripped(&expr));
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    const VarDecl *handed = variable ? handedTo(variable) : nullptr;
    const VarDecl *root = handed ? handed : variable;
    return root && isRoot(*root) ? root : nullptr;
  }
  bool descendCall(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    if (!callee || isa<CXXOperatorCallExpr>(call))
      return false;
    const Expr *self = objectOf(call);
    const VarDecl *object = self ? rootNamed(*self) : nullptr;
    if ((self && !object) || !descend(*callee, {call.getArgs(), call.getNumArgs()}, object, call))
      return false;
    for (const Expr *argument : call.arguments())
      if (!rootNamed(*argument))
        TraverseStmt(const_cast<Expr *>(argument));
    return true;
  }
  bool descend(const FunctionDecl &callee, llvm::ArrayRef<const Expr *> arguments,
               const VarDecl *object, const Expr &call) {
    constexpr size_t kDeepest = 8;
    const FunctionDecl *function = callee.getDefinition();
    if (!function || !function->hasBody() || depth_ > kDeepest || r_.matrixWithin(function))
      return false;
    Handed inner;
    if (object)
      inner[nullptr] = object;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const VarDecl *root = rootNamed(*arguments[i]);
      if (!root)
        continue;
      if (i >= function->getNumParams() || !function->getParamDecl(i)->getType()->isReferenceType())
        return false; // a copy, or a pointer to who knows how many
      inner[function->getParamDecl(i)] = root;
    }
    if (inner.empty() || leavesEarly(*function))
      return false;
    r_.sampler_.consider(function->getBody());
    for (size_t i = 0; i < arguments.size() && i < function->getNumParams(); ++i)
      r_.sampler_.alias(function->getParamDecl(i), arguments[i]);
    const auto range = r_.texts_.statement(call.getSourceRange());
    const bool isOutermost = !place_ && range;
    if (isOutermost) {
      place_ = range;
      call_ = &call;
    }
    std::swap(handed_, inner);
    ++depth_;
    TraverseStmt(function->getBody());
    --depth_;
    std::swap(handed_, inner);
    if (isOutermost)
      place_.reset();
    return true;
  }

  static bool leavesEarly(const FunctionDecl &function) {
    Jumps jumps;
    for (const Stmt *stmt : cast<CompoundStmt>(function.getBody())->body())
      if (!isa<ReturnStmt>(stmt))
        jumps.TraverseStmt(const_cast<Stmt *>(stmt));
    return jumps.any;
  }

  void noteMention(const Expr &mention, const VarDecl &root, const FieldDecl *part,
                   const VarDecl *handed) {
    const uint64_t declaration = fragmentOf(root, part);
    if (r_.roots_.count(declaration))
      noteUse(mention, declaration, handed);
    else if (!part) // the whole of a variable with parts
      for (const auto &[fragment, known] : r_.roots_)
        if (known.variable == &root)
          noteUse(mention, fragment, handed);
  }
  // acc[i][j] = .., x = acc[i][j], *(float2 *)&acc[i][0] = .., load(acc); not float *p = acc[i].
  bool isDoneThere(const Expr &mention) const {
    const Stmt *below = &mention;
    while (const Stmt *stmt = r_.parentOf(DynTypedNode::create(*below))) {
      const auto *cast = dyn_cast<CastExpr>(stmt);
      const auto *op = dyn_cast<UnaryOperator>(stmt);
      const auto *access = dyn_cast<ArraySubscriptExpr>(stmt);
      const auto *member = dyn_cast<MemberExpr>(stmt);
      const bool isAddress = op && (op->getOpcode() == UO_AddrOf || op->getOpcode() == UO_Deref);
      const bool isPlace =
          access ? access->getBase() == below : member && isa<FieldDecl>(member->getMemberDecl());
      if (cast && cast->getCastKind() == CK_LValueToRValue)
        return true;
      if (!isPlace && !isAddress && !cast && !isa<ParenExpr>(stmt)) {
        const auto *change = dyn_cast<BinaryOperator>(stmt);
        const bool isWritten = change && change->isAssignmentOp() && change->getLHS() == below;
        const auto *call = dyn_cast<CallExpr>(stmt);
        const auto *made = dyn_cast<CXXConstructExpr>(stmt); // of a vector, or two halves
        return isWritten || (made && made->getConstructor()->isCopyOrMoveConstructor()) ||
               (op && op->isIncrementDecrementOp()) || (call && onlyTakes(*call));
      }
      below = stmt;
    }
    return false;
  }
  // uint32_t *p = a; auto &[r] = frag; hold(&f, a): what is done by that name is done elsewhere.
  bool givesName(const Expr &mention) const {
    const Stmt *below = &mention;
    while (const Stmt *stmt = r_.parentOf(DynTypedNode::create(*below))) {
      const auto *read = dyn_cast<CastExpr>(stmt);
      const auto *made = dyn_cast<CXXConstructExpr>(stmt);
      const auto *change = dyn_cast<BinaryOperator>(stmt);
      const auto *step = dyn_cast<UnaryOperator>(stmt);
      if ((read && read->getCastKind() == CK_LValueToRValue) ||
          (step && step->isIncrementDecrementOp()) ||
          (made && made->getConstructor()->isCopyOrMoveConstructor()))
        return false;
      if (const auto *call = dyn_cast<CallExpr>(stmt))
        return mayKeep(*call);
      if (isa<GCCAsmStmt>(stmt) || (change && change->isAssignmentOp()))
        return cast<Expr>(below)->getType()->isPointerType();
      if (made || !isa<Expr>(stmt))
        break;
      below = stmt;
    }
    return true;
  }

  // A function that gives a pointer, leaves one in memory, or of which that is not known.
  bool mayKeep(const CallExpr &call, int depth = 0) const {
    constexpr int kDeepest = 8;
    const FunctionDecl *callee = call.getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (callee && (isOfCuda(*callee) || callee->isTrivial()))
      return false;
    const QualType gives = callee ? callee->getReturnType() : QualType();
    const bool givesNone =
        callee && (gives->isVoidType() || gives->isArithmeticType() || r_.isRegister(gives));
    if (!givesNone || !definition || !definition->hasBody() || depth > kDeepest)
      return true;
    class Pointers : public DynamicRecursiveASTVisitor {
    public:
      bool VisitBinaryOperator(BinaryOperator *op) override {
        return !(any = any || (op->isAssignmentOp() && op->getType()->isPointerType()));
      }
      bool VisitCallExpr(CallExpr *inner) override { return calls.push_back(inner), true; }
      bool VisitLambdaExpr(LambdaExpr *) override { return !(any = true); }
      bool VisitVarDecl(VarDecl *variable) override {
        return !(any = any || variable->isStaticLocal());
      }
      bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
        const CXXConstructorDecl *constructor = made->getConstructor();
        return !(any = any || !(constructor->isTrivial() || isOfCuda(*constructor)));
      }
      std::vector<const CallExpr *> calls;
      bool any = false;
    };
    Pointers pointers;
    pointers.TraverseStmt(definition->getBody());
    return pointers.any || llvm::any_of(pointers.calls, [&](const CallExpr *inner) {
             return mayKeep(*inner, depth + 1);
           });
  }
  // A lambda's body runs elsewhere.
  bool isInLambda(const Expr &mention) const {
    const auto *name = dyn_cast<DeclRefExpr>(&mention);
    if (name && name->refersToEnclosingVariableOrCapture())
      return true;
    const Stmt *around = &mention;
    while (around && !isa<LambdaExpr>(around))
      around = r_.parentOf(DynTypedNode::create(*around));
    const FunctionDecl *function = r_.enclosingFunction(mention);
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(function);
    return around || !function || (method && method->getParent()->isLambda());
  }
  // A function that gives no pointer, and leaves none in memory.
  static bool onlyTakes(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (isa<CXXOperatorCallExpr>(call)) // x.v = .. of vectors
      return callee && (callee->isTrivial() || isOfCuda(*callee));
    class Pointers : public DynamicRecursiveASTVisitor {
    public:
      bool VisitBinaryOperator(BinaryOperator *op) override {
        return !(any = any || (op->isAssignmentOp() && !op->getType()->isArithmeticType()));
      }
      bool VisitCallExpr(CallExpr *inner) override {
        const FunctionDecl *its = inner->getDirectCallee();
        return !(any = any || !its || !(isOfCuda(*its) || its->isTrivial()));
      }
      bool VisitLambdaExpr(LambdaExpr *) override { return !(any = true); }
      bool VisitVarDecl(VarDecl *variable) override {
        return !(any = any || variable->isStaticLocal());
      }
      bool any = false;
    };
    Pointers pointers;
    if (definition && definition->hasBody())
      pointers.TraverseStmt(definition->getBody());
    const bool givesNone = callee && (callee->getReturnType()->isVoidType() ||
                                      callee->getReturnType()->isArithmeticType());
    return givesNone && definition && definition->hasBody() && !pointers.any &&
           !isa<CXXMethodDecl>(definition);
  }

  void noteUse(const Expr &mention, uint64_t declaration, const VarDecl *handed) {
    FragmentUse use;
    const Scalar *scalar = r_.scalarOf(declaration);
    use.declaration = scalar ? scalar->fragment : declaration;
    use.loops = loops_;
    if (const auto range = r_.texts_.statement(mention.getSourceRange()))
      use.range = use.place = *range;
    if (fill_ && (!handed || place_))
      noteFill(mention, use);
    use.isAlike = isAlike_;
    use.isOfAllTiles = isOfAllTiles_ && !handed;
    if (use.isOfAllTiles)
      use.tileCounters = tileCounters_;
    use.isDoneThere = r_.out_.isConverted(use.declaration)
                          ? !givesName(mention)
                          : (place_ || !handed) && !isInLambda(mention) && isDoneThere(mention);
    if (!mayBeSkipped_.empty())
      use.mayBeSkippedBy = mayBeSkipped_.back();
    if (place_)
      use.range = *place_;
    else if (handed) // what the function does is done where it is first called
      use.range = use.mayBeSkippedBy = r_.calls_[{r_.function_, r_.frame_}].front().range;
    if (use.isAlike || r_.out_.isConverted(use.declaration)) {
      const std::vector<TextRange> calls = callsOfLambdas(place_ ? *call_ : mention, use);
      r_.out_.uses.push_back(use);
      for (const TextRange &call : calls) {
        use.range = call;
        r_.out_.uses.push_back(use);
      }
      return;
    }
    r_.out_.uses.push_back(use);
  }

  // The class of the innermost one, which the body's text leads to by its expression or its method.
  const CXXRecordDecl *lambdaAround(const Expr &mention) const {
    DynTypedNode node = DynTypedNode::create(mention);
    for (int depth = 0; depth < 256; ++depth) {
      const auto parents = const_cast<ASTContext &>(r_.context_).getParents(node);
      if (parents.empty())
        return nullptr;
      node = parents[0];
      if (const auto *lambda = node.get<LambdaExpr>())
        return lambda->getLambdaClass();
      if (const auto *function = node.get<FunctionDecl>()) {
        const auto *method = dyn_cast<CXXMethodDecl>(function);
        return method && method->getParent()->isLambda() ? method->getParent() : nullptr;
      }
    }
    return nullptr;
  }

  // auto change = [&] { a[1] = ..; };  changes it where it is called, or handed to a function that
  // may call it. A copy of the lambda is called somewhere.
  std::vector<TextRange> callsOfLambdas(const Expr &mention, FragmentUse &use,
                                        int depth = 0) const {
    constexpr int kDeepest = 4; // lambdas in lambdas
    std::vector<TextRange> calls;
    if (depth > kDeepest) { // or one that is handed itself
      use.isAlike = use.isDoneThere = false;
      return calls;
    }
    const CXXRecordDecl *lambda = lambdaAround(mention);
    const auto *outer = lambda ? dyn_cast<FunctionDecl>(lambda->getDeclContext()) : nullptr;
    if (!outer || !outer->hasBody())
      return calls;
    Mentions([&](const DeclRefExpr &name) {
      if (name.getType()->getAsCXXRecordDecl() != lambda)
        return;
      const Stmt *around = &name;
      while (around && !isa<CallExpr>(around))
        around = r_.parentOf(DynTypedNode::create(*around));
      const auto range = r_.texts_.statement(name.getSourceRange());
      if (!around || !range)
        use.isAlike = use.isDoneThere = false;
      if (range)
        calls.push_back(*range);
      llvm::append_range(calls, callsOfLambdas(name, use, depth + 1));
    }).TraverseStmt(outer->getBody());
    return calls;
  }

  // Fills that leave registers out, or put different constants into them, are uses like
  // any other.
  void finish() {
    for (const auto &[key, registers] : partial_)
      if (static_cast<int64_t>(registers.found.size()) != registers.extent)
        for (const size_t use : registers.uses)
          r_.out_.uses[use].isFill = false;
    for (FragmentUse &use : r_.out_.uses)
      use.isFill = use.isFill && values_[use.declaration].size() == 1;
  }

  // The constants that are put into its registers have two halves alike.
  bool fillsAlike(uint64_t declaration) const {
    const auto values = values_.find(declaration);
    return values == values_.end() || llvm::all_of(values->second, [](uint64_t value) {
             return (value & 0xffff) == (value >> 16 & 0xffff);
           });
  }

private:
  // An assignment of one constant to what `target` is, or to all elements that it has.
  struct Fill {
    const Expr *target = nullptr;
    uint64_t value = 0;
    int loops = 0; // over elements of elements
  };
  // for (auto &tile : c)
  //   for (float &x : tile)
  //     x = constant;
  std::optional<Fill> rangeFillOf(const CXXForRangeStmt &loop) const {
    const VarDecl *element = loop.getLoopVariable();
    const Stmt *body = loop.getBody();
    while (true)
      if (const auto *block = dyn_cast<CompoundStmt>(body); block && block->size() == 1)
        body = block->body_front();
      else if (const auto *attributed = dyn_cast<AttributedStmt>(body))
        body = attributed->getSubStmt();
      else
        break;
    const auto isElement = [&](const Expr *expr) {
      const auto *name = dyn_cast<DeclRefExpr>(stripped(expr));
      return name && name->getDecl() == element;
    };
    if (const auto *whole = dyn_cast<Expr>(body))
      body = stripped(whole);
    const auto *op = dyn_cast<BinaryOperator>(body);
    const auto *vector = dyn_cast<CXXOperatorCallExpr>(body);
    const auto *inner = dyn_cast<CXXForRangeStmt>(body);
    std::optional<Fill> fill;
    if (op && op->getOpcode() == BO_Assign && isElement(op->getLHS())) {
      if (const auto value = constantOf(op->getRHS()); value && !isAssignment(*op->getRHS()))
        fill = Fill{nullptr, *value, 0};
    } else if (vector && isPlainAssignment(*vector) && isElement(vector->getArg(0))) {
      if (const auto value = vectorConstantOf(vector->getArg(1));
          value && !chainedVector(vector->getArg(1)))
        fill = Fill{nullptr, *value, 0};
    } else if (inner && isElement(inner->getRangeInit())) {
      fill = rangeFillOf(*inner);
    }
    if (!fill || loop.getInit() || !element->getType()->isLValueReferenceType() ||
        !loop.getRangeInit()->getType()->isConstantArrayType())
      return std::nullopt;
    return Fill{loop.getRangeInit(), fill->value, fill->loops + 1};
  }
  // memset(c, 0, sizeof(c)): all that c has.
  std::optional<Fill> memsetOf(const CallExpr &call) const {
    const FunctionDecl *callee = call.getDirectCallee();
    if (!callee || !callee->getIdentifier() || callee->getName() != "memset" ||
        call.getNumArgs() != 3 || r_.constant(call.getArg(1)) != 0)
      return std::nullopt;
    const Expr *whole = stripped(call.getArg(0));
    while (const auto *cast = dyn_cast<ExplicitCastExpr>(whole))
      whole = stripped(cast->getSubExpr());
    if (const auto *address = dyn_cast<UnaryOperator>(whole))
      whole = address->getOpcode() == UO_AddrOf ? stripped(address->getSubExpr()) : whole;
    QualType type = whole->getType();
    if (!type->isConstantArrayType() ||
        r_.constant(call.getArg(2)) != r_.context_.getTypeSizeInChars(type).getQuantity())
      return std::nullopt;
    Fill fill{whole, 0, 0};
    for (; const auto *array = r_.context_.getAsConstantArrayType(type); ++fill.loops)
      type = array->getElementType();
    return fill;
  }

  // *(float4 *)c[j] = make_float4(0, 0, 0, 0), where c[j] is four floats.
  std::optional<Fill> seenAsVector(const Expr &vector, uint64_t value) const {
    const auto *read = dyn_cast<UnaryOperator>(&vector);
    const auto *cast = dyn_cast<ExplicitCastExpr>(
        read && read->getOpcode() == UO_Deref ? stripped(read->getSubExpr()) : &vector);
    const bool isReference = cast && cast->getCastKind() == CK_LValueBitCast;
    if (!cast || (!isReference && !read))
      return std::nullopt;
    const Expr *row = stripped(cast->getSubExpr());
    const auto *address = dyn_cast<UnaryOperator>(row);
    if (address && address->getOpcode() == UO_AddrOf)
      row = stripped(address->getSubExpr());
    const auto *first = address || isReference ? dyn_cast<ArraySubscriptExpr>(row) : nullptr;
    if (first && first->getType()->isScalarType())
      row = r_.constant(first->getIdx()) == 0 ? stripped(first->getBase()) : nullptr;
    const auto *array = row ? r_.context_.getAsConstantArrayType(row->getType()) : nullptr;
    const auto its = vectorOf(vector.getType(), r_.context_);
    const auto bits = [&](QualType type) { return r_.context_.getTypeSize(type); };
    const bool isWhole = array && its && array->getElementType()->isScalarType() &&
                         bits(array->getElementType()) == bits(its->element) &&
                         array->getSize() == its->count;
    return isWhole ? std::optional(Fill{row, value, 1}) : std::nullopt;
  }

  bool traverseFill(const Fill &fill) {
    fill_ = fill;
    TraverseStmt(const_cast<Expr *>(fill.target));
    fill_.reset();
    return true;
  }

  // x[j][r] = constant: r runs over all registers in its loop, or is a number and all
  // numbers come in one block; x[j] = make_float4(constant, ...).
  void noteFill(const Expr &mention, FragmentUse &use) {
    std::vector<const Expr *> steps; // accesses, innermost first
    const Expr *target = stripped(fill_->target);
    for (;;) {
      const auto *access = dyn_cast<ArraySubscriptExpr>(target);
      const auto *member = dyn_cast<MemberExpr>(target);
      if (!access && (!member || (member->isArrow() && !isa<CXXThisExpr>(member->getBase()))))
        break;
      steps.push_back(target);
      target = stripped(access ? access->getBase() : member->getBase());
    }
    values_[use.declaration].insert(fill_->value);
    if (const auto *name = dyn_cast<DeclRefExpr>(&mention))
      if (const auto *row = dyn_cast<VarDecl>(name->getDecl()))
        use.isOfSomeTiles = r_.views_.count(row) != 0;
    if (steps.size() == 1 && isStartOf(*target, mention)) {
      const auto *access = dyn_cast<ArraySubscriptExpr>(steps[0]);
      use.isFill = access && fill_->loops == 0 && fillsAllOf(mention.getType(), *access);
      return;
    }
    if (target != &mention)
      return;
    if (const Scalar *scalar = scalarNamed(mention)) {
      addPartial("scalars " + std::to_string(scalar->names), scalar->reg,
                 static_cast<int64_t>(r_.scalarTiles_[scalar->names].size()));
      use.isFill = steps.empty();
      use.isOfSomeTiles = scalar->tiles > 1;
      return;
    }
    QualType type = mention.getType();
    if (const FieldDecl *part = r_.roots_.at(use.declaration).part) {
      if (steps.empty() || type->isArrayType())
        return;
      type = part->getType();
      steps.pop_back();
    }
    use.isFill = standsStill(steps);
    bool isRegister = false; // the last step told one from the others
    for (size_t left = steps.size(); left-- > 0 && use.isFill;)
      use.isFill = noteStep(*steps[left], left == 0, type, isRegister, use);
    for (int loop = 0; loop < fill_->loops && use.isFill; ++loop) {
      const auto *array = r_.context_.getAsConstantArrayType(type);
      use.isFill = isRegister = array;
      type = array ? array->getElementType() : type;
    }
    use.isFill = use.isFill && (type->isScalarType() ? isRegister : isOfWords(type));
  }

  // Which tile is meant is the same for all registers of it that the block sets, and no two steps
  // count by one counter: c[q][0] = 0; q += 2; c[q][1] = 0;  c[r][r] = 0.
  // Digits of one counter are as good as two: c[q / 4][q % 4].
  bool standsStill(const std::vector<const Expr *> &steps) const {
    std::set<const VarDecl *> counters;
    std::map<const VarDecl *, std::vector<Digit>> digits;
    for (const Expr *step : steps) {
      const auto *access = dyn_cast<ArraySubscriptExpr>(step);
      if (!access || r_.constant(access->getIdx()))
        continue;
      if (const auto digit = digitOf(*access->getIdx()); digit && isCounter(digit->counter)) {
        digits[digit->counter].push_back(*digit);
        continue;
      }
      Inputs inputs;
      inputs.TraverseStmt(const_cast<Expr *>(access->getIdx()));
      if (inputs.readsMemory || access->getIdx()->HasSideEffects(r_.context_))
        return false;
      for (const VarDecl *variable : inputs.found)
        if (isCounter(variable) ? !counters.insert(variable).second : changesNear(*variable))
          return false;
    }
    return llvm::all_of(
        digits, [&](const auto &of) { return !counters.count(of.first) && areApart(of.second); });
  }

  // (counter / by) % below; below is 0 where nothing is cut off.
  struct Digit {
    const VarDecl *counter = nullptr;
    int64_t by = 1, below = 0;
  };
  std::optional<Digit> digitOf(const Expr &index) const {
    const Expr *value = stripped(&index);
    if (const VarDecl *counter = variableNamed(value))
      return Digit{counter, 1, 0};
    const auto *op = dyn_cast<BinaryOperator>(value);
    const auto by = op ? r_.constant(op->getRHS()) : std::nullopt;
    auto digit = by && *by > 0 ? digitOf(*op->getLHS()) : std::nullopt;
    if (!digit || digit->below)
      return std::nullopt;
    if (op->getOpcode() == BO_Rem)
      digit->below = *by;
    else if (op->getOpcode() == BO_Div)
      digit->by *= *by;
    else
      return std::nullopt;
    return digit;
  }
  // No two of them say the same of the counter, so that all come with all.
  static bool areApart(std::vector<Digit> digits) {
    llvm::sort(digits, [](const Digit &a, const Digit &b) { return a.by < b.by; });
    for (size_t i = 0; i + 1 < digits.size(); ++i)
      if (!digits[i].below || digits[i + 1].by % (digits[i].by * digits[i].below))
        return false;
    return true;
  }
  bool isCounter(const VarDecl *variable) const {
    return llvm::any_of(counting_, [&](const Counting &c) { return c.variable == variable; });
  }
  // In the innermost block, or in a loop over registers or tiles.
  bool changesNear(const VarDecl &variable) const {
    const auto block = block_ ? r_.texts_.statement(block_->getSourceRange()) : std::nullopt;
    if (r_.sampler_.changesUnseen(&variable) || !block)
      return true;
    return llvm::any_of(r_.sampler_.changesOf(&variable), [&](SourceLocation at) {
      const auto place = r_.texts_.statement(SourceRange(at, at));
      return !place || block->contains(*place) || llvm::any_of(counting_, [&](const Counting &c) {
        return c.variable && c.loop.range.contains(*place);
      });
    });
  }

  // The words of a variable, or vectors of them, one behind the other: the access runs over as
  // many as `type` has.
  bool fillsAllOf(QualType type, const ArraySubscriptExpr &access) const {
    const auto vector = vectorOf(access.getType(), r_.context_);
    const QualType word = vector ? vector->element : access.getType();
    const auto bytes = [&](QualType of) {
      return r_.context_.getTypeSizeInChars(of).getQuantity();
    };
    return word->isScalarType() && !type->isPointerType() && !type->isReferenceType() &&
           wordsIn(type, bytes(word)) * bytes(word) == bytes(type) &&
           bytes(type) % bytes(access.getType()) == 0 &&
           runsOverAll(access.getIdx(), bytes(type) / bytes(access.getType()));
  }
  // How many scalars of so many bytes make an array or struct of nothing else; 0: it is none such.
  int64_t wordsIn(QualType type, int64_t bytes) const {
    if (const auto *array = r_.context_.getAsConstantArrayType(type))
      return static_cast<int64_t>(array->getSize().getZExtValue()) *
             wordsIn(array->getElementType(), bytes);
    const auto *record = type->getAsCXXRecordDecl();
    if (!record)
      return type->isScalarType() && r_.context_.getTypeSizeInChars(type).getQuantity() == bytes
                 ? 1
                 : 0;
    if (!record->hasDefinition() || record->isUnion() || record->isDynamicClass() ||
        record->getNumBases() != 0)
      return 0;
    int64_t words = 0;
    for (const FieldDecl *field : record->fields()) {
      const int64_t own = field->isBitField() ? 0 : wordsIn(field->getType(), bytes);
      if (own == 0)
        return 0;
      words += own;
    }
    return words;
  }

  // &x[0][0], (float *)x, (float *)&x[0]: a pointer to the first element of all.
  bool isStartOf(const Expr &pointer, const Expr &mention) const {
    const Expr *inner = &pointer;
    bool isPointer = false;
    while (const auto *cast = dyn_cast<ExplicitCastExpr>(inner)) {
      if (!cast->getType()->isPointerType())
        return false;
      isPointer = true;
      inner = stripped(cast->getSubExpr());
    }
    if (const auto *address = dyn_cast<UnaryOperator>(inner)) {
      if (address->getOpcode() != UO_AddrOf)
        return false;
      isPointer = true;
      inner = stripped(address->getSubExpr());
    }
    while (const auto *access = dyn_cast_or_null<ArraySubscriptExpr>(inner))
      inner = r_.constant(access->getIdx()) == 0 ? stripped(access->getBase()) : nullptr;
    return isPointer && inner == &mention;
  }

  const Scalar *scalarNamed(const Expr &mention) const {
    const auto *name = dyn_cast<DeclRefExpr>(&mention);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    return variable ? r_.scalarOf(fragmentOf(*variable, nullptr)) : nullptr;
  }

  bool noteStep(const Expr &step, bool isLast, QualType &type, bool &isRegister, FragmentUse &use) {
    if (const auto *member = dyn_cast<MemberExpr>(&step)) {
      const auto vector = vectorOf(type, r_.context_);
      const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
      if (field && !vector && isOnlyMember(*field)) {
        type = field->getType();
        return true;
      }
      if (!vector || !field || !isLast)
        return false;
      addPartial(r_.texts_.printed(member->getBase()), numberOf(*field), vector->count);
      type = vector->element;
      return isRegister = true;
    }
    const auto &access = cast<ArraySubscriptExpr>(step);
    const auto *array = r_.context_.getAsConstantArrayType(type);
    if (!array)
      return false;
    const int64_t extent = static_cast<int64_t>(array->getSize().getZExtValue());
    type = array->getElementType();
    isRegister = isLast && type->isScalarType();
    if (!isRegister)
      use.isOfSomeTiles |= !runsOverAll(access.getIdx(), extent);
    else if (const auto number = r_.constant(access.getIdx()))
      addPartial(r_.texts_.printed(access.getBase()), *number, extent);
    else
      return runsOverAll(access.getIdx(), extent);
    return true;
  }

  static bool isOnlyMember(const FieldDecl &field) {
    return std::next(field.getParent()->field_begin()) == field.getParent()->field_end();
  }

  // The inner assignment of a = b = make_float4(c, c, c, c); null where there is none.
  const CXXOperatorCallExpr *chainedVector(const Expr *value) const {
    const auto *op = dyn_cast<CXXOperatorCallExpr>(throughCopies(value));
    return op && isPlainAssignment(*op) && isOfWords(op->getType()) ? op : nullptr;
  }
  // It copies words, and is no operator of the author's.
  static bool isPlainAssignment(const CXXOperatorCallExpr &op) {
    const auto *callee = dyn_cast_or_null<CXXMethodDecl>(op.getDirectCallee());
    return callee && callee->isTrivial() && op.getOperator() == OO_Equal && op.getNumArgs() == 2;
  }

  // A vector, or a struct of nothing but words.
  bool isOfWords(QualType type) const {
    constexpr int64_t kWord = 4, kDouble = 8;
    return vectorOf(type, r_.context_) ||
           (type->isRecordType() && (wordsIn(type, kWord) || wordsIn(type, kDouble)));
  }
  // T{}, T{{0, 0}}: all that is in it.
  bool isZero(const Expr &value) const {
    if (const auto *own = dyn_cast<CXXDefaultInitExpr>(&value))
      return isZero(*own->getExpr());
    if (const auto *made = dyn_cast<CXXConstructExpr>(&value))
      return made->requiresZeroInitialization() && made->getConstructor()->isTrivial();
    const auto *list = dyn_cast<InitListExpr>(&value);
    const Expr *filler = list && list->hasArrayFiller() ? list->getArrayFiller() : nullptr;
    if (list)
      return (!filler || isZero(*filler)) &&
             llvm::all_of(list->inits(), [&](const Expr *part) { return isZero(*part); });
    return isa<ImplicitValueInitExpr>(value) || constantOf(&value) == 0;
  }

  // make_float4(c, c, c, c), or an assignment of it: the bits of c.
  std::optional<uint64_t> vectorConstantOf(const Expr *value) const {
    if (const auto *chained = chainedVector(value))
      return vectorConstantOf(chained->getArg(1));
    value = throughCopies(value);
    while (const auto *cast = dyn_cast<ExplicitCastExpr>(value)) // float4{}
      value = throughCopies(cast->getSubExpr());
    if (isa<InitListExpr, CXXConstructExpr>(value) && isOfWords(value->getType()))
      return isZero(*value) ? std::optional<uint64_t>(0) : std::nullopt;
    const auto *call = dyn_cast<CallExpr>(value);
    if (!call || !makesOfItsArguments(*call) || !vectorOf(call->getType(), r_.context_) ||
        call->getNumArgs() == 0)
      return std::nullopt;
    const auto first = constantOf(call->getArg(0));
    const bool areEqual = llvm::all_of(
        call->arguments(), [&](const Expr *argument) { return constantOf(argument) == first; });
    return areEqual ? first : std::nullopt;
  }

  void addPartial(const std::string &tile, int64_t number, int64_t extent) {
    Registers &registers = partial_[{block_, tile}];
    registers.found.insert(number);
    registers.extent = extent;
    registers.uses.push_back(r_.out_.uses.size());
  }

  // All lanes of a wave take as many turns.
  bool goesAlike(const Stmt &stmt) const {
    const Expr *condition = nullptr;
    if (const auto *loop = dyn_cast<ForStmt>(&stmt))
      condition = loop->getCond();
    else if (const auto *loop = dyn_cast<WhileStmt>(&stmt))
      condition = loop->getCond();
    else if (const auto *loop = dyn_cast<DoStmt>(&stmt))
      condition = loop->getCond();
    return !condition || r_.sameForWave(condition);
  }

  // A loop around; `variable` is its counter, null where it has none or a turn may be
  // left out or cut short.
  struct Counting {
    Loop loop;
    const VarDecl *variable = nullptr;
    bool hasJumps = false;
  };
  static bool hasJumps(const Counting &turns) { return turns.hasJumps; }

  // for (r = 0; r < 4; ++r) a[r] = scaled(a[r], by);      for (auto &x : a) x = scaled(x, by);
  //
  // Its turns run through all registers of one tile, and nothing in it is of the thread's own but
  // that register and what is made from it, nor another number in other turns of the loops around.
  // Of what it says the tile is called; none where it is not so.
  std::vector<const Expr *> tilesTreated(const Stmt &stmt, const Counting &turns) const {
    const auto *loop = dyn_cast<ForStmt>(&stmt);
    const auto *each = dyn_cast<CXXForRangeStmt>(&stmt);
    const VarDecl *element = each ? each->getLoopVariable() : nullptr;
    ThreadMentions threads;
    threads.TraverseStmt(const_cast<Stmt *>(&stmt));
    if (turns.hasJumps || !threads.found.empty() || threads.hasOther ||
        (loop ? !turns.variable : !element || !isRowElement(*each)))
      return {};
    const std::vector<const Stmt *> nodes = nodesBelow(loop ? *loop->getBody() : *each->getBody());
    std::set<const VarDecl *> own;
    if (element)
      own.insert(element);
    for (const Stmt *node : nodes)
      if (const auto *declarations = dyn_cast<DeclStmt>(node))
        for (const Decl *decl : declarations->decls())
          if (const auto *variable = dyn_cast<VarDecl>(decl);
              variable && variable->hasLocalStorage())
            own.insert(variable);
    std::vector<const Expr *> tiles;
    if (each)
      tiles.push_back(each->getRangeInit());
    std::set<const Expr *> names; // of the tile
    for (const Stmt *node : nodes)
      if (const auto *access = dyn_cast<ArraySubscriptExpr>(node);
          access && isOfTurn(*access, turns)) {
        if (each || mentionsAnyOf(*access->getBase(), {turns.variable}))
          return {};
        tiles.push_back(access->getBase());
        for (const Stmt *inner : nodesBelow(*access))
          if (const auto *name = dyn_cast<Expr>(inner))
            names.insert(name);
      }
    const bool isOne = llvm::all_of(tiles, [&](const Expr *tile) {
      return r_.texts_.printed(tile) == r_.texts_.printed(tiles[0]);
    });
    const bool isAlike = isOne && llvm::all_of(nodes, [&](const Stmt *node) {
                           return isOfAllLanes(*node, own, names, 0);
                         });
    return isAlike ? tiles : std::vector<const Expr *>();
  }
  // for (auto &x : a), where a is a row of words.
  bool isRowElement(const CXXForRangeStmt &each) const {
    const QualType type = each.getLoopVariable()->getType();
    const auto *row = r_.context_.getAsConstantArrayType(each.getRangeInit()->getType());
    return !each.getInit() && row && row->getElementType()->isScalarType() &&
           type->isLValueReferenceType() && !type->getPointeeType().isConstQualified();
  }
  // a.round(); or round(a[i]);  of a function that does nothing but go through its registers so.
  bool traverseAlike(CallExpr &call) {
    if (isAlike_ || divergent_ || isApart_ || llvm::any_of(counting_, hasJumps))
      return false;
    const std::vector<const Expr *> tiles = tilesTreatedBy(call);
    const bool wasOfAll = isOfAllTiles_;
    treatAlike(tiles);
    if (!isAlike_)
      return false;
    DynamicRecursiveASTVisitor::TraverseStmt(&call);
    isAlike_ = false;
    isOfAllTiles_ = wasOfAll;
    return true;
  }
  std::vector<const Expr *> tilesTreatedBy(const CallExpr &call) const {
    const FunctionDecl *callee = call.getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    const auto *body = definition ? dyn_cast_or_null<CompoundStmt>(definition->getBody()) : nullptr;
    if (!body || body->body_empty() || isa<CXXOperatorCallExpr>(call) ||
        r_.matrixWithin(definition))
      return {};
    std::vector<const Expr *> tiles;
    for (const Stmt *stmt : body->body()) {
      stmt = withoutAttributes(stmt);
      const std::vector<const Expr *> own = isa<ForStmt, CXXForRangeStmt>(stmt)
                                                ? tilesTreated(*stmt, countingOf(stmt, TextRange()))
                                                : std::vector<const Expr *>();
      const Expr *given = own.empty() ? nullptr : givenAs(*own[0], call, *definition);
      if (!given)
        return {};
      tiles.push_back(given);
    }
    return tiles;
  }
  // What the call gives as the row that the function calls so: by reference, or as its object's.
  const Expr *givenAs(const Expr &row, const CallExpr &call, const FunctionDecl &callee) const {
    const Expr *name = stripped(&row);
    if (const auto *member = dyn_cast<MemberExpr>(name))
      return isa<CXXThisExpr>(stripped(member->getBase())) ? objectOf(call) : nullptr;
    const VarDecl *variable = variableNamed(name);
    for (unsigned i = 0; variable && i < callee.getNumParams() && i < call.getNumArgs(); ++i)
      if (callee.getParamDecl(i) == variable && variable->getType()->isReferenceType())
        return call.getArg(i);
    return nullptr;
  }
  void treatAlike(const std::vector<const Expr *> &tiles) {
    isAlike_ = !tiles.empty() &&
               llvm::all_of(tiles, [&](const Expr *tile) { return isOneForAllLanes(*tile); });
    tileCounters_.clear();
    isOfAllTiles_ =
        isAlike_ && llvm::all_of(tiles, [&](const Expr *tile) { return runsOverAllTiles(*tile); });
  }
  // a[i], f.b[j].r: which one the thread has no part in.
  bool isOneForAllLanes(const Expr &tile) const {
    for (const Expr *at = stripped(&tile);;) {
      if (const auto *member = dyn_cast<MemberExpr>(at)) {
        at = stripped(member->getBase());
      } else if (const auto *access = dyn_cast<ArraySubscriptExpr>(at)) {
        if (r_.sampler_.dependsOnThread(access->getIdx()))
          return false;
        at = stripped(access->getBase());
      } else {
        return isa<DeclRefExpr, CXXThisExpr>(at);
      }
    }
  }
  // Whatever tile it is, every other one is treated so, too, in the same turns of what is around:
  // of those loops the ones within a loop over tiles have as many turns for each.
  bool runsOverAllTiles(const Expr &tile) {
    const auto isCounted = [](const Counting &turns) {
      return turns.variable && turns.loop.first && turns.loop.last && turns.loop.step;
    };
    const auto firstCounted = llvm::find_if(counting_, isCounted);
    if (underCondition_ != 0 || !std::all_of(firstCounted, counting_.end(), isCounted))
      return false;
    for (const Expr *at = stripped(&tile);;) {
      const auto *access = dyn_cast<ArraySubscriptExpr>(at);
      const auto *member = dyn_cast<MemberExpr>(at);
      if (member && !member->isArrow()) {
        at = stripped(member->getBase());
        continue;
      }
      if (!access)
        return isa<DeclRefExpr>(at);
      const Expr *base = stripped(access->getBase());
      const auto *array = r_.context_.getAsConstantArrayType(base->getType());
      if (!array ||
          !runsOverAll(access->getIdx(), static_cast<int64_t>(array->getSize().getZExtValue())))
        return false;
      const VarDecl *counter = variableNamed(access->getIdx());
      tileCounters_.insert(counter ? counter->getNameAsString() : ""); // "": a digit of one
      at = base;
    }
  }

  // a[r], r being the counter of the loop.
  bool isOfTurn(const ArraySubscriptExpr &access, const Counting &turns) const {
    const auto *name = dyn_cast<DeclRefExpr>(stripped(access.getIdx()));
    const auto *array = r_.context_.getAsConstantArrayType(stripped(access.getBase())->getType());
    return name && array && turns.variable && name->getDecl() == turns.variable &&
           turns.loop.first == 0 &&
           turns.loop.last == static_cast<int64_t>(array->getSize().getZExtValue()) &&
           turns.loop.step == 1;
  }
  bool isOfAllLanes(const Stmt &node, const std::set<const VarDecl *> &own,
                    const std::set<const Expr *> &names, int depth) const {
    const auto *expr = dyn_cast<Expr>(&node);
    if (expr && names.count(expr))
      return true;
    if (isa<MSAsmStmt, LambdaExpr, ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt, IfStmt,
            BreakStmt, ContinueStmt, GotoStmt, CXXThisExpr>(node) ||
        (isa<ReturnStmt>(node) && !depth))
      return false;
    if (const auto *text = dyn_cast<GCCAsmStmt>(&node))
      return obstacleInAsm(*text).empty() && !StringRef(text->getAsmString()).contains("ld.");
    if (!expr)
      return true;
    // To a variable of its own: which ones are named is looked at.
    if (const auto *op = dyn_cast<CXXOperatorCallExpr>(expr); op && op->isAssignmentOp())
      return op->getDirectCallee() && isKnown(*op->getDirectCallee());
    if (const auto *made = dyn_cast<CXXConstructExpr>(expr))
      return isKnown(*made->getConstructor());
    if (const auto *call = dyn_cast<CallExpr>(expr))
      return (onlyReads(*call) && computesAlike(*call)) || changesWordsAlike(*call, depth + 1);
    if (isa<ArraySubscriptExpr>(expr)) // of another row, or by another number
      return false;
    if (const auto *member = dyn_cast<MemberExpr>(expr))
      return !member->isArrow();
    if (const auto *read = dyn_cast<UnaryOperator>(expr); read && read->getOpcode() == UO_Deref)
      return isReinterpreted(*read->getSubExpr());
    const auto *name = dyn_cast<DeclRefExpr>(expr);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    if (name && !variable)
      return isa<EnumConstantDecl, FunctionDecl>(name->getDecl());
    return !variable || own.count(variable) || isOfAllLanes(*variable, 0);
  }
  // It copies, or is CUDA's.
  static bool isKnown(const FunctionDecl &method) { return method.isTrivial() || isOfCuda(method); }
  // Of the same arguments it makes the same, for all lanes and whenever it is asked.
  bool computesAlike(const CallExpr &call) const {
    const FunctionDecl *callee = call.getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (!onlyReads(call) || !native::onlyComputes(call) || r_.sampler_.asksOthers(&call))
      return false;
    if (!callee || isOfCuda(*callee))
      return callee && r_.sampler_.indexOf(&call) == ThreadValue::Other;
    return definition && definition->hasBody() && !native::readsMemory(*definition) &&
           !isa<CXXMethodDecl>(definition) && !r_.sampler_.dependsOnThread(definition->getBody());
  }
  // void round(uint32_t &x): of what it is handed it makes another word, all lanes alike.
  bool changesWordsAlike(const CallExpr &call, int depth) const {
    constexpr int kDeepest = 4;
    const FunctionDecl *callee = call.getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (!definition || !definition->hasBody() || depth > kDeepest ||
        isa<CXXMethodDecl>(definition) || r_.matrixWithin(definition))
      return false;
    ThreadMentions threads;
    threads.TraverseStmt(definition->getBody());
    std::set<const VarDecl *> own;
    for (const ParmVarDecl *parameter : definition->parameters()) {
      if (!parameter->getType().getNonReferenceType()->isScalarType() ||
          parameter->getType().getNonReferenceType()->isPointerType())
        return false;
      own.insert(parameter);
    }
    const std::vector<const Stmt *> nodes = nodesBelow(*definition->getBody());
    for (const Stmt *node : nodes)
      if (const auto *declarations = dyn_cast<DeclStmt>(node))
        for (const Decl *decl : declarations->decls())
          if (const auto *variable = dyn_cast<VarDecl>(decl);
              variable && variable->hasLocalStorage())
            own.insert(variable);
    return threads.found.empty() && !threads.hasOther &&
           !r_.sampler_.dependsOnThread(definition->getBody()) &&
           llvm::all_of(nodes,
                        [&](const Stmt *node) { return isOfAllLanes(*node, own, {}, depth); });
  }
  // *reinterpret_cast<half2 *>(&a[r])
  static bool isReinterpreted(const Expr &pointer) {
    const Expr *inner = stripped(&pointer);
    while (const auto *cast = dyn_cast<ExplicitCastExpr>(inner))
      inner = stripped(cast->getSubExpr());
    const auto *op = dyn_cast<UnaryOperator>(inner);
    return op && op->getOpcode() == UO_AddrOf;
  }
  static bool onlyReads(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    return callee && llvm::all_of(callee->parameters(), [](const ParmVarDecl *parameter) {
             const QualType type = parameter->getType();
             return !type->isPointerType() &&
                    (!type->isReferenceType() || type.getNonReferenceType().isConstQualified());
           });
  }
  // A number of the launch, or made of such alone.
  bool isOfAllLanes(const VarDecl &variable, int depth) const {
    constexpr int kDeepest = 8;
    const auto *record = variable.getType()->getAsCXXRecordDecl();
    const bool isOwnClass = // what makes it stands elsewhere
        record && !r_.context_.getSourceManager().isInSystemHeader(record->getLocation());
    if (depth > kDeepest || isOwnClass || r_.sampler_.changes(&variable) ||
        r_.sampler_.dependsOnThread(&variable) || r_.sampler_.changesUnseen(&variable) ||
        variable.getType()->isPointerType() || variable.getType()->isReferenceType() ||
        variable.getType()->isArrayType())
      return false;
    if (isa<ParmVarDecl>(variable))
      return variable.getDeclContext() == &r_.kernel_;
    if (variable.isConstexpr())
      return true;
    const bool isShared = !variable.hasLocalStorage() && !variable.getType().isConstQualified();
    if (!variable.isLocalVarDecl() || !variable.getInit() || isShared) // a static one counts calls
      return false;
    return llvm::all_of(nodesBelow(*variable.getInit()), [&](const Stmt *node) {
      const auto *op = dyn_cast<UnaryOperator>(node);
      const auto *call = dyn_cast<CallExpr>(node);
      const auto *name = dyn_cast<DeclRefExpr>(node);
      const auto *inner = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      const auto *made = dyn_cast<CXXConstructExpr>(node);
      return !isa<ArraySubscriptExpr>(node) && (!op || op->getOpcode() != UO_Deref) &&
             (!made || isKnown(*made->getConstructor())) && (!call || computesAlike(*call)) &&
             !isa<PseudoObjectExpr, MSPropertyRefExpr, StmtExpr, LambdaExpr>(node) &&
             (!name || inner || isa<EnumConstantDecl, FunctionDecl>(name->getDecl())) &&
             (!inner || isOfAllLanes(*inner, depth + 1));
    });
  }
  static std::vector<const Stmt *> nodesBelow(const Stmt &stmt) {
    std::vector<const Stmt *> nodes = {&stmt};
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const Stmt *child : nodes[i]->children())
        if (child)
          nodes.push_back(child);
    return nodes;
  }

  Counting countingOf(const Stmt *stmt, const TextRange &range) const {
    Counting counting{r_.loopOf(stmt, range), nullptr, false};
    const auto *loop = dyn_cast<ForStmt>(stmt);
    const auto *init = loop ? dyn_cast_or_null<DeclStmt>(loop->getInit()) : nullptr;
    const auto *variable =
        init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
    Jumps jumps;
    jumps.TraverseStmt(const_cast<Stmt *>(stmt));
    const auto isCount = [&](SourceLocation at) {
      const auto place = r_.texts_.statement(SourceRange(at, at));
      return place && counting.loop.increment.contains(*place);
    };
    counting.hasJumps = jumps.any;
    if (variable && !jumps.any && llvm::all_of(r_.sampler_.changesOf(variable), isCount))
      counting.variable = variable;
    return counting;
  }
  class Jumps : public DynamicRecursiveASTVisitor {
  public:
    bool VisitStmt(Stmt *stmt) override {
      any |= isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, IndirectGotoStmt>(stmt);
      return true;
    }
    bool any = false;
  };

  // A variable of one of the loops around that counts 0, 1, ... extent - 1, for all of
  // which the place is reached.
  bool runsOverAll(const Expr *index, int64_t extent) const {
    const auto digit = digitOf(*index);
    for (size_t i = underCondition_; digit && i < counting_.size(); ++i)
      if (const auto &[loop, variable, hasJumps] = counting_[i]; variable == digit->counter)
        return loop.first == 0 && loop.step == 1 && loop.last &&
               (digit->below ? digit->below == extent && *loop.last % (digit->by * extent) == 0 &&
                                   *loop.last > 0
                             : *loop.last == digit->by * extent);
    return false;
  }

  static bool isAssignment(const Expr &value) {
    const auto *op = dyn_cast<BinaryOperator>(value.IgnoreParenImpCasts());
    return op && op->isAssignmentOp();
  }

  // The bits of a constant, or of an assignment of one: a = b = 0.
  std::optional<uint64_t> constantOf(const Expr *value) const {
    Expr::EvalResult result;
    const auto *chained = dyn_cast<BinaryOperator>(value->IgnoreParenImpCasts());
    if (chained && chained->getOpcode() == BO_Assign)
      return constantOf(chained->getRHS());
    if (value->isValueDependent() || !value->EvaluateAsRValue(result, r_.context_))
      return std::nullopt;
    if (result.Val.isInt())
      return result.Val.getInt().getZExtValue();
    if (!result.Val.isFloat())
      return std::nullopt;
    return result.Val.getFloat().isPosZero()
               ? 0
               : result.Val.getFloat().bitcastToAPInt().getLimitedValue();
  }

  struct Registers {
    std::set<int64_t> found;
    int64_t extent = 0;
    std::vector<size_t> uses; // numbers of the uses
  };

  Recovery &r_;
  std::vector<TextRange> loops_;
  std::vector<Counting> counting_; // the same loops
  size_t underCondition_ = 0;      // how many of them are around the innermost condition
  static constexpr TextRange kNowhere = {0, 0, 1}; // in a macro: holds nothing
  std::vector<TextRange> mayBeSkipped_; // statements around that may leave out what is in them
  std::optional<Fill> fill_;
  bool isApart_ = false;      // in a loop that lanes may take other numbers of turns of
  bool isAlike_ = false;      // in a loop that treats all registers of a tile in one way
  bool isOfAllTiles_ = false; // ... and all tiles, by these counters
  std::set<std::string> tileCounters_;
  // Fragments by the names of the function that is looked into (null: its object), and
  // where the kernel calls it.
  using Handed = std::map<const VarDecl *, const VarDecl *>;
  Handed handed_;
  std::optional<TextRange> place_;
  const Expr *call_ = nullptr; // there
  size_t depth_ = 0;
  const Stmt *block_ = nullptr;
  bool divergent_ = false;
  std::map<std::pair<const Stmt *, std::string>, Registers> partial_;
  std::map<uint64_t, std::set<uint64_t>> values_; // constants, by declaration
  std::set<const VarDecl *> begunUnseen_;
};

// Sums that are declared outside of a loop over tiles of C, and begin anew in each of its turns:
//
//   float acc[4][4][4];
//   for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
//     clear(acc);
//     for (int k = 0; ...) mma(acc...);
//     store(acc);
//   }
//
// Nothing of one turn is there in the next, so they live as if they were declared in it. The
// innermost such loop; or they are cleared behind everything else, where every turn ends.
std::optional<TextRange> Recovery::loopOfLives(uint64_t declaration) {
  std::vector<TextRange> products;
  std::vector<Loop> loops;
  for (const MmaSite &mma : out_.mmas) {
    if (mma.d[0].declaration != declaration)
      continue;
    if (mma.calls.empty())
      products.push_back(mma.range);
    for (const CallPlace &call : mma.calls)
      products.push_back(call.range);
    loops = mma.calls.empty() ? mma.loops : mma.calls[0].loops;
  }
  for (const Loop &loop : llvm::reverse(loops))
    if (llvm::all_of(products, [&](const TextRange &p) { return loop.range.contains(p); }) &&
        livesInTurns(declaration, loop.range, products))
      return TextRange{loop.range.file, loop.range.begin + 1, loop.range.end}; // its inside
  return std::nullopt;
}

bool Recovery::livesInTurns(uint64_t declaration, const TextRange &loop,
                            const std::vector<TextRange> &products) {
  unsigned first = loop.end, last = loop.begin;
  const auto add = [&](const TextRange &range) {
    first = std::min(first, range.begin);
    last = std::max(last, range.end);
  };
  for (const TextRange &product : products)
    add(product);
  const unsigned firstProduct = first;
  for (const FragmentUse &use : out_.uses)
    if (use.declaration == declaration && !use.isFill) {
      if (!loop.contains(use.range))
        return false;
      add(use.range);
    }
  return llvm::any_of(out_.uses, [&](const FragmentUse &use) {
    const TextRange &part = use.mayBeSkippedBy;
    const bool isInEach = part.end == 0 || part.contains(loop); // the loop itself, or around it
    return use.declaration == declaration && use.isFill && !use.isOfSomeTiles &&
           loop.contains(use.range) && isInEach &&
           (use.range.end <= firstProduct || (use.range.begin >= last && !isLeft(loop)));
  });
}

// Something in it leaves a turn, or all of them.
bool Recovery::isLeft(const TextRange &loop) const {
  return jumpsInMacro_ ||
         llvm::any_of(out_.jumps, [&](const TextRange &jump) { return loop.contains(jump); });
}

bool Recovery::makesOfItsArguments(const CallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  const StringRef name = callee && callee->getIdentifier() ? callee->getName() : StringRef();
  return callee && isOfCuda(*callee) &&
         llvm::any_of(
             std::initializer_list<StringRef>{"make_", "__float", "__half", "__double", "__int"},
             [&](StringRef prefix) { return name.starts_with(prefix); });
}

static std::string constantText(const APValue &constant) {
  if (constant.isInt())
    return constant.getInt().isZero() ? "0" : llvm::toString(constant.getInt(), 10);
  if (constant.isFloat())
    return constant.getFloat().isPosZero()
               ? "0"
               : "f" + llvm::toString(constant.getFloat().bitcastToAPInt(), 16, false);
  return "";
}

std::string Recovery::constantText(const Expr *value) const {
  const auto *chained = dyn_cast<BinaryOperator>(value->IgnoreParenImpCasts());
  if (chained && chained->getOpcode() == BO_Assign)
    return constantText(chained->getRHS());
  Expr::EvalResult result;
  if (value->isValueDependent() || !value->EvaluateAsRValue(result, context_))
    return "";
  return native::constantText(result.Val);
}

// What an object's numbers are: half2{0.f, 0.f}. None: not all of them are known.
static bool addConstants(const APValue &object, std::set<std::string> &found) {
  if (!object.isStruct()) {
    const std::string text = constantText(object);
    found.insert(text);
    return !text.empty();
  }
  bool all = object.getStructNumBases() == 0;
  for (unsigned i = 0; i < object.getStructNumFields(); ++i)
    all = all && addConstants(object.getStructField(i), found);
  return all;
}

bool Recovery::listedObject(const CXXConstructExpr &made, std::set<std::string> &found) const {
  Expr::EvalResult result;
  std::set<std::string> constants;
  if (made.isValueDependent() || !made.EvaluateAsRValue(result, context_) ||
      !addConstants(result.Val, constants) || constants.size() != 1)
    return false;
  found.insert(constants.begin(), constants.end());
  return true;
}

void Recovery::listed(const Expr *value, std::set<std::string> &found) const {
  if (const auto *own = dyn_cast<CXXDefaultInitExpr>(value))
    return listed(own->getExpr(), found);
  if (const auto *list = dyn_cast<InitListExpr>(value)) {
    for (const Expr *inner : list->inits())
      listed(inner, found);
    const Expr *filler = list->hasArrayFiller() ? list->getArrayFiller() : nullptr;
    if (filler && !isa<ImplicitValueInitExpr>(filler))
      listed(filler, found); // F c[4] = {}: by F's own values
    else if (filler || list->getNumInits() == 0)
      found.insert("0");
  } else if (const auto *call = dyn_cast<CallExpr>(throughCopies(value));
             call && makesOfItsArguments(*call)) {
    for (const Expr *argument : call->arguments())
      listed(argument, found);
  } else if (const auto *made = dyn_cast<CXXConstructExpr>(throughCopies(value));
             made && listedObject(*made, found)) {
  } else if (made && !hasOwnText(*made->getConstructor()) &&
             !beginsUnequal(*made->getConstructor(), nullptr)) {
    found.insert("made"); // each object alike, and each register
  } else if (!isa<ImplicitValueInitExpr>(value)) {
    found.insert(constantText(value));
  } else {
    found.insert("0");
  }
}

// What one member's registers begin with says nothing of the others, unless it speaks of the object
// itself: a pointer to the sums in another member would be one more way to them. A number that
// another member has is none.
static bool speaksOfObject(const CXXCtorInitializer &init) {
  class Finder : public ExecutedVisitor {
  public:
    bool TraverseImplicitCastExpr(ImplicitCastExpr *cast) override {
      const auto *member = dyn_cast<MemberExpr>(cast->getSubExpr()->IgnoreParens());
      const bool isNumber = cast->getCastKind() == CK_LValueToRValue && member &&
                            isa<CXXThisExpr>(member->getBase()->IgnoreParens()) &&
                            member->getType()->isArithmeticType();
      return isNumber || ExecutedVisitor::TraverseImplicitCastExpr(cast);
    }
    bool VisitCXXThisExpr(CXXThisExpr *) override {
      any = true;
      return true;
    }
    bool any = false;
  };
  Finder finder;
  finder.TraverseStmt(const_cast<Expr *>(init.getInit()));
  return finder.any;
}

bool Recovery::beginsUnequal(const CXXConstructorDecl &constructor, const FieldDecl *part) const {
  if (constructor.isDefaultConstructor() && constructor.isTrivial())
    return false;
  const FunctionDecl *definition = constructor.getDefinition();
  if (!definition || !definition->hasBody() || constructor.isCopyOrMoveConstructor())
    return true;
  return llvm::any_of(cast<CXXConstructorDecl>(definition)->inits(),
                      [&](const CXXCtorInitializer *init) {
                        // Null: of a base, or in a union without a name.
                        const FieldDecl *member = init->getMember();
                        if (part && member && member != part && !part->getParent()->isUnion())
                          return speaksOfObject(*init);
                        const Expr *value = init->getInit();
                        if (const auto *own = dyn_cast<CXXDefaultInitExpr>(value))
                          value = own->getExpr();
                        if (const auto *made = dyn_cast<CXXConstructExpr>(value))
                          return hasOwnText(*made->getConstructor()) ||
                                 beginsUnequal(*made->getConstructor(),
                                               init->isAnyMemberInitializer() ? nullptr : part);
                        std::set<std::string> values;
                        listed(value, values);
                        return values.size() > 1 || values.count("") != 0;
                      });
}

bool Recovery::beginsUnequal(const VarDecl &variable, const FieldDecl *part) const {
  if (const Scalar *scalar = scalarOf(fragmentOf(variable, nullptr))) {
    std::set<std::string> values;
    for (const Root &root : rootsOf(scalar->fragment))
      if (!gathered_.contains(root.variable))
        values.insert(root.variable->getInit() ? constantText(root.variable->getInit()) : "any");
    return values.size() > 1 || values.count("");
  }
  if (!variable.getInit() || gathered_.contains(&variable) || isCopyOfOperand(variable, part))
    return false;
  if (const auto *made = dyn_cast<CXXConstructExpr>(variable.getInit()))
    return (!variable.getType()->isRecordType() && hasOwnText(*made->getConstructor())) ||
           beginsUnequal(*made->getConstructor(), part);
  std::set<std::string> values;
  listed(variable.getInit(), values);
  return values.size() > 1 || values.count("");
}

bool Recovery::beginsAtZero(const VarDecl &variable) const {
  std::set<std::string> values;
  if (const Scalar *scalar = scalarOf(fragmentOf(variable, nullptr))) {
    for (const Root &root : rootsOf(scalar->fragment))
      if (root.variable->getInit())
        values.insert(constantText(root.variable->getInit()));
  } else if (variable.getInit()) {
    const auto *made = dyn_cast<CXXConstructExpr>(variable.getInit());
    if (made && made->getConstructor()->isDefaultConstructor() &&
        made->getConstructor()->isTrivial())
      return true;
    listed(variable.getInit(), values);
  }
  return llvm::all_of(values, [](const std::string &value) { return value == "0"; });
}

// From its declaration on, or from its fills on, and never anything else: any lane has it, whatever
// its registers mean.
bool Recovery::isConstant(uint64_t declaration, const VarDecl &variable) const {
  std::vector<bool> fills;
  for (const FragmentUse &use : out_.uses)
    if (use.declaration == declaration)
      fills.push_back(use.isFill && !use.isOfSomeTiles);
  const bool isRead = llvm::any_of(out_.loads, [&](const LoadSite &load) {
    return load.registers[0].declaration == declaration;
  });
  const Expr *begin = variable.getInit();
  const bool isMade = begin && !isa<CXXConstructExpr>(begin);
  return !isRead && !out_.isConverted(declaration) && !scalarOf(declaration) &&
         isMade == fills.empty() && llvm::all_of(fills, [](bool isFill) { return isFill; });
}

void Recovery::collectUses() {
  Uses uses(*this);
  uses.TraverseStmt(kernel_.getBody());
  for (const auto &[function, frames] : frames_)
    for (const Frame &frame : frames) {
      function_ = function;
      frame_ = frame.number; // which of its names are fragments: no more is asked
      if (!calls_[{function, frame_}].empty())
        uses.TraverseStmt(function->getBody());
    }
  function_ = nullptr;
  frame_ = 0;
  uses.finish();
  for (const auto &[declaration, root] : roots_) {
    const VarDecl *variable = root.variable;
    if (const Scalar *scalar = scalarOf(declaration); scalar && scalar->fragment != declaration)
      continue; // known by the first
    Kernel::Variable out;
    out.name = variable->getNameAsString() +
               (root.part ? "." + root.part->getNameAsString() : std::string());
    out.declaration = declaration;
    out.beginsUnequal = uses.isBegunUnseen(*variable) || beginsUnequal(*variable, root.part);
    out.halvesAlike = beginsAtZero(*variable) && uses.fillsAlike(declaration);
    out.isConstant = !out.beginsUnequal && isConstant(declaration, *variable);
    const auto parents = const_cast<ASTContext &>(context_).getParents(*variable);
    if (const auto *stmt = parents.empty() ? nullptr : parents[0].get<DeclStmt>()) {
      if (const auto range = texts_.statement(stmt->getSourceRange()))
        out.statement = *range;
      const auto blocks = const_cast<ASTContext &>(context_).getParents(*stmt);
      if (const auto *block = blocks.empty() ? nullptr : blocks[0].get<CompoundStmt>())
        if (const auto range = texts_.statement(block->getSourceRange()))
          out.scope = *range;
    }
    if (root.part) {
      memberPlace(root, out);
      // Registers that begin in the middle of a tile, counted from where the object does.
      if (const auto kernel = texts_.statement(kernel_.getSourceRange());
          kernel && out.isPrivate && out.firstWord % 4) {
        siteRange_ = *kernel;
        open(*root.part);
        out.isPrivate = false;
      }
    } else {
      lastExtent(*variable, out);
    }
    if (const auto loop = loopOfLives(declaration))
      out.scope = *loop;
    out_.variables.push_back(out);
  }
  llvm::append_range(out_.uses, loadsLeft_);
}

} // namespace layout_port::native
