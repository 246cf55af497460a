#include "native/Exchange.h"

#include "native/MergeRows.h"
#include "native/WaveRun.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <memory>
#include <utility>

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int kMostRuns = 12;
constexpr int kColorRuns = 6;
constexpr int kMostBits = 4; // of a counter of registers

class Finder {
public:
  Finder(const ASTContext &context, const FunctionDecl &kernel, const Stmt *last, Bytes operands,
         Alike alike, RunMode mode)
      : context_(context), kernel_(kernel), last_(last), operands_(std::move(operands)),
        alike_(std::move(alike)), mode_(mode) {}

  Exchange find() {
    if (!pairAll())
      return std::move(out_);
    const WaveRun straight = run({});
    meetings_.all = straight.meetings;
    if (meetings_.all.size() != meetings_.partners.size())
      refuse("what loops carry does not settle", last_);
    const WaveRun other = run({true, false, {}, &meetings_, {}});
    if (!out_.problem.empty() || !agree(straight, other, {})) {
      blameStale();
      return std::move(out_);
    }
    for (const auto &[condition, around] : straight.under) // else it would stand for either warp
      if (llvm::none_of(out_.met, [at = condition](const auto &m) { return m.value == at; }))
        refuse("a condition on the warp stands around more than a mask", around);
    if (!out_.problem.empty())
      return std::move(out_);
    collect(straight);
    findTurnable(straight);
    return std::move(out_);
  }

  // Loops behind `last_` are new: they have to settle too, beside what is known of the others.
  Exchange::Seen seenAt(const Stmt *at) const {
    Exchange::Seen seen;
    Carried carried = carried_;
    for (int i = 0; i < kMostRuns; ++i) {
      carried.changed = false;
      RunLayout layout;
      layout.alike = alike_;
      layout.watched = at;
      layout.mode = mode_;
      WaveRun wave(context_, kernel_, carried, operands_, std::move(layout));
      wave.run(nullptr);
      if (!wave.problem.empty() || wave.visits.empty()) {
        seen.problem = wave.problem.empty() ? "a statement is not reached" : wave.problem;
        seen.problemAt = (wave.problemAt ? wave.problemAt : at)->getSourceRange();
        return seen;
      }
      if (carried.changed)
        continue;
      for (const auto &[call, shuffle] : wave.shuffles) {
        if (shuffle.onFragments && shuffle.onOthers) {
          seen.problem = "one shuffle serves results and other values";
          seen.problemAt = call->getSourceRange();
        }
        if (shuffle.onFragments)
          seen.shuffles.push_back(call);
      }
      seen.visits = std::move(wave.visits);
      return seen;
    }
    seen.problem = "what loops carry does not settle";
    seen.problemAt = at->getSourceRange();
    return seen;
  }

private:
  using Turns = std::vector<std::pair<const Stmt *, uint64_t>>;

  WaveRun run(RunLayout layout) {
    layout.alike = alike_;
    layout.mode = mode_;
    WaveRun wave(context_, kernel_, carried_, operands_, std::move(layout));
    wave.run(last_);
    if (!wave.problem.empty())
      refuse(wave.problem, wave.problemAt);
    return wave;
  }

  bool refuse(const std::string &reason, const Stmt *at) {
    if (out_.problem.empty()) {
      out_.problem = reason;
      if (at)
        out_.problemAt = at->getSourceRange();
    }
    return false;
  }

  // Until what loops carry is as the run before assumed.
  bool settle() {
    for (int i = 0; i < kMostRuns; ++i) {
      carried_.changed = false;
      const std::map<CellKey, uint8_t> born = carried_.born;
      const WaveRun straight = run({});
      out_.changed = straight.changed;
      if (!out_.problem.empty())
        return false;
      if (carried_.born != born) { // what loops carry was learned without them
        carried_.loops.clear();
        carried_.assigned.clear();
      }
      if (carried_.changed)
        continue;
      meetings_.all = straight.meetings;
      pairMeetings(straight);
      return true;
    }
    return refuse("what loops carry does not settle", last_);
  }

  // What is left over in one half alone nobody may read: that is one more thing to settle.
  bool pairAll() {
    do {
      foundStale_ = false;
      if (!settle() || !pairUp())
        return false;
    } while (foundStale_);
    return true;
  }

  // Where the two runs part, what has no partner is what made them.
  void blameStale() {
    for (const auto &[loop, cells] : carried_.loops)
      for (const auto &[key, cell] : cells)
        if (cell.isStale) {
          out_.problem = notAlike(carried_.variables[key.root]);
          out_.problemAt = (loop.first ? loop.first : last_)->getSourceRange();
          return;
        }
  }

  size_t countColors() const {
    size_t count = 0;
    for (const auto &[loop, cells] : carried_.loops) {
      std::set<uint64_t> colors;
      for (const auto &[key, cell] : cells)
        colors.insert(cell.color);
      count += colors.size();
    }
    return count;
  }

  // Cells of both halves that are computed alike are partners.
  bool pairUp() {
    for (auto &[loop, cells] : carried_.loops)
      for (auto &[key, cell] : cells)
        cell.color = 0;
    size_t colors = 0; // they only part: as many as before are the same
    for (int i = 0; i < kColorRuns; ++i) {
      run({false, true, {}, &meetings_, {}});
      if (colors == std::exchange(colors, countColors()))
        break;
    }
    if (!out_.problem.empty())
      return false;
    for (auto &[loop, cells] : carried_.loops) {
      std::map<uint64_t, std::array<std::vector<CellKey>, 2>> alike;
      for (const auto &[key, cell] : cells)
        if (cell.rows && !cell.isStale)
          alike[cell.color][cell.rows - 1].push_back(key);
      const std::vector<CellKey> *unlike = nullptr; // the first of them, whatever colors are called
      for (const auto &[color, halves] : alike) {
        const auto &more = halves[halves[1].size() > halves[0].size()];
        const auto isFragment = [&](const CellKey &key) {
          return carried_.variables[key.root] && !carried_.stores.count(key.root);
        };
        if ((halves[0].empty() || halves[1].empty()) && llvm::all_of(more, isFragment)) {
          for (const CellKey &key : more)
            cells[key].isStale = true;
          foundStale_ = true;
          continue;
        }
        if (halves[0].size() != halves[1].size() && (!unlike || more[0].root < (*unlike)[0].root))
          unlike = &more;
      }
      if (unlike) {
        const unsigned root = (*unlike)[0].root;
        const VarDecl *variable = carried_.variables[root];
        if (const auto store = carried_.stores.find(root); store != carried_.stores.end())
          return refuse("rows r and r + 8 of a tile are not stored alike", store->second);
        return refuse(notAlike(variable), loop.first ? loop.first : last_);
      }
      for (const auto &[color, halves] : alike)
        for (size_t i = 0; i < std::min(halves[0].size(), halves[1].size()); ++i) {
          cells[halves[0][i]].partner = halves[1][i];
          cells[halves[1][i]].partner = halves[0][i];
        }
    }
    return true;
  }

  // ---- values that meet results

  // One expression for both halves, in a loop whose counter has a bit for them; or two, in the
  // same order for each half. Whether the guess is right the runs will show.
  void pairMeetings(const WaveRun &straight) {
    meetings_.partners.assign(meetings_.all.size(), -1);
    std::vector<const Expr *> order;
    Numbers numbers;
    for (size_t i = 0; i < meetings_.all.size(); ++i) {
      auto &known = numbers[meetings_.all[i].value];
      if (known.empty())
        order.push_back(meetings_.all[i].value);
      known.push_back(i);
    }
    // By the turns of all loops: sites that are of one half only.
    std::map<std::vector<Turns>, std::array<std::vector<const Expr *>, 2>> alike;
    for (const Expr *site : order) {
      const std::vector<size_t> &all = numbers[site];
      const uint8_t rows = meetings_.all[all[0]].rows;
      const bool differs =
          llvm::any_of(all, [&](size_t n) { return meetings_.all[n].of.size() > 1; });
      if (!differs || straight.apart.count(site) || pairInLoop(site, all) ||
          !llvm::all_of(all, [&](size_t n) { return meetings_.all[n].rows == rows; }))
        continue;
      if (rows == 3) {
        pairSites(site, site, numbers);
        continue;
      }
      std::vector<Turns> turns;
      for (const size_t n : all)
        turns.push_back(meetings_.all[n].turns);
      alike[turns][rows - 1].push_back(site);
    }
    for (const auto &[turns, halves] : alike)
      if (halves[0].size() == halves[1].size())
        for (size_t i = 0; i < halves[0].size(); ++i)
          pairSites(halves[0][i], halves[1][i], numbers);
    for (Exchange::Met &met : out_.met) {
      met.even = straight.even.at(met.value);
      const auto around = straight.under.find(met.value);
      met.under = around == straight.under.end() ? nullptr : around->second;
      for (const size_t n : numbers[met.value])
        noteBetween(straight, meetings_.all[n],
                    meetings_.all[static_cast<size_t>(meetings_.partners[n])], met);
      met.isPlace = llvm::any_of(straight.stored, [&](const auto &stored) {
        return stored.second.address == met.value && stored.second.isPlace;
      });
    }
  }

  static void noteBetween(const WaveRun &straight, const Met &half, const Met &other,
                          Exchange::Met &met) {
    met.isTouchedBetween |= half.touches != other.touches;
    met.isActedBetween |= half.effects != other.effects;
    met.isStoredBetween |= half.storings != other.storings;
    const auto [first, last] = std::minmax(half.reads, other.reads);
    met.readBetween.insert(straight.reads.begin() + first, straight.reads.begin() + last);
  }

  using Numbers = std::map<const Expr *, std::vector<size_t>>;
  void pairSites(const Expr *lower, const Expr *upper, Numbers &numbers) {
    for (size_t i = 0; i < numbers[lower].size(); ++i) {
      meetings_.partners[numbers[lower][i]] = static_cast<int>(numbers[upper][i]);
      meetings_.partners[numbers[upper][i]] = static_cast<int>(numbers[lower][i]);
    }
    addMet(lower, lower, upper);
    if (upper != lower)
      addMet(upper, lower, upper);
  }
  Exchange::Met &addMet(const Expr *value, const Expr *lower, const Expr *upper) {
    Exchange::Met &met = out_.met.emplace_back();
    met.value = value;
    met.lower = lower;
    met.upper = upper;
    return met;
  }

  bool pairInLoop(const Expr *site, const std::vector<size_t> &numbers) {
    const Turns &first = meetings_.all[numbers[0]].turns;
    for (size_t depth = first.size(); depth-- > 0;) {
      const auto *loop = dyn_cast<ForStmt>(first[depth].first);
      const auto counter = loop ? plainCounter(loop, context_) : std::nullopt;
      for (int bit = 0; counter && bit < kMostBits; ++bit) {
        std::vector<std::pair<size_t, size_t>> pairs;
        if (!partnersBy(numbers, depth, loop, bit, pairs))
          continue;
        for (const auto &[n, partner] : pairs)
          meetings_.partners[n] = static_cast<int>(partner);
        Exchange::Met &met = addMet(site, site, site);
        met.counter = counter->first;
        met.loop = loop;
        met.bit = bit;
        return true;
      }
    }
    return false;
  }

  // With the turn of loop number `depth` changed in `bit`, which says the half everywhere.
  bool partnersBy(const std::vector<size_t> &numbers, size_t depth, const Stmt *loop, int bit,
                  std::vector<std::pair<size_t, size_t>> &pairs) const {
    std::map<Turns, size_t> at;
    for (const size_t n : numbers) {
      const Turns &turns = meetings_.all[n].turns;
      if (turns.size() <= depth || turns[depth].first != loop ||
          (turns[depth].second >> bit & 1) != meetings_.all[n].rows - 1u ||
          !at.try_emplace(turns, n).second)
        return false;
    }
    for (const auto &[turns, n] : at) {
      Turns other = turns;
      other[depth].second ^= uint64_t(1) << bit;
      const auto partner = at.find(other);
      if (partner == at.end())
        return false;
      pairs.push_back({n, partner->second});
    }
    return true;
  }

  // Every state of the exchanged run is the exchange of the straight run's.
  bool agree(const WaveRun &straight, const WaveRun &other, const TurnedTiles &turned) {
    if (straight.events.size() != other.events.size())
      return refuse("the two halves of a tile do not go the same way", last_);
    for (size_t i = 0; i < straight.events.size(); ++i) {
      const WaveRun::Event &a = straight.events[i], &b = other.events[i];
      if (a.rows != b.rows)
        return refuse("an operand is made from results in a way that depends on the lane or on "
                      "which half of a tile's rows it is",
                      a.at);
      for (const auto &[key, value] : a.cells) {
        const auto match = b.cells.find(key);
        const CarriedCell &cell = carried_.loops[a.loop][key];
        if (cell.isStale)
          continue;
        std::optional<WaveValue> expected = value;
        if (cell.rows)
          expected = exchanged(key, cell, turnOf(turned, key.root), [&](const CellKey &other) {
            const auto it = a.cells.find(other);
            return it == a.cells.end() ? nullptr : &it->second;
          });
        if (match == b.cells.end() || !expected || expected->of != match->second.of) {
          const VarDecl *variable = carried_.variables[key.root];
          return refuse(
              std::string(variable ? "'" + variable->getNameAsString() + "'" : "a value") +
                  " depends on the lane, or is not the same for rows r and r + 8",
              a.at);
        }
      }
    }
    return true;
  }

  void collect(const WaveRun &straight) {
    for (const auto &[call, shuffle] : straight.shuffles)
      if (shuffle.onFragments) {
        if (shuffle.onOthers)
          refuse("one shuffle serves results and other values", call);
        out_.shuffles.push_back(call);
      }
    std::sort(out_.shuffles.begin(), out_.shuffles.end(), [](const auto *a, const auto *b) {
      return a->getBeginLoc().getRawEncoding() < b->getBeginLoc().getRawEncoding();
    });
    for (const auto &[key, cell] : carried_.loops[{nullptr, 0}]) {
      const VarDecl *variable = carried_.variables[key.root];
      if (!variable || !cell.rows)
        continue;
      if (cell.isStale)
        out_.stale.insert(variable);
      if (cell.rows == 1 && cell.partner && !isOfSums(key, *variable))
        out_.rows.push_back({variable, carried_.variables[cell.partner->root], key.offset,
                             cell.partner->offset, key.bytes});
    }
    out_.fragments = straight.holders;
    out_.stored = straight.stored;
    out_.storedMatrices = straight.storedMatrices;
    out_.rowSums = straight.rowSums;
  }

  // Of a struct the member: one may hold sums, and another what rows have.
  bool isOfSums(const CellKey &key, const VarDecl &variable) const {
    std::set<int64_t> offsets;
    for (const auto &[result, rows] : carried_.results)
      if (result.root == key.root)
        offsets.insert(result.offset);
    if (offsets.empty())
      return false;
    const auto *record = variable.getType()->getAsCXXRecordDecl();
    if (!record || !record->hasDefinition())
      return true;
    const auto memberAt = [&](int64_t offset) {
      const FieldDecl *found = nullptr;
      for (const FieldDecl *field : record->fields())
        if (static_cast<int64_t>(context_.getFieldOffset(field) / 8) <= offset)
          found = field;
      return found;
    };
    return llvm::any_of(offsets,
                        [&](int64_t offset) { return memberAt(offset) == memberAt(key.offset); });
  }

  void findTurnable(const WaveRun &straight) {
    for (const auto &[root, accumulator] : straight.accumulators) {
      if (!accumulator.isWhole || accumulator.registers != 4 || !carried_.variables[root])
        continue;
      if (mayTurn({{root, Turn::Whole}}))
        out_.turnable.insert(carried_.variables[root]);
      if (mayTurn({{root, Turn::InHalves}}))
        out_.halfTurnable.insert(carried_.variables[root]);
    }
  }
  bool mayTurn(const TurnedTiles &turned) {
    const std::string problem = out_.problem;
    const SourceRange at = out_.problemAt;
    const WaveRun a = run({false, false, turned, nullptr, {}});
    const Meetings meetings{a.meetings, meetings_.partners};
    if (meetings.all.size() != meetings.partners.size())
      return false;
    const WaveRun b = run({true, false, turned, &meetings, {}});
    const bool may = out_.problem.empty() && agree(a, b, turned);
    out_.problem = problem;
    out_.problemAt = at;
    return may;
  }

  const ASTContext &context_;
  const FunctionDecl &kernel_;
  const Stmt *last_;
  const Bytes operands_;
  const Alike alike_;
  const RunMode mode_;
  Carried carried_;
  Meetings meetings_;
  bool foundStale_ = false;
  Exchange out_;
};

} // namespace

Exchange findExchange(const ASTContext &context, const FunctionDecl &kernel, const Stmt *last,
                      const Bytes &operands, Alike alike, RunMode mode) {
  const auto finder =
      std::make_shared<Finder>(context, kernel, last, operands, std::move(alike), mode);
  Exchange exchange = finder->find();
  exchange.seenAt = [finder](const Stmt *at) { return finder->seenAt(at); };
  return exchange;
}

} // namespace layout_port::native
