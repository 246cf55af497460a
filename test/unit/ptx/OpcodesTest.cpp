// Every row of the opcode table has spellings it takes and spellings it does not:
// OpcodeCases.inc lists them, and a row without a case fails here.
#include "PtxTesting.h"

#include "ptx/Opcodes.h"

#include <set>
#include <string>

using namespace layout_port::ptx;

namespace {

struct Case {
  std::string_view key;
  std::string_view text;
  std::string_view message; // empty: accepted
};

const Case cases[] = {
#define ACCEPTS(key, text) {key, text, ""},
#define REJECTS(key, text, message) {key, text, message},
#include "OpcodeCases.inc"
#undef ACCEPTS
#undef REJECTS
};

const Case *findCase(std::string_view key, bool accepted) {
  for (const Case &c : cases)
    if (c.key == key && c.message.empty() == accepted)
      return &c;
  return nullptr;
}

} // namespace

TEST(Opcodes, EveryRowHasItsCases) {
  for (const Opcode *row = beginOpcodes(); row != endOpcodes(); ++row) {
    if (row->status == Status::Decoded) {
      EXPECT_TRUE(findCase(row->key, true)) << row->key << " has no accepted spelling";
      EXPECT_FALSE(row->forms.empty()) << row->key;
    } else {
      EXPECT_FALSE(row->reason.empty()) << row->key;
      EXPECT_FALSE(findCase(row->key, true)) << row->key << " is not decoded";
    }
    if (row->status == Status::Refused)
      EXPECT_FALSE(row->advice.empty()) << row->key;
    if (row->forms != " :" || row->status != Status::Decoded)
      EXPECT_TRUE(findCase(row->key, false)) << row->key << " has no rejected spelling";
  }
}

TEST(Opcodes, KeysAreUnique) {
  std::set<std::string_view> keys;
  for (const Opcode *row = beginOpcodes(); row != endOpcodes(); ++row)
    EXPECT_TRUE(keys.insert(row->key).second) << row->key;
}

TEST(Opcodes, EachCaseMeetsItsRowAndItsVerdict) {
  for (const Case &c : cases) {
    const Block block = parsed(c.text);
    ASSERT_FALSE(block.instructions.empty()) << c.text;
    const Opcode *row = findOpcode(block.instructions.back());
    ASSERT_TRUE(row) << c.text;
    EXPECT_EQ(row->key, c.key) << c.text;
    EXPECT_EQ(refusal(c.text), c.message.empty() ? "(decoded)" : c.message) << c.text;
  }
}

TEST(Opcodes, AnUnknownOpcodeIsSaidToBePtxButUnknown) {
  EXPECT_EQ(refusal("frobnicate.f32 %0, %1;"),
            "frobnicate: PTX, but no instruction this tool knows");
}

TEST(Opcodes, MoreWordsOfTheKeyWin) {
  const auto key = [](std::string_view text) {
    const Block block = parsed(text);
    const Opcode *row = findOpcode(block.instructions[0]);
    return row ? std::string(row->key) : "";
  };
  EXPECT_EQ(key("cp.async.ca.shared.global [%0], [%1], 4;"), "cp.async");
  EXPECT_EQ(key("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                "[%0], [%1], %2, [%3];"),
            "cp.async.bulk");
  EXPECT_EQ(key("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];"),
            "cp.async.bulk.tensor");
}
