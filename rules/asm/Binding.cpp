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

const AsmOperand *Binding::bound(const Operand &operand) const {
  if (!operand.is(Operand::Kind::AsmOperand))
    return nullptr;
  if (operand.index >= 0)
    return statement_.operand(operand.index);
  for (size_t i = 0; i < statement_.operandCount(); ++i)
    if (statement_.operand(i)->name == operand.name)
      return statement_.operand(i);
  return nullptr;
}

char Binding::constraint(const Operand &operand) const {
  const AsmOperand *bound = this->bound(operand);
  if (!bound)
    return 0;
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

// A byte offset must not be scaled by the type of a pointer.
Outcome<std::string> Binding::address(const Operand &operand) const {
  if (!operand.is(Operand::Kind::Address) || operand.elements.size() != 1 || !operand.extra.empty())
    return Problem{operand.span.begin, "an address that is not one register and an offset", ""};
  Outcome<std::string> base = text(operand.elements[0]);
  if (!base || operand.offset == 0)
    return base;
  const bool wide = held(operand.elements[0]) == Type::U64;
  const bool down = operand.offset < 0;
  return std::string(wide ? "(unsigned long long)" : "") + "(" + *base + ")" +
         (down ? " - " : " + ") + std::to_string(down ? -operand.offset : operand.offset);
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

// (unsigned)x, (unsigned)(x + 1)
std::string cast(Type type, const std::string &text, bool plain) {
  return "(" + variableType(type).str() + ")" + (plain ? text : "(" + text + ")");
}

} // namespace

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
  switch (constraint(operand)) {
  case 'h':
    return Type::U16;
  case 'r':
  case 'n':
    return Type::U32;
  case 'l':
    return Type::U64;
  case 'f':
    return Type::F32;
  case 'd':
    return Type::F64;
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
    return cast(type, *plain, isPlainName(bound(operand)->expression));
  if (operand.is(Operand::Kind::AsmOperand) && !isFloat)
    return converted(cast(*from, *plain, isPlainName(bound(operand)->expression)), *from, type);
  if (ptx::bitsOf(*from) != ptx::bitsOf(type) && (isFloat || toFloat))
    return converted(converted(*plain, *from, bitsType(*from)), bitsType(*from), type);
  return converted(*plain, *from, type);
}

Outcome<std::string> Binding::argument(const Operand &operand, Type type) const {
  const char letter = constraint(operand);
  const bool toFloat = type == Type::F32 || type == Type::F64;
  if (operand.is(Operand::Kind::AsmOperand) && !toFloat && type != Type::Pred &&
      (letter == 'r' || letter == 'h' || letter == 'n'))
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
  if (toFloat != isFloat)
    return *to + " = " + converted(value, type, *into);
  return *to + " = " + value;
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
