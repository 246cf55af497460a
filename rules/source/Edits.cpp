#include "source/Edits.h"

#include <algorithm>

namespace layout_port {

// A quote is \x01 begin , end \x02: bytes that source text does not hold.
static constexpr char quoteOpen = '\x01', quoteClose = '\x02';

std::string sourceRange(unsigned begin, unsigned end) {
  return quoteOpen + std::to_string(begin) + "," + std::to_string(end) + quoteClose;
}

template <typename Render> static std::string expandQuotes(llvm::StringRef text, Render render) {
  std::string out;
  while (true) {
    const size_t open = text.find(quoteOpen);
    out += text.substr(0, open);
    if (open == llvm::StringRef::npos)
      return out;
    text = text.substr(open + 1);
    unsigned begin = 0, end = 0;
    text.consumeInteger(10, begin);
    text.consume_front(",");
    text.consumeInteger(10, end);
    text.consume_front(llvm::StringRef(&quoteClose, 1));
    out += render(begin, end);
  }
}

std::vector<std::pair<unsigned, unsigned>> quotedRanges(llvm::StringRef editText) {
  std::vector<std::pair<unsigned, unsigned>> ranges;
  expandQuotes(editText, [&](unsigned begin, unsigned end) {
    ranges.push_back({begin, end});
    return "";
  });
  return ranges;
}

std::string plainText(llvm::StringRef editText, llvm::StringRef source) {
  return expandQuotes(editText,
                      [&](unsigned begin, unsigned end) { return source.slice(begin, end).str(); });
}

void EditList::sort() {
  std::stable_sort(edits_.begin(), edits_.end(), [](const Edit &a, const Edit &b) {
    if (a.offset != b.offset)
      return a.offset < b.offset;
    // An insertion stands before what is replaced there; then outer before inner.
    if ((a.length == 0) != (b.length == 0))
      return a.length == 0;
    return a.length > b.length;
  });
}

std::string EditList::apply(llvm::StringRef source, unsigned begin, unsigned end) const {
  return apply(source, begin, end, 0);
}

std::string EditList::apply(llvm::StringRef source, unsigned begin, unsigned end,
                            size_t from) const {
  std::string out;
  unsigned at = begin;
  for (size_t i = from; i < edits_.size() && edits_[i].offset <= end; ++i) {
    const Edit &edit = edits_[i];
    // Behind `at`: inside an edit that was already rendered.
    if (edit.offset < at || edit.offset + edit.length > end)
      continue;
    out += source.slice(at, edit.offset);
    out += render(source, edit, i);
    at = edit.offset + edit.length;
  }
  out += source.slice(at, end);
  return out;
}

std::string EditList::render(llvm::StringRef source, const Edit &edit, size_t index) const {
  return expandQuotes(edit.text, [&](unsigned begin, unsigned end) {
    // A quote of earlier text has edits that were sorted before this one.
    return apply(source, begin, end, begin < edit.offset ? 0 : index + 1);
  });
}

} // namespace layout_port
