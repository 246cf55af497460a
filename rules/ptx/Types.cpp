#include "ptx/Types.h"

namespace layout_port::ptx {
namespace {
constexpr TypeInfo rows[] = {
#define TYPE(name, spelling, kind, bits, lanes) {Type::name, spelling, TypeKind::kind, bits, lanes},
#include "ptx/Types.inc"
#undef TYPE
};
} // namespace

const TypeInfo &info(Type type) { return rows[static_cast<int>(type)]; }

std::optional<Type> findType(std::string_view spelling) {
  for (const TypeInfo &row : rows)
    if (row.spelling == spelling)
      return row.type;
  return std::nullopt;
}

Type elementOf(Type type) {
  const std::string_view whole = spell(type);
  if (lanesOf(type) == 1)
    return type;
  // "f16x2" less its "x2"; an element that is no type of its own stays whole.
  return findType(whole.substr(0, whole.size() - 2)).value_or(type);
}

} // namespace layout_port::ptx
