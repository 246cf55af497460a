#include "ptx/Forms.h"

#include <algorithm>
#include <vector>

namespace layout_port::ptx {
namespace {

struct Class {
  std::string_view name;
  std::string_view words; // parted by '|'
};

// Sets of modifiers that many rows share. A class may name no other class.
constexpr Class classes[] = {
    {"@b", "b16|b32|b64"},
    {"@s", "s16|s32|s64"},
    {"@us", "u16|u32|u64|s16|s32|s64"},
    {"@us64", "u32|u64|s32|s64"},
    {"@usb", "u16|u32|u64|s16|s32|s64|b16|b32|b64"},
    {"@simd", "u16x2|s16x2"},
    {"@half", "f16|f16x2|bf16|bf16x2"},
    {"@data", "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"@round", "rn|rz|rm|rp"},
    {"@roundi", "rni|rzi|rmi|rpi"},
    {"@cmp", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"@bool", "and|or|xor"},
    {"@scope", "cta|cluster|gpu|sys"},
    {"@localspace", "global|shared|shared::cta|local|const|param|param::entry|param::func"},
    {"@level1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|"
                "L1::no_allocate"},
    {"@level2", "L2::evict_normal|L2::evict_first|L2::evict_last"},
    {"@prefetch", "L2::64B|L2::128B|L2::256B"},
    {"@vec", "v2|v4|v8"},
};

// Cuts the first piece of `rest` up to `separator` off it.
std::string_view cut(std::string_view &rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return piece;
}

bool isAmong(std::string_view word, std::string_view words) {
  while (!words.empty())
    if (cut(words, '|') == word)
      return true;
  return false;
}

} // namespace

std::string_view wordsOfClass(std::string_view name) {
  for (const Class &c : classes)
    if (c.name == name)
      return c.words;
  return "";
}

bool isOfClass(std::string_view modifier, std::string_view name) {
  return isAmong(modifier, wordsOfClass(name));
}

namespace {

struct Group {
  std::string_view alternatives;
  unsigned least = 1;
  unsigned most = 1;
  unsigned met = 0;

  // The alternatives with classes written out, for messages.
  std::string expanded() const {
    std::string text;
    for (std::string_view rest = alternatives; !rest.empty();) {
      const std::string_view word = cut(rest, '|');
      text += (text.empty() ? "" : "|") + std::string(word[0] == '@' ? wordsOfClass(word) : word);
    }
    return text;
  }

  bool accepts(std::string_view modifier) const {
    std::string_view rest = alternatives;
    while (!rest.empty()) {
      const std::string_view word = cut(rest, '|');
      if (word == modifier || (word.front() == '@' && isOfClass(modifier, word)))
        return true;
    }
    return false;
  }
};

constexpr unsigned unlimited = ~0u;

Group parseGroup(std::string_view text) {
  Group g;
  if (text.back() == '?') {
    g.least = 0;
    text.remove_suffix(1);
  } else if (text.back() == '*') {
    g.least = 0;
    g.most = unlimited;
    text.remove_suffix(1);
  } else if (text.back() == '}') {
    g.least = g.most = static_cast<unsigned>(text[text.size() - 2] - '0');
    text.remove_suffix(3);
  }
  g.alternatives = text;
  return g;
}

std::vector<Group> parseGroups(std::string_view modifiers) {
  std::vector<Group> groups;
  while (!modifiers.empty()) {
    const std::string_view word = cut(modifiers, ' ');
    if (!word.empty())
      groups.push_back(parseGroup(word));
  }
  return groups;
}

// The words of "cp.async" after its opcode, each met exactly once.
std::vector<Group> parseKey(std::string_view key) {
  std::vector<Group> groups;
  cut(key, '.');
  while (!key.empty())
    groups.push_back(Group{cut(key, '.')});
  return groups;
}

// One form against one instruction. `closeness` orders the failures.
class Match {
public:
  Match(const Instruction &instruction, std::string_view key) : i(instruction), key(key) {}

  std::optional<Problem> problem;
  unsigned closeness = 0;

  // "shared::cta" holds colons too: the operands follow the last " :".
  void run(std::string_view form) {
    const std::size_t split = form.rfind(" :");
    matchModifiers(form.substr(0, split));
    if (!problem)
      matchOperands(split == std::string_view::npos ? "" : form.substr(split + 2));
  }

private:
  const Instruction &i;
  std::string_view key;

  std::string name() const { return std::string(key); }

  void fail(std::size_t offset, std::string reason) {
    problem = Problem{offset, std::move(reason), ""};
  }

  void matchModifiers(std::string_view text) {
    std::vector<Group> groups = parseKey(key);
    for (const Group &g : parseGroups(text))
      groups.push_back(g);
    for (std::size_t m = 0; m < i.modifiers.size(); ++m) {
      if (!place(i.modifiers[m], groups))
        return fail(i.modifierOffsets[m],
                    "the modifiers of " + brief(i.spelling()) + " do not go together");
      ++closeness;
    }
    for (const Group &g : groups)
      if (g.met < g.least)
        return fail(i.opcodeOffset, shortGroup(g));
    closeness += 1000;
  }

  static bool place(std::string_view modifier, std::vector<Group> &groups) {
    for (Group &g : groups)
      if (g.met < g.most && g.accepts(modifier)) {
        ++g.met;
        return true;
      }
    return false;
  }

  std::string shortGroup(const Group &g) const {
    std::string text = brief(i.spelling()) + " lacks ";
    if (g.most > 1)
      text += std::to_string(g.most - g.met) + " more of ";
    return text + "." + g.expanded();
  }

  void matchOperands(std::string_view text) {
    std::size_t next = 0;
    while (!text.empty()) {
      const std::string_view word = cut(text, ' ');
      if (word.empty())
        continue;
      const char flag = word.size() > 1 ? word[1] : '\0';
      if (flag == '*')
        return;
      if (next == i.operands.size()) {
        if (flag == '?')
          continue;
        return fail(i.span.end, name() + " takes more than " + std::to_string(next) + " operands");
      }
      if (!fits(i.operands[next], word[0]))
        return fail(i.operands[next].span.begin, wrongOperand(next, word[0]));
      ++next;
      ++closeness;
    }
    if (next < i.operands.size())
      fail(i.operands[next].span.begin, name() + " takes " + std::to_string(next) +
                                            " operands, not " + std::to_string(i.operands.size()));
  }

  std::string wrongOperand(std::size_t index, char letter) const {
    return "operand " + std::to_string(index + 1) + " of " + name() + " must be " +
           describe(letter);
  }

  static const char *describe(char letter) {
    switch (letter) {
    case 'd':
      return "a register";
    case 'q':
      return "a register, or register|predicate";
    case 's':
    case 'n':
      return "a register or a number";
    case 'v':
      return "a register or a vector {..}";
    case 'a':
      return "an address [..]";
    case 'i':
      return "an integer constant";
    default:
      return "a predicate";
    }
  }

  static bool isRegister(const Operand &o) {
    return (o.is(Operand::Kind::AsmOperand) && o.component.empty()) ||
           o.is(Operand::Kind::Register) || o.is(Operand::Kind::Symbol);
  }
  static bool isDestination(const Operand &o) {
    return (isRegister(o) && !o.negated) || o.is(Operand::Kind::Sink);
  }
  static bool isSource(const Operand &o) {
    return (isRegister(o) && !o.negated) || o.is(Operand::Kind::Special) ||
           o.is(Operand::Kind::Immediate);
  }
  static bool isPair(const Operand &o) {
    return o.is(Operand::Kind::Pair) && isDestination(o.elements[0]) &&
           isDestination(o.elements[1]);
  }
  static bool isVector(const Operand &o) {
    if (!o.is(Operand::Kind::Vector))
      return isSource(o) || o.is(Operand::Kind::Sink);
    for (const Operand &e : o.elements)
      if (!isSource(e) && !e.is(Operand::Kind::Sink))
        return false;
    return !o.elements.empty();
  }

  static bool fits(const Operand &o, char letter) {
    switch (letter) {
    case 'd':
      return isDestination(o);
    case 'q':
      return isDestination(o) || isPair(o);
    case 's':
      return isSource(o);
    case 'v':
      return isVector(o);
    case 'a':
      return o.is(Operand::Kind::Address);
    case 'i':
      return o.is(Operand::Kind::AsmOperand) ||
             (o.is(Operand::Kind::Immediate) && o.immediate.kind == Immediate::Kind::Integer);
    case 'p':
      return isRegister(o);
    case 'n':
      return isRegister(o) || isSource(o);
    default:
      return true;
    }
  }
};

// The first modifier that no form has a place for.
std::optional<Problem> unknownModifier(const Instruction &i, std::string_view key,
                                       std::string_view forms) {
  std::vector<Group> groups = parseKey(key);
  while (!forms.empty()) {
    const std::string_view form = cut(forms, ';');
    for (const Group &g : parseGroups(form.substr(0, form.rfind(" :"))))
      groups.push_back(g);
  }
  for (std::size_t m = 0; m < i.modifiers.size(); ++m)
    if (!std::any_of(groups.begin(), groups.end(),
                     [&](const Group &g) { return g.accepts(i.modifiers[m]); }))
      return Problem{i.modifierOffsets[m],
                     "modifier ." + brief(i.modifiers[m]) + " of " + std::string(key) +
                         " is not understood",
                     ""};
  return std::nullopt;
}

} // namespace

std::optional<Problem> checkForms(const Instruction &instruction, std::string_view key,
                                  std::string_view forms) {
  if (auto problem = unknownModifier(instruction, key, forms))
    return problem;
  std::optional<Problem> best;
  unsigned closest = 0;
  do {
    Match match(instruction, key);
    match.run(cut(forms, ';'));
    if (!match.problem)
      return std::nullopt;
    if (!best || match.closeness > closest) {
      best = match.problem;
      closest = match.closeness;
    }
  } while (!forms.empty());
  return best;
}

} // namespace layout_port::ptx
