#include "memory/Address.h"

namespace layout_port {

using ptx::MemoryOrder;
using ptx::MemoryScope;
using ptx::Outcome;
using ptx::Space;

Outcome<std::string> memoryAt(Writer &writer, Space space, const ptx::Operand &address,
                              const std::string &type) {
  const std::string at = writer.address(address);
  switch (space) {
  case Space::Global:
  case Space::Const:
    return writer.call("global_at<" + type + ">", {at});
  case Space::Shared:
    return writer.call("lds_at<" + type + ">", {at}, "lds");
  case Space::Generic:
    return writer.call("generic_at<" + type + ">", {at});
  default:
    return writer.refuse("memory that AMD addresses otherwise: .local and .param");
  }
}

std::string orderText(MemoryOrder order) {
  switch (order) {
  case MemoryOrder::Acquire:
    return "__ATOMIC_ACQUIRE";
  case MemoryOrder::Release:
    return "__ATOMIC_RELEASE";
  case MemoryOrder::AcquireRelease:
    return "__ATOMIC_ACQ_REL";
  case MemoryOrder::Sequential:
    return "__ATOMIC_SEQ_CST";
  default:
    return "__ATOMIC_RELAXED";
  }
}

// Without a scope PTX means the device. A cluster is at most the device.
std::string scopeText(MemoryScope scope) {
  switch (scope) {
  case MemoryScope::Block:
    return "__HIP_MEMORY_SCOPE_WORKGROUP";
  case MemoryScope::System:
    return "__HIP_MEMORY_SCOPE_SYSTEM";
  default:
    return "__HIP_MEMORY_SCOPE_AGENT";
  }
}

} // namespace layout_port
