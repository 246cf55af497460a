#include "native/ExplainPlan.h"

#include "native/Operands.h"
#include "source/Steering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace layout_port::native {

namespace {

using Names = std::vector<std::string>;

// ---- layouts, by the names of bits

// Bit i of an operand's bytes along k is bit i - 1 of k where elements have 16 bits; words of f64
// are counted as those of 32 bits (Scheme.h).
std::string kName(int byteBit, int elementBits) {
  const int inElement = elementBits == 8 ? 0 : elementBits == 16 ? 1 : 2;
  return "k" + std::to_string(byteBit - inElement);
}

// "b2" -> "k1"; "s" -> "step"; others as they are.
std::string inElements(const std::string &name, int elementBits) {
  if (name == "s")
    return "step";
  return name[0] == 'b' ? kName(name[1] - '0', elementBits) : name;
}

Names lanesOf(const Places &places, int elementBits) {
  Names names(6, "-");
  for (const auto &[name, bit] : places)
    names[bit] = inElements(name, elementBits);
  return names;
}

// What the register index of an operand means, element bits inside a register first.
Names registersOf(const Scheme &scheme, Role role, int elementBits) {
  Names names;
  for (int byte = elementBits == 8 ? 0 : 1; elementBits < 32 && byte < 2; ++byte)
    names.push_back(kName(byte, elementBits));
  for (int word = 0; 1 << word < scheme.words(); ++word)
    names.push_back(kName(scheme.farWords ? 4 + word : 2 + word, elementBits));
  if (role == Role::A && !scheme.isOfOneWarp())
    names.push_back("h");
  return names;
}

std::string layoutLine(const char *whose, const Names &registers, const Names &lanes) {
  return llvm::formatv("        {0}  register {1,-14}  lane {2}", whose, llvm::join(registers, " "),
                       llvm::join(lanes, " "))
      .str();
}

// The layout of the CUDA program, from the instruction's row.
std::string cudaLine(const MmaSite &mma, char operand) {
  const auto layout = isa::operandLayout(mma.name, std::string(1, operand), "");
  if (!layout)
    return "        CUDA  " + layout.error().message;
  const auto nameOf = [&](const char *in, int bit) -> std::string {
    for (const LayoutDim &out : layout->outs()) {
      const uint64_t column = layout->basis(in, bit, out.name);
      if (column && !(column & (column - 1)))
        return out.name + std::to_string(f2::lowestBit(column));
    }
    return "-";
  };
  Names registers, lanes;
  for (int i = 0; i < layout->inBits("register"); ++i)
    registers.push_back(nameOf("register", i));
  for (int i = 0; i < layout->inBits("lane"); ++i)
    lanes.push_back(nameOf("lane", i));
  return layoutLine("CUDA", registers, lanes);
}

// ---- places and loops

class Explainer {
public:
  Explainer(const Program &program, const Explained &explained)
      : program_(program), kernel_(*explained.kernel), explained_(explained) {}

  bool touches(unsigned line) const {
    return llvm::any_of(operations(), [&](const Operation &op) { return lineOf(op.at) == line; });
  }

  std::string heading() const {
    return "kernel " + kernel_.name + ", " + place(kernel_.range) + "\n";
  }

  // Fragments, operations, plan; or (line != 0) what stands at this line, and the plan.
  std::string fragments(unsigned line) const {
    std::string text = heading();
    std::string lines;
    for (const MmaSite &mma : kernel_.mmas)
      if (line ? lineOf(mma.range) == line : isFirstOf(mma))
        lines += fragmentLines(mma);
    text += lines.empty() ? "" : "\n  fragments\n" + lines;
    text += "\n  operations\n";
    for (const Operation &op : operations())
      if (!line || lineOf(op.at) == line)
        text += "    line " + std::to_string(lineOf(op.at)) + ": " + op.text + "\n";
    text += "\n  control flow\n    " + controlLine() + "\n";
    if (!explained_.problem.empty())
      return text + "\n  plan\n    not native: " + explained_.problem + " (" +
             place(explained_.at) + ")\n" + blockedLines();
    const Plan &plan = explained_.plans.plans.front();
    text += "\n  plan, " + std::string(clocksNote()) + "\n";
    for (const Product &product : plan.products)
      text += "    " + describe(product) + "\n";
    return text + chipLines(plan) + movedLines() + endLines(plan) + blockedLines();
  }

  std::string ranking() const {
    std::string text = heading();
    if (!explained_.problem.empty())
      return text + "  no native plan: " + explained_.problem + " (" + place(explained_.at) +
             ")\n" + blockedLines();
    text += "  plans, " + std::string(clocksNote()) + "\n\n    ";
    for (const isa::Arch arch : outputArchs())
      text += llvm::formatv("{0,10}", isa::archName(arch)).str();
    text += "\n";
    for (size_t i = 0; i < explained_.plans.plans.size(); ++i)
      text += rankLine(explained_.plans.plans[i], i + 1);
    text += "\n  the first is taken\n" + chipLines(explained_.plans.plans.front()) +
            blockedLines() + "\n  where the numbers come from\n";
    for (const isa::Arch arch : outputArchs())
      for (const std::string &line : priceSources(arch))
        if (arch == outputArchs().front() || llvm::StringRef(line).starts_with("LDS passes"))
          text += std::string("    ") + isa::archName(arch) + " " + line + "\n";
    return text;
  }

private:
  struct Operation {
    TextRange at;
    std::string text;
  };

  static std::string clocksNote() {
    return "in clocks of one wave were nothing to overlap; a loop of unknown length goes " +
           std::to_string(kTurns) + " turns";
  }

  unsigned lineOf(const TextRange &range) const {
    unsigned line = 0, column = 0;
    program_.file(range.file).tokens.lineAndColumn(range.begin, line, column);
    return line;
  }
  std::string place(const TextRange &range) const {
    return program_.file(range.file).path + ":" + std::to_string(lineOf(range));
  }

  bool isFirstOf(const MmaSite &mma) const {
    for (const MmaSite &other : kernel_.mmas)
      if (other.d[0].declaration == mma.d[0].declaration)
        return &other == &mma;
    return true;
  }

  const Product *productOf(const MmaSite &mma) const {
    if (explained_.plans.plans.empty() || !explained_.problem.empty())
      return nullptr;
    for (const Product &product : explained_.plans.plans.front().products)
      if (llvm::is_contained(product.mmas, &mma))
        return &product;
    return nullptr;
  }

  // ---- fragments

  static std::string nameOf(const Slot &slot, size_t registers) {
    std::string name = slot.variable;
    for (size_t i = 0; i < slot.extents.size(); ++i)
      name += slot.tile[i].isMember ? slot.tile[i].text
              : slot.extents[i]     ? "[" + std::to_string(slot.extents[i]) + "]"
                                    : "[?]";
    return name + "[" + std::to_string(registers) + "]";
  }

  std::string fragmentLines(const MmaSite &mma) const {
    const Product *product = productOf(mma);
    const auto head = [&](const char *what, const Slot &slot, size_t registers, char operand) {
      return "    " + nameOf(slot, registers) + ": " + what + " of " + mma.name + ", line " +
             std::to_string(lineOf(mma.range)) + "\n" + cudaLine(mma, operand) + "\n";
    };
    const int bits = static_cast<int>(ptx::bitsOf(mma.typeA));
    std::string text = head("sums", mma.d[0], mma.d.size(), 'C');
    if (product) {
      const ResultNames names = resultNames(product->scheme);
      text += layoutLine("here", names.registers, names.lanes);
      if (!names.tiles.empty())
        text += "  low bits of the tile index " + llvm::join(names.tiles, " ");
      text += "\n";
    }
    text += head("first operand", mma.a[0], mma.a.size(), 'A');
    const auto whose = [&](const std::vector<Slot> &operand) {
      return kernel_.isConverted(operand) ? "moved" : "here";
    };
    if (product)
      text += layoutLine(whose(mma.a), registersOf(product->scheme, Role::A, bits),
                         lanesOf(product->scheme.secondLanes, bits)) +
              "\n";
    text += head("second operand", mma.b[0], mma.b.size(), 'B');
    if (product)
      text += layoutLine(whose(mma.b), registersOf(product->scheme, Role::B, bits),
                         lanesOf(product->scheme.firstLanes, bits)) +
              "\n";
    return text;
  }

  // ---- operations

  static std::string loopsText(const std::vector<Loop> &loops) {
    Names names;
    for (const Loop &loop : loops) {
      const bool known = loop.first && loop.last && loop.step && *loop.step > 0;
      const int64_t turns = known ? (*loop.last - *loop.first + *loop.step - 1) / *loop.step : 0;
      names.push_back((loop.variable.empty() ? std::string("a loop") : loop.variable) +
                      (known ? " (" + std::to_string(turns) + ")" : ""));
    }
    return names.empty() ? "" : ", in " + llvm::join(names, ", ");
  }

  std::string variableName(uint64_t declaration) const {
    for (const Kernel::Variable &v : kernel_.variables)
      if (v.declaration == declaration)
        return v.name;
    return "?";
  }

  std::string loadText(const LoadSite &load) const {
    Names tiles;
    for (const TileGroup &group : groupsOf(load))
      if (!llvm::is_contained(tiles, group.tile->tileText))
        tiles.push_back(group.tile->tileText);
    std::string text = (load.isGathered() ? "put together" : load.spelling) + " -> " +
                       llvm::join(tiles, ", ") + loopsText(load.loops);
    text += load.address.dependsOnPair ? "; the two warps of a wave differ"
                                       : "; the same for both warps of a wave";
    return load.problem.empty() ? text : text + "; " + load.problem;
  }

  std::vector<Operation> operations() const {
    std::vector<Operation> all;
    for (const MmaSite &mma : kernel_.mmas)
      all.push_back({mma.range, mma.name + ": " + mma.d[0].tileText + " += " + mma.a[0].tileText +
                                    " * " + mma.b[0].tileText + loopsText(mma.loops)});
    for (const LoadSite &load : kernel_.loads)
      all.push_back({load.range, loadText(load)});
    for (const FragmentUse &use : kernel_.uses)
      all.push_back({use.range, useText(use)});
    if (kernel_.between)
      for (const Between::Shuffle &shuffle : kernel_.between->shuffles)
        all.push_back({shuffle.range, "shuffle of results along rows or columns"});
    llvm::stable_sort(all, [](const Operation &a, const Operation &b) {
      return std::tie(a.at.file, a.at.begin) < std::tie(b.at.file, b.at.begin);
    });
    // What one statement says several times over is said once.
    all.erase(std::unique(all.begin(), all.end(),
                          [&](const Operation &a, const Operation &b) {
                            return a.text == b.text && lineOf(a.at) == lineOf(b.at);
                          }),
              all.end());
    return all;
  }

  std::string useText(const FragmentUse &use) const {
    const std::string name = variableName(use.declaration);
    if (use.isFill)
      return "fill of " + name + " with one value";
    for (const Epilogue &epilogue : kernel_.epilogues)
      for (const EpilogueBody &body : epilogue.bodies)
        if (body.range.contains(use.range))
          return name + " handed on, element by element" + loopsText(body.loops);
    const bool between = kernel_.between && kernel_.between->holds(use.range);
    return name + (between ? " worked on between the products" : " used by other code");
  }

  std::string controlLine() const {
    if (!kernel_.problem.empty())
      return kernel_.problem + " (" + place(kernel_.problemAt) + ")";
    return "the two warps of a wave never part around these";
  }

  // ---- plans

  std::string describe(const Product &product) const {
    const Scheme &scheme = product.scheme;
    std::string text = product.mmas[0]->d[0].variable + ": ";
    text += scheme.side == PairSide::Columns ? "the warps of a wave share A"
            : scheme.side == PairSide::Rows  ? "the warps of a wave share B"
                                             : "the warps of a wave share nothing";
    if (scheme.turned)
      text += scheme.halfTurned ? ", B read along n in twos" : ", B read along n";
    if (scheme.single)
      text += ", each n8 tile by itself";
    else if (scheme.large)
      text += scheme.rowTilesTogether() > 1 ? ", two by two tiles in one 32x32 MFMA"
                                            : ", four n8 tiles in one 32x32 MFMA";
    else if (scheme.tilesTogether() > 1)
      text += ", " + std::to_string(scheme.tilesTogether()) + " n8 tiles together" +
              (scheme.odd ? " and the last by itself" : "");
    if (!product.held.empty())
      text += ", steps of k held for a deeper MFMA";
    for (const bool isA : {true, false})
      for (const MmaSite *mma : product.mmas)
        if (const Slot &slot = isA ? mma->a[0] : mma->b[0]; kernel_.isConverted(slot.declaration)) {
          text += ", " + slot.variable + " moved from CUDA's layout for each product";
          break;
        }
    if (usedInFront(kernel_, product))
      text += ", sums brought from CUDA's layout in front of the loops";
    if (scheme.deep)
      text += ", two steps of k a read";
    if (product.epilogue)
      text += std::string(", epilogue where the elements lie") +
              (scheme.wide || scheme.large ? ", four neighbours of n a lane"
               : scheme.halfTurned         ? ", four neighbours of n a lane"
               : scheme.turned             ? ", eight neighbours of n a lane"
                                           : "");
    else if (product.noEpilogue.empty())
      text += ", sums in CUDA's layout behind the loops";
    else
      text += ", epilogue behind a conversion";
    return text;
  }

  std::string rankLine(const Plan &plan, size_t rank) const {
    std::string text = llvm::formatv("  {0,2}", rank).str();
    for (const Price &price : plan.prices)
      text += llvm::formatv("{0,10}", std::llround(price.total())).str();
    for (const Product &product : plan.products)
      text += (&product == &plan.products.front() ? "   " : "\n" + std::string(37, ' ')) +
              describe(product);
    return text + "\n";
  }

  // The parts of the price, a chip a line.
  static std::string chipLines(const Plan &plan) {
    std::string text = "            total    MFMA     LDS   moves    VALU    once   "
                       "a turn: MFMA, reads, passes   registers\n";
    for (size_t i = 0; i < plan.prices.size(); ++i) {
      const Price &p = plan.prices[i];
      text += llvm::formatv("    {0,-6} {1,7} {2,7} {3,7} {4,7} {5,7} {6,7}   ",
                            isa::archName(outputArchs()[i]), std::llround(p.total()),
                            std::llround(p.mfma), std::llround(p.lds), std::llround(p.moves),
                            std::llround(p.valu), std::llround(p.once));
      text += llvm::formatv("{0}, {1}, {2} of at least {3}   {4} of {5}{6}\n",
                            std::llround(p.mfmas), std::llround(p.reads), std::llround(p.passes),
                            std::llround(p.leastPasses), p.registers, kLaneRegisters,
                            p.knowsBanks ? "" : "; banks of some reads are not known");
    }
    return text;
  }

  // Why an operand stays where CUDA has it.
  std::string movedLines() const {
    std::string text;
    for (const Kernel::Converted &moved : kernel_.converted)
      text += "    moved for each product: " + moved.reason + atLine(moved.at) + "\n";
    return text;
  }

  std::string endLines(const Plan &plan) const {
    std::string text;
    for (const Product &product : plan.products)
      if (!product.noEpilogue.empty())
        text += "    epilogue of " + product.mmas[0]->d[0].variable +
                " not in place: " + product.noEpilogue + atLine(product.noEpilogueAt) + "\n";
    return text;
  }

  std::string atLine(const TextRange &range) const {
    return range.end ? " (" + place(range) + ")" : "";
  }

  std::string blockedLines() const {
    std::string text;
    for (const Blocked &blocked : explained_.plans.blocked) {
      const std::string line = "    not: " + describe(blocked.product) + ": " + blocked.why.reason +
                               atLine(blocked.why.at) + "\n";
      if (text.find(line) == text.npos)
        text += line;
    }
    return text;
  }

  const Program &program_;
  const Kernel &kernel_;
  const Explained &explained_;
};

} // namespace

std::string explainFragments(const Program &program, const PortCaps &caps, unsigned line) {
  std::string text;
  const NativePort port = portNatively(program, steeredCaps(caps, findSteering(program)));
  for (const Explained &explained : port.explained) {
    const Explainer explainer(program, explained);
    if (!line || explainer.touches(line))
      text += (text.empty() ? "" : "\n") + explainer.fragments(line);
  }
  return text;
}

std::string explainPlans(const Program &program, const PortCaps &caps,
                         const std::vector<std::string> &padded,
                         const std::map<std::string, std::string> &unpadded,
                         const std::vector<std::string> &targets) {
  std::string text;
  const NativePort port =
      portNatively(program, steeredCaps(caps, findSteering(program)), padded, unpadded, targets);
  for (const Explained &explained : port.explained)
    text += (text.empty() ? "" : "\n") + Explainer(program, explained).ranking();
  return text;
}

} // namespace layout_port::native
