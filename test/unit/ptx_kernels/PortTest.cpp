// Every spelling of every row is ported without a trace of PTX, or left to a person in the
// words that Unported.inc or the row says. Ported by their tokens alone; test/lit/ptx
// compiles what comes of them.
#include "PortText.h"
#include "Spellings.h"

#include <gtest/gtest.h>

#include <map>

using namespace layout_port;
using namespace layout_port::ptx;

namespace {

// The site of each kernel of a text, found by where the kernels begin.
class KernelSites {
public:
  explicit KernelSites(const std::vector<std::string> &kernels) {
    std::string text;
    for (const std::string &kernel : kernels) {
      begins_.push_back(static_cast<unsigned>(text.size()));
      text += kernel;
    }
    port_ = portText(text);
    for (const Site &site : port_.ported.sites)
      if (site.construct != "__cvta_generic_to_shared" && site.rule != "rename")
        sites_[std::upper_bound(begins_.begin(), begins_.end(), site.begin) - begins_.begin() - 1] =
            &site;
  }

  const Site *of(size_t kernel) const {
    const auto found = sites_.find(kernel);
    return found == sites_.end() ? nullptr : found->second;
  }
  const std::string &output() const { return port_.emission.text; }

private:
  PortedText port_;
  std::vector<unsigned> begins_;
  std::map<size_t, const Site *> sites_;
};

// An asm statement with all its operands bound to something.
std::string refusedKernel(const std::string &name, std::string_view text) {
  std::string kernel = "__global__ void " + name + "(unsigned *r) {\n  asm volatile(\"";
  for (const char c : text)
    kernel += c == '\n' ? ' ' : c;
  kernel += "\" :: ";
  for (int i = 0; i < 20; ++i)
    kernel += std::string(i ? ", " : "") + "\"r\"(r[" + std::to_string(i) + "])";
  return kernel + ");\n}\n";
}

struct Case {
  std::string_view key, text, message;
};
const Case cases[] = {
#define ACCEPTS(key, text)
#define REJECTS(key, text, message) {key, text, message},
#include "../ptx/OpcodeCases.inc"
#undef ACCEPTS
#undef REJECTS
};

} // namespace

TEST(PtxKernels, EverySpellingIsPortedOrLeftToAPersonInTheseWords) {
  size_t spellings = 0;
  for (const Opcode *row = beginOpcodes(); row != endOpcodes(); ++row) {
    if (row->status != Status::Decoded)
      continue;
    const std::vector<Spelled> all = spellingsOf(*row, /*inPairs=*/true);
    EXPECT_FALSE(all.empty()) << row->key;
    spellings += all.size();
    std::vector<std::string> kernels;
    for (const Spelled &spelled : all)
      kernels.push_back(kernelOf("k" + std::to_string(kernels.size()), bind(spelled)));
    const KernelSites sites(kernels);
    for (size_t i = 0; i < all.size(); ++i) {
      const Site *site = sites.of(i);
      ASSERT_TRUE(site) << kernels[i];
      if (const char *reason = unportedReason(all[i])) {
        EXPECT_EQ(site->tier, Tier::Manual) << kernels[i];
        EXPECT_EQ(site->reason, reason) << kernels[i];
      } else {
        EXPECT_NE(site->tier, Tier::Manual) << kernels[i] << site->reason;
      }
    }
    if (std::none_of(all.begin(), all.end(), unportedReason))
      EXPECT_EQ(sites.output().find("asm"), std::string::npos) << row->key;
  }
  RecordProperty("spellings", static_cast<int>(spellings));
}

TEST(PtxKernels, ARefusedRowIsNamedWithItsReasonAndAdvice) {
  for (const Opcode *row = beginOpcodes(); row != endOpcodes(); ++row) {
    if (row->status == Status::Decoded)
      continue;
    const auto found = std::find_if(std::begin(cases), std::end(cases),
                                    [&](const Case &c) { return c.key == row->key; });
    ASSERT_NE(found, std::end(cases)) << row->key;
    const KernelSites sites({refusedKernel("k", found->text)});
    const Site *site = sites.of(0);
    ASSERT_TRUE(site) << row->key;
    EXPECT_EQ(site->tier, Tier::Manual) << row->key;
    std::string message = std::string(row->key) + ": " + std::string(row->reason);
    if (!row->advice.empty())
      message += "; " + std::string(row->advice);
    EXPECT_EQ(site->reason, message);
  }
}
