#include "asm/Lowering.h"

#include "ptx/decode/Common.h"
#include "source/Edits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace layout_port {

using ptx::Operand;
using ptx::Outcome;
using ptx::Problem;
using ptx::Type;

std::optional<size_t> Binding::number(const Operand &operand) const {
  if (!operand.is(Operand::Kind::AsmOperand))
    return std::nullopt;
  if (operand.index >= 0)
    return operand.index;
  for (size_t i = 0; i < statement_.operandCount(); ++i)
    if (statement_.operand(i)->name == operand.name)
      return i;
  return std::nullopt;
}

const AsmOperand *Binding::bound(const Operand &operand) const {
  const std::optional<size_t> n = number(operand);
  return n ? statement_.operand(*n) : nullptr;
}

bool Binding::isCrossed(const Operand &operand) const {
  const std::optional<size_t> n = number(operand);
  return n && crossed.count(*n);
}

char Binding::constraint(const Operand &operand) const {
  const AsmOperand *bound = this->bound(operand);
  return bound ? constraint(*bound) : 0;
}

char Binding::constraint(const AsmOperand &operand) const {
  const AsmOperand *bound = &operand;
  llvm::StringRef letters = llvm::StringRef(bound->constraint).ltrim("=+&");
  size_t output = 0; // an input tied to an output is bound as that is
  if (!letters.getAsInteger(10, output) && output < statement_.outputs.size())
    letters = statement_.outputs[output].constraint;
  for (const AsmOperand &named : statement_.outputs)
    if (letters.starts_with("[") && named.name == letters.trim("[]"))
      letters = named.constraint;
  return letters.empty() ? 0 : letters.back();
}

// An operand that begins or ends like a comma expression would split as arguments.
static bool needsParentheses(llvm::StringRef expression) {
  int depth = 0;
  for (const char c : expression) {
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (c == ',' && depth == 0)
      return true;
  }
  return false;
}

Outcome<std::string> Binding::text(const Operand &operand) const {
  switch (operand.kind) {
  case Operand::Kind::AsmOperand: {
    const AsmOperand *bound = this->bound(operand);
    if (!bound)
      return Problem{operand.span.begin, "an operand that the asm statement does not bind", ""};
    for (size_t i = 0; i < names_.size(); ++i)
      if (!names_[i].empty() && statement_.operand(i) == bound)
        return names_[i];
    const std::string quote = sourceRange(bound->begin, bound->end);
    return needsParentheses(bound->expression) ? "(" + quote + ")" : quote;
  }
  case Operand::Kind::Register:
    return registerVariable(operand.name);
  case Operand::Kind::Immediate:
    if (operand.immediate.kind == ptx::Immediate::Kind::Integer)
      return std::to_string(static_cast<int64_t>(operand.immediate.bits));
    return Problem{operand.span.begin, "a floating-point constant inside the PTX", ""};
  case Operand::Kind::Special: {
    bool isWide = false;
    return special(operand, isWide);
  }
  default:
    return Problem{operand.span.begin, "an operand of a kind that is not ported here", ""};
  }
}

Outcome<std::string> Binding::list(const std::vector<const Operand *> &operands) const {
  std::string joined;
  for (const Operand *operand : operands) {
    Outcome<std::string> one = text(*operand);
    if (!one)
      return one;
    joined += (joined.empty() ? "" : ", ") + *one;
  }
  return joined;
}

// A byte offset must not be scaled by the type of a pointer. It may be a number known
// here, or a constant bound to "n": [%0 + %1].
Outcome<std::string> Binding::address(const Operand &operand) const {
  const std::vector<Operand> &sum = operand.elements;
  const bool named = sum.size() == 2 && constraint(sum[1]) == 'n' && !sum[1].negated;
  if (!operand.is(Operand::Kind::Address) || sum.empty() || sum.size() > (named ? 2u : 1u) ||
      sum[0].negated || !operand.extra.empty())
    return Problem{operand.span.begin, "an address that is not one register and an offset", ""};
  const Outcome<std::string> base = text(sum[0]);
  if (!base || (operand.offset == 0 && !named))
    return base;
  const bool wide = held(sum[0]) == Type::U64;
  const bool down = operand.offset < 0;
  std::string at = (wide ? "(unsigned long long)(" : "(") + *base + ")";
  if (named) {
    const Outcome<std::string> offset = text(sum[1]);
    if (!offset)
      return offset;
    at += " + " + atom(sum[1], *offset);
  }
  if (operand.offset != 0)
    at += (down ? " - " : " + ") + std::to_string(down ? -operand.offset : operand.offset);
  return at;
}

std::string registerVariable(llvm::StringRef name) {
  std::string variable = "ptx_";
  for (const char c : name)
    variable += c == '%' ? "r_" : c == '$' ? "s_" : std::string(1, c);
  return variable;
}

llvm::StringRef variableType(Type type) {
  switch (type) {
  case Type::Pred:
    return "bool";
  case Type::B8:
  case Type::U8:
    return "unsigned char";
  case Type::S8:
    return "signed char";
  case Type::S16:
    return "short";
  case Type::S32:
    return "int";
  case Type::S64:
    return "long long";
  case Type::F32:
    return "float";
  case Type::F64:
    return "double";
  default:
    switch (ptx::bitsOf(type)) {
    case 16:
      return "unsigned short";
    case 32:
      return "unsigned";
    case 64:
      return "unsigned long long";
    }
    return "";
  }
}

namespace {

// Of one size: integers (bits) stand as the unsigned type.
Type bitsType(Type type) {
  switch (ptx::bitsOf(type)) {
  case 16:
    return Type::U16;
  case 64:
    return Type::U64;
  default:
    return ptx::bitsOf(type) < 16 ? Type::U16 : Type::U32;
  }
}

// 1.5f, or the bits where no literal says them.
std::string literal(const ptx::Immediate &number, Type type) {
  double value = static_cast<double>(static_cast<int64_t>(number.bits));
  if (number.kind == ptx::Immediate::Kind::Float32) {
    float single = 0;
    const auto bits = static_cast<uint32_t>(number.bits);
    std::memcpy(&single, &bits, sizeof single);
    value = static_cast<double>(single);
  } else if (number.kind == ptx::Immediate::Kind::Float64) {
    std::memcpy(&value, &number.bits, sizeof value);
  }
  if (std::isnan(value) || std::isinf(value))
    return std::string(std::signbit(value) ? "-" : "") +
           (std::isnan(value) ? "__builtin_nanf(\"\")" : "__builtin_inff()");
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  std::string written = text;
  if (written.find_first_of(".e") == std::string::npos)
    written += ".0";
  return written + (type == Type::F32 ? "f" : "");
}

std::string unsignedLiteral(uint64_t bits, Type type) {
  const unsigned width = ptx::bitsOf(type);
  if (width < 64)
    bits &= (uint64_t(1) << width) - 1;
  const std::string number =
      bits < 1024 ? std::to_string(bits) : "0x" + llvm::utohexstr(bits, true);
  return number + (width == 64 ? "ull" : "u");
}

bool isPlainName(llvm::StringRef text) {
  return text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         llvm::StringRef::npos;
}

// Behind an operand of an expression: the bracket's other end.
size_t closing(llvm::StringRef text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
    depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
    if (depth == 0)
      return i + 1;
  }
  return llvm::StringRef::npos;
}

// static_cast<float>, reinterpret_cast<const uint32_t &>
size_t castEnd(llvm::StringRef text) {
  int depth = 0;
  for (size_t i = text.find('<'); i < text.size(); ++i) {
    depth += text[i] == '<';
    depth -= text[i] == '>';
    if (depth == 0)
      return i + 1;
  }
  return llvm::StringRef::npos;
}

// (unsigned *): no expression ends like that.
bool isPointerCast(llvm::StringRef group) {
  const llvm::StringRef inner = group.drop_back().rtrim();
  return inner.ends_with("*") || inner.ends_with("&");
}

bool isWordChar(char c) { return llvm::isAlnum(c) || c == '_'; }

// c ? a : b is written in parentheses where it is assigned to.
bool isConditional(llvm::StringRef text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '?')
      return true;
    if (text[i] == '(' || text[i] == '[')
      i = std::min(closing(text, i), text.size()) - 1;
  }
  return false;
}

// Binds more tightly than any binary operator: *p, v.x, a[i + 1], f(x), (float)n, 1.5f.
// What this does not know is no atom.
bool isAtom(llvm::StringRef text) {
  text = text.trim().ltrim("*&");
  while (!text.empty()) {
    size_t end = 0;
    if (isWordChar(text[0])) {
      const bool number = llvm::isDigit(text[0]);
      while (end < text.size() && (isWordChar(text[end]) || (number && text[end] == '.')))
        ++end;
      if (text.take_front(end).ends_with("_cast"))
        end = castEnd(text);
    } else if (text[0] == '(' || text[0] == '[') {
      end = closing(text, 0);
      if (isPointerCast(text.take_front(end)))
        end += text.drop_front(end).size() - text.drop_front(end).ltrim(" *&").size();
    } else if (text.starts_with("->") || text.starts_with("::")) {
      end = 2;
    } else if (text[0] == '.') {
      end = 1;
    }
    if (end == 0 || end == llvm::StringRef::npos)
      return false;
    text = text.drop_front(end).ltrim();
  }
  return true;
}

// (unsigned)x, (unsigned)(x + 1)
std::string cast(Type type, const std::string &text, bool plain) {
  return "(" + variableType(type).str() + ")" + (plain ? text : "(" + text + ")");
}

} // namespace

bool Binding::isPlain(const Operand &operand) const {
  const size_t n = number(operand).value_or(0);
  if (n < names_.size() && !names_[n].empty())
    return true;
  const std::string &expression = bound(operand)->expression;
  return isPlainName(expression) && !parameters.count(expression);
}

std::string Binding::atom(const Operand &operand, const std::string &text) const {
  const AsmOperand *bound = this->bound(operand);
  if (!bound || text != sourceRange(bound->begin, bound->end))
    return text; // renamed, or in parentheses already
  return isAtom(bound->expression) && !parameters.count(bound->expression) ? text
                                                                           : "(" + text + ")";
}

void Binding::rename(size_t index, const std::string &name) {
  names_.resize(std::max(names_.size(), index + 1));
  names_[index] = name;
}

std::optional<Type> Binding::held(const Operand &operand) const {
  if (operand.is(Operand::Kind::Register)) {
    for (const auto &[name, type] : registers_)
      if (operand.name == name)
        return ptx::findType(type);
    return std::nullopt;
  }
  if (operand.is(Operand::Kind::Special)) {
    bool isWide = false;
    (void)special(operand, isWide);
    return isWide ? Type::U64 : Type::U32;
  }
  const std::optional<size_t> n = number(operand);
  return n ? typeOf(*n) : std::nullopt;
}

// PTX registers have no type but their size: "r"(x) takes a float's bits.
std::optional<Type> Binding::typeOf(size_t index) const {
  const AsmOperand *operand = statement_.operand(index);
  const bool other = crossed.count(index);
  switch (operand ? constraint(*operand) : 0) {
  case 'h':
    return other ? std::nullopt : std::optional<Type>(Type::U16);
  case 'r':
    return other ? Type::F32 : Type::U32;
  case 'n':
    return Type::U32;
  case 'l':
    return other ? Type::F64 : Type::U64;
  case 'f':
    return other ? Type::U32 : Type::F32;
  case 'd':
    return other ? Type::U64 : Type::F64;
  }
  return std::nullopt;
}

Outcome<std::string> Binding::special(const Operand &operand, bool &isWide) const {
  const llvm::StringRef name = llvm::StringRef(operand.name).ltrim('%');
  struct Row {
    const char *name, *text, *chunk;
    bool wide;
  };
  static constexpr Row rows[] = {
      {"tid", "threadIdx", "", false},
      {"ntid", "blockDim", "", false},
      {"ctaid", "blockIdx", "", false},
      {"nctaid", "gridDim", "", false},
      {"laneid", "lp::laneid()", "laneid", false},
      {"warpid", "lp::warpid()", "warpid", false},
      {"nwarpid", "lp::nwarpid()", "warpid", false},
      {"lanemask_eq", "lp::lanemask_eq()", "lanemask", false},
      {"lanemask_lt", "lp::lanemask_lt()", "lanemask", false},
      {"lanemask_le", "lp::lanemask_le()", "lanemask", false},
      {"lanemask_gt", "lp::lanemask_gt()", "lanemask", false},
      {"lanemask_ge", "lp::lanemask_ge()", "lanemask", false},
      {"clock", "(unsigned)__builtin_readcyclecounter()", "", false},
      {"clock_hi", "(unsigned)(__builtin_readcyclecounter() >> 32)", "", false},
      {"clock64", "__builtin_readcyclecounter()", "", true},
      {"globaltimer", "lp::globaltimer()", "globaltimer", true},
      {"globaltimer_lo", "(unsigned)lp::globaltimer()", "globaltimer", false},
      {"globaltimer_hi", "(unsigned)(lp::globaltimer() >> 32)", "globaltimer", false},
  };
  for (const Row &row : rows) {
    if (name != row.name)
      continue;
    isWide = row.wide;
    if (*row.chunk)
      needs_.insert(row.chunk);
    const llvm::StringRef text = row.text;
    if (!text.ends_with(")"))
      return (text + "." + (operand.component.empty() ? "x" : operand.component)).str();
    return text.str();
  }
  return Problem{operand.span.begin,
                 "AMD has no counterpart of the special register %" + name.str(), ""};
}

std::string Binding::converted(const std::string &text, Type from, Type to) const {
  if (variableType(from) == variableType(to))
    return text;
  const bool same = ptx::bitsOf(from) == ptx::bitsOf(to);
  const bool isFloat = from == Type::F32 || from == Type::F64,
             toFloat = to == Type::F32 || to == Type::F64;
  if (same && (isFloat || toFloat)) {
    needs_.insert("bits");
    return "lp::bits<" + variableType(to).str() + ">(" + text + ")";
  }
  return cast(to, text, isPlainName(text));
}

Outcome<std::string> Binding::value(const Operand &operand, Type type) const {
  if (operand.is(Operand::Kind::Vector) && operand.elements.size() == 1)
    return value(operand.elements[0], type);
  if (operand.is(Operand::Kind::Immediate)) {
    if (type == Type::F32 || type == Type::F64)
      return literal(operand.immediate, type);
    if (operand.immediate.kind != ptx::Immediate::Kind::Integer && ptx::isFloat(type))
      return Problem{operand.span.begin, "a floating-point constant of 16 bits inside the PTX", ""};
    if (ptx::isSigned(type)) {
      const unsigned spare = 64 - ptx::bitsOf(type);
      const int64_t number = static_cast<int64_t>(operand.immediate.bits << spare) >> spare;
      if (number > -65536 && number < 65536)
        return std::to_string(number);
      return "(" + variableType(type).str() + ")" + unsignedLiteral(operand.immediate.bits, type);
    }
    return unsignedLiteral(operand.immediate.bits, type);
  }
  const Outcome<std::string> plain = text(operand);
  if (!plain)
    return plain;
  if (type == Type::Pred)
    return (operand.negated ? "!" : "") + *plain;
  const std::optional<Type> from = held(operand);
  if (!from)
    return Problem{operand.span.begin, "an operand whose type is not known", ""};
  // What "r", "l" and "h" bind may be any integer (or a pointer): make it one.
  const bool isFloat = *from == Type::F32 || *from == Type::F64;
  const bool toFloat = type == Type::F32 || type == Type::F64;
  if (operand.is(Operand::Kind::AsmOperand) && !isFloat && !toFloat)
    return cast(type, *plain, isPlain(operand));
  if (operand.is(Operand::Kind::AsmOperand) && !isFloat)
    return converted(cast(*from, *plain, isPlain(operand)), *from, type);
  if (ptx::bitsOf(*from) != ptx::bitsOf(type) && (isFloat || toFloat))
    return converted(converted(*plain, *from, bitsType(*from)), bitsType(*from), type);
  return converted(atom(operand, *plain), *from, type);
}

Outcome<std::string> Binding::argument(const Operand &operand, Type type) const {
  const char letter = constraint(operand);
  const bool toFloat = type == Type::F32 || type == Type::F64;
  if (operand.is(Operand::Kind::AsmOperand) && !toFloat && type != Type::Pred &&
      (letter == 'r' || letter == 'h' || letter == 'n') && !isCrossed(operand))
    return text(operand);
  if (operand.is(Operand::Kind::AsmOperand) && toFloat && held(operand) == type)
    return text(operand);
  return value(operand, type);
}

Outcome<std::string> Binding::assign(const Operand &operand, Type type,
                                     const std::string &value) const {
  if (operand.is(Operand::Kind::Sink))
    return "(void)(" + value + ")";
  if (operand.is(Operand::Kind::Vector) && operand.elements.size() == 1)
    return assign(operand.elements[0], type, value);
  const Outcome<std::string> to = text(operand);
  if (!to)
    return to;
  const std::optional<Type> into = held(operand);
  if (!into)
    return Problem{operand.span.begin, "a destination whose type is not known", ""};
  const bool toFloat = *into == Type::F32 || *into == Type::F64;
  const bool isFloat = type == Type::F32 || type == Type::F64;
  if (toFloat != isFloat && ptx::bitsOf(*into) != ptx::bitsOf(type))
    return Problem{operand.span.begin, "a destination of another size", ""};
  const AsmOperand *bound = this->bound(operand);
  const std::string left = bound && isConditional(bound->expression) ? atom(operand, *to) : *to;
  if (toFloat != isFloat)
    return left + " = " + converted(value, type, *into);
  return left + " = " + value;
}

std::optional<std::int64_t> Binding::constant(const Operand &operand) const {
  if (const auto number = ptx::integerOf(operand))
    return number;
  const AsmOperand *bound = this->bound(operand);
  int64_t number = 0;
  if (bound && !llvm::StringRef(bound->expression).trim().rtrim("uUlL").getAsInteger(0, number))
    return number;
  return std::nullopt;
}

} // namespace layout_port
