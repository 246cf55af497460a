// Executes a word program on all threads at once, by the meanings in isa/CrossLane.h.
#include "layout_port/layouts/WordProgram.h"

namespace layout_port {

namespace {

uint32_t movedValue(const WordProgram &program, const WordOp &op,
                    const std::vector<uint32_t> &values, uint64_t thread) {
  const uint64_t wave = thread / program.waveSize * program.waveSize;
  const int lane = static_cast<int>(thread % program.waveSize);
  const auto from = [&](uint64_t sender) { return values[wave + sender]; };
  if (!op.move.move || op.move.move->kind == isa::MoveKind::Indexed)
    return from(op.amount(thread));
  if (op.move.move->kind == isa::MoveKind::Scatter) {
    for (int sender = program.waveSize - 1; sender >= 0; --sender)
      if (op.amount(wave + sender) == static_cast<uint64_t>(lane))
        return from(sender);
    return 0;
  }
  const isa::LaneSource source =
      isa::sourceOf(*op.move.move, op.move.control, lane, 0, program.waveSize);
  return source.lane < 0 ? 0 : from(source.lane);
}

} // namespace

ThreadWords run(const WordProgram &program, const ThreadWords &words) {
  const uint64_t threads = words.size();
  std::vector<std::vector<uint32_t>> values; // value, thread
  for (int i = 0; i < program.inputs; ++i) {
    values.emplace_back();
    for (const std::vector<uint32_t> &lane : words)
      values.back().push_back(i < static_cast<int>(lane.size()) ? lane[i] : 0);
  }
  for (const WordOp &op : program.ops) {
    std::vector<uint32_t> made(threads), second(threads);
    for (uint64_t t = 0; t < threads; ++t) {
      const uint32_t a = values[op.a][t], b = op.b < 0 ? 0 : values[op.b][t];
      switch (op.kind) {
      case WordOp::Kind::Select:
        made[t] = f2::popcount(t & op.mask) & 1 ? a : b;
        break;
      case WordOp::Kind::Permute:
        made[t] = isa::permuteBytes(a, b, static_cast<uint32_t>(op.amount(t)));
        break;
      case WordOp::Kind::Field:
        made[t] = b | ((a >> op.amount(t)) & op.fieldMask) << op.place;
        break;
      case WordOp::Kind::Move:
        made[t] = movedValue(program, op, values[op.a], t);
        break;
      case WordOp::Kind::Swap: {
        const uint64_t wave = t / program.waveSize * program.waveSize;
        for (const int result : {0, 1}) {
          const isa::LaneSource source = isa::sourceOf(
              *op.move.move, 0, static_cast<int>(t % program.waveSize), result, program.waveSize);
          (result ? second : made)[t] = values[source.operand ? op.b : op.a][wave + source.lane];
        }
        break;
      }
      }
    }
    values.push_back(std::move(made));
    if (op.kind == WordOp::Kind::Swap)
      values.push_back(std::move(second));
  }
  ThreadWords result(threads);
  for (uint64_t t = 0; t < threads; ++t)
    for (const int output : program.outputs)
      result[t].push_back(output < 0 ? 0 : values[output][t]);
  return result;
}

} // namespace layout_port
