#include "ptx/decode/Mma.h"

#include "ptx/Opcodes.h"
#include "ptx/decode/Common.h"

namespace layout_port::ptx {
namespace {

struct Shape {
  unsigned m, n, k, blocks;
  std::string_view inputs;  // parted by '|'
  std::string_view results; // parted by '|'
  std::string_view fragment;

  std::string spelling() const {
    return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  }
};

constexpr Shape shapes[] = {
#define MMA(m, n, k, blocks, inputs, results, fragment)                                            \
  {m, n, k, blocks, inputs, results, fragment},
#include "ptx/decode/MmaShapes.inc"
#undef MMA
};

bool isAmong(std::string_view word, std::string_view words) {
  while (!words.empty()) {
    const std::size_t bar = words.find('|');
    if (words.substr(0, bar) == word)
      return true;
    words.remove_prefix(bar == std::string_view::npos ? words.size() : bar + 1);
  }
  return false;
}

// The row for the instruction's shape and types D A B C.
const Shape *findShape(const Instruction &i, const std::vector<Type> &types) {
  for (const Shape &s : shapes)
    if (i.has(s.spelling()) && isAmong(spell(types[0]), s.results) &&
        isAmong(spell(types[1]), s.inputs) && isAmong(spell(types[2]), s.inputs) &&
        isAmong(spell(types[3]), s.results))
      return &s;
  return nullptr;
}

// A warp holds rows * cols * blocks elements in 32 lanes. tf32 and f64 elements
// fill a register each, narrower ones share a 32-bit register.
unsigned registersFor(unsigned rows, unsigned cols, unsigned blocks, Type type) {
  const unsigned elementsPerLane = rows * cols * blocks / 32;
  const unsigned bits = bitsOf(type);
  return bits >= 32 ? elementsPerLane : elementsPerLane * bits / 32;
}

// The modifiers .row and .col in their order: A's, then B's.
std::vector<MatrixOrder> ordersOf(const Instruction &i) {
  std::vector<MatrixOrder> orders;
  for (const std::string &m : i.modifiers)
    if (m == "row" || m == "col")
      orders.push_back(m == "row" ? MatrixOrder::Row : MatrixOrder::Col);
  return orders;
}

const char *spell(MatrixOrder order) { return order == MatrixOrder::Row ? ".row" : ".col"; }

// Only the four-block m8n8k4 takes every layout, and lets an f32 D start from an
// f16 C; its fragments depend on them, so its names carry them.
bool isFourBlock(const Mma &mma) { return mma.blocks == 4; }

void setNames(Mma &mma, const Shape &shape) {
  mma.fragment = std::string(shape.fragment);
  mma.name = "mma." + shape.spelling() + "." + std::string(spell(mma.typeA));
  if (mma.typeA != mma.typeB)
    mma.name += "." + std::string(spell(mma.typeB));
  if (!isFourBlock(mma))
    return;
  const std::string suffix =
      std::string(spell(mma.orderA)) + spell(mma.orderB) + "." + std::string(spell(mma.typeD));
  mma.name += suffix;
  mma.fragment += suffix;
}

std::optional<Problem> checkLayoutsAndTypes(const Instruction &i, const Mma &mma) {
  if (!isFourBlock(mma) && (mma.orderA != MatrixOrder::Row || mma.orderB != MatrixOrder::Col))
    return problemAt(i.opcodeOffset, mma.name + " takes A by rows and B by columns (.row.col)");
  if (!isFourBlock(mma) && mma.typeC != mma.typeD)
    return problemAt(i.opcodeOffset, mma.name + " has C and D of one type");
  if (isFourBlock(mma) && mma.typeC == Type::F32 && mma.typeD == Type::F16)
    return problemAt(i.opcodeOffset, mma.name + " cannot round an f32 C to an f16 D");
  if (mma.satfinite && mma.typeD != Type::S32)
    return problemAt(offsetOf(i, "satfinite"), mma.name + " does not saturate: only integers do");
  if (mma.rounding != Rounding::None && mma.typeD != Type::F64)
    return problemAt(i.opcodeOffset, mma.name + " names no rounding: only f64 does");
  return std::nullopt;
}

std::optional<Problem> checkCount(const Mma &mma, char matrix, const Operand &operand,
                                  std::size_t has, unsigned needs) {
  if (has == needs)
    return std::nullopt;
  return problemAt(operand.span.begin, mma.name + " needs " + std::to_string(needs) +
                                           " registers for " + matrix + ", here are " +
                                           std::to_string(has));
}

std::optional<Problem> checkRegisters(const Instruction &i, const Mma &mma) {
  const auto &o = i.operands;
  const unsigned b = mma.blocks;
  if (auto p = checkCount(mma, 'D', o[0], mma.d.size(), registersFor(mma.m, mma.n, b, mma.typeD)))
    return p;
  if (auto p = checkCount(mma, 'A', o[1], mma.a.size(), registersFor(mma.m, mma.k, b, mma.typeA)))
    return p;
  if (auto p = checkCount(mma, 'B', o[2], mma.b.size(), registersFor(mma.k, mma.n, b, mma.typeB)))
    return p;
  return checkCount(mma, 'C', o[3], mma.c.size(), registersFor(mma.m, mma.n, b, mma.typeC));
}

} // namespace

Outcome<Mma> decodeMma(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  const std::vector<Type> types = typesOf(i);
  const Shape *shape = findShape(i, types);
  if (!shape)
    return problemAt(i.opcodeOffset, "mma has no such shape with these types: " + i.spelling());
  Mma mma;
  mma.m = shape->m;
  mma.n = shape->n;
  mma.k = shape->k;
  mma.blocks = shape->blocks;
  const std::vector<MatrixOrder> orders = ordersOf(i);
  mma.orderA = orders[0];
  mma.orderB = orders[1];
  mma.typeD = types[0];
  mma.typeA = types[1];
  mma.typeB = types[2];
  mma.typeC = types[3];
  mma.satfinite = i.has("satfinite");
  mma.rounding = roundingOf(i);
  mma.d = registersOf(i.operands[0]);
  mma.a = registersOf(i.operands[1]);
  mma.b = registersOf(i.operands[2]);
  mma.c = registersOf(i.operands[3]);
  setNames(mma, *shape);
  if (auto problem = checkLayoutsAndTypes(i, mma))
    return *problem;
  if (auto problem = checkRegisters(i, mma))
    return *problem;
  return mma;
}

} // namespace layout_port::ptx
