#include "source/Steering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace layout_port {

namespace {

constexpr llvm::StringLiteral kMarker = "layout-port:";
constexpr llvm::StringLiteral kKnown =
    "assume uniform(x), assume whole waves, noalias(p), tier=bridged, tier=emulated, keep";

class Reader {
public:
  Reader(const Program &program, unsigned number, Steering &out)
      : file_(program.file(number)), tokens_(file_.tokens), number_(number), out_(out) {}

  // Comments are what lies between tokens.
  void read() {
    const llvm::StringRef text = file_.text();
    for (size_t at = text.find(kMarker); at != text.npos; at = text.find(kMarker, at + 1)) {
      const size_t next = tokenBehind(static_cast<unsigned>(at));
      const bool isInToken = next > 0 && tokens_[next - 1].end() > at;
      if (!isInToken && startsComment(text.substr(0, at)))
        readComment(static_cast<unsigned>(at), next);
    }
  }

private:
  static bool startsComment(llvm::StringRef before) {
    before = before.rtrim(" \t");
    return before.ends_with("//") || before.ends_with("/*");
  }

  size_t tokenBehind(unsigned offset) const {
    size_t low = 0, high = tokens_.size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (tokens_[middle].offset < offset)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  void readComment(unsigned at, size_t next) {
    const llvm::StringRef line = file_.text().substr(at + kMarker.size()).take_until([](char c) {
      return c == '\n' || c == '\r';
    });
    const llvm::StringRef words = line.take_front(line.find("*/")).trim();
    if (words.starts_with("assume uniform") || words.starts_with("assume whole waves") ||
        (words.starts_with("noalias(") && words.contains(')')))
      return;
    SteeredRange range;
    if (words.starts_with("tier="))
      range.tier = tierOf(words.drop_front(5).take_while(llvm::isAlpha));
    else if (!words.starts_with("keep"))
      return note(at, words);
    if (words.starts_with("tier=") && !range.tier)
      return note(at, words);
    addRange(range, at, next);
  }

  static std::optional<Tier> tierOf(llvm::StringRef name) {
    for (const Tier tier : {Tier::Native, Tier::Bridged, Tier::Emulated})
      if (name == tierName(tier))
        return tier;
    return std::nullopt;
  }

  void note(unsigned at, llvm::StringRef words) {
    out_.notes.push_back(file_.placeText(at) + ": the comment 'layout-port: " + words.str() +
                         "' is not understood; there are " + kKnown.str());
  }

  void addRange(SteeredRange range, unsigned at, size_t next) {
    const llvm::StringRef text = file_.text();
    const size_t line = text.rfind('\n', at) + 1; // npos + 1 is 0
    const size_t first = tokenBehind(static_cast<unsigned>(line));
    const size_t begin = first < next ? first : next;
    if (begin >= tokens_.size())
      return;
    range.file = number_;
    range.begin = tokens_[begin].offset;
    range.end = endOf(begin);
    out_.ranges.push_back(range);
  }

  // Behind the statement or definition that begins with token i: its ';', or the '}' that
  // nothing of it follows.
  unsigned endOf(size_t i) const {
    for (; i < tokens_.size(); ++i) {
      if (tokens_[i].directive >= 0)
        continue;
      if (tokens_.is(i, ";"))
        return tokens_[i].end();
      if (tokens_.is(i, "}")) // of the block around: nothing began here
        return tokens_[i].offset;
      if (!tokens_.is(i, "(") && !tokens_.is(i, "[") && !tokens_.is(i, "{"))
        continue;
      const bool isBlock = tokens_.is(i, "{");
      i = tokens_.matching(i);
      if (i < tokens_.size() && isBlock && !goesOn(i + 1))
        return tokens_[i].end();
    }
    return static_cast<unsigned>(file_.text().size());
  }

  bool goesOn(size_t i) const {
    return tokens_.is(i, "else") || tokens_.is(i, "while") || tokens_.is(i, ";") ||
           tokens_.is(i, ",") || tokens_.is(i, ")") || tokens_.is(i, "(");
  }

  const SourceFile &file_;
  const TokenStream &tokens_;
  const unsigned number_;
  Steering &out_;
};

} // namespace

Steering findSteering(const Program &program) {
  Steering steering;
  for (unsigned f = 0; f < program.files.size(); ++f)
    Reader(program, f, steering).read();
  return steering;
}

PortCaps steeredCaps(const PortCaps &caps, const Steering &steering) {
  PortCaps steered = caps;
  for (const SteeredRange &range : steering.ranges)
    steered.asked.push_back(
        {range.file, range.begin, range.end, range.tier ? *range.tier : Tier::Bridged});
  return steered;
}

void keepText(const Program &program, const Steering &steering, std::vector<Site> &sites) {
  for (const SteeredRange &range : steering.ranges) {
    if (range.tier)
      continue;
    llvm::erase_if(sites, [&](const Site &s) { return range.contains(s.file, s.begin); });
    Site site;
    site.file = range.file;
    site.begin = range.begin;
    site.end = range.end;
    site.rule = "keep";
    site.construct = "kept text";
    site.tier = Tier::Renamed;
    site.reason = "left as it stands, on the author's word";
    sites.push_back(std::move(site));
  }
}

} // namespace layout_port
