// The MFMA arm of a bridged mma, as C++:
//
//   words of A and B of both warps, from the lanes that hold them     "sa", "sb"
//   the MFMAs' inputs out of them                                     "a", "b"
//   the products of both warps                                        "f"
//   the lane's own elements, from the lanes that have them            "sd", "r"
#include "tensor/layout/Lanes.h"
#include "tensor/mma/Bridge.h"

#include <algorithm>

namespace layout_port {

namespace {

const std::string indent = "    ";

// The C++ of one MFMA operand, a list of words a step.
using StepWords = std::vector<std::vector<std::string>>;

class Writer {
public:
  Writer(const ptx::Mma &mma, const Bridge &bridge, std::vector<std::string> &chunks)
      : mma_(mma), bridge_(bridge), sum_(sumType(mma.typeD)), chunks_(chunks) {}

  std::string write() {
    for (const OperandNumbers *numbers : {bridge_.a, bridge_.b})
      if (*numbers->chunk)
        need(numbers->chunk);
    const StepWords a = operand("a", bridge_.moveA, *bridge_.a, mma_.a.size(), false);
    const StepWords b = operand("b", bridge_.moveB, *bridge_.b, mma_.b.size(), true);
    const int words = static_cast<int>(inputs(b[0], true, 0).size());
    out_ = indent + inputTypedef(*bridge_.mfma, bridge_.mfma->a, words) + "\n" + out_;
    products(a, b);
    results();
    return out_;
  }

private:
  void need(const std::string &chunk) {
    if (std::find(chunks_.begin(), chunks_.end(), chunk) == chunks_.end())
      chunks_.push_back(chunk);
  }
  void line(const std::string &text) { out_ += indent + text + "\n"; }

  // const unsigned to0 = from_lane(lane, pick), ...; one step a word.
  void move(const BridgeMove &move, const std::vector<std::string> &from, const std::string &to) {
    for (uint64_t s = 0; s < uint64_t(1) << move.wordBits; ++s) {
      const std::string lane =
          f2Expression({{"lane", move.readByLane}}, f2::apply(move.readByStep, s));
      const std::string pick =
          f2Select(from, {"lane", move.sendByLane}, f2::apply(move.sendByStep, s));
      line("const " + word() + " " + to + std::to_string(s) + " = from_lane(" + lane + ", " + pick +
           ");");
    }
  }
  // Word w among what the steps received.
  static std::string received(const BridgeMove &move, const std::string &from, uint64_t w) {
    return f2Select(numbered(from, 1 << move.wordBits), {"lane", move.storeByLane}, w);
  }
  std::string word() const { return sum_.word; }

  // The MFMA words of operand `name`, by step; for A of Depth and Merge, both warps'
  // one after the other.
  StepWords operand(const std::string &name, const BridgeMove &conversion,
                    const OperandNumbers &numbers, size_t registers, bool isB) {
    move(conversion, numbered(name, static_cast<int>(registers)), "s" + name);
    const bool twoWarps = !isB && bridge_.sharing != Sharing::Columns;
    const int words = 1 << (conversion.wordBits - (twoWarps ? 1 : 0));
    StepWords steps(size_t(1) << bridge_.stepBits);
    for (int h = 0; h < (twoWarps ? 2 : 1); ++h) {
      std::vector<std::string> all;
      for (int w = 0; w < words; ++w)
        for (const std::string &part :
             partsOf(received(conversion, "s" + name, w + h * words), numbers, name))
          all.push_back(part);
      const size_t each = all.size() / steps.size();
      for (size_t i = 0; i < all.size(); ++i)
        steps[i / each].push_back(all[i]);
    }
    return steps;
  }

  // What a source word becomes; a text that stands more than once gets a name.
  std::vector<std::string> partsOf(const std::string &text, const OperandNumbers &numbers,
                                   const std::string &name) {
    if (!numbers.parts[1] && std::string(numbers.parts[0]) == "$" && plain(text))
      return {text};
    std::string source = text;
    if (!plain(text)) {
      source = "w" + name + std::to_string(named_++);
      line("const " + word() + " " + source + " = " + text + ";");
    }
    std::vector<std::string> parts;
    for (const char *part : numbers.parts) {
      if (!part)
        continue;
      std::string written = part;
      written.replace(written.find('$'), 1, source);
      parts.push_back(written);
    }
    return parts;
  }
  static bool plain(const std::string &text) { return text.find(' ') == std::string::npos; }

  // The words of one input: A of warp h (Merge), or of both; B with zeros where row
  // and k are not of one warp (Depth); zeros in what is left of a longer k.
  std::vector<std::string> inputs(const std::vector<std::string> &words, bool isB, int h) const {
    std::vector<std::string> list;
    const size_t half = words.size() / 2;
    switch (bridge_.sharing) {
    case Sharing::Columns:
      list = words;
      break;
    case Sharing::Merge:
      if (isB)
        list = words;
      else
        list.assign(words.begin() + h * half, words.begin() + (h + 1) * half);
      break;
    case Sharing::Depth:
      if (!isB) {
        list = words;
        break;
      }
      const std::string ofWarp1 = "lane & " + std::to_string(1 << bridge_.inputLaneBit);
      for (const std::string &w : words)
        list.push_back(ofWarp1 + " ? 0 : " + parenthesised(w));
      for (const std::string &w : words)
        list.push_back(ofWarp1 + " ? " + parenthesised(w) + " : 0");
    }
    const size_t own = bridge_.sharing == Sharing::Depth ? list.size() / 2 : list.size();
    while (list.size() < own << bridge_.spareBits)
      list.push_back("0");
    return list;
  }
  static std::string parenthesised(const std::string &s) { return plain(s) ? s : "(" + s + ")"; }

  // The same for an operand whose every element is -128.
  std::vector<std::string> biasWords(bool isB, size_t count) const {
    return inputs(std::vector<std::string>(count, "0x80808080u"), isB, 0);
  }

  std::string input(const std::vector<std::string> &words) const {
    if (words.size() == 1)
      return "bits<input>(" + word() + "(" + words[0] + "))";
    return "bits<input>(words" + std::to_string(words.size()) + "{" + joined(words) + "})";
  }

  std::string define(const std::string &name, const std::vector<std::string> &words) {
    line("const input " + name + " = " + input(words) + ";");
    return name;
  }

  // sum = the MFMA's B * A + sum.
  void multiply(const std::string &sum, const std::string &b, const std::string &a) {
    const bool first = std::find(begun_.begin(), begun_.end(), sum) == begun_.end();
    begun_.push_back(sum);
    const std::string zero = std::string(sum_.vector4) + "(0)";
    line((first ? std::string(sum_.vector4) + " " : "") + sum + " = __builtin_amdgcn_" +
         bridge_.mfma->builtin + "(" + b + ", " + a + ", " + (first ? zero : sum) + ", 0, 0, 0);");
  }

  // A chain of MFMAs for each product, and one for what a bias adds:
  //   sum (a - 128)(b - 128) = sum a b - 128 sum b - 128 sum a + 128 * 128 k
  void products(const StepWords &a, const StepWords &b) {
    const int warps = bridge_.sharing == Sharing::Merge ? 2 : 1;
    const bool biased = bridge_.a->biased || bridge_.b->biased;
    for (size_t s = 0; s < a.size(); ++s) {
      const std::string step = std::to_string(s);
      const std::string bName = define("b_" + step, inputs(b[s], true, 0));
      for (int h = 0; h < warps; ++h) {
        const std::string n = std::to_string(h);
        const std::string aName = define("a_" + step + n, inputs(a[s], false, h));
        multiply("f" + n, bName, aName);
        if (bridge_.b->biased)
          multiply("g" + n, define("m_" + step + n, biasWords(true, b[s].size())), aName);
        if (bridge_.a->biased && h == 0)
          multiply("g" + n, bName, define("n_" + step + n, biasWords(false, a[s].size())));
        else if (bridge_.a->biased)
          multiply("g" + n, bName, "n_" + step + "0");
      }
    }
    for (int h = 0; biased && h < warps; ++h)
      line("f" + std::to_string(h) + " -= g" + std::to_string(h) + ";");
  }

  // Element e of the lane's share of both warps' products.
  std::string element(int e) const {
    const std::string at = "[" + std::to_string(e) + "]";
    if (bridge_.sharing != Sharing::Merge)
      return "f0" + at;
    if (bridge_.resultInElement)
      return "f" + std::to_string(e >> bridge_.resultBit & 1) + at;
    return "(lane & " + std::to_string(1 << bridge_.resultBit) + " ? f1" + at + " : f0" + at + ")";
  }

  void results() {
    std::vector<std::string> elements;
    for (int e = 0; e < 4; ++e) {
      const std::string name = "e" + std::to_string(e);
      line("const " + std::string(sum_.scalar) + " " + name + " = " + element(e) + ";");
      elements.push_back("bits<" + word() + ">(" + name + ")");
    }
    move(bridge_.moveD, elements, "sd");
    for (int r = 0; r < 1 << bridge_.moveD.wordBits; ++r) {
      const std::string value = "bits<" + std::string(sum_.scalar) + ">(" + word() + "(" +
                                received(bridge_.moveD, "sd", r) + "))";
      line("r" + std::to_string(r) + " = " + scaled(value) + ";");
    }
  }

  // The MFMA's numbers may be 2^n times the source's; a bias on both sides adds a
  // constant.
  std::string scaled(std::string value) const {
    const int bits = bridge_.a->scaleBits + bridge_.b->scaleBits;
    if (bridge_.a->biased && bridge_.b->biased)
      value += " + " + std::to_string(128 * 128 * mma_.k);
    if (bits == 0)
      return value;
    if (sum_.scalar == std::string("int"))
      return value + " >> " + std::to_string(bits);
    return value + " * " + std::to_string(1 << -bits) + ".0f";
  }

  const ptx::Mma &mma_;
  const Bridge &bridge_;
  SumType sum_;
  std::vector<std::string> &chunks_;
  std::string out_;
  std::vector<std::string> begun_;
  int named_ = 0;
};

} // namespace

std::string wholeWaveArm(const ptx::Mma &mma, const Bridge &bridge,
                         std::vector<std::string> &chunks) {
  return Writer(mma, bridge, chunks).write();
}

} // namespace layout_port
