// The loop of `layout-port layout serve`; the operations are in *Ops.cpp.
#include "Serve.h"

#include "Ops.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace layout_port::serve {

namespace json = llvm::json;
using llvm::StringRef;

const Op *findOp(StringRef name) {
  for (const llvm::ArrayRef<Op> ops : {algebraOps(), hardwareOps(), solverOps(), cuteOps()})
    for (const Op &op : ops)
      if (name == op.name)
        return &op;
  return nullptr;
}

namespace {

std::string print(json::Value answer) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream.SetBufferSize(1 << 16); // answers of retile are long
  stream << answer;
  stream.flush();
  return text;
}

std::string errorAnswer(json::Value id, StringRef message) {
  return print(
      json::Object{{"id", std::move(id)}, {"ok", false}, {"error", json::fixUTF8(message)}});
}

// An id is echoed if it can be printed again: 1e999 is read as infinity, which JSON
// cannot say.
bool isPrintable(const json::Value &value) {
  if (const json::Array *array = value.getAsArray())
    return llvm::all_of(*array, isPrintable);
  if (const json::Object *object = value.getAsObject())
    return llvm::all_of(*object, [](const auto &entry) { return isPrintable(entry.second); });
  const std::optional<double> number = value.getAsNumber();
  return !number || std::isfinite(*number);
}

json::Value idOf(const json::Object &request) {
  const json::Value *id = request.get("id");
  return id && isPrintable(*id) ? *id : json::Value(nullptr);
}

Answer runOp(const wire::Reader &request) {
  const Result<std::string> name = request.text("op");
  if (!name)
    return name.error();
  const Op *op = findOp(*name);
  if (!op)
    return makeError("unknown op '%.64s'", name->c_str());
  return op->run(request);
}

} // namespace

std::string answerLine(StringRef line) {
  const Result<json::Value> parsed = wire::parse(line);
  if (!parsed)
    return errorAnswer(nullptr, parsed.error().message);
  const json::Object *request = parsed->getAsObject();
  if (!request)
    return errorAnswer(nullptr, "a request is an object: {\"id\": 1, \"op\": ..., ...}");
  Answer answer = runOp(wire::Reader(*request));
  if (!answer)
    return errorAnswer(idOf(*request), answer.error().message);
  return print(json::Object{{"id", idOf(*request)}, {"ok", true}, {"result", std::move(*answer)}});
}

namespace {

// Reads up to the next line break. False at the end of the input. What is beyond
// kMaxLine is skipped, and `tooLong` says so.
bool readLine(std::FILE *in, std::string &line, bool &tooLong) {
  line.clear();
  tooLong = false;
  int c;
  while ((c = getc_unlocked(in)) != EOF && c != '\n')
    if (line.size() < kMaxLine)
      line.push_back(static_cast<char>(c));
    else
      tooLong = true;
  return c != EOF || !line.empty();
}

} // namespace

void run(std::FILE *in, std::FILE *out) {
  std::string line;
  bool tooLong;
  while (readLine(in, line, tooLong)) {
    std::string answer =
        tooLong ? errorAnswer(nullptr, "a line of more than 16 MiB") : answerLine(line);
    answer.push_back('\n');
    if (std::fwrite(answer.data(), 1, answer.size(), out) != answer.size() || std::fflush(out))
      return; // nobody listens
  }
}

} // namespace layout_port::serve
