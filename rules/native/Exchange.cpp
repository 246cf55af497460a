#include "native/Exchange.h"

#include "native/WaveRun.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int kMostRuns = 12;
constexpr int kColorRuns = 6;

class Finder {
public:
  Finder(const ASTContext &context, const FunctionDecl &kernel, const Stmt *last,
         const std::set<const VarDecl *> &operands)
      : context_(context), kernel_(kernel), last_(last), operands_(operands) {}

  Exchange find() {
    if (!settle() || !pairUp())
      return std::move(out_);
    const WaveRun straight = run({});
    const WaveRun other = run({true, false, {}});
    if (!out_.problem.empty() || !agree(straight, other, {}))
      return std::move(out_);
    collect(straight);
    findTurnable(straight);
    return std::move(out_);
  }

private:
  WaveRun run(RunLayout layout) {
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
      run({});
      if (!out_.problem.empty())
        return false;
      if (!carried_.changed)
        return true;
    }
    return refuse("what loops carry does not settle", last_);
  }

  // Cells of both halves that are computed alike are partners.
  bool pairUp() {
    for (int i = 0; i < kColorRuns; ++i)
      run({false, true, {}});
    if (!out_.problem.empty())
      return false;
    for (auto &[loop, cells] : carried_.loops) {
      std::map<uint64_t, std::array<std::vector<CellKey>, 2>> alike;
      for (const auto &[key, cell] : cells)
        if (cell.rows)
          alike[cell.color][cell.rows - 1].push_back(key);
      for (const auto &[color, halves] : alike) {
        if (halves[0].size() != halves[1].size()) {
          const auto &more = halves[halves[1].size() > halves[0].size()];
          const VarDecl *variable = carried_.variables[more[0].root];
          return refuse("rows r and r + 8 of a tile are not treated alike" +
                            (variable ? " in '" + variable->getNameAsString() + "'" : ""),
                        loop.first ? loop.first : last_);
        }
        for (size_t i = 0; i < halves[0].size(); ++i) {
          cells[halves[0][i]].partner = halves[1][i];
          cells[halves[1][i]].partner = halves[0][i];
        }
      }
    }
    return true;
  }

  // Every state of the exchanged run is the exchange of the straight run's.
  bool agree(const WaveRun &straight, const WaveRun &other, const std::set<unsigned> &turned) {
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
        std::optional<WaveValue> expected = value;
        if (cell.rows)
          expected = exchanged(key, cell, turned.count(key.root), [&](const CellKey &other) {
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
      if (cell.rows == 1 && cell.partner && !straight.accumulators.count(key.root))
        out_.rows.push_back({variable, carried_.variables[cell.partner->root], key.offset,
                             cell.partner->offset, key.bytes});
    }
    for (const unsigned root : straight.holders)
      if (carried_.variables[root])
        out_.fragments.insert(carried_.variables[root]);
  }

  void findTurnable(const WaveRun &straight) {
    for (const auto &[root, accumulator] : straight.accumulators) {
      if (!accumulator.isWhole || accumulator.registers != 4 || !carried_.variables[root])
        continue;
      const std::string problem = out_.problem;
      const SourceRange at = out_.problemAt;
      const std::set<unsigned> turned = {root};
      const WaveRun a = run({false, false, turned}), b = run({true, false, turned});
      if (out_.problem.empty() && agree(a, b, turned))
        out_.turnable.insert(carried_.variables[root]);
      out_.problem = problem;
      out_.problemAt = at;
    }
  }

  const ASTContext &context_;
  const FunctionDecl &kernel_;
  const Stmt *last_;
  const std::set<const VarDecl *> &operands_;
  Carried carried_;
  Exchange out_;
};

} // namespace

Exchange findExchange(const ASTContext &context, const FunctionDecl &kernel, const Stmt *last,
                      const std::set<const VarDecl *> &operands) {
  return Finder(context, kernel, last, operands).find();
}

} // namespace layout_port::native
