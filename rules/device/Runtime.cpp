#include "device/Runtime.h"

#include "device/LaneMoves.h"

#include "llvm/ADT/SmallVector.h"

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
    if (llvm::StringRef(it->second->text).trim().empty())
      return true; // only a name for several others
    std::string &text = it->second->isMacros ? macros_ : functions_;
    text += (text.empty() ? "" : "\n") + it->second->text;
    return true;
  }

  const std::string &macros() const { return macros_; }
  const std::string &functions() const { return functions_; }

private:
  std::map<std::string, const RuntimeChunk *> byName_;
  std::set<std::string> seen_;
  std::string macros_, functions_;
};

} // namespace

std::string runtimeText(const std::set<std::string> &names,
                        const std::vector<RuntimeChunk> &made, std::string &unknown) {
  Selection selection(made);
  for (const std::string &name : names)
    if (!selection.add(name, unknown))
      return "";
  std::string text = selection.macros();
  if (!selection.functions().empty())
    text += (text.empty() ? "" : "\n") + ("namespace lp {\n" + selection.functions()) +
            "} // namespace lp\n";
  if (text.empty())
    return "";
  return "// ---- layout-port device runtime: the part this file uses ----\n" + text +
         "// ---- end of the device runtime ----\n";
}

} // namespace layout_port
