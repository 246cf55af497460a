#include "tensor/mma/Bridge.h"

#include "tensor/layout/Lanes.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace layout_port {

using isa::MatrixInstruction;

// ---- planning a conversion ----------------------------------------------------

static f2::Columns identity(int bits) {
  f2::Columns columns;
  for (int i = 0; i < bits; ++i)
    columns.push_back(uint64_t(1) << i);
  return columns;
}

static f2::Columns sum(f2::Columns a, const f2::Columns &b) {
  for (size_t i = 0; i < a.size(); ++i)
    a[i] ^= b[i];
  return a;
}

static std::optional<f2::Columns> inverse(const f2::Columns &m) {
  return f2::rank(m) == static_cast<int>(m.size())
             ? f2::solve(m, identity(static_cast<int>(m.size())))
             : std::nullopt;
}

static int reachedBits(const f2::Columns &m) {
  uint64_t all = 0;
  for (const uint64_t column : m)
    all |= column;
  return f2::popcount(all);
}

int BridgeMove::selects() const { return reachedBits(sendByLane) + reachedBits(storeByLane); }

namespace {

// The four parts of a conversion (see Bridge.h).
struct Parts {
  f2::Columns q, p, u, v;
};

Parts split(const f2::Columns &source, int wordBits, int registerBits) {
  Parts parts;
  const uint64_t low = f2::lowMask(registerBits);
  for (size_t i = 0; i < source.size(); ++i) {
    const bool word = static_cast<int>(i) < wordBits;
    (word ? parts.q : parts.p).push_back(source[i] & low);
    (word ? parts.u : parts.v).push_back(source[i] >> registerBits);
  }
  return parts;
}

std::optional<BridgeMove> tryT(const Parts &parts, const f2::Columns &t, int registerBits) {
  const f2::Columns n = sum(f2::multiply(parts.u, t), parts.v);
  const std::optional<f2::Columns> back = inverse(n);
  if (!back)
    return std::nullopt;
  BridgeMove move;
  move.wordBits = static_cast<int>(parts.q.size());
  move.registerBits = registerBits;
  move.sendByLane = f2::multiply(sum(f2::multiply(parts.q, t), parts.p), *back);
  move.sendByStep = sum(parts.q, f2::multiply(move.sendByLane, parts.u));
  move.readByStep = parts.u;
  move.readByLane = n;
  move.storeByLane = t;
  return move;
}

} // namespace

// T is searched by weight: no entry, then one, then two, then three. Permutations
// of bits need one entry for each bit that is a word bit here and a lane bit there.
Result<BridgeMove> planBridgeMove(const f2::Columns &source, int wordBits, int registerBits,
                              int laneBits) {
  const Parts parts = split(source, wordBits, registerBits);
  const int entries = wordBits * laneBits;
  std::optional<BridgeMove> best;
  const auto attempt = [&](std::initializer_list<int> set) {
    f2::Columns t(laneBits, 0);
    for (const int e : set)
      t[e / wordBits] ^= uint64_t(1) << (e % wordBits);
    const std::optional<BridgeMove> move = tryT(parts, t, registerBits);
    if (move && (!best || move->selects() < best->selects()))
      best = move;
  };
  attempt({});
  for (int a = 0; a < entries && !best; ++a)
    attempt({a});
  for (int a = 0; a < entries && !best; ++a)
    for (int b = a + 1; b < entries; ++b)
      attempt({a, b});
  for (int a = 0; a < entries && !best; ++a)
    for (int b = a + 1; b < entries; ++b)
      for (int c = b + 1; c < entries; ++c)
        attempt({a, b, c});
  if (!best)
    return makeError("no conversion with three exchanges or fewer");
  return *best;
}

// ---- the matrices ---------------------------------------------------------------

namespace {

// Where an operand holds (row, column): elements and lanes, columns over the bits
// of a coordinate; elements in the low bits.
struct Holder {
  int elementBits = 0;
  LinearLayout inverse; // row, col -> register, lane
};

Result<Holder> holderOf(const MatrixInstruction &instruction, char operand) {
  const Result<LinearLayout> layout = isa::operandLayout(instruction, operand);
  if (!layout)
    return layout.error();
  Result<LinearLayout> inverse = layout->invert();
  if (!inverse)
    return inverse.error();
  return Holder{layout->inBits("register"), *inverse};
}

// What the kernel author's fragments and the MFMA's have in common here.
struct Shape {
  int mBits, nBits, kBits;
};

// Everything the writer needs.
struct Bridge {
  const MatrixInstruction *mfma = nullptr;
  Shape shape{};
  std::vector<int> gauge; // k bit of the source at each k bit of the MFMA
  BridgeMove a, b, d;
  int mergeLaneBit = 0; // lane bit of n3 in the MFMA's result
};

int log2Of(int x) { return f2::lowestBit(static_cast<uint64_t>(x)); }

// Flattened (register, lane) of the NVIDIA operand that holds (row, col).
uint64_t heldAt(const Holder &holder, uint64_t row, uint64_t col) {
  LinearLayout::Basis in(holder.inverse.ins().size(), 0);
  in[0] = row;
  in[1] = col;
  return holder.inverse.apply(holder.inverse.joinIn(in));
}

uint64_t gauged(const std::vector<int> &gauge, uint64_t k) {
  uint64_t source = 0;
  for (size_t i = 0; i < gauge.size(); ++i)
    if (k >> i & 1)
      source |= uint64_t(1) << gauge[i];
  return source;
}

constexpr int sourceLaneBits = 5; // of a warp; bit 5 of a wave's lane is h

// Drops element bit 0, which is the half of a 32-bit word, from a flattened
// (element, lane) index, and puts h above the lane.
uint64_t wordIndex(uint64_t held, uint64_t h, int elementBits, int dropBits) {
  const uint64_t element = held & f2::lowMask(elementBits);
  const uint64_t lane = held >> elementBits;
  return element >> dropBits | (lane | h << sourceLaneBits) << (elementBits - dropBits);
}

// The conversion of an input operand. `row` of the MFMA operand is the source row
// and, in bit `rowBits`, h; where the MFMA serves one warp, h is a word bit above.
Result<BridgeMove> planInput(const LinearLayout &mfma, bool rowFirst, const Holder &source,
                           int rowBits, bool hIsRow, const std::vector<int> &gauge) {
  const int elementBits = mfma.inBits("register");
  f2::Columns columns;
  const auto place = [&](uint64_t flat, uint64_t h) {
    const LinearLayout::Basis at = mfma.splitOut(mfma.apply(flat));
    uint64_t row = rowFirst ? at[0] : at[1];
    const uint64_t k = gauged(gauge, rowFirst ? at[1] : at[0]);
    if (hIsRow) {
      h = row >> rowBits & 1;
      row &= f2::lowMask(rowBits);
    }
    // Both source operands are asked as (row of the MFMA operand, k).
    const bool kSecond = source.inverse.ins()[1].name == "k";
    const uint64_t held = kSecond ? heldAt(source, row, k) : heldAt(source, k, row);
    return wordIndex(held, h, source.elementBits, 1);
  };
  for (int i = 1; i < elementBits; ++i)
    columns.push_back(place(uint64_t(1) << i, 0));
  if (!hIsRow)
    columns.push_back(place(0, 1));
  for (int i = 0; i < 6; ++i)
    columns.push_back(place(uint64_t(1) << (elementBits + i), 0));
  // The halves of a word must stay the halves of a word.
  const LinearLayout::Basis half = mfma.splitOut(mfma.apply(1));
  const uint64_t k = gauged(gauge, rowFirst ? half[1] : half[0]);
  const bool kSecond = source.inverse.ins()[1].name == "k";
  if ((kSecond ? heldAt(source, 0, k) : heldAt(source, k, 0)) != 1)
    return makeError("the halves of a register would part");
  const int words = elementBits - 1 + (hIsRow ? 0 : 1);
  return planBridgeMove(columns, words, source.elementBits - 1, 6);
}

// The conversion of the result: for the source's D (register, lane, h), where the
// merged MFMA result (row n with h above, column m) holds it.
Result<BridgeMove> planResult(const LinearLayout &sourceD, const Holder &mfma, int nBits) {
  f2::Columns columns;
  const auto place = [&](uint64_t flat, uint64_t h) {
    const LinearLayout::Basis at = sourceD.splitOut(sourceD.apply(flat));
    return heldAt(mfma, at[1] | h << nBits, at[0]);
  };
  for (int i = 0; i < sourceD.inBits("register") + sourceLaneBits; ++i)
    columns.push_back(place(uint64_t(1) << i, 0));
  columns.push_back(place(0, 1));
  return planBridgeMove(columns, sourceD.inBits("register"), mfma.elementBits, 6);
}

int cost(const Bridge &bridge) {
  const auto of = [](const BridgeMove &move) { return (1 << move.wordBits) * (2 + move.selects()); };
  return of(bridge.a) + of(bridge.b) + of(bridge.d);
}

// The MFMA that has room for m columns, twice n rows, and the same k.
Result<const MatrixInstruction *> chooseMfma(const ptx::Mma &mma) {
  const isa::ElementType type =
      mma.typeA == ptx::Type::BF16 ? isa::ElementType::BF16 : isa::ElementType::F16;
  for (const MatrixInstruction &row : isa::matrixInstructions())
    if (row.family == isa::MatrixFamily::Mfma && row.a == type && row.b == type &&
        row.acc == isa::ElementType::F32 && row.blocks == 1 && row.k == int(mma.k) &&
        row.n == int(mma.m) && row.m == 2 * int(mma.n) && row.availableOn(isa::Arch::Gfx90a) &&
        row.availableOn(isa::Arch::Gfx942) && row.availableOn(isa::Arch::Gfx950))
      return &row;
  return makeError("no MFMA of gfx90a, gfx942 and gfx950 takes %s", mma.name.c_str());
}

Result<Bridge> plan(const ptx::Mma &mma, const MatrixInstruction &source) {
  const Result<const MatrixInstruction *> mfma = chooseMfma(mma);
  if (!mfma)
    return mfma.error();
  const auto a = holderOf(source, 'A'), b = holderOf(source, 'B');
  const auto mfmaD = holderOf(**mfma, 'D');
  const auto sourceD = isa::operandLayout(source, 'D');
  const auto first = isa::operandLayout(**mfma, 'A'), second = isa::operandLayout(**mfma, 'B');
  if (!a || !b || !mfmaD || !sourceD || !first || !second)
    return makeError("a fragment of %s is not one-to-one", mma.name.c_str());
  std::vector<int> gauge(log2Of(mma.k));
  std::iota(gauge.begin(), gauge.end(), 0);
  std::optional<Bridge> best;
  do {
    Bridge bridge;
    bridge.mfma = *mfma;
    bridge.shape = {log2Of(mma.m), log2Of(mma.n), log2Of(mma.k)};
    bridge.gauge = gauge;
    const auto moveB = planInput(*first, true, *b, bridge.shape.nBits, true, gauge);
    const auto moveA = planInput(*second, false, *a, bridge.shape.mBits, false, gauge);
    const auto moveD = planResult(*sourceD, *mfmaD, bridge.shape.nBits);
    if (!moveA || !moveB || !moveD)
      continue;
    bridge.a = *moveA;
    bridge.b = *moveB;
    bridge.d = *moveD;
    const uint64_t n3 = heldAt(*mfmaD, uint64_t(1) << bridge.shape.nBits, 0);
    if (f2::popcount(n3) != 1 || f2::lowestBit(n3) < mfmaD->elementBits)
      continue;
    bridge.mergeLaneBit = f2::lowestBit(n3) - mfmaD->elementBits;
    if (!best || cost(bridge) < cost(*best))
      best = bridge;
  } while (std::next_permutation(gauge.begin(), gauge.end()));
  if (!best)
    return makeError("no assignment of k makes %s an MFMA", mma.name.c_str());
  return *best;
}

// ---- writing ----------------------------------------------------------------------

std::vector<std::string> numbered(const std::string &name, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i)
    names.push_back(name + std::to_string(i));
  return names;
}

std::string joined(const std::vector<std::string> &parts, const std::string &prefix = "") {
  std::string out;
  for (const std::string &part : parts)
    out += (out.empty() ? "" : ", ") + prefix + part;
  return out;
}

// const T x0 = from_lane(lane, pick), ...; one step a word. Receives into `to`.
std::string writeMove(const BridgeMove &move, const std::vector<std::string> &from,
                      const std::string &to, const std::string &indent) {
  std::string out;
  for (uint64_t s = 0; s < uint64_t(1) << move.wordBits; ++s) {
    const std::string lane =
        f2Expression({{"lane", move.readByLane}}, f2::apply(move.readByStep, s));
    const std::string pick = f2Select(from, {"lane", move.sendByLane}, f2::apply(move.sendByStep, s));
    out += indent + "const unsigned " + to + std::to_string(s) + " = from_lane(" + lane + ", " +
           pick + ");\n";
  }
  return out;
}

// The name of word w among what the steps received.
std::string received(const BridgeMove &move, const std::string &from, uint64_t w) {
  return f2Select(numbered(from, 1 << move.wordBits), {"lane", move.storeByLane}, w);
}

std::string bitsOfUnsigned(const std::vector<std::string> &names) {
  return "{" + joined(names) + "}";
}

// What differs between f16 and bf16 operands.
struct InputType {
  const char *vector; // typedef of four elements, as the builtin takes them
  const char *dot;    // chunk of the half-wave arm
};

InputType inputType(const ptx::Mma &mma) {
  if (mma.typeA == ptx::Type::BF16)
    return {"short", "dot2_bf16"};
  return {"_Float16", "dot2_f16"};
}

class Writer {
public:
  Writer(const ptx::Mma &mma, const MatrixInstruction &source, const Bridge &bridge)
      : mma_(mma), source_(source), bridge_(bridge),
        a_(numbered("a", int(mma.a.size()))), b_(numbered("b", int(mma.b.size()))) {}

  Result<RuntimeChunk> write(bool halfWaveOnly) const {
    RuntimeChunk chunk;
    chunk.name = bridgeName(mma_) + (halfWaveOnly ? "_halves" : "");
    const std::string dot = inputType(mma_).dot;
    chunk.needs = {"lane", "bits", "from_lane", "whole_wave", "mma_words", dot};
    const Result<std::string> half = halfWave();
    if (!half)
      return half.error();
    const std::string arms =
        halfWaveOnly ? "  {\n" + *half + "  }\n"
                     : "  if (whole_wave()) {\n" + wholeWave() + "  } else {\n" + *half + "  }\n";
    chunk.text = heading(halfWaveOnly) + signature(chunk.name) + " {\n" + "  const unsigned lane = lane64();\n" +
                 "  float r0, r1, r2, r3;\n" + arms + store() + "}\n";
    return chunk;
  }

private:
  bool halfAccumulator() const { return mma_.typeD == ptx::Type::F16; }

  std::string heading(bool halfWaveOnly) const {
    if (halfWaveOnly)
      return "// " + mma_.name + " of the two warps of a wave, D = A * B + C, without MFMA: each\n"
             "// lane adds up its own elements.\n";
    return "// " + mma_.name + " of the two warps of a wave, D = A * B + C. Fragments come and go\n"
           "// in their CUDA layout. " + bridge_.mfma->mnemonic(isa::Arch::Gfx942) +
           ", transposed: B of both warps is the first\n"
           "// operand, A of one warp the second. A wave that is not whole must not use MFMA:\n"
           "// there each lane adds up its own elements.\n";
  }

  std::string signature(const std::string &name) const {
    const std::string d = joined(numbered("d", int(mma_.d.size())), "D &");
    const std::string c = joined(numbered("c", int(mma_.c.size())), "C ");
    return "template <class D, class C>\n__device__ __forceinline__ void " + name +
           "(" + d + ",\n    " + joined(a_, "unsigned ") + ", " + joined(b_, "unsigned ") +
           ",\n    " + c + ")";
  }

  std::string wholeWave() const {
    const InputType type = inputType(mma_);
    std::string out;
    out += "    typedef " + std::string(type.vector) +
           " input __attribute__((ext_vector_type(4)));\n";
    out += writeMove(bridge_.a, a_, "sa", "    ");
    out += writeMove(bridge_.b, b_, "sb", "    ");
    const int words = 1 << bridge_.b.wordBits;
    std::vector<std::string> bWords;
    for (int w = 0; w < words; ++w)
      bWords.push_back(received(bridge_.b, "sb", w));
    out += "    const input b = bits<input>(words2" + bitsOfUnsigned(bWords) + ");\n";
    for (int h = 0; h < 2; ++h) {
      std::vector<std::string> aWords;
      for (int w = 0; w < words; ++w)
        aWords.push_back(received(bridge_.a, "sa", w | h * words));
      const std::string n = std::to_string(h);
      out += "    const input a_" + n + " = bits<input>(words2" + bitsOfUnsigned(aWords) + ");\n";
      out += "    const float4x f" + n + " = __builtin_amdgcn_" + bridge_.mfma->builtin + "(b, a_" +
             n + ", float4x(0.0f), 0, 0, 0);\n";
    }
    // mfma h holds the product of warp h where n3 = h.
    out += "    const float4x f = lane & " + std::to_string(1 << bridge_.mergeLaneBit) +
           " ? f1 : f0;\n";
    for (int i = 0; i < 4; ++i)
      out += "    const float e" + std::to_string(i) + " = f[" + std::to_string(i) + "];\n";
    std::vector<std::string> elements;
    for (const std::string &e : numbered("e", 4))
      elements.push_back("bits<unsigned>(" + e + ")");
    out += writeMove(bridge_.d, elements, "sd", "    ");
    for (int r = 0; r < 4; ++r)
      out += "    r" + std::to_string(r) + " = bits<float>(" + parenthesised(received(bridge_.d, "sd", r)) +
             ");\n";
    return out;
  }

  static std::string parenthesised(const std::string &s) { return s; }

  // Each lane multiplies rows of A and columns of B that lanes of its own warp
  // hold: for element r of D at (m, n) and each pair of k, one word of A and one
  // of B. k bits that only change the lane are a loop, the others are unrolled.
  Result<std::string> halfWave() const {
    const auto d = isa::operandLayout(source_, 'D');
    const auto a = holderOf(source_, 'A'), b = holderOf(source_, 'B');
    if (!d || !a || !b)
      return makeError("a fragment of %s is not one-to-one", mma_.name.c_str());
    const int pairs = bridge_.shape.kBits - 1;
    std::vector<int> looped, unrolled;
    for (int i = 0; i < pairs; ++i)
      (inRegister(*a, i, false) || inRegister(*b, i, true) ? unrolled : looped).push_back(i);
    std::string out = "    r0 = r1 = r2 = r3 = 0.0f;\n";
    out += "#pragma unroll 1\n    for (unsigned q = 0; q < " + std::to_string(1 << looped.size()) +
           "; ++q) {\n";
    std::map<std::string, std::string> words; // expression -> variable
    std::string sums;
    for (uint64_t u = 0; u < uint64_t(1) << unrolled.size(); ++u)
      for (int r = 0; r < 4; ++r) {
        const std::string x = word(*d, *a, "a", r, u, looped, unrolled, false, words, out);
        const std::string y = word(*d, *b, "b", r, u, looped, unrolled, true, words, out);
        sums += "      r" + std::to_string(r) + " = " + inputType(mma_).dot + "(" + x + ", " + y +
                ", r" + std::to_string(r) + ");\n";
      }
    return out + sums + "    }\n";
  }

  // Does k-pair bit i of this operand select a register (rather than a lane)?
  bool inRegister(const Holder &holder, int i, bool kFirst) const {
    const uint64_t k = uint64_t(2) << i;
    const uint64_t held = kFirst ? heldAt(holder, k, 0) : heldAt(holder, 0, k);
    return (held & f2::lowMask(holder.elementBits)) != 0;
  }

  // The variable that holds the operand's word for element r of D and k pair.
  std::string word(const LinearLayout &d, const Holder &holder, const std::string &operand, int r,
                   uint64_t u, const std::vector<int> &looped, const std::vector<int> &unrolled,
                   bool kFirst, std::map<std::string, std::string> &words,
                   std::string &out) const {
    const auto held = [&](uint64_t flatD, uint64_t k) {
      const LinearLayout::Basis at = d.splitOut(d.apply(flatD));
      return kFirst ? heldAt(holder, k, at[1]) : heldAt(holder, at[0], k);
    };
    const int dBits = d.inBits("register"), eBits = holder.elementBits;
    uint64_t fixedK = 0;
    for (size_t i = 0; i < unrolled.size(); ++i)
      if (u >> i & 1)
        fixedK |= uint64_t(2) << unrolled[i];
    const uint64_t fixed = held(static_cast<uint64_t>(r), fixedK);
    f2::Columns byLane, byLoop;
    for (int i = 0; i < sourceLaneBits; ++i)
      byLane.push_back(held(uint64_t(1) << (dBits + i), 0) >> eBits);
    byLane.push_back(uint64_t(1) << sourceLaneBits); // the own half
    for (const int i : looped)
      byLoop.push_back(held(0, uint64_t(2) << i) >> eBits);
    const uint64_t index = (fixed & f2::lowMask(eBits)) >> 1;
    const std::string expression =
        "from_lane(" + f2Expression({{"lane", byLane}, {"q", byLoop}}, fixed >> eBits) + ", " +
        operand + std::to_string(index) + ")";
    std::string &name = words[expression];
    if (name.empty()) {
      name = (operand == "a" ? "x" : "y") + std::to_string(words.size() - 1);
      out += "      const unsigned " + name + " = " + expression + ";\n";
    }
    return name;
  }

  std::string store() const {
    std::string out;
    if (!halfAccumulator()) {
      for (int i = 0; i < 4; ++i) {
        const std::string n = std::to_string(i);
        out += "  d" + n + " = bits<D>(bits<float>(c" + n + ") + r" + n + ");\n";
      }
      return out;
    }
    for (int i = 0; i < 2; ++i) {
      const std::string n = std::to_string(i);
      out += "  d" + n + " = bits<D>(add_f16x2(bits<unsigned>(c" + n + "), r" +
             std::to_string(2 * i) + ", r" + std::to_string(2 * i + 1) + "));\n";
    }
    return out;
  }

  const ptx::Mma &mma_;
  const MatrixInstruction &source_;
  const Bridge &bridge_;
  std::vector<std::string> a_, b_;
};

} // namespace

std::string bridgeName(const ptx::Mma &mma) {
  return "mma_m" + std::to_string(mma.m) + "n" + std::to_string(mma.n) + "k" +
         std::to_string(mma.k) + "_" + std::string(ptx::spell(mma.typeD)) + "_" +
         std::string(ptx::spell(mma.typeA));
}

Result<RuntimeChunk> bridgeMma(const ptx::Mma &mma, bool halfWaveOnly) {
  const bool inputs = (mma.typeA == ptx::Type::F16 || mma.typeA == ptx::Type::BF16) &&
                      mma.typeA == mma.typeB && mma.m == 16 && mma.n == 8 && mma.k == 16;
  const bool sums = mma.typeC == mma.typeD &&
                    (mma.typeD == ptx::Type::F32 ||
                     (mma.typeD == ptx::Type::F16 && mma.typeA == ptx::Type::F16));
  if (!inputs || !sums)
    return makeError("no bridge for %s yet", mma.name.c_str());
  const auto source = isa::findMatrixInstruction(mma.fragment, isa::Arch::Nvidia);
  if (!source)
    return source.error();
  const Result<Bridge> bridge = plan(mma, **source);
  if (!bridge)
    return bridge.error();
  Result<RuntimeChunk> chunk = Writer(mma, **source, *bridge).write(halfWaveOnly);
  if (chunk && mma.typeD == ptx::Type::F16)
    chunk->needs.push_back("add_f16x2");
  return chunk;
}

} // namespace layout_port
