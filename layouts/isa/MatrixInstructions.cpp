// The rows of matrix instructions as typed values, and finding one by name.
#include "isa/Tables.h"

#include <algorithm>
#include <map>
#include <set>

namespace layout_port::isa {
namespace {

//===-- The rows -----------------------------------------------------------===//

constexpr unsigned maskOfCycles(const std::array<uint16_t, kNumArchs> &cycles) {
  unsigned mask = 0;
  for (int arch = 0; arch < kNumArchs; ++arch)
    mask |= cycles[arch] ? 1u << arch : 0;
  return mask;
}

std::array<uint16_t, kNumArchs> cyclesOnly(Arch arch, int cycles) {
  std::array<uint16_t, kNumArchs> out{};
  out[static_cast<int>(arch)] = static_cast<uint16_t>(cycles);
  return out;
}

// A second source makes a row sure; a formula carried over to a new shape is
// weaker evidence than a table.
Confidence confidenceOf(SourceTag source, SourceTag second) {
  if (second == SourceTag::NoSource)
    return source == SourceTag::ClosedForm ? Confidence::MediumLow : Confidence::Medium;
  const bool carriedOver = source == SourceTag::ClosedForm || second == SourceTag::ClosedForm;
  return carriedOver ? Confidence::MediumHigh : Confidence::High;
}

MatrixInstruction withSources(MatrixInstruction row, SourceTag source, SourceTag second) {
  row.source = sourceRow(source);
  row.secondSource = sourceRow(second);
  row.confidence = confidenceOf(source, second);
  return row;
}

std::vector<MatrixInstruction> buildRows() {
  using E = ElementType;
  using F = FragmentForm;
  constexpr unsigned nvidia = archBit(Arch::Nvidia);
  std::vector<MatrixInstruction> rows;
  const auto add = [&rows](const MatrixInstruction &row, SourceTag source, SourceTag second) {
    rows.push_back(withSources(row, source, second));
  };
#define MFMA(name, builtin, m, n, k, blocks, a, b, acc, input, result, c908, c90a, c942, c950,     \
             source, second)                                                                       \
  add({MatrixFamily::Mfma,                                                                         \
       name,                                                                                       \
       builtin,                                                                                    \
       "",                                                                                         \
       maskOfCycles({c908, c90a, c942, c950}),                                                     \
       64,                                                                                         \
       1,                                                                                          \
       m,                                                                                          \
       n,                                                                                          \
       k,                                                                                          \
       blocks,                                                                                     \
       E::a,                                                                                       \
       E::b,                                                                                       \
       E::acc,                                                                                     \
       F::input,                                                                                   \
       F::input,                                                                                   \
       F::result,                                                                                  \
       1,                                                                                          \
       {c908, c90a, c942, c950},                                                                   \
       nullptr,                                                                                    \
       nullptr,                                                                                    \
       Confidence::Unknown},                                                                       \
      SourceTag::source, SourceTag::second);
#include "isa/Mfma.inc"
#define WMMA(name, builtin, arch, wave, m, n, k, a, b, acc, input, result, slots, cycles, source,  \
             second)                                                                               \
  add({MatrixFamily::Wmma,                                                                         \
       name,                                                                                       \
       builtin,                                                                                    \
       "",                                                                                         \
       archBit(Arch::arch),                                                                        \
       wave,                                                                                       \
       1,                                                                                          \
       m,                                                                                          \
       n,                                                                                          \
       k,                                                                                          \
       1,                                                                                          \
       E::a,                                                                                       \
       E::b,                                                                                       \
       E::acc,                                                                                     \
       F::input,                                                                                   \
       F::input,                                                                                   \
       F::result,                                                                                  \
       slots,                                                                                      \
       cyclesOnly(Arch::arch, cycles),                                                             \
       nullptr,                                                                                    \
       nullptr,                                                                                    \
       Confidence::Unknown},                                                                       \
      SourceTag::source, SourceTag::second);
#include "isa/Wmma.inc"
#define MMA_SYNC(name, types, m, n, k, blocks, input, acc, formA, formB, formAcc, source, second)  \
  add({MatrixFamily::MmaSync,                                                                      \
       name,                                                                                       \
       "",                                                                                         \
       types,                                                                                      \
       nvidia,                                                                                     \
       32,                                                                                         \
       1,                                                                                          \
       m,                                                                                          \
       n,                                                                                          \
       k,                                                                                          \
       blocks,                                                                                     \
       E::input,                                                                                   \
       E::input,                                                                                   \
       E::acc,                                                                                     \
       F::formA,                                                                                   \
       F::formB,                                                                                   \
       F::formAcc,                                                                                 \
       1,                                                                                          \
       {},                                                                                         \
       nullptr,                                                                                    \
       nullptr,                                                                                    \
       Confidence::Unknown},                                                                       \
      SourceTag::source, SourceTag::second);
#include "isa/MmaSync.inc"
#define WGMMA(name, types, m, n, k, input, acc, source, second)                                    \
  add({MatrixFamily::Wgmma,                                                                        \
       name,                                                                                       \
       "",                                                                                         \
       types,                                                                                      \
       nvidia,                                                                                     \
       32,                                                                                         \
       4,                                                                                          \
       m,                                                                                          \
       n,                                                                                          \
       k,                                                                                          \
       1,                                                                                          \
       E::input,                                                                                   \
       E::input,                                                                                   \
       E::acc,                                                                                     \
       F::PtxA,                                                                                    \
       F::None,                                                                                    \
       F::PtxC,                                                                                    \
       1,                                                                                          \
       {},                                                                                         \
       nullptr,                                                                                    \
       nullptr,                                                                                    \
       Confidence::Unknown},                                                                       \
      SourceTag::source, SourceTag::second);
#include "isa/Wgmma.inc"
#define MATRIX_MOVE(name, mnemonic, matrices, form, source, second)                                \
  add({MatrixFamily::MatrixMove,                                                                   \
       name,                                                                                       \
       "",                                                                                         \
       mnemonic,                                                                                   \
       nvidia,                                                                                     \
       32,                                                                                         \
       1,                                                                                          \
       8,                                                                                          \
       8,                                                                                          \
       8,                                                                                          \
       matrices,                                                                                   \
       E::F16,                                                                                     \
       E::F16,                                                                                     \
       E::F16,                                                                                     \
       F::form,                                                                                    \
       F::form,                                                                                    \
       F::form,                                                                                    \
       1,                                                                                          \
       {},                                                                                         \
       nullptr,                                                                                    \
       nullptr,                                                                                    \
       Confidence::Unknown},                                                                       \
      SourceTag::source, SourceTag::second);
#include "isa/MatrixMoves.inc"
  return rows;
}

using Matches = std::vector<const MatrixInstruction *>;

//===-- AMD names ----------------------------------------------------------===//

struct AmdName {
  std::string key;
  int wave = 0; // what the name says, 0 if nothing
};

bool dropSuffix(std::string &text, std::string_view suffix) {
  if (text.size() < suffix.size() ||
      text.compare(text.size() - suffix.size(), suffix.size(), suffix) != 0)
    return false;
  text.erase(text.size() - suffix.size());
  return true;
}

// wmma_..._tied_w64_gfx12 -> wmma_..., wave 64
AmdName amdName(std::string_view name) {
  AmdName out{normalName(name)};
  dropSuffix(out.key, "_gfx12");
  if (dropSuffix(out.key, "_w32"))
    out.wave = 32;
  else if (dropSuffix(out.key, "_w64"))
    out.wave = 64;
  dropSuffix(out.key, "_tied");
  return out;
}

bool isBlockCount(const std::string &word) {
  return word.size() > 1 && word.back() == 'b' &&
         std::all_of(word.begin(), word.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
}

// Without the words that some spellings leave out: block counts, the _1k of the
// four-element bf16 builtins, the "scale" of f8f6f4.
std::string relaxed(const std::string &key) {
  std::string out;
  for (const std::string &word : wordsOf(key))
    if (word != "1k" && word != "scale" && !isBlockCount(word))
      out += "_" + word;
  return out;
}

// Every key an AMD row answers to, once; names are looked up often.
struct AmdKeys {
  std::multimap<std::string, const MatrixInstruction *> exact, loose;
};

AmdKeys buildAmdKeys() {
  AmdKeys keys;
  for (const MatrixInstruction &row : matrixInstructions()) {
    if (!*row.builtin)
      continue;
    const std::set<std::string> names = {amdName(row.name).key, amdName(row.builtin).key};
    std::set<std::string> looseNames;
    for (const std::string &name : names) {
      keys.exact.emplace(name, &row);
      looseNames.insert(relaxed(name));
    }
    for (const std::string &name : looseNames)
      keys.loose.emplace(name, &row);
  }
  return keys;
}

Matches valuesOf(const std::multimap<std::string, const MatrixInstruction *> &keys,
                 const std::string &key) {
  Matches out;
  const auto [first, last] = keys.equal_range(key);
  for (auto it = first; it != last; ++it)
    out.push_back(it->second);
  return out;
}

// An exact name, or what a looser reading finds where no row has that name.
Matches amdMatches(const std::string &key) {
  static const AmdKeys keys = buildAmdKeys();
  return keys.exact.count(key) ? valuesOf(keys.exact, key) : valuesOf(keys.loose, relaxed(key));
}

//===-- PTX names ----------------------------------------------------------===//

bool hasWord(const std::vector<std::string> &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool isPtxType(const std::string &word) {
  static const char *const types[] = {"f64",  "f32",  "tf32", "f16", "bf16", "e4m3", "e5m2", "e3m2",
                                      "e2m3", "e2m1", "s32",  "s8",  "u8",   "s4",   "u4",   "b1"};
  return std::find(std::begin(types), std::end(types), word) != std::end(types);
}

struct PtxName {
  std::string opcode, shape;
  std::vector<std::string> types, orders; // orders: row, col as given
  std::vector<std::string> words;
};

PtxName ptxName(std::string_view text) {
  PtxName out;
  out.words = wordsOf(text);
  out.opcode = out.words.empty() ? "" : out.words[0];
  for (const std::string &word : out.words) {
    if (isPtxType(word))
      out.types.push_back(word);
    else if (word == "row" || word == "col")
      out.orders.push_back(word);
    else if (word.size() > 4 && word[0] == 'm' && word.find('k') != std::string::npos &&
             word.find('n') != std::string::npos)
      out.shape = word;
  }
  return out;
}

// PTX writes D.A.B.C or D.A.B; short names write A, or A and the accumulator.
struct PtxTypes {
  std::string a, b, acc;
};
PtxTypes ptxTypes(const std::vector<std::string> &types) {
  switch (types.size()) {
  case 0:
    return {};
  case 1:
    return {types[0], types[0], ""};
  case 2:
    return types[0] == "f32" || types[0] == "s32" ? PtxTypes{types[1], types[1], types[0]}
                                                  : PtxTypes{types[0], types[0], types[1]};
  default:
    return {types[1], types[2], types[0]};
  }
}

bool isQuadPair(const MatrixInstruction &row) {
  return row.formAcc == FragmentForm::QuadPairC16 || row.formAcc == FragmentForm::QuadPairC32;
}

bool holdsType(const MatrixInstruction &row, const std::string &type) {
  return type.empty() || hasWord(wordsOf(row.types), type);
}

// mma.m8n8k4.f16.row.col.f32: both orders and the accumulator choose the row; left
// out they mean row, col and f32.
bool quadPairMatches(const MatrixInstruction &row, const PtxName &name, const PtxTypes &types) {
  const std::string a = name.orders.empty() ? "row" : name.orders[0];
  const std::string b = name.orders.size() < 2 ? "col" : name.orders[1];
  const std::string acc = types.acc.empty() ? "f32" : types.acc;
  return std::string(row.name) == "mma.m8n8k4.f16." + a + "." + b + "." + acc;
}

std::string shapeText(const MatrixInstruction &row) {
  return "m" + std::to_string(row.m) + "n" + std::to_string(row.n) + "k" + std::to_string(row.k);
}

Matches multiplyMatches(const PtxName &name, MatrixFamily family) {
  const PtxTypes types = ptxTypes(name.types);
  Matches out;
  for (const MatrixInstruction &row : matrixInstructions()) {
    if (row.family != family || shapeText(row) != name.shape)
      continue;
    if (!holdsType(row, types.a) || !holdsType(row, types.b))
      continue;
    if (!isQuadPair(row) || quadPairMatches(row, name, types))
      out.push_back(&row);
  }
  return out;
}

bool isPlainMoveWord(const std::string &word) {
  static const char *const known[] = {"ldmatrix", "stmatrix", "movmatrix", "sync",    "aligned",
                                      "m8n8",     "x1",       "x2",        "x4",      "trans",
                                      "shared",   "cta",      "b16",       "volatile"};
  return std::find(std::begin(known), std::end(known), word) != std::end(known);
}

// x1, x2 or x4 if the name has one, and .trans or not; movmatrix has no choice.
bool agreesInCountAndTrans(const MatrixInstruction &row, const PtxName &name) {
  if (row.formAcc == FragmentForm::Movmatrix)
    return true;
  const std::vector<std::string> words = wordsOf(row.name);
  for (const char *count : {"x1", "x2", "x4"})
    if (hasWord(name.words, count) && !hasWord(words, count))
      return false;
  return hasWord(words, "trans") == hasWord(name.words, "trans");
}

Matches moveMatches(const PtxName &name) {
  Matches out;
  if (!std::all_of(name.words.begin(), name.words.end(), isPlainMoveWord))
    return out; // b8, m16n16 and the like
  for (const MatrixInstruction &row : matrixInstructions()) {
    if (row.family != MatrixFamily::MatrixMove || name.opcode != row.types)
      continue;
    if (agreesInCountAndTrans(row, name))
      out.push_back(&row);
  }
  return out;
}

Matches ptxMatches(std::string_view text) {
  const PtxName name = ptxName(text);
  if (name.opcode == "ldmatrix" || name.opcode == "stmatrix" || name.opcode == "movmatrix")
    return moveMatches(name);
  // Sparse and block-scaled products have operands that the tables do not describe.
  for (const char *word : {"sp", "ordered", "block", "scale", "kind"})
    if (hasWord(name.words, word))
      return {};
  return multiplyMatches(name,
                         name.opcode == "wgmma" ? MatrixFamily::Wgmma : MatrixFamily::MmaSync);
}

bool isPtx(std::string_view name) {
  const std::vector<std::string> words = wordsOf(name);
  if (words.empty())
    return false;
  for (const char *opcode : {"mma", "wgmma", "ldmatrix", "stmatrix", "movmatrix"})
    if (words[0] == opcode)
      return true;
  return false;
}

//===-- Errors that help ---------------------------------------------------===//

std::string archList(unsigned archs) {
  std::string out;
  for (int arch = 0; arch < kNumArchs; ++arch)
    if (archs >> arch & 1)
      out += (out.empty() ? "" : ", ") + std::string(archName(static_cast<Arch>(arch)));
  return out;
}

// The three nearest names on these chips.
std::string nearestNames(std::string_view name, unsigned archs) {
  const std::string key = normalName(name);
  std::vector<std::pair<int, std::string>> ranked;
  for (const MatrixInstruction &row : matrixInstructions())
    if (row.archs & archs)
      ranked.emplace_back(editDistance(key, normalName(row.name)), row.name);
  std::sort(ranked.begin(), ranked.end());
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
  std::string out;
  for (size_t i = 0; i < ranked.size() && i < 3; ++i)
    out += (i ? ", " : "") + ranked[i].second;
  return out;
}

// Longer than any name there is: not worth comparing with all of them.
constexpr size_t longestName = 128;

Error unknownName(std::string_view name, unsigned archs) {
  if (name.size() > longestName)
    return makeError("unknown matrix instruction '%.*s...' of %zu characters", 40, name.data(),
                     name.size());
  return makeError("unknown matrix instruction '%.*s'; nearest: %s", static_cast<int>(name.size()),
                   name.data(), nearestNames(name, archs).c_str());
}

Error ambiguousName(std::string_view name, const Matches &matches) {
  std::string names;
  for (const MatrixInstruction *row : matches)
    names += (names.empty() ? "" : ", ") + std::string(row->name);
  return makeError("'%.*s' may mean %s: say which", static_cast<int>(name.size()), name.data(),
                   names.c_str());
}

Result<const MatrixInstruction *> onlyMatch(std::string_view name, Matches matches, Arch arch) {
  if (matches.empty())
    return unknownName(name, archBit(arch));
  unsigned anywhere = 0;
  for (const MatrixInstruction *row : matches)
    anywhere |= row->archs;
  matches.erase(std::remove_if(matches.begin(), matches.end(),
                               [arch](const auto *row) { return !row->availableOn(arch); }),
                matches.end());
  if (matches.empty())
    return makeError("%.*s exists on %s, not on %s; nearest there: %s",
                     static_cast<int>(name.size()), name.data(), archList(anywhere).c_str(),
                     archName(arch), nearestNames(name, archBit(arch)).c_str());
  // f8f6f4 has a row for each operand width under one builtin: the first, 8 bits.
  const bool sameBuiltin = std::all_of(matches.begin(), matches.end(), [&](const auto *row) {
    return *row->builtin && std::string_view(row->builtin) == matches[0]->builtin;
  });
  if (matches.size() > 1 && !sameBuiltin)
    return ambiguousName(name, matches);
  return matches[0];
}

Matches ofWave(const Matches &matches, int wave) {
  Matches out;
  for (const MatrixInstruction *row : matches)
    if (row->family != MatrixFamily::Wmma || row->waveSize == wave)
      out.push_back(row);
  return out;
}

} // namespace

const std::vector<MatrixInstruction> &matrixInstructions() {
  static const std::vector<MatrixInstruction> rows = buildRows();
  return rows;
}

std::string MatrixInstruction::mnemonic(Arch arch) const {
  const std::string_view text(name);
  if (family != MatrixFamily::Mfma)
    return name;
  if (arch == Arch::Gfx908 || arch == Arch::Gfx90a)
    return "v_" + std::string(builtin);
  return std::string(text.substr(0, text.find('.'))); // without the operand width of f8f6f4
}

std::string MatrixInstruction::provenance() const {
  if (singleSource())
    return std::string("single source: ") + source->what + " (" + source->url + ")";
  return std::string(source->what) + "; and independently " + secondSource->what;
}

Result<const MatrixInstruction *> findMatrixInstruction(std::string_view name, Arch arch,
                                                        int waveSize) {
  if (isPtx(name))
    return onlyMatch(name, ptxMatches(name), arch);
  const AmdName amd = amdName(name);
  if (amd.wave && waveSize && amd.wave != waveSize)
    return makeError("%.*s is for waves of %d, not of %d", static_cast<int>(name.size()),
                     name.data(), amd.wave, waveSize);
  const int wave = amd.wave ? amd.wave : waveSize ? waveSize : 32;
  return onlyMatch(name, ofWave(amdMatches(amd.key), wave), arch);
}

Result<const MatrixInstruction *> findMatrixInstruction(std::string_view name) {
  if (isPtx(name))
    return findMatrixInstruction(name, Arch::Nvidia);
  unsigned archs = 0;
  for (const MatrixInstruction *row : amdMatches(amdName(name).key))
    archs |= row->archs;
  for (const Arch arch :
       {Arch::Gfx950, Arch::Gfx942, Arch::Gfx90a, Arch::Gfx908, Arch::Gfx12, Arch::Gfx11})
    if (archs & archBit(arch))
      return findMatrixInstruction(name, arch);
  return unknownName(name, ~0u);
}

std::pair<std::string_view, char> splitOperand(std::string_view name) {
  if (name.size() > 2 && name[name.size() - 2] == '.')
    for (const char operand : {'A', 'B', 'C', 'D'})
      if (name.back() == operand)
        return {name.substr(0, name.size() - 2), operand};
  return {name, 0};
}

namespace {

Result<const MatrixInstruction *> findAsTyped(std::string_view name, std::string_view arch,
                                              int waveSize) {
  if (isPtx(name))
    return findMatrixInstruction(name, Arch::Nvidia);
  if (arch.empty())
    return findMatrixInstruction(name);
  const Result<Arch> chip = parseArch(arch);
  if (!chip)
    return chip.error();
  return findMatrixInstruction(name, *chip, waveSize);
}

} // namespace

Result<LinearLayout> operandLayout(std::string_view name, std::string_view operand,
                                   std::string_view arch, int waveSize) {
  const auto [instruction, inName] = splitOperand(name);
  const Result<const MatrixInstruction *> row = findAsTyped(instruction, arch, waveSize);
  if (!row)
    return row.error();
  if (operand.size() == 1 && inName && operand[0] != inName)
    return makeError("operand %c in the name, %c beside it", inName, operand[0]);
  if (operand.size() > 1)
    return makeError("operand '%.*s': expected A, B, C or D", static_cast<int>(operand.size()),
                     operand.data());
  const char which = operand.empty() ? inName : operand[0];
  if (!which && (*row)->family != MatrixFamily::MatrixMove)
    return makeError("which operand of %s? A, B, C or D", (*row)->name);
  return operandLayout(**row, which ? which : 'D');
}

} // namespace layout_port::isa
