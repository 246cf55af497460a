// Any bytes, in any spelling, are parsed or refused: no crash, no hang, no
// memory out of proportion to the text, and every span lies inside it.
//
//   ptx_fuzz -dict=ptx.dict -max_len=4096 CORPUS
#include "ptx/Parser.h"
#include "ptx/decode/Decode.h"

#include <cstdint>
#include <cstdlib>

using namespace layout_port::ptx;

static void require(bool fact) {
  if (!fact)
    std::abort();
}

static void checkOperand(const Operand &o, std::size_t size) {
  require(o.span.begin <= o.span.end && o.span.end <= size);
  for (const Operand &e : o.elements)
    checkOperand(e, size);
  for (const Operand &e : o.extra)
    checkOperand(e, size);
}

static void checkBlock(const Block &block, std::size_t size) {
  for (const Instruction &i : block.instructions) {
    require(i.span.begin <= i.span.end && i.span.end <= size);
    require(i.scope >= 0 && static_cast<std::size_t>(i.scope) < block.scopes.size());
    require(i.modifiers.size() == i.modifierOffsets.size());
    for (const Operand &o : i.operands)
      checkOperand(o, size);
    const Outcome<Meaning> meaning = decode(i, block);
    require(meaning || (!meaning.error().reason.empty() && meaning.error().offset <= size));
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size == 0)
    return 0;
  ParseOptions options;
  options.spelling = static_cast<Spelling>(data[0] % 3);
  const std::string_view text(reinterpret_cast<const char *>(data) + 1, size - 1);
  const Outcome<Block> block = parse(text, options);
  if (block)
    checkBlock(*block, text.size());
  else
    require(block.error().offset <= text.size() && !block.error().reason.empty());
  return 0;
}
