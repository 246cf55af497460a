// Which C++ value each operand of a spelling takes, from the types it names.
#include "Spellings.h"

#include "ptx/Types.h"

#include <algorithm>
#include <string_view>

namespace layout_port::ptx {

namespace {

// Classes: r l h f d q are the constraint letters of registers; p a predicate, a an
// address, i an integer written out.
struct Slot {
  char kind = 'r';
  unsigned count = 1; // of a vector's elements; 0 for a scalar
  bool isOutput = false;
  std::string immediate; // of kind i
};

char registerOf(Type type) {
  const TypeInfo &known = info(type);
  const bool isWhole = known.kind == TypeKind::Float && known.lanes == 1;
  switch (known.bits) {
  case 1:
    return 'p';
  case 128:
    return 'q';
  case 64:
    return isWhole ? 'd' : 'l';
  case 32:
    return isWhole && type != Type::TF32 ? 'f' : 'r';
  default:
    return 'h';
  }
}

class Binder {
public:
  explicit Binder(const Spelled &spelled) : spelled_(spelled) {
    std::string_view rest = spelled.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('.'), rest.size());
      words_.push_back(rest.substr(0, end));
      if (const auto type = findType(words_.back()))
        types_.push_back(*type);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  BoundAsm run() {
    for (std::size_t i = 0; i < spelled_.operands.size(); ++i)
      slots_.push_back(slot(i));
    writeOperands();
    return std::move(bound_);
  }

private:
  bool has(std::string_view word) const {
    return std::find(words_.begin(), words_.end(), word) != words_.end();
  }
  bool isOpcode(std::initializer_list<std::string_view> names) const {
    return std::find(names.begin(), names.end(), words_[0]) != names.end();
  }
  Type last() const { return types_.empty() ? Type::U32 : types_.back(); }
  Type first() const { return types_.empty() ? Type::U32 : types_.front(); }
  std::size_t operandCount() const { return spelled_.operands.size(); }
  bool isPolicy(std::size_t i) const { return has("L2::cache_hint") && i + 1 == operandCount(); }

  // Operands that are written: the first, but where that is an address.
  bool isDestination(std::size_t i) const {
    if (i > 0 || spelled_.operands[0] == 'a')
      return false;
    return isReduction() || !isOpcode({"bar", "barrier", "nanosleep", "cp"});
  }
  bool isReduction() const { return isOpcode({"bar", "barrier"}) && has("red"); }

  Slot slot(std::size_t i) const {
    Slot made;
    made.isOutput = isDestination(i);
    if (words_[0] == "mma")
      return fragment(i, made);
    switch (spelled_.operands[i]) {
    case 'a':
      made.kind = 'a';
      return made;
    case 'i':
      made.kind = 'i';
      made.immediate = words_[0] == "lop3" ? "0xEA" : has("wait_group") ? "0" : "16";
      return made;
    case 'p':
    case 'x':
      made.kind = 'p';
      return made;
    case 'v':
      made.count = vectorOf();
      break;
    default:
      break;
    }
    if (const std::string number = numberAt(i); !number.empty()) {
      made.kind = 'i';
      made.immediate = number;
      return made;
    }
    made.kind = isPolicy(i) ? 'l' : kindAt(i, made.isOutput);
    return made;
  }

  unsigned vectorOf() const {
    static constexpr std::pair<std::string_view, unsigned> counts[] = {
        {"v2", 2}, {"v4", 4}, {"v8", 8}, {"x1", 1}, {"x2", 2}, {"x4", 4}};
    for (const auto &[word, count] : counts)
      if (has(word))
        return count;
    return 0;
  }

  // Sources that are written as numbers: barriers, thread counts, byte counts.
  std::string numberAt(std::size_t i) const {
    if (isReduction())
      return i == 1 ? "0" : "";
    if (isOpcode({"bar", "barrier"}))
      return has("warp") ? "0xffffffff" : has("arrive") ? (i == 0 ? "1" : "64") : "0";
    if (isOpcode({"applypriority", "discard"}))
      return "128";
    return "";
  }

  // D, A, B and C of mma: their elements are spread over 32 lanes.
  Slot fragment(std::size_t i, Slot made) const {
    unsigned m = 0, n = 0, k = 0;
    std::sscanf(std::string(words_[3]).c_str(), "m%un%uk%u", &m, &n, &k);
    const unsigned elements[] = {m * n, m * k, k * n, m * n};
    const Type type = types_[i];
    const unsigned blocks = m == 8 && k == 4 && types_[1] == Type::F16 ? 4 : 1;
    const unsigned bits = bitsOf(type) == 64 ? 64 : 32;
    made.kind = type == Type::F64 ? 'd' : type == Type::F32 ? 'f' : 'r';
    made.count = std::max(1u, elements[i] * blocks * bitsOf(type) / bits / 32);
    return made;
  }

  char kindAt(std::size_t i, bool isOutput) const {
    const bool isLast = i + 1 == operandCount();
    if (isOpcode({"cvt"}))
      return has("pack") ? 'r' : registerOf(isOutput ? first() : last());
    if (isOpcode({"cvta", "isspacep"}))
      return isOutput && words_[0] == "isspacep" ? 'p' : types_.empty() ? 'l' : registerOf(last());
    if (isOpcode({"mul", "mad", "madc"}) && has("wide") && (isOutput || i == 3))
      return bitsOf(last()) == 16 ? 'r' : 'l';
    if (isOpcode({"add", "sub", "fma"}) && types_.size() == 2)
      return registerOf(isOutput || isLast ? first() : last());
    if (isOpcode({"set"}))
      return registerOf(isOutput ? first() : last());
    if (isOpcode({"slct"}))
      return registerOf(isLast ? last() : first());
    if (isOpcode({"setp", "testp"}))
      return isOutput ? 'p' : registerOf(last());
    if (isOpcode({"popc", "clz", "bfind"}))
      return isOutput ? 'r' : registerOf(last());
    if (isOpcode({"shl", "shr"}) && isLast)
      return 'r';
    if ((isOpcode({"bfe"}) && i >= 2) || (isOpcode({"bfi"}) && i >= 3))
      return 'r';
    if (isOpcode({"dp4a", "dp2a", "prmt", "lop3", "shf", "ldmatrix", "stmatrix", "movmatrix"}))
      return 'r';
    if (isOpcode({"match"}))
      return i == 1 ? registerOf(last()) : 'r';
    if (isOpcode({"redux"}))
      return isLast ? 'r' : registerOf(last());
    if (isOpcode({"vote"}))
      return isOutput && !has("ballot") ? 'p' : 'r';
    if (isOpcode({"createpolicy"}))
      return isOutput || has("cvt") ? 'l' : has("fractional") ? 'f' : 'r';
    return registerOf(last());
  }

  // C++ text of element n of the array of a class.
  std::string element(char kind) {
    return std::string(1, kind) + "[" + std::to_string(used_++) + "]";
  }

  std::string output(char kind) {
    const std::size_t number = bound_.outputs.size();
    bound_.outputs.push_back(std::string("\"=") + kind + "\"(" + element(kind) + ")");
    return "%" + std::to_string(number);
  }
  std::string input(char kind, const std::string &value) {
    const std::size_t number = outputCount_ + bound_.inputs.size();
    bound_.inputs.push_back(std::string("\"") + kind + "\"(" + value + ")");
    return "%" + std::to_string(number);
  }

  std::string address(std::size_t i) {
    const bool isShared = has("ldmatrix") || has("stmatrix") ||
                          (words_[0] == "cp" ? i == 0 : has("shared") || has("shared::cta"));
    if (!isShared)
      return "[" + input('l', "l + " + std::to_string(32 * used_++)) + "]";
    return "[" + input('r', "(unsigned)__cvta_generic_to_shared(s)") + "]";
  }

  std::string operand(std::size_t i, char letter) {
    const Slot &slot = slots_[i];
    if (slot.kind == 'a')
      return address(i);
    if (slot.kind == 'i')
      return slot.immediate;
    if (slot.kind == 'p')
      return !slot.isOutput ? "p" : letter == 'q' && needsPair() ? "q|p" : "q";
    std::string text;
    for (unsigned e = 0; e < std::max(1u, slot.count); ++e)
      text += (e ? ", " : "") +
              (slot.isOutput ? output(slot.kind) : input(slot.kind, element(slot.kind)));
    if (letter == 'v' && slot.count > 0)
      return "{" + text + "}";
    return letter == 'q' && needsPair() ? text + "|q" : text;
  }

  // Instructions whose second result is a predicate that must be asked for.
  bool needsPair() const {
    const bool comparesTwo = isOpcode({"setp"}) && lanesOf(last()) == 2;
    return isOpcode({"elect", "lop3"}) || has("all") || comparesTwo;
  }

  void writeOperands() {
    bool isGiven = false, isMade = false;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const bool pair = spelled_.operands[i] == 'q' && needsPair();
      isMade |= (slots_[i].kind == 'p' && slots_[i].isOutput) || pair;
      isGiven |= slots_[i].kind == 'p' && !slots_[i].isOutput;
      if (slots_[i].isOutput && slots_[i].kind != 'p')
        outputCount_ += std::max(1u, slots_[i].count);
    }
    outputCount_ += isMade;
    std::string statement = spelled_.text;
    for (std::size_t i = 0; i < slots_.size(); ++i)
      statement += (i ? ", " : " ") + operand(i, spelled_.operands[i]);
    statement += ";";
    if (isGiven || isMade) {
      const std::string after = isMade ? " selp.u32 " + output('r') + ", 1, 0, q;" : "";
      const std::string before =
          isGiven ? "setp.ne.u32 p, " + input('r', element('r')) + ", 0; " : "";
      statement = "{ .reg .pred p, q; " + before + statement + after + " }";
    }
    bound_.text = statement;
  }

  const Spelled &spelled_;
  std::vector<std::string_view> words_;
  std::vector<Type> types_;
  std::vector<Slot> slots_;
  std::size_t outputCount_ = 0;
  unsigned used_ = 0;
  BoundAsm bound_;
};

std::string joined(const std::vector<std::string> &pieces) {
  std::string text;
  for (const std::string &piece : pieces)
    text += (text.empty() ? "" : ", ") + piece;
  return text;
}

} // namespace

BoundAsm bind(const Spelled &spelled) { return Binder(spelled).run(); }

std::string kernelOf(const std::string &name, const BoundAsm &statement) {
  std::string text = "__global__ void " + name +
                     "(unsigned *r, unsigned long long *l, unsigned short *h, float *f, "
                     "double *d, unsigned __int128 *q) {\n";
  const auto isShared = [](const std::string &value) {
    return value.find("__cvta") != std::string::npos;
  };
  if (std::any_of(statement.inputs.begin(), statement.inputs.end(), isShared))
    text += "  __shared__ unsigned long long s[512];\n";
  // A % of a special register is doubled; none occurs in these texts.
  return text + "  asm volatile(\"" + statement.text +
         "\"\n               : " + joined(statement.outputs) +
         "\n               : " + joined(statement.inputs) + "\n               : \"memory\");\n}\n";
}

} // namespace layout_port::ptx
