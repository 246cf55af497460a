#include "source/Emit.h"

#include "source/Edits.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <set>

using namespace clang;

namespace layout_port {

namespace {

constexpr llvm::StringRef hipRuntimeInclude = "#include <hip/hip_runtime.h>";

// Where the device runtime goes in the main file.
struct InsertionPoint {
  unsigned offset = 0;
  bool afterDirective = false;     // at the end of an #include line
  std::vector<Directive> includes; // those that stand before it
};

class Emitter {
public:
  Emitter(const Program &program, const std::vector<Site> &sites, const EmitOptions &options)
      : program_(program), options_(options), edits_(program.files.size()),
        seen_(program.files.size(), false), callsRuntime_(program.files.size(), false) {
    for (const Site &site : sites) {
      callsRuntime_[site.file] = callsRuntime_[site.file] || !site.runtime.empty();
      for (const Edit &edit : site.edits)
        edits_[edit.file].push_back(edit);
    }
    findChangedFiles();
  }

  std::string run(const std::string &runtime, const std::vector<std::string> &runtimeHeaders) {
    insertRuntime(runtime, runtimeHeaders);
    seen_[0] = true;
    return fileText(0);
  }

  std::vector<EmittedFile> separateHeaders() {
    std::vector<EmittedFile> files;
    if (options_.headers == Delivery::Separate)
      for (const unsigned f : ported())
        files.push_back({options_.place(f), headerText(f)});
    return files;
  }

  std::vector<unsigned> ported() const {
    std::vector<unsigned> result;
    for (unsigned f = 1; f < changed_.size(); ++f)
      if (changed_[f])
        result.push_back(f);
    return result;
  }

private:
  // A file is changed when it has edits or includes a changed file.
  void findChangedFiles() {
    changed_.resize(program_.files.size());
    for (unsigned f = 0; f < changed_.size(); ++f)
      changed_[f] = !edits_[f].empty();
    for (bool again = true; again;) {
      again = false;
      for (const Include &include : program_.includes)
        if (include.target > 0 && changed_[include.target] && !changed_[include.file])
          again = changed_[include.file] = true;
    }
  }

  const Include *includeAt(unsigned file, unsigned begin) const {
    for (const Include &include : program_.includes)
      if (include.file == file && include.begin == begin)
        return &include;
    return nullptr;
  }

  bool isInlined(unsigned f) const { return f != 0 && options_.headers == Delivery::Inline; }

  bool isPorted(unsigned file, const Directive &d) const {
    const Include *include = includeAt(file, d.begin);
    return include && include->target > 0 && changed_[include->target];
  }

  std::string fileText(unsigned f) {
    const SourceFile &file = program_.file(f);
    EditList list;
    const bool crlf = file.text().contains("\r\n");
    for (const Edit &edit : edits_[f])
      list.add(crlf ? withCrLf(edit) : edit);
    for (const Directive &d : file.tokens.directives()) {
      if (d.name == "include" && isPorted(f, d))
        list.add({f, d.begin, d.end - d.begin, includeText(f, d)});
      else if (const std::string moved = d.name == "include" ? movedInclude(f, d) : "";
               !moved.empty())
        list.add({f, d.begin, d.end - d.begin, moved});
      if (isInlined(f) && file.text().slice(d.begin, d.end) == "#pragma once")
        list.add({f, d.begin, d.end - d.begin, ""});
    }
    list.sort();
    return list.apply(file.text(), 0, file.text().size());
  }

  // What stands for the #include of a ported header.
  std::string includeText(unsigned f, const Directive &d) {
    const Include &include = *includeAt(f, d.begin);
    if (options_.headers == Delivery::Inline)
      return inlinedHeader(include.target);
    const std::string path = relativeInclude(options_.place(f), options_.place(include.target));
    if (!include.angled && path == include.spelled)
      return program_.file(f).text().slice(d.begin, d.end).str();
    return "#include \"" + path + "\"";
  }

  // A header that stays as it is, included from beside an inlined one: now it is looked for from
  // the main file's folder. Empty where nothing changes.
  std::string movedInclude(unsigned f, const Directive &d) const {
    const Include *include = includeAt(f, d.begin);
    if (!isInlined(f) || !include || include->angled || include->target <= 0)
      return "";
    const std::string main = absolute(program_.file(0).path), of = absolute(program_.file(f).path);
    llvm::SmallString<128> beside(llvm::sys::path::parent_path(of));
    llvm::sys::path::append(beside, include->spelled);
    llvm::sys::path::remove_dots(beside, /*remove_dot_dot=*/true);
    const std::string path = relativeInclude(main, beside);
    if (beside != absolute(program_.file(include->target).path) || path == include->spelled)
      return "";
    return "#include \"" + path + "\"";
  }

  static std::string absolute(llvm::StringRef path) {
    llvm::SmallString<128> whole(path);
    llvm::sys::fs::make_absolute(whole);
    llvm::sys::path::remove_dots(whole, /*remove_dot_dot=*/true);
    return whole.str().str();
  }

  // A ported header as a file of its own brings the runtime it calls.
  std::string headerText(unsigned f) {
    const std::string text = fileText(f);
    if (options_.runtime != Delivery::Separate || !callsRuntime_[f])
      return text;
    const std::string eol = llvm::StringRef(text).contains("\r\n") ? "\r\n" : "\n";
    const std::string line =
        "#include \"" + relativeInclude(options_.place(f), runtimeHeaderName) + "\"" + eol;
    const std::string once = "#pragma once" + eol;
    const size_t at = text.find(once);
    return at == std::string::npos ? line + text : std::string(text).insert(at + once.size(), line);
  }

  std::string inlinedHeader(unsigned f) {
    const std::string name = llvm::sys::path::filename(program_.file(f).path).str();
    if (seen_[f])
      return "// " + name + " stands above";
    seen_[f] = true;
    const std::string eol = program_.file(0).text().contains("\r\n") ? "\r\n" : "\n";
    std::string text = "// ---- " + name + ", ported ----" + eol + fileText(f);
    // A header without a guard is text that may be wanted again (X-macros).
    seen_[f] = isGuarded(program_.file(f).tokens);
    if (text.back() != '\n')
      text += eol;
    return text + "// ---- end of " + name + " ----";
  }

  // #pragma once anywhere, or #ifndef X, #define X as the first two directives.
  static bool isGuarded(const TokenStream &tokens) {
    const std::vector<Directive> &directives = tokens.directives();
    for (const Directive &d : directives)
      if (d.name == "pragma" && tokens.is(d.firstToken + 2, "once"))
        return true;
    return directives.size() >= 2 && directives[0].name == "ifndef" &&
           directives[1].name == "define" && directives[0].firstToken == 0 &&
           tokens.spelling(directives[0].firstToken + 2) ==
               tokens.spelling(directives[1].firstToken + 2);
  }

  static Edit withCrLf(Edit edit) {
    std::string text;
    for (size_t i = 0; i < edit.text.size(); ++i) {
      if (edit.text[i] == '\n' && (i == 0 || edit.text[i - 1] != '\r'))
        text += '\r';
      text += edit.text[i];
    }
    edit.text = text;
    return edit;
  }

  // Does the directive include `header` ("hip/hip_runtime.h") in the output?
  bool brings(const Directive &d, llvm::StringRef header) const {
    if (program_.file(0).text().slice(d.begin, d.end).contains(header))
      return true;
    return llvm::any_of(edits_[0], [&](const Edit &edit) {
      return edit.offset >= d.begin && edit.offset < d.end &&
             llvm::StringRef(edit.text).contains(header);
    });
  }
  bool stands(const InsertionPoint &point, llvm::StringRef header) const {
    return llvm::any_of(point.includes, [&](const Directive &d) { return brings(d, header); });
  }

  // LP_MANUAL stands in its place: that is of the runtime.
  bool isManual(const Directive &d) const {
    return llvm::any_of(edits_[0], [&](const Edit &edit) {
      return edit.offset >= d.begin && edit.offset < d.end &&
             llvm::StringRef(edit.text).contains("LP_MANUAL(");
    });
  }

  // Behind the run of plain includes that the file begins with, but before the
  // first one that is replaced by ported code.
  InsertionPoint insertionPoint() const {
    InsertionPoint point;
    const TokenStream &tokens = program_.file(0).tokens;
    if (tokens.size() == 0)
      return point;
    point.offset = tokens[0].offset;
    size_t i = 0;
    for (const Directive &d : tokens.directives()) {
      const bool plain = d.name == "include" || d.name == "pragma" || d.name == "define";
      if (d.firstToken != i || !plain || (d.name == "include" && isPorted(0, d)) || isManual(d))
        break;
      i = d.lastToken;
      if (d.name != "include")
        continue;
      point.offset = d.end;
      point.afterDirective = true;
      point.includes.push_back(d);
    }
    return point;
  }

  // The names that the files above the runtime, and the command line, define as macros.
  std::set<std::string> macrosBefore(unsigned offset) const {
    std::set<std::string> names(options_.macros.begin(), options_.macros.end());
    for (unsigned f = 0; f < program_.files.size(); ++f) {
      const TokenStream &tokens = program_.file(f).tokens;
      for (const Directive &d : tokens.directives())
        if (d.name == "define" && d.firstToken + 2 < d.lastToken && (f > 0 || d.begin < offset))
          names.insert(tokens.spelling(d.firstToken + 2).str());
    }
    return names;
  }

  // `#define N 128` and a runtime with a template parameter N: the macro is put aside.
  std::string withMacrosAside(const std::string &runtime, unsigned offset) const {
    const std::set<std::string> macros = macrosBefore(offset);
    const TokenStream tokens(runtime);
    std::set<std::string> names;
    for (size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].kind == tok::raw_identifier && macros.count(tokens.spelling(i).str()))
        names.insert(tokens.spelling(i).str());
    std::string before, after;
    for (const std::string &name : names) {
      before += "#pragma push_macro(\"" + name + "\")\n#undef " + name + "\n";
      after += "#pragma pop_macro(\"" + name + "\")\n";
    }
    return before + runtime + after;
  }

  bool includesStandard(llvm::StringRef header) const {
    return llvm::any_of(program_.includes,
                        [&](const Include &include) { return include.spelled == header; });
  }

  // `runtimeHeaders` are those that the runtime's text needs above it.
  void insertRuntime(const std::string &runtime, const std::vector<std::string> &runtimeHeaders) {
    const InsertionPoint point = insertionPoint();
    std::string text;
    if (!stands(point, "hip/hip_runtime.h"))
      text = hipRuntimeInclude.str() + "\n";
    for (const std::string &header : options_.standardHeaders)
      if (!includesStandard(header))
        text += "#include <" + header + ">\n";
    for (const std::string &header : runtimeHeaders)
      if (!stands(point, header) && !llvm::is_contained(options_.standardHeaders, header))
        text += "#include <" + header + ">\n";
    if (!runtime.empty())
      text += (point.afterDirective || !text.empty() ? "\n" : "") +
              withMacrosAside(runtime, point.offset);
    if (text.empty())
      return;
    if (point.afterDirective)
      text = "\n" + llvm::StringRef(text).rtrim('\n').str();
    edits_[0].push_back({0, point.offset, 0, text});
  }

  const Program &program_;
  const EmitOptions &options_;
  std::vector<std::vector<Edit>> edits_;
  std::vector<bool> changed_;
  std::vector<bool> seen_;
  std::vector<bool> callsRuntime_;
};

} // namespace

std::string relativeInclude(llvm::StringRef from, llvm::StringRef to) {
  while (from.contains('/') && to.contains('/') && from.split('/').first == to.split('/').first) {
    from = from.split('/').second;
    to = to.split('/').second;
  }
  std::string path;
  for (size_t folder = 0; folder < from.count('/'); ++folder)
    path += "../";
  return path + to.str();
}

Emission emit(const Program &program, const std::vector<Site> &sites,
              const std::vector<RuntimeChunk> &made, const EmitOptions &options) {
  Emission emission;
  std::set<std::string> names;
  for (const Site &site : sites)
    names.insert(site.runtime.begin(), site.runtime.end());
  std::string unknown;
  const bool separate = options.runtime == Delivery::Separate && !names.empty();
  const std::vector<RuntimeChunk> chunks = runtimeChunks(names, made, unknown);
  if (!unknown.empty()) {
    emission.error = "the device runtime has no chunk '" + unknown + "'";
    return emission;
  }
  if (const auto &taken = program.facts.namedAsRuntime; taken && !chunks.empty()) {
    emission.error = program.file(taken->first).placeText(taken->second) +
                     ": 'lp' is the namespace of what a port calls: give this another name";
    return emission;
  }
  std::string runtime = runtimeText(chunks);
  std::vector<std::string> runtimeHeaders = runtimeIncludes(chunks);
  if (separate) {
    runtimeHeaders.clear();
    emission.runtimeHeader = runtimeHeaderText(chunks);
    runtime = "#include \"" + relativeInclude(options.place(0), runtimeHeaderName) + "\"\n";
  }
  Emitter emitter(program, sites, options);
  emission.text = emitter.run(runtime, runtimeHeaders);
  emission.portedHeaders = emitter.ported();
  emission.headers = emitter.separateHeaders();
  return emission;
}

} // namespace layout_port
