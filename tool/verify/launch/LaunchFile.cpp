// See LaunchFile.h. YAML is read with LLVM's parser into a small tree, which is
// then checked: a misspelled key is an error, not a default.
#include "launch/LaunchFile.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/YAMLParser.h>

namespace layout_port::verify {
namespace {

struct Node {
  enum Kind : uint8_t { Scalar, List, Map } kind = Scalar;
  std::string text;
  std::vector<Node> items;                           // List
  std::vector<std::pair<std::string, Node>> members; // Map
  bool plainNull = false;
  const Node *get(llvm::StringRef key) const {
    for (const auto &member : members)
      if (member.first == key)
        return &member.second;
    return nullptr;
  }
};

std::string scalarText(llvm::yaml::Node *node) {
  auto *scalar = llvm::dyn_cast_or_null<llvm::yaml::ScalarNode>(node);
  if (!scalar)
    return {};
  llvm::SmallString<64> storage;
  return scalar->getValue(storage).str();
}

bool build(llvm::yaml::Node *from, Node &to) {
  if (!from)
    return false;
  if (llvm::isa<llvm::yaml::ScalarNode>(from)) {
    to.text = scalarText(from);
    to.plainNull = to.text == "null" || to.text == "~";
    return true;
  }
  if (llvm::isa<llvm::yaml::NullNode>(from)) {
    to.plainNull = true;
    return true;
  }
  if (auto *list = llvm::dyn_cast<llvm::yaml::SequenceNode>(from)) {
    to.kind = Node::List;
    for (llvm::yaml::Node &item : *list) {
      to.items.emplace_back();
      if (!build(&item, to.items.back()))
        return false;
    }
    return true;
  }
  if (auto *map = llvm::dyn_cast<llvm::yaml::MappingNode>(from)) {
    to.kind = Node::Map;
    for (llvm::yaml::KeyValueNode &entry : *map) {
      to.members.emplace_back(scalarText(entry.getKey()), Node());
      if (!build(entry.getValue(), to.members.back().second))
        return false;
    }
    return true;
  }
  return false;
}

using llvm::createStringError;

llvm::Error checkKeys(const Node &node, llvm::StringRef what,
                      std::initializer_list<llvm::StringRef> known) {
  for (const auto &member : node.members)
    if (!llvm::is_contained(known, llvm::StringRef(member.first)))
      return createStringError(what + ": unknown key '" + member.first + "'");
  return llvm::Error::success();
}

template <class T> bool integer(const Node *node, T &value) {
  return node && node->kind == Node::Scalar && !llvm::StringRef(node->text).getAsInteger(0, value);
}

llvm::Error parseBuffer(const Node &node, BufferSpec &buffer) {
  const std::string what = "buffer '" + buffer.name + "'";
  if (node.kind != Node::Map)
    return createStringError(what + ": expected {type: ..., count: ...}");
  if (llvm::Error error = checkKeys(
          node, what, {"type", "count", "init", "out", "below", "file", "alias", "offset"}))
    return error;
  const Node *type = node.get("type");
  if (!type)
    return createStringError(what + ": no type");
  llvm::Expected<ElementType> parsed = parseElementType(type->text);
  if (!parsed)
    return createStringError(what + ": " + llvm::toString(parsed.takeError()));
  buffer.type = *parsed;
  if (!integer(node.get("count"), buffer.count) || buffer.count == 0)
    return createStringError(what + ": count must be a positive number");
  if (buffer.count > (uint64_t(1) << 40))
    return createStringError(what + ": count is too large");
  if (const Node *init = node.get("init")) {
    static const std::pair<const char *, Init> inits[] = {
        {"random", Init::Random}, {"zero", Init::Zero},   {"iota", Init::Iota},
        {"ints", Init::Ints},     {"index", Init::Index}, {"file", Init::File}};
    bool found = false;
    for (const auto &[name, value] : inits)
      if (init->text == name) {
        buffer.init = value;
        found = true;
      }
    if (!found)
      return createStringError(what + ": unknown init '" + init->text + "'");
  }
  if (const Node *out = node.get("out"))
    buffer.out = out->text == "true";
  if (node.get("below") && !integer(node.get("below"), buffer.below))
    return createStringError(what + ": below must be a number");
  if (buffer.init == Init::Index && buffer.below == 0)
    return createStringError(what + ": init index needs below: N");
  if (const Node *file = node.get("file")) {
    buffer.file = file->text;
    buffer.init = Init::File;
  }
  if (const Node *alias = node.get("alias"))
    buffer.alias = alias->text;
  if (node.get("offset") && !integer(node.get("offset"), buffer.offset))
    return createStringError(what + ": offset must be a number");
  return llvm::Error::success();
}

llvm::Error parseArgument(const Node &node, const LaunchFile &file, ArgumentSpec &argument) {
  if (node.plainNull) {
    argument.kind = ArgumentSpec::Null;
    return llvm::Error::success();
  }
  if (node.kind == Node::Scalar) {
    argument.kind = ArgumentSpec::Buffer;
    argument.buffer = node.text;
    if (!file.find(node.text))
      return createStringError("argument '" + node.text +
                               "' is no buffer (write a scalar as {i32: 1})");
    return llvm::Error::success();
  }
  if (node.kind != Node::Map || node.members.empty())
    return createStringError("an argument is a buffer's name or {type: value}");
  if (const Node *buffer = node.get("buffer")) {
    argument.kind = ArgumentSpec::Buffer;
    argument.buffer = buffer->text;
    if (!file.find(buffer->text))
      return createStringError("argument '" + buffer->text + "' is no buffer");
    if (node.get("offset") && !integer(node.get("offset"), argument.offset))
      return createStringError("offset must be a number");
    return llvm::Error::success();
  }
  const auto &[key, value] = node.members.front();
  if (key == "bytes") {
    argument.kind = ArgumentSpec::Bytes;
    std::string bytes;
    if (!llvm::tryGetFromHex(value.text, bytes))
      return createStringError("bytes must be hexadecimal digits");
    argument.bytes.assign(bytes.begin(), bytes.end());
    return llvm::Error::success();
  }
  if (key == "struct") {
    argument.kind = ArgumentSpec::Struct;
    if (value.kind != Node::List || value.items.empty())
      return createStringError("struct is a list of its members, written like arguments");
    for (const Node &item : value.items) {
      argument.members.emplace_back();
      if (llvm::Error error = parseArgument(item, file, argument.members.back()))
        return error;
    }
    return llvm::Error::success();
  }
  llvm::Expected<ElementType> type = parseElementType(key);
  if (!type)
    return type.takeError();
  argument.type = *type;
  if (type->isFloat()) {
    if (llvm::StringRef(value.text).getAsDouble(argument.number))
      return createStringError("'" + value.text + "' is not a number");
    return llvm::Error::success();
  }
  int64_t number = 0;
  if (llvm::StringRef(value.text).getAsInteger(0, number) &&
      llvm::StringRef(value.text).getAsInteger(0, argument.integer))
    return createStringError("'" + value.text + "' is not a whole number");
  if (number)
    argument.integer = uint64_t(number);
  return llvm::Error::success();
}

llvm::Error parseAxes(const Node *node, llvm::StringRef what, std::array<uint32_t, 3> &axes) {
  if (!node)
    return createStringError("no " + what);
  if (node->kind == Node::Scalar && integer(node, axes[0]))
    return llvm::Error::success();
  if (node->kind != Node::List || node->items.empty() || node->items.size() > 3)
    return createStringError(what + " is a list of one to three numbers");
  for (size_t i = 0; i < node->items.size(); ++i)
    if (!integer(&node->items[i], axes[i]))
      return createStringError(what + ": '" + node->items[i].text + "' is not a number");
  return llvm::Error::success();
}

llvm::Error parseLaunch(const Node &node, const LaunchFile &file, LaunchSpec &launch) {
  if (node.kind != Node::Map)
    return createStringError("a launch is {kernel: ..., grid: ..., block: ..., args: [...]}");
  if (llvm::Error error = checkKeys(
          node, "launch", {"kernel", "kernel_hip", "grid", "block", "block_hip", "shared", "args"}))
    return error;
  const Node *kernel = node.get("kernel");
  if (!kernel || kernel->text.empty())
    return createStringError("a launch names no kernel");
  launch.kernel = kernel->text;
  const Node *hip = node.get("kernel_hip");
  launch.kernelHip = hip ? hip->text : launch.kernel;
  if (llvm::Error error = parseAxes(node.get("grid"), "grid", launch.grid))
    return error;
  if (llvm::Error error = parseAxes(node.get("block"), "block", launch.block))
    return error;
  if (const Node *padded = node.get("block_hip")) {
    launch.blockHip = {1, 1, 1};
    if (llvm::Error error = parseAxes(padded, "block_hip", launch.blockHip))
      return error;
  }
  if (node.get("shared") && !integer(node.get("shared"), launch.shared))
    return createStringError("shared must be a number of bytes");
  if (const Node *args = node.get("args"))
    for (const Node &item : args->items) {
      launch.args.emplace_back();
      if (llvm::Error error = parseArgument(item, file, launch.args.back()))
        return error;
    }
  return llvm::Error::success();
}

llvm::Error fill(const Node &root, LaunchFile &file) {
  if (root.kind != Node::Map)
    return createStringError("expected buffers: and launches:");
  if (llvm::Error error = checkKeys(root, "launch file", {"buffers", "launches"}))
    return error;
  if (const Node *buffers = root.get("buffers"))
    for (const auto &[name, node] : buffers->members) {
      file.buffers.emplace_back();
      file.buffers.back().name = name;
      if (llvm::Error error = parseBuffer(node, file.buffers.back()))
        return error;
    }
  for (const BufferSpec &buffer : file.buffers) {
    if (buffer.alias.empty())
      continue;
    const BufferSpec *target = file.find(buffer.alias);
    if (!target || !target->alias.empty())
      return createStringError("buffer '" + buffer.name + "': alias '" + buffer.alias +
                               "' is no buffer of its own");
    if (buffer.offset + buffer.bytes() > target->bytes())
      return createStringError("buffer '" + buffer.name + "' is larger than its alias");
  }
  const Node *launches = root.get("launches");
  if (!launches || launches->items.empty())
    return createStringError("no launches");
  for (const Node &node : launches->items) {
    file.launches.emplace_back();
    if (llvm::Error error = parseLaunch(node, file, file.launches.back()))
      return error;
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<ElementType> parseElementType(llvm::StringRef name) {
  static const ElementType types[] = {
      {"f16", FloatFormat::F16, 2, true},   {"bf16", FloatFormat::BF16, 2, true},
      {"f32", FloatFormat::F32, 4, true},   {"f64", FloatFormat::F64, 8, true},
      {"e4m3", FloatFormat::E4M3, 1, true}, {"e5m2", FloatFormat::E5M2, 1, true},
      {"i8", FloatFormat::None, 1, true},   {"u8", FloatFormat::None, 1, false},
      {"i16", FloatFormat::None, 2, true},  {"u16", FloatFormat::None, 2, false},
      {"i32", FloatFormat::None, 4, true},  {"u32", FloatFormat::None, 4, false},
      {"i64", FloatFormat::None, 8, true},  {"u64", FloatFormat::None, 8, false}};
  for (const ElementType &type : types)
    if (name == type.name)
      return type;
  return createStringError("unknown type '" + name + "'");
}

const BufferSpec *LaunchFile::find(llvm::StringRef name) const {
  for (const BufferSpec &buffer : buffers)
    if (buffer.name == name)
      return &buffer;
  return nullptr;
}

llvm::Expected<LaunchFile> parseLaunchFile(llvm::StringRef text, llvm::StringRef name) {
  llvm::SourceMgr sources;
  std::string message;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *context) {
        auto &out = *static_cast<std::string *>(context);
        if (out.empty())
          out = "line " + std::to_string(diagnostic.getLineNo()) + ": " +
                diagnostic.getMessage().str();
      },
      &message);
  llvm::yaml::Stream stream(text, sources);
  auto document = stream.begin();
  Node root;
  const bool built = document != stream.end() && build(document->getRoot(), root);
  if (!built || stream.failed() || !message.empty())
    return createStringError(name + ": " + (message.empty() ? "is empty" : message));
  LaunchFile file;
  if (llvm::Error error = fill(root, file))
    return createStringError(name + ": " + llvm::toString(std::move(error)));
  return file;
}

std::array<uint32_t, 3> paddedBlock(std::array<uint32_t, 3> block) {
  if (block[0] % 64 == 32 && block[1] == 1 && block[2] == 1)
    block[0] += 32;
  return block;
}

llvm::Expected<LaunchFile> readLaunchFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError("cannot read " + path + ": " + buffer.getError().message());
  return parseLaunchFile((*buffer)->getBuffer(), path);
}

} // namespace layout_port::verify
