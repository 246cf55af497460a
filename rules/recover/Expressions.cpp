// Expressions: what they are worth, and which places they name.
#include "recover/Walk.h"

#include "clang/AST/RecordLayout.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace layout_port::recover {

// ---- Types and names -----------------------------------------------------------

// Floating point, vectors and the like: values that are carried, not understood.
static constexpr IndexType kData{64, false};

std::optional<IndexType> Walk::typeOf(QualType type) const {
  type = type.getCanonicalType().getNonReferenceType();
  if (type->isBooleanType())
    return kBool;
  if (type->isPointerType() || type->isNullPtrType())
    return kI64;
  if (type->isIntegralOrEnumerationType() && !type->isDependentType() &&
      !type->isIncompleteType()) {
    const uint64_t bits = context_.getTypeSize(type);
    if (bits <= 64)
      return IndexType{static_cast<uint8_t>(bits), type->isSignedIntegerOrEnumerationType()};
  }
  return std::nullopt;
}

uint64_t Walk::sizeOf(QualType type) const {
  type = type.getNonReferenceType();
  if (type->isIncompleteType() || type->isDependentType() || type->isFunctionType())
    return 1;
  return static_cast<uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
}

unsigned Walk::lineOf(const Stmt *s) const {
  const SourceManager &sm = context_.getSourceManager();
  return sm.getPresumedLoc(sm.getExpansionLoc(s->getBeginLoc())).getLine();
}

unsigned Walk::outerLine(const Stmt *s) const {
  return control_.calls.empty() ? lineOf(s) : lineOf(control_.calls.front());
}

std::string Walk::where(const Stmt *s) const { return "line " + std::to_string(lineOf(s)) + ": "; }

std::string Walk::textOf(const Stmt *s) const {
  const SourceManager &sm = context_.getSourceManager();
  std::string text = Lexer::getSourceText(CharSourceRange::getTokenRange(s->getSourceRange()), sm,
                                          context_.getLangOpts())
                         .str();
  std::string flat;
  for (const char c : text)
    if (!isspace(static_cast<unsigned char>(c)))
      flat += c;
    else if (!flat.empty() && flat.back() != ' ')
      flat += ' ';
  constexpr size_t most = 48;
  return flat.size() > most ? flat.substr(0, most) + "..." : flat;
}

std::vector<Index> Walk::loopsNow() {
  std::vector<Index> all;
  for (const LoopScope &loop : control_.loops)
    all.push_back(graph.variable(loop.variable));
  return all;
}

std::vector<Index> Walk::everything() {
  std::vector<Index> all = loopsNow();
  for (const VariableId v : {threads.lane, threads.pair, threads.wave})
    all.push_back(graph.variable(v));
  return all;
}

Index Walk::opaque(QualType type, const std::string &name, const std::vector<Index> &of,
                   const Stmt *at, const std::string &reason) {
  return graph.opaque(name, typeOf(type).value_or(kData), of, where(at) + reason);
}

Index Walk::unknown(QualType type, const Stmt *at, const std::string &reason) {
  return opaque(type, textOf(at), everything(), at, reason);
}

Index Walk::fit(Index value, QualType type) {
  const auto to = typeOf(type);
  if (!value || !to)
    return value;
  return *to == kBool ? graph.truth(value) : graph.convert(value, *to);
}

void Walk::remember(const Expr *e, Index value) {
  const auto [at, isNew] = values_.try_emplace(e, value);
  if (!isNew && at->second != value)
    at->second = nullptr;
}

// ---- Values --------------------------------------------------------------------

bool Walk::exhausted(const Stmt *s) {
  constexpr uint64_t mostSteps = 150000;
  constexpr size_t mostNodes = 150000;
  if (problem.empty() && (++steps_ > mostSteps || graph.nodeCount() > mostNodes))
    problem = "its code is too long to follow: gave up at line " + std::to_string(outerLine(s));
  return !problem.empty();
}

Index Walk::rvalue(const Expr *e) {
  if (exhausted(e)) {
    const auto type = typeOf(e->getType()).value_or(kData);
    Index &given = exhausted_[{type.bits, type.isSigned}];
    if (!given)
      given = graph.opaque("?", type, everything(), problem);
    return e->getType()->isVoidType() ? nullptr : given;
  }
  const Index value = compute(e);
  if (live() && value)
    remember(e, value);
  return value;
}

std::optional<Index> Walk::constantOf(const Expr *e) {
  const auto type = typeOf(e->getType());
  if (!type || e->isValueDependent() || e->getType()->isPointerType())
    return std::nullopt;
  Expr::EvalResult result;
  if (!e->EvaluateAsInt(result, context_))
    return std::nullopt;
  const llvm::APSInt &v = result.Val.getInt();
  return graph.constant(v.isSigned() ? uint64_t(v.getExtValue()) : v.getZExtValue(), *type);
}

Index Walk::compute(const Expr *e) {
  if (const auto *literal = dyn_cast<IntegerLiteral>(e))
    if (const auto type = typeOf(e->getType()))
      return graph.constant(literal->getValue().getLimitedValue(), *type);
  if (isa<ConstantExpr, CXXBoolLiteralExpr, CharacterLiteral, UnaryExprOrTypeTraitExpr,
          SizeOfPackExpr, TypeTraitExpr, OffsetOfExpr, CXXNoexceptExpr>(e))
    if (const auto value = constantOf(e))
      return *value;
  if (const auto *parens = dyn_cast<ParenExpr>(e))
    return rvalue(parens->getSubExpr());
  if (const auto *full = dyn_cast<FullExpr>(e))
    return rvalue(full->getSubExpr());
  if (const auto *argument = dyn_cast<SubstNonTypeTemplateParmExpr>(e))
    return rvalue(argument->getReplacement());
  if (const auto *argument = dyn_cast<CXXDefaultArgExpr>(e))
    return rvalue(argument->getExpr());
  if (const auto *init = dyn_cast<CXXDefaultInitExpr>(e))
    return rvalue(init->getExpr());
  if (e->isGLValue())
    return load(place(e), e->getType(), e);
  if (const auto *c = dyn_cast<CastExpr>(e))
    return cast(c);
  if (const auto *u = dyn_cast<UnaryOperator>(e))
    return unary(u);
  if (const auto *b = dyn_cast<BinaryOperator>(e))
    return binary(b);
  if (const auto *c = dyn_cast<AbstractConditionalOperator>(e))
    return conditional(c);
  if (const auto *c = dyn_cast<CallExpr>(e))
    return call(c);
  return computeOther(e);
}

Index Walk::computeOther(const Expr *e) {
  if (const auto *pseudo = dyn_cast<PseudoObjectExpr>(e))
    return rvalue(pseudo->getResultExpr());
  if (const auto *opaqueValue = dyn_cast<OpaqueValueExpr>(e))
    if (opaqueValue->getSourceExpr())
      return rvalue(opaqueValue->getSourceExpr());
  if (const auto *temporary = dyn_cast<CXXBindTemporaryExpr>(e))
    return rvalue(temporary->getSubExpr());
  if (isa<CXXThisExpr>(e))
    return this_.object || this_.address ? addressOf(this_)
                                         : unknown(e->getType(), e, "'this' is unknown");
  if (const auto *name = dyn_cast<DeclRefExpr>(e))
    if (const auto *constant = dyn_cast<EnumConstantDecl>(name->getDecl()))
      return graph.constant(uint64_t(constant->getInitVal().getExtValue()),
                            typeOf(e->getType()).value_or(kI32));
  if (isa<CXXScalarValueInitExpr, ImplicitValueInitExpr, CXXNullPtrLiteralExpr, GNUNullExpr>(e))
    if (const auto type = typeOf(e->getType()))
      return graph.constant(0, *type);
  if (const auto *list = dyn_cast<InitListExpr>(e))
    if (list->getNumInits() == 1 && !e->getType()->isRecordType())
      return rvalue(list->getInit(0));
  if (const auto *block = dyn_cast<StmtExpr>(e)) {
    const Stmt *last = nullptr;
    for (const Stmt *s : block->getSubStmt()->body()) {
      if (last)
        statement(last);
      last = s;
    }
    if (const auto *value = dyn_cast_or_null<Expr>(last))
      return e->getType()->isVoidType() ? (statement(last), nullptr) : rvalue(value);
    if (last)
      statement(last);
    return nullptr;
  }
  if (isa<FloatingLiteral, StringLiteral>(e))
    return opaque(e->getType(), textOf(e), {}, e, "a literal");
  if (e->getType()->isRecordType()) {
    record(e);
    return nullptr;
  }
  std::vector<Index> of;
  for (const Stmt *child : e->children())
    if (const auto *part = dyn_cast_or_null<Expr>(child))
      if (!part->getType()->isVoidType())
        if (const Index value = part->isGLValue() ? nullptr : rvalue(part))
          of.push_back(value);
  if (e->getType()->isVoidType())
    return nullptr;
  if (typeOf(e->getType()))
    return unknown(e->getType(), e, std::string(e->getStmtClassName()) + " is not followed");
  return opaque(e->getType(), textOf(e), everything(), e, "not an index");
}

Index Walk::cast(const CastExpr *e) {
  const Expr *sub = e->getSubExpr();
  switch (e->getCastKind()) {
  case CK_LValueToRValue:
    if (e->getType()->isRecordType())
      return nullptr;
    return load(place(sub), e->getType(), e);
  case CK_ArrayToPointerDecay:
    return addressOf(place(sub));
  case CK_NullToPointer:
    return number(0);
  case CK_ToVoid:
    if (sub->isGLValue())
      place(sub);
    else
      rvalue(sub);
    return nullptr;
  case CK_FunctionToPointerDecay:
  case CK_BuiltinFnToFnPtr:
    return opaque(e->getType(), textOf(e), {}, e, "a function");
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion:
    return rvalue(sub);
  case CK_UncheckedDerivedToBase:
  case CK_DerivedToBase:
  case CK_NoOp:
  case CK_BitCast:
  case CK_AddressSpaceConversion:
  case CK_IntegralCast:
  case CK_IntegralToPointer:
  case CK_PointerToIntegral:
  case CK_IntegralToBoolean:
  case CK_PointerToBoolean: {
    const Index value = rvalue(sub);
    if (!value || (typeOf(e->getType()) && !typeOf(sub->getType())))
      return value ? unknown(e->getType(), e, "bits of what is no index") : nullptr;
    return fit(value, e->getType());
  }
  default: {
    const Index value = sub->isGLValue() ? nullptr : rvalue(sub);
    if (e->getType()->isVoidType())
      return nullptr;
    const std::vector<Index> of = value ? std::vector<Index>{value} : everything();
    return opaque(e->getType(), textOf(e), of, e,
                  std::string("a conversion (") + e->getCastKindName() + ") is not followed");
  }
  }
}

Index Walk::increment(const UnaryOperator *e) {
  const Expr *sub = e->getSubExpr();
  const Place where = place(sub);
  const Index old = load(where, sub->getType(), sub);
  const auto type = typeOf(sub->getType());
  if (!old || !type)
    return old;
  const int64_t by =
      sub->getType()->isPointerType() ? int64_t(sizeOf(sub->getType()->getPointeeType())) : 1;
  const Index now = graph.add(old, number(e->isIncrementOp() ? by : -by, *type));
  store(where, now, e, nullptr);
  return e->isPostfix() ? old : now;
}

Index Walk::unary(const UnaryOperator *e) {
  if (e->isIncrementDecrementOp())
    return increment(e);
  if (e->getOpcode() == UO_AddrOf) {
    const Expr *sub = e->getSubExpr()->IgnoreParens();
    if (const auto *name = dyn_cast<DeclRefExpr>(sub))
      if (isa<FunctionDecl>(name->getDecl()))
        return opaque(e->getType(), textOf(e), {}, e, "a function");
    return addressOf(place(sub));
  }
  const Index value = rvalue(e->getSubExpr());
  if (!value)
    return nullptr;
  if (!typeOf(e->getType()) || !typeOf(e->getSubExpr()->getType()))
    return opaque(e->getType(), textOf(e), {value}, e, "not an index");
  switch (e->getOpcode()) {
  case UO_Plus:
  case UO_Extension:
    return value;
  case UO_Minus:
    return graph.negate(value);
  case UO_Not:
    return graph.bitNot(value);
  case UO_LNot:
    return fit(graph.logicalNot(value), e->getType());
  default:
    return unknown(e->getType(), e, "an operator is not followed");
  }
}

Index Walk::arithmetic(BinaryOperatorKind kind, Index a, Index b, const Expr *e) {
  switch (kind) {
  case BO_Add:
    return graph.add(a, b);
  case BO_Sub:
    return graph.sub(a, b);
  case BO_Mul:
    return graph.mul(a, b);
  case BO_Div:
    return graph.binary(Op::Div, a, b);
  case BO_Rem:
    return graph.binary(Op::Rem, a, b);
  case BO_Shl:
    return graph.binary(Op::Shl, a, b);
  case BO_Shr:
    return graph.binary(Op::Shr, a, b);
  case BO_And:
    return graph.binary(Op::And, a, b);
  case BO_Or:
    return graph.binary(Op::Or, a, b);
  case BO_Xor:
    return graph.binary(Op::Xor, a, b);
  case BO_LT:
    return graph.binary(Op::Lt, a, b);
  case BO_GT:
    return graph.binary(Op::Lt, b, a);
  case BO_LE:
    return graph.binary(Op::Le, a, b);
  case BO_GE:
    return graph.binary(Op::Le, b, a);
  case BO_EQ:
    return graph.binary(Op::Eq, a, b);
  case BO_NE:
    return graph.binary(Op::Ne, a, b);
  default:
    return unknown(e->getType(), e, "an operator is not followed");
  }
}

Index Walk::pointerArithmetic(const BinaryOperator *e) {
  const Expr *left = e->getLHS(), *right = e->getRHS();
  const Index a = rvalue(left), b = rvalue(right);
  if (!a || !b)
    return unknown(e->getType(), e, "a pointer of unknown origin");
  const bool leftPointer = left->getType()->isPointerType();
  const bool rightPointer = right->getType()->isPointerType();
  if (leftPointer && rightPointer) {
    const int64_t size = int64_t(sizeOf(left->getType()->getPointeeType()));
    return fit(graph.binary(Op::Div, graph.sub(a, b), number(size)), e->getType());
  }
  const QualType pointer = leftPointer ? left->getType() : right->getType();
  const Index count = graph.convert(leftPointer ? b : a, kI64);
  const Index bytes = graph.mul(count, number(int64_t(sizeOf(pointer->getPointeeType()))));
  if (e->getOpcode() == BO_Sub)
    return graph.sub(a, bytes);
  return graph.add(leftPointer ? a : b, bytes);
}

Index Walk::logical(const BinaryOperator *e) {
  const Index a = rvalue(e->getLHS());
  if (!a)
    return unknown(e->getType(), e, "a condition of unknown origin");
  const Index left = graph.truth(a);
  Index right = nullptr;
  const bool isAnd = e->getOpcode() == BO_LAnd;
  const auto evaluate = [&] {
    right = rvalue(e->getRHS());
    return Flow::Next;
  };
  const auto skip = [] { return Flow::Next; };
  if (isAnd)
    branch(left, e, evaluate, skip);
  else
    branch(left, e, skip, evaluate);
  if (!right)
    return fit(graph.constant(!isAnd, kBool), e->getType());
  const Index truth = graph.truth(right);
  return fit(isAnd ? graph.select(left, truth, graph.constant(0, kBool))
                   : graph.select(left, graph.constant(1, kBool), truth),
             e->getType());
}

Index Walk::binary(const BinaryOperator *e) {
  if (const auto *compound = dyn_cast<CompoundAssignOperator>(e))
    return compoundAssign(compound);
  switch (e->getOpcode()) {
  case BO_Assign:
    return assign(e);
  case BO_Comma:
    statement(e->getLHS());
    return rvalue(e->getRHS());
  case BO_LAnd:
  case BO_LOr:
    return logical(e);
  default:
    break;
  }
  const bool pointers =
      e->getLHS()->getType()->isPointerType() || e->getRHS()->getType()->isPointerType();
  if (pointers && e->isAdditiveOp())
    return pointerArithmetic(e);
  const Index a = rvalue(e->getLHS()), b = rvalue(e->getRHS());
  if (!a || !b)
    return e->getType()->isVoidType() ? nullptr
                                      : unknown(e->getType(), e, "an operand is no index");
  if (!typeOf(e->getType()) || !typeOf(e->getLHS()->getType()) || !typeOf(e->getRHS()->getType()))
    return opaque(e->getType(), textOf(e), {a, b}, e, "not an index");
  return fit(arithmetic(e->getOpcode(), a, b, e), e->getType());
}

Index Walk::conditional(const AbstractConditionalOperator *e) {
  const Index condition = rvalue(e->getCond());
  if (!condition)
    return unknown(e->getType(), e, "a condition of unknown origin");
  Index a = nullptr, b = nullptr;
  const Index truth = graph.truth(condition);
  branch(
      truth, e,
      [&] {
        a = rvalue(e->getTrueExpr());
        return Flow::Next;
      },
      [&] {
        b = rvalue(e->getFalseExpr());
        return Flow::Next;
      });
  if (!a || !b)
    return a ? a : b;
  if (!typeOf(e->getType()))
    return opaque(e->getType(), textOf(e), {truth, a, b}, e, "not an index");
  return graph.select(truth, a, b);
}

// ---- Assignment ----------------------------------------------------------------

Index Walk::assign(const BinaryOperator *e) {
  const Expr *left = e->getLHS(), *right = e->getRHS();
  if (left->getType()->isRecordType()) {
    copyRecord(place(left), right->isGLValue() ? place(right) : record(right));
    return nullptr;
  }
  const Index value = rvalue(right);
  const Place to = place(left);
  store(to, value, e, right);
  return value;
}

Index Walk::compoundAssign(const CompoundAssignOperator *e) {
  const Expr *left = e->getLHS();
  const Index by = rvalue(e->getRHS());
  const Place to = place(left);
  const Index old = load(to, left->getType(), left);
  const auto type = typeOf(left->getType());
  const BinaryOperatorKind kind = BinaryOperator::getOpForCompoundAssignment(e->getOpcode());
  Index now = nullptr;
  if (!type || !old || !by || !typeOf(e->getRHS()->getType()))
    now = old && by ? opaque(left->getType(), textOf(e), {old, by}, e, "not an index") : nullptr;
  else if (left->getType()->isPointerType()) {
    const Index bytes =
        graph.mul(graph.convert(by, kI64), number(sizeOf(left->getType()->getPointeeType())));
    now = kind == BO_Add ? graph.add(old, bytes) : graph.sub(old, bytes);
  } else {
    const Index a = fit(old, e->getComputationLHSType());
    now = fit(fit(arithmetic(kind, a, by, e), e->getComputationResultType()), left->getType());
  }
  store(to, now, e, e->getRHS());
  return now;
}

// ---- Places --------------------------------------------------------------------

Index Walk::addressOf(const Place &place) {
  if (!place.object)
    return place.address ? place.address : nullptr;
  return graph.add(place.object->address, place.offset);
}

Place Walk::pointee(Index address, unsigned bytes) {
  Place place;
  place.bytes = bytes;
  place.address = address;
  if (address)
    place.object = static_cast<const Object *>(baseObject(graph, address, &place.offset));
  return place;
}

Place Walk::at(const Place &place, Index more, unsigned bytes) {
  Place part = place;
  part.bytes = bytes;
  if (part.object)
    part.offset = graph.add(part.offset, more);
  if (part.address)
    part.address = graph.add(part.address, more);
  return part;
}

Place Walk::place(const Expr *e) {
  if (exhausted(e))
    return Place();
  const Place found = computePlace(e);
  if (live() && found.object) {
    const auto [known, isNew] = places_.try_emplace(e, found);
    if (!isNew && (known->second.object != found.object || known->second.offset != found.offset))
      known->second = Place();
  }
  return found;
}

Place Walk::placeOfVariable(const ValueDecl *decl) {
  const auto bound = bindings_.find(decl);
  if (bound != bindings_.end())
    return bound->second;
  if (const auto *binding = dyn_cast<BindingDecl>(decl))
    return binding->getBinding() ? place(binding->getBinding()) : Place();
  const auto *variable = dyn_cast<VarDecl>(decl);
  if (!variable)
    return Place();
  const Object *object = objectOf(variable);
  Place place;
  place.object = object;
  place.offset = number(0);
  place.bytes = static_cast<unsigned>(object->bytes);
  if (variable->getType()->isReferenceType() && variable->getInit())
    return this->place(variable->getInit());
  return place;
}

Place Walk::member(const MemberExpr *e) {
  const ValueDecl *decl = e->getMemberDecl();
  if (isa<VarDecl>(decl))
    return placeOfVariable(decl);
  const auto *field = dyn_cast<FieldDecl>(decl);
  const Expr *base = e->getBase();
  Place whole = e->isArrow()        ? pointee(rvalue(base), 0)
                : base->isGLValue() ? place(base)
                                    : record(base);
  if (!field || field->isBitField() || field->getParent()->isInvalidDecl())
    return Place();
  const ASTRecordLayout &layout = context_.getASTRecordLayout(field->getParent());
  const int64_t offset = int64_t(layout.getFieldOffset(field->getFieldIndex())) / 8;
  const unsigned bytes = static_cast<unsigned>(sizeOf(field->getType()));
  Place part = at(whole, number(offset), bytes);
  if (field->getType()->isReferenceType())
    return pointee(load(part, context_.getPointerType(field->getType().getNonReferenceType()), e),
                   bytes);
  return part;
}

Place Walk::subscript(const ArraySubscriptExpr *e) {
  const unsigned bytes = static_cast<unsigned>(sizeOf(e->getType()));
  const Expr *base = e->getBase();
  const auto *decay = dyn_cast<CastExpr>(base->IgnoreParens());
  Place whole = decay && decay->getCastKind() == CK_ArrayToPointerDecay ? place(decay->getSubExpr())
                : base->getType()->isVectorType() && base->isGLValue()  ? place(base)
                                                                        : pointee(rvalue(base), 0);
  const Index index = rvalue(e->getIdx());
  if (!index)
    return Place();
  return at(whole, graph.mul(graph.convert(index, kI64), number(bytes)), bytes);
}

Place Walk::computePlace(const Expr *e) {
  const unsigned bytes = static_cast<unsigned>(sizeOf(e->getType()));
  if (const auto *name = dyn_cast<DeclRefExpr>(e))
    return placeOfVariable(name->getDecl());
  if (const auto *parens = dyn_cast<ParenExpr>(e))
    return place(parens->getSubExpr());
  if (const auto *full = dyn_cast<FullExpr>(e))
    return place(full->getSubExpr());
  if (const auto *m = dyn_cast<MemberExpr>(e))
    return member(m);
  if (const auto *s = dyn_cast<ArraySubscriptExpr>(e))
    return subscript(s);
  if (const auto *argument = dyn_cast<SubstNonTypeTemplateParmExpr>(e))
    return place(argument->getReplacement());
  if (const auto *argument = dyn_cast<CXXDefaultArgExpr>(e))
    return place(argument->getExpr());
  if (const auto *pseudo = dyn_cast<PseudoObjectExpr>(e))
    return place(pseudo->getResultExpr());
  if (const auto *opaqueValue = dyn_cast<OpaqueValueExpr>(e))
    return opaqueValue->getSourceExpr() ? place(opaqueValue->getSourceExpr()) : Place();
  if (const auto *c = dyn_cast<CastExpr>(e)) {
    if (!e->isGLValue())
      return e->getType()->isRecordType() ? record(e) : pointee(rvalue(e), bytes);
    Place whole = c->getSubExpr()->isGLValue() ? place(c->getSubExpr()) : record(c->getSubExpr());
    whole.bytes = bytes;
    return whole;
  }
  if (const auto *u = dyn_cast<UnaryOperator>(e)) {
    if (u->getOpcode() == UO_Deref)
      return pointee(rvalue(u->getSubExpr()), bytes);
    if (u->isIncrementDecrementOp()) {
      increment(u);
      return placeOfAssigned(u->getSubExpr());
    }
    if (u->getOpcode() == UO_Extension)
      return place(u->getSubExpr());
  }
  if (const auto *b = dyn_cast<BinaryOperator>(e)) {
    if (b->getOpcode() == BO_Comma) {
      statement(b->getLHS());
      return place(b->getRHS());
    }
    if (b->isAssignmentOp()) {
      binary(b);
      return placeOfAssigned(b->getLHS());
    }
  }
  if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(e))
    return materialize(temporary->getSubExpr());
  if (const auto *c = dyn_cast<CallExpr>(e)) {
    returnedPlace_ = Place();
    call(c);
    return std::exchange(returnedPlace_, Place());
  }
  if (const auto *c = dyn_cast<AbstractConditionalOperator>(e))
    return conditionalPlace(c);
  if (e->getType()->isRecordType() && !e->isGLValue())
    return record(e);
  return Place();
}

// Once more the place of what was just assigned, without its side effects.
Place Walk::placeOfAssigned(const Expr *e) {
  const auto *assigned = dyn_cast<DeclRefExpr>(e->IgnoreParens());
  return assigned ? placeOfVariable(assigned->getDecl()) : Place();
}

Place Walk::materialize(const Expr *e) {
  if (e->getType()->isRecordType() || e->getType()->isArrayType())
    return record(e);
  Place place;
  place.bytes = static_cast<unsigned>(sizeOf(e->getType()));
  place.object = newObject("(temporary)", nullptr, Space::Local, place.bytes, place.bytes);
  place.offset = number(0);
  store(place, rvalue(e), nullptr, nullptr);
  return place;
}

Place Walk::conditionalPlace(const AbstractConditionalOperator *e) {
  const Index condition = rvalue(e->getCond());
  const Place a = place(e->getTrueExpr()), b = place(e->getFalseExpr());
  if (condition && condition->isConstant())
    return condition->value ? a : b;
  const Index x = addressOf(a), y = addressOf(b);
  if (!condition || !x || !y)
    return Place();
  return pointee(graph.select(graph.truth(condition), x, y),
                 static_cast<unsigned>(sizeOf(e->getType())));
}

} // namespace layout_port::recover
