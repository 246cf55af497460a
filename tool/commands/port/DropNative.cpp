// See DropNative.h.
#include "commands/port/DropNative.h"

#include "commands/TierSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace layout_port {
namespace {

// "kernel.cu:12, 15, 20"
std::string linesOf(const Program &program, const std::vector<SitePlace> &places) {
  std::map<unsigned, std::set<unsigned>> lines;
  for (const auto &[file, offset] : places) {
    unsigned line = 0, column = 0;
    program.file(file).tokens.lineAndColumn(offset, line, column);
    lines[file].insert(line);
  }
  std::vector<std::string> texts;
  for (const auto &[file, numbers] : lines)
    texts.push_back(
        program.file(file).path + ":" +
        llvm::join(llvm::map_range(numbers, [](unsigned n) { return std::to_string(n); }), ", "));
  return llvm::join(texts, ", ");
}

// The first line of clang's that says "error", with the text that it stands in, since that port is
// written nowhere; or the first line of all.
std::string firstError(llvm::StringRef diagnostics) {
  llvm::SmallVector<llvm::StringRef, 16> lines;
  diagnostics.split(lines, '\n', -1, false);
  const auto error =
      llvm::find_if(lines, [](llvm::StringRef line) { return line.contains("error:"); });
  if (error == lines.end())
    return lines.empty() ? "clang did not end" : lines.front().trim().str();
  const auto [number, text] = // "  12 |   return x;"
      error + 1 == lines.end() ? std::pair<llvm::StringRef, llvm::StringRef>()
                               : (error + 1)->split('|');
  unsigned line = 0;
  const bool isText = !number.trim().getAsInteger(10, line) && !text.trim().empty();
  return error->trim().str() + (isText ? ": " + text.trim().str() : "");
}

} // namespace

std::optional<Dropped> dropNative(const Program &program, const std::vector<Site> &sites,
                                  const PortCaps &caps, const CheckResult &failed,
                                  const std::function<bool(const PortCaps &)> &compiles) {
  std::vector<SearchSite> native;
  for (const Site &site : sites)
    if (site.tier == Tier::Native && !site.edits.empty())
      native.push_back({{site.file, site.begin}, site.tier});
  if (native.empty())
    return std::nullopt;
  const auto holds = [&](const Trial &trial) {
    return trial.removed.empty() &&
           llvm::all_of(trial.caps.sites, [](auto &cap) { return cap.second <= Tier::Bridged; }) &&
           compiles(trial.caps);
  };
  Trial refuted;
  refuted.caps = caps;
  const SearchResult found = searchTiers(native, refuted, holds, 24);
  if (!found.settled)
    return std::nullopt;
  return Dropped{found.caps, "the native port does not compile for " + failed.target + " (" +
                                 firstError(failed.diagnostics) + "): bridged instead at " +
                                 linesOf(program, found.dropped)};
}

} // namespace layout_port
