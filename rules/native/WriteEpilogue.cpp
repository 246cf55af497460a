#include "native/WriteEpilogue.h"

#include "tensor/layout/Lanes.h"

#include <algorithm>
#include <array>

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
  if (name[0] == 'j')
    return {Meaning::Tile, digit};
  if (name[0] == 'n')
    return digit == 0 ? Meaning{Meaning::Neighbour, 0} : Meaning{Meaning::Lane, digit - 1};
  return digit == 3 ? Meaning{Meaning::Lower, 0} : Meaning{Meaning::Lane, digit + 2};
}

class PairWriter {
public:
  PairWriter(const PairForm &form, const Scheme &scheme)
      : form_(form), names_(resultNames(scheme)) {}

  // One call for each register that is not a second neighbour, neighbours along n one
  // after the other, warp by warp.
  std::string calls() const {
    std::vector<std::pair<std::array<uint64_t, 3>, std::string>> all;
    const int registers = form_.isPacked ? 2 : 4;
    for (int tile = 0; tile < form_.tiles; ++tile)
      for (int r = 0; r < registers; ++r) {
        if (constantOf(Meaning::Neighbour, tile, r))
          continue;
        const uint64_t warp = constantOf(Meaning::Warp, tile, r);
        const uint64_t column = constantOf(Meaning::Tile, tile, r);
        all.push_back({{warp, column, constantOf(Meaning::Lane, tile, r)}, call(tile, r)});
      }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    std::string text;
    for (const auto &[order, line] : all)
      text += line;
    return text;
  }

private:
  // The names of a register's index bits: r0 (unless packed), r1.
  std::vector<std::string> registerNames() const {
    return form_.isPacked ? std::vector<std::string>{names_.registers[1]} : names_.registers;
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
  std::string text(Meaning::Kind kind, uint64_t constant) const {
    f2::Columns columns(kLaneBits, 0);
    for (int i = 0; i < kLaneBits; ++i)
      if (const std::string &name = names_.lanes[i]; name != "pad" && !name.empty())
        if (const Meaning m = meaningOf(name); m.kind == kind)
          columns[i] = uint64_t(1) << m.bit;
    return f2Expression({{"l", columns}}, constant);
  }

  std::string warpText(int tile, int r) const {
    if (form_.tiles == 1 && !names_.tiles.empty())
      return "first_warp() + (tile & 1)";
    const std::string which = text(Meaning::Warp, constantOf(Meaning::Warp, tile, r));
    return which == "0" ? "first_warp()" : "first_warp() + (" + which + ")";
  }

  // Of the tile index, the bits that the lane and the registers decide.
  std::string tileText(int tile, int r) const {
    uint64_t mask = 0;
    for (size_t i = 0; i < names_.tiles.size(); ++i)
      mask |= uint64_t(1) << i;
    if (!mask)
      return "tile";
    return "(tile & ~" + std::to_string(mask) + ") | (" +
           text(Meaning::Tile, constantOf(Meaning::Tile, tile, r)) + ")";
  }

  std::string element(int tile, int r) const {
    return "d" + (form_.tiles > 1 ? std::to_string(tile) : "") + "[" + std::to_string(r) + "]";
  }

  // The register that holds the next element along n: in this tile or another.
  std::string neighbourOf(int tile, int r) const {
    for (size_t i = 0; i < names_.registers.size(); ++i)
      if (names_.registers[i] == "n0")
        return element(tile, r | 1 << i);
    for (size_t i = 0; i < names_.tiles.size(); ++i)
      if (names_.tiles[i] == "n0")
        return element(tile | 1 << i, r);
    return "";
  }

  std::string call(int tile, int r) const {
    std::string arguments;
    const auto argument = [&](bool takes, const std::string &text) {
      if (takes)
        arguments += text + ", ";
    };
    argument(form_.takesLane,
             "(int)(" + text(Meaning::Lane, constantOf(Meaning::Lane, tile, r)) + ")");
    argument(form_.takesWarp, warpText(tile, r));
    argument(form_.takesTile, tileText(tile, r));
    argument(form_.takesLower, "l >> 3 & 1");
    argument(form_.takesPair, std::to_string(constantOf(Meaning::Warp, tile, r)));
    if (form_.isPacked)
      return "  f(" + arguments + element(tile, r) + ");\n";
    return "  {\n    const T v[] = {" + element(tile, r) + ", " + neighbourOf(tile, r) +
           "};\n    f(" + arguments + "v);\n  }\n";
  }

  const PairForm form_;
  const ResultNames names_;
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
  if (form.isPacked && scheme.turned)
    return makeError("packed halves of a turned result do not stay together");
  RuntimeChunk chunk;
  chunk.name = name;
  chunk.needs = {"lane"};
  if (form.takesWarp)
    chunk.needs.push_back("first_warp");
  const std::string size = form.isPacked ? "2" : "4";
  std::string tiles;
  for (int t = 0; t < form.tiles; ++t)
    tiles += "const T (&d" + (form.tiles > 1 ? std::to_string(t) : "") + ")[" + size + "], ";
  chunk.text = "// Calls f(" + orderText(form) + (form.isPacked ? "word" : "pair") +
               ") for every two neighbours along n that this lane holds,\n"
               "// with what CUDA's lane that would hold them knows of itself.\n"
               "template <class T, class F>\n__device__ __forceinline__ void " +
               name + "(" + tiles + (form.takesTile ? "int tile, " : "") + "F f) {\n" +
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

RuntimeChunk waveXorFunction() {
  return {"wave_xor",
          {"lane", "bits", "xor_lanes"},
          "// x of lane ^ mask, of all 64.\n"
          "template <class T> __device__ __forceinline__ T wave_xor(T x, int mask) {\n"
          "  if (mask < 32)\n"
          "    return bits<T>(xor_lanes(bits<unsigned>(x), mask));\n"
          "  return bits<T>((unsigned)__builtin_amdgcn_ds_bpermute((lane64() ^ mask) << 2,\n"
          "                                                        (int)bits<unsigned>(x)));\n"
          "}\n",
          false};
}

} // namespace layout_port::native
