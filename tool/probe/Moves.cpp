// Cross-lane rows: a kernel for each row and control, and the 64 values it must give.
//
// Lane l offers x = 0x100 + l, y = 0x200 + l (v_perm: multiples of them) and, where a move may
// leave a lane alone, old = 0x300 + l: a result names the operand and the lane it came from.
#include "probe/Parts.h"

#include "layout_port/layouts/CrossLane.h"

#include <cstdio>
#include <set>

namespace layout_port::probe {
namespace {

constexpr int lanes = 64;
using Values = std::vector<uint32_t>;

uint32_t valueOf(int operand, int lane) { return 0x100u * (operand + 1) + lane; }
constexpr int oldOperand = 2;

// The bits that tell one control from another one by one, the ends of the range, and
// what the solvers choose for the 63 XORs.
std::vector<uint64_t> controlsOf(const isa::CrossLaneMove &row,
                                 const std::vector<isa::Arch> &archs) {
  if (std::string_view(row.text).find("{c}") == std::string_view::npos)
    return {row.firstControl};
  std::set<uint64_t> controls = {row.firstControl, row.lastControl};
  for (int bit = 0; bit < 16; ++bit)
    if (const uint64_t c = row.firstControl ^ uint64_t(1) << bit;
        c >= row.firstControl && c <= row.lastControl)
      controls.insert(c);
  for (isa::Arch arch : archs)
    for (unsigned mask = 1; mask < lanes; ++mask)
      for (const isa::MoveChoice &choice : isa::xorMoves(arch, mask))
        if (choice.move->formula == row.formula && choice.move->name == std::string_view(row.name))
          controls.insert(choice.control);
  return {controls.begin(), controls.end()};
}

// Index registers to try with a permute: reversal, rotation, a broadcast (where
// ds_permute's lanes collide), and a scrambled one.
std::vector<Values> indexMaps() {
  std::vector<Values> maps(4, Values(lanes));
  for (int lane = 0; lane < lanes; ++lane) {
    maps[0][lane] = 4u * (lanes - 1 - lane);
    maps[1][lane] = 4u * ((lane + 5) % lanes);
    maps[2][lane] = 4u * (lane / 8);
    maps[3][lane] = 4u * ((lane * 29 + 7) % lanes);
  }
  return maps;
}

// v_perm's operands: all four bytes vary with the lane, and so do the signs that
// selectors 8-11 copy.
constexpr uint32_t byteFactors[] = {0x9e3779b1, 0x85ebca6b};
uint32_t bytesOf(int operand, int lane) { return valueOf(operand, lane) * byteFactors[operand]; }

// Every choice, 0-15, in every byte of the selector, and those above that mean 0xff.
std::vector<uint64_t> byteSelectors() {
  std::vector<uint64_t> selectors;
  for (uint64_t choice = 0; choice < 16; ++choice) {
    uint64_t selector = 0;
    for (uint64_t byte = 0; byte < 4; ++byte)
      selector |= (choice + 5 * byte) % 16 << 8 * byte;
    selectors.push_back(selector);
  }
  selectors.push_back(0xff80100d);
  return selectors;
}

Values gathered(const isa::CrossLaneMove &row, const Values &controls, int result) {
  Values expected(lanes);
  for (int lane = 0; lane < lanes; ++lane) {
    const isa::LaneSource from = isa::sourceOf(row, controls[lane], lane, result, lanes);
    expected[lane] = from.lane < 0 ? valueOf(oldOperand, lane) : valueOf(from.operand, from.lane);
  }
  return expected;
}

// Lanes write in ascending order, so the highest wins; nobody's lane gets 0.
Values scattered(const Values &addresses) {
  Values expected(lanes, 0);
  for (int lane = 0; lane < lanes; ++lane)
    expected[isa::destinationOf(addresses[lane], lanes)] = valueOf(0, lane);
  return expected;
}

Values permuted(uint64_t selector) {
  Values expected(lanes);
  for (int lane = 0; lane < lanes; ++lane)
    expected[lane] = isa::permuteBytes(bytesOf(0, lane), bytesOf(1, lane), uint32_t(selector));
  return expected;
}

class Emitter {
public:
  explicit Emitter(Program &program) : program_(program) {}

  void emit(const isa::CrossLaneMove &row) {
    switch (row.kind) {
    case isa::MoveKind::Gather:
    case isa::MoveKind::ToScalar:
    case isa::MoveKind::Swap:
      for (uint64_t control : controlsOf(row, program_.archs))
        immediate(row, control);
      return;
    case isa::MoveKind::Indexed:
    case isa::MoveKind::Scatter:
      for (const Values &map : indexMaps())
        indexed(row, map);
      return;
    case isa::MoveKind::InLane:
      // v_mov and v_cndmask are plain C++; v_perm has a meaning to check.
      if (std::string_view(row.text).find("_perm(") != std::string_view::npos)
        for (uint64_t selector : byteSelectors())
          one(row, hex(selector), hex(selector) + "u", Values(lanes), permuted(selector),
              "x * " + hex(byteFactors[0]) + "u", "y * " + hex(byteFactors[1]) + "u");
      return;
    }
  }

private:
  static std::string hex(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
  }

  void immediate(const isa::CrossLaneMove &row, uint64_t control) {
    const Values controls(lanes, uint32_t(control));
    Values expected = gathered(row, controls, 0);
    if (row.kind == isa::MoveKind::Swap) {
      const Values second = gathered(row, controls, 1);
      expected.insert(expected.end(), second.begin(), second.end());
    }
    one(row, hex(control), hex(control), Values(lanes), expected);
  }

  void indexed(const isa::CrossLaneMove &row, const Values &map) {
    const bool scatter = row.kind == isa::MoveKind::Scatter;
    one(row, "index map " + std::to_string(number_), "index", map,
        scatter ? scattered(map) : gathered(row, map, 0));
  }

  void one(const isa::CrossLaneMove &row, const std::string &label, const std::string &control,
           const Values &index, const Values &expected, const std::string &x = "x",
           const std::string &y = "y") {
    const std::string kernel = "move" + std::to_string(number_++);
    const unsigned chips = program_.chipsOf(row);
    program_.kernels << "\n__global__ void " << kernel
                     << "(const unsigned *indices, unsigned *out) {\n#if "
                     << program_.condition(chips) << "\n  MOVE_OPERANDS\n  "
                     << (row.kind == isa::MoveKind::Swap ? "storePair" : "store") << "(out, "
                     << isa::moveText(row, x, control, y, "old") << ");\n#endif\n}\n";
    program_.moveRows << "    {" << quoted(row.name) << ", " << quoted(label) << ", "
                      << quoted(row.source->what) << ", " << chips << "u, " << kernel << ",\n     {"
                      << list(index) << "},\n     {" << list(expected) << "}},\n";
  }

  static std::string list(const Values &values) {
    std::string text;
    for (uint32_t value : values)
      text += hex(value) + ", ";
    return text;
  }

  Program &program_;
  int number_ = 0;
};

} // namespace

Result<bool> emitMoveRows(Program &program) {
  Emitter emitter(program);
  for (const isa::CrossLaneMove &row : isa::crossLaneMoves())
    if (program.chipsOf(row))
      emitter.emit(row);
  return true;
}

} // namespace layout_port::probe
