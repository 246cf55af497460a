// serve: CuTe's layout algebra, and swizzles for tiles.
#include "Ops.h"

#include "layout_port/layouts/Cute.h"
#include "layout_port/layouts/TileSwizzle.h"

namespace layout_port::serve {

namespace json = llvm::json;
using wire::Reader;

namespace {

// Arguments are strings; an integer may also stand as itself.
Result<std::vector<std::string>> arguments(const Reader &request) {
  const Result<const json::Array *> list = request.array("args");
  if (!list)
    return list.error();
  std::vector<std::string> args;
  for (const json::Value &entry : **list)
    if (const std::optional<llvm::StringRef> text = entry.getAsString())
      args.push_back(text->str());
    else if (const std::optional<int64_t> number = entry.getAsInteger())
      args.push_back(std::to_string(*number));
    else
      return Error{"field 'args': strings or integers"};
  return args;
}

Answer evaluate(const Reader &request) {
  const Result<std::string> function = request.text("fn");
  if (!function)
    return function.error();
  const Result<std::vector<std::string>> args = arguments(request);
  if (!args)
    return args.error();
  const Result<std::string> value = cute::evaluate(*function, *args);
  if (!value)
    return value.error();
  int64_t number;
  if (!llvm::StringRef(*value).getAsInteger(10, number))
    return json::Value(number);
  return json::Value(*value);
}

// [B, M, S]. What CuTe forbids by static_assert (|S| < B) is a function all the same,
// and whether it is linear can be asked.
Result<cute::Swizzle> swizzleOf(const json::Value &value) {
  const json::Array *parts = value.getAsArray();
  if (!parts || parts->size() != 3)
    return Error{"field 'swizzle': [B, M, S] or null"};
  int numbers[3];
  for (int i = 0; i < 3; ++i) {
    const std::optional<int64_t> number = (*parts)[i].getAsInteger();
    if (!number || *number < (i < 2 ? 0 : -31) || *number > 31)
      return Error{"field 'swizzle': B and M from 0 to 31, S from -31 to 31"};
    numbers[i] = static_cast<int>(*number);
  }
  const cute::Swizzle swizzle{numbers[0], numbers[1], numbers[2]};
  if (swizzle.bits + swizzle.base + std::abs(swizzle.shift) > 31)
    return Error{"field 'swizzle': B + M + |S| is more than 31"};
  return swizzle;
}

Answer cuteToLinear(const Reader &request) {
  const Result<std::string> text = request.text("layout");
  if (!text)
    return text.error();
  Result<cute::Function> function = cute::parseFunction(*text);
  if (!function)
    return function.error();
  if (const json::Value *value = request.find("swizzle")) {
    const Result<cute::Swizzle> swizzle = swizzleOf(*value);
    if (!swizzle)
      return swizzle.error();
    function = cute::Function(cute::Composed{*swizzle, 0, *function});
  }
  return answer(cute::cuteToLinear(*function));
}

Result<SwizzleTile> tileOf(const Reader &request) {
  SwizzleTile tile;
  const std::pair<const char *, int64_t *> fields[] = {{"rows", &tile.rows},
                                                       {"cols", &tile.cols},
                                                       {"stride", &tile.stride},
                                                       {"vector", &tile.vector},
                                                       {"bank_units", &tile.bankUnits}};
  for (const auto &[name, field] : fields) {
    const Result<int64_t> number = request.integer(name, 1, int64_t(1) << 30);
    if (!number)
      return number.error();
    *field = *number;
  }
  return tile;
}

Answer tileSwizzle(const Reader &request) {
  const Result<SwizzleTile> tile = tileOf(request);
  if (!tile)
    return tile.error();
  const Result<TileSwizzle> found = solveTileSwizzle(*tile);
  if (!found)
    return found.error();
  return json::Value(json::Object{
      {"offsets", json::Array(found->offsets)},
      {"kind", toString(found->kind)},
      {"cute", found->cute ? json::Value(found->cute->toString()) : json::Value(nullptr)},
      {"formula", found->formula},
      {"passes", found->after.columns}});
}

constexpr Op ops[] = {
    {"cute", evaluate},
    {"cute_to_linear", cuteToLinear},
    {"tile_swizzle", tileSwizzle},
};

} // namespace

llvm::ArrayRef<Op> cuteOps() { return ops; }

} // namespace layout_port::serve
