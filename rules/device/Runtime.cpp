#include "device/Runtime.h"

#include "device/LaneMoves.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace layout_port {

static const char *const runtimeHeaders[] = {
#include "runtime.h.inc"
    ,
#include "warp.h.inc"
    ,
#include "wmma.h.inc"
    ,
#include "groups.h.inc"
    ,
#include "async.h.inc"
    ,
#include "arith.h.inc"
    ,
#include "intrinsics.h.inc"
};

static RuntimeChunk parseHeading(llvm::StringRef line) {
  RuntimeChunk chunk;
  const auto [name, needs] = line.split(':');
  chunk.name = name.trim().str();
  chunk.isMacros = llvm::StringRef(chunk.name).ends_with("!");
  if (chunk.isMacros)
    chunk.name.pop_back();
  llvm::SmallVector<llvm::StringRef, 4> words;
  needs.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef word : words)
    chunk.needs.push_back(word.trim().str());
  return chunk;
}

std::vector<RuntimeChunk> parseRuntime(llvm::StringRef header) {
  std::vector<RuntimeChunk> chunks;
  while (!header.empty()) {
    llvm::StringRef line;
    std::tie(line, header) = header.split('\n');
    if (line.consume_front("//#"))
      chunks.push_back(parseHeading(line));
    else if (!chunks.empty())
      chunks.back().text += line.str() + "\n";
  }
  for (RuntimeChunk &chunk : chunks)
    chunk.text = llvm::StringRef(chunk.text).trim('\n').str() + "\n";
  return chunks;
}

const std::vector<RuntimeChunk> &deviceRuntime() {
  static const std::vector<RuntimeChunk> chunks = [] {
    std::vector<RuntimeChunk> all = laneMoveChunks();
    for (const char *header : runtimeHeaders)
      for (RuntimeChunk &chunk : parseRuntime(header))
        all.push_back(std::move(chunk));
    return all;
  }();
  return chunks;
}

static bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_'; }

static bool hasWord(llvm::StringRef text, llvm::StringRef name) {
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1))
    if ((at == 0 || !isWordPart(text[at - 1])) &&
        (at + name.size() == text.size() || !isWordPart(text[at + name.size()])))
      return true;
  return false;
}

namespace {

// Depth-first through `needs`, so that what is needed stands first.
class Selection {
public:
  explicit Selection(const std::vector<RuntimeChunk> &made) {
    for (const RuntimeChunk &chunk : deviceRuntime())
      byName_[chunk.name] = &chunk;
    for (const RuntimeChunk &chunk : made)
      byName_[chunk.name] = &chunk;
  }

  bool add(const std::string &name, std::string &unknown) {
    if (!seen_.insert(name).second)
      return true;
    const auto it = byName_.find(name);
    if (it == byName_.end()) {
      unknown = name;
      return false;
    }
    for (const std::string &need : it->second->needs)
      if (!add(need, unknown))
        return false;
    for (const char *type :
         {"words2", "words4", "float4x", "float16x", "double4x", "int4x", "int16x"})
      if (uses(it->second->text, type) && !add(type, unknown))
        return false;
    if (llvm::StringRef(it->second->text).trim().empty())
      return true; // only a name for several others
    (it->second->isMacros ? macros_ : functions_).push_back(*it->second);
    return true;
  }

  std::vector<RuntimeChunk> chunks() const {
    std::vector<RuntimeChunk> all = macros_;
    all.insert(all.end(), functions_.begin(), functions_.end());
    return all;
  }

private:
  // The text names a type that it does not define.
  static bool uses(llvm::StringRef text, llvm::StringRef type) {
    return !text.contains((" " + type + " __attribute__").str()) &&
           hasWord(text, type);
  }

  std::map<std::string, const RuntimeChunk *> byName_;
  std::set<std::string> seen_;
  std::vector<RuntimeChunk> macros_, functions_;
};

} // namespace

std::vector<RuntimeChunk> runtimeChunks(const std::set<std::string> &names,
                                        const std::vector<RuntimeChunk> &made,
                                        std::string &unknown) {
  Selection selection(made);
  for (const std::string &name : names)
    if (!selection.add(name, unknown))
      return {};
  return selection.chunks();
}

std::vector<std::string> runtimeIncludes(const std::vector<RuntimeChunk> &chunks) {
  static constexpr struct {
    const char *type, *header;
  } types[] = {{"__half", "hip/hip_fp16.h"},
               {"__half2", "hip/hip_fp16.h"},
               {"__hip_bfloat16", "hip/hip_bf16.h"},
               {"__hip_bfloat162", "hip/hip_bf16.h"}};
  std::vector<std::string> headers;
  for (const auto &[type, header] : types)
    if (!llvm::is_contained(headers, header) &&
        llvm::any_of(chunks, [type = type](const RuntimeChunk &chunk) {
          return hasWord(chunk.text, type);
        }))
      headers.push_back(header);
  return headers;
}

static constexpr llvm::StringLiteral openNamespace = "namespace lp {\n";
static constexpr llvm::StringLiteral closeNamespace = "} // namespace lp\n";

// "//# ballot_sync: ballot", as runtime.h has it.
static std::string heading(const RuntimeChunk &chunk) {
  std::string line = "//# " + chunk.name + (chunk.isMacros ? "!:" : ":");
  for (const std::string &need : chunk.needs)
    line += " " + need;
  return line + "\n";
}

// Macros, then functions in their namespace.
static std::string chunkText(const std::vector<RuntimeChunk> &chunks, bool headings) {
  std::string macros, functions;
  for (const RuntimeChunk &chunk : chunks) {
    std::string &text = chunk.isMacros ? macros : functions;
    text += (text.empty() ? "" : "\n") + (headings ? heading(chunk) : "") + chunk.text;
  }
  if (!functions.empty())
    functions = (openNamespace + functions + closeNamespace).str();
  return macros + (macros.empty() || functions.empty() ? "" : "\n") + functions;
}

std::string runtimeText(const std::vector<RuntimeChunk> &chunks) {
  if (chunks.empty())
    return "";
  return "// ---- layout-port device runtime: the part this file uses ----\n" +
         chunkText(chunks, /*headings=*/false) + "// ---- end of the device runtime ----\n";
}

std::string runtimeHeaderText(const std::vector<RuntimeChunk> &chunks) {
  std::string text = "// The layout-port device runtime: the part that ported files beside it use.\n"
                     "// Further ports add to it.\n"
                     "#pragma once\n#include <hip/hip_runtime.h>\n";
  for (const std::string &header : runtimeIncludes(chunks))
    text += "#include <" + header + ">\n";
  return text + "\n" + chunkText(chunks, /*headings=*/true);
}

// The chunks of a header that runtimeHeaderText wrote.
static std::vector<RuntimeChunk> readRuntimeHeader(llvm::StringRef header) {
  std::string text;
  for (const llvm::StringRef line : llvm::split(header, '\n'))
    if (line != openNamespace.rtrim() && line != closeNamespace.rtrim())
      text += line.str() + "\n";
  return parseRuntime(text);
}

std::string mergeRuntimeHeaders(llvm::StringRef a, llvm::StringRef b) {
  std::vector<RuntimeChunk> chunks = readRuntimeHeader(a);
  std::set<std::string> known;
  for (const RuntimeChunk &chunk : chunks)
    known.insert(chunk.name);
  for (const RuntimeChunk &chunk : readRuntimeHeader(b))
    if (known.insert(chunk.name).second)
      chunks.push_back(chunk);
  return runtimeHeaderText(chunks);
}

} // namespace layout_port
