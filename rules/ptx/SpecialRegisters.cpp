#include "ptx/SpecialRegisters.h"

namespace layout_port::ptx {
namespace {
constexpr SpecialRegister rows[] = {
#define SPECIAL(name, bits, components) {name, bits, components},
#include "ptx/SpecialRegisters.inc"
#undef SPECIAL
};
} // namespace

const SpecialRegister *findSpecialRegister(std::string_view name) {
  if (!name.empty() && name.front() == '%')
    name.remove_prefix(1);
  for (const SpecialRegister &row : rows)
    if (row.name == name)
      return &row;
  return nullptr;
}

} // namespace layout_port::ptx
