#include "native/Leftovers.h"

#include "source/Edits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace layout_port::native {

namespace {

bool isOfWord(char c) { return llvm::isAlnum(c) || c == '_'; }

// Behind the bracket that closes the one at `open`; none where nothing does.
size_t behindBracket(llvm::StringRef text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += llvm::StringRef("([{").contains(text[i]);
    depth -= llvm::StringRef(")]}").contains(text[i]);
    if (depth == 0)
      return i + 1;
  }
  return text.npos;
}

// Mentions in one scope: of the text, or of a lambda in it, which may declare the name.
class Scope {
public:
  Scope(llvm::StringRef text, llvm::StringRef name) : text_(text), name_(name) {}

  // `isBody`: statements, which may declare it.
  bool mentionsFreely(size_t begin, size_t end, bool isBody, bool isBound) const {
    for (size_t i = begin; i < end;) {
      if (text_.substr(i).starts_with("[&")) {
        const auto behind = behindLambda(i, end, isBound);
        if (!behind)
          return true;
        i = *behind;
      } else if (isName(i)) {
        isBound = isBound || (isBody && isDeclared(begin, i));
        if (!isBound)
          return true;
        i += name_.size();
      } else {
        ++i;
      }
    }
    return false;
  }

private:
  bool isName(size_t at) const {
    const size_t end = at + name_.size();
    return text_.substr(at).starts_with(name_) && (at == 0 || !isOfWord(text_[at - 1])) &&
           (end >= text_.size() || !isOfWord(text_[end]));
  }

  // A type from the statement's beginning on, the name, perhaps an extent, and its value.
  bool isDeclared(size_t begin, size_t at) const {
    const llvm::StringRef before = text_.slice(begin, at);
    const size_t last = before.find_last_of(";{}");
    const llvm::StringRef type = before.drop_front(last == before.npos ? 0 : last + 1).trim();
    const bool isType = !type.empty() && type != "return" && llvm::all_of(type, [](char c) {
      return isOfWord(c) || llvm::StringRef(":<>*& ").contains(c);
    });
    llvm::StringRef behind = text_.drop_front(at + name_.size()).ltrim();
    if (behind.consume_front("["))
      behind = behind.drop_front(behind.find(']') + 1).ltrim(); // npos + 1 is 0
    return isType && behind.starts_with("= ");
  }

  // Of `[..](..) {..}` or `[..](..) -> T {..}`, where it does not mention the name freely.
  std::optional<size_t> behindLambda(size_t at, size_t end, bool isBound) const {
    size_t ends[3];
    const char *const opens[] = {"[", "(", "{"};
    size_t begin = at;
    for (int part = 0; part < 3; ++part) {
      at = text_.find_first_not_of(" \n", at);
      if (part == 2 && text_.substr(at).starts_with("->"))
        at = text_.find('{', at);
      if (at >= end || !text_.substr(at).starts_with(opens[part]))
        return std::nullopt; // only a part of it stands here
      if (part == 0)
        begin = at;
      at = ends[part] = behindBracket(text_, at);
      if (at == text_.npos)
        return std::nullopt;
    }
    if (mentionsFreely(begin + 1, ends[0], false, isBound))
      return std::nullopt;
    for (size_t i = ends[0]; i < ends[1]; ++i)
      isBound = isBound || isName(i); // a parameter
    const size_t body = text_.find('{', ends[1]) + 1;
    return mentionsFreely(body, ends[2], true, isBound) ? std::nullopt : std::optional(ends[2]);
  }

  const llvm::StringRef text_, name_;
};

// Does the text say a word that no lambda in it declares for itself?
bool mentionsFreely(llvm::StringRef text, llvm::StringRef name) {
  return Scope(text, name).mentionsFreely(0, text.size(), false, false);
}

class Leftovers {
public:
  Leftovers(const Program &program, const NativePort &port) : program_(program), port_(port) {
    for (const Site &site : port.sites)
      for (const Edit &edit : site.edits) {
        const llvm::StringRef source = program.file(edit.file).text();
        texts_.push_back(
            {{edit.file, edit.offset, edit.offset + edit.length}, plainText(edit.text, source)});
        if (edit.length)
          gone_.push_back(texts_.back().place);
      }
  }

  std::vector<Site> remove(std::vector<Kernel::Local> locals, std::vector<Epilogue::Step> steps) {
    steps_ = std::move(steps);
    std::vector<Site> sites;
    for (bool again = true; again;) {
      again = false;
      for (Kernel::Local &local : locals)
        // What stands in another that goes, as in a lambda, may be copied with it.
        if (local.statement.end && !isGone(local.statement) && isLeftOver(local)) {
          sites.push_back(removal(local));
          addSteps(local, sites.back());
          gone_.push_back(local.statement);
          local.statement = {};
          again = true;
        }
    }
    return sites;
  }

private:
  struct Text {
    TextRange place;
    std::string text;
  };

  bool isGone(const TextRange &at) const {
    return llvm::any_of(gone_, [&](const TextRange &range) { return range.contains(at); });
  }
  // In a body that is run for another lane, which declares the name.
  bool isRebound(const TextRange &at, llvm::StringRef name) const {
    return llvm::any_of(port_.rebound, [&](const NativePort::Rebound &body) {
      return body.range.contains(at) && body.names.count(name.str());
    });
  }

  // p += n;  moves on what nobody reads.
  bool isStep(const Kernel::Local &local, const TextRange &at, llvm::StringRef name) const {
    return llvm::any_of(steps_, [&](const Epilogue::Step &step) {
      return step.name == name && step.statement.contains(at) &&
             local.scope.contains(step.statement);
    });
  }
  void addSteps(const Kernel::Local &local, Site &site) {
    for (const Epilogue::Step &step : steps_)
      if (llvm::is_contained(local.names, step.name) && local.scope.contains(step.statement) &&
          !isGone(step.statement)) {
        const TextRange gone = linesOf(step.statement);
        site.edits.push_back({gone.file, gone.begin, gone.end - gone.begin, ""});
        gone_.push_back(step.statement);
      }
  }

  bool isLeftOver(const Kernel::Local &local) const {
    return llvm::all_of(local.names,
                        [&](const std::string &name) { return isLeftOver(local, name); });
  }
  bool isLeftOver(const Kernel::Local &local, const std::string &name) const {
    const TokenStream &tokens = program_.file(local.statement.file).tokens;
    if (isInMacro(name) || isChanged(local.statement) || mayBePutTogether(local.scope))
      return false;
    bool any = false;
    for (size_t i = 0; i < tokens.size() && tokens[i].offset < local.scope.end; ++i) {
      const TextRange at{local.scope.file, tokens[i].offset, tokens[i].end()};
      if (!tokens.is(i, name) || !local.scope.contains(at) || local.statement.contains(at))
        continue;
      if (isStep(local, at, name))
        continue;
      if (!isGone(at) && !isRebound(at, name))
        return false;
      any = true;
    }
    return any && llvm::none_of(texts_, [&](const Text &text) {
             return local.scope.contains(text.place) && !isWithinGoneBody(text, name) &&
                    mentionsFreely(text.text, name);
           });
  }
  // The new text stands in a body that declares the name.
  bool isWithinGoneBody(const Text &text, llvm::StringRef name) const {
    return llvm::any_of(port_.rebound, [&](const NativePort::Rebound &body) {
      return body.names.count(name.str()) && body.range.contains(text.place);
    });
  }
  // Something in it is written anew: it is of use.
  bool isChanged(const TextRange &statement) const {
    return llvm::any_of(texts_, [&](const Text &text) {
      return statement.contains(text.place) || text.place.contains(statement);
    });
  }
  bool isInMacro(llvm::StringRef name) const {
    for (unsigned f = 0; f < program_.files.size(); ++f) {
      const TokenStream &tokens = program_.file(f).tokens;
      for (const Directive &d : tokens.directives()) {
        if (d.name != "define" || isGone({f, d.begin, d.end}))
          continue;
        for (size_t i = d.firstToken; i < tokens.size() && tokens[i].offset < d.end; ++i)
          if (tokens.is(i, name))
            return true;
      }
    }
    return false;
  }

  // Names that are no tokens of the text: ro##w, or over two lines.
  bool mayBePutTogether(const TextRange &scope) const {
    const llvm::StringRef text = program_.file(scope.file).text().slice(scope.begin, scope.end);
    if (text.contains("\\\n") || text.contains("\\\r") ||
        text.contains("?"
                      "?/"))
      return true;
    for (unsigned f = 0; f < program_.files.size(); ++f) {
      const SourceFile &file = program_.file(f);
      for (const Directive &d : file.tokens.directives())
        if (d.name == "define" && !isGone({f, d.begin, d.end}) &&
            file.text().slice(d.begin, d.end).contains("##"))
          return true;
    }
    return false;
  }

  // With its line, where nothing else stands there: from the end of the one above it, as other
  // lines that go (Recovery::linesOf), so that neighbours do not overlap.
  TextRange linesOf(TextRange gone) const {
    const llvm::StringRef text = program_.file(gone.file).text();
    const size_t line = text.rfind('\n', gone.begin) + 1; // npos + 1 is 0
    size_t next = text.find_first_not_of(" \t\r", gone.end);
    if (next != text.npos && text.substr(next).starts_with("//")) { // of the declaration
      const size_t end = text.find('\n', next);
      const llvm::StringRef comment = text.slice(next, end).rtrim();
      if (!comment.ends_with("\\") && !comment.ends_with("?"
                                                         "?/")) // goes on
        next = end;
    }
    if (line && text.slice(line, gone.begin).trim().empty() && next != text.npos &&
        text[next] == '\n')
      gone = {gone.file, static_cast<unsigned>(line) - 1, static_cast<unsigned>(next)};
    return gone;
  }

  Site removal(const Kernel::Local &local) const {
    const TextRange gone = linesOf(local.statement);
    Site site;
    site.file = local.statement.file;
    site.begin = local.statement.begin;
    site.end = local.statement.end;
    site.rule = "native";
    site.construct = "variable '" + llvm::join(local.names, "', '") + "'";
    site.tier = Tier::Native;
    site.reason = "declared where it is used now";
    site.edits.push_back({gone.file, gone.begin, gone.end - gone.begin, ""});
    return site;
  }

  const Program &program_;
  const NativePort &port_;
  std::vector<TextRange> gone_;
  std::vector<Text> texts_;
  std::vector<Epilogue::Step> steps_;
};

} // namespace

std::vector<Site> removeLeftovers(const Program &program,
                                  const std::vector<const Kernel *> &kernels,
                                  const NativePort &port) {
  std::vector<Kernel::Local> locals;
  for (const Kernel *kernel : kernels)
    for (const Kernel::Local &local : kernel->locals)
      if (llvm::none_of(locals, [&](const Kernel::Local &other) {
            return other.statement == local.statement;
          }))
        locals.push_back(local);
  std::vector<Epilogue::Step> steps;
  for (const Kernel *kernel : kernels)
    for (const Epilogue &epilogue : kernel->epilogues)
      llvm::append_range(steps, epilogue.steps);
  return Leftovers(program, port).remove(std::move(locals), std::move(steps));
}

} // namespace layout_port::native
