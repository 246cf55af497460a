// `layout-port layout convert|banks|swizzle|retile|cute`: the ops of serve, asked from
// the command line and answered in lines of text, or with --json as serve answers.
#include "Commands.h"
#include "Ops.h"
#include "PlanText.h"

#include "layout_port/layouts/Convert.h"
#include "layout_port/layouts/Draw.h"
#include "layout_port/layouts/TileSwizzle.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace layout_port::layout_command {

namespace json = llvm::json;
using llvm::StringRef;

int usageError(const Error &error) {
  llvm::errs() << "layout-port layout: " << error.message << "\n";
  return 2;
}

int noAnswer(const Error &error) {
  llvm::errs() << "layout-port layout: " << error.message << "\n";
  return 1;
}

Result<bool> writeFile(const std::string &path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code, llvm::sys::fs::OF_Text);
  file << text;
  file.close();
  if (!code)
    code = file.error();
  file.clear_error();
  if (code)
    return makeError("%s: %s", path.c_str(), code.message().c_str());
  return true;
}

namespace {

// "name: value", a line a step for lists of texts.
void printLines(const json::Value &result) {
  const json::Object *object = result.getAsObject();
  if (!object) {
    if (const std::optional<StringRef> text = result.getAsString())
      llvm::outs() << *text << "\n";
    else
      llvm::outs() << llvm::formatv("{0:2}", result) << "\n";
    return;
  }
  std::vector<StringRef> names;
  for (const auto &entry : *object)
    names.push_back(entry.first);
  llvm::sort(names);
  for (const StringRef name : names) {
    const json::Value &value = *object->get(name);
    const json::Array *list = value.getAsArray();
    if (list && !list->empty() && list->front().getAsString()) {
      llvm::outs() << name << ":\n";
      for (const json::Value &line : *list)
        llvm::outs() << "  " << line.getAsString().value_or("") << "\n";
    } else if (const std::optional<StringRef> text = value.getAsString())
      llvm::outs() << name << ": " << *text << "\n";
    else
      llvm::outs() << name << ": " << value << "\n";
  }
}

int ask(StringRef op, const json::Object &request, bool asJson) {
  const serve::Answer answer = serve::findOp(op)->run(wire::Reader(request));
  if (!answer)
    return noAnswer(answer.error());
  if (asJson)
    llvm::outs() << *answer << "\n";
  else
    printLines(*answer);
  return 0;
}

// Options that are numbers go into the request under their field's name.
std::optional<Error> addNumbers(const Options &options, json::Object &request,
                                llvm::ArrayRef<std::pair<const char *, const char *>> fields) {
  for (const auto &[option, field] : fields) {
    if (!options.has(option))
      continue;
    int64_t number;
    if (StringRef(options.value(option)).getAsInteger(10, number))
      return makeError("--%s takes a number", option);
    request[field] = number;
  }
  return std::nullopt;
}

// SRC DST --arch A --bits N
struct Pair {
  LinearLayout src, dst;
  json::Object request;
};
Result<Pair> pairOf(const Options &options) {
  const std::string arch = options.value("arch", "gfx942");
  Pair pair;
  LinearLayout *const sides[] = {&pair.src, &pair.dst};
  const char *const fields[] = {"src", "dst"};
  for (int i = 0; i < 2; ++i) {
    Result<LinearLayout> layout = layoutNamed(options.words()[i], "", arch, 0);
    if (!layout)
      return makeError("%s: %s", options.words()[i].c_str(), layout.error().message.c_str());
    *sides[i] = std::move(*layout);
    pair.request[fields[i]] = wire::toJson(*sides[i]);
  }
  pair.request["arch"] = arch;
  pair.request["bits"] = 32;
  return pair;
}

void printHip(const Pair &pair) {
  const wire::Reader request(pair.request);
  const Result<isa::Arch> arch = request.arch();
  const Result<int64_t> bits = request.integer("bits", 1, 64);
  if (!arch || !bits)
    return;
  const Result<ConversionPlan> plan =
      planConversion(pair.src, pair.dst, static_cast<int>(*bits), *arch);
  if (!plan)
    return;
  const Result<std::string> text = hipText(*plan);
  llvm::outs() << "\n" << (text ? *text : "no HIP text: " + text.error().message + "\n");
}

} // namespace

int convert(llvm::ArrayRef<const char *> args) {
  constexpr Option table[] = {{"arch", 1}, {"bits", 1}, {"json", 0}};
  const Result<Options> options = Options::parse(args, table);
  if (!options)
    return usageError(options.error());
  if (options->words().size() != 2)
    return usageError(Error{"convert takes SRC and DST"});
  Result<Pair> pair = pairOf(*options);
  if (!pair)
    return noAnswer(pair.error());
  if (const std::optional<Error> error = addNumbers(*options, pair->request, {{"bits", "bits"}}))
    return usageError(*error);
  const int code = ask("convert", pair->request, options->has("json"));
  if (code == 0 && !options->has("json"))
    printHip(*pair);
  return code;
}

namespace {

// Lane -> byte address, from a CuTe layout in elements or from a list of bytes.
Result<json::Array> addressesOf(const Options &options) {
  const std::string &word = options.words()[0];
  if (!StringRef(word).contains(':')) {
    const Result<std::vector<int64_t>> list = numberList("addresses", word);
    if (!list)
      return list.error();
    return json::Array(*list);
  }
  const Result<cute::Function> function = cute::parseFunction(word);
  if (!function)
    return function.error();
  int64_t bytes;
  if (StringRef(options.value("element-bytes", "1")).getAsInteger(10, bytes) || bytes < 1 ||
      bytes > 16)
    return makeError("--element-bytes takes a number from 1 to 16");
  json::Array addresses;
  for (int lane = 0; lane < 64; ++lane) {
    const Result<int64_t> offset = function->apply(lane);
    if (!offset)
      return offset.error();
    addresses.push_back(*offset * bytes);
  }
  return addresses;
}

} // namespace

int banks(llvm::ArrayRef<const char *> args) {
  constexpr Option table[] = {{"arch", 1}, {"instr", 1}, {"element-bytes", 1}, {"json", 0}};
  const Result<Options> options = Options::parse(args, table);
  if (!options)
    return usageError(options.error());
  if (options->words().size() != 1 || !options->has("instr"))
    return usageError(Error{"banks takes ADDRESSES (0,64,... or CuTe) and --instr"});
  Result<json::Array> addresses = addressesOf(*options);
  if (!addresses)
    return noAnswer(addresses.error());
  return ask("banks",
             json::Object{{"arch", options->value("arch", "gfx942")},
                          {"instr", options->value("instr")},
                          {"addresses", std::move(*addresses)}},
             options->has("json"));
}

namespace {

// Banks of each vector of the tile, for the picture.
draw::NumberGrid bankGrid(const std::string &caption, const SwizzleTile &tile,
                          const std::vector<int64_t> &offsets) {
  draw::NumberGrid grid{caption, {}};
  for (int64_t row = 0; row < tile.rows; ++row) {
    grid.rows.emplace_back();
    for (int64_t col = 0; col + tile.vector <= tile.cols; col += tile.vector)
      grid.rows.back().push_back(
          static_cast<int>(offsets[row * tile.stride + col] / tile.vector % tile.bankUnits));
  }
  return grid;
}

std::string bankPicture(const SwizzleTile &tile, const TileSwizzle &found) {
  std::vector<int64_t> plain(found.offsets.size());
  for (size_t i = 0; i < plain.size(); ++i)
    plain[i] = static_cast<int64_t>(i);
  const auto caption = [](const std::string &name, const TilePasses &passes) {
    return name + ": a column takes " + std::to_string(passes.columns) +
           (passes.columns == 1 ? " pass" : " passes");
  };
  const std::string after =
      found.swizzle ? found.swizzle->toString() : std::string(toString(found.kind));
  return draw::svg({bankGrid(caption("as it is", found.before), tile, plain),
                    bankGrid(caption(after, found.after), tile, found.offsets)},
                   "Bank units: tile " + std::to_string(tile.rows) + "x" +
                       std::to_string(tile.cols) + ", vectors of " + std::to_string(tile.vector),
                   "number and colour: which of the " + std::to_string(tile.bankUnits) +
                       " units serves this vector; one unit serves one vector a pass",
                   static_cast<int>(tile.bankUnits));
}

int tileSwizzle(const Options &options) {
  json::Object request{{"vector", 1}};
  const std::pair<const char *, const char *> fields[] = {{"rows", "rows"},
                                                          {"cols", "cols"},
                                                          {"stride", "stride"},
                                                          {"vector", "vector"},
                                                          {"bank-units", "bank_units"}};
  if (!options.has("stride") && options.has("cols"))
    request["stride"] = 0;
  if (const std::optional<Error> error = addNumbers(options, request, fields))
    return usageError(*error);
  if (!options.has("stride"))
    request["stride"] = request.getInteger("cols").value_or(0);
  if (!options.has("svg"))
    return ask("tile_swizzle", request, options.has("json"));
  const SwizzleTile tile{
      request.getInteger("rows").value_or(0), request.getInteger("cols").value_or(0),
      request.getInteger("stride").value_or(0), request.getInteger("vector").value_or(0),
      request.getInteger("bank_units").value_or(0)};
  const Result<TileSwizzle> found = solveTileSwizzle(tile);
  if (!found)
    return noAnswer(found.error());
  const Result<bool> written = writeFile(options.value("svg"), bankPicture(tile, *found));
  return written ? 0 : noAnswer(written.error());
}

} // namespace

int swizzle(llvm::ArrayRef<const char *> args) {
  constexpr Option table[] = {{"arch", 1},
                              {"bits", 1},
                              {"write-vector-bits", 1},
                              {"read-vector-bits", 1},
                              {"rows", 1},
                              {"cols", 1},
                              {"stride", 1},
                              {"vector", 1},
                              {"bank-units", 1},
                              {"svg", 1},
                              {"json", 0}};
  const Result<Options> options = Options::parse(args, table);
  if (!options)
    return usageError(options.error());
  if (options->words().empty())
    return tileSwizzle(*options);
  if (options->words().size() != 2)
    return usageError(Error{"swizzle takes SRC and DST, or --rows --cols --bank-units"});
  Result<Pair> pair = pairOf(*options);
  if (!pair)
    return noAnswer(pair.error());
  if (const std::optional<Error> error = addNumbers(*options, pair->request,
                                                    {{"bits", "bits"},
                                                     {"write-vector-bits", "write_vector_bits"},
                                                     {"read-vector-bits", "read_vector_bits"}}))
    return usageError(*error);
  return ask("swizzle", pair->request, options->has("json"));
}

namespace {

json::Array names(const std::string &list) {
  json::Array array;
  llvm::SmallVector<StringRef> parts;
  StringRef(list).split(parts, ',', -1, false);
  for (const StringRef part : parts)
    array.push_back(part.trim());
  return array;
}

std::string joined(const json::Array *list) {
  std::string text;
  for (const json::Value &entry : *list)
    text += (text.empty() ? "" : " ") + entry.getAsString().value_or("").str();
  return text;
}

// One solution a line: what it uses and which bits go where.
void printSolution(const json::Object &solution) {
  const json::Object *bits = solution.getObject("assignment");
  llvm::outs() << llvm::formatv(
      "{0,8:F1}  {1}{2}  m: {3} | n: {4} | k: {5} | loops: {6}\n",
      solution.getNumber("cost").value_or(0), solution.getString("instruction").value_or(""),
      solution.getBoolean("swap").value_or(false) ? " (operands swapped)" : "",
      joined(bits->getArray("m")), joined(bits->getArray("n")), joined(bits->getArray("k")),
      joined(bits->getArray("loops")));
}

} // namespace

int retile(llvm::ArrayRef<const char *> args) {
  constexpr Option table[] = {{"arch", 1}, {"n", 1},   {"m", 1},   {"k", 1},
                              {"pair", 1}, {"top", 1}, {"json", 0}};
  const Result<Options> options = Options::parse(args, table);
  if (!options)
    return usageError(options.error());
  size_t top;
  if (options->words().size() != 1 || StringRef(options->value("top", "10")).getAsInteger(10, top))
    return usageError(Error{"retile takes one MMA, and --top a number"});
  const json::Object request{{"mma", options->words()[0]},
                             {"arch", options->value("arch", "gfx942")},
                             {"spare", json::Object{{"n", names(options->value("n"))},
                                                    {"m", names(options->value("m"))},
                                                    {"k", names(options->value("k"))},
                                                    {"pair", options->value("pair", "n")}}}};
  if (options->has("json"))
    return ask("retile", request, true);
  const serve::Answer answer = serve::findOp("retile")->run(wire::Reader(request));
  if (!answer)
    return noAnswer(answer.error());
  const json::Array &solutions = *answer->getAsArray();
  llvm::outs() << solutions.size() << " solutions; cost in clocks, best first\n";
  for (const json::Value &solution :
       llvm::ArrayRef(solutions.data(), solutions.size()).take_front(top))
    printSolution(*solution.getAsObject());
  return 0;
}

int cute(llvm::ArrayRef<const char *> args) {
  const Result<Options> options = Options::parse(args, {});
  if (!options)
    return usageError(options.error());
  if (options->words().size() != 1)
    return usageError(Error{"cute takes one expression"});
  const Result<std::string> value = cute::evaluate(options->words()[0]);
  if (!value)
    return noAnswer(value.error());
  llvm::outs() << *value << "\n";
  return 0;
}

} // namespace layout_port::layout_command
