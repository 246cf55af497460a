#include "native/Solve.h"

#include "native/Digits.h"
#include "native/Operands.h"
#include "native/Price.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace layout_port::native {

namespace {

class Planner {
public:
  Planner(const Kernel &kernel, const PlanLimits &limits)
      : kernel_(kernel), limits_(limits), pricer_(kernel) {}

  // Products with their schemes, in every way that holds; a refusal when there is none.
  std::optional<Refusal> plan(KernelPlans &out) {
    if (!kernel_.problem.empty())
      return Refusal{kernel_.problem, kernel_.problemAt};
    if (auto refusal = checkReordered())
      return refusal;
    if (auto refusal = checkRanges())
      return refusal;
    std::vector<Product> products;
    for (const MmaSite &mma : kernel_.mmas)
      if (auto refusal = add(mma, products))
        return refusal;
    addSources(products);
    for (const Product &product : products)
      for (const uint64_t v : product.a)
        if (v == product.d || product.b.count(v) || product.b.count(product.d))
          return Refusal{"operands and sums in one variable '" + nameOf(v) + "'",
                         product.mmas[0]->range};
    if (auto refusal = checkFourBlocks(products))
      return refusal;
    if (auto refusal = checkFilled(products))
      return refusal;
    // A function's text serves all kernels that call it: no choice that is one kernel's own.
    mayBeWide_ = kernel_.functions.empty();
    for (const Product &product : products) {
      options_.emplace_back();
      overfull_.clear();
      const auto refusal = findOptions(product, out);
      // The author's own choice: it does not fit CUDA's registers, either, and goes to memory.
      if (options_.back().empty())
        options_.back() = std::move(overfull_);
      if (options_.back().empty())
        return refusal;
    }
    if (auto refusal = checkUses(products))
      return refusal;
    if (auto refusal = checkWhole(products))
      return refusal;
    return choose(out);
  }

private:
  // ---- one way for each product, together

  // A product in one of its ways.
  struct Option {
    Product product;
    std::vector<Price> prices; // by outputArchs()
    double total = 0;
  };

  // The cheapest combinations that agree on what their products share. Options are sorted,
  // so a branch ends where it cannot be better than the plans that are kept.
  std::optional<Refusal> choose(KernelPlans &out) {
    for (std::vector<Option> &options : options_)
      std::stable_sort(options.begin(), options.end(),
                       [](const Option &a, const Option &b) { return a.total < b.total; });
    least_.assign(options_.size() + 1, 0);
    for (size_t i = options_.size(); i-- > 0;)
      least_[i] = least_[i + 1] + options_[i].front().total;
    std::vector<const Option *> chosen;
    combine(chosen, 0, out.plans);
    return out.plans.empty() ? conflict_ : std::nullopt;
  }

  void combine(std::vector<const Option *> &chosen, double total, std::vector<Plan> &plans) {
    const size_t next = chosen.size();
    const bool isHopeless =
        plans.size() == kPlansKept && total + least_[next] >= plans.back().total;
    if (isHopeless || ++combined_ > kCombinations)
      return;
    if (next == options_.size())
      return keep(chosen, total, plans);
    for (const Option &option : options_[next]) {
      if (auto refusal = conflictWith(chosen, option.product)) {
        if (!conflict_)
          conflict_ = refusal;
        continue;
      }
      chosen.push_back(&option);
      combine(chosen, total + option.total, plans);
      chosen.pop_back();
    }
  }

  static void keep(const std::vector<const Option *> &chosen, double total,
                   std::vector<Plan> &plans) {
    Plan plan;
    plan.total = total;
    plan.prices.resize(outputArchs().size());
    for (const Option *option : chosen) {
      plan.products.push_back(option->product);
      for (size_t i = 0; i < plan.prices.size(); ++i)
        plan.prices[i] += option->prices[i];
    }
    const auto behind =
        llvm::find_if(plans, [&](const Plan &other) { return other.total > total; });
    plans.insert(behind, std::move(plan));
    if (plans.size() > kPlansKept)
      plans.pop_back();
  }

  std::optional<Refusal> conflictWith(const std::vector<const Option *> &chosen,
                                      const Product &product) const {
    for (const Option *option : chosen) {
      const Product &other = option->product;
      if (auto refusal = whyNotMeet(other, product))
        return refusal;
      if (other.d == product.d && !haveOneResult(other, product))
        return Refusal{"two kinds of mma want one accumulator in different layouts",
                       product.mmas[0]->range};
      if (auto refusal = whyNotOneText(other, product))
        return refusal;
      const auto shares = [](const std::set<uint64_t> &a, const std::set<uint64_t> &b) {
        return llvm::any_of(a, [&](uint64_t v) { return b.count(v) != 0; });
      };
      if (other.scheme.wide != product.scheme.wide &&
          (shares(other.a, product.a) || shares(other.b, product.b)))
        return Refusal{"two products that share an operand want it in different widths",
                       product.mmas[0]->range};
      for (const LoadSite &load : kernel_.loads) {
        if (auto refusal = checkShared(load, other, product))
          return refusal;
        if (auto refusal = checkShared(load, product, other))
          return refusal;
      }
    }
    return std::nullopt;
  }

  // As it is, and with steps of k that wait for each other, where that can be.
  void offer(Product product, KernelPlans &out) {
    product.held.clear();
    offerOne(product, out);
    if (!product.stepLoop && !product.scheme.large && limits_.mayHold)
      addHeld(product);
    if (!product.held.empty())
      offerOne(product, out);
  }

  void offerOne(const Product &product, KernelPlans &out) {
    Option option;
    option.product = product;
    for (const isa::Arch arch : outputArchs()) {
      option.prices.push_back(pricer_.price(product, arch));
      option.total += option.prices.back().total();
    }
    const int registers = option.prices.front().registers;
    if (registers > kLaneRegisters) {
      out.blocked.push_back({product,
                             {"it takes " + std::to_string(registers) + " registers of the " +
                                  std::to_string(kLaneRegisters) + " that a lane has",
                              product.mmas[0]->range}});
      overfull_.push_back(std::move(option));
      return;
    }
    options_.back().push_back(std::move(option));
  }

  // Where a chip has a deeper MFMA than the scheme's.
  void addHeld(Product &product) const {
    for (const MmaSite *mma : product.mmas) {
      if (mma->satfinite) // at each step
        continue;
      const auto held = heldSteps(kernel_, *mma);
      const bool isSplit = held && held->turns == 0;
      const std::vector<isa::Arch> &archs =
          isSplit && !limits_.targets.empty() ? limits_.targets : outputArchs();
      if (held && mostTogether(archs, *mma, product.scheme.words(), *held) > 1)
        product.held[mma] = *held;
    }
  }

  // A loop that takes tiles in another order holds nothing but their products.
  std::optional<Refusal> checkReordered() const {
    for (const MmaSite &mma : kernel_.mmas)
      for (const Loop &loop : mma.loops) {
        const auto isThere = [&](const LoadSite &load) { return isWithin(load, loop.range); };
        if (loop.isReordered && (llvm::any_of(kernel_.loads, isThere) ||
                                 llvm::any_of(kernel_.uses, [&](const FragmentUse &use) {
                                   return loop.range.contains(use.range) ||
                                          loop.range.contains(use.place);
                                 })))
          return Refusal{"'" + mma.d[0].variable +
                             "' takes its tiles in another order in a loop that does more than "
                             "multiply",
                         mma.range};
      }
    return std::nullopt;
  }

  // One statement, one matrix instruction: its new text stands for the whole.
  std::optional<Refusal> checkRanges() const {
    std::vector<std::pair<TextRange, unsigned>> all;
    for (const MmaSite &mma : kernel_.mmas)
      all.push_back({mma.range, mma.frame});
    for (const LoadSite &load : kernel_.loads)
      if (!load.isInCall && !load.isFurther() && !load.isAhead)
        all.push_back({load.range, load.frame});
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const bool meet =
            all[i].first.contains(all[j].first) || all[j].first.contains(all[i].first);
        if (meet && !(all[i].first == all[j].first && all[i].second != all[j].second))
          return Refusal{"several matrix instructions in one statement or wrapper", all[i].first};
      }
    return std::nullopt;
  }

  std::optional<Refusal> add(const MmaSite &mma, std::vector<Product> &products) {
    const bool deep = mma.a.size() == 4 && mma.b.size() == 2;
    const bool shallow = mma.a.size() == 2 && mma.b.size() == 1;
    const bool eightRows =
        mma.m == 8 && mma.a.size() == 1 && mma.b.size() == 1 && mma.d.size() == 2;
    const bool isDouble = mma.typeA == ptx::Type::F64;
    const bool four = isDouble && mma.a.size() == 8 && mma.b.size() == 4;
    const bool sixteenRows = mma.m == 16 && (deep || shallow || four);
    const bool fourBlocks = isFourBlocks(mma);
    if ((!eightRows && !sixteenRows && !fourBlocks) || mma.n != 8)
      return Refusal{mma.name + " has no native scheme yet", mma.range};
    if ((isDouble || fourBlocks) && isFollowed(mma.d[0].declaration))
      return Refusal{"between the products of " + mma.name + " other code works on results" +
                         (isDouble ? " of 64 bits" : ""),
                     mma.range};
    if (mma.d[0].isSwapped && isFollowed(mma.d[0].declaration))
      return Refusal{"between the products other code works on '" + mma.d[0].variable +
                         "', whose tiles have every other pair of registers",
                     mma.range};
    if (kernel_.isConverted(mma.a) || kernel_.isConverted(mma.b))
      if (isDouble || fourBlocks)
        return Refusal{mma.name + " takes no operand that other code changes", mma.range};
    for (const std::vector<Slot> *operand :
         {&mma.a, &mma.b}) // counted in another order than CUDA's
      if (kernel_.isConverted(*operand) &&
          llvm::any_of(*operand, [](const Slot &slot) { return slot.isSwapped; }))
        return Refusal{"other code changes '" + (*operand)[0].variable +
                           "', whose tiles have every other register",
                       mma.range};
    const bool inTilesA = inOrder(mma.a) || isFromResults(mma.a) || kernel_.isConverted(mma.a),
               inTiles = inTilesA && (inOrder(mma.b) || kernel_.isConverted(mma.b));
    if ((!inTiles && !fourBlocks) || !inOrder(mma.d) || !inOrder(mma.c))
      return Refusal{"the registers of " + mma.name + " are not one array in order" + whyBetween(),
                     mma.range,
                     !inOrder(mma.d) || !inOrder(mma.c) ? 0
                     : inTilesA                         ? mma.b[0].declaration
                                                        : mma.a[0].declaration};
    if (!mma.c[0].sameTile(mma.d[0]))
      return Refusal{"an accumulator that is read from one variable and written to another",
                     mma.range};
    const auto hasSums = [&](const Product &p) { return p.d == mma.d[0].declaration; };
    const auto known = llvm::find_if(
        products, [&](const Product &p) { return hasSums(p) && p.mmas[0]->name == mma.name; });
    const auto first = llvm::find_if(products, hasSums);
    if (known == products.end() && first != products.end() && !mayShareSums(*first->mmas[0], mma))
      return Refusal{"one accumulator of two kinds of mma", mma.range};
    const bool isNew = known == products.end(), isFurther = isNew && first != products.end();
    Product &product = isNew ? products.emplace_back() : *known;
    product.isFurther |= isFurther;
    product.d = mma.d[0].declaration;
    product.mmas.push_back(&mma);
    if (fourBlocks) // whose operands are nobody's but the kernel's
      return std::nullopt;
    for (const Slot &slot : mma.a)
      product.a.insert(slot.declaration);
    product.b.insert(mma.b[0].declaration);
    return std::nullopt;
  }

  // Their results lie alike, whatever k: m16n8k16 and, for the rest of k, m16n8k8.
  static bool mayShareSums(const MmaSite &mma, const MmaSite &other) {
    return mma.m == 16 && other.m == 16 && mma.typeA == other.typeA && mma.typeB == other.typeB &&
           mma.typeD == other.typeD && mma.typeC == other.typeC;
  }

  // What is copied into an operand is one: it has the same layout.
  void addSources(std::vector<Product> &products) const {
    const auto isSum = [&](uint64_t variable) {
      return llvm::any_of(products, [&](const Product &p) { return p.d == variable; });
    };
    for (Product &product : products)
      for (std::set<uint64_t> *operands : {&product.a, &product.b})
        for (size_t before = 0; before != operands->size();) {
          before = operands->size();
          for (const Kernel::Copy &copy : kernel_.copies)
            if (operands->count(copy.to) && !isSum(copy.from))
              operands->insert(copy.from);
        }
  }

  // The statement copies all there is, of two that have one layout.
  bool isCopy(const Product &product, const FragmentUse &use) const {
    return llvm::any_of(kernel_.copies, [&](const Kernel::Copy &copy) {
      const bool isIts = use.declaration == copy.from || use.declaration == copy.to;
      return isIts && copy.range.contains(use.range) &&
             ((product.a.count(copy.from) && product.a.count(copy.to)) ||
              (product.b.count(copy.from) && product.b.count(copy.to)));
    });
  }

  bool isCopied(const Product &product) const {
    return llvm::any_of(kernel_.copies, [&](const Kernel::Copy &copy) {
      return product.a.count(copy.to) || product.b.count(copy.to);
    });
  }
  // Of four tiles in one MFMA, B may have more registers than CUDA's, which the copy would leave
  // out.
  std::optional<Refusal> checkCopies(const Product &product) const {
    for (const Kernel::Copy &copy : kernel_.copies)
      if (product.scheme.large && product.b.count(copy.to) && !copy.isWhole)
        return Refusal{"'" + nameOf(copy.to) + "' is copied register by register", copy.range};
    return std::nullopt;
  }

  static bool isFourBlocks(const MmaSite &mma) {
    return mma.m == 8 && mma.k == 4 && mma.typeA == ptx::Type::F16 && mma.a.size() == 2 &&
           mma.b.size() == 2 && mma.d.size() == (mma.typeD == ptx::Type::F16 ? 4 : 8);
  }

  // Its operands have CUDA's layout: they are in no variable that a product leaves in another.
  static std::optional<Refusal> checkFourBlocks(const std::vector<Product> &products) {
    std::set<uint64_t> moved;
    for (const Product &product : products) {
      moved.insert(product.d);
      moved.insert(product.a.begin(), product.a.end());
      moved.insert(product.b.begin(), product.b.end());
    }
    for (const Product &product : products)
      for (const MmaSite *mma : product.mmas)
        for (const std::vector<Slot> *slots : {&mma->a, &mma->b})
          for (const Slot &slot : *slots)
            if (isFourBlocks(*mma) && moved.count(slot.declaration))
              return Refusal{"'" + slot.variable + "' of another product is an operand of " +
                                 mma->name,
                             mma->range};
    return std::nullopt;
  }

  // A load is one of the operand that its first register is of: what else it fills would stay in
  // CUDA's lanes.
  std::optional<Refusal> checkFilled(const std::vector<Product> &products) const {
    enum Side { None, A, B };
    const auto sideOf = [&](const Slot &slot) {
      for (const Product &product : products)
        if (product.a.count(slot.declaration) || product.b.count(slot.declaration))
          return product.a.count(slot.declaration) ? A : B;
      return None;
    };
    for (const LoadSite &load : kernel_.loads) {
      if (!load.problem.empty())
        continue; // the plan says so
      const auto &registers = load.registers;
      for (const Slot &slot : registers)
        if (sideOf(slot) != None && sideOf(slot) != sideOf(registers[0]))
          return Refusal{"one load fills '" + slot.variable +
                             "' and variables that are no such operand",
                         load.range, slot.declaration};
      for (size_t i = 0; i < registers.size() && sideOf(registers[0]) != None; ++i)
        for (size_t j = 0; j < i; ++j)
          if (registers[i].reg == registers[j].reg && registers[i].sameTile(registers[j]))
            return Refusal{"one load fills a register of '" + registers[i].variable + "' twice",
                           load.range, registers[i].declaration};
    }
    return std::nullopt;
  }

  std::optional<Refusal> findFourBlocks(Product product, KernelPlans &out) {
    const MmaSite &mma = *product.mmas[0];
    const auto scheme = makeFourBlocks(mma);
    if (!scheme)
      return Refusal{scheme.error().message, mma.range};
    product.scheme = *scheme;
    product.noEpilogue = "its tiles are four blocks of eight rows";
    offer(product, out);
    return options_.back().empty() ? std::optional(out.blocked.back().why) : std::nullopt;
  }

  // Made between the products from what other products gave.
  bool isFromResults(const std::vector<Slot> &slots) const {
    return kernel_.staysNative() && llvm::all_of(slots, [&](const Slot &slot) {
             return llvm::none_of(kernel_.loads, [&](const LoadSite &load) {
               return load.registers[0].declaration == slot.declaration;
             });
           });
  }

  // Another product has one of its operands, and an A that is made from results.
  bool sharesWithResults(const Product &product) const {
    const auto has = [&](const Slot &slot) {
      return product.a.count(slot.declaration) || product.b.count(slot.declaration);
    };
    const auto isFromResults = [&](const MmaSite &mma) { return this->isFromResults(mma.a); };
    return llvm::any_of(kernel_.mmas, [&](const MmaSite &mma) {
      return mma.d[0].declaration != product.d && (has(mma.a[0]) || has(mma.b[0])) &&
             llvm::any_of(kernel_.mmas, [&](const MmaSite &other) {
               return other.d[0].declaration == mma.d[0].declaration && isFromResults(other);
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

  // One constant in all their registers, like the ones that sum rows up: every lane has it as the
  // MFMA wants it, but where halves of two registers are put together.
  bool areConstant(const std::set<uint64_t> &variables) const {
    return llvm::all_of(variables, [&](uint64_t variable) {
      return llvm::any_of(kernel_.variables, [&](const Kernel::Variable &v) {
        return v.isConstant && v.declaration == variable;
      });
    });
  }
  bool areRead(const std::set<uint64_t> &variables) const {
    return llvm::all_of(variables, [&](uint64_t variable) {
      return llvm::any_of(kernel_.loads, [&](const LoadSite &load) {
        return load.registers[0].declaration == variable;
      });
    });
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

  // All ways to do one product that hold by themselves; what speaks against the others.
  std::optional<Refusal> findOptions(Product product, KernelPlans &out) {
    const MmaSite &mma = *product.mmas[0];
    if (isFourBlocks(mma))
      return findFourBlocks(product, out);
    const auto a = loadsOf(product, product.a), b = loadsOf(product, product.b);
    // Results become an A as they lie, with words of k far apart; where others are read into the
    // same sums, all are read so.
    const bool fromResults =
        llvm::any_of(product.mmas, [&](const MmaSite *site) { return isFromResults(site->a); });
    const bool movesA = llvm::any_of(
                   product.mmas, [&](const MmaSite *site) { return kernel_.isConverted(site->a); }),
               movesB = llvm::any_of(
                   product.mmas, [&](const MmaSite *site) { return kernel_.isConverted(site->b); });
    const bool isUnknown = b.empty() && !movesB && !areConstant(product.b);
    for (const LoadSite &load : kernel_.loads) // words lie one way or the other
      for (const Slot &slot : load.registers)
        if ((product.a.count(slot.declaration) || product.b.count(slot.declaration)) &&
            isFollowed(slot.declaration))
          return Refusal{"'" + slot.variable + "' is read, and is made from results elsewhere",
                         load.range, slot.declaration};
    const auto isReadNowhere = [&](const MmaSite *site) {
      return !isFromResults(site->a) && !kernel_.isConverted(site->a) &&
             llvm::none_of(a, [&](const LoadSite *load) {
               return load->registers[0].declaration == site->a[0].declaration;
             });
    };
    const auto readNowhere = llvm::find_if(product.mmas, isReadNowhere);
    if (readNowhere != product.mmas.end())
      if (auto changed = changedBetween())
        return changed;
    if (readNowhere != product.mmas.end() || isUnknown)
      return Refusal{std::string("operand ") + (isUnknown ? "B" : "A") + " of " + mma.name +
                         " is neither read by ldmatrix nor put together in one place" +
                         (isUnknown ? "" : whyBetween()),
                     mma.range,
                     isUnknown ? mma.b[0].declaration : (*readNowhere)->a[0].declaration};
    // What other code makes of an operand may be another thing in each warp.
    bool aDiffers = fromResults || movesA, bDiffers = movesB, allTransposed = true,
         allGathered = true;
    const bool begins = llvm::any_of(b, [](const LoadSite *load) { return isBegin(*load); });
    for (const LoadSite *load : a)
      if (isBegin(*load))
        return Refusal{"A is computed lane by lane from values that are read", load->range};
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
          return Refusal{load->problem, load->range,
                         isBegin(*load) || load->isInCall ? 0 : load->registers[0].declaration};
        if (mma.typeA == ptx::Type::F64 && (!load->isGathered() || isBegin(*load)))
          return Refusal{"operands of 64 bits that are not put together register by register",
                         load->range};
      }
    const PairSide side = limits_.onlyApart ? PairSide::Apart
                          : !aDiffers       ? PairSide::Columns
                          : !bDiffers       ? PairSide::Rows
                                            : PairSide::Apart;
    const bool shallow = mma.b.size() == 1, four = mma.b.size() == 4;
    const auto arms = armsFor(mma, shallow ? 1 : four ? 4 : 2, outputArchs());
    if (!arms)
      return Refusal{arms.error().message, mma.range};
    if (const auto scheme = makeScheme({side}, *arms->front().instruction); !scheme)
      return Refusal{scheme.error().message, mma.range};
    findColumnIndex(product);
    const bool mayTurn = limits_.mayTurn && !movesB && allTransposed && areRead(product.b) &&
                         !shallow && (mma.typeD != ptx::Type::F16 || halvesMayPart(product));
    std::optional<Refusal> last;
    std::vector<Choice> all =
        mma.m == 8 ? choicesOfEightRows(side)
                   : choices(side, mayTurn && mayTurnBetween(product, false),
                             mayTurn && mayTurnBetween(product, true), mayBeOdd(product));
    const auto largeArms = armsFor(mma, shallow ? 2 : 4, outputArchs(), 32);
    for (Choice &choice : all) {
      choice.shallow = shallow;
      choice.fourWords = four;
      choice.farWords = (allGathered || fromResults || begins || movesA || movesB) && !shallow;
    }
    if (movesB) // the tile's registers hold nothing of another tile
      llvm::erase_if(all, [](const Choice &choice) {
        return choice.side != PairSide::Columns &&
               !(choice.side == PairSide::Apart && choice.single);
      });
    if (all.empty())
      return Refusal{"operand B is changed by other code", mma.range};
    if (!shallow && !all[0].farWords && sharesWithResults(product))
      for (Choice &choice : std::vector<Choice>(all)) {
        choice.farWords = true;
        all.push_back(choice);
      }
    if (largeArms && side != PairSide::Apart && !fromResults && !movesA && !movesB && !begins &&
        mayBeLarge(product, a, b)) {
      Choice large{side};
      large.large = true;
      large.shallow = shallow;
      if (side == PairSide::Rows || findRowIndex(product))
        all.push_back(large);
    }
    for (const Choice &choice : all) {
      const isa::MatrixInstruction &mfma = *(choice.large ? largeArms : arms)->front().instruction;
      product.scheme = *makeScheme(choice, mfma);
      auto refusal = fits(product, b);
      if (!refusal && product.scheme.rowTilesTogether() > 1)
        refusal = rowsFit(product, a);
      if (!refusal)
        refusal = checkTileLoops(product);
      if (!refusal)
        refusal = checkCopies(product);
      if (refusal) {
        if (choice.side == side)
          last = refusal;
        out.blocked.push_back({product, *refusal});
        continue;
      }
      addVariants(product, choice, mfma, a, b, out);
    }
    if (!options_.back().empty())
      return std::nullopt;
    return last ? last : out.blocked.back().why;
  }

  // A 32x32 MFMA's words of B need room in the kernel's own variables; what u8 wants of an MFMA is
  // asked of 16x16 ones.
  bool mayBeLarge(const Product &product, const std::vector<const LoadSite *> &a,
                  const std::vector<const LoadSite *> &b) const {
    const MmaSite &mma = *product.mmas[0];
    const auto isRead = [](const LoadSite *load) { return !isBegin(*load) && !load->isInCall; };
    return mma.m == 16 && mma.a.size() == 2 * mma.b.size() && mma.b.size() <= 2 &&
           mma.typeA != ptx::Type::U8 && mma.typeB != ptx::Type::U8 && mayDouble() &&
           !limits_.anyNumber && !limits_.onlySingle && !kernel_.between &&
           !mma.d[0].flatRegisters && llvm::all_of(a, isRead) && llvm::all_of(b, isRead) &&
           (product.nDimB >= 0 || llvm::all_of(product.b,
                                               [&](uint64_t v) {
                                                 return grows(v,
                                                              static_cast<int64_t>(mma.b.size()));
                                               })) &&
           llvm::none_of(kernel_.variables, [&](const Kernel::Variable &v) {
             return v.declaration == product.d && v.isPrivate;
           });
  }

  bool mayDouble() const { return limits_.mayDouble && limits_.mayFollow; }

  // With two steps of k at once or not, and each end that is possible.
  void addVariants(Product product, Choice choice, const isa::MatrixInstruction &mfma,
                   const std::vector<const LoadSite *> &a, const std::vector<const LoadSite *> &b,
                   KernelPlans &out) {
    const Loop *stepLoop =
        choice.large || isCopied(product) ? nullptr : findStepLoop(product, a, b, choice);
    for (const Loop *steps : {stepLoop, static_cast<const Loop *>(nullptr)}) {
      product.stepLoop = steps;
      choice.deep = steps != nullptr;
      addEnds(product, choice, mfma, out);
      if (!stepLoop)
        break;
    }
  }

  // ---- two steps of k at once

  // A loop over k that only reads this product's operands and multiplies them, and whose
  // variable nothing but the addresses mentions.
  const Loop *findStepLoop(const Product &product, const std::vector<const LoadSite *> &a,
                           const std::vector<const LoadSite *> &b, const Choice &choice) const {
    if (llvm::any_of(product.mmas, [](const MmaSite *mma) { return mma->isFromZero; }))
      return nullptr;
    if (choice.shallow || choice.single || choice.farWords || !mayDouble() ||
        product.mmas[0]->d[0].flatRegisters)
      return nullptr;
    const MmaSite &first = *product.mmas[0];
    for (const Loop &loop : llvm::reverse(first.loops)) {
      const bool plain = !loop.isDigit() && loop.first && loop.last && loop.step &&
                         *loop.step > 0 && loop.increment.end && !loop.variable.empty() &&
                         kernel_.range.contains(loop.range) &&
                         llvm::any_of(kernel_.productLoops,
                                      [&](const TextRange &r) { return sameRange(r, loop.range); });
      if (!plain || indexesTiles(product, loop.variable))
        continue;
      if (stepsDiffer(loop, product.mmas) || stepsDiffer(loop, a) || stepsDiffer(loop, b))
        return nullptr;
      const int64_t span = *loop.last - *loop.first;
      const bool even = span > 0 && span % (2 * *loop.step) == 0;
      return even && holdsOnly(loop, product, a, b) && addressesFollow(loop, a) &&
                     addressesFollow(loop, b) && hasRoom(product, choice)
                 ? &loop
                 : nullptr;
    }
    return nullptr;
  }

  static bool sameRange(const TextRange &a, const TextRange &b) {
    return a.contains(b) && b.contains(a);
  }

  static const std::vector<Slot> &slotsOf(const LoadSite &load) { return load.registers; }
  static std::vector<Slot> slotsOf(const MmaSite &mma) {
    std::vector<Slot> all;
    for (const std::vector<Slot> *slots : {&mma.d, &mma.c, &mma.a, &mma.b})
      llvm::append_range(all, *slots);
    return all;
  }
  // Does a step do what another one does not: with other tiles, or in loops that go otherwise?
  template <class Site>
  static bool stepsDiffer(const Loop &steps, const std::vector<const Site *> &sites) {
    return llvm::any_of(sites, [&](const Site *site) {
      return llvm::any_of(slotsOf(*site),
                          [&](const Slot &slot) { return slot.turns.count(steps.variable); }) ||
             llvm::any_of(site->loops, [&](const Loop &loop) {
               return steps.range.contains(loop.range) && loop.turns.count(steps.variable);
             });
    });
  }

  static bool indexesTiles(const Product &product, const std::string &variable) {
    const auto in = [&](const std::vector<Slot> &slots) {
      return llvm::any_of(slots, [&](const Slot &slot) {
        return llvm::any_of(slot.tile, [&](const Index &index) {
          return index.variable == variable ||
                 (index.variable.empty() && !index.literal && !index.isMember);
        });
      });
    };
    return llvm::any_of(product.mmas,
                        [&](const MmaSite *mma) { return in(mma->d) || in(mma->a) || in(mma->b); });
  }

  // The loop is the product's own: all of it, all that it reads, and nothing of another's.
  bool holdsOnly(const Loop &loop, const Product &product, const std::vector<const LoadSite *> &a,
                 const std::vector<const LoadSite *> &b) const {
    return llvm::all_of(kernel_.mmas,
                        [&](const MmaSite &mma) {
                          return loop.range.contains(mma.range) ==
                                 llvm::any_of(product.mmas, [&](const MmaSite *own) {
                                   return own == &mma || areTwins(*own, mma);
                                 });
                        }) &&
           llvm::all_of(kernel_.loads, [&](const LoadSite &load) {
             const auto isIts = [&](const LoadSite *own) {
               return own == &load || areTwins(*own, load);
             };
             return loop.range.contains(load.range) ==
                    (llvm::any_of(a, isIts) || llvm::any_of(b, isIts));
           });
  }

  static bool addressesFollow(const Loop &loop, const std::vector<const LoadSite *> &loads) {
    return llvm::all_of(loads, [&](const LoadSite *load) {
      return llvm::is_contained(load->address.loopVariables, loop.variable) &&
             !load->address.hiddenVariables.count(loop.variable) && !load->isGathered() &&
             load->address.fetched.empty() &&
             !llvm::is_contained(load->address.walksIn, loop.variable);
    });
  }

  // Operands double: arrays of registers that the kernel declares itself, and nobody else uses.
  bool grows(uint64_t declaration, int64_t registers) const {
    const bool isUsed = llvm::any_of(
        kernel_.uses, [&](const FragmentUse &use) { return use.declaration == declaration; });
    return !isUsed && llvm::any_of(kernel_.variables, [&](const Kernel::Variable &v) {
      return v.declaration == declaration && v.registers.end && v.registerCount == registers;
    });
  }
  bool hasRoom(const Product &product, const Choice &choice) const {
    return llvm::all_of(product.b, [&](uint64_t v) { return grows(v, 2); }) &&
           (choice.side == PairSide::Columns ||
            llvm::all_of(product.a, [&](uint64_t v) { return grows(v, 4); }));
  }

  // Elements stay where the MFMA leaves them, when the epilogue can follow; in a wide
  // tile, when that is possible as well. Or they go back to CUDA's layout.
  void addEnds(Product product, Choice choice, const isa::MatrixInstruction &mfma,
               KernelPlans &out) {
    const auto known = llvm::find_if(kernel_.epilogues,
                                     [&](const Epilogue &e) { return e.accumulator == product.d; });
    const Epilogue *epilogue = known == kernel_.epilogues.end() ? nullptr : &*known;
    Refusal why = whyNotFollow(product, epilogue);
    const bool mayFollow = why.reason.empty() && epilogue && !epilogue->bodies.empty();
    const bool isBehindBetween = mayFollow && epilogue->isBehindBetween;
    if (mayFollow && isBehindBetween == kernel_.staysNative())
      for (const bool wide : {true, false}) {
        choice.wide = wide;
        const bool isOfOwnRows = epilogue->hasSums || epilogue->usesRows || isBehindBetween;
        if (wide && usedInFront(kernel_, product)) // its tiles are no border's
          continue;
        if (wide && (!mayBeWide_ || choice.turned || choice.single || choice.odd || choice.large ||
                     isOfOwnRows))
          continue;
        if (choice.large && isOfOwnRows)
          continue;
        if (isBehindBetween && choice.turned &&
            !(choice.halfTurned ? epilogue->mayTurnHalf : epilogue->mayTurn))
          continue;
        product.scheme = *makeScheme(choice, mfma);
        if (const auto refusal = epilogueFits(product, *epilogue)) {
          why = *refusal;
          continue;
        }
        product.epilogue = epilogue;
        offer(product, out);
      }
    const bool isRead = epilogue && (!epilogue->bodies.empty() || !epilogue->problem.empty());
    if (isRead && kernel_.staysNative() && !kernel_.between->elsewhere.empty()) {
      // What exchanges results between the products does so behind them, too.
      const Refusal elsewhere{kernel_.between->elsewhere, kernel_.between->elsewhereAt};
      out.blocked.push_back({product, why.reason.empty() ? elsewhere : why});
      return;
    }
    choice.wide = false;
    product.scheme = *makeScheme(choice, mfma);
    product.epilogue = nullptr;
    product.noEpilogue = why.reason;
    product.noEpilogueAt = why.at;
    offer(product, out);
  }

  // Why the epilogue cannot follow, whatever the scheme. No reason: it can, or there is none,
  // or nothing was asked.
  Refusal whyNotFollow(const Product &product, const Epilogue *epilogue) const {
    if (!epilogue)
      return {};
    if (epilogue->bodies.empty() || !epilogue->problem.empty())
      return {epilogue->problem, epilogue->problemAt};
    if (!limits_.mayFollow)
      return {"instances of its template would differ", {}};
    if (product.mmas[0]->m == 8)
      return {"its tiles have eight rows", {}};
    return {};
  }

  std::optional<Refusal> epilogueFits(const Product &product, const Epilogue &epilogue) const {
    for (const EpilogueBody &body : epilogue.bodies) {
      const EpilogueBody::Rebound &rebound = reboundOf(body, product.scheme);
      if (!rebound.problem.empty())
        return Refusal{rebound.problem, body.range};
      if (body.isRow)
        continue;
      if (body.changes && product.scheme.turned && product.mmas[0]->typeD == ptx::Type::F16)
        return Refusal{"it changes words whose halves are of two tiles", body.range};
      for (const Slot &tile : body.tiles)
        if (auto refusal =
                tile.declaration == product.d ? tileFollows(product, body, tile) : std::nullopt)
          return refusal;
    }
    return std::nullopt;
  }

  static std::optional<Refusal> tileFollows(const Product &product, const EpilogueBody &body,
                                            const Slot &tile) {
    const Slot &d = product.mmas[0]->d[0];
    // In one array, the number of a tile is one number, whatever loops count it.
    const int dim = dimOfTilesIn(product, tile);
    const bool isFiner = dim != dimOfTiles(product);
    const bool isOtherNumber = d.flatRegisters && tile.extents != d.extents && !isFiner;
    if (isFiner         ? product.scheme.large || product.scheme.odd
        : isOtherNumber ? product.scheme.tilesTogether() > 1
                        : tile.tile.size() != d.tile.size())
      return Refusal{"the epilogue names tiles of '" + d.variable + "' in another way", body.range};
    if (!tilesMeet(product.scheme))
      return std::nullopt;
    const std::string along = dimOfTiles(product) == product.nDim ? "n" : "m";
    const int together =
        product.scheme.large ? product.scheme.rowTilesTogether() : product.scheme.tilesTogether();
    const Index &index = tile.tile[dim];
    for (const Slot &other : body.tiles)
      if (other.declaration == product.d &&
          (dimOfTilesIn(product, other) != dim || other.tile[dim].variable != index.variable))
        return Refusal{"two tiles that meet in one statement have other numbers along " + along,
                       body.range};
    const Loop *digits = lowerDigitOf(body.loops, index); // t % 4, of which t is told
    const std::string &counter = digits ? digits->variable : index.variable;
    const int64_t extent = isFiner ? tile.extents[dim] : d.extents[dim];
    const bool isPlain =
        index.scale == 1 && index.offset == 0 &&
        !llvm::is_contained(reboundOf(body, product.scheme).names.walksIn, counter);
    const bool isLooped =
        digits ? digits->digitsBy == extent && !product.scheme.odd && extent % together == 0 &&
                     digits->increment.end
               : coversAll(body.loops, index, extent) && stepsByOne(body.loops, index);
    if (!isPlain || !isLooped)
      return Refusal{"no plain loop over the " + along + " tiles of '" + d.variable +
                         "' in the epilogue",
                     body.range};
    if (body.ownTurns.count(counter))
      return Refusal{"the loop over the " + along + " tiles of '" + d.variable +
                         "' in the epilogue does something else in each turn",
                     body.range};
    return std::nullopt;
  }

  // Accumulators whose elements meet in one statement lie in one layout, and tiles that go
  // together have one number along n.
  static std::optional<Refusal> whyNotMeet(const Product &p, const Product &q) {
    const Epilogue *a = p.epilogue, *b = q.epilogue;
    const auto isOf = [](const Epilogue *epilogue, uint64_t accumulator) {
      return epilogue && llvm::any_of(epilogue->bodies, [&](const EpilogueBody &body) {
               return llvm::any_of(
                   body.tiles, [&](const Slot &tile) { return tile.declaration == accumulator; });
             });
    };
    if (!isOf(a, q.d) && !isOf(b, p.d))
      return std::nullopt;
    const ResultNames x = resultNames(p.scheme), y = resultNames(q.scheme);
    const bool alike = a && b && a->leader == b->leader && x.registers == y.registers &&
                       x.tiles == y.tiles && x.lanes == y.lanes &&
                       p.scheme.turned == q.scheme.turned && p.scheme.wide == q.scheme.wide &&
                       p.scheme.side == q.scheme.side &&
                       p.scheme.tilesTogether() == q.scheme.tilesTogether();
    if (!alike)
      return Refusal{"two products whose sums meet in one statement want other layouts",
                     q.mmas[0]->range};
    for (const EpilogueBody &body : a->bodies)
      for (const Slot &tile : body.tiles)
        for (const Slot &other : body.tiles)
          if (tilesMeet(p.scheme) && tile.declaration == p.d && other.declaration == q.d &&
              tile.tile[dimOfTilesIn(p, tile)].variable !=
                  other.tile[dimOfTilesIn(q, other)].variable)
            return Refusal{"two tiles that meet in one statement have other numbers along n",
                           body.range};
    return std::nullopt;
  }

  // The sums of either lie where the other's do, and so does what becomes of them.
  static bool haveOneResult(const Product &p, const Product &q) {
    const auto shape = [](const Product &product) {
      const Scheme &s = product.scheme;
      return std::tuple(s.side, s.turned, s.halfTurned, s.single, s.odd, s.wide, s.large,
                        product.nDim, product.mDim, product.epilogue);
    };
    const ResultNames x = resultNames(p.scheme), y = resultNames(q.scheme);
    return shape(p) == shape(q) && x.registers == y.registers && x.tiles == y.tiles &&
           x.lanes == y.lanes;
  }

  // Two products of one text, which is written once.
  std::optional<Refusal> whyNotOneText(const Product &p, const Product &q) const {
    const auto shape = [](const Product &product) {
      const Scheme &s = product.scheme;
      return std::tuple(s.side, s.turned, s.halfTurned, s.single, s.odd, s.eightRows, s.wide,
                        s.large, s.deep, s.shallow, s.farWords, s.fourWords,
                        product.stepLoop != nullptr);
    };
    const auto isTwinOf = [&](const MmaSite *mma) {
      return llvm::any_of(q.mmas, [&](const MmaSite *other) { return areTwins(*mma, *other); });
    };
    if (limits_.mayPart || !llvm::any_of(p.mmas, isTwinOf) || shape(p) == shape(q))
      return std::nullopt;
    return Refusal{"the sums of two calls of one function want other layouts", q.mmas[0]->range};
  }

  static bool stepsByOne(const std::vector<Loop> &loops, const Index &index) {
    return llvm::any_of(loops, [&](const Loop &loop) {
      return loop.variable == index.variable && loop.step == 1 && loop.increment.end;
    });
  }

  // Of two that cost the same the first is taken: turned where B lies along n, tiles in
  // pairs, each tile by itself; and all of that as if the warps of a wave shared nothing.
  std::vector<Choice> choices(PairSide side, bool mayTurn, bool mayTurnHalf, bool isOdd) const {
    std::vector<Choice> all;
    if (limits_.onlySingle)
      return {{side, false, true, false}};
    for (const PairSide taken : {side, PairSide::Apart}) {
      if (mayTurn && !limits_.inTwos)
        all.push_back({taken, true, false, false});
      const bool isSeen = kernel_.between && taken == PairSide::Columns; // in another order
      if (mayTurnHalf && !isSeen) {
        all.push_back({taken, true, false, false});
        all.back().halfTurned = true;
      }
      if (taken == PairSide::Columns || !limits_.anyNumber)
        all.push_back({taken, false, false, false});
      if (taken != PairSide::Columns && isOdd) {
        all.push_back({taken, false, false, false});
        all.back().odd = true;
      }
      if (taken != PairSide::Columns && !limits_.inPairs && !limits_.anyNumber)
        all.push_back({taken, false, true, false});
      if (side == PairSide::Apart || limits_.inTwos)
        break;
    }
    return all;
  }

  std::vector<Choice> choicesOfEightRows(PairSide side) const {
    Choice paired, single;
    paired.eightRows = single.eightRows = single.single = true;
    paired.side = PairSide::Rows;
    if (side == PairSide::Rows && !limits_.onlySingle)
      return {paired, single};
    return {single};
  }

  // An operand of one tile is another for each value of what it is read by.
  bool isReadBy(const Slot &operand, const std::string &variable) const {
    const bool hasOneTile = operand.tile.empty() && !variable.empty();
    return hasOneTile && llvm::any_of(kernel_.loads, [&](const LoadSite &load) {
             return load.registers[0].declaration == operand.declaration &&
                    (llvm::is_contained(load.address.loopVariables, variable) ||
                     llvm::is_contained(load.address.walksIn, variable) ||
                     load.address.hiddenVariables.count(variable));
           });
  }

  // 2 * j and j * 2 as well.
  static bool isSame(const Index &a, const Index &b) {
    const bool isSum = !a.variable.empty() && a.variable == b.variable;
    return a.text == b.text || (isSum && a.scale == b.scale && a.offset == b.offset);
  }

  // The accumulator's tile index that A does not have.
  void findColumnIndex(Product &product) {
    const MmaSite &mma = *product.mmas[0];
    const auto hasIndex = [](const Slot &operand, const Index &index) {
      return llvm::any_of(operand.tile, [&](const Index &i) { return isSame(i, index); });
    };
    // One number may be another's by chance, but not in all products.
    const auto isOfA = [&](size_t dim) {
      const Index &index = mma.d[0].tile[dim];
      return isReadBy(mma.a[0], index.variable) ||
             (hasIndex(mma.a[0], index) && llvm::all_of(product.mmas, [&](const MmaSite *other) {
                return !index.literal || hasIndex(other->a[0], other->d[0].tile[dim]);
              }));
    };
    std::vector<int> dims;
    for (size_t i = 0; i < mma.d[0].tile.size(); ++i)
      if (!mma.d[0].tile[i].isMember && !isOfA(i))
        dims.push_back(static_cast<int>(i));
    product.nDim = dims.size() == 1 ? dims[0] : -1;
    if (product.nDim < 0)
      return;
    const auto runsAlong = [&](const MmaSite &of, size_t i) {
      return isSame(of.b[0].tile[i], of.d[0].tile[product.nDim]);
    };
    for (size_t i = 0; i < mma.b[0].tile.size(); ++i)
      if (!mma.b[0].tile[i].isMember && runsAlong(mma, i) &&
          llvm::all_of(product.mmas, [&](const MmaSite *other) { // one may have B in its call
            return i < other->b[0].tile.size() &&
                   (!mma.b[0].tile[i].literal || runsAlong(*other, i));
          }))
        product.nDimB = static_cast<int>(i);
  }

  // The accumulator's other tile index, which A has as well: all that either has.
  static bool findRowIndex(Product &product) {
    product.mDim = product.mDimA = -1;
    const auto indexed = [](const Slot &slot) {
      std::vector<int> dims;
      for (size_t i = 0; i < slot.tile.size(); ++i)
        if (!slot.tile[i].isMember)
          dims.push_back(static_cast<int>(i));
      return dims;
    };
    const MmaSite &first = *product.mmas[0];
    const std::vector<int> dims = indexed(first.d[0]), ofA = indexed(first.a[0]);
    if (product.nDim < 0 || product.nDimB < 0 || dims.size() != 2 || ofA.size() != 1)
      return false;
    product.mDim = dims[0] == product.nDim ? dims[1] : dims[0];
    product.mDimA = ofA[0];
    return llvm::all_of(product.mmas, [&](const MmaSite *mma) {
      return indexed(mma->d[0]) == dims && indexed(mma->a[0]) == ofA && inOrder(mma->a) &&
             isSame(mma->a[0].tile[product.mDimA], mma->d[0].tile[product.mDim]);
    });
  }

  // What is asked of two tiles along n is asked of two along m: both are multiplied in each turn,
  // by one B, and read in one loop.
  std::optional<Refusal> rowsFit(const Product &product,
                                 const std::vector<const LoadSite *> &loadsOfA) const {
    for (const MmaSite *mma : product.mmas) {
      const Slot &d = mma->d[0];
      const Index &index = d.tile[product.mDim];
      const int64_t extent = d.extents[product.mDim];
      const Loop *loop = loopOver(*mma, index.variable);
      if (extent % product.scheme.rowTilesTogether() || !loop || index.scale != 1 ||
          index.offset != 0 || index.turns.size() > 1 || !coversAll(mma->loops, index, extent))
        return Refusal{"no plain loop over the m tiles of '" + d.variable + "'", mma->range};
      for (const Slot &slot : mma->b)
        if (slot.turns.count(index.variable))
          return Refusal{"B is another for each m16 tile of '" + d.variable + "'", mma->range};
      if (auto refusal = rowsAlike(product, *mma, *loop))
        return refusal;
      if (auto refusal = checkTileLoop(product, *mma, loop->range))
        return refusal;
    }
    for (const FragmentUse &use : kernel_.uses)
      if (product.a.count(use.declaration) && !use.isFill && !use.isOfNewLife &&
          !isCopy(product, use))
        return Refusal{"'" + nameOf(use.declaration) + "' is changed, and holds rows of two tiles",
                       use.range};
    for (const LoadSite *load : loadsOfA)
      if (auto refusal = tileFits(product, *load, Role::A))
        return refusal;
    return std::nullopt;
  }

  // In a loop over tiles along m: B is not read anew for each, and A is the tile's own.
  std::optional<Refusal> rowsAlike(const Product &product, const MmaSite &mma,
                                   const Loop &loop) const {
    for (const LoadSite &load : kernel_.loads) {
      const uint64_t variable = load.registers[0].declaration;
      const bool isOfA = product.a.count(variable), isOfB = product.b.count(variable);
      const bool isItsTile = isOfA && readsTileOf(load, product.mDimA, loop);
      if ((isOfB || (isOfA && !isItsTile)) && isWithin(load, loop.range) && mayVary(load, loop))
        return Refusal{std::string(isOfA ? "A" : "B") + " is another for each m16 tile of '" +
                           mma.d[0].variable + "'",
                       load.range};
    }
    if (changesAny(product.b, loop.range))
      return Refusal{"B is another for each m16 tile of '" + mma.d[0].variable + "'", mma.range};
    return std::nullopt;
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
      if (!product.scheme.odd && (extent == 0 || extent % together))
        return Refusal{llvm::Twine("'" + mma->d[0].variable + "' has " + llvm::Twine(extent) +
                                   " tiles along n, and the two warps of a wave need " +
                                   llvm::Twine(together) + " together")
                           .str(),
                       mma->range};
      const bool isLooped = !index.variable.empty() && coversAll(mma->loops, index, extent);
      if (product.scheme.odd ? !isLooped || !goOneByOne(*mma, index) : !index.literal && !isLooped)
        return Refusal{"no plain loop over the n tiles of '" + mma->d[0].variable + "'",
                       mma->range};
    }
    if (auto refusal = pairsAlike(product, loads))
      return refusal;
    if (auto refusal = filledAlike(product))
      return refusal;
    if (auto refusal = numberedOneWay(product, loads))
      return refusal;
    if (auto refusal = product.scheme.large ? readBehind(product) : std::nullopt)
      return refusal;
    for (const LoadSite *load : loads)
      if (auto refusal = tileFits(product, *load, Role::B))
        return refusal;
    return std::nullopt;
  }

  // Four tiles are multiplied at the last of them: until then nothing is read over the operands of
  // the others, as where the next step's are read once a tile is done with.
  //
  //   for (j..) { mma(c[j], a, b[j]);  ldmatrix(b[j], next step); }
  std::optional<Refusal> readBehind(const Product &product) const {
    const auto isOver = [&](const Loop &loop, const MmaSite &mma) {
      const Slot &d = mma.d[0];
      return loop.variable == d.tile[product.nDim].variable ||
             (product.mDim >= 0 && loop.variable == d.tile[product.mDim].variable);
    };
    for (const MmaSite *mma : product.mmas)
      for (const Loop &loop : mma->loops)
        for (const LoadSite &load : kernel_.loads) {
          const bool isOperand = llvm::any_of(load.registers, [&](const Slot &slot) {
            return product.a.count(slot.declaration) || product.b.count(slot.declaration);
          });
          const bool isInFront =
              load.isAhead || (load.frame == mma->frame && load.range.file == mma->range.file &&
                               load.range.end <= mma->range.begin);
          if (isOperand && !isInFront && isOver(loop, *mma) && isWithin(load, loop.range))
            return Refusal{"an operand is read behind a product that waits for another tile of '" +
                               mma->d[0].variable + "'",
                           load.range};
        }
    for (const MmaSite *mma : product.mmas)
      for (const Loop &loop : mma->loops)
        if (isOver(loop, *mma) &&
            (changesAny(product.a, loop.range) || changesAny(product.b, loop.range)))
          return Refusal{"an operand is changed where a product waits for another tile of '" +
                             mma->d[0].variable + "'",
                         mma->range};
    return std::nullopt;
  }

  // b[j * 4 + t * 2] is tile [j][t] of two by two, and b[j * 4 + 2] tile [2 * j + 1] of four: which
  // index of the one is which of the other is not looked for.
  std::optional<Refusal> numberedOneWay(const Product &product,
                                        const std::vector<const LoadSite *> &loads) const {
    std::map<uint64_t, const Slot *> known;
    const auto isOneWay = [&](const Slot &slot) {
      return known.try_emplace(slot.declaration, &slot).first->second->extents == slot.extents;
    };
    const auto refuse = [&](const Slot &slot, const TextRange &at) {
      return Refusal{"tiles of '" + nameOf(slot.declaration) + "' are numbered in several ways",
                     at};
    };
    for (const MmaSite *mma : product.mmas)
      for (const Slot *slot : {&mma->d[0], &mma->b[0]})
        if (!isOneWay(*slot))
          return refuse(*slot, mma->range);
    for (const LoadSite *load : loads)
      for (const Slot &slot : load->registers)
        if (!isBegin(*load) && known.count(slot.declaration) && !isOneWay(slot))
          return refuse(slot, load->range);
    return std::nullopt;
  }

  // Registers of tiles that are taken together hold parts of all of them: no tile is filled alone.
  std::optional<Refusal> filledAlike(const Product &product) const {
    const TextRange region = regionOf(kernel_, product.d);
    for (const FragmentUse &use : kernel_.uses)
      if (use.isFill && use.isOfSomeTiles && use.range.begin < region.end &&
          (use.declaration == product.d || product.b.count(use.declaration) ||
           (product.scheme.rowTilesTogether() > 1 && product.a.count(use.declaration))))
        return Refusal{"some tiles of '" + nameOf(use.declaration) + "' are set by themselves",
                       use.range};
    return std::nullopt;
  }

  // All but the last in pairs: where one text serves all instances of a template, of any number.
  bool mayBeOdd(const Product &product) const {
    const int64_t tiles = product.nDim < 0 ? 0 : product.mmas[0]->d[0].extents[product.nDim];
    return limits_.anyNumber || (tiles > 1 && tiles % 2 && !limits_.inPairs);
  }
  static bool goOneByOne(const MmaSite &mma, const Index &index) {
    return index.scale == 1 && index.offset == 0 && mma.d[0].flatText.empty() &&
           stepsByOne(mma.loops, index) && !loopOver(mma, index.variable)->isReordered;
  }

  static const Loop *loopOver(const MmaSite &mma, const std::string &variable) {
    const auto found =
        llvm::find_if(mma.loops, [&](const Loop &loop) { return loop.variable == variable; });
    return found == mma.loops.end() ? nullptr : &*found;
  }

  // Tiles that are taken together are multiplied by one A, equally often, each by its own B.
  std::optional<Refusal> pairsAlike(const Product &product,
                                    const std::vector<const LoadSite *> &loadsOfB) const {
    const int together = product.scheme.tilesTogether();
    std::map<std::pair<unsigned, std::string>, std::map<int64_t, int>> often; // loop, A -> tiles
    for (const MmaSite *mma : product.mmas) {
      const std::string name = "'" + mma->d[0].variable + "'";
      const Index &index = mma->d[0].tile[product.nDim];
      if (index.literal) {
        if (auto refusal = numberedAlike(product, *mma, loadsOfB))
          return refusal;
        continue;
      }
      const Loop *loop = loopOver(*mma, index.variable);
      if (!loop || index.turns.size() > 1)
        return Refusal{"no plain loop over the n tiles of " + name, mma->range};
      std::string a;
      for (const Slot &slot : mma->a) {
        a += std::to_string(slot.declaration) + slot.tileText + " ";
        if (slot.turns.count(index.variable))
          return Refusal{"A is another for each n8 tile of " + name, mma->range};
      }
      if (auto refusal = operandsAlike(product, *mma, *loop, loadsOfB))
        return refusal;
      for (int64_t v = *loop->first; v < *loop->last; v += *loop->step)
        ++often[{loop->range.begin, a}][v * index.scale + index.offset];
    }
    for (const auto &group : often)
      for (int64_t tile = 0; tile < product.mmas[0]->d[0].extents[product.nDim]; ++tile) {
        const auto count = [&](int64_t t) {
          const auto known = group.second.find(t);
          return known == group.second.end() ? 0 : known->second;
        };
        if (count(tile) != count(tile - tile % together))
          return Refusal{"tiles of '" + product.mmas[0]->d[0].variable +
                             "' along n are not all multiplied alike",
                         product.mmas[0]->range};
      }
    return std::nullopt;
  }

  // Tiles that have numbers: those that go together are multiplied side by side, by one A, and
  // nothing is read between.
  //
  //   mma(c[0], a, b[0], b[1]);
  //   mma(c[1], a, b[2], b[3]);
  std::optional<Refusal> numberedAlike(const Product &product, const MmaSite &mma,
                                       const std::vector<const LoadSite *> &loadsOfB) const {
    const std::string name = "'" + mma.d[0].variable + "'";
    const int64_t together = product.scheme.tilesTogether();
    const auto tileOf = [&](const MmaSite &of) { return of.d[0].tile[product.nDim].constant(); };
    std::map<int64_t, int> often;
    TextRange all = mma.range;
    for (const MmaSite *other : product.mmas)
      if (tileOf(*other) / together == tileOf(mma) / together &&
          standBeside(kernel_, mma, *other) && mma.isFromZero == other->isFromZero &&
          areOneTileButFor(product.nDim, mma.d[0], other->d[0]) && haveOneA(mma, *other)) {
        ++often[tileOf(*other)];
        all.begin = std::min(all.begin, other->range.begin);
        all.end = std::max(all.end, other->range.end);
      }
    const bool areAlike =
        static_cast<int64_t>(often.size()) == together &&
        llvm::all_of(often, [&](const auto &tile) { return tile.second == often.begin()->second; });
    if (!areAlike)
      return Refusal{"tiles of " + name + " along n are not all multiplied alike", mma.range};
    for (const FragmentUse &use : kernel_.uses)
      if (use.declaration == product.d && (all.contains(use.range) || all.contains(use.place)))
        return Refusal{name + " is set or read between its tiles along n", use.range};
    for (const LoadSite &load : kernel_.loads) {
      const uint64_t variable = load.registers[0].declaration;
      if ((product.a.count(variable) || product.b.count(variable)) && isWithin(load, all))
        return Refusal{"an operand is read between the n8 tiles of " + name, load.range};
    }
    if (changesAny(product.a, all) || changesAny(product.b, all))
      return Refusal{"an operand is changed between the n8 tiles of " + name, mma.range};
    const bool isOwn =
        product.nDimB >= 0
            ? mma.b[0].tile[product.nDimB].literal == mma.d[0].tile[product.nDim].literal
            : llvm::all_of(loadsOfB, [&](const LoadSite *load) {
                return !feedsMma(*load, mma) || hasOneColumn(product, *load);
              });
    if (!isOwn)
      return Refusal{"which B belongs to which n8 tile of " + name + " is not clear", mma.range};
    return std::nullopt;
  }
  // An operand is changed there (FragmentUse::isAlike); one that moves by another name of it, too.
  bool changesAny(const std::set<uint64_t> &operands, const TextRange &range) const {
    return llvm::any_of(kernel_.uses, [&](const FragmentUse &use) {
      const bool moves = kernel_.isConverted(use.declaration);
      return (use.isAlike || moves) && operands.count(use.declaration) &&
             ((moves && !use.isFill && !use.isDoneThere) || range.contains(use.range) ||
              range.contains(use.place));
    });
  }
  static bool fillsAll(const LoadSite &load, const std::vector<Slot> &operand) {
    return llvm::all_of(operand, [&](const Slot &slot) {
      return llvm::any_of(load.registers, [&](const Slot &own) {
        return own.declaration == slot.declaration && own.reg == slot.reg && own.sameTile(slot);
      });
    });
  }
  static bool areOneTileButFor(int dim, const Slot &a, const Slot &b) {
    for (size_t i = 0; i < a.tile.size(); ++i)
      if (static_cast<int>(i) != dim && a.tile[i].text != b.tile[i].text)
        return false;
    return true;
  }

  // In a loop over the tiles: A is not read anew for each, and B is the tile's own.
  std::optional<Refusal> operandsAlike(const Product &product, const MmaSite &mma, const Loop &loop,
                                       const std::vector<const LoadSite *> &loadsOfB) const {
    const std::string name = "'" + mma.d[0].variable + "'";
    for (const LoadSite &load : kernel_.loads) {
      const bool isOfA = product.a.count(load.registers[0].declaration);
      const bool isOfB = product.nDimB >= 0 && product.b.count(load.registers[0].declaration);
      if ((isOfA || (isOfB && !readsTileOf(load, product.nDimB, loop))) &&
          isWithin(load, loop.range) && mayVary(load, loop))
        return Refusal{std::string(isOfA ? "A" : "B") + " is another for each n8 tile of " + name,
                       load.range};
    }
    if (changesAny(product.a, loop.range))
      return Refusal{"A is another for each n8 tile of " + name, mma.range};
    // Of B the turn's own tile may be changed, in front of all that it is multiplied by.
    for (const FragmentUse &use : kernel_.uses)
      if (use.isAlike && product.b.count(use.declaration) && loop.range.contains(use.place)) {
        const bool isOwn = use.tileCounters.empty() ||
                           (use.tileCounters.count(loop.variable) && !use.tileCounters.count(""));
        const bool isInFront = llvm::all_of(product.mmas, [&](const MmaSite *other) {
          return !loop.range.contains(other->range) || use.place.end <= other->range.begin;
        });
        if (!isOwn || !isInFront || use.place.file != mma.range.file)
          return Refusal{"B is another for each n8 tile of " + name, mma.range};
      }
    const Index &index = mma.d[0].tile[product.nDim];
    if (product.nDimB >= 0) {
      const Index &its = mma.b[0].tile[product.nDimB];
      if (its.variable == index.variable && its.scale == index.scale && its.offset == index.offset)
        return std::nullopt;
      return Refusal{"which B belongs to which n8 tile of " + name + " is not clear", mma.range};
    }
    // Read in the same turn: it stands in front of the product. What stands behind is of another
    // product, where all of this one is read again ahead of it.
    const auto isInFront = [&](const LoadSite &load) {
      return load.isInCall || load.isAhead || load.range.end <= mma.range.begin;
    };
    const bool isReadInFront = llvm::any_of(loadsOfB, [&](const LoadSite *load) {
      return load->frame == mma.frame && load->loops.size() == mma.loops.size() &&
             loop.range.contains(load->range) && isInFront(*load) && fillsAll(*load, mma.b);
    });
    const bool isOwn =
        !mma.b[0].turns.count(loop.variable) && llvm::all_of(loadsOfB, [&](const LoadSite *load) {
          return !feedsMma(*load, mma) ||
                 (loop.range.contains(load->range) && (isInFront(*load) || isReadInFront));
        });
    if (!isOwn || llvm::any_of(loadsOfB, [&](const LoadSite *load) {
          return feedsMma(*load, mma) && !hasOneColumn(product, *load);
        }))
      return Refusal{"which B belongs to which n8 tile of " + name + " is not clear", mma.range};
    return std::nullopt;
  }
  // Each tile that is read is multiplied into the sums of one tile along n. A value that operands
  // are computed from has no tiles: all that are made of it are one's.
  static bool hasOneColumn(const Product &product, const LoadSite &load) {
    return llvm::all_of(groupsOf(load), [&](const TileGroup &group) {
      const Index *column = nullptr;
      for (const MmaSite *mma : product.mmas) {
        const Index &its = mma->d[0].tile[product.nDim];
        const bool isOf = isBegin(load) ? mma->b[0].declaration == group.tile->declaration
                                        : mma->b[0].sameTile(*group.tile);
        if (!isOf)
          continue;
        if (column && (column->variable != its.variable || column->scale != its.scale ||
                       column->constant() != its.constant()))
          return false;
        column = &its;
      }
      return column != nullptr;
    });
  }
  // In each turn of the loop the tile of that turn.
  static bool readsTileOf(const LoadSite &load, int dim, const Loop &loop) {
    return load.registers[0].tile[dim].variable == loop.variable &&
           llvm::any_of(load.loops, [&](const Loop &l) { return sameRange(l.range, loop.range); });
  }
  // What it reads may be another in each turn of a loop around it: a function is called with
  // anything.
  bool mayVary(const LoadSite &load, const Loop &loop) const {
    const std::string &counter = loop.isDigit() ? loop.counter : loop.variable;
    return !load.calls.empty() || llvm::is_contained(load.address.loopVariables, counter) ||
           llvm::is_contained(load.address.walksIn, counter) ||
           load.address.hiddenVariables.count(counter) || !load.address.fetched.empty() ||
           !load.address.moved.empty() || !isQuiet(loop.range);
  }
  bool feedsMma(const LoadSite &load, const MmaSite &mma) const {
    return llvm::is_contained(fedBy(kernel_, load), &mma);
  }

  // Turned tiles mix columns of several of CUDA's.
  bool mayTurnBetween(const Product &product, bool isHalf) const {
    for (const FragmentUse &use : kernel_.uses)
      if (use.declaration == product.d && use.isOfSomeTiles)
        return false;
    const Between *between = kernel_.staysNative() ? &*kernel_.between : nullptr;
    return !between || (isHalf ? between->halfTurnable : between->turnable).count(product.d);
  }

  // The two halves of a register of f16 sums are neighbours along n; of a turned tile they are n2.
  bool halvesMayPart(const Product &product) const {
    return !kernel_.between && llvm::all_of(kernel_.variables, [&](const Kernel::Variable &v) {
      return v.declaration != product.d || v.halvesAlike;
    });
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

  // Both of two tiles that go together are set in one turn, in front of what multiplies them:
  //
  //   for (n..) { acc[2 * n].clear(), acc[2 * n + 1].clear(); for (k..) ..; }
  static bool beginsPair(const Product &product, const FragmentUse &use, const TextRange &loop) {
    const auto isBefore = [&](const MmaSite *mma) {
      const Index &tile = mma->d[0].tile[product.nDim];
      const auto around =
          llvm::find_if(mma->loops, [&](const Loop &its) { return its.range == loop; });
      if (around == mma->loops.end())
        return false;
      const bool isInner = std::next(around) != mma->loops.end();
      const TextRange &first = isInner ? std::next(around)->range : mma->range;
      return tile.variable == around->variable && tile.scale == 2 && use.range.file == first.file &&
             use.range.end <= first.begin;
    };
    return use.isFill && product.scheme.tilesTogether() == 2 &&
           llvm::all_of(product.mmas, isBefore);
  }

  std::optional<Refusal> checkTileLoop(const Product &product, const MmaSite &mma,
                                       const TextRange &loop) const {
    const std::string name = "'" + mma.d[0].variable + "'";
    for (const FragmentUse &use : kernel_.uses)
      if (use.declaration == product.d && (loop.contains(use.range) || loop.contains(use.place)) &&
          !beginsPair(product, use, loop))
        return Refusal{name + " is set or read in the loop over its tiles along n", use.range};
    const auto isInside = [&](const std::vector<TextRange> &places) {
      return llvm::any_of(places, [&](const TextRange &place) { return loop.contains(place); });
    };
    if (isInside(kernel_.jumps) || isInside(mma.decided))
      return Refusal{"tiles of " + name + " along n are not all multiplied alike", mma.range};
    for (const LoadSite &load : kernel_.loads)
      if (isWithin(load, loop) && isInside(load.decided))
        return Refusal{"operands are not read alike for all tiles of " + name + " along n",
                       load.range};
    return std::nullopt;
  }

  bool isQuiet(const TextRange &loop) const {
    return llvm::any_of(kernel_.quietLoops,
                        [&](const TextRange &quiet) { return sameRange(quiet, loop); });
  }

  std::optional<Refusal> tileFits(const Product &product, const LoadSite &load, Role role) const {
    const Index *index = tileIndex(product, role, load.registers[0]);
    const int together =
        role == Role::A ? product.scheme.rowTilesTogether() : product.scheme.tilesTogether();
    if (role == Role::B && !hasClearNeighbours(product, load))
      return Refusal{"ldmatrix reads several steps of k of tiles that go together", load.range};
    if (index->literal && readsPair(product, load) && !product.scheme.odd)
      return std::nullopt;
    const bool inLoop = llvm::any_of(
        load.loops, [&](const Loop &loop) { return loop.variable == index->variable; });
    for (const Loop &loop : load.loops)
      if (loop.variable == index->variable && !isQuiet(loop.range))
        return Refusal{"memory is written, or waited for, between the tiles that are read together",
                       load.range};
    if (index->variable.empty() || !inLoop || (index->scale != 1 && index->scale != 2) ||
        index->offset != 0)
      return Refusal{"the tile that ldmatrix reads is no plain loop index", load.range};
    if (!countsAsItsLoop(product, load, role, *index))
      return Refusal{"ldmatrix reads tiles that are not beside each other in one turn", load.range};
    if (readsPair(product, load) && !product.scheme.odd)
      return std::nullopt;
    if (product.scheme.odd ? !readsEachByItself(product, load, *index)
                           : !runsOverPairs(load, *index, together))
      return Refusal{"tiles that are read together are not all read in one loop", load.range};
    if (!llvm::is_contained(load.address.loopVariables, index->variable) ||
        llvm::is_contained(load.address.walksIn, index->variable))
      return Refusal{"the address of ldmatrix walks along the tiles", load.range};
    return std::nullopt;
  }

  // The author's address knows the loop's counter, not the tile: of b[j + 2], that would be the
  // counter of another turn. Of b[j + 1], beside b[j], the matrix tells.
  static bool countsAsItsLoop(const Product &product, const LoadSite &load, Role role,
                              const Index &index) {
    return llvm::all_of(load.registers, [&](const Slot &slot) {
      const Index &its = *tileIndex(product, role, slot);
      return its.variable == index.variable && its.scale == index.scale &&
             (its.offset == index.offset ||
              (role == Role::B && (its.offset ^ index.offset) == 1 &&
               (product.scheme.large ? readsTwo(product, load) : readsPair(product, load))));
    });
  }

  // One tile a turn, of all there are.
  static bool readsEachByItself(const Product &product, const LoadSite &load, const Index &index) {
    return coversAll(load.loops, index, product.mmas[0]->d[0].extents[product.nDim]) &&
           stepsByOne(load.loops, index) && llvm::all_of(load.registers, [&](const Slot &slot) {
             const Index &its = *columnIndex(product, slot);
             return its.variable == index.variable && its.scale == 1 && its.offset == 0;
           });
  }

  // Each turn reads of all tiles of its group: none may be left for another loop.
  static bool runsOverPairs(const LoadSite &load, const Index &index, int together) {
    return llvm::any_of(load.loops, [&](const Loop &loop) {
      return loop.variable == index.variable && loop.first && loop.last && loop.step &&
             *loop.first * index.scale % together == 0 && *loop.last * index.scale % together == 0;
    });
  }

  // The two tiles that go together are read by one statement: its address stays where it is.
  static bool readsPair(const Product &product, const LoadSite &load) {
    return product.scheme.tilesTogether() == 2 && readsTwo(product, load);
  }
  static bool readsTwo(const Product &product, const LoadSite &load) {
    if (load.isGathered())
      return false;
    const auto indexOf = [&](const Slot &slot) { return *columnIndex(product, slot); };
    const Index first = indexOf(load.registers[0]);
    const bool isEven =
        first.literal || first.scale == 2 || llvm::any_of(load.loops, [&](const Loop &loop) {
          return loop.variable == first.variable && loop.first == 0 && loop.step &&
                 *loop.step % 2 == 0;
        });
    const auto areTwo = [](const Index &a, const Index &b) {
      return a.variable == b.variable && a.scale == b.scale && (a.constant() ^ b.constant()) == 1;
    };
    return isEven && llvm::all_of(load.registers, [&](const Slot &slot) {
             return llvm::any_of(load.registers, [&](const Slot &other) {
               return areTwo(indexOf(slot), indexOf(other));
             });
           });
  }

  // Fragments may only be filled, read by ldmatrix and multiplied up to the end of the
  // loops; behind them accumulators are the kernel's own again.
  std::optional<Refusal> checkUses(const std::vector<Product> &products) {
    for (const Product &product : products)
      for (const Kernel::Variable &v : kernel_.variables)
        if (v.beginsUnequal && !isFollowed(v.declaration) && !kernel_.isConverted(v.declaration) &&
            (v.declaration == product.d || product.a.count(v.declaration) ||
             product.b.count(v.declaration)))
          return Refusal{"the registers of '" + v.name + "' begin with different values",
                         v.statement, v.declaration == product.d ? 0 : v.declaration};
    for (const Product &product : products)
      for (const FragmentUse &use : kernel_.uses) {
        if (use.isFill)
          continue;
        const bool isC = use.declaration == product.d;
        if (!isC && !product.a.count(use.declaration) && !product.b.count(use.declaration))
          continue;
        const std::string name = nameOf(use.declaration);
        if (isFollowed(use.declaration) && kernel_.between->holds(use.range))
          continue;
        if (!isC &&
            (use.isOfNewLife || isCopy(product, use) || kernel_.isConverted(use.declaration)))
          continue;
        const bool isOfB = product.b.count(use.declaration) != 0;
        if (!isC && use.isAlike && (!isOfB || (use.isOfAllTiles && product.b.size() == 1)))
          continue;
        if (!isC)
          return Refusal{"'" + name + "' is an operand and is used by other code", use.range,
                         use.declaration};
        const TextRange region = regionOf(kernel_, product.d);
        const bool isElsewhere = // in a function, where the kernel multiplies
            kernel_.range.contains(region) && !kernel_.range.contains(use.range);
        const bool isInFront = use.isDoneThere && use.range.end <= region.begin &&
                               kernel_.range.contains(use.range) && usedInFront(kernel_, product);
        if (isElsewhere || (use.range.begin < region.end && !isInFront)) {
          if (auto changed = changedBetween())
            return changed;
          return Refusal{"'" + name + "' is used between the products" + whyBetween(), use.range};
        }
      }
    return std::nullopt;
  }

  // An operand that other code changes, which the code between the products is not followed for.
  std::optional<Refusal> changedBetween() const {
    if (!kernel_.between)
      return std::nullopt;
    for (const FragmentUse &use : kernel_.uses)
      if (!use.isFill && kernel_.between->changed.count(use.declaration))
        return Refusal{"'" + nameOf(use.declaration) + "' is an operand and is used by other code",
                       use.range, use.declaration};
    return std::nullopt;
  }

  // The MFMA's lanes read all of a tile at once: another ldmatrix has none of its registers.
  std::optional<Refusal> checkWhole(const std::vector<Product> &products) const {
    for (const Product &product : products)
      for (const bool isA : {true, false})
        for (const LoadSite *load : loadsOf(product, isA ? product.a : product.b)) {
          const size_t registers = (isA ? product.mmas[0]->a : product.mmas[0]->b).size();
          const auto isPart = [&](const TileGroup &group) {
            return group.matrixOf.size() != registers ||
                   group.matrixOf.rbegin()->first != static_cast<int>(registers) - 1;
          };
          if (load->isGathered() || isBegin(*load))
            continue;
          for (const TileGroup &group : groupsOf(*load))
            if (isPart(group))
              return Refusal{"ldmatrix fills only part of an operand of '" + group.tile->variable +
                                 "'",
                             load->range, group.tile->declaration};
        }
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
    const bool alike = x.turned == y.turned && x.halfTurned == y.halfTurned && x.side == y.side &&
                       x.single == y.single && x.odd == y.odd && x.farWords == y.farWords &&
                       x.shallow == y.shallow && x.wide == y.wide && x.deep == y.deep &&
                       x.large == y.large && x.eightRows == y.eightRows &&
                       (!x.large || (p.nDimB == q.nDimB && p.mDimA == q.mDimA)) &&
                       p.a.count(variable) == q.a.count(variable);
    if (&p == &q || alike || !reads(p) || !reads(q))
      return std::nullopt;
    if ((feeds(load, p) && feeds(load, q)) || !load.decided.empty())
      return Refusal{"two products want '" + nameOf(variable) + "' in different layouts",
                     load.range, variable};
    return std::nullopt;
  }

  std::string nameOf(uint64_t declaration) const {
    for (const Kernel::Variable &v : kernel_.variables)
      if (v.declaration == declaration)
        return v.name;
    return "?";
  }

  // Combinations that are looked at: beyond, the best so far is taken.
  static constexpr int kCombinations = 20000;

  const Kernel &kernel_;
  const PlanLimits limits_;
  bool mayBeWide_ = true;
  Pricer pricer_;
  std::vector<std::vector<Option>> options_; // by product
  std::vector<Option> overfull_; // of one product, that need more registers than there are
  std::vector<double> least_;    // of the products from this one on
  std::optional<Refusal> conflict_;
  int combined_ = 0;
};

} // namespace

const std::vector<isa::Arch> &outputArchs() {
  static const std::vector<isa::Arch> archs = {isa::Arch::Gfx90a, isa::Arch::Gfx942,
                                               isa::Arch::Gfx950};
  return archs;
}

std::optional<Refusal> planKernel(const Kernel &kernel, const PlanLimits &limits,
                                  KernelPlans &plans) {
  return Planner(kernel, limits).plan(plans);
}

std::vector<const MmaSite *> fedBy(const Kernel &kernel, const LoadSite &load) {
  // Its variable, and those that it is copied into: in whatever loop, nobody asks.
  std::set<uint64_t> variables = {load.registers[0].declaration};
  for (size_t before = 0; before != variables.size();) {
    before = variables.size();
    for (const Kernel::Copy &copy : kernel.copies)
      if (variables.count(copy.from))
        variables.insert(copy.to);
  }
  const auto isOf = [&](const Slot &slot) { return variables.count(slot.declaration) != 0; };
  // What a function reads into fragments of its own it multiplies in the same frame.
  const auto isOfAnotherFrame = [&](const MmaSite &mma) {
    return mma.frame != load.frame && llvm::any_of(kernel.mmas, [&](const MmaSite &other) {
             return other.frame == load.frame && areTwins(mma, other);
           });
  };
  std::vector<const MmaSite *> fed;
  const size_t innermost = variables.size() == 1 ? load.loops.size() : 0;
  for (size_t around = innermost + 1; around-- > 0 && fed.empty();)
    for (const MmaSite &mma : kernel.mmas)
      if ((around == 0 || load.loops[around - 1].range.contains(mma.range)) &&
          (llvm::any_of(mma.a, isOf) || llvm::any_of(mma.b, isOf)) && !isOfAnotherFrame(mma))
        fed.push_back(&mma);
  return fed;
}

bool inOrder(const std::vector<Slot> &slots) {
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].isScalar || slots[i].reg != static_cast<int>(i) || !slots[i].sameTile(slots[0]))
      return false;
  return true;
}

const EpilogueBody::Rebound &reboundOf(const EpilogueBody &body, const Scheme &scheme) {
  return scheme.wide && scheme.side == PairSide::Columns ? body.forLane : body.forThread;
}

// Of those inside the scope that hold the last of the places, and another one in another part or
// before them.
static unsigned endOfBranches(const std::vector<CallPlace> &places, const TextRange &scope) {
  unsigned end = 0;
  const auto last =
      std::max_element(places.begin(), places.end(), [](const CallPlace &a, const CallPlace &b) {
        return a.range.end < b.range.end;
      });
  if (last == places.end())
    return end;
  for (const Branch &branch : last->branches)
    if (scope.contains(branch.whole) && llvm::any_of(places, [&](const CallPlace &place) {
          return &place != &*last && !branch.part.contains(place.range);
        }))
      end = std::max(end, branch.whole.end);
  return end;
}

TextRange regionOf(const Kernel &kernel, uint64_t accumulator) {
  TextRange scope = kernel.range;
  for (const Kernel::Variable &v : kernel.variables)
    if (v.declaration == accumulator && v.scope.end)
      scope = v.scope;
  TextRange region;
  std::vector<CallPlace> all;
  for (const MmaSite &mma : kernel.mmas) {
    if (mma.d[0].declaration != accumulator)
      continue;
    // Sums that a lambda or function has for itself live and end in there.
    std::vector<CallPlace> places = mma.calls;
    if (llvm::any_of(places, [&](const auto &call) { return !scope.contains(call.range); }))
      places.clear();
    if (places.empty())
      places = {{mma.range, mma.loops, mma.branches}};
    llvm::append_range(all, places);
    for (const CallPlace &place : places) {
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
  region.end = std::max(region.end, endOfBranches(all, scope));
  return region;
}

// May all that is done with the sums in front of this region be done in CUDA's layout? Whoever has
// to do with the sums comes to the region's first byte.
static bool mayComeFrom(const Kernel &kernel, const Product &product, const TextRange &region) {
  const auto holdsAll = [&](const TextRange &part) {
    return part.contains(region) && llvm::all_of(kernel.uses, [&](const FragmentUse &use) {
             return use.declaration != product.d || part.contains(use.range);
           });
  };
  const auto isAround = [&](const Branch &branch, const std::vector<Loop> &loops) {
    return holdsAll(branch.part) || llvm::any_of(loops, [&](const Loop &loop) {
             return region.contains(loop.range) && loop.range.contains(branch.whole);
           });
  };
  const auto isEntered = [&](const MmaSite *mma) {
    return llvm::all_of(mma->branches,
                        [&](const Branch &branch) { return isAround(branch, mma->loops); }) &&
           llvm::all_of(mma->calls, [&](const CallPlace &call) {
             return llvm::all_of(
                 call.branches, [&](const Branch &branch) { return isAround(branch, call.loops); });
           });
  };
  const bool isFollowed = kernel.staysNative() && kernel.between->fragments.count(product.d);
  return !isFollowed && !product.scheme.fourBlocks && !product.mmas[0]->d[0].isSwapped &&
         kernel.range.contains(region) && llvm::all_of(product.mmas, isEntered);
}

const FragmentUse *usedInFront(const Kernel &kernel, const Product &product) {
  const TextRange region = regionOf(kernel, product.d);
  const FragmentUse *last = nullptr;
  if (mayComeFrom(kernel, product, region))
    for (const FragmentUse &use : kernel.uses)
      if (use.declaration == product.d && !use.isFill && use.isDoneThere &&
          kernel.range.contains(use.range) && use.range.end <= region.begin)
        last = &use;
  return last;
}

bool goesBack(const Kernel &kernel, const Product &product) {
  const bool stays = kernel.staysNative() && kernel.between->fragments.count(product.d);
  const unsigned begin = usedInFront(kernel, product) ? regionOf(kernel, product.d).begin : 0;
  return !product.epilogue && llvm::any_of(kernel.uses, [&](const FragmentUse &use) {
    return use.declaration == product.d && !use.isFill && use.range.end > begin &&
           !(stays && kernel.between->holds(use.range));
  });
}

} // namespace layout_port::native
