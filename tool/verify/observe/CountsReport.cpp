// See CountsReport.h.
#include "observe/CountsReport.h"

namespace layout_port::verify {
namespace {

using Number = std::pair<std::string, uint64_t>;

std::vector<Number> plainNumbers(const Tally &tally) {
  std::vector<Number> list;
  for (unsigned i = 0; i < unsigned(InstructionClass::Count); ++i)
    list.push_back({toString(InstructionClass(i)), tally.instructions[i]});
  const Number rest[] = {{"lane_operations", tally.laneOperations},
                         {"shared_accesses", tally.sharedAccesses},
                         {"global_accesses", tally.globalAccesses},
                         {"barriers_passed", tally.barriers},
                         {"shared_passes", tally.sharedPasses},
                         {"shared_passes_bound", tally.sharedBound},
                         {"shared_without_row", tally.sharedWithoutRow},
                         {"global_segments_64", tally.segments64},
                         {"global_segments_128", tally.segments128},
                         {"global_segments_64_bound", tally.segmentBound}};
  list.insert(list.end(), std::begin(rest), std::end(rest));
  return list;
}

std::vector<std::pair<const char *, const Widths *>> widthsOf(const Tally &tally) {
  return {{"shared_reads", &tally.sharedReads},
          {"shared_writes", &tally.sharedWrites},
          {"global_reads", &tally.globalReads},
          {"global_writes", &tally.globalWrites}};
}

llvm::json::Object toJson(const Tally &tally) {
  llvm::json::Object object;
  for (const auto &[name, value] : plainNumbers(tally))
    object[name] = int64_t(value);
  for (const auto &[name, widths] : widthsOf(tally)) {
    llvm::json::Object byBytes;
    for (const auto &[bytes, count] : *widths)
      byBytes[std::to_string(bytes)] = int64_t(count);
    object[name] = std::move(byBytes);
  }
  if (tally.sharedConfidence)
    object["shared_confidence"] = isa::confidenceName(*tally.sharedConfidence);
  return object;
}

// "matrix 16, shared reads 8 B 8 + 16 B 2, ..." in lines of moderate length.
void printTally(llvm::raw_ostream &out, const Tally &tally, unsigned indent) {
  std::vector<std::string> items;
  for (unsigned i = 0; i < unsigned(InstructionClass::Count); ++i)
    if (tally.instructions[i])
      items.push_back(std::string(toString(InstructionClass(i))) + " " +
                      std::to_string(tally.instructions[i]));
  for (const auto &[name, widths] : widthsOf(tally)) {
    std::string item;
    for (const auto &[bytes, count] : *widths)
      item += (item.empty() ? std::string(name) + " " : " + ") + std::to_string(count) + " x " +
              std::to_string(bytes) + " B";
    if (!item.empty())
      items.push_back(item);
  }
  if (tally.sharedConfidence)
    items.push_back("LDS passes " + std::to_string(tally.sharedPasses) + " (at least " +
                    std::to_string(tally.sharedBound) + "; confidence " +
                    isa::confidenceName(*tally.sharedConfidence) + ")");
  if (tally.sharedWithoutRow)
    items.push_back("LDS accesses of unknown phases " + std::to_string(tally.sharedWithoutRow));
  if (tally.segments64)
    items.push_back("global segments of 64 B " + std::to_string(tally.segments64) + " (at least " +
                    std::to_string(tally.segmentBound) + "), of 128 B " +
                    std::to_string(tally.segments128));
  if (tally.barriers)
    items.push_back("barriers " + std::to_string(tally.barriers));
  size_t column = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const bool wrap = i == 0 || column + items[i].size() > 90;
    if (wrap)
      out.indent(indent);
    out << items[i];
    column = (wrap ? indent : column) + items[i].size() + 2;
    const bool last = i + 1 == items.size();
    out << (last ? "\n" : column + items[i + 1].size() > 90 ? ",\n" : ", ");
  }
}

} // namespace

void printCounts(llvm::raw_ostream &out, llvm::StringRef side, const Counts &counts) {
  out << "counts of the " << side << " (" << counts.arch << "), summed over waves:\n";
  for (const KernelCounts &kernel : counts.kernels) {
    out << "  kernel " << kernel.kernel << ": " << kernel.launches
        << (kernel.launches == 1 ? " launch, " : " launches, ") << kernel.waves << " waves\n";
    printTally(out, kernel.tally, 4);
    for (const LoopCounts &loop : kernel.loops) {
      out.indent(2 + 2 * loop.depth) << "loop at " << loop.line << ": " << loop.trips << " trips\n";
      printTally(out, loop.tally, 4 + 2 * loop.depth);
    }
  }
}

llvm::json::Object toJson(const Counts &counts) {
  llvm::json::Object object = toJson(counts.total);
  object["arch"] = counts.arch;
  llvm::json::Array kernels;
  for (const KernelCounts &kernel : counts.kernels) {
    llvm::json::Object entry = toJson(kernel.tally);
    entry["kernel"] = kernel.kernel;
    entry["launches"] = int64_t(kernel.launches);
    entry["waves"] = int64_t(kernel.waves);
    llvm::json::Array loops;
    for (const LoopCounts &loop : kernel.loops) {
      llvm::json::Object inner = toJson(loop.tally);
      inner["line"] = loop.line;
      inner["depth"] = int64_t(loop.depth);
      inner["trips"] = int64_t(loop.trips);
      loops.push_back(std::move(inner));
    }
    entry["loops"] = std::move(loops);
    kernels.push_back(std::move(entry));
  }
  object["kernels"] = std::move(kernels);
  return object;
}

} // namespace layout_port::verify
