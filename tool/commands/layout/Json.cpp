// JSON <-> layouts; see Json.h.
#include "Json.h"

#include "llvm/ADT/Twine.h"

namespace layout_port::wire {

namespace json = llvm::json;
using llvm::StringRef;
using llvm::Twine;

namespace {

Error error(const Twine &message) { return Error{message.str()}; }
Error fieldError(StringRef field, const Twine &message) {
  return error("field '" + field + "': " + message);
}

// Bounds of what is read: more would be no layout, only memory.
constexpr size_t kMaxDims = 64;

Result<uint64_t> naturalNumber(const json::Value &value) {
  if (const std::optional<uint64_t> number = value.getAsUINT64())
    return *number;
  return error("expected a number from 0 to 2^64 - 1");
}

Result<PerDim> naturalNumbers(const json::Value &value) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return error("expected a list of numbers");
  PerDim numbers;
  for (const json::Value &entry : *array) {
    const Result<uint64_t> number = naturalNumber(entry);
    if (!number)
      return number.error();
    numbers.push_back(*number);
  }
  return numbers;
}

Result<std::vector<PerDim>> listsOfNumbers(const json::Value &value) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return error("expected a list of lists of numbers");
  std::vector<PerDim> lists;
  for (const json::Value &entry : *array) {
    Result<PerDim> list = naturalNumbers(entry);
    if (!list)
      return list.error();
    lists.push_back(std::move(*list));
  }
  return lists;
}

// ["name", value] -> its two parts.
struct Pair {
  StringRef name;
  const json::Value *value;
};
Result<Pair> namedPair(const json::Value &entry, StringRef what) {
  const json::Array *array = entry.getAsArray();
  if (!array || array->size() != 2 || !(*array)[0].getAsString())
    return error("expected [name, " + what + "]");
  return Pair{*(*array)[0].getAsString(), &(*array)[1]};
}

Result<const json::Array *> dimList(const json::Object &object, StringRef field) {
  const json::Array *array = object.getArray(field);
  if (!array)
    return error("a layout has a list \"" + field + "\"");
  if (array->size() > kMaxDims)
    return error("more than " + Twine(kMaxDims) + " dims in \"" + field + "\"");
  return array;
}

Result<LinearLayout::NamedBases> basesFromJson(const json::Object &object) {
  const Result<const json::Array *> dims = dimList(object, "bases");
  if (!dims)
    return dims.error();
  LinearLayout::NamedBases bases;
  for (const json::Value &entry : **dims) {
    const Result<Pair> dim = namedPair(entry, "list of bases");
    if (!dim)
      return error("bases: " + dim.error().message);
    Result<std::vector<PerDim>> columns = listsOfNumbers(*dim->value);
    if (!columns)
      return error("bases of '" + dim->name + "': " + columns.error().message);
    bases.emplace_back(dim->name.str(), std::move(*columns));
  }
  return bases;
}

Result<LinearLayout::NamedSizes> outsFromJson(const json::Object &object) {
  const Result<const json::Array *> dims = dimList(object, "out");
  if (!dims)
    return dims.error();
  LinearLayout::NamedSizes outs;
  for (const json::Value &entry : **dims) {
    const Result<Pair> dim = namedPair(entry, "size");
    if (!dim)
      return error("out: " + dim.error().message);
    const Result<uint64_t> size = naturalNumber(*dim->value);
    if (!size)
      return error("size of out-dim '" + dim->name + "': " + size.error().message);
    outs.emplace_back(dim->name.str(), *size);
  }
  return outs;
}

} // namespace

json::Value toJson(uint64_t number) { return json::Value(number); }

json::Value toJson(const LinearLayout::NamedValues &values) {
  json::Object object;
  for (const auto &[name, value] : values)
    object[name] = toJson(value);
  return object;
}

namespace {

// [name, value]. Pushed into reserved space: an initializer list copies its values, and
// so does a growing json::Array.
json::Array pairOf(const std::string &name, json::Value value) {
  json::Array pair;
  pair.reserve(2);
  pair.push_back(name);
  pair.push_back(std::move(value));
  return pair;
}

} // namespace

json::Value toJson(const LinearLayout &layout) {
  json::Array bases, outs;
  bases.reserve(layout.ins().size());
  outs.reserve(layout.outs().size());
  for (const auto &[name, columns] : layout.bases()) {
    json::Array list;
    list.reserve(columns.size());
    for (const LinearLayout::Basis &column : columns)
      list.push_back(json::Array(column));
    bases.push_back(pairOf(name, std::move(list)));
  }
  for (const LayoutDim &dim : layout.outs())
    outs.push_back(
        pairOf(dim.name, dim.bits < 64 ? toJson(dim.size()) : json::Value(18446744073709551616.0)));
  return json::Object{{"bases", std::move(bases)}, {"out", std::move(outs)}};
}

Result<LinearLayout> layoutFromJson(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return error("a layout is {\"bases\": [...], \"out\": [...]}");
  const Result<LinearLayout::NamedBases> bases = basesFromJson(*object);
  if (!bases)
    return bases.error();
  const Result<LinearLayout::NamedSizes> outs = outsFromJson(*object);
  if (!outs)
    return outs.error();
  return LinearLayout::fromBases(*bases, *outs);
}

namespace {

// ---- Encodings ---------------------------------------------------------------

Result<EncodingPtr> parentFromJson(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object || !object->getString("family"))
    return error("expected {\"family\": ..., \"params\": {...}}");
  const json::Value *params = object->get("params");
  Result<Encoding> parent =
      encodingFromJson(*object->getString("family"), params ? *params : json::Value(nullptr));
  if (!parent)
    return parent.error();
  return EncodingPtr(std::make_shared<const Encoding>(std::move(*parent)));
}

Result<uint64_t> fieldFromJson(const json::Value &value, uint64_t) { return naturalNumber(value); }
Result<bool> fieldFromJson(const json::Value &value, bool) {
  if (const std::optional<bool> flag = value.getAsBoolean())
    return *flag;
  return error("expected true or false");
}
Result<PerDim> fieldFromJson(const json::Value &value, const PerDim &) {
  return naturalNumbers(value);
}
Result<std::vector<PerDim>> fieldFromJson(const json::Value &value, const std::vector<PerDim> &) {
  return listsOfNumbers(value);
}
Result<EncodingPtr> fieldFromJson(const json::Value &value, const EncodingPtr &) {
  return parentFromJson(value);
}

// Fills an encoding's parameters from an object, and notes which names there are.
class ParamFiller {
public:
  explicit ParamFiller(const json::Object &object) : object_(object) {}

  template <typename T> void operator()(const char *name, T &field) {
    names_.push_back(name);
    const json::Value *value = object_.get(name);
    if (!value || value->kind() == json::Value::Null || error_)
      return;
    Result<T> read = fieldFromJson(*value, field);
    if (read)
      field = std::move(*read);
    else
      error_ = error("parameter '" + Twine(name) + "': " + read.error().message);
  }

  // The first thing wrong, also names that are none.
  std::optional<Error> problem() const {
    if (error_)
      return error_;
    for (const auto &entry : object_)
      if (!isName(entry.first))
        return error("no parameter '" + StringRef(entry.first) + "'; there are " + listed());
    return std::nullopt;
  }

private:
  bool isName(StringRef text) const {
    // The element width is the tensor's; families whose layout does not depend on it
    // take it and need nothing from it.
    return text == "elementBitWidth" || llvm::is_contained(names_, text);
  }
  std::string listed() const {
    std::string text;
    for (const StringRef name : names_)
      text += (text.empty() ? "" : ", ") + name.str();
    return text;
  }

  const json::Object &object_;
  std::vector<StringRef> names_;
  std::optional<Error> error_;
};

} // namespace

Result<Encoding> encodingFromJson(StringRef family, const json::Value &params) {
  Result<Encoding> encoding = makeEncoding(family.str());
  if (!encoding)
    return encoding.error();
  const json::Object none;
  const json::Object *object = params.getAsObject();
  if (!object && params.kind() != json::Value::Null)
    return error("the parameters of " + family + " are not an object");
  ParamFiller fill(object ? *object : none);
  visitParams(*encoding, fill);
  if (const std::optional<Error> problem = fill.problem())
    return error(family + ": " + problem->message);
  return encoding;
}

// ---- Text --------------------------------------------------------------------

namespace {

// The deepest nesting of brackets outside strings.
int nesting(StringRef text) {
  int depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '[' || c == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!inString && (c == ']' || c == '}'))
      --depth;
  }
  return deepest;
}

} // namespace

Result<json::Value> parse(StringRef text) {
  if (nesting(text) > kMaxNesting)
    return error("nested deeper than " + Twine(kMaxNesting));
  llvm::Expected<json::Value> value = json::parse(text);
  if (value)
    return std::move(*value);
  return error("no JSON: " + llvm::toString(value.takeError()));
}

// ---- Fields ------------------------------------------------------------------

const json::Value *Reader::find(StringRef field) const {
  const json::Value *value = object_.get(field);
  return value && value->kind() != json::Value::Null ? value : nullptr;
}

Result<LinearLayout> Reader::layout(StringRef field) const {
  const json::Value *value = find(field);
  if (!value)
    return fieldError(field, "a layout is needed");
  Result<LinearLayout> layout = layoutFromJson(*value);
  if (!layout)
    return fieldError(field, layout.error().message);
  return layout;
}

Result<std::string> Reader::text(StringRef field) const {
  const json::Value *value = find(field);
  if (!value || !value->getAsString())
    return fieldError(field, "a string is needed");
  return value->getAsString()->str();
}

Result<std::string> Reader::text(StringRef field, StringRef otherwise) const {
  return has(field) ? text(field) : otherwise.str();
}

Result<int64_t> Reader::integer(StringRef field, int64_t low, int64_t high) const {
  const json::Value *value = find(field);
  const std::optional<int64_t> number = value ? value->getAsInteger() : std::nullopt;
  if (!number || *number < low || *number > high)
    return fieldError(field, "an integer from " + Twine(low) + " to " + Twine(high) + " is needed");
  return *number;
}

Result<std::optional<int>> Reader::optionalInteger(StringRef field, int low, int high) const {
  if (!has(field))
    return std::optional<int>();
  const Result<int64_t> number = integer(field, low, high);
  if (!number)
    return number.error();
  return std::optional<int>(static_cast<int>(*number));
}

Result<bool> Reader::flag(StringRef field) const {
  const json::Value *value = find(field);
  if (!value)
    return false;
  if (const std::optional<bool> flag = value->getAsBoolean())
    return *flag;
  return fieldError(field, "true or false is needed");
}

Result<const json::Array *> Reader::array(StringRef field) const {
  const json::Value *value = find(field);
  if (!value || !value->getAsArray())
    return fieldError(field, "a list is needed");
  return value->getAsArray();
}

Result<PerDim> Reader::numbers(StringRef field) const {
  const json::Value *value = find(field);
  if (!value)
    return fieldError(field, "a list of numbers is needed");
  Result<PerDim> numbers = naturalNumbers(*value);
  if (!numbers)
    return fieldError(field, numbers.error().message);
  return numbers;
}

Result<std::vector<std::string>> Reader::texts(StringRef field) const {
  const Result<const json::Array *> entries = array(field);
  if (!entries)
    return entries.error();
  std::vector<std::string> texts;
  for (const json::Value &entry : **entries) {
    if (!entry.getAsString())
      return fieldError(field, "a list of strings is needed");
    texts.push_back(entry.getAsString()->str());
  }
  return texts;
}

Result<isa::Arch> Reader::arch(StringRef field) const {
  const Result<std::string> name = text(field);
  if (!name)
    return name.error();
  return isa::parseArch(*name);
}

} // namespace layout_port::wire
