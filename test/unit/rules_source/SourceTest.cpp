// Raw tokens, asm statements and edits inside edits.
#include "device/Runtime.h"
#include "source/AsmStatement.h"
#include "source/Edits.h"
#include "source/Emit.h"
#include "source/Match.h"
#include "source/Repair.h"

#include <gtest/gtest.h>

using namespace layout_port;

static std::vector<AsmStatement> asmOf(const std::string &text, size_t unreadable = 0) {
  static std::vector<std::unique_ptr<std::string>> kept; // tokens refer to the text
  kept.push_back(std::make_unique<std::string>(text));
  static std::vector<std::unique_ptr<TokenStream>> streams;
  streams.push_back(std::make_unique<TokenStream>(*kept.back()));
  std::vector<size_t> bad;
  std::vector<AsmStatement> found = findAsmStatements(*streams.back(), bad);
  EXPECT_EQ(bad.size(), unreadable);
  return found;
}

TEST(AsmStatement, JoinsLiteralsAndReadsOperands) {
  const auto found = asmOf("asm volatile(\"mma \" \"x;\\n\\t\" : \"=r\"(d[0]), [b] \"+f\"(f(a, 1)) "
                           ": \"l\"(p) : \"memory\");");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].isVolatile);
  EXPECT_EQ(*found[0].text, "mma x;\n\t");
  ASSERT_EQ(found[0].operandCount(), 3u);
  EXPECT_EQ(found[0].operand(0)->expression, "d[0]");
  EXPECT_EQ(found[0].operand(1)->name, "b");
  EXPECT_EQ(found[0].operand(1)->constraint, "+f");
  EXPECT_EQ(found[0].operand(1)->expression, "f(a, 1)");
  EXPECT_EQ(found[0].operand(2)->expression, "p");
  EXPECT_EQ(found[0].operand(3), nullptr);
}

TEST(AsmStatement, TwoColonsAreTwoSections) {
  const auto found = asmOf("asm volatile(\"x;\" ::\"r\"(s), \"n\"(16));");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].outputs.empty());
  EXPECT_EQ(found[0].inputs.size(), 2u);
}

// nvcc takes operands without commas between them, and so do we.
TEST(AsmStatement, CommasBetweenOperandsMayBeMissing) {
  const auto found = asmOf("asm(\"x;\" : \"=r\"(a) \"=r\"(b) : \"r\"(c));");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].outputs.size(), 2u);
}

TEST(AsmStatement, ReadsMacroBodiesOverSplicedLines) {
  const auto found = asmOf("#define LD(R, A) \\\n  asm volatile(\"ld \" \\\n  \"x;\" : \"=r\"(R) : "
                           "\"r\"(A))\nint y;");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].inMacro);
  EXPECT_EQ(*found[0].text, "ld x;");
}

TEST(AsmStatement, TextBuiltByMacrosIsLeftToTheAst) {
  const auto found = asmOf("asm(\"ld.\" TYPE \" %0;\" : \"=r\"(a));");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].text);
}

TEST(AsmStatement, WhatCannotBeReadIsNamed) {
  asmOf("asm volatile(\"x;\" : \"=r\"(a;", 1);
  asmOf("#define ASM asm volatile\n", 1);
}

TEST(Tokens, DirectivesCoverSplicedLinesAndDeadArms) {
  const std::string text = "#if 0\nint a;\n#endif\n#define X \\\n  y\nint b;\n";
  const TokenStream tokens(text);
  ASSERT_EQ(tokens.directives().size(), 3u);
  EXPECT_EQ(tokens.directives()[2].name, "define");
  EXPECT_EQ(text.substr(tokens.directives()[2].begin,
                        tokens.directives()[2].end - tokens.directives()[2].begin),
            "#define X \\\n  y");
}

TEST(Tokens, ArgumentsSplitAtTopLevelCommasOnly) {
  const std::string text = "f(a, g(b, c), (d, e)[1])";
  const TokenStream tokens(text);
  std::vector<TokenStream::Range> args;
  size_t close = 0;
  ASSERT_TRUE(tokens.callArguments(1, args, close));
  ASSERT_EQ(args.size(), 3u);
  EXPECT_EQ(tokens.textOf(args[1]), "g(b, c)");
  EXPECT_EQ(close + 1, tokens.size());
}

TEST(Edits, QuotedRangesCarryTheEditsInsideThem) {
  const std::string source = "asm(old(x), old(y))";
  EditList edits;
  edits.add({0, 0, unsigned(source.size()), "call(" + sourceRange(4, 10) + ")"});
  edits.add({0, 4, 3, "new"});  // inside the quote
  edits.add({0, 12, 3, "new"}); // lost with the old text
  edits.sort();
  EXPECT_EQ(edits.apply(source, 0, source.size()), "call(new(x))");
}

TEST(Edits, AnInsertionStandsBeforeAReplacementAtTheSamePlace) {
  const std::string source = "ab";
  EditList edits;
  edits.add({0, 0, 1, "x"});
  edits.add({0, 0, 0, "+"});
  edits.sort();
  EXPECT_EQ(edits.apply(source, 0, 2), "+xb");
}

TEST(Match, SideEffectsAreOperatorsThatAssign) {
  EXPECT_TRUE(hasSideEffects("*p++"));
  EXPECT_TRUE(hasSideEffects("x += 1"));
  EXPECT_FALSE(hasSideEffects("a <= b && c == d[e]"));
}

TEST(Runtime, ChunksBringWhatTheyNeedOnceAndInOrder) {
  std::string unknown;
  const std::string text = runtimeText(runtimeChunks({"any_sync", "ballot"}, {}, unknown));
  EXPECT_EQ(unknown, "");
  const size_t lane = text.find("lane64()"), ballot = text.find("unsigned ballot(bool");
  ASSERT_NE(lane, std::string::npos);
  EXPECT_LT(lane, ballot);
  EXPECT_LT(ballot, text.find("any_sync"));
  EXPECT_EQ(text.find("unsigned ballot(bool", ballot + 1), std::string::npos);
}

TEST(Runtime, AnUnknownChunkIsNamed) {
  std::string unknown;
  runtimeChunks({"nonsense"}, {}, unknown);
  EXPECT_EQ(unknown, "nonsense");
}

TEST(Repair, PutsTheCommasAndPercentsThatClangWants) {
  const std::string text = "f(); asm(\"mov %0, %laneid; ld %1, [%q2];%%x\" : \"=r\"(a[g(\"s\")]) "
                           "[b] \"=r\"(b) : \"r\"(c)\"r\"(d));";
  const Repairs repairs = findRepairs(text);
  EXPECT_EQ(repairs.apply(text),
            "f(); asm(\"mov %0, %%laneid; ld %1, [%q2];%%x\" : \"=r\"(a[g(\"s\")]), "
            "[b] \"=r\"(b) : \"r\"(c),\"r\"(d));");
}

TEST(Repair, LeavesWhatClangTakes) {
  EXPECT_TRUE(findRepairs("asm(\"mov %0, %%laneid;\" : \"=r\"(a), \"=r\"(b));").empty());
  EXPECT_TRUE(findRepairs("asm(\"mov x, %laneid;\");").empty()); // basic asm
  EXPECT_TRUE(findRepairs("int n = f(a) \"s\";").empty());
}

TEST(Repair, PutsTheKeywordThatADependentMemberTemplateWants) {
  const std::string text = "a = s.row<16>(a); p->col<N / 2, T<int>>(x(1)); s.all<>();\n"
                           "#define NEXT(s) s.row<sizeof(int)>(0)\n";
  EXPECT_EQ(findRepairs(text).apply(text),
            "a = s.template row<16>(a); p->template col<N / 2, T<int>>(x(1)); s.template all<>();\n"
            "#define NEXT(s) s.template row<sizeof(int)>(0)\n");
}

// Comparisons, and calls that have the keyword or need none.
TEST(Repair, LeavesComparisonsAndOtherCalls) {
  for (const char *text :
       {"if (a.x < n && b.y > (z)) f();", "f(a.x<b && c>(d));", "for (; a.x<n; a.y>(0)) g();",
        "a.x<b = c>(d);", "s.template row<16>(a);", "row<16>(a);", "tile::row<16>(a);",
        "f(a.x<g(b>(c)));", "a.x < n > (z);", "a.x<b ? c>(d) : e;", "a.x<f(b)) > (c);", "a.x<n",
        "a.x<n>", "a.x<n>>(m);", ".", "a."})
    EXPECT_TRUE(findRepairs(text).empty()) << text;
}

TEST(Repair, OffsetsAroundAKeywordLeadBack) {
  const std::string text = "asm(\"\" :: \"r\"(s.row<8>(t)) \"r\"(u)); int tail;";
  const Repairs repairs = findRepairs(text);
  const std::string mended = repairs.apply(text);
  ASSERT_EQ(mended.size(), text.size() + 10);
  for (const char *word : {"s.", "row", "\"r\"(u)", "tail"})
    EXPECT_EQ(repairs.original(mended.find(word)), text.find(word)) << word;
  EXPECT_EQ(repairs.original(mended.find("plate")), text.find("row"));
  EXPECT_TRUE(repairs.hasKeywordAt(text.find("row")));
  EXPECT_FALSE(repairs.hasKeywordAt(text.find("\"r\"(u)") - 1));
}

// Every byte of the mended text belongs to the author's byte it was copied from.
TEST(Repair, OffsetsLeadBackToTheAuthorsText) {
  const std::string text = "asm(\"mov %0, %laneid;\" : \"=r\"(a) \"=r\"(b)); int tail;";
  const Repairs repairs = findRepairs(text);
  const std::string mended = repairs.apply(text);
  ASSERT_EQ(mended.size(), text.size() + 2);
  for (const char *word : {"asm", "laneid", "=r\"(b)", "tail"})
    EXPECT_EQ(repairs.original(mended.find(word)), text.find(word)) << word;
}

TEST(Emit, IncludesLeadFromFileToFile) {
  EXPECT_EQ(relativeInclude("k.hip", "ptx.h"), "ptx.h");
  EXPECT_EQ(relativeInclude("a/k.hip", "a/inc/ptx.h"), "inc/ptx.h");
  EXPECT_EQ(relativeInclude("a/b/k.hip", "a/ptx.h"), "../ptx.h");
  EXPECT_EQ(relativeInclude("a/k.hip", "ab/ptx.h"), "../ab/ptx.h");
}

TEST(Runtime, HeadersOfSeveralPortsAreJoinedByChunk) {
  std::string unknown;
  const std::string a = runtimeHeaderText(runtimeChunks({"ballot", "manual"}, {}, unknown));
  const std::string b = runtimeHeaderText(runtimeChunks({"any_sync"}, {}, unknown));
  const std::string both =
      runtimeHeaderText(runtimeChunks({"any_sync", "ballot", "manual"}, {}, unknown));
  EXPECT_EQ(mergeRuntimeHeaders(a, a), a);
  const std::string merged = mergeRuntimeHeaders(a, b);
  EXPECT_EQ(merged.size(), both.size());
  EXPECT_EQ(mergeRuntimeHeaders(merged, b), merged);
  EXPECT_LT(merged.find("unsigned ballot(bool"), merged.find("any_sync(unsigned"));
}
