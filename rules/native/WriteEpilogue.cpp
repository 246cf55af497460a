#include "native/WriteEpilogue.h"

#include "tensor/layout/Lanes.h"

#include <algorithm>
#include <tuple>

namespace layout_port::native {

namespace {

constexpr int kLaneBits = 6;

// Which of CUDA's indices a named bit belongs to, and its bit there.
struct Meaning {
  enum Kind { Lane, Warp, Tile, Lower, Neighbour } kind = Lane;
  int bit = 0;
};

//   CUDA  lane 0-4 = n1 n2 m0 m1 m2   register 0, 1 = n0 m3   warp = h   tile = j
Meaning meaningOf(const std::string &name) {
  const int digit = name.size() > 1 ? name[1] - '0' : 0;
  if (name[0] == 'h')
    return {Meaning::Warp, 0};
  if (name[0] == 'j' || name[0] == 'i')
    return {Meaning::Tile, digit};
  if (name[0] == 'n')
    return digit == 0 ? Meaning{Meaning::Neighbour, 0} : Meaning{Meaning::Lane, digit - 1};
  return digit == 3 ? Meaning{Meaning::Lower, 0} : Meaning{Meaning::Lane, digit + 2};
}

class PairWriter {
public:
  PairWriter(const PairForm &form, const Scheme &scheme)
      : form_(form), names_(resultNames(scheme)), inHalves_(form.isPacked && scheme.turned) {}

  // A function for what all calls have in common, and a call for each register that is not
  // a second neighbour: neighbours along n one after the other, warp by warp.
  //
  //   const auto hand = [&](int n, int h, const T &first, const T &second) { ... };
  //   hand(0, 0, d0[0], d1[0]);
  std::string calls() const {
    std::vector<Held> all;
    const int registers = isOfWords() ? 2 : 4;
    for (int tile = 0; tile < form_.tiles; ++tile)
      for (int r = 0; r < registers; ++r)
        if (!constantOf(Meaning::Neighbour, tile, r) &&
            !(form_.isOfOneWarp && constantOf(Meaning::Warp, tile, r)))
          all.push_back(heldBy(tile, r));
    std::stable_sort(all.begin(), all.end(), [](const Held &a, const Held &b) {
      return std::tie(a.warp, a.tile, a.lane) < std::tie(b.warp, b.tile, b.lane);
    });
    const auto varies = [&](uint64_t Held::*part) {
      return std::any_of(all.begin(), all.end(), [&](const Held &held) { return held.*part; });
    };
    const bool lanes = form_.takesLane && varies(&Held::lane);
    const bool warps = (form_.takesWarp || form_.takesPair) && varies(&Held::warp);
    const bool tiles = form_.takesTile && varies(&Held::tile);
    std::string text = handFunction(lanes, warps, tiles);
    for (const Held &held : all) {
      std::string arguments;
      for (const auto &[takes, value] :
           {std::pair(lanes, held.lane), {warps, held.warp}, {tiles, held.tile}})
        if (takes)
          arguments += std::to_string(value) + ", ";
      text += "  hand(" + arguments + held.elements + ");\n";
    }
    return text;
  }

  // d, e, ...: followed by the number of the tile. 'f' is the function.
  static std::string nameOf(int array) { return std::string(1, "degk"[array]); }

private:
  // What the register and the tile say of CUDA's indices, the lane's bits being 0.
  struct Held {
    uint64_t lane = 0, warp = 0, tile = 0;
    std::string elements;
  };

  Held heldBy(int tile, int r) const {
    Held held;
    held.lane = constantOf(Meaning::Lane, tile, r);
    held.warp = constantOf(Meaning::Warp, tile, r);
    held.tile = constantOf(Meaning::Tile, tile, r);
    for (int array = 0; array < form_.arrays; ++array)
      held.elements += (array ? ", " : "") + (inHalves_     ? wordOf(array, tile, r)
                                              : isOfWords() ? element(array, tile, r)
                                                            : element(array, tile, r) + ", " +
                                                                  neighbourOf(array, tile, r));
    return held;
  }

  // A register is a word of two neighbours, as CUDA has it.
  bool isOfWords() const { return form_.isPacked && !inHalves_; }

  // Of a turned result the halves of a word are n2, and the neighbour is in another tile's word:
  // the lower or the upper half of both.
  std::string wordOf(int array, int tile, int r) const {
    const auto in = [&](int t) {
      return "bits<unsigned>(" + nameOf(array) + std::to_string(t) + "[" + std::to_string(r >> 1) +
             "])";
    };
    const auto n0 = std::find(names_.tiles.begin(), names_.tiles.end(), "n0");
    const int neighbour = tile | 1 << (n0 - names_.tiles.begin());
    return "bits<T>(__builtin_amdgcn_perm(" + in(neighbour) + ", " + in(tile) + ", " +
           (r & 1 ? "0x07060302u" : "0x05040100u") + "))";
  }

  std::string handFunction(bool lanes, bool warps, bool tiles) const {
    std::string parameters, arguments;
    for (const auto &[takes, name] : {std::pair(lanes, "n"), {warps, "h"}, {tiles, "j"}})
      if (takes)
        parameters += std::string("int ") + name + ", ";
    const auto argument = [&](bool takes, const std::string &value) {
      if (takes)
        arguments += value + ", ";
    };
    argument(form_.takesLane, joined(joined(text(Meaning::Lane), ofTile(Meaning::Lane), "|"),
                                     lanes ? "n" : "", "|"));
    argument(form_.takesWarp, warpText(warps));
    argument(form_.takesTile, tileText(tiles));
    argument(form_.takesLower, "l >> 3 & 1");
    argument(form_.takesPair, warps ? "h" : "0");
    const std::string element = form_.changes ? "T &" : "const T &";
    std::string taken, made, kept, values;
    for (int array = 0; array < form_.arrays; ++array) {
      const std::string n = array ? std::to_string(array + 1) : "", before = array ? ", " : "";
      taken += before + (form_.isPacked ? element + "word" + n
                                        : element + "first" + n + ", " + element + "second" + n);
      made += std::string("    ") + (form_.changes ? "" : "const ") + "T v" + n + "[] = {first" +
              n + ", second" + n + "};\n";
      kept += "    first" + n + " = v" + n + "[0];\n    second" + n + " = v" + n + "[1];\n";
      values += before + (form_.isPacked ? "word" : "v") + n;
    }
    if (form_.isPacked)
      return "  const auto hand = [&](" + parameters + taken + ") { f(" + arguments + values +
             "); };\n";
    return "  const auto hand = [&](" + parameters + taken + ") {\n" + made + "    f(" + arguments +
           values + ");\n" + (form_.changes ? kept : "") + "  };\n";
  }

  // Bits that exclude each other: the lane's and a register's.
  static std::string joined(const std::string &bits, const std::string &more,
                            const std::string &by) {
    if (bits == "0" || more.empty())
      return more.empty() ? bits : more;
    return "(" + bits + ") " + by + " " + more;
  }

  // The names of a register's index bits: r0 (unless packed), r1.
  std::vector<std::string> registerNames() const {
    return isOfWords() ? std::vector<std::string>{names_.registers[1]} : names_.registers;
  }

  // What the tile and register index bits say of one of CUDA's indices.
  uint64_t constantOf(Meaning::Kind kind, int tile, int r) const {
    uint64_t value = 0;
    const auto add = [&](const std::vector<std::string> &names, int index) {
      for (size_t i = 0; i < names.size(); ++i)
        if (const Meaning m = meaningOf(names[i]); m.kind == kind && index >> i & 1)
          value |= uint64_t(1) << m.bit;
    };
    add(registerNames(), r);
    if (form_.tiles > 1)
      add(names_.tiles, tile);
    return value;
  }

  // ... and the lane's bits.
  std::string text(Meaning::Kind kind) const {
    f2::Columns columns(kLaneBits, 0);
    for (int i = 0; i < kLaneBits; ++i)
      if (const std::string &name = names_.lanes[i]; name != "pad" && !name.empty())
        if (const Meaning m = meaningOf(name); m.kind == kind)
          columns[i] = uint64_t(1) << m.bit;
    return f2Expression({{"l", columns}}, 0);
  }

  // What the number of a tile that is handed over by itself says of it: its lowest bit.
  std::string ofTile(Meaning::Kind kind) const {
    if (form_.tiles > 1 || names_.tiles.empty() || meaningOf(names_.tiles[0]).kind != kind)
      return "";
    const int bit = meaningOf(names_.tiles[0]).bit;
    return bit ? "(tile & 1) << " + std::to_string(bit) : "(tile & 1)";
  }

  std::string warpText(bool varies) const {
    if (form_.isOfOneWarp)
      return "first_warp() + h";
    if (!ofTile(Meaning::Warp).empty())
      return "first_warp() + " + ofTile(Meaning::Warp);
    if (varies)
      return "first_warp() + h";
    const std::string which = text(Meaning::Warp);
    return which == "0" ? "first_warp()" : "first_warp() + (" + which + ")";
  }

  // Of the tile index, the bits that the lane and the registers decide.
  std::string tileText(bool varies) const {
    uint64_t mask = 0;
    for (size_t i = 0; i < names_.tiles.size(); ++i)
      mask |= uint64_t(1) << i;
    if (!mask)
      return "tile";
    return "(tile & ~" + std::to_string(mask) + ") | " +
           (varies ? joined(text(Meaning::Tile), "j", "|") : "(" + text(Meaning::Tile) + ")");
  }

  // Of one warp: the register's bit h is the argument.
  std::string element(int array, int tile, int r) const {
    const std::string name = nameOf(array) + (form_.tiles > 1 ? std::to_string(tile) : "");
    if (!form_.isOfOneWarp)
      return name + "[" + std::to_string(r) + "]";
    return name + "[" + (form_.isPacked ? "h" : "2 * h" + (r ? " + " + std::to_string(r) : "")) +
           "]";
  }

  // The register that holds the next element along n: in this tile or another.
  std::string neighbourOf(int array, int tile, int r) const {
    for (size_t i = 0; i < names_.registers.size(); ++i)
      if (names_.registers[i] == "n0")
        return element(array, tile, r | 1 << i);
    for (size_t i = 0; i < names_.tiles.size(); ++i)
      if (names_.tiles[i] == "n0")
        return element(array, tile | 1 << i, r);
    return "";
  }

  const PairForm form_;
  const ResultNames names_;
  const bool inHalves_; // a word's halves are no neighbours here
};

std::string orderText(const PairForm &form) {
  std::string text;
  for (const auto &[takes, name] : {std::pair(form.takesLane, "lane"),
                                    {form.takesWarp, "warp"},
                                    {form.takesTile, "tile"},
                                    {form.takesLower, "lower"},
                                    {form.takesPair, "pair"}})
    if (takes)
      text += std::string(name) + ", ";
  return text;
}

} // namespace

Result<RuntimeChunk> pairFunction(const std::string &name, const PairForm &form,
                                  const Scheme &scheme) {
  const ResultNames names = resultNames(scheme);
  if (names.lanes.size() != kLaneBits || names.lanes[3] != "m3")
    return makeError("lane bit 3 of the result is no row");
  if (form.takesPair && scheme.wide)
    return makeError("sums over rows want the two warps in two registers");
  if (form.isOfOneWarp && (names.registers.size() != 2 || names.registers[1] != "h" || scheme.wide))
    return makeError("the two warps are not in two registers");
  if (form.isPacked && scheme.turned && form.isOfOneWarp)
    return makeError("packed halves of a turned result do not stay together");
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"lane"};
  if (form.isPacked && scheme.turned)
    chunk.needs.push_back("bits");
  if (form.takesWarp)
    chunk.needs.push_back("first_warp");
  const std::string size = form.isPacked ? "2" : "4";
  std::string tiles;
  for (int array = 0; array < form.arrays; ++array)
    for (int t = 0; t < form.tiles; ++t)
      tiles += std::string(form.changes ? "" : "const ") + "T (&" + PairWriter::nameOf(array) +
               (form.tiles > 1 ? std::to_string(t) : "") + ")[" + size + "], ";
  chunk.text = "// Calls f(" + orderText(form) + (form.isPacked ? "word" : "pair") +
               (form.arrays > 1 ? "..." : "") +
               ") for every two neighbours along n that this lane holds" +
               (form.isOfOneWarp ? " of warp h" : "") +
               ",\n"
               "// with what CUDA's lane that would hold them knows of itself" +
               (form.changes ? "; what f makes of them stays" : "") +
               ".\n"
               "template <class T, class F>\n__device__ __forceinline__ void " +
               name + "(" + tiles + (form.takesTile ? "int tile, " : "") +
               (form.isOfOneWarp ? "int h, " : "") + "F f) {\n" +
               (form.takesLane || form.takesLower || form.takesTile || form.takesWarp
                    ? "  const unsigned l = lane64();\n"
                    : "") +
               PairWriter(form, scheme).calls() + "}\n";
  return chunk;
}

RuntimeChunk rowFunction(const std::string &name, const PairForm &form) {
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"lane"};
  if (form.takesWarp)
    chunk.needs.push_back("first_warp");
  std::string arguments;
  for (const auto &[takes, text] : {std::pair(form.takesLane, "(int)((l & 7) << 2 | l >> 4)"),
                                    {form.takesWarp, "first_warp() + h"},
                                    {form.takesLower, "l >> 3 & 1"},
                                    {form.takesPair, "h"}})
    if (takes)
      arguments += (arguments.empty() ? "" : ", ") + std::string(text);
  const std::string order = orderText(form);
  chunk.text = "// Calls f(" + order.substr(0, order.empty() ? 0 : order.size() - 2) +
               ") for this lane's row in either warp: lanes 4 and 5 are those of the quad.\n"
               "template <class F>\n__device__ __forceinline__ void " +
               name +
               "(F f) {\n  const unsigned l = lane64();\n"
               "#pragma unroll\n  for (int h = 0; h < 2; ++h)\n    f(" +
               arguments + ");\n}\n";
  return chunk;
}

} // namespace layout_port::native
