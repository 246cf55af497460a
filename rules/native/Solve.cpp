#include "native/Solve.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace layout_port::native {

namespace {

class Planner {
public:
  Planner(const Kernel &kernel, const PlanLimits &limits) : kernel_(kernel), limits_(limits) {}

  // Products with their schemes; a refusal instead.
  std::optional<Refusal> plan(std::vector<Product> &products) {
    if (!kernel_.problem.empty())
      return Refusal{kernel_.problem, kernel_.problemAt};
    if (auto refusal = checkRanges())
      return refusal;
    for (const MmaSite &mma : kernel_.mmas)
      if (auto refusal = add(mma, products))
        return refusal;
    for (Product &product : products) {
      for (const uint64_t v : product.a)
        if (v == product.d || product.b.count(v) || product.b.count(product.d))
          return Refusal{"operands and sums in one variable '" + nameOf(v) + "'",
                         product.mmas[0]->range};
      if (auto refusal = solve(product))
        return refusal;
    }
    return checkUses(products);
  }

private:
  // One statement, one matrix instruction: its new text stands for the whole.
  std::optional<Refusal> checkRanges() const {
    std::vector<TextRange> all;
    for (const MmaSite &mma : kernel_.mmas)
      all.push_back(mma.range);
    for (const LoadSite &load : kernel_.loads)
      all.push_back(load.range);
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (all[i].contains(all[j]) || all[j].contains(all[i]))
          return Refusal{"several matrix instructions in one statement or wrapper", all[i]};
    return std::nullopt;
  }

  std::optional<Refusal> add(const MmaSite &mma, std::vector<Product> &products) {
    const bool deep = mma.a.size() == 4 && mma.b.size() == 2;
    const bool shallow = mma.a.size() == 2 && mma.b.size() == 1;
    if ((!deep && !shallow) || mma.m != 16 || mma.n != 8 || ptx::bitsOf(mma.typeA) == 64)
      return Refusal{mma.name + " has no native scheme yet", mma.range};
    if (mma.satfinite)
      return Refusal{mma.name + " saturates", mma.range};
    if ((!inOrder(mma.a) && !isFromResults(mma.a)) || !inOrder(mma.b) || !inOrder(mma.d) ||
        !inOrder(mma.c))
      return Refusal{"the registers of " + mma.name + " are not one array in order", mma.range};
    if (!mma.c[0].sameTile(mma.d[0]))
      return Refusal{"an accumulator that is read from one variable and written to another",
                     mma.range};
    const auto known =
        llvm::find_if(products, [&](const Product &p) { return p.d == mma.d[0].declaration; });
    Product &product = known == products.end() ? products.emplace_back() : *known;
    product.d = mma.d[0].declaration;
    if (!product.mmas.empty() && product.mmas[0]->name != mma.name)
      return Refusal{"one accumulator of two kinds of mma", mma.range};
    product.mmas.push_back(&mma);
    for (const Slot &slot : mma.a)
      product.a.insert(slot.declaration);
    product.b.insert(mma.b[0].declaration);
    return std::nullopt;
  }

  // Made between the products from what other products gave.
  bool isFromResults(const std::vector<Slot> &slots) const {
    return kernel_.staysNative() && llvm::all_of(slots, [&](const Slot &slot) {
             return llvm::none_of(kernel_.loads, [&](const LoadSite &load) {
               return load.registers[0].declaration == slot.declaration;
             });
           });
  }

  // What is done to it between the products is known, and right as it is.
  bool isFollowed(uint64_t declaration) const {
    return kernel_.staysNative() && kernel_.between->fragments.count(declaration);
  }

  // Why code between the products has to see CUDA's layout, to stand behind a reason.
  std::string whyBetween() const {
    return kernel_.between && !kernel_.between->problem.empty() ? ": " + kernel_.between->problem
                                                                : "";
  }

  // The loads of the product's operands in these variables.
  std::vector<const LoadSite *> loadsOf(const Product &product,
                                        const std::set<uint64_t> &variables) const {
    std::vector<const LoadSite *> loads;
    for (const LoadSite &load : kernel_.loads)
      if (variables.count(load.registers[0].declaration) && feeds(load, product))
        loads.push_back(&load);
    return loads;
  }

  bool feeds(const LoadSite &load, const Product &product) const {
    return llvm::any_of(fedBy(kernel_, load),
                        [&](const MmaSite *mma) { return llvm::is_contained(product.mmas, mma); });
  }

  std::optional<Refusal> solve(Product &product) {
    const MmaSite &mma = *product.mmas[0];
    const auto a = loadsOf(product, product.a), b = loadsOf(product, product.b);
    const bool fromResults = isFromResults(mma.a);
    if ((a.empty() && !fromResults) || b.empty())
      return Refusal{std::string("operand ") + (b.empty() ? "B" : "A") + " of " + mma.name +
                         " is neither read by ldmatrix nor put together in one place" +
                         (b.empty() ? "" : whyBetween()),
                     mma.range};
    for (const MmaSite *other : product.mmas)
      if (isFromResults(other->a) != fromResults)
        return Refusal{"one accumulator of operands that are read and operands that are made",
                       other->range};
    bool aDiffers = fromResults, bDiffers = false, allTransposed = true, allGathered = true;
    for (const LoadSite *load : a)
      aDiffers |= load->address.dependsOnPair;
    for (const LoadSite *load : b) {
      bDiffers |= load->address.dependsOnPair;
      allTransposed &= load->transposed;
    }
    for (const auto &loads : {a, b})
      for (const LoadSite *load : loads) {
        allGathered &= load->isGathered();
        if (!load->problem.empty())
          return Refusal{load->problem, load->range};
      }
    const PairSide side = limits_.onlyApart ? PairSide::Apart
                          : !aDiffers       ? PairSide::Columns
                          : !bDiffers       ? PairSide::Rows
                                            : PairSide::Apart;
    const bool shallow = mma.b.size() == 1;
    const auto arms = armsFor(mma, shallow ? 1 : 2, outputArchs());
    if (!arms)
      return Refusal{arms.error().message, mma.range};
    findColumnIndex(product);
    std::optional<Refusal> last;
    for (const Choice &choice :
         choices(side, limits_.mayTurn && allTransposed && !shallow &&
                           mma.typeD != ptx::Type::F16 && mayTurnBetween(product))) {
      Choice chosen = choice;
      chosen.shallow = shallow;
      chosen.farWords = (allGathered || fromResults) && !shallow;
      const auto scheme = makeScheme(chosen, *arms->front().instruction);
      if (!scheme)
        return Refusal{scheme.error().message, mma.range};
      product.scheme = *scheme;
      last = fits(product, b);
      if (!last)
        last = checkTileLoops(product);
      if (!last)
        return std::nullopt;
    }
    return last;
  }

  // Best first: turned where B lies along n, tiles in pairs, each tile by itself.
  std::vector<Choice> choices(PairSide side, bool mayTurn) const {
    std::vector<Choice> all;
    if (limits_.onlySingle)
      return {{side, false, true, false}};
    if (mayTurn)
      all.push_back({side, true, false, false});
    all.push_back({side, false, false, false});
    if (side != PairSide::Columns)
      all.push_back({side, false, true, false});
    return all;
  }

  // The accumulator's tile index that A does not have.
  void findColumnIndex(Product &product) {
    const MmaSite &mma = *product.mmas[0];
    const auto isOfA = [&](const Index &index) {
      return llvm::any_of(mma.a[0].tile, [&](const Index &i) { return i.text == index.text; });
    };
    std::vector<int> dims;
    for (size_t i = 0; i < mma.d[0].tile.size(); ++i)
      if (!mma.d[0].tile[i].isMember && !isOfA(mma.d[0].tile[i]))
        dims.push_back(static_cast<int>(i));
    product.nDim = dims.size() == 1 ? dims[0] : -1;
    if (product.nDim < 0)
      return;
    for (size_t i = 0; i < mma.b[0].tile.size(); ++i)
      if (!mma.b[0].tile[i].isMember && mma.b[0].tile[i].text == mma.d[0].tile[product.nDim].text)
        product.nDimB = static_cast<int>(i);
  }

  // A loop over `index` that visits every tile of `extent` once.
  static bool coversAll(const std::vector<Loop> &loops, const Index &index, int64_t extent) {
    for (const Loop &loop : loops)
      if (loop.variable == index.variable)
        return loop.first == 0 && loop.last && loop.step && *loop.last * index.scale == extent &&
               *loop.step > 0 && index.scale > 0;
    return false;
  }

  std::optional<Refusal> fits(const Product &product, const std::vector<const LoadSite *> &loads) {
    const int together = product.scheme.tilesTogether();
    const Slot &sums = product.mmas[0]->d[0];
    if (product.scheme.turned && sums.flatRegisters &&
        product.nDim != static_cast<int>(sums.tile.size()) - 1)
      return Refusal{"tiles along n of '" + sums.variable + "' are not neighbours",
                     product.mmas[0]->range};
    if (together == 1)
      return std::nullopt;
    const MmaSite &first = *product.mmas[0];
    if (product.nDim < 0)
      return Refusal{"which index of '" + first.d[0].variable + "' runs along n is not clear",
                     first.range};
    for (const MmaSite *mma : product.mmas) {
      const Index &index = mma->d[0].tile[product.nDim];
      const int64_t extent = mma->d[0].extents[product.nDim];
      if (extent == 0 || extent % together)
        return Refusal{llvm::Twine("'" + mma->d[0].variable + "' has " + llvm::Twine(extent) +
                                   " tiles along n, and the two warps of a wave need " +
                                   llvm::Twine(together) + " together")
                           .str(),
                       mma->range};
      if (index.variable.empty() || !coversAll(mma->loops, index, extent))
        return Refusal{"no plain loop over the n tiles of '" + mma->d[0].variable + "'",
                       mma->range};
    }
    for (const LoadSite *load : loads)
      if (auto refusal = tileFits(product, *load))
        return refusal;
    return std::nullopt;
  }

  // Turned tiles mix columns of several of CUDA's.
  bool mayTurnBetween(const Product &product) const {
    for (const FragmentUse &use : kernel_.uses)
      if (use.declaration == product.d && use.isOfSomeTiles)
        return false;
    return !kernel_.staysNative() || kernel_.between->turnable.count(product.d);
  }

  // Tiles that are taken together are whole only behind the loop over them: it must run
  // for all of them alike, and nothing in it but the products may touch them.
  std::optional<Refusal> checkTileLoops(const Product &product) const {
    if (product.scheme.tilesTogether() == 1)
      return std::nullopt;
    for (const MmaSite *mma : product.mmas)
      for (const Loop &loop : mma->loops)
        if (loop.variable == mma->d[0].tile[product.nDim].variable)
          if (auto refusal = checkTileLoop(product, *mma, loop.range))
            return refusal;
    return std::nullopt;
  }

  std::optional<Refusal> checkTileLoop(const Product &product, const MmaSite &mma,
                                       const TextRange &loop) const {
    const std::string name = "'" + mma.d[0].variable + "'";
    for (const FragmentUse &use : kernel_.uses)
      if (use.declaration == product.d && loop.contains(use.range))
        return Refusal{name + " is set or read in the loop over its tiles along n", use.range};
    const auto isInside = [&](const std::vector<TextRange> &places) {
      return llvm::any_of(places, [&](const TextRange &place) { return loop.contains(place); });
    };
    if (isInside(kernel_.jumps) || isInside(mma.decided))
      return Refusal{"tiles of " + name + " along n are not all multiplied alike", mma.range};
    for (const LoadSite &load : kernel_.loads)
      if (loop.contains(load.range) && isInside(load.decided))
        return Refusal{"operands are not read alike for all tiles of " + name + " along n",
                       load.range};
    return std::nullopt;
  }

  std::optional<Refusal> tileFits(const Product &product, const LoadSite &load) {
    const Index *index = nullptr;
    if (product.nDimB >= 0)
      index = &load.registers[0].tile[product.nDimB];
    else
      index = &product.mmas[0]->d[0].tile[product.nDim];
    const bool inLoop = llvm::any_of(
        load.loops, [&](const Loop &loop) { return loop.variable == index->variable; });
    if (index->variable.empty() || !inLoop || (index->scale != 1 && index->scale != 2) ||
        index->offset != 0)
      return Refusal{"the tile that ldmatrix reads is no plain loop index", load.range};
    if (readsPair(product, load))
      return std::nullopt;
    if (!llvm::is_contained(load.address.loopVariables, index->variable) ||
        llvm::is_contained(load.address.walksIn, index->variable))
      return Refusal{"the address of ldmatrix walks along the tiles", load.range};
    return std::nullopt;
  }

  // The two tiles that go together are read by one statement: its address stays where it is.
  static bool readsPair(const Product &product, const LoadSite &load) {
    if (product.nDimB < 0 || product.scheme.tilesTogether() != 2 || load.isGathered())
      return false;
    const auto indexOf = [&](const Slot &slot) { return slot.tile[product.nDimB]; };
    const Index first = indexOf(load.registers[0]);
    const bool isEven = first.scale == 2 || llvm::any_of(load.loops, [&](const Loop &loop) {
                          return loop.variable == first.variable && loop.first == 0 && loop.step &&
                                 *loop.step % 2 == 0;
                        });
    return isEven && llvm::any_of(load.registers, [&](const Slot &slot) {
             const Index other = indexOf(slot);
             return other.variable == first.variable && other.scale == first.scale &&
                    (other.offset ^ first.offset) == 1;
           });
  }

  // Fragments may only be filled, read by ldmatrix and multiplied up to the end of the
  // loops; behind them accumulators are the kernel's own again.
  std::optional<Refusal> checkUses(const std::vector<Product> &products) {
    for (const Product &product : products)
      for (const Kernel::Variable &v : kernel_.variables)
        if (v.beginsUnequal && !isFollowed(v.declaration) &&
            (v.declaration == product.d || product.a.count(v.declaration) ||
             product.b.count(v.declaration)))
          return Refusal{"the registers of '" + v.name + "' begin with different values",
                         v.statement};
    for (const Product &product : products)
      for (const FragmentUse &use : kernel_.uses) {
        if (use.isFill)
          continue;
        const bool isC = use.declaration == product.d;
        if (!isC && !product.a.count(use.declaration) && !product.b.count(use.declaration))
          continue;
        const std::string name = nameOf(use.declaration);
        if (isFollowed(use.declaration) && kernel_.between->region.contains(use.range))
          continue;
        if (!isC)
          return Refusal{"'" + name + "' is an operand and is used by other code", use.range};
        const TextRange region = regionOf(kernel_, product.d);
        if (use.range.begin < region.end)
          return Refusal{"'" + name + "' is used between the products" + whyBetween(), use.range};
      }
    for (const LoadSite &load : kernel_.loads)
      for (const Product &p : products)
        for (const Product &q : products)
          if (auto refusal = checkShared(load, p, q))
            return refusal;
    return std::nullopt;
  }

  // A variable that two products read has one layout at a time, and a load that may not
  // have run leaves the other's there.
  std::optional<Refusal> checkShared(const LoadSite &load, const Product &p,
                                     const Product &q) const {
    const uint64_t variable = load.registers[0].declaration;
    const auto reads = [&](const Product &product) {
      return product.a.count(variable) || product.b.count(variable);
    };
    const Scheme &x = p.scheme, &y = q.scheme;
    const bool alike = x.turned == y.turned && x.side == y.side && x.single == y.single &&
                       x.farWords == y.farWords && x.shallow == y.shallow &&
                       p.a.count(variable) == q.a.count(variable);
    if (&p == &q || alike || !reads(p) || !reads(q))
      return std::nullopt;
    if ((feeds(load, p) && feeds(load, q)) || !load.decided.empty())
      return Refusal{"two products want '" + nameOf(variable) + "' in different layouts",
                     load.range};
    return std::nullopt;
  }

  static bool wantDifferent(const Scheme &p, const Scheme &q) {
    return p.turned != q.turned || p.side != q.side || p.single != q.single ||
           p.farWords != q.farWords || p.shallow != q.shallow;
  }

  std::string nameOf(uint64_t declaration) const {
    for (const Kernel::Variable &v : kernel_.variables)
      if (v.declaration == declaration)
        return v.name;
    return "?";
  }

  const Kernel &kernel_;
  const PlanLimits limits_;
};

} // namespace

const std::vector<isa::Arch> &outputArchs() {
  static const std::vector<isa::Arch> archs = {isa::Arch::Gfx90a, isa::Arch::Gfx942,
                                               isa::Arch::Gfx950};
  return archs;
}

std::optional<Refusal> planKernel(const Kernel &kernel, const PlanLimits &limits,
                                  std::vector<Product> &products) {
  return Planner(kernel, limits).plan(products);
}

std::vector<const MmaSite *> fedBy(const Kernel &kernel, const LoadSite &load) {
  const uint64_t variable = load.registers[0].declaration;
  const auto isOf = [&](const Slot &slot) { return slot.declaration == variable; };
  std::vector<const MmaSite *> fed;
  for (size_t around = load.loops.size() + 1; around-- > 0 && fed.empty();)
    for (const MmaSite &mma : kernel.mmas)
      if ((around == 0 || load.loops[around - 1].range.contains(mma.range)) &&
          (llvm::any_of(mma.a, isOf) || llvm::any_of(mma.b, isOf)))
        fed.push_back(&mma);
  return fed;
}

bool inOrder(const std::vector<Slot> &slots) {
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].isScalar || slots[i].reg != static_cast<int>(i) || !slots[i].sameTile(slots[0]))
      return false;
  return true;
}

TextRange regionOf(const Kernel &kernel, uint64_t accumulator) {
  TextRange scope = kernel.range;
  for (const Kernel::Variable &v : kernel.variables)
    if (v.declaration == accumulator && v.scope.end)
      scope = v.scope;
  TextRange region;
  for (const MmaSite &mma : kernel.mmas) {
    if (mma.d[0].declaration != accumulator)
      continue;
    // Sums that a lambda or function has for itself live and end in there.
    std::vector<MmaSite::Call> places = mma.calls;
    if (llvm::any_of(places, [&](const auto &call) { return !scope.contains(call.range); }))
      places.clear();
    if (places.empty())
      places = {{mma.range, mma.loops}};
    for (const MmaSite::Call &place : places) {
      TextRange range = place.range;
      for (const Loop &loop : place.loops)
        if (scope.contains(loop.range)) {
          range = loop.range;
          break;
        }
      if (region.end == 0)
        region = range;
      region.begin = std::min(region.begin, range.begin);
      region.end = std::max(region.end, range.end);
    }
  }
  return region;
}

} // namespace layout_port::native
