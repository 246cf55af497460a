// JSON <-> layouts, and the form of the answers of `layout serve`.
#include "commands/layout/Json.h"
#include "commands/layout/Serve.h"

#include <gtest/gtest.h>

#include <random>

namespace layout_port {
namespace {

namespace json = llvm::json;

Result<LinearLayout> read(llvm::StringRef text) {
  const Result<json::Value> value = wire::parse(text);
  EXPECT_TRUE(value.ok()) << value.error().message;
  return wire::layoutFromJson(*value);
}

TEST(LayoutJson, ReadsDimsMinorFirstAndBasesLowBitFirst) {
  const Result<LinearLayout> layout = read(
      R"({"bases":[["register",[[0,1],[8,0]]],["lane",[[0,2]]]],"out":[["dim0",16],["dim1",16]]})");
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout->basis("register", 0), (LinearLayout::Basis{0, 1}));
  EXPECT_EQ(layout->basis("register", 1), (LinearLayout::Basis{8, 0}));
  EXPECT_EQ(layout->basis("lane", 0, "dim1"), 2u);
  EXPECT_EQ(layout->outSize("dim0"), 16u);
}

TEST(LayoutJson, RandomLayoutsComeBackAsTheyWere) {
  const unsigned seed = 20240501;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const int outBits = 1 + random() % 63, inBits = random() % 64, firstOut = random() % outBits;
    const int firstIn = inBits ? random() % inBits : 0;
    f2::Columns columns(inBits);
    for (uint64_t &column : columns)
      column = random() & f2::lowMask(outBits);
    const Result<LinearLayout> layout =
        LinearLayout::fromColumns({{"register", firstIn}, {"lane", inBits - firstIn}},
                                  {{"dim0", firstOut}, {"dim1", outBits - firstOut}}, columns);
    ASSERT_TRUE(layout.ok()) << layout.error().message;
    std::string text;
    llvm::raw_string_ostream(text) << wire::toJson(*layout);
    const Result<LinearLayout> again = read(text);
    ASSERT_TRUE(again.ok()) << again.error().message << text;
    EXPECT_EQ(*again, *layout) << text;
  }
}

TEST(LayoutJson, ErrorsSayWhatIsWrong) {
  EXPECT_NE(read(R"({"bases":[["lane",[[1.5]]]],"out":[["x",2]]})").error().message.find("lane"),
            std::string::npos);
  EXPECT_FALSE(read(R"({"bases":[["lane",[[2]]]],"out":[["x",2]]})").ok());
  EXPECT_FALSE(read(R"({"bases":[["lane",[[1]]]],"out":[["x",3]]})").ok());
  EXPECT_FALSE(read(R"({"bases":{"lane":[[1]]},"out":[["x",2]]})").ok());
  EXPECT_FALSE(read("[]").ok());
}

TEST(EncodingJson, MisspelledParametersAreNotIgnored) {
  const Result<Encoding> encoding =
      wire::encodingFromJson("blocked", json::Object{{"sizePerThraed", json::Array{1}}});
  ASSERT_FALSE(encoding.ok());
  EXPECT_NE(encoding.error().message.find("sizePerThraed"), std::string::npos);
}

TEST(ServeJson, DeepNestingIsAnErrorAndNotACrash) {
  EXPECT_FALSE(wire::parse(std::string(1000000, '[')).ok());
  EXPECT_TRUE(wire::parse("{\"a\":\"[[[[{{{\\\"[[\"}").ok());
}

TEST(ServeJson, IdsAreEchoedWhereTheyCanBe) {
  const auto idOf = [](llvm::StringRef line) {
    llvm::Expected<json::Value> answer = json::parse(serve::answerLine(line));
    EXPECT_TRUE(bool(answer));
    return *answer->getAsObject()->get("id");
  };
  EXPECT_EQ(idOf(R"({"id":"x","op":"no"})"), json::Value("x"));
  EXPECT_EQ(idOf(R"({"id":18446744073709551615})"), json::Value(UINT64_MAX));
  EXPECT_EQ(idOf(R"({"id":[1,{"a":2}]})"), json::Value(json::Array{1, json::Object{{"a", 2}}}));
  EXPECT_EQ(idOf(R"({"id":1e999})"), json::Value(nullptr));
  EXPECT_EQ(idOf(R"({"id":1)"), json::Value(nullptr));
}

} // namespace
} // namespace layout_port
