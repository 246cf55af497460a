// What the tables of this folder share: tags of sources, and bit sets of chips.
#pragma once

#include "layout_port/layouts/Isa.h"

namespace layout_port::isa {

enum class SourceTag {
#define SOURCE(tag, url, what) tag,
#include "isa/Sources.inc"
};
const Source *sourceRow(SourceTag tag);

constexpr unsigned archBit(Arch arch) { return 1u << static_cast<int>(arch); }

// A name with separators and spelling variants removed, so that two spellings of
// one instruction become the same text. See Names.cpp.
std::string normalName(std::string_view name);
// The words of a name, lower case: "mma.sync.m16n8k16" -> mma, sync, m16n8k16.
std::vector<std::string> wordsOf(std::string_view name);
// Levenshtein distance, for "did you mean".
int editDistance(std::string_view a, std::string_view b);

} // namespace layout_port::isa
