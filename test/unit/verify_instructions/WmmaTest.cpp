// The warp matrix functions of mma.h, as clang writes them: llvm.nvvm.wmma.*. PTX
// leaves the layout of a fragment open, so the test is a product of matrices in memory:
// load A, B and C, multiply, store D, for every shape, type and memory order of
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-shape
#include "Golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace layout_port::verify::golden {
namespace {

struct Type {
  const char *name;
  FloatFormat format;
  unsigned bits;
  bool isSigned = true;
};
constexpr Type kF16{"f16", FloatFormat::F16, 16}, kBf16{"bf16", FloatFormat::BF16, 16},
    kTf32{"tf32", FloatFormat::F32, 32}, kF32{"f32", FloatFormat::F32, 32},
    kF64{"f64", FloatFormat::F64, 64}, kS8{"s8", FloatFormat::None, 8},
    kU8{"u8", FloatFormat::None, 8, false}, kS4{"s4", FloatFormat::None, 4},
    kU4{"u4", FloatFormat::None, 4, false}, kB1{"b1", FloatFormat::None, 1, false},
    kS32{"s32", FloatFormat::None, 32};

// A matrix in memory: `stride` elements from one row (or column) to the next.
struct Tile {
  const Type *type;
  unsigned rows, cols;
  bool byColumns;
  unsigned stride = 0, bit = 0; // where it begins

  unsigned at(unsigned row, unsigned col) const {
    return bit + (byColumns ? col * stride + row : row * stride + col) * type->bits;
  }
  unsigned bitsOfAll() const { return (byColumns ? cols : rows) * stride * type->bits; }
};

struct Shape {
  unsigned m, n, k;
  std::string name() const {
    return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  }
};

// A fragment's registers as the intrinsics have them.
struct Fragment {
  unsigned count;
  const char *type;
  std::string result() const {
    std::string text = count == 1 ? type : std::string("{") + type;
    for (unsigned i = 1; i < count; ++i)
      text += std::string(", ") + type;
    return count == 1 ? text : text + "}";
  }
};
Fragment inputFragment(const Type &type, unsigned elements) {
  if (&type == &kF16)
    return {8, "<2 x half>"};
  if (&type == &kF64)
    return {1, "double"};
  return {elements * type.bits / (32 * 32), "i32"};
}
Fragment sumFragment(const Type &type, unsigned elements) {
  if (&type == &kF16)
    return {4, "<2 x half>"};
  return {elements / 32, &type == &kF32 ? "float" : &type == &kF64 ? "double" : "i32"};
}

struct Case {
  Shape shape;
  const Type *in, *c, *d;
  bool columnsA = false, columnsB = true, columnsC = false, columnsD = false;
  const char *operation = ""; // ".xor.popc"
  const char *suffix = "";    // ".satfinite"
};

class Bench {
public:
  Bench(const Case &c, bool field) : case_(c), inField_(field), field_(16, 5) {
    const auto &[m, n, k] = c.shape;
    a_ = {c.in, m, k, c.columnsA};
    b_ = {c.in, k, n, c.columnsB};
    c_ = {c.c, m, n, c.columnsC};
    d_ = {c.d, m, n, c.columnsD};
    unsigned bit = 0;
    for (Tile *tile : {&a_, &b_, &c_}) {
      place(*tile, bit);
      bit += tile->bitsOfAll();
    }
    words_ = (bit + 1023) / 1024;
    place(d_, 0);
  }

  void run() {
    Registers in(words_, 32);
    for (Tile *tile : {&a_, &b_, &c_})
      fill(*tile, in);
    const unsigned outputs = (d_.bitsOfAll() + 1023) / 1024;
    const Registers out = execute(nvidia(), in, outputs, snippet(), inField_ ? &field_ : nullptr);
    for (unsigned row = 0; row < case_.shape.m; ++row)
      for (unsigned col = 0; col < case_.shape.n; ++col)
        ASSERT_EQ(out.getFlat(d_.at(row, col), case_.d->bits), expected(in, row, col))
            << multiplyName() << (inField_ ? " in the field" : "") << " (" << row << ", " << col
            << ")";
  }

private:
  // Rows further apart than they must be, as in a tile of a larger matrix.
  static void place(Tile &tile, unsigned bit) {
    tile.stride = (tile.byColumns ? tile.rows : tile.cols) + std::max(16u, 128 / tile.type->bits);
    tile.bit = bit;
  }
  void fill(const Tile &tile, Registers &in) {
    for (unsigned row = 0; row < tile.rows; ++row)
      for (unsigned col = 0; col < tile.cols; ++col) {
        const uint32_t random = random_();
        const bool isFloat = tile.type->format != FloatFormat::None;
        uint64_t bits = random;
        if (*case_.suffix && tile.type == &kS32) // so that sums saturate
          bits = (random & 1 ? INT32_MAX : INT32_MIN) + (random & 1 ? -1 : 1) * (random >> 20);
        if (isFloat)
          bits = inField_ ? random % field_.prime()
                          : encodeFloat(tile.type->format, int(random % 7) - 3);
        in.putFlat(tile.at(row, col), tile.type->bits, bits, isFloat && inField_);
      }
  }
  int64_t number(const Registers &in, const Tile &tile, unsigned row, unsigned col) const {
    const uint64_t bits = in.getFlat(tile.at(row, col), tile.type->bits);
    if (tile.type->format != FloatFormat::None)
      return inField_ ? int64_t(bits) : int64_t(decodeFloat(tile.type->format, bits));
    const unsigned unused = 64 - tile.type->bits;
    return tile.type->isSigned ? int64_t(bits << unused) >> unused : int64_t(bits);
  }
  uint64_t expected(const Registers &in, unsigned row, unsigned col) const {
    const bool isFloat = case_.d->format != FloatFormat::None;
    int64_t sum = number(in, c_, row, col);
    for (unsigned k = 0; k < case_.shape.k; ++k) {
      const int64_t x = number(in, a_, row, k), y = number(in, b_, k, col);
      sum += std::string(case_.operation) == ".xor.popc" ? x ^ y : x * y;
      if (inField_ && isFloat)
        sum %= field_.prime();
    }
    if (*case_.suffix)
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    if (isFloat)
      return inField_ ? uint64_t(sum) : encodeFloat(case_.d->format, double(sum));
    return uint32_t(sum);
  }

  std::string multiplyName() const {
    std::string name = "llvm.nvvm.wmma." + case_.shape.name() + ".mma" + case_.operation +
                       (case_.columnsA ? ".col" : ".row") + (case_.columnsB ? ".col" : ".row");
    if (case_.in == &kF16)
      return name + "." + case_.d->name + "." + case_.c->name;
    return name + "." + case_.in->name + case_.suffix;
  }
  std::string load(const char *which, const Tile &tile, const Fragment &fragment) {
    const std::string w = which;
    const std::string name = "llvm.nvvm.wmma." + case_.shape.name() + ".load." + w +
                             (tile.byColumns ? ".col" : ".row") + ".stride." + tile.type->name +
                             ".p0";
    declarations_ += "declare " + fragment.result() + " @" + name + "(ptr, i32)\n";
    return "  %p" + w + " = getelementptr i8, ptr %in, i32 " + std::to_string(tile.bit / 8) +
           "\n  %" + w + " = call " + fragment.result() + " @" + name + "(ptr %p" + w + ", i32 " +
           std::to_string(tile.stride) + ")\n" + elements(w, fragment);
  }
  // %a -> %a0, %a1, ..
  static std::string elements(const std::string &name, const Fragment &fragment) {
    std::string body;
    for (unsigned i = 0; i < fragment.count; ++i) {
      const std::string n = std::to_string(i);
      body += fragment.count == 1
                  ? "  %" + name + "0 = freeze " + fragment.type + " %" + name + "\n"
                  : "  %" + name + n + " = extractvalue " + fragment.result() + " %" + name + ", " +
                        n + "\n";
    }
    return body;
  }
  static std::string list(const std::string &name, const Fragment &fragment, bool values) {
    std::string text;
    for (unsigned i = 0; i < fragment.count; ++i)
      text += (i ? ", " : "") + std::string(fragment.type) +
              (values ? " %" + name + std::to_string(i) : "");
    return text;
  }

  Snippet snippet() {
    const auto &[m, n, k] = case_.shape;
    const Fragment a = inputFragment(*case_.in, m * k), b = inputFragment(*case_.in, k * n);
    const Fragment c = sumFragment(*case_.c, m * n), d = sumFragment(*case_.d, m * n);
    std::string body = load("a", a_, a) + load("b", b_, b) + load("c", c_, c);
    declarations_ += "declare " + d.result() + " @" + multiplyName() + "(" + list("", a, false) +
                     ", " + list("", b, false) + ", " + list("", c, false) + ")\n";
    body += "  %d = call " + d.result() + " @" + multiplyName() + "(" + list("a", a, true) + ", " +
            list("b", b, true) + ", " + list("c", c, true) + ")\n" + elements("d", d);
    const std::string store = "llvm.nvvm.wmma." + case_.shape.name() + ".store.d" +
                              (d_.byColumns ? ".col" : ".row") + ".stride." + case_.d->name + ".p0";
    declarations_ += "declare void @" + store + "(ptr, " + list("", d, false) + ", i32)\n";
    body += "  call void @" + store + "(ptr %out, " + list("d", d, true) + ", i32 " +
            std::to_string(d_.stride) + ")\n";
    return {body, declarations_, true};
  }

  Case case_;
  bool inField_;
  Field field_;
  Tile a_, b_, c_, d_;
  unsigned words_ = 0;
  std::string declarations_;
  std::mt19937 random_{99};
};

void checkCase(const Case &c) {
  Bench(c, false).run();
  if (c.in->format != FloatFormat::None)
    Bench(c, true).run();
}

const Shape kShapes[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};

TEST(Wmma, HalfInEveryShapeOrderAndAccumulator) {
  for (const Shape &shape : kShapes)
    for (bool columnsA : {false, true})
      for (bool columnsB : {false, true})
        for (const Type *c : {&kF16, &kF32})
          for (const Type *d : {&kF16, &kF32})
            checkCase({shape, &kF16, c, d, columnsA, columnsB, c == &kF32, d == &kF16});
}

TEST(Wmma, BfloatAndBytes) {
  for (const Shape &shape : kShapes)
    for (bool columnsA : {false, true})
      for (bool columnsB : {false, true}) {
        checkCase({shape, &kBf16, &kF32, &kF32, columnsA, columnsB, columnsA, columnsB});
        for (const Type *type : {&kS8, &kU8})
          for (const char *suffix : {"", ".satfinite"})
            checkCase(
                {shape, type, &kS32, &kS32, columnsA, columnsB, columnsB, columnsA, "", suffix});
      }
}

TEST(Wmma, Tf32AndDouble) {
  for (bool columnsA : {false, true})
    for (bool columnsB : {false, true}) {
      checkCase({{16, 16, 8}, &kTf32, &kF32, &kF32, columnsA, columnsB});
      checkCase({{8, 8, 4}, &kF64, &kF64, &kF64, columnsA, columnsB, columnsA, columnsB});
    }
}

// A by rows and B by columns only.
TEST(Wmma, NibblesAndBits) {
  for (const Type *type : {&kS4, &kU4})
    for (const char *suffix : {"", ".satfinite"})
      checkCase({{8, 8, 32}, type, &kS32, &kS32, false, true, false, true, "", suffix});
  checkCase({{8, 8, 128}, &kB1, &kS32, &kS32, false, true, true, false, ".xor.popc"});
  checkCase({{8, 8, 128}, &kB1, &kS32, &kS32, false, true, false, false, ".and.popc"});
}

TEST(Wmma, AMissingLaneIsReported) {
  Snippet snippet{
      "  %a = call {<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, "
      "<2 x half>, <2 x half>, <2 x half>} "
      "@llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr %in, i32 16)\n",
      "declare {<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, "
      "<2 x half>, <2 x half>} "
      "@llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr, i32)\n",
      true};
  const Outcome outcome = tryExecute(nvidia(), Registers(8, 32), 1, snippet, nullptr, 16);
  ASSERT_FALSE(outcome.problems.empty());
  EXPECT_EQ(outcome.problems.front().kind, ProblemKind::PartialMatrix);
}

} // namespace
} // namespace layout_port::verify::golden
