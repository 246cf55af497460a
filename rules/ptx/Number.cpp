#include "ptx/Number.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace layout_port::ptx {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int digitValue(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : 99;
}

// The whole of `digits` in `base`; nothing when empty, foreign or above 64 bits.
std::optional<std::uint64_t> digitsOf(std::string_view digits, unsigned base) {
  if (digits.empty())
    return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    const unsigned digit = static_cast<unsigned>(digitValue(c));
    if (digit >= base || value > (UINT64_MAX - digit) / base)
      return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

std::optional<Immediate> floatBits(std::string_view digits, Immediate::Kind kind) {
  const std::size_t width = kind == Immediate::Kind::Float32 ? 8 : 16;
  if (digits.size() != width)
    return std::nullopt;
  const auto bits = digitsOf(digits, 16);
  if (!bits)
    return std::nullopt;
  return Immediate{kind, *bits};
}

std::optional<Immediate> decimalFloat(std::string_view text) {
  const std::string copy(text);
  char *end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size())
    return std::nullopt;
  Immediate result{Immediate::Kind::Float64, 0};
  std::memcpy(&result.bits, &value, sizeof value);
  return result;
}

std::optional<Immediate> integer(std::string_view text) {
  if (text.size() > 1 && lower(text.back()) == 'u')
    text.remove_suffix(1);
  unsigned base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char tag = lower(text[1]);
    base = tag == 'x' ? 16 : tag == 'b' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  const auto value = digitsOf(text, base);
  if (!value)
    return std::nullopt;
  return Immediate{Immediate::Kind::Integer, *value};
}

} // namespace

std::optional<Immediate> parseNumber(std::string_view text) {
  const char tag = text.size() > 2 && text[0] == '0' ? lower(text[1]) : '\0';
  if (tag == 'f')
    return floatBits(text.substr(2), Immediate::Kind::Float32);
  if (tag == 'd')
    return floatBits(text.substr(2), Immediate::Kind::Float64);
  if (tag != 'x' && text.find_first_of(".eE") != std::string_view::npos)
    return decimalFloat(text);
  return integer(text);
}

} // namespace layout_port::ptx
