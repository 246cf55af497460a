// The families by name, and the dispatch to their layouts.
#include "layout_port/layouts/Encodings.h"

#include "encodings/Families.h"
#include "encodings/Tile.h"

namespace layout_port {

namespace {

template <typename Params> struct Family;
#define FAMILY(TYPE, NAME, FUNCTION)                                                               \
  template <> struct Family<TYPE> {                                                                \
    static constexpr const char *name = NAME;                                                      \
    static Result<LinearLayout> layout(const TYPE &e, const PerDim &shape) {                       \
      return encodings::FUNCTION(e, shape);                                                        \
    }                                                                                              \
  };
FAMILY(BlockedEncoding, "blocked", blocked)
FAMILY(SliceEncoding, "slice", slice)
FAMILY(NvidiaMmaEncoding, "nvidia_mma", nvidiaMma)
FAMILY(AmdMfmaEncoding, "amd_mfma", amdMfma)
FAMILY(AmdWmmaEncoding, "amd_wmma", amdWmma)
FAMILY(DotOperandEncoding, "dot_operand", dotOperand)
FAMILY(SwizzledSharedEncoding, "swizzled_shared", swizzledShared)
FAMILY(NvmmaSharedEncoding, "nvmma_shared", nvmmaShared)
FAMILY(AmdRotatingSharedEncoding, "amd_rotating_shared", amdRotatingShared)
FAMILY(PaddedSharedEncoding, "padded_shared", paddedShared)
#undef FAMILY

// A default-made Encoding of every family, in the order of the variant.
template <size_t... I> std::vector<Encoding> allFamilies(std::index_sequence<I...>) {
  using Params = decltype(Encoding::params);
  return {Encoding{Params(std::in_place_index<I>)}...};
}

std::vector<Encoding> allFamilies() {
  return allFamilies(std::make_index_sequence<std::variant_size_v<decltype(Encoding::params)>>());
}

} // namespace

const char *familyName(const Encoding &encoding) {
  return std::visit([](const auto &params) { return Family<std::decay_t<decltype(params)>>::name; },
                    encoding.params);
}

std::vector<std::string> encodingFamilies() {
  std::vector<std::string> names;
  for (const Encoding &encoding : allFamilies())
    names.emplace_back(familyName(encoding));
  return names;
}

Result<Encoding> makeEncoding(const std::string &family) {
  for (const Encoding &encoding : allFamilies())
    if (family == familyName(encoding))
      return encoding;
  return makeError("there is no encoding family '%s'", family.c_str());
}

Result<LinearLayout> toLinearLayout(const Encoding &encoding, const PerDim &shape) {
  if (shape.empty())
    return makeError("the shape is empty");
  if (const Result<bool> good = encodings::checkPowers(shape, shape.size(), "the shape"); !good)
    return good.error();
  return std::visit(
      [&](const auto &params) {
        return Family<std::decay_t<decltype(params)>>::layout(params, shape);
      },
      encoding.params);
}

} // namespace layout_port
