// The LDS rows as typed values.
#include "layout_port/layouts/Lds.h"

#include "isa/Tables.h"

#include <algorithm>
#include <charconv>

namespace layout_port::isa {
namespace {

constexpr int waveLanes = 64;

struct LdsRow {
  Arch arch;
  const char *name;
  int bytes, banks;
  std::vector<uint32_t> span;
  Confidence confidence;
  SourceTag source;
};

const std::vector<LdsRow> &ldsRows() {
  static const std::vector<LdsRow> rows = {
#define SPAN(...) {__VA_ARGS__}
#define LDS(arch, name, bytes, banks, span, confidence, source)                                    \
  {Arch::arch, name, bytes, banks, span, Confidence::confidence, SourceTag::source},
#include "isa/Lds.inc"
#undef SPAN
  };
  return rows;
}

//===-- Names --------------------------------------------------------------===//

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

void replacePrefix(std::string &text, std::string_view from, std::string_view to) {
  if (startsWith(text, from))
    text = std::string(to) + text.substr(from.size());
}

// "ds_read2_b64 offset0:2 offset1:10": the offset's value (a byte), or the default.
Result<int> offsetIn(std::string_view text, std::string_view key, int otherwise) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos)
    return otherwise;
  const std::string_view digits = text.substr(at + key.size());
  int value = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (value < 0 || value > 255)
    return makeError("%.*s needs a number from 0 to 255", static_cast<int>(key.size()), key.data());
  return value;
}

struct LdsName {
  std::string base; // the row's name
  int accesses = 1;
  int offsets[2] = {0, 0};
};

// The element width of a two-address instruction, in bytes.
int widthOf(const std::string &base) { return base.find("b64") != std::string::npos ? 8 : 4; }

// ds_read2st64_b64 -> ds_read_b64 and 64 elements an offset unit; ds_read2_b64 -> 1;
// any other name stays and gives 0.
int takeApartTwoAddresses(std::string &base) {
  for (const char *stem : {"ds_read", "ds_write"})
    for (const auto &[infix, elements] : {std::pair("2st64_", 64), {"2_", 1}}) {
      const std::string prefix = std::string(stem) + infix;
      if (!startsWith(base, prefix))
        continue;
      base = std::string(stem) + "_" + base.substr(prefix.size());
      return elements;
    }
  return 0;
}

std::string oneSpelling(std::string_view text) {
  std::string base(text.substr(0, text.find(' ')));
  replacePrefix(base, "ds_load_2addr", "ds_read2");
  replacePrefix(base, "ds_store_2addr", "ds_write2");
  replacePrefix(base, "ds_load_", "ds_read_");
  replacePrefix(base, "ds_store_", "ds_write_");
  replacePrefix(base, "ds_read_i", "ds_read_u");
  replacePrefix(base, "ds_read_b16", "ds_read_u16");
  replacePrefix(base, "ds_read_b8", "ds_read_u8");
  if (const size_t half = base.find("_d16"); half != std::string::npos)
    base.erase(half);
  return base;
}

Result<LdsName> ldsName(std::string_view text) {
  LdsName name;
  name.base = oneSpelling(text);
  const int elements = takeApartTwoAddresses(name.base);
  if (elements == 0)
    return name;
  const Result<int> first = offsetIn(text, "offset0:", 0), second = offsetIn(text, "offset1:", 1);
  if (!first || !second)
    return first ? second.error() : first.error();
  const int unit = elements * widthOf(name.base);
  name.accesses = 2;
  name.offsets[0] = unit * *first;
  name.offsets[1] = unit * *second;
  return name;
}

const LdsRow *findRow(const std::string &name, Arch arch) {
  for (const LdsRow &row : ldsRows())
    if (row.arch == arch && name == row.name)
      return &row;
  return nullptr;
}

// CDNA1 and CDNA2 borrow the rows of CDNA3.
Arch archOfRows(Arch arch) {
  return arch == Arch::Gfx908 || arch == Arch::Gfx90a ? Arch::Gfx942 : arch;
}

Error unknownInstruction(std::string_view name, Arch arch) {
  std::string known;
  for (const std::string &row : ldsInstructionNames(arch))
    known += (known.empty() ? "" : ", ") + row;
  if (known.empty())
    return makeError("no published LDS phases for %s", archName(arch));
  return makeError("unknown LDS instruction '%.*s' on %s; known: %s", static_cast<int>(name.size()),
                   name.data(), archName(arch), known.c_str());
}

void lower(LdsInstruction &instruction, Confidence confidence, const std::string &why) {
  instruction.confidence = std::min(instruction.confidence, confidence);
  instruction.note += (instruction.note.empty() ? "" : "; ") + why;
}

} // namespace

Result<LdsInstruction> ldsInstruction(std::string_view text, Arch arch) {
  const Result<LdsName> name = ldsName(text);
  if (!name)
    return name.error();
  const LdsRow *row = findRow(name->base, archOfRows(arch));
  if (!row)
    return unknownInstruction(text, arch);
  const Source *source = sourceRow(row->source);
  LdsInstruction out{arch,
                     row->name,
                     row->bytes,
                     row->banks,
                     row->span,
                     name->accesses,
                     {name->offsets[0], name->offsets[1]},
                     row->confidence,
                     source,
                     *source->url ? "" : source->what};
  if (archOfRows(arch) != arch)
    lower(out, Confidence::Low, "lane groups of this chip are not published: gfx942's assumed");
  if (name->accesses == 2)
    lower(out, Confidence::Unknown, "two-address access counted as two accesses");
  return out;
}

std::vector<std::string> ldsInstructionNames(Arch arch) {
  std::vector<std::string> names;
  for (const LdsRow &row : ldsRows())
    if (row.arch == archOfRows(arch))
      names.emplace_back(row.name);
  return names;
}

// The cosets of the span: the phase of lane l is {l ^ s}.
std::vector<std::vector<int>> LdsInstruction::phases() const {
  std::vector<std::vector<int>> out;
  std::vector<bool> seen(waveLanes);
  for (int lane = 0; lane < waveLanes; ++lane) {
    if (seen[lane])
      continue;
    std::vector<int> phase = {lane};
    for (const uint32_t mask : phaseSpan)
      for (size_t i = 0, n = phase.size(); i < n; ++i)
        phase.push_back(phase[i] ^ static_cast<int>(mask));
    for (const int member : phase)
      seen[member] = true;
    std::sort(phase.begin(), phase.end());
    out.push_back(std::move(phase));
  }
  return out;
}

const LdsTime &ldsTime(bool isWrite, int bytes) {
  static const LdsTime times[] = {
#define LDS_TIME(name, issue, latency, confidence, source)                                         \
  {name, issue, latency, Confidence::confidence, sourceRow(SourceTag::source)},
#include "isa/LdsTimes.inc"
  };
  const std::string name =
      std::string(isWrite ? "ds_write_b" : "ds_read_b") + (bytes <= 4   ? "32"
                                                           : bytes <= 8 ? "64"
                                                                        : "128");
  return *std::find_if(std::begin(times), std::end(times),
                       [&](const LdsTime &time) { return name == time.name; });
}

//===-- Transposing reads --------------------------------------------------===//

const std::vector<LdsTransposeRead> &ldsTransposeReads(Arch arch) {
  static const std::vector<LdsTransposeRead> none;
  static const std::vector<LdsTransposeRead> rows = {
#define DS_READ_TR(name, builtin, elementBits, laneBits, confidence, source)                       \
  {name, builtin, elementBits, laneBits, Confidence::confidence, sourceRow(SourceTag::source)},
#include "isa/LdsTransposeReads.inc"
  };
  return arch == Arch::Gfx950 ? rows : none;
}

// Within a group of 16: (lane c, element r) <- (lane c / E + (16 / E) r, element c % E).
Result<LinearLayout> transposeReadLayout(const LdsTransposeRead &read) {
  if (read.confidence == Confidence::Unknown)
    return makeError("%s: no source says which lane gets which element", read.name);
  constexpr int group = 16;
  const int elements = read.laneBits / read.elementBits;
  const auto sourceOf = [&](int lane, int element) {
    const int c = lane % group;
    return LinearLayout::Basis{
        static_cast<uint64_t>(c % elements),
        static_cast<uint64_t>(lane - c + c / elements + group / elements * element)};
  };
  LinearLayout::NamedBases bases = {{"register", {}}, {"lane", {}}};
  for (int r = 1; r < elements; r *= 2)
    bases[0].second.push_back(sourceOf(0, r));
  for (int lane = 1; lane < waveLanes; lane *= 2)
    bases[1].second.push_back(sourceOf(lane, 0));
  return LinearLayout::fromBases(
      bases, LinearLayout::NamedSizes{{"src_register", static_cast<uint64_t>(elements)},
                                      {"src_lane", waveLanes}});
}

//===-- Async copies and hazards -------------------------------------------===//

std::vector<int> asyncCopyBytes(Arch arch) {
  struct Row {
    int bytes;
    unsigned archs;
  };
  constexpr unsigned Gfx908 = archBit(Arch::Gfx908), Gfx90a = archBit(Arch::Gfx90a),
                     Gfx942 = archBit(Arch::Gfx942), Gfx950 = archBit(Arch::Gfx950);
  static const Row rows[] = {
#define ASYNC_COPY(bytes, archs, builtin, source) {bytes, archs},
#include "isa/AsyncCopies.inc"
  };
  std::vector<int> out;
  for (const Row &row : rows)
    if (row.archs & archBit(arch))
      out.push_back(row.bytes);
  return out;
}

Result<int> waitStates(std::string_view producer, std::string_view consumer, Arch arch) {
  struct Row {
    std::string_view producer, consumer;
    int states[4]; // gfx908, gfx90a, gfx942, gfx950
  };
  static const Row rows[] = {
#define HAZARD(producer, consumer, c908, c90a, c942, c950, source)                                 \
  {producer, consumer, {c908, c90a, c942, c950}},
#include "isa/Hazards.inc"
  };
  const int column = static_cast<int>(arch);
  for (const Row &row : rows)
    if (row.producer == producer && row.consumer == consumer && column < 4 &&
        row.states[column] >= 0)
      return row.states[column];
  return makeError("no wait states known for %.*s -> %.*s on %s", static_cast<int>(producer.size()),
                   producer.data(), static_cast<int>(consumer.size()), consumer.data(),
                   archName(arch));
}

} // namespace layout_port::isa
