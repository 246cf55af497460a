#include "native/Instances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace layout_port::native {

namespace {

using Place = std::tuple<unsigned, unsigned, unsigned>; // file, begin, end
using Group = std::vector<size_t>;                      // numbers of instances

Place placeOf(const Site &site) { return {site.file, site.begin, site.end}; }

bool areAlike(const Site &a, const Site &b) {
  return a.edits.size() == b.edits.size() &&
         std::equal(a.edits.begin(), a.edits.end(), b.edits.begin(),
                    [](const Edit &e, const Edit &f) { return e.text == f.text; });
}

class Joiner {
public:
  Joiner(const Program &program, const std::vector<Instance> &instances, bool mayInsert)
      : program_(program), instances_(instances), mayInsert_(mayInsert) {}

  std::optional<Sites> join() {
    for (const Instance &instance : instances_)
      for (const Site &site : instance.sites)
        if (!llvm::is_contained(order_, placeOf(site)))
          order_.push_back(placeOf(site));
    Sites all;
    for (const Place &place : order_) {
      auto site = joined(place);
      if (!site)
        return std::nullopt;
      all.push_back(std::move(*site));
    }
    llvm::append_range(all, closed_);
    if (isJoined_ && !instances_[0].isTagged && !keepOthersOut(all))
      return std::nullopt;
    return all;
  }

private:
  const Site *siteAt(size_t instance, const Place &place) const {
    const auto it = llvm::find_if(instances_[instance].sites,
                                  [&](const Site &site) { return placeOf(site) == place; });
    return it == instances_[instance].sites.end() ? nullptr : &*it;
  }

  // By the text that it has there, the first instance's first.
  void addTo(std::vector<Group> &groups, size_t instance, const Place &place) const {
    const auto group = llvm::find_if(groups, [&](const Group &g) {
      return areAlike(*siteAt(g[0], place), *siteAt(instance, place));
    });
    if (group == groups.end())
      groups.push_back({instance});
    else
      group->push_back(instance);
  }

  // None where an instance is without: there the text has to stay as it is.
  std::optional<Site> joined(const Place &place) {
    std::vector<Group> groups; // of the same text
    std::set<std::string> functions;
    bool isKept = false; // by some
    for (size_t i = 0; i < instances_.size(); ++i) {
      const Site *site = siteAt(i, place);
      if (!site && keepsPart(instances_[i], place)) {
        if (!keeps(instances_[i], place))
          return std::nullopt;
        isKept = true;
        continue;
      }
      if (!site && instances_[i].mayLeaveOut)
        continue;
      if (!site)
        return insertedForSome(place);
      functions.insert(site->runtime.begin(), site->runtime.end());
      addTo(groups, i, place);
    }
    Site out = *siteAt(groups[0][0], place);
    if (groups.size() == 1 && !isKept)
      return out;
    if (isInserted(out))
      return insertedForSome(place);
    out.runtime.assign(functions.begin(), functions.end());
    const auto text = choiceOf(groups, place, isKept);
    if (!text)
      return std::nullopt;
    isJoined_ = true;
    out.edits[0].text = *text;
    takeSemicolon(out);
    if (isKept) { // what stands there is the last branch
      Site close = out;
      close.begin = out.end;
      close.edits = {{out.file, out.end, 0, "\n" + indentOf(out) + "}"}};
      closed_.push_back(std::move(close));
      out.end = out.begin;
      out.edits[0].length = 0;
    }
    return out;
  }

  static bool keepsPart(const Instance &instance, const Place &place) {
    const auto [file, begin, end] = place;
    const TextRange all{file, begin, end};
    return llvm::any_of(instance.keeps, [&](const TextRange &kept) {
      return kept.file == all.file && kept.begin < all.end && all.begin < kept.end;
    });
  }
  static bool keeps(const Instance &instance, const Place &place) {
    const auto [file, begin, end] = place;
    return llvm::is_contained(instance.keeps, TextRange{file, begin, end});
  }

  // Whole statements that some instances have where others have nothing: sums that go back to
  // CUDA's layout, say.
  //
  //   if constexpr (..) {
  //     lp::to_warp_layout(..);
  //   }
  std::optional<Site> insertedForSome(const Place &place) {
    std::vector<Group> groups;
    std::optional<Site> out;
    if (!mayInsert_)
      return std::nullopt;
    for (size_t i = 0; i < instances_.size(); ++i) {
      const Site *site = siteAt(i, place);
      if (!site)
        continue;
      if (!isInserted(*site))
        return std::nullopt;
      if (!out)
        out = *site;
      for (const std::string &function : site->runtime)
        if (!llvm::is_contained(out->runtime, function))
          out->runtime.push_back(function);
      addTo(groups, i, place);
    }
    std::string text;
    for (const Group &group : groups) {
      const std::string condition = conditionOf(group);
      if (condition.empty())
        return std::nullopt;
      const llvm::StringRef its = siteAt(group[0], place)->edits[0].text;
      const std::string indent = its.ltrim("\n").take_while([](char c) { return c == ' '; }).str();
      text += "\n" + indent + "if constexpr (" + condition + ") {";
      llvm::SmallVector<llvm::StringRef> lines;
      its.split(lines, '\n', -1, /*KeepEmpty=*/false);
      for (const llvm::StringRef line : lines)
        text += (line.starts_with("#") ? "\n" : "\n  ") + line.str();
      text += "\n" + indent + "}";
    }
    isJoined_ = true;
    out->edits[0].text = text;
    return out;
  }

  // Of nothing but calls of the runtime, each in its own line, and loops over them.
  static bool isInserted(const Site &site) {
    if (site.begin != site.end || site.edits.size() != 1 || site.edits[0].length ||
        !llvm::StringRef(site.edits[0].text).starts_with("\n"))
      return false;
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(site.edits[0].text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    return llvm::all_of(lines, [](llvm::StringRef line) {
      line = line.trim();
      return line.starts_with("//") || line.starts_with("#pragma unroll") ||
             (line.starts_with("for (") && line.ends_with(")")) ||
             (line.starts_with("lp::") && line.ends_with(";"));
    });
  }

  // if constexpr (..) text else if constexpr (..) text else text
  std::optional<std::string> choiceOf(const std::vector<Group> &groups, const Place &place,
                                      bool isKept) const {
    std::string text;
    for (size_t g = 0; g < groups.size(); ++g) {
      const Site &site = *siteAt(groups[g][0], place);
      const std::string condition = conditionOf(groups[g]);
      if (!isStatement(site) || condition.empty())
        return std::nullopt;
      const bool isLast = g + 1 == groups.size() && !isKept;
      text += (g ? "else" : "") + std::string(g && !isLast ? " " : "") +
              (isLast ? "" : "if constexpr (" + condition + ")") +
              branch(site, indentOf(site), isLast);
    }
    if (isKept)
      text += "else {\n" + indentOf(*siteAt(groups[0][0], place)) + "  ";
    return text;
  }

  void takeSemicolon(Site &site) const {
    const llvm::StringRef file = program_.file(site.file).text();
    unsigned end = site.end;
    while (end < file.size() && llvm::isSpace(file[end]))
      ++end;
    if (end == file.size() || file[end] != ';')
      return;
    site.end = end + 1;
    site.edits[0].length = site.end - site.begin;
  }

  // {
  //   lp::load_a(..);
  // }
  std::string branch(const Site &site, const std::string &indent, bool isLast) const {
    std::string text;
    for (const char c : site.edits[0].text)
      text += c == '\n' ? "\n  " : std::string(1, c);
    const bool isWhole =
        llvm::StringRef(text).ends_with(";") || llvm::StringRef(text).ends_with("}");
    const bool isOne = !isWhole && !llvm::StringRef(text).contains(';');
    if (isOne)
      return "\n" + indent + "  " + text + ";" + (isLast ? "" : "\n" + indent);
    return " {\n" + indent + "  " + text + (isWhole ? "" : ";") + "\n" + indent + "}" +
           (isLast ? "" : " ");
  }

  // The text of the whole statement, and nothing else, is written anew, in the kernel's own.
  bool isStatement(const Site &site) const {
    if (site.edits.size() != 1 ||
        !instances_[0].range.contains({site.file, site.begin, site.end}) || site.begin == site.end)
      return false;
    const Edit &edit = site.edits[0];
    const llvm::StringRef text = program_.file(site.file).text();
    const llvm::StringRef own = text.slice(site.begin, site.end),
                          behind = text.substr(site.end).ltrim(),
                          before = text.take_front(site.begin).rtrim();
    const bool beginsOne = before.ends_with(";") || before.ends_with("{") ||
                           before.ends_with("}") || before.ends_with(")") ||
                           before.ends_with("else") || isFirstOfLine(text, site.begin);
    return edit.file == site.file && edit.offset == site.begin &&
           edit.length == site.end - site.begin && llvm::StringRef(edit.text).starts_with("lp::") &&
           beginsOne && (own.ends_with(";") || own.ends_with("}") || behind.starts_with(";"));
  }

  // Behind a comment, then, or in a statement that goes on; that would not compile.
  static bool isFirstOfLine(llvm::StringRef text, size_t at) {
    const size_t line = text.rfind('\n', at) + 1; // npos + 1 is 0
    return text.slice(line, at).trim().empty();
  }

  std::string indentOf(const Site &site) const {
    const llvm::StringRef text = program_.file(site.file).text();
    const size_t line = text.rfind('\n', site.begin) + 1; // npos + 1 is 0
    return text.substr(line).take_while([](char c) { return c == ' ' || c == '\t'; }).str();
  }

  // What holds for these and for no other instance: one argument that they share, or all.
  std::string conditionOf(const Group &group) const {
    const std::vector<std::string> &first = instances_[group[0]].arguments;
    const auto holds = [&](size_t instance, size_t argument) {
      return instances_[instance].arguments[argument] == first[argument];
    };
    for (size_t a = 0; a < first.size(); ++a)
      if (!first[a].empty() && llvm::all_of(llvm::seq<size_t>(0, instances_.size()), [&](size_t i) {
            return holds(i, a) == llvm::is_contained(group, i);
          }))
        return first[a];
    for (size_t i = 0; i < instances_.size(); ++i) // two calls of one instance
      if (!llvm::is_contained(group, i) && llvm::any_of(group, [&](size_t its) {
            return instances_[its].arguments == instances_[i].arguments;
          }))
        return "";
    return anyOf(group);
  }

  // A condition that holds for each of these; empty: one cannot be told.
  std::string anyOf(const Group &group) const {
    std::vector<std::string> conditions;
    for (const size_t i : group) {
      const std::string whole = wholeCondition(i);
      if (whole.empty())
        return "";
      if (!llvm::is_contained(conditions, whole))
        conditions.push_back(whole);
    }
    if (conditions.size() == 1)
      return conditions[0];
    std::string text;
    for (const std::string &condition : conditions)
      text += (text.empty() ? "(" : " ||\n                    (") + condition + ")";
    return text;
  }

  std::string wholeCondition(size_t instance) const {
    std::string text;
    const std::vector<std::string> &its = instances_[instance].arguments;
    for (size_t a = 0; a < its.size(); ++a) {
      const bool differs = llvm::any_of(
          instances_, [&](const Instance &other) { return other.arguments[a] != its[a]; });
      if (!differs)
        continue;
      if (its[a].empty())
        return "";
      text += (text.empty() ? "" : " && ") + its[a];
    }
    return text;
  }

  bool keepOthersOut(Sites &all) const {
    const TextRange &begin = instances_[0].bodyBegin;
    Group whole(instances_.size());
    std::iota(whole.begin(), whole.end(), 0);
    const std::string any = anyOf(whole);
    if (any.empty())
      return false;
    const std::string line = "\n" + bodyIndent(program_.file(begin.file).text(), begin.begin);
    const std::string text = line + "static_assert(" + any + "," + line +
                             "              \"layout-port has seen these instances alone\");";
    for (Site &site : all)
      if (site.file == begin.file && site.begin == begin.begin && site.end == site.begin &&
          site.edits.size() == 1) {
        site.edits[0].text += text;
        return true;
      }
    Site site;
    site.file = begin.file;
    site.begin = site.end = begin.begin;
    site.rule = "native";
    site.construct = "instances of a function";
    site.tier = Tier::Native;
    site.reason = "its text says which instance has which";
    site.edits.push_back({begin.file, begin.begin, 0, text});
    all.push_back(std::move(site));
    return true;
  }

  const Program &program_;
  const std::vector<Instance> &instances_;
  const bool mayInsert_;
  std::vector<Place> order_;
  Sites closed_; // behind statements that stay as they are
  bool isJoined_ = false;
};

} // namespace

std::optional<Sites> joinInstances(const Program &program, const std::vector<Instance> &instances,
                                   bool mayInsert) {
  for (const Instance &instance : instances)
    if (instance.arguments.empty() || instance.arguments.size() != instances[0].arguments.size() ||
        instance.range.begin != instances[0].range.begin ||
        instance.range.file != instances[0].range.file)
      return std::nullopt;
  return Joiner(program, instances, mayInsert).join();
}

std::string bodyIndent(llvm::StringRef text, size_t begin) {
  const size_t first = text.find_first_not_of(" \t\r\n", begin);
  const size_t line = text.rfind('\n', first);
  const bool isBelow =
      first != text.npos && text[first] != '#' && line != text.npos && line >= begin;
  return isBelow ? text.slice(line + 1, first).str() : "  ";
}

} // namespace layout_port::native
