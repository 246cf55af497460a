// Names of instructions: the many spellings of one row.
//
// AMD: mnemonics changed with gfx940 (v_mfma_f32_16x16x16f16 became
// v_mfma_f32_16x16x16_f16, and a block count appeared), clang's builtins kept the
// old text, LLVM's intrinsics use dots. normalName brings all of them to
//   mfma_f32_16x16x16_f16      mfma_f32_32x32x4_2b_bf16      mfma_f32_32x32x4_bf16_1k
// PTX mnemonics are lists of qualifiers, kept as words.
#include "isa/Tables.h"

#include <algorithm>
#include <cctype>

namespace layout_port::isa {
namespace {

bool dropPrefix(std::string &text, std::string_view prefix) {
  if (text.compare(0, prefix.size(), prefix) != 0)
    return false;
  text.erase(0, prefix.size());
  return true;
}

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }

// Lower case, every run of other characters one '_', none at the ends.
std::string words(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_')
    out.pop_back();
  return out;
}

// The end of an MxNxK that starts at `at`, or `at` when there is none.
size_t endOfShape(const std::string &text, size_t at) {
  size_t end = at;
  for (int extent = 0; extent < 3; ++extent) {
    if (extent > 0 && (end >= text.size() || text[end++] != 'x'))
      return at;
    const size_t digits = end;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    if (end == digits)
      return at;
  }
  return end;
}

// 16x16x16f16 -> 16x16x16_f16
std::string withShapeApart(const std::string &text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (at > 0 && text[at - 1] != '_')
      continue;
    const size_t end = endOfShape(text, at);
    if (end > at && end < text.size() && isLetter(text[end]))
      return text.substr(0, end) + "_" + text.substr(end);
  }
  return text;
}

} // namespace

std::string normalName(std::string_view name) {
  std::string text = words(name);
  if (!dropPrefix(text, "builtin_amdgcn_"))
    dropPrefix(text, "llvm_amdgcn_");
  dropPrefix(text, "v_");
  return withShapeApart(text);
}

std::vector<std::string> wordsOf(std::string_view name) {
  std::vector<std::string> out;
  const std::string text = words(name);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('_', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

int editDistance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

} // namespace layout_port::isa
