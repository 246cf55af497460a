#include "native/Write.h"

#include "native/HeldSteps.h"

#include "layout_port/layouts/Convert.h"
#include "layout_port/layouts/WordProgram.h"
#include "tensor/layout/Lanes.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace layout_port::native {

namespace {

std::string number(int n) { return std::to_string(n); }

bool isPacked(const MmaSite &mma) { return mma.typeD == ptx::Type::F16; }

bool isDouble(const MmaSite &mma) { return mma.typeD == ptx::Type::F64; }

const char *accumulator(const MmaSite &mma, bool isLarge = false) {
  const SumType type = sumType(mma.typeD);
  return isLarge ? type.vector16 : type.vector4;
}
const char *element(const MmaSite &mma) { return sumType(mma.typeD).scalar; }

// What the product is added to: a word of f16 sums, four sums of the MFMA; or nothing.
std::string oldHalves(const MmaSite &mma, const std::string &word) {
  return mma.isFromZero ? "half2{0, 0}" : "bits<half2>(" + word + ")";
}
std::string oldSums(const MmaSite &mma, const std::string &sums) {
  return std::string(accumulator(mma)) + "{" + (mma.isFromZero ? "0, 0, 0, 0" : sums) + "}";
}
const char *fromZeroNote(const MmaSite &mma) {
  return mma.isFromZero ? "// The sums begin here, from zero.\n" : "";
}

std::string archMacro(isa::Arch arch) { return "__" + std::string(isa::archName(arch)) + "__"; }

std::string archCondition(const std::vector<isa::Arch> &archs) {
  std::string condition;
  for (const isa::Arch arch : archs)
    condition += (condition.empty() ? "" : " || ") + ("defined(" + archMacro(arch) + ")");
  return condition;
}

std::string list(const std::string &name, int from, int count) {
  std::string out;
  for (int i = from; i < from + count; ++i)
    out += (out.empty() ? "" : ", ") + name + number(i);
  return out;
}

// sum = first * second + sum, where the operands are words of these names.
std::string productText(const Arm &arm, int words, const std::string &sum, const char *first,
                        const char *second) {
  const std::string vector = "words" + number(arm.words);
  std::string out;
  for (int w = 0; w < words; w += arm.words) {
    const auto operand = [&](const char *name) {
      if (arm.words > words)
        return "bits<input>(" + vector + "{" + list(name, 0, words) + ", 0})";
      return arm.words == 1 ? "bits<input>(" + std::string(name) + number(w) + ")"
                            : "bits<input>(" + vector + "{" + list(name, w, arm.words) + "})";
    };
    out += "  " + sum + " = __builtin_amdgcn_" + std::string(arm.instruction->builtin) + "(" +
           operand(first) + ", " + operand(second) + ", " + sum + ", 0, 0, 0);\n";
  }
  return out;
}

std::string inputText(const Arm &arm) {
  return "  " + inputTypedef(*arm.instruction, arm.instruction->a, arm.words) + "\n";
}

// There is no unsigned MFMA. With x = x' + 128, where x' is x with its highest bit turned, as a
// signed number (m is -128 in every byte):
//
//   sum a b = sum a' b'  - (sum m b', a unsigned) - (sum a' m, b unsigned)  + 128 * 128 k, both
//
// Numbers wrap around on the way as they do in the end.
struct Unsigned {
  bool a = false, b = false;
  explicit Unsigned(const MmaSite &mma)
      : a(mma.typeA == ptx::Type::U8), b(mma.typeB == ptx::Type::U8) {}
  bool any() const { return a || b; }

  std::string turned(int words) const {
    if (!any())
      return "";
    std::string text;
    for (int w = 0; w < words; ++w)
      for (const auto &[is, name] : {std::pair(b, "b"), std::pair(a, "a")})
        if (is)
          text += "  " + std::string(name) + number(w) + " ^= 0x80808080u;\n";
    text += "  const unsigned";
    for (int w = 0; w < words; ++w)
      text += (w ? ", m" : " m") + number(w) + " = 0x80808080u";
    return text + ";\n  int4x less = {0, 0, 0, 0};\n";
  }
  std::string correction(const Arm &arm, int words) const {
    return (a ? productText(arm, words, "less", "b", "m") : "") +
           (b ? productText(arm, words, "less", "m", "a") : "");
  }
  // Bytes of k of a lane, in each of the four groups of lanes.
  std::string result(int words) const {
    if (!any())
      return "c";
    return "bits<int4x>(bits<words4>(c) - bits<words4>(less)" +
           (a && b ? " + " + number(128 * 128 * words * 4 * 4) + "u" : std::string()) + ")";
  }
};

// What a chip without the operands' type multiplies in its place (tensor/mma/Numbers.cpp). Where
// elements grow to twice their bits, every other one of a word is a word of its own, and k is
// taken in two parts; numbers that are 2^n times as large leave a sum of their own:
//
//   c += 2^-n * (even b * even a + odd b * odd a)
class Replaced {
public:
  Replaced(const Arm &arm, bool isLarge) : arm_(arm), isLarge_(isLarge) {}
  bool any() const { return arm_.a || arm_.b; }

  std::string text(int words) const {
    std::string out;
    for (const auto &[name, numbers] : {std::pair("b", arm_.b), std::pair("a", arm_.a)})
      for (int w = 0; numbers && w < words; ++w)
        out += wordText(name, *numbers, w);
    const int bits = (arm_.a ? arm_.a->scaleBits : 0) + (arm_.b ? arm_.b->scaleBits : 0);
    const std::string sum = bits ? "scaled" : "c";
    if (bits)
      out += "  " + vector() + " scaled = " + (isLarge_ ? "{}" : "{0, 0, 0, 0}") + ";\n";
    for (int part = 0; part < arm_.parts(); ++part)
      out +=
          productText(arm_, words, sum, partName("b", part).c_str(), partName("a", part).c_str());
    if (bits > 0)
      out += "  c += scaled >> " + number(bits) + ";\n";
    if (bits < 0)
      out += "  c += scaled * " + number(1 << -bits) + ".0f;\n";
    return out;
  }

private:
  std::string vector() const {
    return std::string(arm_.instruction->acc == isa::ElementType::I32 ? "int" : "float") +
           (isLarge_ ? "16x" : "4x");
  }
  std::string partName(const char *operand, int part) const {
    return arm_.parts() == 1 ? operand : (part ? "odd_" : "even_") + std::string(operand);
  }
  std::string wordText(const char *operand, const OperandNumbers &numbers, int w) const {
    const std::string word = operand + number(w);
    std::string out;
    for (int part = 0; part < arm_.parts(); ++part) {
      std::string value = numbers.parts[part];
      value.replace(value.find('$'), 1, word);
      out += (arm_.parts() == 1 ? "  " : "  const unsigned ") + partName(operand, part) +
             number(w) + " = " + value + ";\n";
    }
    return out;
  }

  const Arm &arm_;
  const bool isLarge_;
};

std::string armText(const Arm &arm, int words, const MmaSite &mma, bool isLarge) {
  if (const Replaced replaced(arm, isLarge); replaced.any())
    return inputText(arm) + replaced.text(words);
  return inputText(arm) + productText(arm, words, "c", "b", "a") +
         Unsigned(mma).correction(arm, words);
}

} // namespace

Result<RuntimeChunk> mfmaFunction(const std::string &name, const MmaSite &mma, int words,
                                  const std::vector<isa::Arch> &archs, bool isLarge) {
  const auto arms = armsFor(mma, words, archs, isLarge ? 32 : 16);
  if (!arms)
    return arms.error();
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"bits", "native_words"};
  const std::string word = isDouble(mma) ? "double " : "unsigned ";
  const std::string sums = accumulator(mma, isLarge);
  chunk.text = std::string("// A ") + (isLarge ? "32x32" : "16x16") +
               " tile of the wave: c += first operand * second operand, " +
               number(words * (isDouble(mma) ? 8 : 4)) + " bytes of k a lane.\n" +
               (mma.satfinite ? "// .satfinite: a sum that its product takes beyond int stays at "
                                "its end, at each step of k.\n"
                              : "") +
               "__device__ __forceinline__ " + sums + " " + chunk.name + "(" + word + "b0";
  for (int w = 1; w < words; ++w)
    chunk.text += ", " + word + "b" + number(w);
  for (int w = 0; w < words; ++w)
    chunk.text += ", " + word + "a" + number(w);
  const std::string addend = mma.satfinite ? "sums" : "c";
  chunk.text += ", " + sums + " " + addend + ") {\n" + Unsigned(mma).turned(words);
  if (mma.satfinite)
    chunk.text += "  " + sums + " c = {};\n";
  for (size_t i = 0; i < arms->size(); ++i) {
    const Arm &arm = (*arms)[i];
    if (arms->size() > 1) {
      chunk.text += i + 1 == arms->size()
                        ? "#else\n"
                        : (i ? "#elif " : "#if ") + archCondition(arm.archs) + "\n";
    }
    chunk.text += armText(arm, words, mma, isLarge);
    for (const OperandNumbers *numbers : {arm.a, arm.b})
      if (numbers && *numbers->chunk && !llvm::is_contained(chunk.needs, numbers->chunk))
        chunk.needs.push_back(numbers->chunk);
  }
  if (arms->size() > 1)
    chunk.text += "#endif\n";
  const std::string result = Unsigned(mma).result(words);
  chunk.text += "  return " +
                (mma.satfinite ? "__builtin_elementwise_add_sat(sums, " + result + ")" : result) +
                ";\n}\n";
  return chunk;
}

namespace {

// The chips for which so many steps of k are done by one MFMA.
std::map<int, std::vector<isa::Arch>> chipsBySteps(const MmaSite &mma, int words,
                                                   const HeldSteps &held,
                                                   const std::vector<isa::Arch> &archs) {
  std::map<int, std::vector<isa::Arch>> chips;
  for (const isa::Arch arch : archs)
    chips[stepsTogether(mma, words, held, arch)].push_back(arch);
  return chips;
}

// Words of this step behind those of the `steps - 1` that are held, handed on.
std::string heldCall(const std::string &function, int words, int steps) {
  std::string text = "  return " + function + "(";
  for (const char *operand : {"b", "a"}) {
    for (int w = 0; w < words * (steps - 1); ++w)
      text += "held." + std::string(operand) + "[" + number(w) + "], ";
    text += list(operand, 0, words) + ", ";
  }
  return text + "c);\n";
}

// The step's words are put where they wait; the last step of an MFMA goes on with its own.
std::string holdText(int words, int steps) {
  if (steps == 2)
    return "  if (step % 2 == 0) {\n    held = {{" + list("b", 0, words) + "}, {" +
           list("a", 0, words) + "}};\n    return c;\n  }\n";
  std::string text = "  if (const int at = step % " + number(steps) + " * " + number(words) +
                     "; at < " + number(words * (steps - 1)) + ") {\n";
  for (const char *operand : {"b", "a"})
    for (int w = 0; w < words; ++w)
      text += "    held." + std::string(operand) + "[at" + (w ? " + " + number(w) : "") +
              "] = " + operand + number(w) + ";\n";
  return text + "    return c;\n  }\n";
}

// The same of any number of steps, behind the last of which there is none, -1: whatever waits is
// multiplied, and zeros.
std::string holdAnyText(int words, int steps) {
  std::string text = "  if (step < 0 ? !held.waits : step % " + number(steps) + " == 0) {\n" +
                     "    if (step >= 0)\n      held = {{" + list("b", 0, words) + "}, {" +
                     list("a", 0, words) + "}, 1};\n    return c;\n  }\n";
  for (int at = 1; at < steps - 1; ++at) {
    text += "  if (step % " + number(steps) + " == " + number(at) + ") {\n";
    for (const char *operand : {"b", "a"})
      for (int w = 0; w < words; ++w)
        text += "    held." + std::string(operand) + "[" + number(at * words + w) +
                "] = " + operand + number(w) + ";\n";
    text += "    return c;\n  }\n";
  }
  return text + "  held.waits = 0;\n";
}

} // namespace

Result<RuntimeChunk> mfmaStepsFunction(const std::string &name, const MmaSite &mma, int words,
                                       const HeldSteps &held, const std::vector<isa::Arch> &archs,
                                       const StepFunctions &functions) {
  RuntimeChunk chunk;
  chunk.name = name;
  for (const auto &[steps, function] : functions.of)
    chunk.needs.push_back(function);
  const auto chips = chipsBySteps(mma, words, held, archs);
  const bool isAny = mayEndWithin(archs, mma, words, held);
  const std::string word = isDouble(mma) ? "double " : "unsigned ", acc = accumulator(mma);
  const std::string room = "[" + number(words * (chips.rbegin()->first - 1)) + "]";
  chunk.text = "// Operands of steps of k, until the step that fills an MFMA.\nstruct " + name +
               "_held {\n  " + word + "b" + room + ", a" + room + ";\n" +
               (isAny ? "  int waits = 0;\n" : "") + "};\n" +
               "// The same, step by step: where the chip's MFMA is as deep as several steps, it "
               "is done at\n// the last of them" +
               (isAny ? "; of step -1 there is nothing but what waits" : "") +
               ".\n__device__ __forceinline__ " + acc + " " + name + "(";
  for (const char *operand : {"b", "a"})
    for (int w = 0; w < words; ++w)
      chunk.text += word + operand + number(w) + ", ";
  chunk.text += acc + " c,\n    " + name + "_held &held, int step) {\n";
  size_t left = chips.size();
  for (auto chip = chips.rbegin(); chip != chips.rend(); ++chip, --left) {
    if (chips.size() > 1)
      chunk.text += left == 1                ? "#else\n"
                    : chip == chips.rbegin() ? "#if " + archCondition(chip->second) + "\n"
                                             : "#elif " + archCondition(chip->second) + "\n";
    const int steps = chip->first;
    const auto function = functions.of.find(steps);
    if (function == functions.of.end())
      return makeError("no function multiplies %d steps of k of %s", steps, mma.name.c_str());
    if (steps > 1)
      chunk.text += isAny ? holdAnyText(words, steps) : holdText(words, steps);
    else if (isAny)
      chunk.text += "  if (step < 0)\n    return c;\n";
    chunk.text += heldCall(function->second, words, steps);
  }
  chunk.text += std::string(chips.size() > 1 ? "#endif\n" : "") + "}\n";
  return chunk;
}

namespace {

// Where steps of k wait for each other: what the function takes more, and hands on.
struct HeldText {
  bool isHeld = false;
  const char *type() const { return isHeld ? ", class H" : ""; }
  const char *parameters() const { return isHeld ? ", H &held, int step" : ""; }
  const char *whole() const { return isHeld ? ", held, step" : ""; }
  // Of the call's MFMA number `which`.
  std::string one(const std::string &which) const {
    return isHeld ? ", held[" + which + "], step" : "";
  }
};

// Tiles of eight rows: the columns of the product are the rows of both warps. Its rows are
// two neighbouring n8 tiles, done at the second of them; or one tile of each warp, of which
// each lane keeps its own warp's.
Result<RuntimeChunk> eightRowsFunction(const std::string &name, const MmaSite &mma,
                                       const Scheme &scheme, const std::string &mfma,
                                       const HeldText &held) {
  const auto h = scheme.resultLanes.find("h");
  if (h == scheme.resultLanes.end())
    return makeError("no lane of the result says which warp it is of");
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"bits", "native_words", mfma};
  const std::string acc = accumulator(mma), one = element(mma);
  const auto sums = [&](const char *first, const char *second) {
    std::string text;
    for (const std::string d : {first, second})
      for (int e = 0; e < 2; ++e)
        text += (text.empty() ? "bits<" : ", bits<") + one + ">(" + d + "[" + number(e) + "])";
    return oldSums(mma, text);
  };
  const std::string word = "bits<" + std::string(scheme.wordType()) + ">";
  const std::string call =
      "  const " + acc + " c = " + mfma + "(" + word + "(b[0]), " + word + "(a[0]),\n      ";
  std::string text = "// " + mma.name +
                     " of both warps of a wave, transposed: first operand B, second A, whose\n"
                     "// columns are the eight rows of each warp. ";
  const std::string head = fromZeroNote(mma) + std::string("template <class D, class A, class B") +
                           held.type() + ">\n__device__ __forceinline__ void ";
  if (!scheme.single) {
    text += "Its rows are n0, j0 (which of two n8\n// tiles), n1, n2: done once, at the second "
            "tile.\n" +
            head + name + "(D &even, D &odd, const A &a, const B &b, int second" +
            held.parameters() + ") {\n" + "  if (!second)\n    return;\n" + call +
            sums("even", "odd") + held.whole() + ");\n";
    for (int e = 0; e < 4; ++e)
      text += std::string("  put(") + (e < 2 ? "even[" : "odd[") + number(e & 1) + "], " + one +
              "(c[" + number(e) + "]));\n";
  } else {
    chunk.needs.push_back("lane");
    text += "Its rows are n0, w (whose B it is),\n// n1, n2; each lane keeps its own warp's.\n" +
            head + name + "(D &&d, const A &a, const B &b" + held.parameters() + ") {\n" + call +
            sums("d", "d") + held.whole() + ");\n" + "  const bool h = lane64() >> " +
            number(h->second) + " & 1;\n";
    for (int e = 0; e < 2; ++e)
      text += "  put(d[" + number(e) + "], " + one + "(h ? c[" + number(e + 2) + "] : c[" +
              number(e) + "]));\n";
  }
  chunk.text = text + "}\n";
  return chunk;
}

// The words of both operands, of warp h where a lane has both, each with a comma behind it. Halves:
// of B, two neighbouring tiles have one each.
std::string operandWords(const Scheme &scheme, bool inHalves = false) {
  const bool columns = scheme.side == PairSide::Columns;
  const int half = scheme.words() / 2;
  std::string text;
  for (const char *operand : {"b", "a"})
    for (int w = 0; w < scheme.words(); ++w) {
      if (inHalves && *operand == 'b') {
        text +=
            std::string("bits<unsigned>(") + (w < half ? "b0[" : "b1[") + number(w % half) + "]), ";
        continue;
      }
      const std::string index = *operand == 'b' ? number(w)
                                : scheme.large  ? number(w)
                                : scheme.deep   ? (columns ? "" : "4 * h + ") + number(w)
                                : columns       ? number(2 * w)
                                                : (w ? number(2 * w) + " + h" : "h");
      text += "bits<" + std::string(scheme.wordType()) + ">(" + operand + "[" + index + "]), ";
    }
  return text;
}

// One n8 tile of each warp of a wave, which share nothing, or one of both: rows of the first
// operand are n0, whose B it is, n1, n2. One MFMA with each warp's A; of its rows those with that
// warp's B are kept.
RuntimeChunk apartFunction(const std::string &name, const MmaSite &mma, const Scheme &scheme,
                           const std::string &mfma, const HeldText &held) {
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"bits", "native_words", mfma};
  const std::string acc = accumulator(mma), one = element(mma);
  std::string all;
  const std::string call = mfma + "(" + operandWords(scheme);
  chunk.text = "// " + mma.name +
               " of both warps of a wave, transposed: first operand B, second A.\n"
               "// Rows of the first operand are n0, w (whose B it is), n1, n2; one product with\n"
               "// each warp's A, of which that warp's rows are kept.\n" +
               fromZeroNote(mma) + "template <class D, class A, class B" + held.type() +
               ">\n__device__ __forceinline__ void " + name + "(D &&d, const A &a, const B &b" +
               held.parameters() + ") {\n";
  if (isPacked(mma)) {
    chunk.needs.push_back("half2");
    chunk.text += "  const half2 lower = " + oldHalves(mma, "d[0]") +
                  ", upper = " + oldHalves(mma, "d[1]") + ";\n";
    all = "(float)lower.x, (float)lower.y, (float)upper.x, (float)upper.y";
  } else {
    for (int e = 0; e < 4; ++e)
      all += (e ? ", bits<" : "bits<") + one + ">(d[" + number(e) + "])";
  }
  chunk.text += "  const " + acc + " sums = " + oldSums(mma, all) + ";\n#pragma unroll\n" +
                "  for (int h = 0; h < 2; ++h) {\n    const " + acc + " c = " + call + "sums" +
                held.one("h") + ");\n";
  if (isPacked(mma))
    chunk.text += "    put(d[h], half2{(_Float16)c[2 * h], (_Float16)c[2 * h + 1]});\n";
  else
    for (int e = 0; e < 2; ++e)
      chunk.text +=
          "    put(d[2 * h + " + number(e) + "], " + one + "(c[2 * h + " + number(e) + "]));\n";
  chunk.text += "  }\n}\n";
  return chunk;
}

// Two n8 tiles that were each read for an MFMA of its own, half of whose rows are of use ("pad"):
// one MFMA a warp, whose lanes of the other half take the second tile's B.
RuntimeChunk twoTilesText(const std::string &name, const MmaSite &mma, const Scheme &scheme,
                          const std::string &mfma, const HeldText &held) {
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"bits", "native_words", "lane", mfma};
  const std::string acc = accumulator(mma), one = element(mma), word = scheme.wordType();
  chunk.text = "// " + mma.name +
               " of both warps of a wave, transposed: first operand B, second A.\n"
               "// Rows of the first operand are n0, which of two n8 tiles, n1, n2; one product a "
               "warp, h.\n" +
               fromZeroNote(mma) + "template <class D, class E, class A, class B, class C" +
               held.type() + ">\n__device__ __forceinline__ void " + name +
               "(D &&first, E &&second, const A &a, const B &b0, const C &b1" + held.parameters() +
               ") {\n" + "  const bool isSecond = lane64() >> " +
               number(scheme.firstLanes.at("pad")) + " & 1;\n  const " + word + " b[] = {";
  for (int w = 0; w < scheme.words(); ++w)
    chunk.text += (w ? ", " : "") +
                  ("isSecond ? bits<" + word + ">(b1[" + number(w) + "]) : bits<") + word +
                  ">(b0[" + number(w) + "])";
  chunk.text += "};\n#pragma unroll\n  for (int h = 0; h < 2; ++h) {\n";
  const std::string call = mfma + "(" + operandWords(scheme);
  if (isPacked(mma)) {
    chunk.needs.push_back("half2");
    chunk.text +=
        "    const half2 lower = " + oldHalves(mma, "first[h]") +
        ", upper = " + oldHalves(mma, "second[h]") + ";\n    const float4x c = " + call +
        "\n        float4x{(float)lower.x, (float)lower.y, (float)upper.x, (float)upper.y}" +
        held.one("h") +
        ");\n"
        "    put(first[h], half2{(_Float16)c[0], (_Float16)c[1]});\n"
        "    put(second[h], half2{(_Float16)c[2], (_Float16)c[3]});\n";
  } else {
    std::string sums, puts;
    for (int e = 0; e < 4; ++e) {
      const std::string at = (e < 2 ? "first[2 * h + " : "second[2 * h + ") + number(e & 1) + "]";
      sums += (e ? ", bits<" : "bits<") + one + ">(" + at + ")";
      puts += "    put(" + at + ", " + one + "(c[" + number(e) + "]));\n";
    }
    chunk.text += "    const " + acc + " c = " + call + "\n        " + oldSums(mma, sums) +
                  held.one("h") + ");\n" + puts;
  }
  chunk.text += "  }\n}\n";
  return chunk;
}

// Four tiles of both warps of a wave. Each lane keeps four neighbours of a row, in every tile.
RuntimeChunk largeFunction(const std::string &name, const MmaSite &mma, const Scheme &scheme,
                           const std::string &mfma, bool inHalves) {
  constexpr int kTiles = 4;
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"bits", "native_words", mfma};
  const std::string acc = accumulator(mma, true), one = element(mma);
  const bool packed = isPacked(mma);
  if (packed)
    chunk.needs.push_back("half2");
  std::string parameters, taken, kept;
  for (int t = 0; t < kTiles; ++t) {
    const std::string tile = "d" + number(t), at = (t ? number(4 * t) + " + " : "");
    parameters += "D &" + tile + ", ";
    taken += packed ? "    c[" + at + "2 * r] = (float)bits<half2>(" + tile + "[r]).x;\n    c[" +
                          at + "2 * r + 1] = (float)bits<half2>(" + tile + "[r]).y;\n"
                    : "    c[" + at + "r] = bits<" + one + ">(" + tile + "[r]);\n";
    kept += packed ? "    put(" + tile + "[r], half2{(_Float16)c[" + at + "2 * r], (_Float16)c[" +
                         at + "2 * r + 1]});\n"
                   : "    put(" + tile + "[r], " + one + "(c[" + at + "r]));\n";
  }
  const std::string loop =
      std::string("#pragma unroll\n  for (int r = 0; r < ") + (packed ? "2" : "4") + "; ++r) {\n";
  chunk.text =
      "// " + mma.name + " of both warps of a wave, transposed: first operand B, second A.\n" +
      (scheme.side == PairSide::Columns
           ? "// The warps share A: rows of the first operand are n0, n1, h (the warp), n2, "
             "j0, columns m0-m3,\n// i0: tiles i0 and j0 in one product, at the last of "
             "them. n2 is where i0 was.\n"
           : "// Rows of the first operand are n0, n1, n2 and which of four n8 tiles; one "
             "product, at the\n// last of them.\n") +
      (inHalves ? "// b0 and b1 have half of the words each.\n" : "") + fromZeroNote(mma) +
      "template <class D, class A, class B>\n" + "__device__ __forceinline__ void " + name + "(" +
      parameters + (inHalves ? "const A &a, const B &b0, const B &b1" : "const A &a, const B &b") +
      ", bool isLast) {\n  if (!isLast)\n    return;\n  " + acc + " c = {};\n" +
      (mma.isFromZero ? "" : loop + taken + "  }\n") + "  c = " + mfma + "(" +
      operandWords(scheme, inHalves) + "c);\n" + loop + kept + "  }\n}\n";
  return chunk;
}

// Four products of each warp, a quad pair each: 4x4 blocks, two of B for each of A.
RuntimeChunk fourBlocksFunction(const std::string &name, const MmaSite &mma, const Scheme &scheme) {
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"bits", "native_words", "words2", "float4x"};
  chunk.text =
      "// " + mma.name +
      " of both warps of a wave, transposed: first operand B, second A, in 4x4\n"
      "// blocks, four lanes each. One product with the half of B's columns that the lane "
      "has,\n// one with the half that the lane 16 away has.\n" +
      fromZeroNote(mma) + "template <class D, class A, class B>\n__device__ __forceinline__ void " +
      name + "(D &&d, const A &a0, const A &a1, const B &b0, const B &b1) {\n  " +
      inputTypedef(*scheme.mfma, scheme.mfma->a, 2) +
      "\n  const words2 a = {bits<unsigned>(a0), bits<unsigned>(a1)};\n"
      "  const words2 b[] = {{bits<unsigned>(b0), bits<unsigned>(b1)},\n"
      "                      {(unsigned)__builtin_amdgcn_ds_swizzle(bits<int>(b0), 0x401f),\n"
      "                       (unsigned)__builtin_amdgcn_ds_swizzle(bits<int>(b1), 0x401f)}};\n"
      "#pragma unroll\n  for (int n = 0; n < 2; ++n) {\n";
  const std::string product = "__builtin_amdgcn_" + std::string(scheme.mfma->builtin) +
                              "(bits<input>(b[n]), bits<input>(a), ";
  if (isPacked(mma)) {
    chunk.needs.push_back("half2");
    chunk.text +=
        "    const half2 lower = " + oldHalves(mma, "d[2 * n]") +
        ", upper = " + oldHalves(mma, "d[2 * n + 1]") +
        ";\n"
        "    const float4x c = " +
        product +
        "\n        float4x{(float)lower.x, (float)lower.y, (float)upper.x, (float)upper.y}, "
        "0, 0, 0);\n"
        "    put(d[2 * n], half2{(_Float16)c[0], (_Float16)c[1]});\n"
        "    put(d[2 * n + 1], half2{(_Float16)c[2], (_Float16)c[3]});\n";
  } else {
    std::string sums;
    for (int e = 0; e < 4; ++e)
      sums += (e ? ", bits<float>(d[4 * n + " : "bits<float>(d[4 * n + ") + number(e) + "])";
    chunk.text += "    const float4x c = " + product + oldSums(mma, sums) + ", 0, 0, 0);\n";
    for (int e = 0; e < 4; ++e)
      chunk.text += "    put(d[4 * n + " + number(e) + "], float(c[" + number(e) + "]));\n";
  }
  chunk.text += "  }\n}\n";
  return chunk;
}

} // namespace

int mfmasOf(const Scheme &scheme, bool isOfTwoTiles) {
  return isOfTwoTiles || scheme.odd || (scheme.single && !scheme.eightRows) ? 2 : 1;
}

Result<RuntimeChunk> mmaFunction(const std::string &name, const MmaSite &mma, const Scheme &scheme,
                                 const std::string &mfma, bool isHeld, bool inHalves) {
  const HeldText held{isHeld};
  if (scheme.eightRows)
    return eightRowsFunction(name, mma, scheme, mfma, held);
  if (scheme.fourBlocks)
    return fourBlocksFunction(name, mma, scheme);
  if (scheme.large)
    return largeFunction(name, mma, scheme, mfma, inHalves);
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"bits", "native_words", mfma};
  // One tile takes the whole result: the warps' columns, or (wide) neighbours of one warp.
  const bool isWide = scheme.wide && scheme.side != PairSide::Columns;
  const bool columns = scheme.side == PairSide::Columns, single = scheme.single;
  const bool whole = columns || isWide;
  const std::string acc = accumulator(mma), one = element(mma);
  if (single && scheme.side == PairSide::Apart)
    return apartFunction(name, mma, scheme, mfma, held);
  // The four results in the order of the MFMA's elements.
  const auto place = [&](int e) {
    const int first = e & 1, second = e >> 1;
    if (whole)
      return "d[" + number(second * 2 + first) + "]";
    if (single)
      return second ? std::string("0") : "d[2 * h + " + number(first) + "]";
    return std::string(second ? "odd" : "even") + "[2 * h + " + number(first) + "]";
  };
  const auto word = [&](int w) { // packed: one word holds elements 2w and 2w + 1
    return whole    ? "d[" + number(w) + "]"
           : single ? std::string(w ? "none" : "d[h]")
                    : std::string(w ? "odd" : "even") + "[h]";
  };
  std::string text = "// " + mma.name +
                     " of both warps of a wave, transposed: first operand B, "
                     "second A.\n";
  text += columns
              ? "// The warps share A: rows of the first operand are n0, h (the warp), n1, n2.\n"
              : "// Rows of the first operand are n0, j0 (which of two n8 tiles), n1, n2; one\n"
                "// product a warp, h.\n";
  if (scheme.wide)
    text =
        "// " + mma.name + " of both warps of a wave, transposed: first operand B, second A.\n" +
        (columns ? "// Rows of the first operand are n0, n1, n2, h (the warp).\n"
                 : "// Rows of the first operand are n0, n1, n2, j0 (which of two n8 tiles); one "
                   "product\n// a warp, h.\n");
  if (scheme.turned)
    text = "// " + mma.name +
           " of both warps of a wave, transposed: first operand B, second A.\n"
           "// Its rows are " +
           (scheme.halfTurned ? (columns ? "n1, h (the warp), n2, j0" : "n1, j0, n2, j1")
            : columns         ? "n2, h (the warp), j0, j1"
                              : "n2, j0, j1, j2") +
           (scheme.halfTurned ? ": the lowest bit of n is the tile's index.\n"
                              : ": the low bits of n are the tile's index.\n");
  if (scheme.odd) {
    text = apartFunction(name + "_alone", mma, scheme, mfma, held).text + "\n" + text +
           "// Of an odd number of tiles the last is by itself.\n";
  }
  text += fromZeroNote(mma);
  text += std::string("template <class D, class A, class B") + held.type() +
          ">\n__device__ __forceinline__ void " + name +
          (columns || single ? "(D &&d, const A &a, const B &b"
           : isWide          ? "(D &&d, const A &a, const B &b, int h"
           : scheme.odd      ? "(D &even, D &odd, const A &a, const B &b, int tile, int tiles"
                             : "(D &even, D &odd, const A &a, const B &b, int h") +
          held.parameters() + ") {\n";
  if (scheme.odd)
    text += "  const int h = tile & 1;\n  if (!h && tile + 1 == tiles)\n    return " + name +
            "_alone(even, a, b" + held.whole() + ");\n";
  const std::string further = single ? held.one("h") : scheme.odd ? held.one("0") : held.whole();
  if (single)
    text += "#pragma unroll\n  for (int h = 0; h < 2; ++h) {\n";
  std::string call = mfma + "(" + operandWords(scheme);
  call.resize(call.size() - 2);
  if (isPacked(mma)) {
    chunk.needs.push_back("half2");
    if (single)
      text += "  unsigned none = 0;\n";
    text += "  const half2 lower = " + oldHalves(mma, word(0)) +
            ", upper = " + oldHalves(mma, word(1)) + ";\n  const float4x c = " + call +
            ",\n      float4x{(float)lower.x, (float)lower.y, (float)upper.x, (float)upper.y}" +
            further + ");\n";
    for (int w = 0; w < 2; ++w)
      text += "  put(" + word(w) + ", half2{(_Float16)c[" + number(2 * w) + "], (_Float16)c[" +
              number(2 * w + 1) + "]});\n";
  } else {
    std::string sums;
    for (int e = 0; e < 4; ++e)
      sums +=
          (e ? ", " : "") + (place(e) == "0" ? place(e) : "bits<" + one + ">(" + place(e) + ")");
    text += "  const " + acc + " c = " + call + ",\n      " + oldSums(mma, sums) + further + ");\n";
    for (int e = 0; e < (single ? 2 : 4); ++e)
      text += "  put(" + place(e) + ", " + one + "(c[" + number(e) + "]));\n";
  }
  chunk.text = text + (single ? "  }\n}\n" : "}\n");
  return chunk;
}

Result<RuntimeChunk> twoTilesFunction(const std::string &name, const MmaSite &mma,
                                      const Scheme &scheme, const std::string &mfma, bool isHeld) {
  if (!scheme.firstLanes.count("pad"))
    return makeError("no half of the rows is free for a second tile");
  return twoTilesText(name, mma, scheme, mfma, HeldText{isHeld});
}

// ---- operands from shared memory ----------------------------------------------------

namespace {

// Columns over the six lane bits of a wave.
class LaneMap {
public:
  LaneMap() : columns_(6, 0) {}
  void add(const Places &places, const std::string &name, uint64_t value) {
    if (const auto it = places.find(name); it != places.end())
      columns_[it->second] ^= value;
  }
  std::string text(uint64_t constant = 0) const {
    return f2Expression({{"l", columns_}}, constant);
  }
  // ... and of what a loop variable `name` adds, bit by bit.
  std::string text(uint64_t constant, const std::string &name, const f2::Columns &columns) const {
    return f2Expression({{"l", columns_}, {name, columns}}, constant);
  }
  uint64_t at(unsigned lane) const {
    uint64_t value = 0;
    for (size_t i = 0; i < columns_.size(); ++i)
      value ^= lane >> i & 1 ? columns_[i] : 0;
    return value;
  }
  bool isZero() const {
    return std::all_of(columns_.begin(), columns_.end(), [](uint64_t c) { return c == 0; });
  }

private:
  f2::Columns columns_;
};

class LoadWriter {
public:
  LoadWriter(const std::string &name, const LoadForm &form, const Scheme &scheme)
      : name_(name), form_(form), scheme_(scheme),
        places_(form.role == Role::A ? scheme.secondLanes : scheme.firstLanes) {}

  // The reads that the text is made of.
  std::vector<WaveRead> reads() {
    std::vector<WaveRead> all;
    if (!planLanes())
      return all;
    for (unsigned h = 0; h < (twice() ? 2u : 1u); ++h) {
      const int rows = form_.transposed ? 2 * scheme_.words() : scheme_.farWords ? 2 : 1;
      for (int e = 0; e < rows; ++e)
        all.push_back(readAt(form_.transposed ? rowOf(e) : e ? upperWord_ : 0, h));
    }
    return all;
  }

  int packing() const {
    const int words = scheme_.words() * (twice() ? 2 : 1);
    return form_.transposed ? words : 0; // two rows make a word
  }

  Result<RuntimeChunk> write() {
    RuntimeChunk chunk;
    chunk.name = name_;
    chunk.needs = {laneChunk(), "bits", "lds", "native_words", "lds_address"};
    if (form_.takesWarp)
      chunk.needs.push_back("first_warp");
    const size_t registers = operandRegisters(form_.role, scheme_);
    if (form_.matrixOf.size() != registers)
      return makeError("an operand of %d registers, not %d", int(form_.matrixOf.size()),
                       int(registers));
    if (!planLanes())
      return makeError("ldmatrix orders its matrices in a way that is not linear");
    const std::string read = body();
    if (read.find("lds_behind") != read.npos)
      chunk.needs.push_back("lds_behind");
    chunk.text = heading() + "template <class R, class F>\n__device__ __forceinline__ void " +
                 name_ + "(R &&r, F address" + tileParameters() +
                 (scheme_.deep ? ", int step" : "") + ") {\n" + laneLine() + aloneLine() + read +
                 "}\n";
    return chunk;
  }

  // Registers that the kernel puts together by functions of (lane, warp, register).
  //
  //   CUDA     register m3, b4       lane b2 b3 (lane % 4)  m0 m1 m2 | n0 n1 n2 (lane / 4)
  //   MFMA     lanes m0-m3 | rows, and two bits of k; words the third bit of k
  Result<RuntimeChunk> writeGather() {
    RuntimeChunk chunk;
    chunk.name = name_;
    chunk.needs = {laneChunk(), "bits", "native_words"};
    if (form_.takesWarp)
      chunk.needs.push_back("first_warp");
    addRows();
    LaneMap registers;
    if (isA())
      registers.add(places_, "m3", 1);
    registers.add(places_, "b4", isA() ? 2 : 1);
    const std::string type = operandRegisters(form_.role, scheme_) > 2 ? "words4" : "words2";
    const std::string parameters = "F value" + tileParameters();
    std::string text;
    for (int w = 0; w < scheme_.words(); ++w) {
      const uint64_t lane = scheme_.farWords ? 0 : static_cast<uint64_t>(w); // b2, b3
      const uint64_t word = scheme_.farWords ? (isA() ? 2 * w : w) : 0;
      if (form_.inHalves && w == scheme_.words() / 2)
        break;
      const std::string half = !form_.inHalves        ? ""
                               : scheme_.words() == 2 ? " | (tile & 1)"
                                                      : " | (tile & 1) << 1";
      text += "  r[" + registerText(w) + "] = value(" + lanes_.text(lane) + half + ", " +
              warpText() + (form_.takesTile ? ", " + tileText() : "") + ", " +
              registers.text(word) + ");\n";
    }
    if (twice())
      text = "#pragma unroll\n  for (int h = 0; h < 2; ++h) {\n" + text + "  }\n";
    const std::string head = form_.isInCall
                                 ? "template <class F>\n__device__ __forceinline__ " + type + " " +
                                       name_ + "(" + parameters + ") {\n  " + type + " r = {};\n"
                                 : "template <class R, class F>\n__device__ __forceinline__ void " +
                                       name_ + "(R &&r, " + parameters + ") {\n";
    text = aloneLine() + text;
    chunk.text = std::string("// Operand ") + (isA() ? "A" : "B") +
                 ": the values that the program has at the lane, warp and register where this\n"
                 "// element was.\n" +
                 head + laneLine() + text + (form_.isInCall ? "  return r;\n}\n" : "}\n");
    return chunk;
  }

  // What operand B is computed from, lane by lane: the register that a value ends in is the
  // one that CUDA has it in, so only the lane is another (farWords, or a single word).
  Result<RuntimeChunk> writeBegin() {
    if (isA() || !(scheme_.farWords || scheme_.shallow))
      return makeError("the order of k parts the registers of an operand");
    RuntimeChunk chunk;
    chunk.name = name_;
    chunk.needs = {laneChunk()};
    if (form_.takesWarp)
      chunk.needs.push_back("first_warp");
    addRows();
    chunk.text = "// What operand B is computed from: the value that the program has in the lane, "
                 "warp and tile\n// whose part of B this lane has.\n"
                 "template <class F>\n__device__ __forceinline__ auto " +
                 name_ + "(F value" + tileParameters() + ") {\n" + laneLine() + aloneLine() +
                 "  return value(" + lanes_.text() + ", " + warpText() +
                 (form_.takesTile ? ", " + tileText() : "") + ");\n}\n";
    return chunk;
  }

private:
  // lane % 4 says which words of k, lane / 4 the row.
  void addRows() {
    for (int i = 0; i < 3; ++i)
      lanes_.add(places_, (isA() ? "m" : "n") + number(i), uint64_t(4) << i);
    lanes_.add(places_, "b2", 1);
    lanes_.add(places_, "b3", 2);
  }

  int readBytes() const {
    if (turned())
      return scheme_.halfTurned ? 4 : 8;
    return form_.transposed ? 2 : scheme_.farWords ? 4 : 4 * scheme_.words();
  }

  WaveRead readAt(uint64_t row, unsigned h) const {
    WaveRead read;
    read.bytes = readBytes();
    LaneMap bytes = bytes_, warp, step;
    if (turned())
      bytes = turnedBytes();
    warp.add(places_, "h", 1);
    step.add(places_, "s", 1);
    uint64_t mask = 0;
    const LaneMap tile = tileBits(mask);
    for (unsigned l = 0; l < 64; ++l) {
      WaveRead::Lane lane;
      lane.lane = static_cast<unsigned>(lanes_.at(l) ^ base_ ^ row);
      lane.warp = !form_.pairDiffers ? 0 : twice() ? h : static_cast<unsigned>(warp.at(l));
      lane.tile = form_.takesTile ? static_cast<unsigned>(tile.at(l)) : 0;
      lane.step = scheme_.deep ? static_cast<unsigned>(step.at(l)) : 0;
      lane.byte = bytes.at(l);
      read.lanes.push_back(lane);
    }
    return read;
  }

  // Where word w goes: as in store().
  std::string registerText(int w) const {
    if (!isA() || scheme_.large)
      return number(w);
    return twice() ? (w ? number(2 * w) + " + h" : "h") : number(2 * w);
  }
  bool isA() const { return form_.role == Role::A; }
  bool pairs() const { return !scheme_.isOfOneWarp(); }
  // One read for each warp of the pair.
  bool twice() const { return isA() && pairs(); }
  bool perTileWarp() const { return !isA() && scheme_.side == PairSide::Apart && !scheme_.single; }
  bool turned() const { return scheme_.turned && !isA() && form_.transposed; }
  bool picksTile() const { return turned() || perTileWarp(); }

  // Of an odd number of tiles the last is by itself: all rows are of it, for Apart the lanes where
  // its neighbour's would be read it for the other warp.
  bool isOfOdd() const { return scheme_.odd && !isA(); }
  std::string tileParameters() const {
    return isOfOdd() ? ", int tile, int tiles" : form_.takesTile || picksTile() ? ", int tile" : "";
  }
  // The chunk that says which lane of the wave this is, and the variable with it.
  const char *laneChunk() const { return form_.isOfRow ? "lane_of_row" : "lane"; }
  std::string laneLine() const {
    return std::string("  const unsigned l = ") + (form_.isOfRow ? "lane_of_row" : "lane64") +
           "();\n";
  }

  std::string aloneLine() const {
    return isOfOdd() ? "  const bool alone = !(tile & 1) && tile + 1 == tiles;\n" : "";
  }

  // The lane whose row address is wanted, as a function of l.
  bool planLanes() {
    const std::vector<int> &q = form_.matrixOf;
    if (q.size() != operandRegisters(form_.role, scheme_))
      return false;
    base_ = uint64_t(q[0]) << 3;
    if (!scheme_.shallow) { // the highest register bit is b4
      upperWord_ = uint64_t(q[0] ^ q[isA() ? 2 : 1]) << 3;
      lanes_.add(places_, "b4", upperWord_);
      if (isA() && (q[0] ^ q[1] ^ q[2]) != q[3])
        return false;
    }
    if (isA() && !scheme_.eightRows)
      lanes_.add(places_, "m3", uint64_t(q[0] ^ q[1]) << 3);
    lanes_.add(places_, "j0", uint64_t(form_.neighbourMatrix) << 3);
    if (form_.transposed) {
      // Rows are k, of 16 bits: k0 is b1, ...; columns are m or n.
      lanes_.add(places_, "b2", 2);
      lanes_.add(places_, "b3", 4);
      for (int i = 0; i < 3; ++i)
        bytes_.add(places_, (isA() ? "m" : "n") + number(i), uint64_t(2) << i);
    } else {
      for (int i = 0; i < 3; ++i)
        lanes_.add(places_, (isA() ? "m" : "n") + number(i), uint64_t(1) << i);
      bytes_.add(places_, "b2", 4);
      bytes_.add(places_, "b3", 8);
    }
    return true;
  }

  std::string heading() const {
    const std::string what = isA() ? "Operand A" : "Operand B";
    if (turned())
      return "// " + what + " from rows along n: " +
             (scheme_.halfTurned ? "two neighbours of n a read, one for each of two tiles.\n"
                                 : "four neighbours of n a read, one for each of four tiles.\n");
    if (form_.transposed)
      return "// " + what + " from rows that run across k: four elements of k, one row each.\n";
    if (scheme_.farWords)
      return "// " + what + ": rows as lanes, bytes of k as results have their columns.\n";
    if (scheme_.large && scheme_.shallow)
      return "// " + what + ": rows as lanes, eight neighbouring bytes of k a lane.\n";
    if (scheme_.hasWholeRows())
      return "// " + what + ": rows as lanes, a whole row of a matrix a lane" +
             (scheme_.deep ? "; lane bit 5 is the step of k.\n" : ".\n");
    return "// " + what + ": rows as lanes, eight neighbouring bytes of k a lane.\n";
  }

  std::string warpText() const {
    if (!form_.takesWarp)
      return "0";
    if (!form_.pairDiffers)
      return "first_warp()";
    if (perTileWarp() && scheme_.odd) {
      LaneMap neighbour;
      neighbour.add(places_, "j0", 1);
      return "first_warp() + (alone ? " + neighbour.text() + " : tile & 1)";
    }
    if (perTileWarp())
      return "first_warp() + (tile & 1)";
    if (twice())
      return "first_warp() + h";
    LaneMap warp;
    warp.add(places_, "h", 1);
    return warp.isZero() ? "first_warp()" : "first_warp() + (" + warp.text() + ")";
  }

  // The tile index bits that the lane decides, in place of the tile's own (`mask`).
  LaneMap tileBits(uint64_t &mask) const {
    LaneMap bits;
    for (int i = form_.tileShift; i < 3; ++i) {
      const std::string name = (isA() ? "i" : "j") + number(i);
      if (!places_.count(name))
        continue;
      const uint64_t bit = uint64_t(1) << (i - form_.tileShift);
      mask |= bit;
      if (i > 0 || !form_.neighbourMatrix) // else the matrix says it
        bits.add(places_, name, bit);
    }
    return bits;
  }

  std::string tileText() const {
    uint64_t mask = 0;
    const LaneMap bits = tileBits(mask);
    const std::string index =
        form_.tileShift ? "(tile >> " + number(form_.tileShift) + ")" : "tile";
    if (!mask)
      return index;
    return (isOfOdd() ? "alone ? tile : (" : "(") + index + " & ~" + std::to_string(mask) + ")" +
           (bits.isZero() ? "" : " | (" + bits.text() + ")");
  }

  // lds_address(address(lane, warp[, tile][, step]))
  std::string callAt(uint64_t constant) const { return callFor(lanes_.text(base_ ^ constant)); }
  std::string callFor(const std::string &lane) const {
    std::string text = "lds_address(address(" + lane + ", " + warpText() +
                       (form_.takesTile ? ", " + tileText() : "");
    LaneMap step;
    step.add(places_, "s", 1);
    if (scheme_.deep)
      text += ", step + " + number(static_cast<int>(form_.stride)) + " * (" + step.text() + ")";
    return text + "))";
  }
  std::string readAt(const std::string &type, uint64_t constant) const {
    return readOf(type, callAt(constant), bytes_);
  }
  static std::string readOf(const std::string &type, const std::string &call,
                            const LaneMap &bytes) {
    return bytes.isZero() ? "*lds_at<" + type + ">(" + call + ")"
                          : "*lds_behind<" + type + ">(" + call + ", " + bytes.text() + ")";
  }

  std::string body() const {
    if (turned())
      return turnedBody();
    if (form_.transposed)
      return transposedBody();
    if (scheme_.farWords)
      return store("", {readAt("unsigned", 0), readAt("unsigned", upperWord_)});
    if (scheme_.shallow && !scheme_.large)
      return store("  const unsigned v = " + readAt("unsigned", 0) + ";\n", {"v"});
    const std::string type = "words" + number(scheme_.words());
    std::vector<std::string> words;
    for (int w = 0; w < scheme_.words(); ++w)
      words.push_back("v[" + number(w) + "]");
    return store("  const " + type + " v = " + readAt(type, 0) + ";\n", words);
  }

  // Bits of n that are the lane's in a turned scheme; the lower ones are inside the vector.
  LaneMap turnedBytes() const {
    LaneMap bytes;
    if (scheme_.halfTurned)
      bytes.add(places_, "n1", 4);
    bytes.add(places_, "n2", 8);
    return bytes;
  }

  // Which register word w of the operand goes to; for A of two warps, of warp h.
  std::string registerOf(int w) const {
    if (!isA() || (scheme_.hasWholeRows() && !twice()))
      return number(w);
    if (scheme_.deep)
      return "4 * h" + (w ? " + " + number(w) : "");
    return twice() ? (w ? "2 + h" : "h") : number(2 * w);
  }

  std::string store(const std::string &read, const std::vector<std::string> &words) const {
    std::string text = read;
    if (form_.inHalves) { // tiles beside each other read alike, and keep a half each
      const size_t half = words.size() / 2;
      for (size_t w = 0; w < half; ++w)
        text += "  put(r[" + number(static_cast<int>(w)) + "], unsigned(tile & 1 ? " +
                words[half + w] + " : " + words[w] + "));\n";
      return text;
    }
    for (size_t w = 0; w < words.size(); ++w)
      text += "  put(r[" + registerOf(static_cast<int>(w)) + "], " +
              (words[w].find(' ') == words[w].npos || words[w].back() == ')'
                   ? words[w]
                   : "unsigned(" + words[w] + ")") +
              ");\n";
    if (!twice())
      return text;
    return "#pragma unroll\n  for (int h = 0; h < 2; ++h) {\n" + text + "  }\n";
  }

  // Row of element e of a lane, across k: bits 0 and 1 are b1 and the operand's second
  // word; bit 2, where there are four words, b3.
  uint64_t rowOf(int e) const {
    return (e & ~2) | (e & 2 ? (scheme_.farWords ? upperWord_ : 2) : 0);
  }

  // The lane whose row is read for element k of a lane, k a variable: rowOf(k).
  std::string laneOfRow(int rows) const {
    f2::Columns columns;
    for (int bit = 1; bit < rows; bit *= 2)
      columns.push_back(rowOf(bit));
    return lanes_.text(base_, "k", columns);
  }

  std::string transposedBody() const {
    const int elements = 2 * scheme_.words();
    const std::string call = callFor(laneOfRow(elements));
    return store("  unsigned short e[" + number(elements) + "];\n" + loopOver(elements) +
                     "    e[k] = " + readOf("unsigned short", call, bytes_) + ";\n",
                 wordsOf(elements, [](int e) {
                   return "e[" + number(e) + "] | (unsigned)e[" + number(e + 1) + "] << 16";
                 }));
  }

  static std::string loopOver(int elements, const std::string &opens = "") {
    return "#pragma unroll\n  for (int k = 0; k < " + number(elements) + "; ++k)" + opens + "\n";
  }

  template <class Word> static std::vector<std::string> wordsOf(int elements, Word word) {
    std::vector<std::string> words;
    for (int e = 0; e < elements; e += 2)
      words.push_back(word(e));
    return words;
  }

  // Rows k, k + 1 hold n0-n1 neighbours; the tile's pair of halves is picked from both:
  //
  //   row k      n=0 n=1 n=2 n=3        v_perm(row k + 1, row k):
  //   row k + 1  n=0 n=1 n=2 n=3        {row k [n], row k + 1 [n]}
  std::string turnedBody() const {
    const int shift = scheme_.tileBits.at("n0"), rows = 2 * scheme_.words();
    const std::string call = callFor(laneOfRow(rows));
    const std::string read =
        "  const int n = " + (shift ? "tile >> " + number(shift) : std::string("tile")) +
        ";\n  unsigned row[" + number(rows) + "];\n" +
        (scheme_.halfTurned
             ? loopOver(rows) + "    row[k] = " + readOf("unsigned", call, turnedBytes()) + ";\n"
             : loopOver(rows, " {") + "    const unsigned long long v = " +
                   readOf("unsigned long long", call, turnedBytes()) +
                   ";\n    row[k] = n & 2 ? (unsigned)(v >> 32) : (unsigned)v;\n  }\n") +
        "  const unsigned pick = n & 1 ? 0x07060302 : 0x05040100;\n";
    return store(read, wordsOf(rows, [](int e) {
                   return "__builtin_amdgcn_perm(row[" + number(e + 1) + "], row[" + number(e) +
                          "], pick)";
                 }));
  }

  const std::string name_;
  const LoadForm form_;
  const Scheme &scheme_;
  const Places &places_;
  LaneMap lanes_, bytes_;
  uint64_t base_ = 0, upperWord_ = 0; // of the second word: another matrix's rows
};

} // namespace

size_t operandRegisters(Role role, const Scheme &scheme) {
  if (scheme.eightRows)
    return 1;
  const int words = scheme.shallow ? 1 : scheme.fourWords ? 4 : 2;
  return static_cast<size_t>(role == Role::A ? 2 * words : words);
}

Result<RuntimeChunk> loadFunction(const std::string &name, const LoadForm &form,
                                  const Scheme &scheme) {
  LoadWriter writer(name, form, scheme);
  return form.isBegin      ? writer.writeBegin()
         : form.isGathered ? writer.writeGather()
                           : writer.write();
}

RuntimeChunk tilesFunction(const std::string &name, const std::vector<std::string> &functions,
                           int indices, bool takesStep) {
  RuntimeChunk chunk;
  chunk.name = name;
  std::string types, tiles, numbers, calls;
  for (size_t t = 0; t < functions.size(); ++t) {
    const std::string tile = number(static_cast<int>(t));
    types += "class T" + tile + ", ";
    tiles += "T" + tile + " &&tile" + tile + ", ";
    std::string its;
    for (int i = 0; i < indices; ++i)
      its += ", number" + (indices > 1 ? tile + "_" + number(i) : tile);
    for (size_t at = 0; (at = its.find("number", at)) != its.npos; at += 6)
      numbers += ", int " + its.substr(at, its.find(',', at) - at);
    calls +=
        "  " + functions[t] + "(tile" + tile + ", at" + its + (takesStep ? ", step" : "") + ");\n";
    if (!llvm::is_contained(chunk.needs, functions[t]))
      chunk.needs.push_back(functions[t]);
  }
  chunk.text = "// Tiles that one ldmatrix reads, each from its own matrices.\ntemplate <" + types +
               "class At>\n__device__ __forceinline__ void " + name + "(" + tiles + "const At &at" +
               numbers + (takesStep ? ", int step" : "") + ") {\n" + calls + "}\n";
  return chunk;
}

std::vector<WaveRead> waveReads(const LoadForm &form, const Scheme &scheme) {
  return form.isGathered ? std::vector<WaveRead>() : LoadWriter("", form, scheme).reads();
}

int packingOps(const LoadForm &form, const Scheme &scheme) {
  return form.isGathered ? 0 : LoadWriter("", form, scheme).packing();
}

// ---- back to CUDA's layout ------------------------------------------------------------

namespace {

// `name`_words: in[] in the first layout to out[] in the second. gfx90a has only what all
// three chips have.
Result<std::string> wordsFunction(const std::string &name, const BorderLayouts &layouts) {
  const auto plan = planInsideWave(layouts.here, layouts.cuda, 32, isa::Arch::Gfx90a);
  if (!plan)
    return plan.error();
  const auto program = lowerToWords(*plan);
  if (!program)
    return program.error();
  Result<std::string> text = hipText(*program, name + "_words");
  if (!text)
    return text.error();
  // Blocks need not be one-dimensional.
  const std::string asked = "threadIdx.x & 63", lane = "lane64()";
  if (const size_t at = text->find(asked); at != text->npos)
    text->replace(at, asked.size(), lane);
  return text;
}

// `name`_words over these registers.
std::string wordsOf(const std::string &name, const std::vector<std::string> &registers) {
  const std::string count = number(static_cast<int>(registers.size()));
  std::string in = "  unsigned in[" + count + "], out[" + count + "];\n", out;
  for (size_t r = 0; r < registers.size(); ++r) {
    const std::string w = number(static_cast<int>(r));
    in += "  in[" + w + "] = bits<unsigned>(" + registers[r] + ");\n";
    out += "  put(" + registers[r] + ", out[" + w + "]);\n";
  }
  return in + "  " + name + "_words(in, out);\n" + out;
}

// The same of 64-bit registers: all lower words, then all upper ones.
std::string wordsOfDoubles(const std::string &name, const std::vector<std::string> &registers) {
  const std::string count = number(static_cast<int>(registers.size()));
  std::string in = "  unsigned lower[" + count + "], upper[" + count + "], out[" + count +
                   "], top[" + count + "];\n",
              out;
  for (size_t r = 0; r < registers.size(); ++r) {
    const std::string w = number(static_cast<int>(r));
    in += "  lower[" + w + "] = bits<words2>(" + registers[r] + ").x;\n  upper[" + w +
          "] = bits<words2>(" + registers[r] + ").y;\n";
    out += "  put(" + registers[r] + ", words2{out[" + w + "], top[" + w + "]});\n";
  }
  return in + "  " + name + "_words(lower, out);\n  " + name + "_words(upper, top);\n" + out;
}

// The same of registers of two halves, which do not stay together: each half as a word.
std::string wordsOfHalves(const std::string &name, const std::vector<std::string> &registers) {
  const std::string count = number(2 * static_cast<int>(registers.size()));
  std::string in = "  unsigned in[" + count + "], out[" + count + "];\n", out;
  for (size_t r = 0; r < registers.size(); ++r) {
    const std::string lower = number(2 * static_cast<int>(r)),
                      upper = number(2 * static_cast<int>(r) + 1),
                      word = "bits<unsigned>(" + registers[r] + ")";
    in += "  in[" + lower + "] = " + word + ";\n  in[" + upper + "] = __builtin_amdgcn_perm(0u, " +
          word + ", 0x03020302u);\n";
    out += "  put(" + registers[r] + ", __builtin_amdgcn_perm(out[" + upper + "], out[" + lower +
           "], 0x05040100u));\n";
  }
  return in + "  " + name + "_words(in, out);\n" + out;
}

} // namespace

Result<RuntimeChunk> borderFunction(const std::string &name, const Scheme &scheme, bool packed,
                                    bool isInwards) {
  auto layouts = borderLayouts(scheme, packed);
  if (!layouts)
    return layouts.error();
  if (isInwards)
    std::swap(layouts->here, layouts->cuda);
  const auto text = wordsFunction(name, *layouts);
  if (!text)
    return text.error();
  const bool inHalves = packed && scheme.turned;
  const int perTile =
      ((packed && !inHalves) || scheme.eightRows ? 2 : 4) * (scheme.fourBlocks ? 2 : 1);
  const int tiles = (1 << layouts->here.inBits("register")) / perTile;
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"bits", "lane", "native_words"};
  std::string parameters;
  std::vector<std::string> all;
  for (int t = 0; t < tiles; ++t) {
    const std::string tile = tiles == 1 ? "d" : "d" + number(t);
    parameters += (t ? ", D &&" : "D &&") + tile;
    for (int r = 0; r < (inHalves ? 2 : perTile); ++r)
      all.push_back(tile + "[" + number(r) + "]");
  }
  chunk.text = *text +
               (isInwards ? "\n// An accumulator from CUDA's layout to the MFMA's.\n"
                          : "\n// An accumulator from the MFMA's layout to CUDA's.\n") +
               "template <class D>\n__device__ __forceinline__ void " + name + "(" + parameters +
               ") {\n" +
               (scheme.isDouble() ? wordsOfDoubles(name, all)
                : inHalves        ? wordsOfHalves(name, all)
                                  : wordsOf(name, all)) +
               "}\n";
  return chunk;
}

Result<RuntimeChunk> operandMoveFunction(const std::string &name, const Scheme &scheme, Role role) {
  auto layouts = operandBorder(scheme, role == Role::A);
  if (!layouts)
    return layouts.error();
  std::swap(layouts->here, layouts->cuda);
  const auto text = wordsFunction(name, *layouts);
  if (!text)
    return text.error();
  RuntimeChunk chunk;
  chunk.name = name;
  const int words = 1 << layouts->here.inBits("register");
  const std::string type = words > 2 ? "words4" : "words2", count = number(words);
  chunk.needs = {"bits", "lane", "native_words", type};
  std::string in, out;
  for (int w = 0; w < words; ++w) {
    in += (w ? ", bits<unsigned>(r[" : "bits<unsigned>(r[") + number(w) + "])";
    out += (w ? ", out[" : "out[") + number(w) + "]";
  }
  chunk.text = *text + "\n// Operand " + (role == Role::A ? "A" : "B") +
               " from CUDA's lanes to the MFMA's.\ntemplate <class R>\n"
               "__device__ __forceinline__ " +
               type + " " + name + "(const R &r) {\n  unsigned in[" + count + "] = {" + in +
               "}, out[" + count + "];\n  " + name + "_words(in, out);\n  return " + type + "{" +
               out + "};\n}\n";
  return chunk;
}

Result<RuntimeChunk> rowBorderFunction(const std::string &name,
                                       const isa::MatrixInstruction &mfma) {
  const auto layouts = rowBorderLayouts(mfma);
  if (!layouts)
    return layouts.error();
  const auto text = wordsFunction(name, *layouts);
  if (!text)
    return text.error();
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"bits", "lane", "native_words"};
  chunk.text = *text +
               "\n// Values of rows r and r + 8, from the MFMA's lanes to CUDA's.\n"
               "template <class T>\n__device__ __forceinline__ void " +
               name +
               "(T &lower, T &upper) {\n"
               "  unsigned in[2] = {bits<unsigned>(lower), bits<unsigned>(upper)}, out[2];\n  " +
               name + "_words(in, out);\n  put(lower, out[0]);\n  put(upper, out[1]);\n}\n";
  return chunk;
}

RuntimeChunk rowArrayFunction(const std::string &name, const std::string &ofPair) {
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {ofPair};
  chunk.text = "// All of an array, whose first half is of rows r.\n"
               "template <class T, int N>\n__device__ __forceinline__ void " +
               name +
               "(T (&rows)[N]) {\n#pragma unroll\n  for (int r = 0; r < N / 2; ++r)\n    " + ofPair +
               "(rows[r], rows[r + N / 2]);\n}\n";
  return chunk;
}

} // namespace layout_port::native
