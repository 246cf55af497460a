// What rules look at: the files of one translation unit as raw tokens, and what
// parsing both sides (host and device) found out about them.
#pragma once

#include "native/FragmentProgram.h"
#include "source/AsmStatement.h"
#include "source/Tokens.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace layout_port {

struct SourceFile {
  SourceFile(std::string path, std::unique_ptr<llvm::MemoryBuffer> buffer)
      : path(std::move(path)), buffer(std::move(buffer)), tokens(this->buffer->getBuffer()),
        asmStatements(findAsmStatements(tokens, unreadableAsm)) {}

  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  TokenStream tokens;
  std::vector<size_t> unreadableAsm; // tokens that begin an asm nobody can read
  std::vector<AsmStatement> asmStatements;

  llvm::StringRef text() const { return buffer->getBuffer(); }
  // "kernel.cu:12"
  std::string placeText(unsigned offset) const {
    unsigned line = 0, column = 0;
    tokens.lineAndColumn(offset, line, column);
    return path + ":" + std::to_string(line);
  }
};

// A place in a file: number of the file in Program::files, byte offset.
using Place = std::pair<unsigned, unsigned>;

// `#include` at `begin` of `file`, as the preprocessor resolved it.
struct Include {
  unsigned file = 0;
  unsigned begin = 0; // offset of the '#'
  std::string spelled;
  bool angled = false;
  int target = -1;      // index of a user file, or -1
  bool missing = false; // nobody has this header
};

// What the AST adds to the tokens. Everything is a set: a macro expands, and a
// template is instantiated, any number of times.
struct AstFacts {
  // Full template text of an asm statement, by the place of its `asm` keyword.
  std::map<Place, std::set<std::string>> asmTexts;
  // Of an asm statement in the body of a macro: its texts by the place of the macro's
  // name where it is used (a file, or the body of another macro).
  std::map<Place, std::map<Place, std::set<std::string>>> asmUses;
  // Numbers of asm operands that a float fills where the constraint names an integer
  // register, or the reverse (true), and of those that fit (false).
  std::map<Place, std::set<std::pair<unsigned, bool>>> asmCrossed;
  // Asm operands that are constants ("n", "i"), by number: their values, and whether these hang
  // on a template's parameters.
  struct Constant {
    std::set<int64_t> values;
    bool isDependent = false;
  };
  std::map<Place, std::map<unsigned, Constant>> asmConstants;
  // Canonical type of what a shuffle moves or an atomic changes, by the place of its name.
  std::map<Place, std::set<std::string>> shuffleTypes;
  // Places of shuffles whose mask is the constant of all 32 lanes, and of others.
  std::set<Place> wholeMasks, partialMasks;
  // Canonical type of the nvcuda::wmma fragment whose elements are used, by the place
  // of the `x`, or that is the first argument, by the place of the function's name.
  std::map<Place, std::set<std::string>> fragmentTypes;
  // Names of fragments that are taken for something else: (float *)&c, memcpy(p, &c, n).
  std::set<Place> fragmentsAsBytes;
  // Casts of device code to a type that clang takes for other memory (see frontend/TypePuns.h), by
  // the place of the cast: "float as unsigned int".
  std::map<Place, std::string> typePuns;
  // Names of calls that wait for the whole grid: grid.sync(), cg::sync(grid).
  std::set<Place> gridSyncs;
  // Kernel launches whose block has a constant number of threads, by the place of
  // the kernel's name.
  struct Launch {
    std::string kernel;
    unsigned threads = 0;
    unsigned row = 0; // threads along x
  };
  std::map<Place, Launch> launches;
  // The matrix work of each kernel and instantiation (device side).
  std::vector<native::Kernel> kernels;
  // `__restrict__` on something that is neither pointer nor reference.
  std::set<Place> restrictOnValue;
  // Names of member templates that are called on an object of a dependent type without `template`.
  std::set<Place> withoutTemplate;
  // Names that user files declare or define: not CUDA's, whatever they look like.
  std::set<std::string> userNames;
  // Where something of the whole program but a namespace is called `lp`: the device runtime's
  // namespace cannot stand beside it.
  std::optional<Place> namedAsRuntime;
  // Text that neither side compiled: bytes [begin, end) of dead #if arms.
  struct Skipped {
    unsigned file = 0, begin = 0, end = 0;
  };
  std::vector<Skipped> skipped;
};

class Program {
public:
  std::vector<std::unique_ptr<SourceFile>> files; // [0] is the input
  std::vector<Include> includes;
  AstFacts facts;
  unsigned cudaArch = 800;          // __CUDA_ARCH__ of the device side
  std::set<std::string> flagMacros; // that the command line defines

  const SourceFile &file(unsigned index) const { return *files[index]; }
};

} // namespace layout_port
