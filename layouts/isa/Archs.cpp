// Chips, sources, confidence words and element types: the small tables.
#include "isa/Tables.h"

namespace layout_port::isa {
namespace {

constexpr ArchInfo archs[] = {
#define ARCH(tag, name, wave, lds, clock, fp8, flush, note)                                        \
  {Arch::tag, name, wave, lds, clock, fp8, flush, note},
#include "isa/Archs.inc"
};
static_assert(sizeof(archs) / sizeof(archs[0]) == kNumArchs, "one row for each Arch");

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// "gfx1100" -> Gfx11: RDNA chips of a generation share their matrix layouts.
// gfx125x is another architecture under the same number.
bool isRdna(std::string_view name, std::string_view family) {
  return name == family || (startsWith(name, family) && name.size() == family.size() + 2 &&
                            !startsWith(name, "gfx125"));
}

std::string_view withoutTargetFeatures(std::string_view name) {
  return name.substr(0, name.find(':'));
}

} // namespace

Result<Arch> parseArch(std::string_view text) {
  const std::string_view name = withoutTargetFeatures(text);
  for (const ArchInfo &info : archs)
    if (name == info.name)
      return info.arch;
  if (isRdna(name, "gfx11"))
    return Arch::Gfx11;
  if (isRdna(name, "gfx12"))
    return Arch::Gfx12;
  if (startsWith(name, "sm_") || startsWith(name, "compute_"))
    return Arch::Nvidia;
  return makeError("unknown arch '%.*s': expected gfx908, gfx90a, gfx942, gfx950, gfx11xx, gfx12xx "
                   "or sm_NN",
                   static_cast<int>(text.size()), text.data());
}

const ArchInfo &archInfo(Arch arch) { return archs[static_cast<int>(arch)]; }
const char *archName(Arch arch) { return archInfo(arch).name; }

const char *confidenceName(Confidence confidence) {
  static const char *const names[] = {"unknown", "low",         "medium-low",
                                      "medium",  "medium-high", "high"};
  return names[static_cast<int>(confidence)];
}

int elementBits(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return 64;
  case ElementType::F32:
  case ElementType::TF32:
  case ElementType::XF32:
  case ElementType::I32:
    return 32;
  case ElementType::F16:
  case ElementType::BF16:
    return 16;
  case ElementType::FP8:
  case ElementType::BF8:
  case ElementType::Any8:
  case ElementType::I8:
  case ElementType::IU8:
    return 8;
  case ElementType::FP4:
  case ElementType::I4:
  case ElementType::IU4:
    return 4;
  case ElementType::B1:
    return 1;
  }
  return 0;
}

const char *elementTypeName(ElementType type) {
  static const char *const names[] = {"f64",  "f32", "tf32", "xf32", "f16", "bf16", "fp8", "bf8",
                                      "8bit", "fp4", "i32",  "i8",   "iu8", "i4",   "iu4", "b1"};
  return names[static_cast<int>(type)];
}

const Source *sourceRow(SourceTag tag) {
  static const Source rows[] = {
#define SOURCE(tag, url, what) {#tag, url, what},
#include "isa/Sources.inc"
  };
  return &rows[static_cast<int>(tag)];
}

} // namespace layout_port::isa
