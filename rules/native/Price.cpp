#include "native/Price.h"

#include "native/LanePlaces.h"
#include "native/Operands.h"
#include "native/Solve.h"

#include "layout_port/layouts/Banks.h"
#include "layout_port/layouts/Convert.h"
#include "layout_port/layouts/CrossLane.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace layout_port::native {

namespace {

struct PriceRow {
  const char *name;
  double value;
  const char *unit;
  isa::Confidence confidence;
  const char *source;
};

enum PriceName {
#define PRICE(name, value, unit, confidence, source) name,
#include "native/PriceRows.inc"
};

const PriceRow &row(PriceName name) {
  static const PriceRow rows[] = {
#define PRICE(name, value, unit, confidence, source)                                               \
  {#name, value, unit, isa::Confidence::confidence, source},
#include "native/PriceRows.inc"
  };
  return rows[name];
}

// How often a statement runs: in one turn of the loops of unknown length, and in all.
struct Weight {
  double once = 1, all = 1;
  Weight &operator*=(const Weight &other) {
    once *= other.once;
    all *= other.all;
    return *this;
  }
};

bool isPacked(const Product &product) { return product.mmas[0]->typeD == ptx::Type::F16; }

double tilesOf(const Slot &slot) {
  if (slot.flatRegisters)
    return static_cast<double>(slot.flatWords) / slot.flatRegisters;
  double tiles = 1;
  for (const int64_t extent : slot.extents)
    tiles *= extent ? static_cast<double>(extent) : 1;
  return tiles;
}

class Pricing {
public:
  Pricing(const Kernel &kernel, const Product &product, isa::Arch arch)
      : kernel_(kernel), product_(product), arch_(arch) {}

  Price price() {
    for (const MmaSite *mma : product_.mmas)
      addMma(*mma);
    addWaiting();
    for (const LoadSite &load : kernel_.loads)
      if (const auto role = roleOf(kernel_, product_, load))
        addLoad(load, *role);
    if (!product_.isFurther)
      addEnd();
    const auto sums = product_.isFurther ? 0 : sumRegisters();
    price_.registers = static_cast<int>(sums + operandRegisters()) * (scheme().isDouble() ? 2 : 1);
    return price_;
  }

  // How often an operand moves that stays where CUDA has it: loops around the product in which
  // nothing makes it anew, and whose turns have the same one of it, find it moved.
  double turnsOfMoves(const MmaSite &mma, const std::vector<Slot> &operand) const {
    const auto isAlike = [&](const Loop &loop) {
      return llvm::none_of(operand, [&](const Slot &slot) {
        return slot.turns.count(loop.variable) ||
               llvm::any_of(kernel_.uses, [&](const FragmentUse &use) {
                 return use.declaration == slot.declaration && loop.range.contains(use.range);
               });
      });
    };
    std::vector<Loop> loops = mma.loops;
    while (!loops.empty() && isAlike(loops.back()))
      loops.pop_back();
    double turns = 0;
    for (const CallPlace &call : mma.calls.empty() ? std::vector<CallPlace>(1) : mma.calls)
      turns += weightOf(loops).all * weightOf(call.loops).all;
    return turns;
  }

private:
  const Scheme &scheme() const { return product_.scheme; }

  // Two steps of k are one turn where they are taken together.
  Weight weightOf(const std::vector<Loop> &loops) const {
    Weight weight;
    for (const Loop &loop : loops) {
      double turns = static_cast<double>(turnsOf(loop));
      const bool isHalved = product_.stepLoop &&
                            loop.range.begin == product_.stepLoop->range.begin &&
                            loop.range.file == product_.stepLoop->range.file;
      if (isHalved)
        turns /= 2;
      weight.once *= turns ? turns : 1;
      weight.all *= turns ? turns : kTurns;
    }
    return weight;
  }

  // ---- products

  void addMma(const MmaSite &mma) {
    if (scheme().fourBlocks)
      return addMfmas(mma, 2, *scheme().mfma);
    const auto held = product_.held.find(&mma);
    const int steps =
        held == product_.held.end() ? 1 : stepsTogether(mma, scheme().words(), held->second, arch_);
    const int words = scheme().words() * steps;
    const auto arms = armsFor(mma, words, {arch_}, scheme().large ? 32 : 16);
    if (!arms || arms->empty())
      return;
    const Arm &arm = arms->front();
    const double each = double(std::max(1, words / std::max(1, arm.words)) * arm.parts()) *
                        (steps == 1 ? 1 : held->second.mfmasPerTurn(steps));
    const double share = scheme().eightRows ? (scheme().single ? 1 : 0.5)
                         : scheme().single  ? 2
                         : scheme().large   ? 0.25
                                            : 1 + lastOfOdd(mma);
    addMfmas(mma, each * share, *arm.instruction);
    if (steps > 1) // words that wait move about once an MFMA
      for (const CallPlace &call : mma.calls.empty() ? std::vector<CallPlace>(1) : mma.calls) {
        Weight weight = weightOf(mma.loops);
        weight *= weightOf(call.loops);
        addValu(each * share, weight);
      }
  }

  // Ping-pong registers: what waits in them is copied before they are read anew.
  void addWaiting() {
    std::set<unsigned> seen;
    for (const auto &waiting : product_.held) {
      const MmaSite *mma = waiting.first;
      const HeldSteps &held = waiting.second;
      const int steps = stepsTogether(*mma, scheme().words(), held, arch_);
      if (steps == 1 || !isReadAhead(kernel_, *mma, *held.loop) ||
          !seen.insert(held.loop->range.begin).second)
        continue;
      addValu(operandRegisters() / steps, weightDownTo(*held.loop, *mma));
    }
  }

  // Of the loop's own turns; it stands around the product, or around the call of its function.
  Weight weightDownTo(const Loop &loop, const MmaSite &mma) const {
    std::vector<Loop> all;
    if (!mma.calls.empty())
      all = mma.calls.front().loops;
    llvm::append_range(all, mma.loops);
    const auto at =
        llvm::find_if(all, [&](const Loop &other) { return other.range == loop.range; });
    return weightOf({all.begin(), at == all.end() ? at : at + 1});
  }

  // Two where one would do, for one of so many tiles.
  double lastOfOdd(const MmaSite &mma) const {
    const int64_t tiles = scheme().odd ? mma.d[0].extents[product_.nDim] : 0;
    return tiles % 2 ? 1.0 / static_cast<double>(tiles) : 0;
  }

  void addMfmas(const MmaSite &mma, double count, const isa::MatrixInstruction &instruction) {
    for (const CallPlace &call : mma.calls.empty() ? std::vector<CallPlace>(1) : mma.calls) {
      Weight weight = weightOf(mma.loops); // where it stands, and where that is called
      weight *= weightOf(call.loops);
      price_.mfmas += count * weight.once;
      price_.mfma += count * weight.all * instruction.cycles(arch_);
    }
  }

  // ---- operands

  // Turned reads serve all tiles whose low index bits are inside the vector, and two tiles that
  // share an MFMA are read alike for both warps: the unrolled loop over them reads once.
  double tilesPerRead(const LoadSite &load, Role role) const {
    if (role == Role::A)
      return scheme().rowTilesTogether();
    const bool isTurned = scheme().turned && load.transposed;
    const bool isPair = scheme().pairTileBit() >= 0 && !load.address.usesWarp;
    return (isTurned ? double(1 << scheme().tileBits.size()) : 1) * (scheme().large
                                                                         ? scheme().tilesTogether()
                                                                     : isPair ? 2
                                                                              : 1);
  }

  void addLoad(const LoadSite &load, Role role) {
    for (const CallPlace &call : load.calls.empty() ? std::vector<CallPlace>(1) : load.calls) {
      Weight weight = weightOf(load.loops);
      weight *= weightOf(call.loops);
      addLoad(load, role, weight);
    }
  }

  void addLoad(const LoadSite &load, Role role, const Weight &weight) {
    Weight readWeight = weight;
    readWeight.once /= tilesPerRead(load, role);
    readWeight.all /= tilesPerRead(load, role);
    const auto groups = load.isGathered()
                            ? std::vector<TileGroup>{TileGroup{&load.registers[0], {}}}
                            : groupsOf(load);
    for (const TileGroup &group : groups) {
      const TileLoad tile = tileLoad(product_, load, role, groups, group);
      if (load.isGathered())
        addGather(tile, readWeight);
      for (const WaveRead &read : waveReads(tile.form, scheme()))
        addRead(load, tile, read, readWeight);
      addValu(packingOps(tile.form, scheme()) + replacingOps(role),
              scheme().large ? readWeight : weight);
      if (const auto move = isa::findCrossLaneMove("ds_bpermute", arch_))
        price_.moves += weight.all * load.address.fetched.size() * (*move)->cost.issue;
    }
  }

  // What makes the MFMA's numbers of an operand's, in all its words.
  int replacingOps(Role role) const {
    const auto arms =
        armsFor(*product_.mmas[0], scheme().words(), {arch_}, scheme().large ? 32 : 16);
    if (!arms || arms->empty())
      return 0;
    const Arm &arm = arms->front();
    const bool isBoth = role == Role::A && !scheme().isOfOneWarp();
    return scheme().words() * (isBoth ? 2 : 1) *
           (role == Role::A ? arm.operationsA() : arm.operationsB());
  }

  void addValu(double instructions, const Weight &weight) {
    price_.valu += instructions * weight.all * row(Valu).value;
  }

  // The kernel's own expressions: a word each, from wherever it is.
  void addGather(const TileLoad &tile, const Weight &weight) {
    const int words =
        scheme().words() * (tile.form.role == Role::A && !scheme().isOfOneWarp() ? 2 : 1);
    price_.reads += words * weight.once;
    price_.lds += words * weight.all * isa::ldsTime(false, scheme().isDouble() ? 8 : 4).issue;
    price_.knowsBanks = false;
    price_.valu += words * weight.all * row(AddressAgain).value;
  }

  void addRead(const LoadSite &load, const TileLoad &tile, const WaveRead &read,
               const Weight &weight) {
    const std::string name =
        read.bytes == 2 ? "ds_read_u16" : "ds_read_b" + std::to_string(8 * read.bytes);
    int passes = 1, least = 1;
    if (const auto instruction = isa::ldsInstruction(name, arch_)) {
      const BankReport report = countBankConflicts(*instruction, addressesOf(load, tile, read));
      passes = report.passes;
      least = report.phasesUsed;
    }
    price_.reads += weight.once;
    price_.passes += passes * weight.once;
    price_.leastPasses += least * weight.once;
    // A pass more is one more slot of the instruction's own.
    const double slots = least ? static_cast<double>(passes) / least : 1;
    price_.lds += weight.all * isa::ldsTime(false, read.bytes).issue * slots;
    if (!load.places || !load.places->isSeparable())
      price_.valu += weight.all * row(AddressAgain).value;
  }

  // By the form of the author's address; where it is not known, as if lanes lay in a row.
  LaneAddresses addressesOf(const LoadSite &load, const TileLoad &tile, const WaveRead &read) {
    LaneAddresses addresses;
    for (unsigned l = 0; l < read.lanes.size(); ++l) {
      const WaveRead::Lane &lane = read.lanes[l];
      std::map<std::string, uint64_t> turns;
      if (tile.index)
        turns[tile.index->variable] = lane.tile / stepOf(load, tile.index->variable);
      if (product_.stepLoop)
        turns[product_.stepLoop->variable] = lane.step;
      const auto at = load.places ? load.places->at(lane.lane, lane.warp, turns) : std::nullopt;
      if (!at) {
        price_.knowsBanks = false;
        addresses.assign(read.lanes.size(), std::nullopt);
        for (unsigned i = 0; i < read.lanes.size(); ++i)
          addresses[i] = uint64_t(i) * static_cast<unsigned>(read.bytes);
        return addresses;
      }
      addresses.push_back((*at + lane.byte) & 0x3FFFFFF);
    }
    return addresses;
  }

  static uint64_t stepOf(const LoadSite &load, const std::string &variable) {
    for (const Loop &loop : load.loops)
      if (loop.variable == variable && loop.step && *loop.step > 0)
        return static_cast<uint64_t>(*loop.step);
    return 1;
  }

  // ---- behind the loops

  double sumRegisters() const {
    return tilesOf(product_.mmas[0]->d[0]) * static_cast<double>(product_.mmas[0]->d.size());
  }

  double operandRegisters() const {
    const MmaSite &mma = *product_.mmas[0];
    const double a = tilesOf(mma.a[0]) * static_cast<double>(mma.a.size()),
                 b = tilesOf(mma.b[0]) * static_cast<double>(mma.b.size());
    const bool grows = scheme().deep;
    return a * (grows && scheme().side != PairSide::Columns ? 2 : 1) + b * (grows ? 2 : 1);
  }

  // Stores of neighbours along n: what one lane holds of them side by side. Where elements
  // go back to CUDA's layout first, two.
  void addEnd() {
    const int bytes = isPacked(product_) ? 2 : scheme().isDouble() ? 8 : 4;
    int neighbours = 2;
    if (product_.epilogue)
      neighbours = scheme().halfTurned               ? 4
                   : scheme().turned                 ? 8
                   : scheme().wide || scheme().large ? 4
                                                     : 2;
    addAsked();
    const double width = std::min(16, neighbours * bytes);
    const double all = sumRegisters() * (scheme().isDouble() ? 8 : 4);
    price_.once += all / width * (row(StoreIssue).value + 64 * width / row(StoreBytesAClock).value);
  }

  // What an epilogue's bodies ask of other lanes, for every two neighbours.
  void addAsked() {
    const auto move = isa::findCrossLaneMove("ds_bpermute", arch_);
    size_t asked = 0;
    for (const EpilogueBody &body :
         product_.epilogue ? product_.epilogue->bodies : std::vector<EpilogueBody>()) {
      const AddressFunction &names = reboundOf(body, scheme()).names;
      asked = std::max(asked, names.readsWarp ? 0 : names.fetched.size());
    }
    if (move)
      price_.once += static_cast<double>(asked) * sumRegisters() / 2 * (*move)->cost.issue;
  }

  const Kernel &kernel_;
  const Product &product_;
  const isa::Arch arch_;
  Price price_;
};

} // namespace

Price &Price::operator+=(const Price &other) {
  mfma += other.mfma;
  lds += other.lds;
  moves += other.moves;
  valu += other.valu;
  once += other.once;
  mfmas += other.mfmas;
  reads += other.reads;
  passes += other.passes;
  leastPasses += other.leastPasses;
  registers += other.registers;
  knowsBanks &= other.knowsBanks;
  return *this;
}

Price Pricer::price(const Product &product, isa::Arch arch) {
  Pricing pricing(kernel_, product, arch);
  Price price = pricing.price();
  for (const MmaSite *mma : product.mmas) {
    if (kernel_.isConverted(mma->a))
      price.moves += pricing.turnsOfMoves(*mma, mma->a) * moveClocks(product.scheme, true, arch);
    if (kernel_.isConverted(mma->b))
      price.moves += pricing.turnsOfMoves(*mma, mma->b) * moveClocks(product.scheme, false, arch);
  }
  const double tiles =
      tilesOf(product.mmas[0]->d[0]) / (product.scheme.turned ? product.scheme.tilesTogether() : 1);
  const int borders =
      product.isFurther ? 0 : !product.epilogue + (usedInFront(kernel_, product) != nullptr);
  if (borders)
    price.once += borders * tiles * (product.scheme.isDouble() ? 2 : 1) *
                  borderClocks(product.scheme, isPacked(product), arch);
  return price;
}

double Pricer::moveClocks(const Scheme &scheme, bool isA, isa::Arch arch) {
  if (const auto layouts = operandBorder(scheme, isA))
    if (const auto plan = planInsideWave(layouts->cuda, layouts->here, 32, arch))
      return plan->cost.cycles;
  return 0;
}

double Pricer::borderClocks(const Scheme &scheme, bool isPacked, isa::Arch arch) {
  const std::vector<int> key = {int(scheme.side), scheme.turned,     scheme.halfTurned,
                                scheme.single,    scheme.wide,       scheme.large,
                                isPacked,         scheme.fourBlocks, int(arch)};
  const auto known = borders_.find(key);
  if (known != borders_.end())
    return known->second;
  double clocks = 0;
  if (const auto layouts = borderLayouts(scheme, isPacked))
    if (const auto plan = planInsideWave(layouts->here, layouts->cuda, 32, arch))
      clocks = plan->cost.cycles;
  return borders_[key] = clocks;
}

std::vector<std::string> priceSources(isa::Arch arch) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string &what, isa::Confidence confidence,
                       const std::string &source) {
    lines.push_back(what + ": confidence " + isa::confidenceName(confidence) + ", " + source);
  };
  if (const auto read = isa::ldsInstruction("ds_read_b64", arch))
    add("LDS passes", read->confidence, read->source->what);
  const isa::LdsTime &time = isa::ldsTime(false, 8);
  add("LDS clocks", time.confidence, time.source->what);
  for (const PriceName name : {Valu, StoreIssue, StoreBytesAClock, AddressAgain})
    add(llvm::formatv("{0} = {1:f0} {2}", row(name).name, row(name).value, row(name).unit).str(),
        row(name).confidence, row(name).source);
  return lines;
}

} // namespace layout_port::native
