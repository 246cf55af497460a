// Uses of `fragment.x`: elementwise ones are free of layout, others are not.
#pragma once

#include "source/Program.h"

#include <string>

namespace layout_port {

// Why the use of a fragment's elements at token i, the `x` of `f.x[t]`, cannot keep
// its text; empty when it can. It can where the same is done to every element, by
// number in a loop over all of them:
//
//   for (int t = 0; t < c.num_elements; t++)
//     c.x[t] = alpha * acc.x[t] + beta * c.x[t];
std::string positionalUse(const Program &program, unsigned file, size_t i);

} // namespace layout_port
