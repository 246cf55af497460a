#include "native/Operands.h"

#include "llvm/ADT/STLExtras.h"

namespace layout_port::native {

std::vector<TileGroup> groupsOf(const LoadSite &load) {
  std::vector<TileGroup> groups;
  for (size_t q = 0; q < load.registers.size(); ++q) {
    const Slot &slot = load.registers[q];
    auto group = llvm::find_if(groups, [&](const TileGroup &g) { return g.tile->sameTile(slot); });
    if (group == groups.end()) {
      groups.push_back({&slot, {}});
      group = std::prev(groups.end());
    }
    group->matrixOf[slot.reg] = static_cast<int>(q);
  }
  return groups;
}

std::optional<Role> roleOf(const Kernel &kernel, const Product &product, const LoadSite &load) {
  const uint64_t variable = load.registers[0].declaration;
  const bool feeds = llvm::any_of(fedBy(kernel, load), [&](const MmaSite *mma) {
    return llvm::is_contained(product.mmas, mma);
  });
  if (!feeds)
    return std::nullopt;
  if (product.a.count(variable))
    return Role::A;
  return product.b.count(variable) ? std::optional(Role::B) : std::nullopt;
}

const Index *columnIndex(const Product &product, const Slot &tile) {
  if (product.nDimB >= 0)
    return &tile.tile[product.nDimB];
  if (product.nDim < 0)
    return nullptr;
  for (const MmaSite *mma : product.mmas)
    if (mma->b[0].sameTile(tile))
      return &mma->d[0].tile[product.nDim];
  return &product.mmas[0]->d[0].tile[product.nDim];
}

const Index *tileIndex(const Product &product, Role role, const Slot &tile) {
  if (role == Role::B)
    return product.scheme.tilesTogether() > 1 ? columnIndex(product, tile) : nullptr;
  return product.scheme.rowTilesTogether() > 1 ? &tile.tile[product.mDimA] : nullptr;
}

static bool areNeighbours(const Product &product, const TileGroup &group, const TileGroup &other) {
  const Index *mine = columnIndex(product, *group.tile), *its = columnIndex(product, *other.tile);
  return mine && its && mine->variable == its->variable && mine->scale == its->scale &&
         (mine->constant() ^ its->constant()) == 1;
}

// The group that reads the tile beside this one along n, in the same statement.
static const TileGroup *neighbour(const Product &product, const std::vector<TileGroup> &groups,
                                  const TileGroup &group) {
  for (const TileGroup &other : groups)
    if (&other != &group && areNeighbours(product, group, other))
      return &other;
  return nullptr;
}

bool hasClearNeighbours(const Product &product, const LoadSite &load) {
  const std::vector<TileGroup> groups = groupsOf(load);
  return llvm::all_of(groups, [&](const TileGroup &group) {
    return llvm::count_if(groups, [&](const TileGroup &other) {
             return areNeighbours(product, group, other);
           }) <= 1;
  });
}

bool isWithin(const LoadSite &load, const TextRange &place) {
  return place.contains(load.range) || llvm::any_of(load.calls, [&](const CallPlace &call) {
           return place.contains(call.range);
         });
}

bool standBeside(const Kernel &kernel, const MmaSite &a, const MmaSite &b) {
  if (areOneStatement(a, b))
    return true;
  const auto isIn = [](const TextRange &run, const MmaSite &mma) {
    return run.contains(mma.range) &&
           llvm::none_of(mma.loops, [&](const Loop &loop) { return run.contains(loop.range); });
  };
  return llvm::any_of(kernel.productRuns,
                      [&](const TextRange &run) { return isIn(run, a) && isIn(run, b); });
}

bool haveOneA(const MmaSite &a, const MmaSite &b) {
  for (size_t i = 0; i < a.a.size(); ++i)
    if (!a.a[i].sameTile(b.a[i]) || a.a[i].reg != b.a[i].reg)
      return false;
  return true;
}

TileLoad tileLoad(const Product &product, const LoadSite &load, Role role,
                  const std::vector<TileGroup> &groups, const TileGroup &group) {
  TileLoad out;
  out.index = tileIndex(product, role, *group.tile);
  LoadForm &form = out.form;
  form.role = role;
  form.transposed = load.transposed;
  form.isGathered = load.isGathered();
  form.isBegin = isBegin(load);
  form.isInCall = load.isInCall;
  if (!form.isGathered) {
    const TileGroup *even = &group;
    if (out.index && role == Role::B)
      if (const TileGroup *other = neighbour(product, groups, group)) {
        const bool isOdd = out.index->constant() & 1;
        even = isOdd ? other : &group;
        const TileGroup *odd = isOdd ? &group : other;
        form.neighbourMatrix = even->matrixOf.begin()->second ^ odd->matrixOf.begin()->second;
      }
    for (const auto &[reg, matrix] : even->matrixOf)
      form.matrixOf.push_back(matrix);
    form.stride = product.stepLoop ? *product.stepLoop->step : 0;
  }
  form.takesTile = out.index != nullptr;
  form.inHalves = role == Role::B && hasHalves(product);
  form.tileShift = out.index && out.index->scale == 2 ? 1 : 0;
  form.takesWarp = load.address.usesWarp;
  // Apart is what it is also where a template's instance shares: the text stays one.
  form.pairDiffers =
      product.scheme.side == PairSide::Apart ? form.takesWarp : load.address.dependsOnPair;
  return out;
}

} // namespace layout_port::native
