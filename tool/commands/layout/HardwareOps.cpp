// serve: what the instruction tables know: operand layouts, and bank conflicts.
#include "Ops.h"

#include "layout_port/layouts/Banks.h"

namespace layout_port::serve {

namespace json = llvm::json;
using wire::Reader;

namespace {

Answer instruction(const Reader &request) {
  const Result<std::string> name = request.text("name");
  if (!name)
    return name.error();
  const Result<std::string> operand = request.text("operand", "");
  if (!operand)
    return operand.error();
  const Result<std::string> arch = request.text("arch", "");
  if (!arch)
    return arch.error();
  const Result<std::optional<int>> wave = request.optionalInteger("wave", 32, 64);
  if (!wave)
    return wave.error();
  return answer(isa::operandLayout(*name, *operand, *arch, wave->value_or(0)));
}

Result<LaneAddresses> laneAddresses(const Reader &request) {
  const Result<const json::Array *> list = request.array("addresses");
  if (!list)
    return list.error();
  LaneAddresses addresses;
  for (const json::Value &entry : **list) {
    if (entry.kind() == json::Value::Null)
      addresses.push_back(std::nullopt);
    else if (const std::optional<uint64_t> address = entry.getAsUINT64())
      addresses.push_back(*address);
    else
      return Error{"field 'addresses': a byte address a lane, or null"};
  }
  return addresses;
}

json::Array phasesOf(const BankReport &report) {
  json::Array phases;
  for (const BankPhase &phase : report.phases)
    phases.push_back(json::Array(phase.lanes));
  return phases;
}

Answer banks(const Reader &request) {
  const Result<isa::Arch> arch = request.arch();
  if (!arch)
    return arch.error();
  const Result<std::string> name = request.text("instr");
  if (!name)
    return name.error();
  const Result<LaneAddresses> addresses = laneAddresses(request);
  if (!addresses)
    return addresses.error();
  const Result<BankReport> report = countBankConflicts(*arch, *name, *addresses);
  if (!report)
    return report.error();
  return json::Value(json::Object{{"passes", report->passes},
                                  {"degree", report->degree},
                                  {"phases", phasesOf(*report)},
                                  {"confidence", isa::confidenceName(report->confidence)}});
}

constexpr Op ops[] = {
    {"instruction", instruction},
    {"banks", banks},
};

} // namespace

llvm::ArrayRef<Op> hardwareOps() { return ops; }

} // namespace layout_port::serve
