// Random damage to real spellings: tokens dropped, doubled, swapped, replaced.
// Whatever comes out is parsed or refused with a reason and an offset inside the
// text, and modifiers may change places without changing the meaning.
#include "ptx/Parser.h"
#include "ptx/decode/Decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <vector>

using namespace layout_port::ptx;

namespace {

constexpr unsigned seed = 20240607;

const std::string_view spellings[] = {
#define ACCEPTS(key, text) text,
#define REJECTS(key, text, message) text,
#include "OpcodeCases.inc"
#undef ACCEPTS
#undef REJECTS
};

const std::string_view acceptedSpellings[] = {
#define ACCEPTS(key, text) text,
#define REJECTS(key, text, message)
#include "OpcodeCases.inc"
#undef ACCEPTS
#undef REJECTS
};

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%'; }

// Words and single other characters.
std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (isWord(text[i]) && end < text.size() && isWord(text[end]))
      ++end;
    out.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &w : words)
    text += w;
  return text;
}

class Mutator {
public:
  explicit Mutator(std::mt19937 &random) : random(random) {
    for (const std::string_view s : spellings)
      for (std::string &p : pieces(s))
        vocabulary.push_back(std::move(p));
  }

  std::string mutate(std::string_view text) {
    std::vector<std::string> words = pieces(text);
    for (unsigned n = below(4) + 1; n != 0 && !words.empty(); --n)
      damage(words);
    return join(words);
  }

private:
  std::mt19937 &random;
  std::vector<std::string> vocabulary;

  std::size_t below(std::size_t n) { return random() % n; }

  void damage(std::vector<std::string> &words) {
    const std::size_t at = below(words.size());
    switch (below(4)) {
    case 0:
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), words[below(words.size())]);
      break;
    case 2:
      std::swap(words[at], words[below(words.size())]);
      break;
    default:
      words[at] = vocabulary[below(vocabulary.size())];
    }
  }
};

void parseAndDecode(const std::string &text, Spelling spelling) {
  ParseOptions options;
  options.spelling = spelling;
  const Outcome<Block> block = parse(text, options);
  if (!block) {
    EXPECT_FALSE(block.error().reason.empty()) << text;
    EXPECT_LE(block.error().offset, text.size()) << text;
    return;
  }
  for (const Instruction &i : block->instructions) {
    EXPECT_LE(i.span.end, text.size()) << text;
    const Outcome<Meaning> meaning = decode(i, *block);
    if (!meaning) {
      EXPECT_FALSE(meaning.error().reason.empty()) << text;
      EXPECT_LE(meaning.error().offset, text.size()) << text;
    }
  }
}

bool decodes(const std::string &text) {
  const Outcome<Block> block = parse(text);
  return block && decode(block->instructions.back(), *block).ok();
}

// The text with the modifiers of its last instruction in random order; types keep
// theirs, for their order has a meaning.
std::string shuffleModifiers(std::string_view text, std::mt19937 &random) {
  const Outcome<Block> block = parse(text);
  const Instruction &i = block->instructions.back();
  std::vector<std::size_t> free;
  for (std::size_t m = 0; m < i.modifiers.size(); ++m)
    if (!findType(i.modifiers[m]) && i.modifiers[m] != "row" && i.modifiers[m] != "col")
      free.push_back(m);
  std::vector<std::size_t> shuffled = free;
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  std::vector<std::string> modifiers = i.modifiers;
  for (std::size_t k = 0; k < free.size(); ++k)
    modifiers[free[k]] = i.modifiers[shuffled[k]];
  std::string out(text.substr(0, i.opcodeOffset));
  out += i.opcode;
  for (const std::string &m : modifiers)
    out += "." + m;
  return out + std::string(text.substr(i.opcodeOffset + i.spelling().size()));
}

} // namespace

TEST(PtxTester, DamagedTextIsParsedOrRefused) {
  std::mt19937 random(seed);
  Mutator mutator(random);
  for (unsigned round = 0; round < 60; ++round)
    for (const std::string_view text : spellings) {
      const std::string damaged = mutator.mutate(text);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
      for (const Spelling s : {Spelling::Extended, Spelling::Llvm, Spelling::Raw})
        parseAndDecode(damaged, s);
    }
}

TEST(PtxTester, EveryPrefixIsParsedOrRefused) {
  for (const std::string_view text : spellings)
    for (std::size_t length = 0; length <= text.size(); ++length)
      parseAndDecode(std::string(text.substr(0, length)), Spelling::Extended);
}

TEST(PtxTester, ModifiersMayChangePlaces) {
  std::mt19937 random(seed);
  for (const std::string_view text : acceptedSpellings)
    for (unsigned round = 0; round < 10; ++round) {
      const std::string shuffled = shuffleModifiers(text, random);
      EXPECT_TRUE(decodes(shuffled)) << shuffled << "\nfrom " << text << "\nseed " << seed;
    }
}
