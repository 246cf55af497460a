#include "pages/Pages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace layout_port {

static const char *const embeddedPages[] = {
#include "pages.inc"
};

static std::vector<std::string> namesOf(llvm::StringRef heading) {
  std::vector<std::string> names;
  if (!heading.consume_front("# "))
    return names;
  llvm::SmallVector<llvm::StringRef, 4> words;
  heading.split(words, ',');
  for (const llvm::StringRef word : words)
    names.push_back(word.trim().str());
  return names;
}

// The first paragraph outside of fenced code, on one line.
static std::string firstParagraph(llvm::StringRef body) {
  std::string paragraph;
  bool fenced = false;
  for (const llvm::StringRef line : llvm::split(body, '\n')) {
    if (line.starts_with("```")) {
      fenced = !fenced;
      continue;
    }
    if (fenced)
      continue;
    if (line.trim().empty() && !paragraph.empty())
      break;
    if (!line.trim().empty())
      paragraph += (paragraph.empty() ? "" : " ") + line.trim().str();
  }
  return paragraph;
}

// Up to the first full stop that ends a clause (`f16.f32` has none), without
// markup.
static std::string firstSentence(llvm::StringRef paragraph) {
  std::string sentence;
  for (size_t i = 0; i < paragraph.size(); ++i) {
    const char c = paragraph[i];
    const bool last = i + 1 == paragraph.size() || paragraph[i + 1] == ' ';
    if (last && c == '.')
      break;
    if (c != '`' && c != '*')
      sentence += c;
  }
  return sentence;
}

RulePage readPage(llvm::StringRef text) {
  const auto [heading, body] = text.split('\n');
  return {namesOf(heading), firstSentence(firstParagraph(body)), text};
}

const std::vector<RulePage> &rulePages() {
  static const std::vector<RulePage> pages = [] {
    std::vector<RulePage> read;
    for (const char *text : embeddedPages)
      if (RulePage page = readPage(text); !page.names.empty())
        read.push_back(std::move(page));
    llvm::sort(read, [](const RulePage &a, const RulePage &b) { return a.names < b.names; });
    return read;
  }();
  return pages;
}

const RulePage *findRulePage(llvm::StringRef name) {
  for (const RulePage &page : rulePages())
    if (llvm::is_contained(page.names, name))
      return &page;
  return nullptr;
}

} // namespace layout_port
