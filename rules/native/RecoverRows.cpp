// Tiles behind each other in one array (Flat.h): which arrays are, and how many registers a tile
// has. What one ldmatrix.x4 of B reads may be two tiles in another order than that of the
// registers:
//
//   ldmatrix {b[0], b[1], b[2], b[3]}          rows 0-7, rows 8-15, and both at k + 8
//   mma(c[0], a, b[0], b[2]);                  b[0], b[2], b[1], b[3] are two tiles in order
//   mma(c[1], a, b[1], b[3]);
//
// Nobody but loads and products sees these registers, so they are counted in that order. Sums may
// lie so, too, two tiles of n8 as one of 16 columns:
//
//   mma({c[0], c[1], c[4], c[5]}, ...);        rows r: 0 1 | 2 3, rows r + 8: 4 5 | 6 7; here the
//   mma({c[2], c[3], c[6], c[7]}, ...);        words 0 1 4 5 | 2 3 6 7 are two tiles in order
//
// What reads them behind the products is told (EpilogueFlat.cpp).
#include "native/Recovery.h"

#include "native/Flat.h"
#include "native/FragmentName.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int kRegistersOfTwo = 4; // two tiles of two registers

// Its place among so many words, where all that is added to it are multiples of them.
std::optional<int64_t> placeAmong(const Slot &slot, int64_t words) {
  if (!slot.flatWords || slot.flatTerms.empty())
    return slot.flatWords ? slot.flatOffset % words : slot.reg;
  const bool isWhole =
      slot.flatWords % words == 0 &&
      llvm::all_of(slot.flatTerms, [&](const auto &term) { return term.second % words == 0; });
  return isWhole ? std::optional(slot.flatOffset % words) : std::nullopt;
}

bool areRegisters(const std::vector<Slot> &slots, llvm::ArrayRef<int> wanted) {
  if (slots.size() != wanted.size())
    return false;
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].isScalar || placeAmong(slots[i], kRegistersOfTwo) != wanted[i] ||
        slots[i].flatTerms != slots[0].flatTerms || !slots[i].sameTile(slots[0]))
      return false;
  return true;
}

// One of two tiles of which each has every other pair of registers, or every other register.
bool isInterleaved(const std::vector<Slot> &slots) {
  const int64_t registers = static_cast<int64_t>(slots.size());
  if (registers != 2 && registers != 4)
    return false;
  for (const Slot &slot : slots)
    if (!slot.flatWords || slot.isOfRow || slot.declaration != slots[0].declaration ||
        slot.flatTerms != slots[0].flatTerms || !placeAmong(slot, 2 * registers))
      return false;
  const int64_t begin = slots[0].flatOffset / (2 * registers) * (2 * registers);
  for (int64_t second : {0, 1}) {
    bool isIts = true;
    for (int64_t r = 0; r < registers; ++r)
      isIts &= slots[r].flatOffset - begin == interleaved(second * registers + r, registers);
    if (isIts)
      return true;
  }
  return false;
}

bool takesHalves(const MmaSite &mma, uint64_t operand) {
  const auto isSwapped = [](const Slot &slot) { return slot.isSwapped; };
  const bool ofB = mma.b[0].declaration == operand &&
                   (areRegisters(mma.b, {0, 2}) || areRegisters(mma.b, {1, 3}) ||
                    llvm::any_of(mma.b, isSwapped));
  const bool ofA = mma.a[0].declaration == operand &&
                   (areRegisters(mma.a, {0, 2, 1, 3}) || areRegisters(mma.a, {0, 2}) ||
                    areRegisters(mma.a, {1, 3}));
  return ofA || ofB;
}

// How many of the first indices are no sums of variables, with what stands between them.
int indicesKept(const Slot &slot) {
  int kept = 0;
  for (size_t i = 0; i < slot.tile.size(); ++i)
    if (slot.tile[i].isMember || (!slot.tile[i].literal && slot.tile[i].variable.empty()))
      kept = static_cast<int>(i) + 1;
  return kept;
}

} // namespace

void Recovery::forSlots(const std::function<void(Slot &)> &visit) {
  for (MmaSite &mma : out_.mmas)
    for (std::vector<Slot> *slots : {&mma.d, &mma.a, &mma.b, &mma.c})
      llvm::for_each(*slots, visit);
  for (LoadSite &load : out_.loads)
    llvm::for_each(load.registers, visit);
}

// The arrays whose registers are taken so.
std::set<uint64_t> Recovery::takenInHalves() const {
  std::set<uint64_t> taken;
  for (const MmaSite &mma : out_.mmas)
    for (const uint64_t operand : {mma.a[0].declaration, mma.b[0].declaration})
      if (takesHalves(mma, operand))
        taken.insert(operand);
  return taken;
}

// All that is said of them is counted anew.
void Recovery::orderHalves() {
  const std::set<uint64_t> ordered = takenInHalves();
  for (const MmaSite &mma : out_.mmas)
    if (areRegisters(mma.b, {0, 2}) || areRegisters(mma.b, {1, 3}) || areRegisters(mma.b, {2, 3}))
      halves_.insert(mma.b[0].declaration);
  forSlots([&](Slot &slot) {
    if (!ordered.count(slot.declaration) || slot.isSwapped)
      return;
    const auto root = roots_.find(slot.declaration);
    const int64_t extent = root == roots_.end() ? 0 : lastExtentOf(typeOf(root->second));
    const bool isArray =
        slot.flatWords ? extent && extent % kRegistersOfTwo == 0 : extent == kRegistersOfTwo;
    const auto place = placeAmong(slot, kRegistersOfTwo);
    if (!isArray || slot.isScalar || !place)
      return refuse("the registers of '" + slot.variable + "' are taken in several orders",
                    kernel_.getSourceRange());
    const int64_t its = interleaved(*place, kRegistersOfTwo / 2), moved = its - *place;
    slot.reg = static_cast<int>(its);
    slot.isSwapped = true;
    slot.flatOffset += slot.flatWords ? moved : 0;
    slot.flatBegin += slot.flatWords ? moved : 0;
    if (slot.flatWords && slot.tileText.empty())
      return;
    slot.text = slot.tileText + "[" + std::to_string(slot.reg) + "]";
  });
}

// Of an array of words, or the members of a vector; 0: it is neither.
int64_t Recovery::lastExtentOf(QualType type) const {
  int64_t extent = 0;
  if (type.isNull())
    return 0;
  if (const QualType element = context_.getBaseElementType(type);
      type->isArrayType() && isArrayAlone(element, context_))
    type = element->getAsCXXRecordDecl()->field_begin()->getType();
  while (const auto *array = context_.getAsConstantArrayType(type)) {
    extent = static_cast<int64_t>(array->getSize().getZExtValue());
    type = array->getElementType();
  }
  if (const auto vector = vectorOf(type, context_))
    return vector->count;
  return isRegister(type) ? extent : 0;
}

// Of a member that is a fragment the member's; of one of an array's structs there is none.
QualType Recovery::typeOf(const Root &root) const {
  const QualType type = root.variable->getType();
  return !root.part ? type : type->isArrayType() ? QualType() : root.part->getType();
}

// Of rows of which each holds several tiles, float c[TN][8], or, of sums, a part of one: float
// c[TN][2][2]. An A may be two tiles of sums.
bool Recovery::holdsOthers(const std::vector<Slot> &slots, bool areSums) const {
  const auto root = roots_.find(slots[0].declaration);
  if (root == roots_.end() || slots[0].isScalar || slots[0].flatWords)
    return false;
  const int64_t registers = static_cast<int64_t>(slots.size());
  const int64_t words = lastExtentOf(typeOf(root->second));
  const bool isPart = areSums && words > 0 && words < registers && registers % words == 0 &&
                      llvm::all_of(slots, [&](const Slot &slot) {
                        return slot.declaration == slots[0].declaration && !slot.tile.empty();
                      });
  if (isPart)
    return true;
  return words > registers && words % registers == 0 &&
         llvm::any_of(slots, [&](const Slot &slot) { return slot.reg >= registers; });
}

// Where one site counts the words of all rows, all do; below an index that is no sum, of the rows
// there.
void Recovery::flattenRows() {
  std::map<uint64_t, int> kept; // indices
  const auto hasRows = [&](const Slot &slot) {
    const auto root = roots_.find(slot.declaration);
    const QualType type = root == roots_.end() ? QualType() : typeOf(root->second);
    const auto *array = type.isNull() ? nullptr : context_.getAsConstantArrayType(type);
    for (int i = 0; array && i < slot.rowDepth; ++i)
      array = context_.getAsConstantArrayType(array->getElementType());
    return array &&
           (array->getElementType()->isArrayType() || vectorOf(array->getElementType(), context_) ||
            isArrayAlone(array->getElementType(), context_));
  };
  forSlots([&](Slot &slot) {
    if (slot.flatWords && hasRows(slot))
      kept[slot.declaration] = std::max(kept[slot.declaration], slot.rowDepth);
    else if (!slot.flatWords && halves_.count(slot.declaration))
      kept.try_emplace(slot.declaration, 0);
  });
  for (const MmaSite &mma : out_.mmas)
    for (const std::vector<Slot> *slots : {&mma.d, &mma.a, &mma.b})
      if (holdsOthers(*slots, slots == &mma.d))
        kept.try_emplace((*slots)[0].declaration, 0);
  for (const MmaSite &mma : out_.mmas)
    for (const Slot &slot : mma.d) // one tile of a row counts all of the row, so all do
      if (slot.flatWords && slot.isOfRow)
        kept[slot.declaration] = std::max(kept[slot.declaration], slot.rowDepth);
  forSlots([&](Slot &slot) {
    const auto known = kept.find(slot.declaration);
    if (known == kept.end())
      return;
    dropMembers(slot, typeOf(roots_.at(slot.declaration)), context_);
    known->second = std::max(known->second, slot.flatWords ? slot.rowDepth : indicesKept(slot));
  });
  forSlots([&](Slot &slot) {
    const auto known = kept.find(slot.declaration);
    if (known == kept.end())
      return;
    if (slot.belowFirst && slot.rowDepth < known->second)
      slot = Slot(*slot.belowFirst);
    const bool isFlat = slot.flatWords ? slot.rowDepth == known->second
                                       : flatten(slot, typeOf(roots_.at(slot.declaration)),
                                                 context_, known->second);
    if (!isFlat)
      refuse("tiles of '" + slot.variable + "' do not lie one behind the other",
             kernel_.getSourceRange());
  });
  for (MmaSite &mma : out_.mmas)
    for (Slot &slot : mma.d)
      if (slot.variable.front() == '&')
        refuse("sums of several tiles in one vector", kernel_.getSourceRange());
      else if (slot.flatWords && slot.isOfRow && !nameRows(slot))
        refuse("sums in a row of '" + roots_[slot.declaration].variable->getNameAsString() +
                   "' that goes by another name",
               kernel_.getSourceRange());
}

// What goes over all of the sums goes over their rows, too, by the array's own extents:
//
//   float c[ROWS][TN * 4];      rows: ROWS, words of each: TN * 4
bool Recovery::nameRows(Slot &slot) const {
  const Root &root = roots_.at(slot.declaration);
  const auto isNumber = [](llvm::StringRef text) { return llvm::all_of(text, llvm::isDigit); };
  const size_t rows = static_cast<size_t>(slot.rowDepth);
  QualType type = typeOf(root);
  std::vector<std::string> extents, numbers;
  if (!root.part)
    extents = extentTextsOf(*root.variable);
  while (const auto *array = type.isNull() ? nullptr : context_.getAsConstantArrayType(type)) {
    numbers.push_back(std::to_string(array->getSize().getZExtValue()));
    type = array->getElementType();
  }
  if (root.part) // the kernel does not know its class's names
    extents = numbers;
  const bool isMember = !type.isNull() && isArrayAlone(type, context_);
  if (extents.size() < rows || (extents.size() == rows && !isMember))
    return false;
  slot.rowExtents.assign(extents.begin(), extents.begin() + slot.rowDepth);
  const llvm::ArrayRef<std::string> words = llvm::ArrayRef(extents).drop_front(rows);
  if (words.empty()) { // they are all behind the rows' own
    slot.rowMember = "." + type->getAsCXXRecordDecl()->field_begin()->getNameAsString();
    return true;
  }
  if (llvm::all_of(words, isNumber))
    return true;
  if (words.size() > 1 || !type->isScalarType())
    return false;
  slot.flatExtent = words[0];
  return true;
}

// Sums are counted so that a tile's registers lie side by side.
void Recovery::orderSums() {
  std::map<uint64_t, int64_t> ordered; // registers of a tile
  for (const MmaSite &mma : out_.mmas)
    if (isInterleaved(mma.d))
      ordered.try_emplace(mma.d[0].declaration, mma.d.size());
  forSlots([&](Slot &slot) {
    const auto known = ordered.find(slot.declaration);
    if (known == ordered.end())
      return;
    const auto place = placeAmong(slot, 2 * known->second);
    if (!place || !slot.flatWords || slot.isSwapped)
      return refuse("the registers of '" + slot.variable + "' are taken in several orders",
                    kernel_.getSourceRange());
    const int64_t moved = interleaved(*place, known->second) - *place;
    slot.flatOffset += moved;
    slot.flatBegin += moved;
    slot.isSwapped = true;
  });
}

void Recovery::splitFlat() {
  orderHalves();
  flattenRows();
  orderSums();
  std::map<uint64_t, int> registers;
  std::set<uint64_t> counted; // in words, by some site
  forSlots([&](Slot &slot) {
    if (slot.flatWords && slot.tileText.empty())
      counted.insert(slot.declaration);
  });
  const auto splitAll = [&](std::vector<Slot> &slots, int count) {
    for (Slot &slot : slots) {
      const auto [known, isNew] = registers.try_emplace(slot.declaration, count);
      const bool isFlat =
          !slot.flatTerms.empty() ||
          (slot.tile.empty() && (slot.flatWords > count || counted.count(slot.declaration)));
      if (slot.flatWords && isFlat && (known->second != count || !split(slot, count)))
        refuse("tiles of '" + slot.variable + "' do not lie one behind the other",
               kernel_.getSourceRange());
    }
  };
  for (MmaSite &mma : out_.mmas)
    for (std::vector<Slot> *slots : {&mma.d, &mma.a, &mma.b, &mma.c})
      splitAll(*slots, static_cast<int>(slots->size()));
  for (LoadSite &load : out_.loads)
    for (Slot &slot : load.registers)
      if (const auto known = registers.find(slot.declaration); known != registers.end()) {
        std::vector<Slot> one = {slot};
        splitAll(one, known->second);
        slot = one[0];
      }
}

} // namespace layout_port::native
