// A conversion plan as HIP source. One array of registers a step, r0, r1, ...; `t` is
// the thread (lane + wave size * wave), of which steps inside a wave use the lane bits.
#include "PlanText.h"

#include "llvm/Support/FormatVariadic.h"

namespace layout_port::layout_command {

namespace {

using llvm::formatv;

// The parity of some bits of t, as a C condition: `t & 4`, `__builtin_parity(t & 5)`.
std::string parityOf(uint64_t mask) {
  if (f2::popcount(mask) == 1)
    return formatv("t & {0}", mask);
  return formatv("__builtin_parity(t & {0})", mask);
}

// columns over bits of t, equal columns together: column -> mask of bits of t.
std::vector<std::pair<uint64_t, uint64_t>> groups(const f2::Columns &columns) {
  std::vector<std::pair<uint64_t, uint64_t>> grouped;
  for (size_t bit = 0; bit < columns.size(); ++bit) {
    if (!columns[bit])
      continue;
    const uint64_t mask = uint64_t(1) << bit;
    auto found = grouped.begin();
    while (found != grouped.end() && found->first != columns[bit])
      ++found;
    if (found == grouped.end())
      grouped.push_back({columns[bit], mask});
    else
      found->second |= mask;
  }
  return grouped;
}

// offset ^ columns t, as an integer expression.
std::string index(const AffineBits &bits) {
  std::string text;
  for (const auto &[column, mask] : groups(bits.columns))
    text += formatv("{0}({1} ? {2} : 0)", text.empty() ? "" : " ^ ", parityOf(mask), column);
  if (text.empty() || bits.offset)
    text += formatv("{0}{1}", text.empty() ? "" : " ^ ", bits.offset);
  return text;
}

// array[offset ^ columns t], as choices between constant indices: registers have no
// addresses.
std::string choice(const std::string &array, const AffineBits &bits) {
  const auto grouped = groups(bits.columns);
  const auto pick = [&](auto &&self, uint64_t at, size_t i) -> std::string {
    if (i == grouped.size())
      return formatv("{0}[{1}]", array, at);
    const auto [column, mask] = grouped[i];
    return formatv("({0} ? {1} : {2})", parityOf(mask), self(self, at ^ column, i + 1),
                   self(self, at, i + 1));
  };
  return pick(pick, bits.offset, 0);
}

class Writer {
public:
  explicit Writer(const ConversionPlan &plan)
      : plan_(plan), type_(formatv("uint{0}_t", plan.slotBits)) {}

  Result<std::string> write() {
    if (plan_.slotBits < 8)
      return makeError("registers of %d bits have no C type", plan_.slotBits);
    const uint64_t ins = uint64_t(1) << plan_.sourceSlotBits;
    const uint64_t outs = uint64_t(1) << plan_.destSlotBits;
    text_ = formatv("// {0}: {1} selects, {2} cross-lane moves, {3} LDS instructions\n"
                    "__device__ void convert(const {4} (&in)[{5}], {4} (&out)[{6}]) {{\n"
                    "  const unsigned t = threadIdx.x;\n",
                    planKindName(plan_.kind), plan_.cost.selects, plan_.cost.moves,
                    plan_.cost.ldsOps, type_, ins, outs);
    registers_ = "in";
    for (const PlanStep &step : plan_.steps) {
      const std::optional<Error> failed = std::visit([&](const auto &s) { return write(s); }, step);
      if (failed)
        return *failed;
    }
    line(formatv("for (int i = 0; i < {0}; ++i)\n    out[i] = {1}[i];", outs, registers_));
    return text_ + "}\n";
  }

private:
  void line(const std::string &text) { text_ += "  " + text + "\n"; }

  // A new array of registers; `registers_` names the latest.
  std::string fresh(const std::string &type, uint64_t size) {
    const std::string name = "r" + std::to_string(count_++);
    line(formatv("{0} {1}[{2}];", type, name, size));
    return name;
  }

  std::optional<Error> write(const RegisterStep &step) {
    const uint64_t slots = uint64_t(1) << step.slots.size();
    const std::string next = fresh(type_, slots);
    for (uint64_t slot = 0; slot < slots; ++slot)
      line(formatv("{0}[{1}] = {2};", next, slot,
                   choice(registers_, {step.threads, f2::apply(step.slots, slot)})));
    registers_ = next;
    return std::nullopt;
  }

  // The registers as 32-bit words, and back.
  std::string words(uint64_t count) {
    if (plan_.slotBits == 32)
      return registers_;
    const std::string name = fresh("uint32_t", count);
    line(formatv("__builtin_memcpy({0}, {1}, {2});", name, registers_, 4 * count));
    return name;
  }
  void setWords(const std::string &name, uint64_t count) {
    registers_ = name;
    if (plan_.slotBits == 32)
      return;
    registers_ = fresh(type_, count * plan_.slotsPerWord());
    line(formatv("__builtin_memcpy({0}, {1}, {2});", registers_, name, 4 * count));
  }

  // The word after the move's instructions.
  Result<std::string> moved(const WordMove &move, std::string word) {
    for (int i = 0; i < move.instruction.count; ++i) {
      const isa::MoveChoice &choice = move.instruction.moves[i];
      if (!choice.move || choice.move->kind == isa::MoveKind::Scatter)
        return makeError("no source text for this move");
      const std::string control = choice.move->kind == isa::MoveKind::Indexed
                                      ? "4 * (" + index(move.sourceLane) + ")"
                                      : std::string(formatv("{0}", choice.control));
      word = isa::moveText(*choice.move, word, control);
    }
    return word;
  }

  std::optional<Error> write(const ExchangeStep &step) {
    const std::string source = words(step.sourceWords());
    const std::string next = fresh("uint32_t", step.destWords());
    for (const WordMove &move : step.moves) {
      const Result<std::string> value = moved(move, choice(source, move.sendWord));
      if (!value)
        return value.error();
      if (move.destWord.isConstant()) {
        line(formatv("{0}[{1}] = {2};", next, move.destWord.offset, *value));
        continue;
      }
      const std::string word = "w" + std::to_string(count_++);
      line(formatv("const uint32_t {0} = {1}, {0}_at = {2};", word, *value, index(move.destWord)));
      for (uint64_t dest = 0; dest < step.destWords(); ++dest)
        line(formatv("{0}[{1}] = {2}_at == {1} ? {2} : {0}[{1}];", next, dest, word));
    }
    setWords(next, step.destWords());
    return std::nullopt;
  }

  std::optional<Error> write(const SwapStep &step) {
    const uint64_t count = uint64_t(1) << step.wordBits;
    const std::string source = words(count), next = fresh("uint32_t", count);
    const uint64_t bit = uint64_t(1) << step.wordBit;
    for (uint64_t low = 0; low < count; ++low) {
      if (low & bit)
        continue;
      const std::string pair = "p" + std::to_string(count_++);
      line(formatv("const auto {0} = {1};", pair,
                   isa::moveText(*step.instruction, formatv("{0}[{1}]", source, low).str(), "0",
                                 formatv("{0}[{1}]", source, low | bit).str())));
      line(formatv("{0}[{1}] = {2}[0], {0}[{3}] = {2}[1];", next, low, pair, low | bit));
    }
    setWords(next, count);
    return std::nullopt;
  }

  std::optional<Error> write(const LdsStep &step) {
    const std::string buffer = "lds" + std::to_string(count_++);
    const uint64_t slots = step.bytes * 8 / plan_.slotBits;
    line(formatv("__shared__ {0} {1}[{2}];", type_, buffer, slots));
    line(formatv("const unsigned {0}_write = {1};", buffer, index({step.writeThreads, 0})));
    for (uint64_t slot = 0; slot < uint64_t(1) << step.writeSlots.size(); ++slot)
      line(formatv("{0}[{0}_write ^ {1}] = {2}[{3}];", buffer, f2::apply(step.writeSlots, slot),
                   registers_, slot));
    line("__syncthreads();");
    line(formatv("const unsigned {0}_read = {1};", buffer, index({step.readThreads, 0})));
    const uint64_t reads = uint64_t(1) << step.readSlots.size();
    registers_ = fresh(type_, reads);
    for (uint64_t slot = 0; slot < reads; ++slot)
      line(formatv("{0}[{1}] = {2}[{2}_read ^ {3}];", registers_, slot, buffer,
                   f2::apply(step.readSlots, slot)));
    return std::nullopt;
  }

  const ConversionPlan &plan_;
  const std::string type_;
  std::string text_, registers_;
  int count_ = 0;
};

} // namespace

Result<std::string> hipText(const ConversionPlan &plan) {
  if (plan.arch == isa::Arch::Nvidia)
    return makeError("the plan is for NVIDIA");
  return Writer(plan).write();
}

} // namespace layout_port::layout_command
