// What a lowering writes with: it asks for the texts of operands and goes on; the
// first one that has none becomes the problem of the whole instruction.
//
//   Writer w(instruction, binding);
//   return w.assign(*s.destination, type, w.call("shl<unsigned>", {w.argument(*s.a, type), ...}),
//                   "a shift that ends at 32");
#pragma once

#include "asm/Lowering.h"
#include "ptx/decode/Common.h"

#include <initializer_list>

namespace layout_port {

class Writer {
public:
  Writer(const ptx::Instruction &instruction, const Binding &binding)
      : instruction_(instruction), binding_(binding) {}

  std::string value(const ptx::Operand &operand, ptx::Type type) {
    return keep(binding_.value(operand, type));
  }
  std::string argument(const ptx::Operand &operand, ptx::Type type) {
    return keep(binding_.argument(operand, type));
  }
  std::string address(const ptx::Operand &operand) { return keep(binding_.address(operand)); }
  std::string assignment(const ptx::Operand &operand, ptx::Type type, const std::string &text) {
    return keep(binding_.assign(operand, type, text));
  }

  // lp::function(arguments), and the chunk that has it.
  std::string call(const std::string &function, std::initializer_list<std::string> arguments,
                   const std::string &chunk = "") {
    use(chunk.empty() ? function.substr(0, function.find('<')) : chunk);
    std::string text = "lp::" + function + "(";
    bool first = true;
    for (const std::string &argument : arguments) {
      text += (first ? "" : ", ") + argument;
      first = false;
    }
    return text + ")";
  }
  void use(const std::string &chunk) { runtime_.push_back(chunk); }

  ptx::Problem refuse(const std::string &why) const { return {instruction_.opcodeOffset, why, ""}; }
  ptx::Problem notYet() const {
    return refuse("no lowering for " + instruction_.spelling() + " yet");
  }

  ptx::Outcome<Lowered> statement(const std::string &text, const std::string &reason,
                                  Tier tier = Tier::Emulated) {
    if (problem_)
      return *problem_;
    Lowered lowered;
    lowered.statement = text;
    lowered.reason = reason;
    lowered.tier = tier;
    lowered.runtime = runtime_;
    return lowered;
  }
  ptx::Outcome<Lowered> assign(const ptx::Operand &to, ptx::Type type, const std::string &text,
                               const std::string &reason) {
    return statement(assignment(to, type, text), reason);
  }

private:
  std::string keep(ptx::Outcome<std::string> text) {
    if (text)
      return *text;
    if (!problem_)
      problem_ = text.error();
    return "";
  }

  const ptx::Instruction &instruction_;
  const Binding &binding_;
  std::vector<std::string> runtime_;
  std::optional<ptx::Problem> problem_;
};

} // namespace layout_port
