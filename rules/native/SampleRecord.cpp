// Objects of the thread's own that hold its numbers, by the bytes of their members:
//
//   struct Place { int lane, wm; };
//   const Place at{threadIdx.x % 32, threadIdx.x / 32 * 16};      {0: 5, 4: 16} for thread 37
//   const Place at = placeOf(threadIdx.x);   Place at(threadIdx.x);   const auto [lane, wm] = ...
//
// Functions and constructors are run as far as run() follows them (SampleRun.cpp). An object that
// is changed behind its declaration is what statements make of it there (SampleMade.cpp), or not
// known.
#include "native/Sample.h"

#include "native/AstRead.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace layout_port::native {

// What of it lies from `begin` on.
Sampler::Record Sampler::partFrom(const Record &whole, uint64_t begin, uint64_t bytes) {
  Record part;
  for (auto it = whole.lower_bound(begin); it != whole.end() && it->first < begin + bytes; ++it)
    part[it->first - begin] = it->second;
  return part;
}

uint64_t Sampler::bytesOf(QualType type) const {
  return type->isIncompleteType() ? 0 : context_.getTypeSizeInChars(type).getQuantity();
}

// A number and what it hangs on, which is no other number's.
Sampler::Cell Sampler::cellOf(llvm::function_ref<Value()> ask) {
  const bool before = std::exchange(usedUniform_, false);
  Cell cell{ask()};
  cell.usedUniform = std::exchange(usedUniform_, before);
  return cell;
}

// A scalar, where a reference leads, or all of an object: `into` from `at` on.
bool Sampler::put(const Expr *from, QualType type, uint64_t at, Record &into) {
  if (!type->isRecordType() && !type->isArrayType()) {
    into[at] =
        cellOf([&] { return type->isReferenceType() ? address(from) : fit(value(from), type); });
    return true;
  }
  const std::optional<Record> inner = record(from);
  if (!inner)
    return false;
  for (const auto &[offset, x] : *inner)
    into[at + offset] = x;
  return true;
}

// {a, b}, of a class or an array.
std::optional<Sampler::Record> Sampler::listed(const InitListExpr &list) {
  Record made;
  const QualType type = list.getType();
  if (const auto *array = context_.getAsConstantArrayType(type)) {
    const uint64_t bytes = bytesOf(array->getElementType());
    for (unsigned i = 0; i < list.getNumInits(); ++i)
      if (!put(list.getInit(i), array->getElementType(), i * bytes, made))
        return std::nullopt;
    return made;
  }
  const CXXRecordDecl *of = type->getAsCXXRecordDecl();
  if (!of || of->isUnion() || !of->hasDefinition() || of->getNumBases())
    return std::nullopt;
  unsigned i = 0;
  for (const FieldDecl *field : of->fields()) {
    if (field->isBitField() || i >= list.getNumInits())
      return std::nullopt;
    if (!put(list.getInit(i++), field->getType(), context_.getFieldOffset(field) / 8, made))
      return std::nullopt;
  }
  return made;
}

// By a constructor that is in view.
std::optional<Sampler::Record> Sampler::constructed(const CXXConstructExpr &made) {
  const CXXConstructorDecl *called = made.getConstructor();
  if (called->isCopyOrMoveConstructor() && called->isTrivial() && made.getNumArgs() == 1)
    return record(made.getArg(0));
  const FunctionDecl *definition = called->getDefinition();
  const auto *constructor = dyn_cast_or_null<CXXConstructorDecl>(definition);
  const CXXRecordDecl *of = called->getParent();
  if (!constructor || !constructor->hasBody() || !mayRun(*constructor) || of->isUnion() ||
      of->getNumVBases() || depth_ > kDeepest)
    return std::nullopt;
  const auto argument = [&](unsigned i) {
    return i < made.getNumArgs() ? made.getArg(i) : nullptr;
  };
  Record object;
  Run inside = runOf(*constructor, argument, nullptr);
  inside.changed = &object;
  bool isKnown = true;
  within(inside, false, [&] { isKnown = construct(*constructor, object); });
  return isKnown ? std::optional(std::move(object)) : std::nullopt;
}

bool Sampler::construct(const CXXConstructorDecl &constructor, Record &object) {
  const CXXRecordDecl *of = constructor.getParent();
  for (const CXXCtorInitializer *init : constructor.inits()) {
    const FieldDecl *field = init->getAnyMember();
    if (init->isBaseInitializer()) {
      const CXXRecordDecl *base = init->getBaseClass()->getAsCXXRecordDecl();
      const uint64_t at = context_.getASTRecordLayout(of).getBaseClassOffset(base).getQuantity();
      if (!put(init->getInit(), QualType(init->getBaseClass(), 0), at, object))
        return false;
    } else if (!field || field->isBitField() || init->isIndirectMemberInitializer() ||
               !put(init->getInit(), field->getType(), context_.getFieldOffset(field) / 8,
                    object)) {
      return false;
    }
  }
  Value nothing;
  return !run(constructor.getBody(), nothing);
}

// What a function returns. CUDA's make_int2(x, y) has the members in order.
std::optional<Sampler::Record> Sampler::returned(const CallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  const CXXRecordDecl *of = call.getType()->getAsCXXRecordDecl();
  if (of && cudaName(callee).starts_with("make_")) {
    Record made;
    unsigned i = 0;
    for (const FieldDecl *field : of->fields())
      if (i >= call.getNumArgs() ||
          !put(call.getArg(i++), field->getType(), context_.getFieldOffset(field) / 8, made))
        return std::nullopt;
    return i == call.getNumArgs() ? std::optional(std::move(made)) : std::nullopt;
  }
  return recordOfCall(call);
}

// A method's, where its members are known.
std::optional<Sampler::Record> Sampler::objectOf(const CallExpr &call) {
  const auto *method = dyn_cast<CXXMemberCallExpr>(&call);
  const Expr *object = method ? method->getImplicitObjectArgument() : nullptr;
  if (const auto *op = dyn_cast<CXXOperatorCallExpr>(&call);
      op && isa_and_nonnull<CXXMethodDecl>(op->getDirectCallee()))
    object = op->getArg(0);
  if (!object)
    return std::nullopt;
  return object->getType()->isPointerType() ? recordBehind(object) : record(object);
}

std::optional<Sampler::Record> Sampler::recordBehind(const Expr *pointer) {
  pointer = pointer->IgnoreParens();
  if (const auto *cast = dyn_cast<ImplicitCastExpr>(pointer)) {
    const auto offset = baseOffset(*cast, context_);
    const auto whole = recordBehind(cast->getSubExpr());
    return whole && offset ? std::optional(partFrom(*whole, *offset,
                                                    bytesOf(cast->getType()->getPointeeType())))
                           : whole;
  }
  if (const auto *op = dyn_cast<UnaryOperator>(pointer); op && op->getOpcode() == UO_AddrOf)
    return record(op->getSubExpr());
  if (!isa<CXXThisExpr>(pointer))
    return std::nullopt;
  if (const Record *object = run_.changed ? run_.changed : run_.object)
    return *object;
  if (!self_ || isa<CXXThisExpr>(self_->IgnoreParenImpCasts()))
    return std::nullopt;
  const Expr *self = std::exchange(self_, nullptr);
  auto found = self->getType()->isPointerType() ? recordBehind(self) : record(self);
  self_ = self;
  return found;
}

// A local that its declaration makes, and nothing changes.
bool Sampler::isMadeOnce(const VarDecl &variable) const {
  return variable.isLocalVarDecl() && variable.hasLocalStorage() && variable.getInit() &&
         !changes(&variable) && !changesUnseen(&variable) && !conditional_.contains(&variable) &&
         places_.lookup(&variable).empty();
}

std::optional<Sampler::Record> Sampler::recordNamed(const DeclRefExpr &name) {
  const auto *named = dyn_cast<VarDecl>(name.getDecl());
  if (!named)
    return std::nullopt;
  const VarDecl &variable = *named;
  if (const auto known = run_.records.find(&variable); known != run_.records.end())
    return known->second;
  if (const Expr *argument = aliases_.lookup(&variable))
    return depth_ > kDeepest ? std::nullopt : record(argument);
  const bool isStill = !changes(&variable) && !changesUnseen(&variable);
  if (const Expr *argument = isStill ? handed_.lookup(&variable) : nullptr)
    return depth_ > kDeepest ? std::nullopt : record(argument);
  if (const Left *left = leftAt(name)) {
    const auto made = left->records.find(&variable);
    return made == left->records.end() ? std::nullopt : std::optional(made->second);
  }
  if (isOfConstants(variable))
    return record(variable.getInit());
  if (!isMadeOnce(variable) || !dependsOnThread(&variable) || depth_ > kDeepest)
    return std::nullopt;
  const bool isAtPoint = bindings_.empty() && run_.isOutside();
  if (const auto known = records_.find(&variable); isAtPoint && known != records_.end()) {
    usedUniform_ |= known->second.usedUniform;
    return known->second.record;
  }
  const bool before = std::exchange(usedUniform_, false);
  ++depth_;
  std::optional<Record> made = record(variable.getInit());
  --depth_;
  if (isAtPoint)
    records_[&variable] = {made, usedUniform_};
  usedUniform_ |= before;
  return made;
}

std::optional<Sampler::Record> Sampler::record(const Expr *expr) {
  expr = expr->IgnoreParens();
  if (const auto *wrapper = dyn_cast<FullExpr>(expr))
    return record(wrapper->getSubExpr());
  if (const auto *wrapper = dyn_cast<MaterializeTemporaryExpr>(expr))
    return record(wrapper->getSubExpr());
  if (const auto *wrapper = dyn_cast<CXXBindTemporaryExpr>(expr))
    return record(wrapper->getSubExpr());
  if (const auto *given = dyn_cast<CXXDefaultArgExpr>(expr))
    return record(given->getExpr());
  if (const auto *given = dyn_cast<CXXDefaultInitExpr>(expr))
    return record(given->getExpr());
  if (const auto *name = dyn_cast<DeclRefExpr>(expr); name && isa<VarDecl>(name->getDecl()))
    return recordNamed(*name);
  if (const auto *list = dyn_cast<InitListExpr>(expr))
    return listed(*list);
  if (const auto *made = dyn_cast<CXXConstructExpr>(expr))
    return constructed(*made);
  if (const auto *call = dyn_cast<CallExpr>(expr))
    return returned(*call);
  if (const auto *choice = dyn_cast<ConditionalOperator>(expr)) {
    const Value condition = deciding([&] { return value(choice->getCond()); });
    return condition ? record(*condition ? choice->getTrueExpr() : choice->getFalseExpr())
                     : std::nullopt;
  }
  if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_Deref)
    return recordBehind(op->getSubExpr());
  if (const auto *cast = dyn_cast<CastExpr>(expr)) {
    const auto offset = baseOffset(*cast, context_);
    const bool isSame = cast->getCastKind() == CK_NoOp ||
                        cast->getCastKind() == CK_LValueToRValue ||
                        cast->getCastKind() == CK_ConstructorConversion;
    const auto whole = offset || isSame ? record(cast->getSubExpr()) : std::nullopt;
    return whole && offset ? std::optional(partFrom(*whole, *offset, bytesOf(cast->getType())))
                           : whole;
  }
  const auto part = partOf(expr);
  return part ? std::optional(partFrom(part->whole, part->offset, bytesOf(expr->getType())))
              : std::nullopt;
}

// x.y and x[i] of an object whose members are known.
std::optional<Sampler::PartOfRecord> Sampler::partOf(const Expr *place) {
  place = place->IgnoreParens();
  if (const auto *name = dyn_cast<DeclRefExpr>(place)) {
    const auto *binding = dyn_cast<BindingDecl>(name->getDecl());
    return binding && binding->getBinding() ? partOf(binding->getBinding()) : std::nullopt;
  }
  if (const auto *member = dyn_cast<MemberExpr>(place)) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (!field || field->isBitField() || field->getParent()->isDependentType() ||
        field->getParent()->isUnion())
      return std::nullopt;
    auto whole = member->isArrow() ? recordBehind(member->getBase()) : record(member->getBase());
    if (!whole)
      return std::nullopt;
    return PartOfRecord{std::move(*whole), context_.getFieldOffset(field) / 8};
  }
  const auto *access = dyn_cast<ArraySubscriptExpr>(place);
  const Expr *base = access ? access->getBase()->IgnoreParenImpCasts() : nullptr;
  if (!base || !context_.getAsConstantArrayType(base->getType()))
    return std::nullopt;
  auto whole = record(base);
  const Value index = whole ? value(access->getIdx()) : std::nullopt;
  if (!index)
    return std::nullopt;
  return PartOfRecord{std::move(*whole), *index * bytesOf(access->getType())};
}

// The number that stands there; none where that is not known.
Sampler::Value Sampler::memberValue(const Expr *place) {
  const auto part = partOf(place);
  const auto found = part ? part->whole.find(part->offset) : Record::const_iterator();
  if (!part || found == part->whole.end())
    return std::nullopt;
  usedUniform_ |= found->second.usedUniform;
  return found->second.value;
}

} // namespace layout_port::native
