// Instances of a template that want different text at one place: all texts stand there, each under
// the condition that tells its instances from the others.
//
//   template <typename T, int N> __global__ void f(..);    f<half, 4>, f<__nv_bfloat16, 4>
//
//   if constexpr (__is_same(T, __half))
//     lp::mma_m16n8k16_f32_f16_wave(..);
//   else
//     lp::mma_m16n8k16_f32_bf16_wave(..);
//
// Other instances than those in view would be ported without having been looked at: a
// static_assert at the kernel's beginning keeps them out.
#pragma once

#include "Rule.h"
#include "native/FragmentProgram.h"
#include "source/Program.h"

#include <optional>
#include <vector>

namespace layout_port::native {

using Sites = std::vector<Site>;

struct Instance {
  TextRange range, bodyBegin;
  std::vector<std::string> arguments;
  Sites sites;
  // An instance of a function leaves out what stands in another branch of its `if constexpr`.
  bool mayLeaveOut = false;
  std::vector<TextRange> keeps; // statements that stay as they are, whatever others make of them
  bool isTagged = false;        // its argument says all, and there are no others
};

// The sites of all; none where a place cannot be written so: it is no statement of the kernel's or
// function's own, or no condition tells the instances apart.
// `mayInsert`: some may have statements in front of which others have nothing.
std::optional<Sites> joinInstances(const Program &program, const std::vector<Instance> &instances,
                                   bool mayInsert);

// Of the first line behind a body's '{', which ends at `begin`; two blanks where it goes on there.
std::string bodyIndent(llvm::StringRef text, size_t begin);

} // namespace layout_port::native
