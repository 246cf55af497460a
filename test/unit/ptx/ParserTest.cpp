#include "PtxTesting.h"

using namespace layout_port::ptx;
using Kind = Operand::Kind;

TEST(Parser, AnEmptyTextIsAnEmptyBlock) {
  EXPECT_TRUE(parsed("").empty());
  EXPECT_TRUE(parsed(" // nothing\n /* at %0 all */ ;;\n").empty());
}

TEST(Parser, SplitsOpcodeModifiersAndOperands) {
  const Block b = parsed("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2+16];\n");
  ASSERT_EQ(b.instructions.size(), 1u);
  const Instruction &i = b.instructions[0];
  EXPECT_EQ(i.opcode, "ldmatrix");
  EXPECT_TRUE(i.has("x2"));
  EXPECT_FALSE(i.has("trans"));
  ASSERT_EQ(i.operands.size(), 2u);
  EXPECT_TRUE(i.operands[0].is(Kind::Vector));
  EXPECT_EQ(i.operands[0].elements[1].index, 1);
  EXPECT_TRUE(i.operands[1].is(Kind::Address));
  EXPECT_EQ(i.operands[1].elements[0].index, 2);
  EXPECT_EQ(i.operands[1].offset, 16);
}

TEST(Parser, SpansAreBytesOfTheGivenText) {
  const std::string text = "  mov.u32 %0, %%laneid;";
  const Block b = parsed(text);
  const Instruction &i = b.instructions[0];
  const auto cut = [&](Span s) { return text.substr(s.begin, s.end - s.begin); };
  EXPECT_EQ(cut(i.span), "mov.u32 %0, %%laneid");
  EXPECT_EQ(cut(i.operands[0].span), "%0");
  EXPECT_EQ(cut(i.operands[1].span), "%%laneid");
  EXPECT_EQ(i.modifierOffsets[0], text.find(".u32"));
}

TEST(Parser, ReadsPredicatesDeclarationsAndBlocks) {
  const Block b = parsed("{\n"
                         "  .reg .pred p;\n"
                         "  setp.ne.b32 p, %0, 0;\n"
                         "  @!p bra DONE;\n"
                         "  @p cp.async.cg.shared.global [%1], [%2], 16;\n"
                         "DONE:\n"
                         "}\n");
  ASSERT_EQ(b.declarations.size(), 1u);
  EXPECT_EQ(b.declarations[0].type, "pred");
  EXPECT_EQ(b.declarations[0].space, "reg");
  ASSERT_EQ(b.instructions.size(), 3u);
  EXPECT_TRUE(b.instructions[0].operands[0].is(Kind::Register));
  EXPECT_EQ(b.instructions[0].operands[0].declaration, 0);
  ASSERT_TRUE(b.instructions[1].guard.has_value());
  EXPECT_TRUE(b.instructions[1].guard->predicate.negated);
  EXPECT_EQ(b.instructions[1].operands[0].name, "DONE");
  EXPECT_TRUE(b.instructions[1].operands[0].is(Kind::Symbol));
  EXPECT_FALSE(b.instructions[2].guard->predicate.negated);
  EXPECT_EQ(b.instructions[2].scope, 1);
  ASSERT_EQ(b.labels.size(), 1u);
  EXPECT_EQ(b.labels[0].before, 3u);
}

TEST(Parser, AnInnerDeclarationHidesAnOuterOneUntilItsBraceCloses) {
  const Block b = parsed(".reg .b32 r; mov.b32 r, 0; {.reg .f32 r; mov.f32 r, r;} mov.b32 %0, r;");
  EXPECT_EQ(b.instructions[0].operands[0].declaration, 0);
  EXPECT_EQ(b.instructions[1].operands[0].declaration, 1);
  EXPECT_EQ(b.instructions[2].operands[1].declaration, 0);
}

TEST(Parser, NumberedRegistersAreDeclaredByTheirStem) {
  const Block b = parsed(".reg .b32 t<5>, u; add.u32 t0, t4, t5; mov.b32 u, %%t3;");
  EXPECT_EQ(b.declarations[0].count, 5u);
  EXPECT_EQ(b.declarations[1].count, 0u);
  EXPECT_TRUE(b.instructions[0].operands[0].is(Kind::Register));
  EXPECT_TRUE(b.instructions[0].operands[1].is(Kind::Register));
  EXPECT_TRUE(b.instructions[0].operands[2].is(Kind::Symbol)) << "t5 is one too many";
  EXPECT_TRUE(b.instructions[1].operands[1].is(Kind::Symbol)) << "%t3 is another name";
}

TEST(Parser, SpecialRegistersHaveAKindAndComponents) {
  const Block b = parsed("mov.u32 %0, %%tid.x; mov.u64 %1, %clock64;");
  EXPECT_TRUE(b.instructions[0].operands[1].is(Kind::Special));
  EXPECT_EQ(b.instructions[0].operands[1].name, "%tid");
  EXPECT_EQ(b.instructions[0].operands[1].component, "x");
  EXPECT_TRUE(b.instructions[1].operands[1].is(Kind::Special));
}

TEST(Parser, TheLlvmSpellingGivesTheSameBlock) {
  const Block a = parsed("shfl.sync.bfly.b32 %0|p, %1, %2, 0x1f, %%r;");
  const Block b = parsed("shfl.sync.bfly.b32 $0|p, $1, $2, 0x1f, %r;", Spelling::Llvm);
  EXPECT_EQ(a.instructions[0].spelling(), b.instructions[0].spelling());
  EXPECT_EQ(a.instructions[0].operands[0].elements[0].index, 0);
  EXPECT_EQ(b.instructions[0].operands[0].elements[0].index, 0);
  EXPECT_EQ(b.instructions[0].operands[4].name, "%r");
}

TEST(Parser, ModifiersWithDoubleColonsAreOneWord) {
  const Block b = parsed("ld.global.L1::no_allocate.L2::128B.v2.f32 {%0, _}, [%1];");
  EXPECT_TRUE(b.instructions[0].has("L1::no_allocate"));
  EXPECT_TRUE(b.instructions[0].has("L2::128B"));
  EXPECT_TRUE(b.instructions[0].operands[0].elements[1].is(Kind::Sink));
}

TEST(Parser, ImmediatesOfEveryBase) {
  const Block b = parsed("x 16, 0x1F, 017, 0b101, 7U, -1, ~0, (1 << 4), 2+3*4, 0f3F800000,"
                         " 0d3FF0000000000000, 1.5, -0f3F800000;");
  const auto &o = b.instructions[0].operands;
  const std::uint64_t expected[] = {16, 31, 15, 5, 7, ~0ull, ~0ull, 16, 14};
  for (std::size_t k = 0; k < std::size(expected); ++k)
    EXPECT_EQ(o[k].immediate.bits, expected[k]) << k;
  EXPECT_EQ(o[9].immediate.kind, Immediate::Kind::Float32);
  EXPECT_EQ(o[9].immediate.bits, 0x3F800000u);
  EXPECT_EQ(o[10].immediate.bits, 0x3FF0000000000000u);
  EXPECT_EQ(o[11].immediate.bits, 0x3FF8000000000000u);
  EXPECT_EQ(o[12].immediate.bits, 0xBF800000u);
}

TEST(Parser, TheLastSemicolonMayBeMissing) {
  EXPECT_EQ(parsed("cp.async.wait_all").instructions.size(), 1u);
  EXPECT_EQ(parseError("{ mov.b32 %0, %1 }"), "17: expected ';' after an instruction");
}

TEST(Parser, AddressesAddUpRegistersAndNumbers) {
  const Block b = parsed("ld.shared.u32 %0, [%1 + %2 + 16 - 4*2]; ld.u32 %0, [buf+-8];"
                         "ld.u32 %0, [64];");
  EXPECT_EQ(b.instructions[0].operands[1].elements.size(), 2u);
  EXPECT_EQ(b.instructions[0].operands[1].offset, 8);
  EXPECT_EQ(b.instructions[1].operands[1].elements[0].name, "buf");
  EXPECT_EQ(b.instructions[1].operands[1].offset, -8);
  EXPECT_TRUE(b.instructions[2].operands[1].elements.empty());
}

TEST(Parser, TensorCoordinatesAndCallsParseThoughNothingPortsThem) {
  const Block b =
      parsed("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
             " [%0], [%1, {%3, %4}], [%2]; call (r), f, (a, b);");
  EXPECT_EQ(b.instructions[0].operands[1].extra.size(), 1u);
  EXPECT_TRUE(b.instructions[0].has("mbarrier::complete_tx::bytes"));
  EXPECT_TRUE(b.instructions[1].operands[2].is(Kind::Tuple));
}

TEST(Parser, ErrorsNameTheOffsetAndTheReason) {
  EXPECT_EQ(parseError("mov.u32 %0, ;"), "12: expected an operand");
  for (const char *number : {".5", "-.5", ".5e3"})
    EXPECT_EQ(parseError("add.f32 %0, %1, " + std::string(number) + ";"),
              "16: a number begins with a digit: 0.5, not .5");
  for (const char *text : {"shl.b%2 %0, %1, 1;", "ld.v%2.f32 %0, [%1];", "st.b%2 [%0], %1;"})
    EXPECT_NE(parseError(text).find("an operand is part of the name of an instruction"),
              std::string::npos)
        << text;
  EXPECT_EQ(parseError("mov.u32 %0 %1;"), "11: expected ';' after an instruction");
  EXPECT_EQ(parseError("{ mov.u32 %0, 1;"), "16: a '{' is not closed");
  EXPECT_EQ(parseError("mov.u32 %0, 1; }"), "15: a '}' without a '{'");
  EXPECT_EQ(parseError("ld.u32 %0, [%1;"), "14: expected ']' after an address");
  EXPECT_EQ(parseError("mov.b32 %0, {%1, %2;"), "19: expected '}' after a list of operands");
  EXPECT_EQ(parseError(".reg p;"), "5: a declaration needs a type");
  EXPECT_EQ(parseError("mov.u32 %0, 09;"), "12: not a number PTX knows: 09");
  EXPECT_EQ(parseError("mov.u32 %0, 1/0;"), "13: a constant is divided by zero");
  EXPECT_EQ(parseError("mov.u32 %0, `;"), "12: a character that PTX does not have");
  EXPECT_EQ(parseError("/* mov"), "0: a comment is not closed");
}

TEST(Parser, HostileTextsAreBounded) {
  EXPECT_EQ(parseError(std::string(1000, '{')), "64: blocks are nested too deeply");
  EXPECT_EQ(parseError("x " + std::string(1000, '{')).substr(0, 4), "67: ");
  EXPECT_EQ(parseError("x " + std::string(100000, '-') + "1;"), "2: expected an operand");
  ParseOptions small;
  small.maxBytes = 4;
  EXPECT_EQ(parseError("trap;", small), "0: the asm text is larger than 4 bytes");
}

TEST(Parser, MessagesStayShortWhateverTheText) {
  EXPECT_LT(refusal("x" + std::string(10000, 'y') + ";").size(), 200u);
  EXPECT_LT(refusal("add." + std::string(10000, 'y') + " %0, %1, %2;").size(), 200u);
}
