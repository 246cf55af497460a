#include "native/Numbers.h"

using namespace clang;

namespace layout_port::native {

uint64_t fitted(uint64_t value, QualType type, const ASTContext &context) {
  if (!type->isIntegralOrEnumerationType())
    return value;
  const unsigned bits = context.getIntWidth(type);
  if (bits >= 64)
    return value;
  const uint64_t low = value & ((uint64_t(1) << bits) - 1);
  if (type->isSignedIntegerOrEnumerationType() && bits > 1 && low >> (bits - 1))
    return low | ~((uint64_t(1) << bits) - 1);
  return low;
}

std::optional<uint64_t> applyBinary(BinaryOperatorKind op, bool isSigned, uint64_t a, uint64_t b) {
  const int64_t x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  switch (op) {
  case BO_Add:
    return a + b;
  case BO_Sub:
    return a - b;
  case BO_Mul:
    return a * b;
  case BO_Div:
    if (!b)
      return std::nullopt;
    return isSigned ? (y == -1 ? -a : static_cast<uint64_t>(x / y)) : a / b;
  case BO_Rem:
    if (!b)
      return std::nullopt;
    return isSigned ? (y == -1 ? 0 : static_cast<uint64_t>(x % y)) : a % b;
  case BO_Shl:
    return b < 64 ? a << b : 0;
  case BO_Shr:
    return b >= 64 ? 0 : isSigned ? static_cast<uint64_t>(x >> y) : a >> b;
  case BO_And:
    return a & b;
  case BO_Or:
    return a | b;
  case BO_Xor:
    return a ^ b;
  case BO_LT:
    return isSigned ? x < y : a < b;
  case BO_GT:
    return isSigned ? x > y : a > b;
  case BO_LE:
    return isSigned ? x <= y : a <= b;
  case BO_GE:
    return isSigned ? x >= y : a >= b;
  case BO_EQ:
    return a == b;
  case BO_NE:
    return a != b;
  case BO_LAnd:
    return a && b;
  case BO_LOr:
    return a || b;
  default:
    return std::nullopt;
  }
}

uint64_t mixed(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ x >> 33;
}

} // namespace layout_port::native
