// A form says in one line how an instruction may be spelled:
//
//   sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta? b16 : v a
//   └──────────── modifiers, a set in any order ────────────┘   └ operands, in order
//
// Modifiers: groups parted by blanks. In a group, alternatives parted by '|'; a
// word that begins with '@' stands for a class of modifiers (Forms.cpp lists
// them). After the group: nothing = exactly one, '?' = at most one, '*' = any
// number, {n} = exactly n. An instruction fits when each of its modifiers finds
// a group with room, and no group is left short.
//
// Operands: one letter each, '?' after it = may be missing, '*' = any number.
//   d  destination: a register or an asm operand, or _
//   q  destination with an optional predicate beside it: d or d|p
//   s  scalar source: register, asm operand, special register, number, symbol
//   v  a vector {..}, or one scalar
//   a  address [..]
//   i  integer constant, or an asm operand bound to one
//   p  predicate, may be negated
//   n  a scalar source or a predicate that may be negated
//   x  anything
//
// A row holds several forms parted by ';'. The error speaks of the form that
// came closest.
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"

#include <optional>
#include <string_view>

namespace layout_port::ptx {

// Nothing when `instruction` fits one of `forms`; else why not, and where.
// `key` is the row's name: its words after the first are modifiers already met.
std::optional<Problem> checkForms(const Instruction &instruction, std::string_view key,
                                  std::string_view forms);

// The modifiers of the class `name` (with its '@'), parted by '|'.
std::string_view wordsOfClass(std::string_view name);

// Whether `modifier` is one of them.
bool isOfClass(std::string_view modifier, std::string_view name);

} // namespace layout_port::ptx
