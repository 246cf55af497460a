// Memory at a PTX address, as a C++ pointer; orders and scopes in HIP's words.
#pragma once

#include "asm/Writer.h"

#include "ptx/decode/Memory.h"

namespace layout_port {

// lp::global_at<type>(address), lp::lds_at<type>(address) or lp::generic_at.
ptx::Outcome<std::string> memoryAt(Writer &writer, ptx::Space space, const ptx::Operand &address,
                                   const std::string &type);

std::string orderText(ptx::MemoryOrder order); // "__ATOMIC_ACQUIRE"
std::string scopeText(ptx::MemoryScope scope); // "__HIP_MEMORY_SCOPE_AGENT"

} // namespace layout_port
