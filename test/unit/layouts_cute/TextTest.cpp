// Reading and printing, and that bad input is one line of error.
#include "Eval.h"

#include <gtest/gtest.h>

using namespace layout_port;
using namespace layout_port::cute;

TEST(CuteText, PrintsWhatItReads) {
  for (const std::string text :
       {"8:1", "(8):(1)", "(4,(2,2)):(1,(8,32))", "((2)):((-3))", "Sw<3,4,3>",
        "Sw<3,4,3> o 0 o (8,64):(64,1)", "Sw<2,0,-3> o 5 o 8:1", "(4,4):(4,1) o -3 o Sw<1,0,2>"})
    EXPECT_EQ(parseFunction(text)->toString(), text);
  EXPECT_EQ(eval("<(4,2):(2,1),_,3>"), "<(4,2):(2,1),_,3>");
}

TEST(CuteText, AcceptsBlanksStaticIntegersAndPythonTuples) {
  EXPECT_EQ(eval(" ( _4 , (2,2) ) : ( _1, (8, _32) ) "), "(4,(2,2)):(1,(8,32))");
  EXPECT_EQ(eval("(8,):(1,)"), "(8):(1)");
  EXPECT_EQ(eval("Swizzle<2,1>"), "Sw<2,1,2>");
}

TEST(CuteText, ALayoutWithoutStridesIsCompact) {
  EXPECT_EQ(parseLayout("8")->toString(), "8:1");
  EXPECT_EQ(parseLayout("(8)")->toString(), "(8):(1)");
  EXPECT_EQ(parseLayout("(4,(3,2))")->toString(), "(4,(3,2)):(1,(4,12))");
  // Modes of size 1 get stride 0, as static ones do in CuTe.
  EXPECT_EQ(parseLayout("(4,1,2)")->toString(), "(4,1,2):(1,0,4)");
}

TEST(CuteText, ListsOfLayoutsAreConcatenated) {
  EXPECT_EQ(eval("(4:1,(2,2):(8,32))"), "(4,(2,2)):(1,(8,32))");
  EXPECT_EQ(eval("make_layout(4:1)"), "(4):(1)");
}

TEST(CuteText, CallsNest) {
  EXPECT_EQ(eval("composition((6,2):(8,2),(4,3):(3,1))"), "((2,2),3):((24,2),8)");
  EXPECT_EQ(eval("(6,2):(8,2) o (4,3):(3,1)"), "((2,2),3):((24,2),8)");
  EXPECT_EQ(eval("coalesce(composition(20:2,(5,4):(1,5)))"), "20:2");
  EXPECT_EQ(eval("size(composition((6,2):(8,2),<3,_>))"), "6");
  EXPECT_EQ(eval("size", {"logical_product(4:1,3:1)"}), "12");
}

TEST(CuteText, ErrorsAreOneShortLine) {
  for (const std::string text : {"",
                                 "(",
                                 "()",
                                 "(4,2",
                                 "4:",
                                 "(4,2):3",
                                 "(4,2):(1,(2,3))",
                                 "0:1",
                                 "-4:1",
                                 "(4,_):(1,2)",
                                 "8:1 8",
                                 "4:1)",
                                 "Sw<3,4>(",
                                 "Sw<3,0,2>",
                                 "Sw<40,0,40>",
                                 "<>",
                                 "nonsense(4:1)",
                                 "99999999999999999999:1",
                                 "1:99999999999999999999",
                                 "(2199023255552,2):(1,1)",
                                 "size()",
                                 "composition(4:1)",
                                 "a\nb",
                                 "4:1 o",
                                 "5 o 4:1 o",
                                 "_:1",
                                 "4:_"}) {
    const std::string result = eval(text);
    EXPECT_TRUE(isError(result)) << text << " -> " << result;
    EXPECT_EQ(result.find('\n'), std::string::npos) << text;
    EXPECT_LT(result.size(), 300u) << text;
  }
}

TEST(CuteText, DeepAndLongInputIsRefused) {
  EXPECT_TRUE(isError(eval(std::string(100000, '('))));
  EXPECT_TRUE(isError(eval(std::string(1000, '(') + "4" + std::string(1000, ')'))));
  std::string wide = "(2";
  for (int i = 0; i < 5000; ++i)
    wide += ",1";
  EXPECT_TRUE(isError(eval(wide + ")")));
  // Each factor is fine, the product of their sizes is not.
  EXPECT_TRUE(isError(eval("logical_product(1099511627776:1,1099511627776:1)")));
}

TEST(CuteText, EveryFunctionSurvivesArgumentsOfAnyKind) {
  const std::vector<std::string> values = {
      "4:1", "(4,2):(2,1)", "Sw<1,0,2>", "<2,_>", "_", "3", "Sw<1,0,2> o 1 o (4,2):(2,1)"};
  for (const std::string &name : functionNames())
    for (const std::string &a : values)
      for (const std::string &b : values) {
        EXPECT_FALSE(eval(name, {a}).empty());
        EXPECT_FALSE(eval(name, {a, b}).empty());
        EXPECT_FALSE(eval(name, {a, b, "2"}).empty());
      }
}
