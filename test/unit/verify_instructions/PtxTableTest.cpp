// What the port understands, the machine runs: every row of rules/ptx/Opcodes.inc that is
// decoded is spelled out by its forms, and each spelling that ptx::decode gives a meaning must
// become micro-operations, in IEEE arithmetic and in the field. The few that do not are listed
// here, and test/lit/verify/refused-ptx.test shows that the port leaves the same ones to a person.
#include "Golden.h"

#include "decode/Decoder.h"
#include "ptx/Forms.h"
#include "ptx/Opcodes.h"
#include "ptx/Parser.h"
#include "ptx/decode/Decode.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>

#include <gtest/gtest.h>

#include <random>

namespace layout_port::verify {
namespace {

std::vector<std::string> cutAt(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::string part; !text.empty();) {
    const size_t end = text.find(separator);
    part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!part.empty())
      parts.push_back(part);
  }
  return parts;
}

// One group of a form's modifiers: "add|min|max", "s8|u8{4}", "trans?".
struct Group {
  std::vector<std::string> words;
  unsigned least = 1, most = 1;

  explicit Group(std::string text) {
    if (text.back() == '?' || text.back() == '*') {
      least = 0;
      text.pop_back();
    } else if (text.back() == '}') {
      least = most = unsigned(text[text.size() - 2] - '0');
      text.resize(text.size() - 3);
    }
    for (const std::string &word : cutAt(text, '|'))
      if (word.front() == '@')
        for (const std::string &one : cutAt(ptx::wordsOfClass(word), '|'))
          words.push_back(one);
      else
        words.push_back(word);
  }
};

// Spellings of one form: each word of each group at least once, the others by chance.
class Speller {
public:
  Speller(const ptx::Opcode &row, const std::string &form) : row_(row) {
    const size_t split = form.rfind(" :");
    for (const std::string &group : cutAt(form.substr(0, split), ' '))
      groups_.emplace_back(group);
    letters_ = cutAt(form.substr(split + 2), ' ');
  }

  // Everything of the form that ptx::decode takes, out of so many tries a word.
  std::set<std::string> spell(unsigned tries) {
    std::set<std::string> good;
    if (groups_.empty())
      attempt({}, good);
    for (size_t g = 0; g < groups_.size(); ++g)
      for (const std::string &word : groups_[g].words)
        for (unsigned t = 0; t < tries; ++t)
          attempt({g, word}, good);
    return good;
  }

private:
  void attempt(std::pair<size_t, std::string> wanted, std::set<std::string> &good) {
    std::string opcode(row_.key);
    for (size_t g = 0; g < groups_.size(); ++g) {
      const Group &group = groups_[g];
      unsigned count = group.most;
      if (group.least == 0 && (g != wanted.first || wanted.second.empty()))
        count = random_() % 2;
      for (unsigned i = 0; i < count; ++i)
        opcode += "." + (i == 0 && g == wanted.first && !wanted.second.empty()
                             ? wanted.second
                             : group.words[random_() % group.words.size()]);
    }
    for (unsigned length : {1, 2, 4, 8})
      for (bool optional : {false, true})
        if (const std::string text = opcode + " " + operands(length, optional) + ";"; decodes(text))
          good.insert(text);
  }

  std::string operands(unsigned length, bool optional) const {
    std::string text;
    for (size_t i = 0; i < letters_.size(); ++i) {
      if (letters_[i].size() > 1 && !optional)
        continue;
      text += (text.empty() ? "" : ", ") + operand(letters_[i].front(), i, length);
    }
    return text;
  }

  std::string operand(char letter, size_t place, unsigned length) const {
    const std::string n = std::to_string(place);
    switch (letter) {
    case 'd':
      return isPredicate(place) ? "p" + n : "d" + n;
    case 'q':
      return isPredicate(place) ? "p" + n + "|p9" : "d" + n + "|p9";
    case 'v': {
      if (length == 1)
        return (row_.category == ptx::Category::Matrix ? "r" : "d") + n;
      const std::string element = row_.category == ptx::Category::Matrix ? "y" : "x";
      std::string list = "{";
      for (unsigned e = 0; e < length; ++e)
        list += (e ? ", " : "") + element + std::to_string(8 * place + e);
      return list + "}";
    }
    case 'a':
      return "[a" + n + "+16]";
    case 'i':
      return row_.key == "cp.async" ? "16" : "7";
    case 'p':
    case 'x':
      return "p" + n;
    case 'n':
      return row_.category == ptx::Category::Async ? "d" + n : "p" + n;
    default:
      return isPredicate(place) ? "p" + n : "d" + n;
    }
  }
  // setp, testp, isspacep and votes write predicates; and.pred reads them.
  bool isPredicate(size_t place) const {
    const std::string key(row_.key);
    if (place == 0)
      return key == "setp" || key == "testp" || key == "isspacep";
    return false;
  }

  static bool decodes(const std::string &text);

  const ptx::Opcode &row_;
  std::vector<Group> groups_;
  std::vector<std::string> letters_;
  std::mt19937 random_{4};
};

// Registers of every name that operand() uses.
std::string statement(const std::string &instruction) {
  return "{ .reg .b64 d<9>, a<9>, x<80>; .reg .b32 r<9>, y<80>; .reg .pred p<10>; " + instruction +
         " }";
}

const ptx::Instruction *parsed(const std::string &text, ptx::Outcome<ptx::Block> &block) {
  block = ptx::parse(text, {ptx::Spelling::Llvm});
  return block && block->instructions.size() == 1 ? &block->instructions.front() : nullptr;
}

bool Speller::decodes(const std::string &text) {
  ptx::Outcome<ptx::Block> block = ptx::Block();
  const std::string whole = statement(text);
  const ptx::Instruction *instruction = parsed(whole, block);
  return instruction && ptx::decode(*instruction, *block);
}

// What the decoder says of a kernel that holds the statement; empty when it is content.
std::string machineSays(const std::string &instruction, const Field *field) {
  const golden::Chip chip = golden::nvidia();
  const std::string text = "target datalayout = \"" + chip.layout + "\"\ntarget triple = \"" +
                           chip.triple +
                           "\"\ndefine ptx_kernel void @k() {\n  call void asm sideeffect \"" +
                           statement(instruction) + "\", \"\"()\n  ret void\n}\n";
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const auto module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    return diagnostic.getMessage().str();
  auto program = Decoder(*module, field).decode(*module->getFunction("k"));
  return program ? "" : llvm::toString(program.takeError());
}

// Refused by name; the port refuses them too.
bool isRefused(const std::string &instruction) {
  for (const char *word : {"b128", "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2"})
    if (instruction.find(word) != std::string::npos)
      return true;
  if (instruction.rfind("isspacep.", 0) == 0)
    return instruction.find("param") != std::string::npos ||
           instruction.find("const") != std::string::npos;
  return instruction.rfind("redux", 0) == 0 && instruction.find("f32") != std::string::npos;
}

class PtxTable : public testing::TestWithParam<const ptx::Opcode *> {};

TEST_P(PtxTable, IsRunByTheMachine) {
  const ptx::Opcode &row = *GetParam();
  const Field field(16, 3);
  unsigned checked = 0, refused = 0;
  for (const std::string &form : cutAt(row.forms, ';'))
    for (const std::string &text : Speller(row, form).spell(row.key == "mma" ? 0 : 3)) {
      const std::string said = machineSays(text, nullptr);
      if (isRefused(text)) {
        EXPECT_NE(said, "") << text << " is listed as refused, but runs";
        ++refused;
        continue;
      }
      EXPECT_EQ(said, "") << text;
      EXPECT_EQ(machineSays(text, &field), "") << text << " in the field";
      ++checked;
    }
  // The shapes of mma have rows of their own, and MmaSyncTest.cpp goes over those.
  if (row.key != "mma")
    EXPECT_GT(checked, 0u) << "no spelling of " << row.key << " was made up";
  RecordProperty("spellings", int(checked));
  RecordProperty("refused", int(refused));
}

std::vector<const ptx::Opcode *> decodedRows() {
  std::vector<const ptx::Opcode *> rows;
  for (const ptx::Opcode *row = ptx::beginOpcodes(); row != ptx::endOpcodes(); ++row)
    if (row->status == ptx::Status::Decoded)
      rows.push_back(row);
  return rows;
}

std::string rowName(const testing::TestParamInfo<const ptx::Opcode *> &info) {
  std::string name;
  for (char c : info.param->key)
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, PtxTable, testing::ValuesIn(decodedRows()), rowName);

} // namespace
} // namespace layout_port::verify
