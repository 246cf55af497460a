// Pointers and references to a tile's registers, that the epilogue declares itself. Which registers
// they lead to is known where they are declared, and they lead nowhere else later; so what is named
// through them is named by the tile:
//
//   float (&c)[4] = acc[i][j];            c[2]   is  acc[i][j][2]
//   const float *c = &acc[i][j][2 * h];   c[1]   is  acc[i][j][2 * h + 1]
//   const float4 c = acc[i][j];           c.z    is  acc[i][j].z          (where no tile changes)
//
// Such a declaration goes, and its elements are the row's values v. One that looks at the registers
// as another type stays, and looks at the row's:
//
//   float *f = reinterpret_cast<float *>(acc[i][j]);  ──▶  float *f = reinterpret_cast<float *>(v);
//   *(half2 *)&C[p] = __floats2half2_rn(f[0], f[1]);       *(half2 *)&C[p + 8 * lower * N] = ...
#include "native/EpilogueFinder.h"

#include "native/FragmentName.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

bool isScalar(const Expr &expr) { return expr.getType()->isScalarType(); }
bool isOfScalars(const Expr &array) {
  const auto *type = array.getType()->getAsArrayTypeUnsafe();
  return type && type->getElementType()->isScalarType();
}

// Always the first of two registers of a row.
bool isOfPairs(const LinearIndex &index) {
  return index.constant % 2 == 0 &&
         llvm::all_of(index.terms, [](const auto &term) { return term.second % 2 == 0; });
}

LinearIndex sum(const LinearIndex &a, const LinearIndex &b, int64_t times) {
  LinearIndex out = a;
  out.constant += times * b.constant;
  for (const auto &[variable, factor] : b.terms)
    if ((out.terms[variable] += times * factor) == 0)
      out.terms.erase(variable);
  return out;
}

std::optional<LinearIndex> registerOf(const RegisterAccess &place, const ASTContext &context) {
  if (place.flatRegister)
    return place.flatRegister;
  return place.index && !place.number ? linearIndex(place.index, context) : std::nullopt;
}

} // namespace

// ---- which there are

// The place is what a variable of the kernel's leads to: its names are the tile's. False: it is
// not, and the place is used otherwise.
bool EpilogueFinder::takeView(const Expr &place, const RegisterAccess &leads, const Expr &name) {
  std::optional<View> found = isAccumulator(name) ? viewOf(place) : std::nullopt;
  if (!found)
    return false;
  found->leads = leads;
  const std::string variable = "'" + found->variable->getNameAsString() + "' ";
  if (found->cast && !isCastOfTile(*found))
    return refuse(variable + "leads to registers of '" + in_.texts.spelled(&name) +
                      "' as another type, which is not followed",
                  found->statement->getSourceRange()),
           true;
  if (!leadsThereForGood(*found))
    return refuse(variable + "leads to a tile whose number may change behind",
                  found->statement->getSourceRange()),
           true;
  views_.push_back(*found);
  View &view = views_.back(); // others may come behind it
  for (const DeclRefExpr *mention : mentionsIn(home().getBody()))
    if (mention->getDecl() == view.variable && !followView(view, *mention, name))
      return refuse(variable + "is used in another way than by its registers",
                    mention->getSourceRange()),
             true;
  return true;
}

// float *f = (float *)&place; or c = place + k; in a block: the variable that the place, its
// address or that of an element is given to.
std::optional<EpilogueFinder::View> EpilogueFinder::viewOf(const Expr &place) const {
  View view;
  view.place = view.said = &place;
  const Stmt *at = parentOf(&place);
  for (; isa_and_nonnull<Expr>(at); at = parentOf(at)) {
    const auto *cast = dyn_cast<CastExpr>(at);
    const auto *op = dyn_cast<UnaryOperator>(at);
    const auto *sum = dyn_cast<BinaryOperator>(at);
    if (op && op->getOpcode() == UO_AddrOf && !view.isAddress) {
      view.isAddress = true;
      view.said = op;
    } else if (sum && sum->getOpcode() == BO_Add && isOfScalars(place) && !view.isAddress &&
               !view.cast) {
      view.offsets.push_back(contains(sum->getLHS(), &place) ? sum->getRHS() : sum->getLHS());
      view.said = sum;
    } else if (const auto *explicitly = dyn_cast<ExplicitCastExpr>(at);
               explicitly && cast->getCastKind() == CK_BitCast && !view.cast) {
      view.cast = explicitly;
    } else if (const auto *made = dyn_cast<CXXConstructExpr>(at);
               made && made->getNumArgs() == 1 && made->getConstructor()->isTrivial() &&
               !view.isAddress && !view.cast) {
      view.isCopy = true;
    } else if (!isa<ParenExpr, ExprWithCleanups>(at) &&
               !(cast && (cast->getCastKind() == CK_NoOp ||
                          cast->getCastKind() == CK_ArrayToPointerDecay))) {
      return std::nullopt;
    }
  }
  view.statement = dyn_cast_or_null<DeclStmt>(at);
  if (!view.statement || !isa_and_nonnull<CompoundStmt>(parentOf(view.statement)))
    return std::nullopt;
  for (const Decl *decl : view.statement->decls())
    if (const auto *variable = dyn_cast<VarDecl>(decl);
        variable && variable->getInit() && contains(variable->getInit(), &place))
      view.variable = variable;
  const QualType type = view.variable ? view.variable->getType() : QualType();
  const bool leads =
      view.variable && (view.isCopy ? type.isConstQualified() && vectorOf(type, in_.context)
                                    : type->isPointerType() || type->isReferenceType());
  return leads && view.variable->hasLocalStorage() && !view.variable->isImplicit()
             ? std::optional(view)
             : std::nullopt;
}

// One or more whole registers, from the first of a tile on.
bool EpilogueFinder::isCastOfTile(const View &view) const {
  const auto *array = in_.context.getAsConstantArrayType(view.place->getType());
  const QualType reg = array ? array->getElementType() : view.place->getType();
  const QualType type = view.variable->getType()->getPointeeType();
  const auto first = firstOf(view);
  const auto *accumulator = accumulatorWith(
      [&](const Accumulator &known) { return known.declaration == view.leads.accumulator; });
  const auto bytes = [&](QualType of) { return in_.context.getTypeSizeInChars(of).getQuantity(); };
  return !view.isReference() && !accumulator->flat && reg->isScalarType() && first &&
         first->terms.empty() && first->constant == 0 && !type->isIncompleteType() &&
         !type->isArrayType() && !type.isVolatileQualified() && bytes(type) % bytes(reg) == 0;
}

// The numbers of its tile and register are, behind it, what they were.
bool EpilogueFinder::leadsThereForGood(const View &view) const {
  return llvm::all_of(mentionsIn(view.said), [&](const DeclRefExpr *name) {
    const auto *variable = cast<VarDecl>(name->getDecl());
    return isAccumulator(*name) || viewNamed(*name) || !in_.sampler.changes(variable) ||
           (countsTiles(*variable, *view.place) && in_.sampler.changesOf(variable).size() == 1);
  });
}

// ---- what is named through them

// c[k], *f, or for a reference what stands there.
bool EpilogueFinder::followView(View &view, const DeclRefExpr &name, const Expr &accumulator) {
  view.uses.push_back(&name);
  RegisterAccess access = view.leads;
  if (view.isReference()) {
    follow(name, access, accumulator);
    return true;
  }
  const Stmt *user = &name;
  do
    user = parentOf(user);
  while (isa_and_nonnull<ImplicitCastExpr, ParenExpr>(user));
  const auto *element = dyn_cast_or_null<ArraySubscriptExpr>(user);
  const auto *op = dyn_cast_or_null<UnaryOperator>(user);
  const auto *member = dyn_cast_or_null<MemberExpr>(user); // c->x of a tile
  if (member && member->isArrow() && isa<FieldDecl>(member->getMemberDecl()) && view.isAddress &&
      !view.cast && !isScalar(*view.place)) {
    addMember(*member, view.place->getType(), access);
    follow(*member, access, accumulator);
    return true;
  }
  if (!(element && bare(element->getBase()) == &name) && !(op && op->getOpcode() == UO_Deref))
    return false;
  if (!addIndex(view, element ? element->getIdx() : nullptr, access))
    return false;
  if (view.cast)
    addRegister(*cast<Expr>(user), access, accumulator);
  else
    follow(*cast<Expr>(user), access, accumulator);
  return true;
}

// Element `index` of what a pointer leads to; none: the first.
bool EpilogueFinder::addIndex(const View &view, const Expr *index, RegisterAccess &access) const {
  const auto by = index ? linearIndex(index, in_.context) : LinearIndex();
  const bool isOfArray = !isScalar(*view.place);
  if (isOfArray && view.isAddress && !view.cast) // of a tile: (*c)[k]
    return by && by->terms.empty() && by->constant == 0;
  if (isOfArray && access.index)
    access.tile.push_back(access.index);
  access.index = index;
  if (isOfArray && index && !view.cast && view.offsets.empty())
    return true;
  const auto first = firstOf(view);
  const int64_t registers = view.cast ? registersOf(view) : 1;
  if (!by || !first || (isOfArray && !view.cast && !isOfScalars(*view.place)))
    return false;
  access.flatRegister = sum(*first, *by, registers);
  if (view.cast)
    access.pointer = view.variable->getNameAsString();
  // What is left of the register in the row is said by the index alone.
  return access.flatRegister->terms.empty() || isOfPairs(*first);
}

// The register that it leads to, in its array.
std::optional<LinearIndex> EpilogueFinder::firstOf(const View &view) const {
  if (isScalar(*view.place))
    return registerOf(view.leads, in_.context);
  LinearIndex first;
  for (const Expr *offset : view.offsets) {
    const auto by = linearIndex(offset, in_.context);
    if (!by)
      return std::nullopt;
    first = sum(first, *by, 1);
  }
  return first;
}

// Of the accumulator, in one element of another type.
int64_t EpilogueFinder::registersOf(const View &view) const {
  const auto *array = in_.context.getAsConstantArrayType(view.place->getType());
  const QualType reg = array ? array->getElementType() : view.place->getType();
  return in_.context.getTypeSizeInChars(view.variable->getType()->getPointeeType()) /
         in_.context.getTypeSizeInChars(reg);
}

// In the group's accesses, or for a view that is.
bool EpilogueFinder::isUsed(const View &view, const Group &group) const {
  return llvm::any_of(view.uses, [&](const Expr *use) {
    return llvm::any_of(group.accesses,
                        [&](const RegisterAccess &access) { return contains(access.expr, use); }) ||
           llvm::any_of(views_, [&](const View &other) {
             return contains(other.statement, use) && isUsed(other, group);
           });
  });
}

const EpilogueFinder::View *EpilogueFinder::viewNamed(const DeclRefExpr &name) const {
  const auto known =
      llvm::find_if(views_, [&](const View &view) { return view.variable == name.getDecl(); });
  return known == views_.end() ? nullptr : &*known;
}

// Of an accumulator, or of a view.
bool EpilogueFinder::namesTile(const DeclRefExpr &name) const {
  return viewNamed(name) || mayBeAccumulator(name);
}

// ---- the tile's own names

// acc[i][j] of c, and of *c and c[0] where c leads to a tile as a whole.
const Expr *EpilogueFinder::placeViewed(const Expr &expr) const {
  const auto *name = dyn_cast<DeclRefExpr>(&expr);
  const View *view = name ? viewNamed(*name) : nullptr;
  if (view)
    return view->place;
  const auto *element = dyn_cast<ArraySubscriptExpr>(&expr);
  const auto *op = dyn_cast<UnaryOperator>(&expr);
  const Expr *pointer = element                             ? element->getBase()
                        : op && op->getOpcode() == UO_Deref ? op->getSubExpr()
                                                            : nullptr;
  name = pointer ? dyn_cast<DeclRefExpr>(bare(pointer)) : nullptr;
  view = name ? viewNamed(*name) : nullptr;
  return view && view->isAddress && !isScalar(*view->place) ? view->place : nullptr;
}

// The access without its register: acc[i][j] of acc[i][j][0], and of c[0] where c leads there.
const Expr *EpilogueFinder::tileNamed(const RegisterAccess &access) const {
  const Expr *at = bare(access.expr);
  if (access.call)
    return at;
  for (;;) {
    const auto *name = dyn_cast<DeclRefExpr>(at);
    if (const View *view = name ? viewNamed(*name) : nullptr) { // float &x = acc[i][j][0]
      at = bare(view->place);
      continue;
    }
    const auto *element = dyn_cast<ArraySubscriptExpr>(at);
    const auto *op = dyn_cast<UnaryOperator>(at);
    if (const auto *member = dyn_cast<MemberExpr>(at)) {
      const auto *pointer = dyn_cast<DeclRefExpr>(bare(member->getBase()));
      const View *its = pointer ? viewNamed(*pointer) : nullptr;
      return !access.number ? nullptr : its ? bare(its->place) : bare(member->getBase());
    }
    if (!element && !(op && op->getOpcode() == UO_Deref))
      return nullptr;
    const Expr *base = bare(element ? element->getBase() : op->getSubExpr());
    name = dyn_cast<DeclRefExpr>(base);
    const View *view = name ? viewNamed(*name) : nullptr;
    if (!view || view->isReference())
      return element ? base : nullptr;
    at = bare(view->place);
    if (!isScalar(*at))
      return at;
  }
}

// ---- their text

bool EpilogueFinder::writeViews(const Group &group, RowMerger &merger, EpilogueBody &body) {
  const auto changes = [&](const Group &any) { return !any.isRow && changesElements(any); };
  for (const View &view : views_) {
    if (view.isCopy && llvm::any_of(groups_, changes))
      return refuse("'" + view.variable->getNameAsString() + "' is a copy of a tile that changes",
                    view.statement->getSourceRange());
    const bool isInside = isWithin(view.statement, group.stmts), used = isUsed(view, group);
    const bool isNew = (isInside || used) && writtenViews_.insert(view.statement).second;
    if (isInside)
      merger.setAside(view.statement);
    if (view.cast && used) {
      const auto range = in_.texts.range(view.said->getSourceRange());
      if (!range || !isInside)
        return refuse("'" + view.variable->getNameAsString() +
                          "' is declared outside of the statements that hand its tile on",
                      view.statement->getSourceRange());
      const auto access = llvm::find_if(group.accesses, [&](const RegisterAccess &each) {
        return contains(each.expr, view.uses.front());
      });
      const std::string &value = out_.valueNames[static_cast<size_t>(access->which)];
      body.edits.push_back({*range, in_.isPacked ? "&" + value : value});
      body.changes |= !in_.isPacked && isa<CXXNamedCastExpr>(view.cast) &&
                      !view.cast->getType()->getPointeeType().isConstQualified();
    } else if (isNew && !RowMerger(in_.context, in_.texts, group.accesses, in_.isPacked, "", {})
                             .drop(view.statement, body.edits)) {
      return refuse("the epilogue is written by a macro", view.statement->getSourceRange());
    }
  }
  return true;
}

// None is left that no body knows of.
void EpilogueFinder::checkViews() {
  for (const View &view : views_)
    for (const Decl *decl : view.statement->decls())
      if (llvm::none_of(views_, [&](const View &its) { return its.variable == decl; }))
        refuse("'" + view.variable->getNameAsString() +
                   "' leads to a tile, and is declared beside what does not",
               view.statement->getSourceRange());
  for (const View &view : views_)
    if (!writtenViews_.count(view.statement))
      refuse("'" + view.variable->getNameAsString() +
                 "' leads to a tile that is not handed on there",
             view.statement->getSourceRange());
}

} // namespace layout_port::native
