// The types that stand among an instruction's modifiers (.f32, .b16, .e4m3x2).
#pragma once

#include <optional>
#include <string_view>

namespace layout_port::ptx {

enum class Type {
#define TYPE(name, spelling, kind, bits, lanes) name,
#include "ptx/Types.inc"
#undef TYPE
};

enum class TypeKind { Predicate, Bits, Unsigned, Signed, Float };

struct TypeInfo {
  Type type;
  std::string_view spelling;
  TypeKind kind;
  unsigned bits;  // of the whole value
  unsigned lanes; // elements packed in it
};

const TypeInfo &info(Type type);
std::optional<Type> findType(std::string_view spelling);

inline std::string_view spell(Type type) { return info(type).spelling; }
inline unsigned bitsOf(Type type) { return info(type).bits; }
inline unsigned lanesOf(Type type) { return info(type).lanes; }
inline bool isFloat(Type type) { return info(type).kind == TypeKind::Float; }
inline bool isInteger(Type type) {
  return info(type).kind == TypeKind::Unsigned || info(type).kind == TypeKind::Signed;
}
inline bool isSigned(Type type) { return info(type).kind == TypeKind::Signed; }

// The type of one packed element: F16x2 → F16.
Type elementOf(Type type);

} // namespace layout_port::ptx
