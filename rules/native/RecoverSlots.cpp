// Which register of which fragment an operand of an instruction is: variables, their
// members and indices, through the parameters of wrappers and pointers into arrays.
#include "native/Recovery.h"

#include "native/Digits.h"
#include "native/Flat.h"
#include "native/FragmentName.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

const Expr *Recovery::boundValue(const VarDecl *variable, const Binding *binding) const {
  const auto it = binding->values.find(variable);
  return it == binding->values.end() ? nullptr : it->second;
}

const Expr *Recovery::kernelExpression(const Expr *expr, const Binding *&binding) const {
  for (int steps = 0; binding && steps < 32; ++steps) {
    expr = stripped(expr);
    if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr)) {
      expr = cast->getSubExpr();
    } else if (const auto *call = dyn_cast<CallExpr>(expr);
               call && cudaName(call->getDirectCallee()) == "__cvta_generic_to_shared") {
      expr = call->getArg(0);
    } else if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      if (!variable)
        return nullptr;
      if (const Expr *value = boundValue(variable, binding)) {
        expr = value;
        binding = binding->outer;
      } else if (variable->getInit() && !isa<ParmVarDecl>(variable)) {
        expr = variable->getInit();
      } else {
        return nullptr;
      }
    } else {
      return nullptr;
    }
  }
  return expr;
}

Index Recovery::indexOf(const Expr *expr, const Binding *binding) {
  Index index;
  Expr::EvalResult value;
  if (!expr->isValueDependent() && expr->EvaluateAsInt(value, context_))
    index.literal = value.Val.getInt().getExtValue();
  const Binding *where = binding;
  const Expr *own = binding && !index.literal ? kernelExpression(expr, where) : expr;
  if (own && !where)
    expr = own;
  if (!index.literal && sampler_.dependsOnThread(expr) && !sameForWave(expr))
    partingIndex_ = expr;
  if (!index.literal) {
    scaled(expr, index);
    index.turns = own && !where ? turnsOf({expr}) : allTurns();
  }
  index.text = index.literal && binding ? std::to_string(*index.literal) : texts_.spelled(expr);
  return index;
}

std::set<std::string> Recovery::allTurns() const {
  std::set<std::string> names;
  for (const Loop &loop : loops_)
    names.insert(loop.variable);
  return names;
}

std::set<std::string> Recovery::turnsOf(llvm::ArrayRef<const Expr *> values) {
  Inputs inputs;
  for (const Expr *value : values)
    inputs.TraverseStmt(const_cast<Expr *>(value));
  return inputs.readsMemory ? allTurns() : turnsOf(inputs.found);
}

std::set<std::string> Recovery::turnsOf(const std::vector<const VarDecl *> &variables) {
  std::set<std::string> names;
  for (const Loop &loop : loops_)
    if (llvm::any_of(variables, [&](const VarDecl *v) {
          return loop.isCountedBy(v->getNameAsString()) ||
                 (!isCounter(*v) && variesIn(*v, loop, 0));
        }))
      names.insert(loop.variable);
  return names;
}

bool Recovery::scaled(const Expr *expr, Index &index) const {
  expr = stripped(expr);
  Expr::EvalResult value;
  if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
    index.variable = name->getDecl()->getNameAsString();
    index.scale = 1;
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (variable)
      index.type = parameterType(*variable);
    return variable;
  }
  const auto *op = dyn_cast<BinaryOperator>(expr);
  if (op && takeDigit(op, loops_, context_, index))
    return true;
  if (!op || (op->getOpcode() != BO_Mul && op->getOpcode() != BO_Add))
    return false;
  const Expr *left = op->getLHS(), *right = op->getRHS();
  if (left->isValueDependent() || right->isValueDependent())
    return false;
  if (left->EvaluateAsInt(value, context_))
    std::swap(left, right);
  else if (!right->EvaluateAsInt(value, context_))
    return false;
  const int64_t constant = value.Val.getInt().getExtValue();
  if (!scaled(left, index)) {
    index.variable.clear();
    return false;
  }
  if (op->getOpcode() == BO_Mul) {
    index.scale *= constant;
    index.offset *= constant;
  } else {
    index.offset += constant;
  }
  return true;
}

Index Recovery::sum(const Index &a, const Index &b) {
  if (a.literal && *a.literal == 0)
    return b;
  if (b.literal && *b.literal == 0)
    return a;
  Index index;
  if (a.literal && b.literal) {
    index.literal = *a.literal + *b.literal;
    index.text = std::to_string(*index.literal);
  } else {
    index = a.literal ? b : a;
    index.offset += a.literal ? *a.literal : b.literal ? *b.literal : 0;
    if (!a.literal && !b.literal)
      index.variable.clear();
    index.text = a.text + " + " + b.text;
  }
  return index;
}

// The value that a function does nothing but return.
static const Expr *onlyValueOf(const CallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  const auto *body = definition ? dyn_cast_or_null<CompoundStmt>(definition->getBody()) : nullptr;
  const auto *leave = body && body->size() == 1 ? dyn_cast<ReturnStmt>(body->body_back()) : nullptr;
  return leave ? leave->getRetValue() : nullptr;
}

// What member number `number` of a struct is made with, where that is clear: {a, b}, or
// f(a, b) that returns {a, b}.
static const Expr *madeWith(const Expr &value, unsigned number) {
  const Expr *made = throughCopies(&value);
  if (const auto *cast = dyn_cast<CXXFunctionalCastExpr>(made)) // Product{a, b}
    made = throughCopies(cast->getSubExpr());
  if (const auto *list = dyn_cast<InitListExpr>(made))
    return number < list->getNumInits() ? list->getInit(number) : nullptr;
  const auto *call = dyn_cast<CallExpr>(made);
  const Expr *returned = call ? onlyValueOf(*call) : nullptr;
  const Expr *member = returned ? madeWith(*returned, number) : nullptr;
  const VarDecl *parameter = member ? variableNamed(throughCopies(member)) : nullptr;
  const auto *callee = call ? call->getDirectCallee()->getDefinition() : nullptr;
  if (!parameter || isa<CXXMethodDecl>(callee))
    return nullptr;
  const auto at = llvm::find(callee->parameters(), parameter);
  const auto index = static_cast<unsigned>(at - callee->param_begin());
  return index < call->getNumArgs() ? call->getArg(index) : nullptr;
}

// mma(c, a, make_uint2(b.x, b.y)): what the parameter's .y is at the call. c += a * b, where the
// product is a struct of both: what its .a is.
const Expr *Recovery::memberHanded(const MemberExpr &member, const Binding &binding) {
  const auto *name = dyn_cast<DeclRefExpr>(stripped(member.getBase()));
  const auto *parameter = name ? dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr;
  const Expr *value = parameter && sampler_.changesOf(parameter).empty()
                          ? boundValue(parameter, &binding)
                          : nullptr;
  if (!value)
    return nullptr;
  const unsigned number = numberOf(*cast<FieldDecl>(member.getMemberDecl()));
  const auto vector = vectorOf(value->getType(), context_);
  const auto *call = vector ? dyn_cast<CallExpr>(throughCopies(value)) : nullptr;
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const bool isMaker = callee && callee->getIdentifier() && isOfCuda(*callee) &&
                       callee->getName().starts_with("make_") &&
                       call->getNumArgs() == static_cast<unsigned>(vector->count);
  if (isMaker)
    return call->getArg(number);
  const auto *record = value->getType()->getAsCXXRecordDecl();
  return record && record->hasDefinition() && record->getNumBases() == 0 && !record->isUnion()
             ? madeWith(*value, number)
             : nullptr;
}

std::optional<Recovery::Path> Recovery::pathOf(const Expr *expr, const Binding *binding,
                                               bool isAddress) {
  expr = throughCopies(expr);
  if (isa<CXXThisExpr>(expr)) {
    if (binding)
      return binding->self ? pathOf(binding->self, binding->outer, true) : std::nullopt;
    const auto object = handedTo(nullptr);
    return object ? std::optional(pathOfView(*object, "(*this)")) : std::nullopt;
  }
  if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (!variable)
      return std::nullopt;
    if (binding && isOutside(*variable)) // what a lambda captures
      return pathOf(expr, nullptr, isAddress);
    if (binding) {
      // What is written to a copy is lost.
      if (isa<ParmVarDecl>(variable) && variable->getType()->isRecordType() &&
          variable != binding->returned && !sampler_.changesOf(variable).empty())
        return std::nullopt;
      if (const Expr *value = boundValue(variable, binding))
        return pathOf(value, binding->outer, isAddress || variable->getType()->isPointerType());
      if (variable == binding->returned && variable->getInit()) // float4 d = c;
        return pathOf(variable->getInit(), binding, isAddress);
      if (variable->getInit() && !isa<ParmVarDecl>(variable) &&
          (variable->getType()->isPointerType() || variable->getType()->isReferenceType()))
        return pathOf(variable->getInit(), binding, variable->getType()->isPointerType());
      if (variable->getInit() && !isa<ParmVarDecl>(variable) && isCopyOfWord(*variable))
        return pathOf(variable->getInit(), binding, isAddress);
      return std::nullopt;
    }
    if (const auto view = viewOf(*variable)) {
      if (seesRows_ && isRowStill(*variable))
        return pathOf(variable->getInit(), nullptr, true);
      Path path = pathOfView(*view, variable->getNameAsString());
      if (!isa<ParmVarDecl>(variable)) {
        const std::set<std::string> turns = turnsOf(std::vector<const VarDecl *>{variable});
        path.turns.insert(turns.begin(), turns.end());
      }
      return path;
    }
    if (const Expr *place = placeNamed(*variable)) { // float *c = acc[j];
      auto path = pathOf(place, nullptr, variable->getType()->isPointerType());
      if (path)
        forgetPlace(*variable);
      return path;
    }
    if (!variable->isLocalVarDecl() || !variable->hasLocalStorage())
      return std::nullopt; // not in registers
    return Path{variable, {}, "", "", "", {}};
  }
  if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
    auto path = pathOf(access->getBase(), binding, true);
    if (!path)
      return std::nullopt;
    const Index index = indexOf(access->getIdx(), binding);
    if (pointsInto_) {
      const bool isOne = path->indices.empty() || path->indices.back().isMember;
      if (isOne && index.literal != 0)
        return std::nullopt;
      if (!isOne)
        path->indices.back() = sum(path->indices.back(), index);
      pointsInto_ = false;
    } else {
      path->indices.push_back(index);
    }
    return path;
  }
  if (const Expr *word = wordSeenAs(*expr))
    return pathOf(word, binding, isAddress);
  if (const auto *member = dyn_cast<MemberExpr>(expr);
      member && isa<FieldDecl>(member->getMemberDecl()) && !pointsInto_) {
    if (const Expr *value = binding ? memberHanded(*member, *binding) : nullptr)
      return pathOf(value, binding->outer, isAddress);
    auto path = pathOf(member->getBase(), binding, member->isArrow());
    if (!path || (pointsInto_ && !member->isArrow()))
      return std::nullopt;
    pointsInto_ = false; // (&f[i])->x
    Index index;
    index.text = "." + member->getMemberDecl()->getNameAsString();
    index.isMember = true;
    path->indices.push_back(index);
    return path;
  }
  if (const Expr *object = objectSeenAsWords(*expr)) {
    auto path = pathOf(object, binding, object->getType()->isPointerType());
    if (path && !wordsOf(*object, *path))
      return std::nullopt;
    pointsInto_ = false;
    return path;
  }
  // The same words by another type: (int *)tile.x.
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr);
      cast && (cast->getCastKind() == CK_BitCast || cast->getCastKind() == CK_NoOp) &&
      cast->getType()->isPointerType()) {
    const QualType from = cast->getSubExpr()->getType();
    return from->isPointerType() && isRegister(from->getPointeeType()) &&
                   isRegister(cast->getType()->getPointeeType())
               ? pathOf(cast->getSubExpr(), binding, isAddress)
               : std::nullopt;
  }
  if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_AddrOf) {
    auto path = pathOf(op->getSubExpr(), binding, false);
    if (!path || (path->indices.empty() && !op->getSubExpr()->getType()->isRecordType()))
      return std::nullopt;
    pointsInto_ = true;
    return path;
  }
  if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_Deref) {
    auto path = pathOf(op->getSubExpr(), binding, true);
    if (!path || !pointsInto_)
      return std::nullopt;
    pointsInto_ = false; // *&f[i]
    return path;
  }
  return std::nullopt;
}

// const uint32_t b0 = *(const uint32_t *)&low; of a wrapper: it is what it was made, a register.
bool Recovery::isCopyOfWord(const VarDecl &variable) {
  return isRegister(variable.getType()) && isRegister(stripped(variable.getInit())->getType()) &&
         isStillInWrapper(variable);
}

bool Recovery::isStillInWrapper(const VarDecl &variable) {
  return sampler_.changesOf(&variable).empty() && !sampler_.changesUnseen(&variable);
}

// (unsigned *)&frag: the object's own words, from its first.
const Expr *Recovery::objectSeenAsWords(const Expr &expr) const {
  const auto *cast = dyn_cast<ExplicitCastExpr>(&expr);
  const bool isOfWords = cast && cast->getCastKind() == CK_BitCast &&
                         cast->getType()->isPointerType() &&
                         isRegister(cast->getType()->getPointeeType());
  const Expr *from = isOfWords ? stripped(cast->getSubExpr()) : nullptr;
  const auto *address = from ? dyn_cast<UnaryOperator>(from) : nullptr;
  if (!address || address->getOpcode() != UO_AddrOf)
    return nullptr;
  const Expr *object = address->getSubExpr()->IgnoreParens();
  return object->getType()->isRecordType() && !isRegister(object->getType()) ? object : nullptr;
}

// The path becomes that of the words: a vector's members, or the one array that the struct is.
bool Recovery::wordsOf(const Expr &object, Path &path) const {
  if (vectorOf(object.getType(), context_))
    return true;
  const auto *record = object.getType()->getAsCXXRecordDecl();
  const bool isOne = record && record->hasDefinition() && !record->isUnion() &&
                     record->getNumBases() == 0 && !record->field_empty() &&
                     std::next(record->field_begin()) == record->field_end();
  const FieldDecl *field = isOne ? *record->field_begin() : nullptr;
  const auto *array = field ? context_.getAsConstantArrayType(field->getType()) : nullptr;
  if (!array || !isRegister(array->getElementType()))
    return false;
  Index index;
  index.text = "." + field->getNameAsString();
  index.isMember = true;
  path.indices.push_back(index);
  return true;
}

// float *d = acc[i][j]: at the site i and j are what they were.
bool Recovery::isRowStill(const VarDecl &name) { return !isa<ParmVarDecl>(name) && isStill(name); }

// Some of it, not only its place: p.data, but neither acc.v[j] nor &acc.
static bool isReadIn(const Expr &value, const VarDecl &object) {
  class Reads : public DynamicRecursiveASTVisitor {
  public:
    explicit Reads(const VarDecl &object) : object_(object) {}
    bool VisitCastExpr(CastExpr *cast) override {
      const Expr *from = cast->getCastKind() == CK_LValueToRValue ? cast->getSubExpr() : nullptr;
      for (; from; from = nextIn(*from))
        if (const auto *name = dyn_cast<DeclRefExpr>(from); name && name->getDecl() == &object_)
          return !(any = true);
      return true;
    }
    bool VisitCallExpr(CallExpr *) override { return !(any = true); }
    bool any = false;

  private:
    static const Expr *nextIn(const Expr &place) {
      if (const auto *access = dyn_cast<ArraySubscriptExpr>(&place))
        return access->getBase();
      if (const auto *member = dyn_cast<MemberExpr>(&place))
        return member->getBase();
      if (const auto *op = dyn_cast<UnaryOperator>(&place))
        return op->getSubExpr();
      if (const auto *paren = dyn_cast<ParenExpr>(&place))
        return paren->getSubExpr();
      const auto *cast = dyn_cast<CastExpr>(&place);
      return cast ? cast->getSubExpr() : nullptr;
    }
    const VarDecl &object_;
  };
  Reads reads(object);
  reads.TraverseStmt(const_cast<Expr *>(&value));
  return reads.any;
}

// Of arrays and structs it takes the address.
bool Recovery::isStill(const VarDecl &name) {
  const auto made = texts_.statement(name.getSourceRange());
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(name.getInit()));
  return made && !inputs.readsMemory && llvm::all_of(inputs.found, [&](const VarDecl *input) {
           const QualType type = input->getType().getNonReferenceType();
           const bool isPlace =
               type->isArrayType() || (type->isRecordType() && !isReadIn(*name.getInit(), *input));
           return (isPlace || !changesAfter(*input, *made)) && !hasNamesakeBehind(*input, *made);
         });
}

const Expr *Recovery::placeNamed(const VarDecl &name) {
  const QualType type = name.getType();
  const bool isOwn = (type->isPointerType() || type->isReferenceType()) && name.isLocalVarDecl() &&
                     name.hasLocalStorage() && name.getInit() && isOfKernel(&name);
  return isOwn && !sampler_.changes(&name) && !sampler_.changesUnseen(&name) && !viewOf(name) &&
                 isStill(name)
             ? name.getInit()
             : nullptr;
}

// What its declaration names is no use of it: the sites say so themselves.
void Recovery::forgetPlace(const VarDecl &place) {
  class Names : public DynamicRecursiveASTVisitor {
  public:
    explicit Names(llvm::DenseSet<const Expr *> &names) : names_(names) {}
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      if (name->getType()->isArrayType() || name->getType()->isPointerType() ||
          name->getType()->isRecordType())
        names_.insert(name);
      return true;
    }
    bool VisitCXXThisExpr(CXXThisExpr *self) override { return names_.insert(self).second; }

  private:
    llvm::DenseSet<const Expr *> &names_;
  };
  places_.insert(&place);
  Names(handedNames_).TraverseStmt(const_cast<Expr *>(place.getInit()));
}

void Recovery::checkPlaces(size_t first) {
  llvm::DenseSet<const DeclRefExpr *> inSites;
  Mentions ofSites([&](const DeclRefExpr &name) { inSites.insert(&name); });
  for (const Stmt *site : sites_)
    ofSites.TraverseStmt(const_cast<Stmt *>(site));
  const auto isGathered = [&](const DeclRefExpr &name) { // what fills by element is a site, too
    const auto range = texts_.range(name.getSourceRange());
    return range && llvm::any_of(out_.loads, [&](const LoadSite &load) {
             return load.isGathered() && (load.range.contains(*range) ||
                                          llvm::any_of(load.removed, [&](const TextRange &removed) {
                                            return removed.contains(*range);
                                          }));
           });
  };
  for (const VarDecl *place : llvm::ArrayRef(places_.getArrayRef()).drop_front(first)) {
    Mentions all([&](const DeclRefExpr &name) {
      if (name.getDecl() == place && !inSites.contains(&name) && !isGathered(name))
        refuse("'" + place->getNameAsString() +
                   "', which points into a fragment, is used by other code, too",
               name.getSourceRange());
    });
    all.TraverseStmt(cast<FunctionDecl>(place->getDeclContext())->getBody());
    const auto *declaration = dyn_cast_or_null<DeclStmt>(parentOf(DynTypedNode::create(*place)));
    const auto isPlace = [&](const Decl *decl) {
      return places_.contains(dyn_cast<VarDecl>(decl));
    };
    if (declaration && place == *declaration->decl_begin() &&
        llvm::all_of(declaration->decls(), isPlace))
      llvm::append_range(out_.needless, linesOf({declaration}));
  }
}

// Declared between there and the site.
bool Recovery::hasNamesakeBehind(const VarDecl &variable, const TextRange &made) const {
  Inputs inputs;
  inputs.TraverseStmt((function_ ? function_ : &kernel_)->getBody());
  return llvm::any_of(inputs.found, [&](const VarDecl *other) {
    const auto at = texts_.statement(SourceRange(other->getLocation(), other->getLocation()));
    return other != &variable && other->getDeclName() == variable.getDeclName() &&
           (!at || (at->begin >= made.end && at->begin < siteRange_.begin));
  });
}

// unsigned bits(const half2 &h) { return *(const unsigned *)&h; }: of bits(x), x.
const Expr *Recovery::wordGiven(const CallExpr &call) const {
  const Expr *value = onlyValueOf(call), *word = value ? wordSeenAs(*stripped(value)) : nullptr;
  const VarDecl *parameter = word ? variableNamed(word) : nullptr;
  const FunctionDecl *callee = parameter ? call.getDirectCallee()->getDefinition() : nullptr;
  if (!callee || isa<CXXMethodDecl>(callee) || call.getNumArgs() != 1 ||
      callee->getNumParams() != 1 || callee->getParamDecl(0) != parameter)
    return nullptr;
  const Expr *given = stripped(throughCopies(call.getArg(0)));
  return isRegister(given->getType()) && isRegister(call.getType()) ? given : nullptr;
}

// The same 32 bits by another type: (unsigned &)x, *(unsigned *)&x, x.u of a union of words.
const Expr *Recovery::wordSeenAs(const Expr &expr) const {
  if (const auto *call = dyn_cast<CallExpr>(&expr))
    return wordGiven(*call);
  const auto *cast = dyn_cast<ExplicitCastExpr>(&expr);
  const Expr *word = nullptr;
  if (cast && cast->getCastKind() == CK_LValueBitCast)
    word = cast->getSubExpr();
  if (const auto *member = dyn_cast<MemberExpr>(&expr);
      member && !member->isArrow() && isa<FieldDecl>(member->getMemberDecl()) &&
      !llvm::cast<FieldDecl>(member->getMemberDecl())->isBitField() &&
      member->getBase()->getType()->isUnionType())
    word = member->getBase();
  const auto *read = dyn_cast<UnaryOperator>(&expr);
  cast = read && read->getOpcode() == UO_Deref
             ? dyn_cast<ExplicitCastExpr>(stripped(read->getSubExpr()))
             : nullptr;
  const auto *address = cast ? dyn_cast<UnaryOperator>(stripped(cast->getSubExpr())) : nullptr;
  if (address && address->getOpcode() == UO_AddrOf)
    word = address->getSubExpr();
  return word && isRegister(word->getType()) && isRegister(expr.getType()) ? stripped(word)
                                                                           : nullptr;
}

// 32 bits: a number, or two halves.
bool Recovery::isRegister(QualType type) const {
  if (type->isDependentType() || type->isIncompleteType() || context_.getTypeSize(type) != 32)
    return false;
  return type->isScalarType() || (type->isRecordType() && type.isTriviallyCopyableType(context_));
}

bool Recovery::isOutside(const VarDecl &variable) const {
  const DeclContext *context = variable.getDeclContext();
  return variable.isLocalVarDecl() && (context == &kernel_ || context == function_);
}

Recovery::Path Recovery::pathOfView(const View &view, const std::string &name) {
  Path path{view.variable, {}, "", "", name, view.turns};
  path.indices.assign(view.depth, hiddenIndex());
  if (view.part) {
    Index member;
    member.text = "." + view.part->getNameAsString();
    member.isMember = member.isNamed = true;
    path.indices.push_back(member);
    path.indices.insert(path.indices.end(), view.depthInPart, hiddenIndex());
  }
  return path;
}

std::optional<Recovery::View> Recovery::handedTo(const VarDecl *variable) const {
  const auto *parameter = dyn_cast_or_null<ParmVarDecl>(variable);
  const auto known =
      (parameter || !variable) && function_ ? frames_.find(function_) : frames_.end();
  if (known == frames_.end())
    return std::nullopt;
  const auto frame =
      llvm::find_if(known->second, [&](const Frame &f) { return f.number == frame_; });
  if (frame == known->second.end())
    return std::nullopt;
  const auto found = frame->views.find(parameter);
  return found == frame->views.end() ? std::nullopt : std::optional(found->second);
}

Index Recovery::hiddenIndex() {
  Index index;
  index.isMember = true;
  return index;
}

Index Recovery::literalIndex(int64_t value) {
  Index index;
  index.text = std::to_string(value);
  index.literal = value;
  return index;
}

const FieldDecl *Recovery::fieldOf(QualType type, StringRef name) {
  const auto *record = type->getAsCXXRecordDecl();
  if (record && record->hasDefinition())
    for (const FieldDecl *field : record->fields())
      if (field->getName() == name)
        return field;
  return nullptr;
}

bool Recovery::isFreeInMethod(const FieldDecl &member) const {
  Inputs inputs;
  inputs.TraverseStmt(function_->getBody());
  return llvm::none_of(inputs.found,
                       [&](const VarDecl *v) { return v->getName() == member.getName(); });
}

std::vector<std::string> Recovery::extentTextsOf(const DeclaratorDecl &variable) const {
  std::vector<std::string> texts;
  const TypeSourceInfo *info = variable.getTypeSourceInfo();
  if (!info)
    return texts;
  for (TypeLoc loc = info->getTypeLoc();;) {
    const auto array = loc.getAsAdjusted<ArrayTypeLoc>();
    if (!array || !array.getSizeExpr())
      return texts;
    texts.push_back(texts_.spelled(array.getSizeExpr()));
    loc = array.getElementLoc();
  }
}

// Instances of one template have one text, and their variables are one fragment.
void Recovery::noteRoot(uint64_t fragment, const Root &root) {
  const auto [known, isNew] = roots_.try_emplace(fragment, root);
  const VarDecl *first = known->second.variable;
  if (!isNew && !context_.hasSameType(first->getType(), root.variable->getType()))
    refuse("'" + first->getNameAsString() + "' is another type in another instance of its function",
           root.variable->getSourceRange());
  known->second = root;
}

std::optional<Slot> Recovery::slotOf(const Expr *expr, const Binding *binding, int position) {
  pointsInto_ = false;
  const auto path = pathOf(expr, binding, false);
  if (const Expr *word = path && !pointsInto_ ? bundledWord(*path) : nullptr)
    return slotOf(word, nullptr, position);
  if (path && !pointsInto_)
    if (auto slot = slotAt(path, position))
      return slot;
  return flatSlot(expr, binding);
}

std::optional<Slot> Recovery::flatSlot(const Expr *expr, const Binding *binding) {
  llvm::SmallVector<const VarDecl *, 2> places;
  const MeaningOf meaningOf = [&](const VarDecl *variable, const void *scope) {
    const auto *inner = static_cast<const Binding *>(scope);
    if (!inner) {
      const Expr *place = placeNamed(*variable);
      if (place)
        places.push_back(variable);
      return Meaning{place, nullptr};
    }
    const bool isCopyChanged = isa<ParmVarDecl>(variable) && variable->getType()->isRecordType() &&
                               !sampler_.changesOf(variable).empty();
    if (const Expr *value = isCopyChanged ? nullptr : boundValue(variable, inner))
      return Meaning{value, inner->outer};
    const bool isMade = !isa<ParmVarDecl>(variable) && variable->getInit() &&
                        (variable->getType()->isPointerType() || isStillInWrapper(*variable));
    return Meaning{isMade ? variable->getInit() : nullptr, scope};
  };
  const RowOf rowOf = [&](const Expr *row) { return flatRow(row); };
  auto flat = flatSlotOf(expr, context_, meaningOf, rowOf, binding, flatOrder_);
  if (!flat || !isOfKernel(flat->root))
    return std::nullopt;
  for (const VarDecl *variable : flat->variables)
    if (sampler_.dependsOnThread(variable))
      return std::nullopt;
  for (const VarDecl *variable : flat->notNegative)
    if (llvm::none_of(loops_, [&](const Loop &loop) {
          return loop.variable == variable->getName() && loop.first && *loop.first >= 0 &&
                 loop.step && *loop.step > 0;
        }))
      return std::nullopt;
  for (const VarDecl *variable : flat->belowTwo)
    if (llvm::none_of(loops_, [&](const Loop &loop) {
          return loop.variable == variable->getName() && loop.first && *loop.first >= 0 &&
                 loop.last && *loop.last <= 2 && loop.step && *loop.step > 0;
        }))
      return std::nullopt;
  for (const auto &[variable, by] : flat->digits)
    if (const Loop *loop = loopCountedBy(loops_, *variable); !loop || loop->digitsBy != by)
      return std::nullopt;
  const std::set<std::string> turns = turnsOf(flat->variables);
  flat->slot.turns.insert(turns.begin(), turns.end());
  if (flat->slot.belowFirst) {
    Slot below = *flat->slot.belowFirst;
    below.turns.insert(turns.begin(), turns.end());
    flat->slot.belowFirst = std::make_shared<const Slot>(below);
  }
  noteRoot(flat->slot.declaration, {flat->root, nullptr});
  for (const VarDecl *place : places)
    forgetPlace(*place);
  if (kernel_.isTemplateInstantiation() && flat->hasNames)
    nameNumbers(*flat);
  return flat->slot;
}

static int64_t valueOf(const IntegerLiteral &literal) {
  return static_cast<int64_t>(literal.getValue().getLimitedValue(INT32_MAX));
}

// The number of `x + 4`, `x * 4`.
static std::optional<int64_t> behindLiteral(const Expr &expr, BinaryOperatorKind opcode) {
  const auto *op = dyn_cast<BinaryOperator>(&expr);
  const auto *literal =
      op && op->getOpcode() == opcode ? dyn_cast<IntegerLiteral>(stripped(op->getRHS())) : nullptr;
  return literal ? std::optional(valueOf(*literal)) : std::nullopt;
}

// In words, as the author counts them: acc + i * (N / 16) * 8 is another tile in each instance.
void Recovery::nameNumbers(FlatSlot &flat) const {
  const QualType element = context_.getBaseElementType(flat.root->getType());
  const int64_t wordBytes = registerBytes(element, context_);
  const bool areWords =
      llvm::all_of(flat.pieces, [&](const auto &piece) { return piece.second == wordBytes; });
  const std::vector<std::string> extents = extentTextsOf(*flat.root);
  if (!areWords)
    return;
  Slot &slot = flat.slot;
  int terms = 0;
  for (const auto &[piece, bytes] : flat.pieces) {
    const Expr *expr = piece->IgnoreImpCasts();
    for (; behindLiteral(*expr, BO_Add);
         expr = cast<BinaryOperator>(expr)->getLHS()->IgnoreImpCasts())
      slot.flatBegin += *behindLiteral(*expr, BO_Add); // of the registers of a tile
    if (const auto *literal = dyn_cast<IntegerLiteral>(expr)) {
      slot.flatBegin += valueOf(*literal);
      continue;
    }
    const auto *op = dyn_cast<BinaryOperator>(expr);
    const bool isTerm = !op || op->isMultiplicativeOp() || op->isAdditiveOp();
    slot.flatText +=
        (terms++ ? " + " : "") + (isTerm ? texts_.spelled(expr) : "(" + texts_.spelled(expr) + ")");
    if (const auto registers = behindLiteral(*expr, BO_Mul))
      slot.flatTiles = {texts_.spelled(stripped(op->getLHS())), *registers};
  }
  if (terms > 1)
    slot.flatTiles = {};
  const bool isNumber =
      extents.size() == 1 && llvm::all_of(extents[0], [](char c) { return llvm::isDigit(c); });
  if (extents.size() == 1 && !isNumber && wordBytes)
    flat.slot.flatExtent = extents[0];
}

// The parameter that stands for a row, the pointer to one, or X[k] itself.
std::optional<FlatRow> Recovery::flatRow(const Expr *expr) {
  const auto *name = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  const Expr *root = nullptr;
  const auto view = variable ? viewOf(*variable) : name ? std::nullopt : viewIn(*expr, root);
  if (!view || view->part)
    return std::nullopt;
  FlatRow row{view->variable, texts_.spelled(expr), 0, view->depth, view->depth == 0, view->turns};
  QualType type = view->variable->getType();
  for (int i = 0; i < view->depth; ++i)
    type = context_.getAsConstantArrayType(type)->getElementType();
  const auto *array = context_.getAsConstantArrayType(type);
  if (!array || !context_.getBaseElementType(type)->isScalarType())
    return std::nullopt;
  row.bytes = context_.getTypeSizeInChars(type).getQuantity();
  if (!variable || !isa<ParmVarDecl>(variable)) {
    const std::set<std::string> turns = turnsOf({expr});
    row.turns.insert(turns.begin(), turns.end());
  }
  return row;
}

void Recovery::checkIndices(SourceRange at) {
  if (partingIndex_)
    refuse("a fragment is chosen by a value of the thread: " + texts_.spelled(partingIndex_), at);
}

// The text of a wrapper's call names what only its class may:
//
//   acc[j].mma(a, b);   ──▶   mma_wave(acc[j].v_, ..)      class { private: float v_[4]; }
//   tile.load(a, row);  ──▶   load_a(a, [&](..) { return tile.address(row + lane % 16); })
void Recovery::open(const ValueDecl &member) {
  const auto *record = cast<CXXRecordDecl>(member.getDeclContext());
  const auto own = texts_.statement(record->getSourceRange());
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(function_);
  if (member.getAccess() == AS_public || (own && own->contains(siteRange_)) ||
      (method && method->getParent() == record))
    return;
  const AccessSpecDecl *specifier = nullptr;
  for (const Decl *decl : record->decls()) {
    if (const auto *access = dyn_cast<AccessSpecDecl>(decl))
      specifier = access;
    if (decl == &member)
      break;
  }
  const SourceLocation brace = record->getBraceRange().getBegin();
  auto place = texts_.statement(specifier ? specifier->getSourceRange() : SourceRange(brace));
  if (!place)
    return; // it will not compile, and becomes bridged
  if (!specifier)
    place->begin = place->end;
  if (llvm::none_of(out_.opened, [&](const TextRange &known) {
        return known.file == place->file && known.begin == place->begin;
      }))
    out_.opened.push_back(*place);
}

static std::optional<Vector> wholeVectorOf(QualType type, const ASTContext &context) {
  const auto vector = vectorOf(type, context);
  return vector ? vector : vectorsOf(type, context);
}

// sum[i].top.y, of struct { float2 top, bottom; }, is word 1 of sum[i]; `type`: of sum.
static std::optional<int64_t> wordOfVectors(llvm::ArrayRef<Index> indices, QualType type,
                                            const ASTContext &context) {
  int64_t bits = 0;
  bool isOfVectors = false;
  for (size_t i = 0; i < indices.size(); ++i) {
    const bool isLast = i + 2 >= indices.size(); // the vector, its member
    isOfVectors |= i + 2 == indices.size() && vectorsOf(type, context);
    if (const auto *array = isLast ? nullptr : context.getAsConstantArrayType(type)) {
      type = array->getElementType();
      continue;
    }
    const bool isMember = indices[i].isMember && !indices[i].text.empty();
    const CXXRecordDecl *record = isMember ? type->getAsCXXRecordDecl() : nullptr;
    const FieldDecl *member = nullptr;
    for (const FieldDecl *field :
         record && record->hasDefinition() ? record->fields() : RecordDecl::field_range({}, {}))
      member = field->getName() == StringRef(indices[i].text).drop_front() ? field : member;
    if (!member)
      return std::nullopt;
    bits += isLast ? static_cast<int64_t>(context.getFieldOffset(member)) : 0;
    type = member->getType();
  }
  return isOfVectors ? std::optional(bits / static_cast<int64_t>(context.getTypeSize(type)))
                     : std::nullopt;
}

std::optional<Slot> Recovery::slotAt(const std::optional<Path> &path, int position) {
  if (path->root->getType()->isReferenceType() || path->root->getType()->isPointerType())
    return std::nullopt;
  Slot slot;
  slot.variable = path->name.empty() ? path->root->getNameAsString() : path->name;
  std::vector<Index> indices = path->indices;
  const DeclaratorDecl *fragment = path->root;
  const FieldDecl *part = nullptr;
  const auto member = llvm::find_if(
      indices, [](const Index &index) { return index.isMember && !isHiddenIndex(index); });
  const QualType whole = path->root->getType();
  if (member != indices.end() && hasParts(whole, context_)) {
    part = fieldOf(context_.getBaseElementType(whole), member->text.substr(1));
    if (!part)
      return std::nullopt;
    if (!member->isNamed)
      open(*part);
  }
  if (part && member == indices.begin()) {
    fragment = part;
    slot.variable = member->isNamed ? slot.variable
                    : slot.variable == "(*this)" && isFreeInMethod(*part)
                        ? part->getNameAsString()
                        : slot.variable + indices.front().text;
    indices.erase(indices.begin());
  }
  slot.declaration = fragmentOf(*path->root, part);
  noteRoot(slot.declaration, {path->root, part});
  std::vector<int64_t> extents;
  // The kernel does not know the names of a class template's parameters.
  const bool isNamed = !part || !isa<ClassTemplateSpecializationDecl>(part->getParent());
  std::vector<std::string> extentTexts;
  if (isNamed)
    extentTexts = extentTextsOf(*fragment);
  QualType type = fragment->getType(), tile;
  if (const auto word = wordOfVectors(indices, type, context_)) {
    indices.pop_back();
    indices.back() = literalIndex(*word);
  }
  slot.isOfRow = llvm::any_of(indices, isHiddenIndex);
  for (const Index &index : indices) {
    tile = type;
    if (index.isMember && !isHiddenIndex(index)) {
      const FieldDecl *field = fieldOf(type, index.text.substr(1));
      if (!field)
        return std::nullopt;
      if (!index.isNamed)
        open(*field);
      type = field->getType();
      extents.push_back(0);
      continue;
    }
    if (const auto vector = index.literal ? wholeVectorOf(type, context_) : std::nullopt) {
      extents.push_back(0); // ((float *)&v)[2]
      type = vector->element;
      continue;
    }
    const auto *array = context_.getAsConstantArrayType(type);
    if (!array)
      return std::nullopt;
    extents.push_back(static_cast<int64_t>(array->getSize().getZExtValue()));
    type = array->getElementType();
  }
  if (!type->isScalarType() && !isRegister(type))
    return std::nullopt;
  if (indices.empty()) {
    slot.isScalar = true;
    slot.reg = position;
    slot.text = slot.tileText = slot.variable;
    return slot;
  }
  Index last = indices.back();
  if (isHiddenIndex(last))
    return std::nullopt;
  if (const auto vector =
          last.isMember || last.literal ? wholeVectorOf(tile, context_) : std::nullopt) {
    if (last.isMember)
      last = literalIndex(numberOf(*fieldOf(tile, last.text.substr(1))));
    if (*last.literal >= vector->count)
      return std::nullopt;
    slot.vectorType = vector->element.getAsString(context_.getPrintingPolicy());
    extents.back() = vector->count;
  }
  if (!last.literal)
    return std::nullopt;
  indices.pop_back();
  // A pointer to one tile that runs on into the next: [d][2 + r] is [d + 1][r].
  if (*last.literal >= extents.back() && !indices.empty() && !indices.back().isMember) {
    const int64_t carry = *last.literal / extents.back();
    indices.back() = sum(indices.back(), literalIndex(carry));
    last.literal = *last.literal % extents.back();
  }
  slot.reg = static_cast<int>(*last.literal);
  slot.tile = indices;
  slot.turns = path->turns;
  slot.turnsByName = !path->turns.empty();
  for (const Index &index : indices)
    slot.turns.insert(index.turns.begin(), index.turns.end());
  slot.tileText = tileTextOf(slot, -1, "");
  slot.text = slot.tileText + "[" + std::to_string(slot.reg) + "]";
  if (indices.empty() && slot.vectorType.empty() && registerBytes(type, context_)) {
    slot.flatWords = extents.back();
    slot.flatOffset = slot.reg;
    slot.flatType =
        type.getCanonicalType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
  }
  extents.pop_back();
  extentTexts.resize(extents.size());
  for (size_t i = 0; i < extents.size(); ++i)
    if (extentTexts[i].empty())
      extentTexts[i] = std::to_string(extents[i]);
  slot.extents = std::move(extents);
  slot.extentTexts = std::move(extentTexts);
  return slot;
}

} // namespace layout_port::native
