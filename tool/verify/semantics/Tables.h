// The tables that give calls their meaning. Each returns false for a name it does
// not know; an unknown name is an error that names it.
#pragma once

#include "decode/Decoder.h"

namespace layout_port::verify {

// llvm.* that no target owns: math, bit tricks, memcpy, vector reductions.
bool decodeLlvmIntrinsic(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name);
// llvm.nvvm.*, https://llvm.org/docs/NVPTXUsage.html
bool decodeNvvmIntrinsic(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name);
// llvm.amdgcn.*, https://llvm.org/docs/AMDGPUUsage.html#llvm-ir-intrinsics
bool decodeAmdgcnIntrinsic(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name);
// What assert() calls when it fails.
bool isAssertionCall(llvm::StringRef name);
// __nv_* (libdevice), __ocml_*, __ockl_* and C library names.
bool decodeLibraryCall(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name);
// Inline asm: PTX, or the few amdgcn instructions that only order things.
bool decodeInlineAsm(Decoder &decoder, const llvm::CallBase &call);

// For the tables: elementwise float operations over a call's operands.
void emitFloatUnary(Decoder &decoder, const llvm::CallBase &call, unsigned what);
void emitFloatBinary(Decoder &decoder, const llvm::CallBase &call, unsigned what);
void emitFloatFma(Decoder &decoder, const llvm::CallBase &call);
void emitIntegerFunction(Decoder &decoder, const llvm::CallBase &call, unsigned what,
                         unsigned operands);

} // namespace layout_port::verify
