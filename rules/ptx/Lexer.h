// The words of plain PTX (see Spelling.h for what "plain" means).
//
//   @!p mma.sync.aligned {%0,%1}, ...
//   │││ │  └────┬─────┘ │└┬┘
//   │││ Name  DotWords  │ Operand
//   Punct Name          Punct
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#syntax
#pragma once

#include "ptx/Outcome.h"
#include "ptx/Spelling.h"

#include <string_view>
#include <vector>

namespace layout_port::ptx {

struct Token {
  enum class Kind {
    Name,    // mma, p, %laneid, $L_1
    DotWord, // .sync, .L2::cache_hint; `text` is without the dot
    Number,  // 16, 0x1F, 0f3F800000, 1.0e-3
    Operand, // an asm operand; `reference` tells which
    String,  // "nounroll"; `text` is without the quotes
    Punct,   // one of { } [ ] ( ) < > , ; : @ ! | & ^ ~ + - * / = ?, or << or >>
    End,
  };
  Kind kind = Kind::End;
  std::string_view text; // into PlainText::text
  Span span;             // of the source text
  std::size_t reference = 0;
  bool glued = false; // nothing, not even a space, stands before it
};

// The tokens of `plain`, ended by one End token.
Outcome<std::vector<Token>> lex(const PlainText &plain);

} // namespace layout_port::ptx
