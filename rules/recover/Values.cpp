// Objects and what they hold: variables, parameters, shared and global memory, records.
#include "recover/Walk.h"

#include "clang/AST/Attr.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace layout_port::recover {

const char *name(Space space) {
  static const char *const names[] = {"local", "shared", "global", "parameter", "constant"};
  return names[static_cast<int>(space)];
}

static unsigned log2of(uint64_t powerOfTwo) {
  unsigned bits = 0;
  while (powerOfTwo >>= 1)
    ++bits;
  return bits;
}

Object *Walk::newObject(const std::string &name, const ValueDecl *decl, Space space, uint64_t bytes,
                        unsigned alignment) {
  Object object;
  object.name = name;
  object.decl = decl;
  object.space = space;
  object.bytes = bytes;
  object.number = static_cast<unsigned>(objects_.size());
  objects_.push_back(object);
  Object *made = &objects_.back();
  Symbol base;
  base.name = name;
  base.type = kI64;
  base.zeroBits = log2of(std::max(1u, alignment));
  base.most = space == Space::Shared                               ? int64_t(1) << 18
              : space == Space::Global || space == Space::Constant ? int64_t(1) << 48
                                                                   : int64_t(1) << 32;
  base.object = made;
  made->address = graph.symbol(graph.addSymbol(base));
  return made;
}

// Variables that are not bound in a frame: shared, global and constant memory.
Object *Walk::objectOf(const VarDecl *decl) {
  decl = decl->getCanonicalDecl();
  Object *&object = statics_[decl];
  if (object)
    return object;
  Space space = Space::Local;
  if (decl->hasAttr<CUDASharedAttr>())
    space = Space::Shared;
  else if (decl->hasAttr<CUDAConstantAttr>() || decl->isConstexpr() ||
           (decl->hasGlobalStorage() && decl->getType().isConstQualified()))
    space = Space::Constant;
  else if (decl->hasGlobalStorage())
    space = Space::Global;
  const bool sized = !decl->getType()->isIncompleteType() && !decl->getType()->isDependentType();
  return object =
             newObject(decl->getNameAsString(), decl, space, sized ? sizeOf(decl->getType()) : 0,
                       unsigned(context_.getDeclAlign(decl).getQuantity()));
}

// ---- Loads ---------------------------------------------------------------------

// A part of a kernel parameter: a symbol of its own, once.
Index Walk::parameterPart(const Place &place, QualType type) {
  Index &known = parameterParts_[{place.object->number, place.offset}];
  if (known)
    return known;
  std::string name = place.object->name;
  if (place.bytes != place.object->bytes)
    name += "+" + graph.toString(place.offset);
  if (type->isPointerType()) {
    const QualType to = type->getPointeeType();
    const bool sized = !to->isIncompleteType() && !to->isFunctionType() && !to->isVoidType();
    const unsigned alignment = sized ? unsigned(context_.getTypeAlignInChars(to).getQuantity()) : 1;
    return known = newObject(name, nullptr, Space::Global, 0, alignment)->address;
  }
  Symbol symbol;
  symbol.name = name;
  symbol.type = typeOf(type).value_or(IndexType{64, false});
  symbol.varies = supportOf({place.offset});
  return known = graph.symbol(graph.addSymbol(symbol));
}

// The element of a constant array or record that the offset names: every value is known.
static const APValue *elementAt(const APValue *value, QualType type, uint64_t offset,
                                ASTContext &context) {
  while (value && value->isArray()) {
    type = context.getAsArrayType(type)->getElementType();
    const uint64_t size = uint64_t(context.getTypeSizeInChars(type).getQuantity());
    const uint64_t index = offset / size;
    offset %= size;
    if (index < value->getArrayInitializedElts())
      value = &value->getArrayInitializedElt(unsigned(index));
    else
      value = value->hasArrayFiller() ? &value->getArrayFiller() : nullptr;
  }
  return offset == 0 ? value : nullptr;
}

std::optional<Index> Walk::constantTable(const Place &place, QualType type) {
  const auto *decl = dyn_cast_or_null<VarDecl>(place.object->decl);
  const auto as = typeOf(type);
  if (!decl || !as || !decl->getAnyInitializer() ||
      !(decl->isConstexpr() || decl->getType().isConstQualified() ||
        context_.getBaseElementType(decl->getType()).isConstQualified()))
    return std::nullopt;
  const VarDecl *definition = nullptr;
  decl->getAnyInitializer(definition);
  if (!definition || definition->getInit()->isValueDependent())
    return std::nullopt;
  const APValue *value = definition->evaluateValue();
  if (!value)
    return std::nullopt;
  const auto element = [&](Index offset) -> Index {
    const APValue *part = offset->isConstant()
                              ? elementAt(value, definition->getType(), offset->value, context_)
                              : nullptr;
    if (!part || !part->isInt())
      return nullptr;
    const llvm::APSInt &v = part->getInt();
    return graph.constant(v.isSigned() ? uint64_t(v.getExtValue()) : v.getZExtValue(), *as);
  };
  const Index whole = tabulate(place.offset, element);
  return whole ? std::optional<Index>(whole) : std::nullopt;
}

// f at all values of the variables that the offset has, as a table.
Index Walk::tabulate(Index offset, const std::function<Index(Index)> &f) {
  constexpr uint64_t most = 256;
  if (offset->support.empty())
    return f(offset);
  const VariableId v = offset->support.back();
  if (!graph.variableAt(v).isFinite() || graph.variableAt(v).size > most || !offset->isPure())
    return nullptr;
  std::vector<Index> values;
  for (uint64_t i = 0; i < graph.variableAt(v).size; ++i) {
    values.push_back(tabulate(graph.substitute(offset, {{v, graph.constant(i)}}), f));
    if (!values.back())
      return nullptr;
  }
  return graph.table(v, values);
}

Index Walk::load(const Place &place, QualType type, const Expr *e) {
  type = type.getNonReferenceType();
  const Object *object = place.object;
  const auto as = typeOf(type);
  const auto bytes = static_cast<unsigned>(sizeOf(type));
  if (object && (object->space == Space::Local || object->space == Space::Parameter)) {
    const auto held = environment_.find(object->number);
    std::string reason = "it has no value yet";
    if (held != environment_.end()) {
      std::vector<VariableId> running;
      for (const LoopScope &loop : control_.loops)
        running.push_back(loop.variable);
      if (const Index value = read(graph, held->second, place.offset, bytes, running, reason)) {
        if (!as || value->type.bits == as->bits || value->type == kBool)
          return as ? fit(value, type) : value;
        reason = "it holds bits of another type";
      }
    }
    if (object->space == Space::Parameter && held == environment_.end())
      return parameterPart(place, type);
    // Arrays of data are not followed, and that is no news.
    return unknown(type, e, "the value of " + textOf(e) + " is not known: " + reason);
  }
  if (object && object->space == Space::Constant)
    if (const auto value = constantTable(place, type))
      return *value;
  if (live() && observer_)
    observer_->onAccess({AccessSite::Kind::Load, e, place, bytes, outerLine(e)}, control_);
  std::vector<Index> of = loopsNow();
  if (place.address || place.object)
    of.push_back(addressOf(place));
  else
    of = everything();
  return opaque(type, textOf(e), of, e,
                textOf(e) + " is loaded from " +
                    (object ? std::string(name(object->space)) + " memory" : "memory"));
}

// ---- Stores --------------------------------------------------------------------

void Walk::store(const Place &place, Index value, const Expr *e, const Expr *from) {
  const Object *object = place.object;
  if (object && (object->space == Space::Local || object->space == Space::Parameter)) {
    if (live() && e)
      observer_->onAssign({e, place, from, outerLine(e)}, control_);
    Contents &contents = environment_[object->number];
    const bool whole = place.offset->isConstant(0) && place.bytes == object->bytes;
    // Elements of arrays of data would only be in the way.
    const bool followed = value && (value->type != IndexType{64, false} || whole);
    if (followed)
      write(contents, {place.offset, place.bytes, value});
    else if (!contents.writes.empty() || contents.lost.empty())
      lose(contents, "it is data, last written at line " +
                         (e ? std::to_string(lineOf(e)) : std::string("?")));
    return;
  }
  // Through a pointer of several origins: all of them may have changed.
  if (!object && place.address)
    for (const Object &o : objects_)
      if (o.space == Space::Local && environment_.count(o.number) &&
          mentionsNode(place.address, o.address))
        lose(environment_[o.number], "it is written through a pointer that may be to others");
  if (live() && e)
    observer_->onAccess({AccessSite::Kind::Store, e, place, place.bytes, outerLine(e)}, control_);
}

bool Walk::mentionsNode(Index e, Index what) {
  std::vector<Index> stack = {e};
  llvm::DenseSet<Index> seen;
  while (!stack.empty()) {
    const Index n = stack.back();
    stack.pop_back();
    if (n == what)
      return true;
    if (!seen.insert(n).second)
      continue;
    for (const Index arg : n->args)
      if (arg && arg->number >= what->number)
        stack.push_back(arg);
  }
  return false;
}

// ---- Records -------------------------------------------------------------------

static bool isOwn(const Object *object) {
  return object && (object->space == Space::Local || object->space == Space::Parameter);
}

void Walk::copyParts(const Place &to, const Place &from) {
  const auto held = environment_.find(from.object->number);
  Contents &target = environment_[to.object->number];
  if (!to.offset->isConstant(0) || to.bytes != to.object->bytes || !target.writes.empty())
    lose(target, "a part of it was copied");
  if (held == environment_.end() || !from.offset->isConstant())
    return;
  target.lost = held->second.lost;
  const Contents source = held->second;
  for (const Write &w : source.writes) {
    if (!w.offset->isConstant() || w.offset->value < from.offset->value ||
        w.offset->value + w.bytes > from.offset->value + from.bytes)
      continue;
    const Index moved = graph.add(to.offset, number(int64_t(w.offset->value - from.offset->value)));
    write(target, {moved, w.bytes, w.value});
  }
}

void Walk::copyRecord(const Place &to, const Place &from) {
  const bool ownTo = isOwn(to.object), ownFrom = isOwn(from.object);
  if (ownTo && ownFrom && from.object != to.object) {
    copyParts(to, from);
    return;
  }
  if (!ownFrom && live() && current_ && (from.object || from.address))
    observer_->onAccess({AccessSite::Kind::Load, current_, from, from.bytes, outerLine(current_)},
                        control_);
  if (ownTo)
    lose(environment_[to.object->number], "it is data loaded from memory");
  else if (live() && current_ && (to.object || to.address))
    observer_->onAccess({AccessSite::Kind::Store, current_, to, to.bytes, outerLine(current_)},
                        control_);
}

Place Walk::record(const Expr *e) {
  if (e->isGLValue())
    return place(e);
  if (const auto *parens = dyn_cast<ParenExpr>(e))
    return record(parens->getSubExpr());
  if (const auto *full = dyn_cast<FullExpr>(e))
    return record(full->getSubExpr());
  if (const auto *temporary = dyn_cast<CXXBindTemporaryExpr>(e))
    return record(temporary->getSubExpr());
  if (const auto *c = dyn_cast<CastExpr>(e))
    if (c->getSubExpr()->getType()->isRecordType())
      return record(c->getSubExpr());
  if (const auto *argument = dyn_cast<CXXDefaultArgExpr>(e))
    return record(argument->getExpr());
  Place temporary;
  temporary.bytes = static_cast<unsigned>(sizeOf(e->getType()));
  temporary.object = newObject("(temporary)", nullptr, Space::Local, temporary.bytes, 16);
  temporary.offset = number(0);
  initialize(temporary, e->getType(), e);
  return temporary;
}

void Walk::initialize(const Place &where, QualType type, const Expr *init) {
  if (const auto *full = dyn_cast<FullExpr>(init))
    return initialize(where, type, full->getSubExpr());
  if (const auto *temporary = dyn_cast<CXXBindTemporaryExpr>(init))
    return initialize(where, type, temporary->getSubExpr());
  if (const auto *value = dyn_cast<CXXDefaultInitExpr>(init))
    return initialize(where, type, value->getExpr());
  if (const auto *list = dyn_cast<InitListExpr>(init))
    if (type->isArrayType() || type->isRecordType())
      return initializeList(where, type, list);
  if (type->isReferenceType()) {
    store(where, addressOf(place(init)), nullptr, nullptr);
    return;
  }
  if (const auto *lambda = dyn_cast<LambdaExpr>(init)) {
    capture(lambda);
    return;
  }
  if (const auto *made = dyn_cast<CXXConstructExpr>(init))
    return construct(where, made);
  if (type->isRecordType() && init->getType()->isRecordType()) {
    if (const auto *c = dyn_cast<CallExpr>(init)) {
      result_ = where;
      call(c);
      result_.reset();
      return;
    }
    if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(init))
      return;
    const auto *c = dyn_cast<CastExpr>(init);
    if (init->isGLValue() || c) {
      copyRecord(where, init->isGLValue() ? place(init) : place(c->getSubExpr()));
      return;
    }
    if (const auto *choice = dyn_cast<AbstractConditionalOperator>(init))
      rvalue(choice->getCond());
    lose(environment_[where.object->number], this->where(init) + "made in a way not followed");
    return;
  }
  if (type->isArrayType()) {
    if (isa<ImplicitValueInitExpr>(init) && type->isConstantArrayType())
      zeroArray(where, type);
    return;
  }
  store(where, fit(rvalue(init), type), init, init);
}

void Walk::zeroArray(const Place &where, QualType type) {
  constexpr uint64_t most = 64;
  const QualType element = context_.getBaseElementType(type);
  const auto as = typeOf(element);
  const uint64_t size = sizeOf(element), count = size ? sizeOf(type) / size : 0;
  if (!as || count > most)
    return;
  for (uint64_t i = 0; i < count; ++i)
    store(at(where, number(int64_t(i * size)), unsigned(size)), number(0, *as), nullptr, nullptr);
}

void Walk::initializeList(const Place &where, QualType type, const InitListExpr *list) {
  if (list->isTransparent())
    return initialize(where, type, list->getInit(0));
  if (const auto *array = context_.getAsConstantArrayType(type)) {
    constexpr uint64_t most = 256;
    const QualType element = array->getElementType();
    const uint64_t size = sizeOf(element);
    for (uint64_t i = 0; i < array->getZExtSize() && i < most; ++i) {
      const Place part = at(where, number(int64_t(i * size)), unsigned(size));
      const Expr *init = i < list->getNumInits() ? list->getInit(unsigned(i)) : nullptr;
      if (init)
        initialize(part, element, init);
      else if (const auto as = typeOf(element))
        store(part, number(0, *as), nullptr, nullptr);
    }
    return;
  }
  const auto *definition = type->getAsRecordDecl();
  if (!definition || definition->isUnion() || definition->isInvalidDecl())
    return;
  const ASTRecordLayout &layout = context_.getASTRecordLayout(definition);
  unsigned i = 0;
  if (const auto *cxx = dyn_cast<CXXRecordDecl>(definition))
    i = cxx->getNumBases();
  for (const FieldDecl *field : definition->fields()) {
    if (field->isUnnamedBitField() || i >= list->getNumInits())
      continue;
    if (!field->isBitField())
      initialize(at(where, number(int64_t(layout.getFieldOffset(field->getFieldIndex()) / 8)),
                    unsigned(sizeOf(field->getType()))),
                 field->getType(), list->getInit(i));
    ++i;
  }
}

void Walk::construct(const Place &where, const CXXConstructExpr *e) {
  const CXXConstructorDecl *maker = e->getConstructor();
  if (e->getType()->isArrayType())
    return;
  if (maker->isCopyOrMoveConstructor() && maker->isTrivial() && e->getNumArgs() == 1) {
    copyRecord(where, record(e->getArg(0)));
    return;
  }
  if (maker->isTrivial() || maker->isDefaulted())
    return;
  const FunctionDecl *body = maker->getDefinition();
  if (!body || !mayWalk(body)) {
    for (const Expr *arg : e->arguments())
      statement(arg);
    if (where.object)
      lose(environment_[where.object->number],
           this->where(e) + "made by a constructor not followed");
    return;
  }
  const auto *definition = llvm::cast<CXXConstructorDecl>(body);
  const Place outer = this_;
  bindParameters(definition, {e->getArgs(), e->getNumArgs()});
  this_ = where;
  Frame frame;
  frame.function = definition;
  frame.conditions = control_.conditions.size();
  frames_.push_back(std::move(frame));
  for (const CXXCtorInitializer *init : definition->inits()) {
    if (!init->isMemberInitializer() || !init->getInit())
      continue;
    const FieldDecl *field = init->getMember();
    const ASTRecordLayout &layout = context_.getASTRecordLayout(field->getParent());
    initialize(at(where, number(int64_t(layout.getFieldOffset(field->getFieldIndex()) / 8)),
                  unsigned(sizeOf(field->getType()))),
               field->getType(), init->getInit());
  }
  statement(definition->getBody());
  control_.conditions.resize(frames_.back().conditions);
  frames_.pop_back();
  this_ = outer;
}

// By-copy captures hold the value of now; by reference, names mean the variables themselves.
void Walk::capture(const LambdaExpr *lambda) {
  Closure closure;
  closure.lambda = lambda;
  for (const LambdaCapture &c : lambda->captures()) {
    if (!c.capturesVariable() || c.getCaptureKind() != LCK_ByCopy)
      continue;
    const ValueDecl *variable = c.getCapturedVar();
    const QualType type = variable->getType().getNonReferenceType();
    const Place from = placeOfVariable(variable);
    if (!isOwn(from.object) || type->isArrayType())
      continue;
    Place copy;
    copy.bytes = static_cast<unsigned>(sizeOf(type));
    copy.object = newObject(variable->getNameAsString(), variable, Space::Local, copy.bytes, 16);
    copy.offset = number(0);
    copyParts(copy, from);
    if (from.object->space == Space::Parameter && !environment_.count(from.object->number))
      continue; // a record that nobody has written
    closure.copies.push_back({variable, copy});
  }
  closures_[lambda] = std::move(closure);
}

} // namespace layout_port::recover
