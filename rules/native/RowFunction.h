// A function that stores the tile it is handed, once more for one row of it:
//
//   void store(float *C, const float (&c)[4]) {      void store(float *C, const float (&c)[2], int lower) {
//     C[g * 64] = c[0];                         ──▶    C[(g + 8 * lower) * 64] = c[0];
//     C[(g + 8) * 64] = c[2];                        }
//   }
//
// Whoever else calls it has the function as it was; where nobody does, the copy takes its place.
#pragma once

#include "native/FragmentProgram.h"
#include "native/Texts.h"

namespace layout_port::native {

// The parameters' text and what `edits` make of the body, with `lower` for the row. No text: a
// macro writes the function, or its tile is declared in no way that another can be made of.
RowFunction functionForRow(const Texts &texts, const clang::FunctionDecl &function,
                           const clang::ParmVarDecl &tile, bool isPacked, bool isConst,
                           const std::string &lower, std::vector<SourceEdit> edits);

} // namespace layout_port::native
