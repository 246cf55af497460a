// May a value be computed for another thread of the wave, at the place where it stands?
//
//   if (col > row) s[n][e] = -INFINITY;
//
//   ──▶  lp::of_element<1>(e, [&](int lane, int warp, int e) {
//          const int col = ...; const int row = ...;  // recomputed
//          return col > row;                          // everything else: as it is there
//        })
//
// Yes, when what is recomputed has no effects, and what is not is the same for all threads of
// the wave (WaveRun.h knows), there already, and the same variable under that name.
#pragma once

#include "native/FragmentProgram.h"
#include "native/Sample.h"

#include "clang/AST/ASTContext.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace layout_port::native {

// The site: a value of the thread's own that goes into results.
struct AskedValue {
  TextRange range;
  AddressFunction names;           // no expression
  std::vector<std::string> values; // for rows r, and for rows r + 8 where that is another text
  std::string element;             // whose bit `bit` says which warp: a counter, "0" or "1"
  std::string parameter;           // what it is called for the other thread; empty: not used
  std::string parameterType = "int";
  int bit = 0;
  bool isPlace = false;            // the values are places: what is asked for is where they are
  std::vector<std::string> halves; // parameters that are handed as halves
  std::string halvesOf;            // the type, where it is the argument for such a parameter
};
// The call above; `indent` is that of the site's line.
std::string textOf(const AskedValue &value, const std::string &indent);

// Edits of code between the products. They stand with the kernel's epilogues, as those of no
// accumulator. False: the place has been given another text.
bool addBetween(Kernel &kernel, SourceEdit edit);
std::vector<SourceEdit> editsBetween(const Kernel &kernel);

// A variable that is computed anew, or, of no type, a statement that changes it.
std::string declared(const AddressFunction::Variable &variable);

struct AskedInput {
  const clang::ASTContext &context;
  Sampler &sampler;
  const std::set<const clang::VarDecl *> &recomputed; // for another lane, warp and register
  const std::set<const clang::VarDecl *> &even;       // the same for all threads of the wave
  std::set<std::string> parameters;                   // names that the function gives anew
  const clang::VarDecl *counter = nullptr;            // that one of them stands for
  std::set<const clang::VarDecl *> halves;            // parameters that are handed as such
  // Whether a variable can be named at the place.
  std::function<bool(const clang::VarDecl *)> isVisible;
};

struct AskedVerdict {
  std::string problem; // why not; empty when it may
  std::vector<const clang::VarDecl *> variables;
};

AskedVerdict judgeAsked(const std::vector<const clang::Expr *> &values, const AskedInput &input);

} // namespace layout_port::native
