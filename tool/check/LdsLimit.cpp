#include "check/LdsLimit.h"

#include "layout_port/layouts/Isa.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace layout_port {

// "... (80000) ..." -> 80000, and the text behind it.
static bool takeFigure(llvm::StringRef &text, unsigned long long &figure) {
  text = text.split('(').second;
  return !text.consumeInteger(10, figure) && text.consume_front(")");
}

static std::string largerChips(unsigned long long needed) {
  std::string chips;
  for (const isa::Arch arch : {isa::Arch::Gfx90a, isa::Arch::Gfx942, isa::Arch::Gfx950}) {
    const isa::ArchInfo &info = isa::archInfo(arch);
    if (static_cast<unsigned long long>(info.ldsBytes) >= needed)
      chips += std::string(chips.empty() ? "" : ", ") + info.name + " has " +
               std::to_string(info.ldsBytes);
  }
  return chips;
}

static std::string advice(llvm::StringRef kernel, unsigned long long needed,
                          unsigned long long limit, llvm::StringRef target) {
  const std::string chips = largerChips(needed);
  return kernel.str() + " wants " + std::to_string(needed) + " bytes of shared memory a block, " +
         target.str() + " has " + std::to_string(limit) + ": " + std::to_string(needed - limit) +
         " too many. Fewer pipeline stages or a smaller tile bring it down" +
         (chips.empty() ? "; no CDNA chip has as much" : "; " + chips);
}

static std::string adviceOn(llvm::StringRef line, llvm::StringRef target) {
  unsigned long long needed = 0, limit = 0;
  llvm::StringRef rest = line;
  if (!takeFigure(rest, needed) || !takeFigure(rest, limit))
    return "";
  return advice(rest.split('\'').second.split('\'').first, needed, limit, target);
}

std::string ldsAdviceFor(llvm::StringRef kernel, uint64_t bytes, llvm::StringRef target) {
  const auto arch = isa::parseArch(std::string_view(target.data(), target.size()));
  if (!arch)
    return "";
  const auto limit = static_cast<uint64_t>(isa::archInfo(*arch).ldsBytes);
  return bytes > limit ? advice(kernel, bytes, limit, target) : "";
}

std::vector<std::string> ldsAdvice(llvm::StringRef diagnostics, llvm::StringRef target) {
  std::vector<std::string> advice;
  llvm::SmallVector<llvm::StringRef, 16> lines;
  diagnostics.split(lines, '\n');
  for (const llvm::StringRef line : lines)
    if (line.contains("local memory (") && line.contains("exceeds limit ("))
      if (std::string text = adviceOn(line, target); !text.empty())
        advice.push_back(std::move(text));
  return advice;
}

} // namespace layout_port
