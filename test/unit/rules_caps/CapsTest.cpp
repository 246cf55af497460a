// Caps: what `--verify` says of one site, its neighbours do not feel.
#include "PortText.h"

#include <gtest/gtest.h>

using namespace layout_port;

namespace {

const char *const kMma =
    "asm(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
    "{%8,%9}, {%0,%1,%2,%3};\" : \"+f\"(d0), \"+f\"(d1), \"+f\"(d2), \"+f\"(d3) : \"r\"(a0), "
    "\"r\"(a1), \"r\"(a2), \"r\"(a3), \"r\"(b0), \"r\"(b1));";

// Two products and a vote in one function.
std::string source() {
  return std::string("__device__ void f(float d0, float d1, float d2, float d3, unsigned a0,\n"
                     "    unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {\n  ") +
         kMma + "\n  " + kMma + "\n  b0 = __ballot_sync(~0u, b1);\n}\n";
}

unsigned placeOf(const std::string &what, unsigned which) {
  const std::string text = source();
  size_t at = text.find(what);
  for (unsigned i = 0; i < which; ++i)
    at = text.find(what, at + 1);
  return unsigned(at);
}

const Site *siteAtPlace(const PortedText &port, unsigned offset) {
  for (const Site &site : port.ported.sites)
    if (site.begin <= offset && offset < site.end)
      return &site;
  return nullptr;
}

size_t count(const std::string &text, const std::string &what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++n;
  return n;
}

} // namespace

TEST(Caps, TheWorseOfRunAndPlaceHolds) {
  PortCaps caps;
  caps.best = Tier::Bridged;
  caps.sites[{0, 7}] = Tier::Emulated;
  caps.sites[{0, 9}] = Tier::Native;
  EXPECT_EQ(caps.at(0, 7), Tier::Emulated);
  EXPECT_EQ(caps.at(0, 9), Tier::Bridged);
  EXPECT_EQ(caps.at(1, 7), Tier::Bridged);
}

TEST(Caps, OneSiteDropsAndItsTwinStays) {
  PortCaps caps;
  caps.sites[{0, placeOf("asm(", 1)}] = Tier::Emulated;
  const PortedText port = portText(source(), caps);
  EXPECT_EQ(siteAtPlace(port, placeOf("asm(", 0))->tier, Tier::Bridged);
  EXPECT_EQ(siteAtPlace(port, placeOf("asm(", 1))->tier, Tier::Emulated);
  // Both forms of the function are in the output, each defined and called once.
  const std::string &text = port.emission.text;
  EXPECT_EQ(count(text, "lp::mma_m16n8k16_f32_f16("), 1u) << text;
  EXPECT_EQ(count(text, "lp::mma_m16n8k16_f32_f16_halves("), 1u);
  EXPECT_EQ(count(text, "mma_m16n8k16_f32_f16("), 2u);
  EXPECT_EQ(count(text, "mma_m16n8k16_f32_f16_halves("), 2u);
}

TEST(Caps, ARefutedSiteIsLeftToAPersonAndTheRestIsPorted) {
  PortCaps caps;
  caps.sites[{0, placeOf("__ballot_sync", 0)}] = Tier::Manual;
  const PortedText port = portText(source(), caps);
  EXPECT_EQ(siteAtPlace(port, placeOf("__ballot_sync", 0))->tier, Tier::Manual);
  EXPECT_EQ(siteAtPlace(port, placeOf("asm(", 0))->tier, Tier::Bridged);
  EXPECT_EQ(count(port.emission.text, "could not be proved right\");"), 1u) << port.emission.text;
}
