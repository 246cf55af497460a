// Myers' greedy algorithm on lines (http://www.xmailserver.org/diff2.pdf): the
// shortest edit script is a furthest-reaching path through the edit graph
//
//        old ▶
//   new   ·──·──·      right: a line of old goes    down: a line of new comes
//    ▼    │╲ │  │      diagonal: the same line in both
//         ·──·──·
//
// kept as one row of furthest x per number of edits D.
#include "report/Diff.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <vector>

namespace layout_port {

namespace {

using Lines = std::vector<llvm::StringRef>;

Lines splitLines(llvm::StringRef text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t length = end == llvm::StringRef::npos ? text.size() : end + 1;
    lines.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return lines;
}

struct Step {
  char kind; // ' ', '-', '+'
  size_t oldLine, newLine;
};

// Past this many edits the middle is shown as replaced whole: a diff is for
// reading, and quadratic time on two strangers' files is not.
constexpr int maxEdits = 4000;

std::vector<Step> editScript(const Lines &a, const Lines &b) {
  const int n = a.size(), m = b.size(), limit = std::min(n + m, maxEdits);
  std::vector<std::vector<int>> history;
  std::vector<int> furthest(2 * limit + 3, 0);
  const int zero = limit + 1;
  int found = -1;
  for (int d = 0; d <= limit && found < 0; ++d) {
    history.push_back(furthest);
    for (int k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && furthest[zero + k - 1] < furthest[zero + k + 1]);
      int x = down ? furthest[zero + k + 1] : furthest[zero + k - 1] + 1;
      while (x < n && x - k < m && a[x] == b[x - k])
        ++x;
      furthest[zero + k] = x;
      if (x >= n && x - k >= m)
        found = d;
    }
  }
  std::vector<Step> steps;
  if (found < 0) {
    for (int i = 0; i < n; ++i)
      steps.push_back({'-', size_t(i), 0});
    for (int j = 0; j < m; ++j)
      steps.push_back({'+', size_t(n), size_t(j)});
    return steps;
  }
  int x = n, y = m;
  for (int d = found; d >= 0; --d) {
    const std::vector<int> &row = history[d];
    const int k = x - y;
    const bool down = k == -d || (k != d && row[zero + k - 1] < row[zero + k + 1]);
    const int previousK = down ? k + 1 : k - 1;
    const int px = d == 0 ? 0 : row[zero + previousK], py = d == 0 ? 0 : px - previousK;
    while (x > px && y > py && x > 0 && y > 0 && a[x - 1] == b[y - 1]) {
      --x;
      --y;
      steps.push_back({' ', size_t(x), size_t(y)});
    }
    if (d == 0)
      break;
    if (down)
      steps.push_back({'+', size_t(x), size_t(--y)});
    else
      steps.push_back({'-', size_t(--x), size_t(y)});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

void printLine(std::string &out, char kind, llvm::StringRef line) {
  out += kind;
  out += line;
  if (!line.ends_with("\n"))
    out += "\n\\ No newline at end of file\n";
}

constexpr size_t context = 3;

void printHunk(std::string &out, const std::vector<Step> &steps, size_t first, size_t last,
               const Lines &a, const Lines &b) {
  size_t oldCount = 0, newCount = 0;
  for (size_t i = first; i < last; ++i) {
    oldCount += steps[i].kind != '+';
    newCount += steps[i].kind != '-';
  }
  const size_t oldStart = steps[first].oldLine + (oldCount ? 1 : 0);
  const size_t newStart = steps[first].newLine + (newCount ? 1 : 0);
  out += "@@ -" + std::to_string(oldStart) + "," + std::to_string(oldCount) + " +" +
         std::to_string(newStart) + "," + std::to_string(newCount) + " @@\n";
  for (size_t i = first; i < last; ++i)
    printLine(out, steps[i].kind, steps[i].kind == '+' ? b[steps[i].newLine] : a[steps[i].oldLine]);
}

} // namespace

std::string unifiedDiff(llvm::StringRef oldText, llvm::StringRef newText, llvm::StringRef oldName,
                        llvm::StringRef newName) {
  if (oldText == newText)
    return "";
  const Lines a = splitLines(oldText), b = splitLines(newText);
  const std::vector<Step> steps = editScript(a, b);
  std::string out = ("--- " + oldName + "\n+++ " + newName + "\n").str();
  size_t i = 0;
  while (i < steps.size()) {
    while (i < steps.size() && steps[i].kind == ' ')
      ++i;
    if (i == steps.size())
      break;
    const size_t first = i > context ? i - context : 0;
    size_t last = i, quiet = 0;
    for (; i < steps.size() && quiet <= 2 * context; ++i) {
      quiet = steps[i].kind == ' ' ? quiet + 1 : 0;
      if (!quiet)
        last = i + 1;
    }
    i = last;
    printHunk(out, steps, first, std::min(steps.size(), last + context), a, b);
    i = std::min(steps.size(), last + context);
  }
  return out;
}

} // namespace layout_port
