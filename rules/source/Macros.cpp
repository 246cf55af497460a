#include "source/Macros.h"

#include "llvm/Support/Path.h"

using namespace clang;

namespace layout_port {

// The macro that a #define directive defines; empty for any other directive.
static llvm::StringRef definedName(const TokenStream &tokens, const Directive &d) {
  return d.name == "define" && d.firstToken + 2 < d.lastToken ? tokens.spelling(d.firstToken + 2)
                                                              : "";
}

bool isHeaderInput(const Program &program) {
  if (program.files.empty())
    return false;
  const llvm::StringRef extension = llvm::sys::path::extension(program.file(0).path);
  return extension.starts_with(".h") || extension == ".cuh" || extension == ".inc";
}

MacroUses::MacroUses(const Program &program) : inputIsHeader_(isHeaderInput(program)) {
  std::map<std::string, std::set<std::string>> bodies; // macro -> identifiers in its bodies
  std::vector<std::string> reached;
  for (const auto &file : program.files) {
    const TokenStream &tokens = file->tokens;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != tok::raw_identifier)
        continue;
      const llvm::StringRef macro =
          tokens[i].directive < 0 ? ""
                                  : definedName(tokens, tokens.directives()[tokens[i].directive]);
      if (macro.empty())
        reached.push_back(tokens.spelling(i).str());
      else
        bodies[macro.str()].insert(tokens.spelling(i).str());
    }
  }
  while (!reached.empty()) {
    const std::string name = std::move(reached.back());
    reached.pop_back();
    const auto body = bodies.find(name);
    if (!used_.insert(name).second || body == bodies.end())
      continue;
    reached.insert(reached.end(), body->second.begin(), body->second.end());
  }
}

bool MacroUses::isInUnusedMacro(const SourceFile &file, size_t i) const {
  const TokenStream &tokens = file.tokens;
  if (inputIsHeader_ || tokens[i].directive < 0)
    return false;
  const llvm::StringRef macro = definedName(tokens, tokens.directives()[tokens[i].directive]);
  return !macro.empty() && !used_.count(macro.str());
}

} // namespace layout_port
