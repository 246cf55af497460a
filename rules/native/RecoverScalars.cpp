// Fragments whose registers are variables of their own:
//
//   uint32_t a0, a1, a2, a3, b0, b1, b2, b3;
//   ldmatrix {a0, a1, a2, a3};  ldmatrix {b0, b1, b2, b3};
//   mma {c0, c1, c2, c3}, {a0, a1, a2, a3}, {b0, b1};
//   mma {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b2, b3};
//
// What a product takes together is a tile; tiles that one load fills belong to one fragment. The
// port hands them on as if they were an array: lp::scalars(b2, b3).
#include "native/Recovery.h"

#include "native/FragmentName.h"

#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

const Recovery::Scalar *Recovery::scalarOf(uint64_t declaration) const {
  const auto known = scalars_.find(declaration);
  return known == scalars_.end() ? nullptr : &known->second;
}

std::vector<Recovery::Root> Recovery::rootsOf(uint64_t fragment) const {
  std::vector<Root> roots;
  for (const auto &[declaration, scalar] : scalars_)
    if (scalar.fragment == fragment)
      roots.push_back(roots_.at(declaration));
  if (roots.empty())
    if (const auto root = roots_.find(fragment); root != roots_.end())
      roots.push_back(root->second);
  return roots;
}

const Stmt *Recovery::blockOf(const VarDecl &variable) const {
  const auto *declaration = parentOf(DynTypedNode::create(variable));
  return declaration && isa<DeclStmt>(declaration)
             ? dyn_cast_or_null<CompoundStmt>(parentOf(DynTypedNode::create(*declaration)))
             : nullptr;
}

// Variables of one type and one block that are nowhere else in another place.
void Recovery::joinTile(const std::vector<Slot> &slots) {
  if (slots.empty() || !llvm::all_of(slots, [](const Slot &slot) { return slot.isScalar; }))
    return;
  const auto typeOf = [&](const Slot &slot) {
    const Root &root = roots_.at(slot.declaration);
    return root.part ? root.part->getType() : root.variable->getType();
  };
  const Stmt *block = blockOf(*roots_.at(slots[0].declaration).variable);
  std::vector<uint64_t> names;
  for (const Slot &slot : slots) {
    const VarDecl &variable = *roots_.at(slot.declaration).variable;
    const bool isMember = roots_.at(slot.declaration).part != nullptr; // of one alone the site says
    const bool isAlike =
        block && blockOf(variable) == block && (!isMember || slots.size() == 1) &&
        (context_.getTypeSize(typeOf(slot)) == 32 || typeOf(slot)->isRealFloatingType()) &&
        context_.hasSameUnqualifiedType(typeOf(slot), typeOf(slots[0]));
    if (!isAlike || llvm::is_contained(names, slot.declaration))
      return;
    names.push_back(slot.declaration);
  }
  if (llvm::any_of(names, [&](uint64_t name) { return scalarOf(name); }))
    return;
  for (size_t i = 0; i < names.size(); ++i)
    scalars_[names[i]] = {names[0], 0, 1, static_cast<int>(i), scalarTiles_.size()};
  scalarTiles_.push_back(std::move(names));
}

// The tiles that a load fills, in the order in which it does.
void Recovery::joinLoaded(const LoadSite &load) {
  std::vector<size_t> tiles;
  for (const Slot &slot : load.registers) {
    const Scalar *scalar = scalarOf(slot.declaration);
    if (!scalar)
      return;
    if (!llvm::is_contained(tiles, scalar->names))
      tiles.push_back(scalar->names);
  }
  const uint64_t fragment = scalarTiles_[tiles[0]][0];
  const Stmt *block = blockOf(*roots_.at(fragment).variable);
  for (const size_t tile : tiles) {
    const Scalar &known = scalars_.at(scalarTiles_[tile][0]);
    const bool isFree = known.tiles == 1 || known.tiles == static_cast<int>(tiles.size());
    if (!isFree || (known.tiles > 1 && known.fragment != fragment) ||
        blockOf(*roots_.at(scalarTiles_[tile][0]).variable) != block)
      return refuse("'" + roots_.at(scalarTiles_[tile][0]).variable->getNameAsString() +
                        "' is loaded together with other variables than elsewhere",
                    kernel_.getSourceRange());
  }
  if (tiles.size() > 1)
    for (size_t t = 0; t < tiles.size(); ++t)
      for (const uint64_t name : scalarTiles_[tiles[t]]) {
        Scalar &scalar = scalars_.at(name);
        scalar.fragment = fragment;
        scalar.tile = static_cast<int>(t);
        scalar.tiles = static_cast<int>(tiles.size());
      }
}

Slot Recovery::scalarSlot(const Scalar &scalar) const {
  std::vector<std::string> names;
  for (const uint64_t name : scalarTiles_[scalar.names])
    names.push_back(roots_.at(name).variable->getNameAsString());
  Slot slot;
  slot.isOfScalars = true;
  slot.declaration = scalar.fragment;
  slot.reg = scalar.reg;
  slot.variable = roots_.at(scalar.fragment).variable->getNameAsString();
  slot.tileText = "lp::scalars(" + llvm::join(names, ", ") + ")";
  slot.text = names[scalar.reg];
  if (scalar.tiles > 1) {
    slot.tile = {literalIndex(scalar.tile)};
    slot.extents = {scalar.tiles};
    slot.extentTexts = {std::to_string(scalar.tiles)};
  }
  return slot;
}

void Recovery::renameScalars(std::vector<Slot> &slots) const {
  for (Slot &slot : slots)
    if (const Scalar *scalar = slot.isScalar ? scalarOf(slot.declaration) : nullptr) {
      const std::string own = slot.text; // in a method of its object it is called otherwise
      slot = scalarSlot(*scalar);
      if (scalarTiles_[scalar->names].size() == 1) {
        slot.text = own;
        slot.tileText = "lp::scalars(" + own + ")";
      }
    }
}

// A product takes a whole tile.
bool Recovery::isTile(const std::vector<Slot> &slots) const {
  const Scalar *first = slots.empty() ? nullptr : scalarOf(slots[0].declaration);
  const auto isOf = [](const Slot &slot, uint64_t name) { return slot.declaration == name; };
  return first && llvm::equal(slots, scalarTiles_[first->names], isOf);
}

void Recovery::joinScalars() {
  for (const MmaSite &mma : out_.mmas)
    for (const std::vector<Slot> *slots : {&mma.d, &mma.a, &mma.b, &mma.c})
      joinTile(*slots);
  for (const LoadSite &load : out_.loads)
    joinLoaded(load);
  for (MmaSite &mma : out_.mmas)
    for (std::vector<Slot> *slots : {&mma.d, &mma.a, &mma.b, &mma.c})
      if (isTile(*slots))
        renameScalars(*slots);
  for (LoadSite &load : out_.loads)
    renameScalars(load.registers);
}

// Runs of stores to one tile:
//
//   const uint32_t b0 = word(p), b1 = word(p + 8);
//
//   uint32_t b0, b1;
//   lp::gather_b(lp::scalars(b0, b1), [&](int lane, int warp, int r) {
//     return r == 0 ? word(p) : word(p + 8);
//   });
void Recovery::gatherScalars(const PendingFilling &pending, const std::set<uint64_t> &operands) {
  const Made results = madeFromResults();
  LoadSite site;
  std::vector<Filling::Store> stores;
  const Scalar *last = nullptr;
  const auto close = [&] {
    const bool isFill =
        llvm::all_of(stores, [&](const Filling::Store &store) { return isConstant(store.value); });
    sortRegisters(site.registers, stores);
    if (!stores.empty() && !isFill)
      gather(pending, site, stores);
    site = LoadSite();
    stores.clear();
  };
  for (const Filling::Store &store : pending.filling.stores) {
    const Scalar *scalar = scalarOf(fragmentOf(*store.scalar, nullptr));
    const bool isOperand =
        scalar && operands.count(scalar->fragment) && !isMadeFromAny(*store.value, results);
    if (!isOperand || !last || last->names != scalar->names)
      close();
    last = isOperand ? scalar : nullptr;
    if (!isOperand)
      continue;
    site.registers.push_back(scalarSlot(*scalar));
    stores.push_back(store);
  }
  close();
}

// Variables that are declared with their values are declared before them, and are no longer const.
void Recovery::declareScalars(const std::vector<Filling::Store> &stores, LoadSite &site) {
  Made registers;
  for (const Slot &slot : site.registers)
    for (const Root &root : rootsOf(slot.declaration))
      registers.variables.insert(root.variable);
  std::set<const Stmt *> declarations;
  size_t declared = 0;
  // What an f64 operand's lanes hold is not what CUDA's do.
  for (const auto &[declaration, scalar] : scalars_)
    if (const VarDecl *other = roots_.at(declaration).variable;
        context_.getTypeSize(other->getType()) != 32)
      registers.variables.insert(other);
  for (const Filling::Store &store : stores) {
    if (registers.isIn(*store.value))
      site.problem = "'" + store.scalar->getNameAsString() + "' is made from another register";
    if (const auto *declaration = dyn_cast<DeclStmt>(store.statement)) {
      ++declared;
      if (declarations.insert(declaration).second)
        for (const Decl *decl : declaration->decls())
          if (!llvm::any_of(stores, [&](const auto &s) { return s.scalar == decl; }))
            site.problem = "'" + store.scalar->getNameAsString() +
                           "' is declared together with other variables";
      gathered_.insert(store.scalar);
    }
  }
  if (!declared)
    return;
  if (declared != stores.size())
    site.problem = "'" + stores[0].scalar->getNameAsString() +
                   "' is declared with a value, and others are assigned";
  const QualType type = stores[0].scalar->getType().getUnqualifiedType();
  site.declaration = type.getAsString(context_.getPrintingPolicy());
  for (size_t i = 0; i < stores.size(); ++i)
    site.declaration += (i ? ", " : " ") + stores[i].scalar->getNameAsString();
}

} // namespace layout_port::native
