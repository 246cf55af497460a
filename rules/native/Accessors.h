// A class that keeps a fragment's registers and gives them out by an operator or method:
//
//   template <class T, int N> struct Array {
//     T data[N];
//     __device__ T &operator[](int i) { return data[i]; }
//   };
//   Array<float, 4> acc[8];
//   acc[j][2]  ──▶  acc[j].data[2]
//
// Everything in the recovery reads elements of arrays, so the calls of such functions are made
// elements of arrays before it begins: in the tree, at the places of the text that was there.
#pragma once

namespace clang {
class ASTContext;
} // namespace clang

namespace layout_port::native {

// In all functions that user files define.
void openAccessors(clang::ASTContext &context);

} // namespace layout_port::native
