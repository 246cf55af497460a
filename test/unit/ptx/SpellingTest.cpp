#include "ptx/Spelling.h"

#include <gtest/gtest.h>

using namespace layout_port::ptx;

static PlainText plain(std::string_view text, Spelling spelling) {
  Outcome<PlainText> p = unescape(text, spelling);
  EXPECT_TRUE(p.ok()) << text << ": " << p.error().reason;
  return p ? *p : PlainText{};
}

TEST(Spelling, ExtendedAndLlvmTemplatesGiveTheSamePlainText) {
  const PlainText a = plain("mov.u32 %0, %%laneid;", Spelling::Extended);
  const PlainText b = plain("mov.u32 $0, %laneid;", Spelling::Llvm);
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.text, "mov.u32 \x01, %laneid;");
  ASSERT_EQ(a.references.size(), 1u);
  EXPECT_EQ(a.references[0].index, 0);
}

TEST(Spelling, EveryPlainByteKnowsItsSourceByte) {
  const PlainText p = plain("%%a %12 b", Spelling::Extended);
  EXPECT_EQ(p.text, "%a \x01 b");
  EXPECT_EQ(p.origin, (std::vector<std::size_t>{0, 2, 3, 4, 7, 8, 9}));
}

TEST(Spelling, BracesAndBarsMayBeEscaped) {
  EXPECT_EQ(plain("%{ p%|q %}", Spelling::Extended).text, "{ p|q }");
}

TEST(Spelling, OperandsHaveNamesAndModifiers) {
  const PlainText p = plain("%[dst] %h3 %c[n]", Spelling::Extended);
  ASSERT_EQ(p.references.size(), 3u);
  EXPECT_EQ(p.references[0].name, "dst");
  EXPECT_EQ(p.references[1].index, 3);
  EXPECT_EQ(p.references[1].modifier, 'h');
  EXPECT_EQ(p.references[2].name, "n");
  EXPECT_EQ(p.references[2].modifier, 'c');
}

TEST(Spelling, LlvmModifiersStandInBraces) {
  const PlainText p = plain("${3:h} ${4} $$x", Spelling::Llvm);
  ASSERT_EQ(p.references.size(), 2u);
  EXPECT_EQ(p.references[0].modifier, 'h');
  EXPECT_EQ(p.references[1].index, 4);
  EXPECT_EQ(p.text, "\x01 \x01 $x");
}

TEST(Spelling, UniqueIdsBecomeOneName) {
  EXPECT_EQ(plain("L%=:", Spelling::Extended).text, "L_uid_:");
  EXPECT_EQ(plain("L${:uid}:", Spelling::Llvm).text, "L_uid_:");
}

TEST(Spelling, ASinglePercentBeforeARegisterNameIsKept) {
  EXPECT_EQ(plain("mov.u32 %0, %laneid;", Spelling::Extended).text, "mov.u32 \x01, %laneid;");
}

// As the compiler prints it: a constant inside a word is part of the word.
TEST(Spelling, AConstantInsideAWordBecomesPartOfIt) {
  const std::vector<OperandConstant> constants = {{14, "", 64}, {2, "bytes", 128}};
  const auto with = [&](std::string_view text, Spelling spelling) {
    return unescape(text, spelling, constants)->text;
  };
  EXPECT_EQ(with("mma.m16n8k%14.row {%0}, %14, -%14;", Spelling::Extended),
            "mma.m16n8k64.row {\x01}, \x01, -\x01;");
  EXPECT_EQ(with("ld.L2::%[bytes]B.v%1 [%3+%2];", Spelling::Extended),
            "ld.L2::128B.v\x01 [\x01+\x01];");
  EXPECT_EQ(with("mma.m16n8k$14 $0, $1;", Spelling::Llvm), "mma.m16n8k64 \x01, \x01;");
  EXPECT_EQ(with("%h14.k%h14;", Spelling::Extended), "\x01.k\x01;");
}

TEST(Spelling, RawTextHasNoEscapes) {
  EXPECT_EQ(plain("mov.u32 %r1, %%x$0;", Spelling::Raw).text, "mov.u32 %r1, %%x$0;");
}

TEST(Spelling, BadReferencesAreErrorsAtTheirOffset) {
  const auto error = [](std::string_view text, Spelling s) {
    const Outcome<PlainText> p = unescape(text, s);
    return std::to_string(p.error().offset) + ": " + p.error().reason;
  };
  EXPECT_EQ(error("a %99999999999", Spelling::Extended),
            "2: the number of an asm operand is out of range");
  EXPECT_EQ(error("%[x", Spelling::Extended), "0: an asm operand's name is not closed");
  EXPECT_EQ(error("a $b", Spelling::Llvm), "2: '$' is not followed by an operand number");
  EXPECT_EQ(error("${0", Spelling::Llvm), "0: '${' is not closed");
  EXPECT_EQ(error(std::string_view("a\0b", 3), Spelling::Raw),
            "1: a control character in the asm text");
}
