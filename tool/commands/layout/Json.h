// JSON <-> layouts, as `layout-port layout serve` speaks it.
//
//   {"bases": [["register", [[0,1],[8,0]]], ["lane", [[0,2],[0,4]]]],
//    "out": [["dim0",16], ["dim1",16]]}
//
// Dims stand minor first, bases low bit first; each basis has one coordinate for each
// out-dim, in the order of "out". docs/serve.md is the whole protocol.
//
// What comes in is somebody's text: nothing here trusts a type, a size or a name. A
// Reader hands out the fields of one JSON object, and its errors name the field.
#pragma once

#include "layout_port/layouts/Encodings.h"
#include "layout_port/layouts/Isa.h"
#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Result.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace layout_port::wire {

llvm::json::Value toJson(const LinearLayout &layout);
// {"lane": 3, "warp": 0}
llvm::json::Value toJson(const LinearLayout::NamedValues &values);
// A 64-bit number: what JSON has no integer for becomes the nearest float.
llvm::json::Value toJson(uint64_t number);

Result<LinearLayout> layoutFromJson(const llvm::json::Value &value);
// {"sizePerThread": [1, 2], ...} in the family's own spelling; a parent is
// {"family": ..., "params": {...}}. Errors: a name that the family does not have.
Result<Encoding> encodingFromJson(llvm::StringRef family, const llvm::json::Value &params);

// Text, without the dangers: llvm::json::parse recurses, so the nesting is counted
// first, and anything deeper than this is an error.
inline constexpr int kMaxNesting = 64;
Result<llvm::json::Value> parse(llvm::StringRef text);

// The fields of an object. "Absent" includes null.
class Reader {
public:
  explicit Reader(const llvm::json::Object &object) : object_(object) {}

  bool has(llvm::StringRef field) const { return find(field) != nullptr; }
  // Nothing when absent.
  const llvm::json::Value *find(llvm::StringRef field) const;

  Result<LinearLayout> layout(llvm::StringRef field) const;
  Result<std::string> text(llvm::StringRef field) const;
  Result<std::string> text(llvm::StringRef field, llvm::StringRef otherwise) const;
  // An integer from `low` to `high`.
  Result<int64_t> integer(llvm::StringRef field, int64_t low, int64_t high) const;
  Result<std::optional<int>> optionalInteger(llvm::StringRef field, int low, int high) const;
  Result<bool> flag(llvm::StringRef field) const; // absent: false
  Result<PerDim> numbers(llvm::StringRef field) const;
  Result<std::vector<std::string>> texts(llvm::StringRef field) const;
  Result<const llvm::json::Array *> array(llvm::StringRef field) const;
  Result<isa::Arch> arch(llvm::StringRef field = "arch") const;

private:
  const llvm::json::Object &object_;
};

} // namespace layout_port::wire
