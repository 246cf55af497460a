// Operands whose words a kernel fills value by value:
//
//   half b[4];                                   union { half h[4]; uint32_t u[2]; } b;
//   for (int i = 0; i < 4; ++i)                  b.h[0] = B[k * ld];  b.h[1] = B[(k + 1) * ld];
//     b[i] = B[(k + i / 2 * 8 + i % 2) * ld];    ...
//   mma(c, a, (uint32_t *)b);                    mma(c, a, b.u);
//
// Value i is part i % 2 of register i / 2, so a register is two (or four) values of another lane:
//
//   lp::gather_b(b, lp::packed([&](int lane, int warp, int i) { return value; }));
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace clang;

namespace layout_port::native {

// How many values of this type a word holds; 1: none that is shorter.
int64_t Recovery::valuesInWord(QualType type) const {
  constexpr int64_t kWordBits = 32;
  const bool isValue = !type->isDependentType() && !type->isIncompleteType() &&
                       (type->isArithmeticType() || type->isRecordType()) &&
                       type.isTriviallyCopyableType(context_) && !type->isBooleanType();
  const auto bits = isValue ? static_cast<int64_t>(context_.getTypeSize(type)) : kWordBits;
  return bits == 8 || bits == 16 ? kWordBits / bits : 1;
}

// array[number]
Expr *Recovery::elementAt(const Expr &array, int64_t number) const {
  auto &context = const_cast<ASTContext &>(context_);
  auto *pointer = const_cast<Expr *>(&array);
  const auto *extents = context.getAsConstantArrayType(array.getType());
  const QualType element = extents ? extents->getElementType() : array.getType()->getPointeeType();
  if (extents)
    pointer =
        ImplicitCastExpr::Create(context, context.getPointerType(element), CK_ArrayToPointerDecay,
                                 pointer, nullptr, VK_PRValue, FPOptionsOverride());
  return new (context) ArraySubscriptExpr(pointer, const_cast<Expr *>(this->number(number)),
                                          element, VK_LValue, OK_Ordinary, SourceLocation());
}

// *(unsigned *)&values[number]
const Expr *Recovery::wordFrom(const Expr &values, int64_t number) const {
  auto &context = const_cast<ASTContext &>(context_);
  const SourceLocation nowhere;
  Expr *first = elementAt(values, number);
  auto *address =
      UnaryOperator::Create(context, first, UO_AddrOf, context.getPointerType(first->getType()),
                            VK_PRValue, OK_Ordinary, nowhere, false, FPOptionsOverride());
  const QualType words = context.getPointerType(context.UnsignedIntTy);
  auto *seen = CStyleCastExpr::Create(context, words, VK_PRValue, CK_BitCast, address, nullptr,
                                      FPOptionsOverride(), context.getTrivialTypeSourceInfo(words),
                                      nowhere, nowhere);
  return UnaryOperator::Create(context, seen, UO_Deref, context.UnsignedIntTy, VK_LValue,
                               OK_Ordinary, nowhere, false, FPOptionsOverride());
}

// half *h = (half *)b[j];  of h[..], the words of b[j].
std::optional<Slot> Recovery::wordBelow(const Expr &values, int64_t word) {
  const VarDecl *name = variableNamed(&values);
  const Expr *place = name ? placeNamed(*name) : &values;
  const auto *cast = place ? dyn_cast<ExplicitCastExpr>(stripped(place)) : nullptr;
  const Expr *words = cast ? cast->getSubExpr()->IgnoreParenImpCasts() : nullptr;
  const auto *array = words ? context_.getAsConstantArrayType(words->getType()) : nullptr;
  if (!array || !isRegister(array->getElementType()))
    return std::nullopt;
  const auto slot = slotOf(elementAt(*words, word), nullptr, static_cast<int>(word));
  if (slot && name)
    forgetPlace(*name);
  return slot;
}

// The word that so many values, from a multiple on, are together.
std::optional<Slot> Recovery::wordOfValues(const Expr &values, int64_t word, int64_t parts) {
  if (auto slot = wordOfUnion(values, word))
    return slot;
  if (auto slot = wordBelow(values, word))
    return slot;
  return flatSlot(wordFrom(values, word * parts), nullptr);
}

// Of a union's values, the words that it holds in the same place: b.h[..] by b.u[word].
std::optional<Slot> Recovery::wordOfUnion(const Expr &values, int64_t word) {
  const auto *member = dyn_cast<MemberExpr>(stripped(&values));
  const auto *record = member && !member->isArrow() && member->getBase()->getType()->isUnionType()
                           ? member->getBase()->getType()->getAsRecordDecl()
                           : nullptr;
  if (!record)
    return std::nullopt;
  pointsInto_ = false;
  auto path = pathOf(member->getBase(), nullptr, false);
  if (!path || pointsInto_)
    return std::nullopt;
  for (const FieldDecl *field : record->fields()) {
    const auto *words = context_.getAsConstantArrayType(field->getType());
    if (!words || !isRegister(words->getElementType()))
      continue;
    Index index;
    index.text = "." + field->getNameAsString();
    index.isMember = true;
    path->indices.push_back(index);
    path->indices.push_back(literalIndex(word));
    return slotAt(path, static_cast<int>(word));
  }
  return std::nullopt;
}

// The register that a store fills a part of, and which part.
std::optional<Recovery::PackedPlace> Recovery::packedPlace(const Filling &filling,
                                                           const Filling::Store &store) {
  const Expr *values = nullptr;
  std::optional<int64_t> number;
  QualType type;
  if (filling.declared) {
    values = nameOf(*filling.declared);
    number = store.element;
    type = context_.getBaseElementType(filling.declared->getType());
  } else if (const auto *access = dyn_cast<ArraySubscriptExpr>(store.target)) {
    values = access->getBase()->IgnoreParenImpCasts();
    number = filling.nest.empty() ? constant(access->getIdx()) : 0;
    type = access->getType();
  }
  if (!values || !number || *number < 0)
    return std::nullopt;
  const int64_t parts = valuesInWord(type);
  const auto slot = wordOfValues(*values, *number / parts, parts);
  return slot ? std::optional(PackedPlace{*slot, *number % parts, values}) : std::nullopt;
}

// The value as what it is assigned to: as the parts of a word, int8_t(x + 1) and int are not alike.
std::string Recovery::packedText(const Filling::Store &store, const std::string &text, bool isPart,
                                 LoadSite &site) const {
  const QualType type =
      (store.target ? store.target->getType() : store.value->getType()).getCanonicalType();
  const Expr *value = stripped(store.value);
  if (type->isBuiltinType())
    return "static_cast<" + type.getUnqualifiedType().getAsString(context_.getPrintingPolicy()) +
           ">(" + text + ")";
  if (site.problem.empty() && !context_.hasSameUnqualifiedType(type, value->getType()))
    site.problem = "'" + site.registers[0].variable + "' is put together from other numbers";
  return isPart && madeChoice(*store.value) ? "(" + text + ")" : text;
}

void Recovery::gatherPacked(const PendingFilling &pending, int64_t parts,
                            const std::set<uint64_t> &operands) {
  const Filling &filling = pending.filling;
  const auto range = texts_.statement(filling.stores[0].statement->getSourceRange());
  if (pending.call || filling.isBehindOthers || !range)
    return;
  siteRange_ = *range; // where names of places are asked about
  siteBlock_ = pending.block;
  loops_ = pending.loops;
  const size_t loads = out_.loads.size();
  const auto leave = llvm::make_scope_exit([&, places = places_, names = handedNames_] {
    loops_.clear();
    if (out_.loads.size() != loads)
      return;
    places_ = places; // it fills no operand: nothing goes by the names that were asked about
    handedNames_ = names;
  });
  LoadSite site;
  site.valuesInWord = static_cast<int>(parts);
  partingIndex_ = nullptr;
  if (!filling.nest.empty()) {
    const auto first = packedPlace(filling, filling.stores[0]);
    if (!first || filling.count() % parts)
      return;
    for (int64_t word = 0; word < filling.count() / parts; ++word) {
      const auto slot = wordOfValues(*first->values, word, parts);
      if (!slot || !operands.count(slot->declaration))
        return;
      site.registers.push_back(*slot);
    }
    gather(pending, site, filling.stores);
    return;
  }
  // Word by word, whatever the order of the statements.
  struct Word {
    Slot slot;
    std::vector<const Filling::Store *> values;
  };
  std::vector<Word> words;
  for (const Filling::Store &store : filling.stores) {
    const auto place = packedPlace(filling, store);
    if (!place || place->slot.isScalar || !operands.count(place->slot.declaration))
      return;
    auto word = llvm::find_if(words, [&](const Word &known) {
      return known.slot.reg == place->slot.reg && known.slot.flatOffset == place->slot.flatOffset &&
             known.slot.sameTile(place->slot);
    });
    if (word == words.end())
      word = words.insert(words.end(),
                          {place->slot, std::vector<const Filling::Store *>(parts, nullptr)});
    word->values[place->part] = &store;
  }
  std::vector<const Word *> tile;
  const auto close = [&] {
    std::vector<Filling::Store> stores;
    llvm::stable_sort(tile, [](const Word *a, const Word *b) {
      return std::pair(a->slot.reg, a->slot.flatOffset) <
             std::pair(b->slot.reg, b->slot.flatOffset);
    });
    for (const Word *word : tile) {
      site.registers.push_back(word->slot);
      for (const Filling::Store *store : word->values)
        stores.push_back(*store);
    }
    if (!tile.empty())
      gather(pending, site, stores);
    site = LoadSite();
    site.valuesInWord = static_cast<int>(parts);
    tile.clear();
  };
  for (const Word &word : words) {
    if (llvm::is_contained(word.values, nullptr))
      return;
    if (!tile.empty() && !areOfOneTile(tile[0]->slot, word.slot))
      close();
    tile.push_back(&word);
  }
  close();
  checkIndices(filling.stores[0].statement->getSourceRange());
}

} // namespace layout_port::native
