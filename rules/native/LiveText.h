// What of its text an instance of a kernel runs.
//
//   template <bool Causal> ...   if (Causal) mask(...);      for Causal == false nobody's
//
// All instances share one text. What one of them needs written anew the others have to need, too,
// unless they never come there.
#pragma once

#include "native/FragmentProgram.h"
#include "native/Recover.h"

namespace clang {
class FunctionDecl;
}

namespace layout_port::native {

// Sets Kernel::dead and Kernel::called.
void findLiveText(const clang::ASTContext &context, const PlaceOf &placeOf,
                  const clang::FunctionDecl &function, Kernel &kernel);

// What one of two instances wants written anew between its products, where the other comes by and
// does not.
std::optional<TextRange> askedByOne(const Kernel &one, const Kernel &other);

} // namespace layout_port::native
