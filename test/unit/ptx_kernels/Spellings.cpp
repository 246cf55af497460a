#include "Spellings.h"

#include "ptx/Forms.h"
#include "ptx/Parser.h"
#include "ptx/Types.h"
#include "ptx/decode/Decode.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace layout_port::ptx {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    if (end > 0 && !text.empty())
      pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return pieces;
    text.remove_prefix(end + 1);
  }
}

// A group of modifiers: each choice is what it adds to the spelling, the first the usual one.
using Choices = std::vector<std::string>;

// "cta|gpu?" ──▶ "", ".cta", ".gpu"; "u32|s32{2}" ──▶ ".u32.u32", ".u32.s32", ...
Choices choicesOf(std::string group) {
  unsigned times = 1;
  const bool optional = group.back() == '?' || group.back() == '*';
  if (optional)
    group.pop_back();
  if (group.back() == '}') {
    times = static_cast<unsigned>(group[group.size() - 2] - '0');
    group.resize(group.size() - 3);
  }
  std::vector<std::string> words;
  for (const std::string &word : split(group, '|'))
    for (const std::string &each : split(word[0] == '@' ? wordsOfClass(word) : word, '|'))
      words.push_back("." + each);
  Choices choices = {""};
  for (; times > 0; --times) {
    Choices longer;
    for (const std::string &head : choices)
      for (const std::string &word : words)
        longer.push_back(head + word);
    choices = std::move(longer);
  }
  if (optional)
    choices.insert(choices.begin(), "");
  return choices;
}

struct Form {
  std::vector<Choices> groups;
  std::vector<std::string> operands; // "d", "s?"
};

std::vector<Form> formsOf(const Opcode &row) {
  std::vector<Form> forms;
  for (const std::string &text : split(row.forms, ';')) {
    Form form;
    const std::size_t colon = text.rfind(" :");
    for (const std::string &group : split(std::string_view(text).substr(0, colon), ' '))
      form.groups.push_back(choicesOf(group));
    form.operands = split(std::string_view(text).substr(colon + 2), ' ');
    forms.push_back(std::move(form));
  }
  return forms;
}

// The operand letters of a spelling without the optional ones, but for the policy that
// .L2::cache_hint asks for.
std::vector<char> operandsOf(const Form &form, const std::string &spelling) {
  std::vector<char> letters;
  for (const std::string &word : form.operands)
    if (word.size() == 1)
      letters.push_back(word[0]);
  if (spelling.find(".L2::cache_hint") != std::string::npos)
    letters.push_back('s');
  return letters;
}

bool decodes(const Opcode &row, const Spelled &spelled) {
  const BoundAsm statement = bind(spelled);
  const Outcome<Block> block = parse(statement.text, {});
  if (!block || block->instructions.empty())
    return false;
  const Instruction *last = nullptr; // behind the setp that makes its predicate
  for (const Instruction &instruction : block->instructions)
    if (const Opcode *found = findOpcode(instruction); found && found->key == row.key)
      last = &instruction;
  return last && decode(*last, *block).ok();
}

// Two groups are combined where that gives few spellings.
constexpr std::size_t mostPairs = 400;

class Enumeration {
public:
  Enumeration(const Opcode &row, bool inPairs, std::vector<Spelled> &out)
      : row_(row), inPairs_(inPairs), out_(out) {}

  // The usual spelling, each with one group changed, and with two.
  void add(const Form &form) {
    std::vector<std::size_t> chosen(form.groups.size(), 0);
    take(form, chosen);
    for (std::size_t a = 0; a < form.groups.size(); ++a) {
      for (chosen[a] = 1; chosen[a] < form.groups[a].size(); ++chosen[a]) {
        take(form, chosen);
        for (std::size_t b = 0; b < a; ++b)
          addPairs(form, a, b, chosen);
      }
      chosen[a] = 0;
    }
  }

private:
  void addPairs(const Form &form, std::size_t a, std::size_t b, std::vector<std::size_t> &chosen) {
    if (!inPairs_ || form.groups[a].size() * form.groups[b].size() > mostPairs)
      return;
    for (chosen[b] = 1; chosen[b] < form.groups[b].size(); ++chosen[b])
      take(form, chosen);
    chosen[b] = 0;
  }

  void take(const Form &form, const std::vector<std::size_t> &chosen) {
    Spelled spelled;
    spelled.text = std::string(row_.key);
    for (std::size_t g = 0; g < chosen.size(); ++g)
      spelled.text += form.groups[g][chosen[g]];
    spelled.operands = operandsOf(form, spelled.text);
    if (seen_.insert(spelled.text).second && decodes(row_, spelled))
      out_.push_back(std::move(spelled));
  }

  const Opcode &row_;
  const bool inPairs_;
  std::vector<Spelled> &out_;
  std::set<std::string> seen_;
};

// mma's forms say nothing of which shapes go with which types: the table of shapes does.
std::vector<Spelled> matrixProducts(const Opcode &row) {
  std::vector<Spelled> all;
  const auto add = [&](unsigned m, unsigned n, unsigned k, unsigned blocks, const char *sources,
                       const char *sums) {
    const std::string shape =
        "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
    const Choices orders =
        blocks == 1 ? Choices{".row.col"} : Choices{".row.col", ".col.row", ".row.row", ".col.col"};
    for (const std::string &order : orders)
      for (const std::string &a : split(sources, '|'))
        for (const std::string &b : split(sources, '|'))
          for (const std::string &sum : split(sums, '|'))
            for (const char *saturate : {"", ".satfinite"}) {
              Spelled spelled{"mma.sync.aligned." + shape + order + saturate + "." + sum + "." + a +
                                  "." + b + "." + sum,
                              {'v', 'v', 'v', 'v'}};
              if (decodes(row, spelled))
                all.push_back(std::move(spelled));
            }
  };
#define MMA(m, n, k, blocks, sources, sums, fragment) add(m, n, k, blocks, sources, sums);
#include "ptx/decode/MmaShapes.inc"
#undef MMA
  return all;
}

} // namespace

std::vector<Spelled> spellingsOf(const Opcode &row, bool inPairs) {
  if (row.key == "mma")
    return matrixProducts(row);
  std::vector<Spelled> all;
  Enumeration enumeration(row, inPairs, all);
  for (const Form &form : formsOf(row))
    enumeration.add(form);
  return all;
}

namespace {

struct Unported {
  const char *words; // all of these occur, parted by '.'
  const char *reason;
};

const Unported unported[] = {
#define UNPORTED(words, reason) {words, reason},
#include "Unported.inc"
#undef UNPORTED
};

} // namespace

const char *unportedReason(const Spelled &spelled) {
  const std::vector<std::string> has = split(spelled.text, '.');
  for (const Unported &row : unported) {
    const std::vector<std::string> words = split(row.words, '.');
    if (std::all_of(words.begin(), words.end(), [&](const std::string &word) {
          return std::find(has.begin(), has.end(), word) != has.end();
        }))
      return row.reason;
  }
  return nullptr;
}

} // namespace layout_port::ptx
