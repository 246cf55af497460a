#include "native/NativeRule.h"

#include "native/Asked.h"
#include "native/Digits.h"
#include "native/Flat.h"
#include "native/Instances.h"
#include "native/Leftovers.h"
#include "native/LiveText.h"
#include "native/Operands.h"
#include "native/Solve.h"
#include "native/Write.h"
#include "native/WriteEpilogue.h"
#include "source/Edits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <tuple>

namespace layout_port::native {

namespace {

// Instantiations of one template must ask for the same text: where they do not.
std::optional<TextRange> disagreement(const Sites &a, const Sites &b) {
  for (const Site &x : a)
    for (const Site &y : b)
      if (x.file == y.file && x.begin == y.begin && x.end == y.end &&
          (x.edits.size() != y.edits.size() ||
           !std::equal(x.edits.begin(), x.edits.end(), y.edits.begin(),
                       [](const Edit &e, const Edit &f) { return e.text == f.text; })))
        return TextRange{x.file, x.begin, x.end};
  return std::nullopt;
}

void addOnce(Sites &all, Sites more) {
  for (Site &site : more)
    if (llvm::none_of(all, [&](const Site &s) {
          return s.file == site.file && s.begin == site.begin && s.end == site.end;
        }))
      all.push_back(std::move(site));
}

std::optional<TextRange> touching(const Sites &sites, const TextRange &place) {
  for (const Site &site : sites)
    if (site.file == place.file && site.begin < place.end && place.begin < site.end)
      return TextRange{site.file, site.begin, site.end};
  return std::nullopt;
}

// What the kernel calls them; a function that multiplies may have another name.
std::string sumsName(const Kernel &kernel, const Product &product) {
  for (const Kernel::Variable &variable : kernel.variables)
    if (variable.declaration == product.d)
      return variable.name;
  return product.mmas[0]->d[0].variable;
}

// Its port asks for blocks of one row.
bool isOneRow(const Kernel &kernel) {
  return kernel.rows == BlockRows::Any && kernel.isOneRow && !kernel.saidRow;
}

// From one turn of a loop that may have many to the next, its address is another one: `sB[k & 1]`.
bool walks(const LoadSite &load) {
  const AddressFunction &address = load.address;
  const auto isKnown = [](const Loop &loop) { return loop.first && loop.last && loop.step; };
  const auto isSaid = [&](const std::string &variable) {
    return address.hiddenVariables.count(variable) ||
           llvm::is_contained(address.loopVariables, variable) ||
           llvm::is_contained(address.walksIn, variable);
  };
  return llvm::any_of(load.loops,
                      [&](const Loop &loop) { return !isKnown(loop) && isSaid(loop.variable); });
}

// The edits of one kernel whose products all have a scheme.
class Writer {
public:
  // `isPadded`: threadIdx is another number in some of the program's kernels.
  Writer(const Program &program, const Kernel &kernel, NativePort &port, bool isPadded)
      : program_(program), kernel_(kernel), port_(port), isPadded_(isPadded),
        areRows_(llvm::all_of(program.facts.kernels, isOneRow)) {}

  // Empty on success; else why not, and nothing is added to the port.
  std::string write(const std::vector<Product> &products) {
    const std::vector<RuntimeChunk> before = port_.made;
    products_ = products;
    findPartners();
    for (const Product &product : products)
      writeProduct(product);
    declareHeld();
    for (const TextRange &range : kernel_.needless)
      if (!isForKept(range))
        replace(siteAt(range, "name of a tile", "the tile goes by its array and number"), range,
                "");
    for (const TextRange &range : kernel_.inlined)
      replace(siteAt(range, "sums handed by reference",
                     "its sums stay in registers once it is part "
                     "of the kernel"),
              range, range.end == range.begin ? "__forceinline__ " : "__forceinline__");
    for (const TextRange &range : kernel_.opened)
      replace(siteAt(range, "private members", "the kernel names them itself"), range,
              range.end == range.begin ? "\npublic:" : "public:");
    const bool follows = llvm::any_of(
        products, [](const Product &p) { return p.epilogue && p.epilogue->isBehindBetween; });
    if (kernel_.staysNative())
      writeBetween(*products[0].scheme.mfma, follows);
    wholeWaves();
    leaveTogether();
    joinFrames();
    llvm::append_range(sites_, toldSites_);
    for (Site &site : sites_)
      for (const std::string name : {"elements", "cvta_generic_to_shared"})
        if (llvm::any_of(site.edits, [&](const Edit &edit) {
              return llvm::StringRef(edit.text).contains("lp::" + name + "(");
            }))
          site.runtime.push_back(name);
    if (!problem_.empty()) {
      port_.made = before;
      return problem_;
    }
    for (Site &site : sites_)
      port_.sites.push_back(std::move(site));
    llvm::append_range(port_.rowFunctions, rowFunctions_);
    llvm::append_range(port_.rebound, rebound_);
    return "";
  }

private:
  // In a function that also fills operands which stay as they are, under that name.
  bool isForKept(const TextRange &name) const {
    return llvm::any_of(kernel_.left, [&](const Kernel::Left &left) {
      return llvm::any_of(kernel_.frames, [&](const Kernel::Frame &frame) {
        return frame.number == left.frame && frame.function.contains(name);
      });
    });
  }

  void writeProduct(const Product &product) {
    for (const MmaSite *mma : product.mmas) {
      frame_ = mma->frame;
      writeMma(product, *mma);
    }
    for (const LoadSite &load : kernel_.loads) {
      const std::optional<Role> role = roleOf(kernel_, product, load);
      frame_ = load.frame;
      if (role && !load.isInCall && !load.isAhead && done_.insert(&load).second)
        writeLoad(product, load, *role);
    }
    frame_ = 0;
    if (product.stepLoop)
      writeSteps(product);
    if (product.scheme.large && !hasHalves(product))
      writeRoom(product);
    if (product.isFurther) // its sums are another product's
      return;
    if (product.epilogue)
      writeEpilogue(product);
    else
      writeBorder(product);
    writeFront(product);
  }

  // A function's text is written once, for all sets of fragments that it is called with; where
  // instances of a template want different text, it says which has which.
  void joinFrames() {
    std::vector<TextRange> functions;
    for (const Kernel::Frame &frame : kernel_.frames)
      if (!llvm::is_contained(functions, frame.function))
        functions.push_back(frame.function);
    Sites kept;
    for (size_t i = 0; i < sites_.size(); ++i)
      if (!frames_[i])
        kept.push_back(sites_[i]);
    for (const TextRange &function : functions)
      joinFrames(function, kept);
    sites_ = std::move(kept);
  }
  void joinFrames(const TextRange &function, Sites &kept) {
    std::vector<Instance> instances;
    for (const Kernel::Frame &frame : kernel_.frames) {
      if (!(frame.function == function))
        continue;
      instances.push_back({function, frame.bodyBegin, frame.arguments, {}, true, {}, false});
      for (size_t i = 0; i < sites_.size(); ++i)
        if (frames_[i] == frame.number)
          instances.back().sites.push_back(sites_[i]);
      for (const Kernel::Left &left : kernel_.left)
        if (left.frame == frame.number)
          instances.back().keeps.push_back(left.place);
      for (size_t i = 0; i < sites_.size(); ++i)
        if (function.contains(placeOf(sites_[i])) && frames_[i] &&
            !isIn(instances.back(), sites_[i]) && standsIn(sites_[i], frame))
          problem_ = "'" + sites_[i].construct +
                     "' serves an operand at one call and not at another" +
                     lineText(placeOf(sites_[i]));
    }
    std::optional<TextRange> where;
    Sites all;
    for (const Instance &instance : instances) {
      where = where ? where : disagreement(all, instance.sites);
      addOnce(all, instance.sites);
    }
    for (const Instance &instance : instances) // one keeps what another writes anew
      for (const TextRange &kept : instance.keeps)
        where = where ? where : touching(all, kept);
    if (where) {
      auto joined = joinInstances(program_, instances, false);
      if (!joined)
        joined = joinTagged(function, instances);
      if (!joined)
        problem_ = "calls of a function with several sets of fragments need different code" +
                   lineText(*where);
      else
        all = std::move(*joined);
    }
    llvm::append_range(kept, all);
  }

  // The calls say which set of fragments they are with (RecoverTagged.cpp). Sets that want the same
  // text are one, and their numbers go by their texts: another kernel comes to the same.
  std::optional<Sites> joinTagged(const TextRange &function, std::vector<Instance> instances) {
    std::vector<const Kernel::Frame *> frames;
    for (const Kernel::Frame &frame : kernel_.frames)
      if (frame.function == function)
        frames.push_back(&frame);
    std::vector<std::string> texts;
    for (size_t i = 0; i < instances.size(); ++i) {
      if (!mayBeTagged(*frames[i]))
        return std::nullopt;
      std::map<unsigned, std::string> edits;
      for (const TextRange &kept : instances[i].keeps)
        edits[kept.begin] += "kept";
      for (const Site &site : instances[i].sites)
        for (const Edit &edit : site.edits)
          edits[edit.offset] += edit.text + '\0';
      texts.push_back(llvm::join(llvm::make_second_range(edits), "\n"));
    }
    const std::set<std::string> kinds(texts.begin(), texts.end());
    const std::string name = freeWord("Operands", frames[0]->tag->header.file);
    for (size_t i = 0; i < instances.size(); ++i) {
      const auto number = std::distance(kinds.begin(), kinds.find(texts[i]));
      instances[i].arguments = {name + " == " + std::to_string(number)};
      instances[i].isTagged = true;
    }
    auto all = joinInstances(program_, instances, true);
    if (!all)
      return all;
    const auto tell = [&](const TextRange &at, const std::string &text) {
      Site site = made(at, "several sets of fragments",
                       "its text differs by them, and its calls say which they are with");
      site.runtime = {"operands"};
      replace(site, at, text);
      addOnce(*all, {site});
    };
    const Kernel::Frame::Tag &tag = *frames[0]->tag;
    const std::string indent = bodyIndentAt(tag.header);
    tell(tag.header,
         tag.isTemplate ? ", int " + name + " = 0" : "template <int " + name + " = 0>\n" + indent);
    tell(tag.parameter, (tag.isOnly ? "lp::operands<" : ", lp::operands<") + name + "> = {}");
    for (size_t i = 0; i < instances.size(); ++i)
      if (const auto number = std::distance(kinds.begin(), kinds.find(texts[i])))
        for (const TextRange &call : frames[i]->tag->calls)
          tell(call,
               (tag.isOnly ? "lp::operands<" : ", lp::operands<") + std::to_string(number) + ">{}");
    return all;
  }

  bool mayBeTagged(const Kernel::Frame &frame) const {
    if (!frame.tag)
      return false;
    const auto is = [&](const TextRange &at, char c) {
      const llvm::StringRef text = program_.file(at.file).text();
      return at.begin < text.size() && text[at.begin] == c;
    };
    return is(frame.tag->parameter, ')') &&
           (!frame.tag->isTemplate || is(frame.tag->header, '>')) &&
           llvm::all_of(frame.tag->calls, [&](const TextRange &call) { return is(call, ')'); });
  }

  // A name that the file does not have yet.
  std::string freeWord(const std::string &word, unsigned file) const {
    std::string name = word;
    while (program_.file(file).text().contains(name))
      name += "_";
    return name;
  }

  std::string bodyIndentAt(const TextRange &at) const {
    const llvm::StringRef text = program_.file(at.file).text();
    const size_t line = text.rfind('\n', at.begin) + 1; // npos + 1 is 0
    return text.substr(line).take_while([](char c) { return c == ' ' || c == '\t'; }).str();
  }
  static TextRange placeOf(const Site &site) { return {site.file, site.begin, site.end}; }
  static bool isIn(const Instance &instance, const Site &site) {
    return llvm::any_of(instance.sites,
                        [&](const Site &other) { return placeOf(other) == placeOf(site); });
  }
  // Is it text of the frame, where that does not write it? An instance may leave out what stands
  // under `if constexpr`, and then has no such load.
  bool standsIn(const Site &site, const Kernel::Frame &frame) const {
    const TextRange place = placeOf(site);
    const auto isHere = [&](const auto &other) { return other.range == place; };
    const auto isOfFrame = [&](const auto &other) {
      return other.frame == frame.number && isHere(other);
    };
    const bool isGathered = llvm::any_of(
        kernel_.loads, [&](const LoadSite &load) { return isHere(load) && load.isGathered(); });
    return frame.function.contains(place) && (isGathered || llvm::any_of(kernel_.mmas, isOfFrame) ||
                                              llvm::any_of(kernel_.loads, isOfFrame));
  }

  static Site made(const TextRange &range, const std::string &construct,
                   const std::string &reason) {
    Site site;
    site.file = range.file;
    site.begin = range.begin;
    site.end = range.end;
    site.rule = "native";
    site.construct = construct;
    site.tier = Tier::Native;
    site.reason = reason;
    return site;
  }
  Site &siteAt(const TextRange &range, const std::string &construct, const std::string &reason) {
    frames_.push_back(frame_);
    sites_.push_back(made(range, construct, reason));
    return sites_.back();
  }

  static void replace(Site &site, const TextRange &range, const std::string &text) {
    site.edits.push_back({range.file, range.begin, range.end - range.begin, text});
  }

  // The name of the chunk with this text: `name`, or numbered where that is taken.
  template <class Make> std::string chunk(const std::string &name, Make make) {
    for (int n = 1;; ++n) {
      const std::string wanted = n == 1 ? name : name + "_" + std::to_string(n);
      const Result<RuntimeChunk> made = make(wanted);
      if (!made) {
        problem_ = made.error().message;
        return wanted;
      }
      const auto known =
          llvm::find_if(port_.made, [&](const RuntimeChunk &c) { return c.name == wanted; });
      if (known != port_.made.end() && known->text != made->text)
        continue;
      if (known == port_.made.end())
        port_.made.push_back(*made);
      return wanted;
    }
  }

  // ---- mma

  static bool isPlain(llvm::StringRef text) {
    return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  }
  static std::string primary(const std::string &text) {
    return isPlain(text) ? text : "(" + text + ")";
  }
  // What slots that are tiles of one array need.
  static void addTile(Site &site, const std::vector<const Slot *> &slots) {
    if (llvm::any_of(slots, [](const Slot *slot) { return slot->flatRegisters > 0; }))
      site.runtime.push_back("tile");
    if (llvm::any_of(slots, [](const Slot *slot) { return !slot->vectorType.empty(); }))
      site.runtime.push_back("regs");
    if (llvm::any_of(slots, [](const Slot *slot) { return slot->isOfScalars; }))
      site.runtime.push_back("scalars");
  }

  // Where its numbers become larger ones.
  static std::string inParts(const Product &product, const MmaSite &mma) {
    std::string chips;
    if (const auto arms = armsFor(mma, product.scheme.words(), outputArchs()))
      for (const Arm &arm : *arms)
        for (const isa::Arch arch : arm.parts() > 1 ? arm.archs : std::vector<isa::Arch>())
          chips += (chips.empty() ? " (two of " : ", ") +
                   (chips.empty() ? std::string(isa::elementTypeName(arm.instruction->a)) + " on "
                                  : std::string()) +
                   std::string(isa::archName(arch));
    return chips.empty() ? chips : chips + ")";
  }

  // ---- two n8 tiles, read each by itself, in one MFMA
  //
  //   mma(c, a, b0, b1);
  //   mma(d, a, b2, b3);   ──▶   lp::mma_two_wave(c, d, a, lp::scalars(b0, b1), lp::scalars(b2,
  //   b3));
  //
  // Where both warps have one B, half of the rows of either MFMA repeat the other half, lane by
  // lane.

  void findPartners() {
    std::vector<std::pair<const MmaSite *, const Scheme *>> all;
    for (const Product &product : products_)
      for (const MmaSite *mma : product.mmas)
        if (product.scheme.single && product.scheme.side == PairSide::Rows &&
            !product.scheme.eightRows && hasName(mma->b[0]) && hasName(mma->a[0]) &&
            !hasLoadsAhead(*mma))
          all.push_back({mma, &product.scheme});
    llvm::sort(all, [](const auto &x, const auto &y) {
      return std::pair(x.first->frame, x.first->range.begin) <
             std::pair(y.first->frame, y.first->range.begin);
    });
    std::set<const MmaSite *> taken;
    for (size_t i = 0; i + 1 < all.size(); ++i) {
      const MmaSite &first = *all[i].first, &second = *all[i + 1].first;
      if (!taken.count(&first) && mayMeet(first, *all[i].second, second, *all[i + 1].second)) {
        partnerOf_[&second] = &first;
        taken.insert({&first, &second});
        joined_.insert(&first);
      }
    }
  }
  static bool isAheadOf(const LoadSite &load, const MmaSite &mma) {
    return load.isAhead && load.frame == mma.frame && load.statement.contains(mma.range);
  }
  bool hasLoadsAhead(const MmaSite &mma) const {
    return llvm::any_of(kernel_.loads, [&](const LoadSite &load) { return isAheadOf(load, mma); });
  }
  // A variable's registers, not what an expression makes.
  static bool hasName(const Slot &operand) {
    return operand.isOfScalars || operand.flatRegisters || !operand.vectorType.empty() ||
           operand.tileText.find('(') == std::string::npos;
  }
  bool mayMeet(const MmaSite &first, const Scheme &x, const MmaSite &second,
               const Scheme &y) const {
    const bool alike = first.frame == second.frame && first.name == second.name &&
                       first.isFromZero == second.isFromZero && x.shallow == y.shallow &&
                       x.farWords == y.farWords && x.fourWords == y.fourWords;
    return alike && haveOneA(first, second) && areOthers(first.d[0], second.d[0]) &&
           standBeside(kernel_, first, second) && isNothingBetween(first.range, second.range);
  }
  // No register is in both.
  static bool areOthers(const Slot &a, const Slot &b) {
    if (a.declaration != b.declaration)
      return true;
    for (size_t i = 0; i < std::min(a.tile.size(), b.tile.size()); ++i) {
      const Index &x = a.tile[i], &y = b.tile[i];
      const bool areSums = (x.literal && y.literal) ||
                           (!x.variable.empty() && x.variable == y.variable && x.scale == y.scale);
      if (!x.isMember && !y.isMember && areSums && x.constant() != y.constant())
        return true;
    }
    return false;
  }
  bool isNothingBetween(const TextRange &first, const TextRange &second) const {
    if (first.file != second.file || second.begin < first.end)
      return false;
    const llvm::StringRef text = program_.file(first.file).text();
    return text.slice(first.end, second.begin).find_first_not_of("; \t\r\n") ==
           llvm::StringRef::npos;
  }

  // The statement of which nothing is left, with its line.
  void removeStatement(const MmaSite &mma) {
    const llvm::StringRef text = program_.file(mma.range.file).text();
    const bool isWhole = mma.part == 0 && !hasFurther(mma);
    TextRange gone = mma.range;
    if (isWhole)
      gone.end = behind(mma.range);
    const size_t line = text.rfind('\n', gone.begin) + 1; // npos + 1 is 0
    const size_t next = text.find_first_not_of(" \t\r", gone.end);
    if (isWhole && text.slice(line, gone.begin).trim().empty() && next != text.npos &&
        text[next] == '\n')
      gone = {gone.file, static_cast<unsigned>(line), static_cast<unsigned>(next) + 1};
    replace(siteAt(mma.range, mma.spelling, "done with the next tile, in one MFMA"), gone, "");
  }

  // Several products of one statement stay one, whatever it is the body of:
  //
  //   mma16x16(c[j], a, b);   ──▶   lp::mma_wave(<c[j], 0>, a, <b, 0>),
  //                                 lp::mma_wave(<c[j], 1>, a, <b, 1>);
  bool hasFurther(const MmaSite &mma) const {
    return hasPart(mma, [&](unsigned part) { return part > mma.part; });
  }
  template <class Site> std::string behindOthers(const Site &site, llvm::StringRef by = ",") const {
    const bool any = hasPart(site, [&](unsigned part) { return part < site.part; });
    return any ? by.str() + "\n" + indentAt(site.range.file, site.range.begin) : "";
  }
  // ... of the site's statement, that something is written for.
  template <class Site>
  bool hasPart(const Site &site, llvm::function_ref<bool(unsigned)> isIts) const {
    return llvm::any_of(kernel_.mmas,
                        [&](const MmaSite &other) {
                          return isIts(other.part) && areOneStatement(site, other) &&
                                 (other.part > site.part || !joined_.count(&other));
                        }) ||
           llvm::any_of(kernel_.loads, [&](const LoadSite &other) {
             return isIts(other.part) && !other.isGathered() && !other.isAhead &&
                    areOneStatement(site, other);
           });
  }

  static std::string beginOf(const MmaSite &mma) { return mma.isFromZero ? "_from_zero" : ""; }

  // Operands stay where they are: registers, not tiles, are handed on.
  void writeFourBlocks(const Product &product, const MmaSite &mma) {
    const std::string function = chunk(
        "mma_m8n8k4_" + std::string(ptx::spell(mma.typeD)) + "_f16" + beginOf(mma) + "_wave",
        [&](const std::string &name) { return mmaFunction(name, mma, product.scheme, "", false); });
    Site &site = siteAt(mma.range, mma.spelling,
                        "two MFMAs of 4x4 blocks for two warps' worth; B goes to the lane 16 away");
    site.runtime = {function};
    replace(site, mma.range,
            behindOthers(mma) + "lp::" + function + "(" + mma.d[0].tileText + ", " + mma.a[0].text +
                ", " + mma.a[1].text + ", " + mma.b[0].text + ", " + mma.b[1].text + ")");
    addTile(site, {&mma.d[0], &mma.a[0], &mma.a[1], &mma.b[0], &mma.b[1]});
  }

  void writeMma(const Product &product, const MmaSite &mma) {
    for (const Loop &loop : mma.loops)
      if (loop.range.file == mma.range.file && isShadowed(loop, mma.range))
        problem_ = "'" + loop.variable + "' is another variable where '" + mma.d[0].variable +
                   "' is multiplied" + lineText(mma.range);
    if (product.scheme.fourBlocks)
      return writeFourBlocks(product, mma);
    if (joined_.count(&mma) || isNeverLast(product, mma))
      return removeStatement(mma);
    const auto partner = partnerOf_.find(&mma);
    const MmaSite *first = partner == partnerOf_.end() ? nullptr : partner->second;
    const std::string second(ptx::spell(mma.typeB));
    const std::string type =
        std::string(ptx::spell(mma.typeA)) + (mma.typeA == mma.typeB ? "" : "_" + second);
    const HeldSteps *held = heldFor(product, mma, first);
    const std::string mfma = held ? mfmaOfSteps(product, mma, type, *held)
                                  : mfmaOf(mma, type, product.scheme.words(), product.scheme.large);
    const std::string function =
        chunk("mma_m" + std::to_string(mma.m) + "n8k" + std::to_string(mma.k) + "_" +
                  std::string(ptx::spell(mma.typeD)) + "_" + type + (first ? "_two" : "") +
                  (held ? "_steps" : "") + beginOf(mma) + "_wave",
              [&](const std::string &name) {
                return first
                           ? twoTilesFunction(name, mma, product.scheme, mfma, held)
                           : mmaFunction(name, mma, product.scheme, mfma, held, hasHalves(product));
              });
    const Slot &d = mma.d[0];
    if (!d.flatText.empty() && product.scheme.tilesTogether() > 1 &&
        product.nDim + 1 != static_cast<int>(d.tile.size()))
      problem_ = "tiles along n of '" + d.variable + "' are not neighbours";
    // Sites of their own: not while this one is written.
    const std::string begin = held && held->turns == 0 ? split(*held->loop) : "";
    std::string rest;
    const std::string parts =
        inParts(product, mma) + (held ? ", and for several steps of k where the chip has one" : "");
    Site &site =
        siteAt(mma.range, mma.spelling,
               (product.scheme.single && !first ? "MFMAs for two warps, half of their rows of use"
                : product.scheme.odd
                    ? "one full MFMA for two tiles" + parts +
                          ", and for the last of an odd number two, half of their rows of use"
                    : "one full MFMA for two warps' worth" + parts) +
                   "; no lane moves anything");
    site.runtime = {function};
    const std::string theA = operandText(product, mma.a, Role::A, site),
                      theB = operandText(product, mma.b, Role::B, site),
                      operands = theA + ", " + theB;
    if (kernel_.isConverted(mma.a) || kernel_.isConverted(mma.b))
      tellOfConverted(mma, site);
    const auto ofOperands = [&](const std::string &operands) {
      if (first)
        return first->d[0].tileText + ", " + d.tileText + ", " + operands;
      if (product.scheme.tilesTogether() == 1 ||
          (product.scheme.pairTileBit() < 0 && !product.scheme.eightRows))
        return d.tileText + ", " + operands;
      const auto [even, odd, which] = pairTexts(product, mma);
      return (product.scheme.wide
                  ? d.tileText
                  : tileTextOf(d, product.nDim, even) + ", " + tileTextOf(d, product.nDim, odd)) +
             ", " + operands + ", " + which;
    };
    std::string text = "lp::" + function + "(";
    if (first) {
      text += ofOperands(theA + ", " + first->b[0].tileText + ", " + mma.b[0].tileText);
      addTile(site, {&first->d[0], &first->b[0]});
    } else {
      text += product.scheme.large ? fourTiles(product, mma, theA, theB) : ofOperands(operands);
    }
    if (held) {
      const std::string waits = hold(product, mma, *held, mfma, first, begin, site);
      text += ", " + waits;
      const std::string none = "lp::no_words{}, lp::no_words{}";
      rest = "lp::" + function + "(" + ofOperands(first ? none + ", lp::no_words{}" : none) + ", " +
             llvm::StringRef(waits).rsplit(", ").first.str() + ", -1);";
    }
    text += ")";
    for (const char *type : {"words2", "words4"})
      if (text.find(std::string("lp::") + type) != text.npos)
        site.runtime.insert(site.runtime.end(), {"bits", type});
    addTile(site, {&mma.d[0], &mma.a[0], &mma.b[0]});
    writeWithLoads(product, mma, site, behindOthers(mma) + text);
    if (held && mayEndWithin(outputArchs(), mma, product.scheme.words(), *held))
      multiplyRest(*held, function, rest);
  }

  std::string mfmaOf(const MmaSite &mma, const std::string &type, int words, bool isLarge = false) {
    return chunk((isLarge ? "mfma32_" : "mfma_") + type, [&](const std::string &name) {
      return mfmaFunction(name, mma, words, outputArchs(), isLarge);
    });
  }

  // ---- steps of k that wait for each other (HeldSteps.h)
  //
  //   lp::mfma_f16_steps_held held[8];
  //   for (int k = 0; k < 4; ++k)
  //     for (int j = 0; j < 8; ++j)
  //       lp::mma_steps_wave(c[j], a[k], b[k][j], held[j], k);

  // The product waits in turns of this loop; so must the one that is done with it.
  const HeldSteps *heldFor(const Product &product, const MmaSite &mma, const MmaSite *first) const {
    const auto find = [](const Product &of, const MmaSite &site) -> const HeldSteps * {
      const auto held = of.held.find(&site);
      return held == of.held.end() ? nullptr : &held->second;
    };
    const HeldSteps *held = find(product, mma);
    if (held && mayEndWithin(outputArchs(), mma, product.scheme.words(), *held) &&
        !mayEndBehind(mma, first, *held))
      return nullptr;
    // k < n && (mma(..), true): nobody says that it is done.
    const auto isStatement = [&](const TextRange &range) {
      return standsBehind(range, {"{", "}", ";", ")", "else", "do"});
    };
    if (held && !isStatement(mma.range) && mma.part == 0)
      return nullptr;
    if (held && held->call &&
        (mayEndWithin(outputArchs(), mma, product.scheme.words(), *held) ||
         !isStatement(held->call->range) || !mayHand(*held, mma)))
      return nullptr;
    if (!held || !first || !placeOfHeld(*held, mma))
      return held && placeOfHeld(*held, mma) ? held : nullptr;
    for (const Product &other : products_)
      if (const HeldSteps *its = find(other, *first))
        return its->loop->range == held->loop->range && its->tiles.size() == held->tiles.size()
                   ? held
                   : nullptr;
    return nullptr;
  }

  std::string mfmaOfSteps(const Product &product, const MmaSite &mma, const std::string &type,
                          const HeldSteps &held) {
    const int words = product.scheme.words();
    StepFunctions functions;
    for (const isa::Arch arch : outputArchs())
      if (const int steps = stepsTogether(mma, words, held, arch); !functions.of.count(steps))
        functions.of[steps] = mfmaOf(mma, type, words * steps);
    return chunk("mfma_" + type + "_steps", [&](const std::string &name) {
      return mfmaStepsFunction(name, mma, words, held, outputArchs(), functions);
    });
  }

  // In front of the loop, and of what it is the whole body of; none where that is no statement of
  // a block.
  std::optional<TextRange> placeOfHeld(const HeldSteps &held, const MmaSite &mma) const {
    const std::optional<unsigned> at = placeOfStatement(held, mma);
    return at ? std::optional(beforeLine(held.loop->range.file, *at)) : std::nullopt;
  }
  std::optional<unsigned> placeOfStatement(const HeldSteps &held, const MmaSite &mma) const {
    for (const Loop &around : llvm::reverse(held.call ? held.call->loops : mma.loops))
      if (around.range.contains(held.loop->range) && beginsStatement(around.range))
        return around.range.begin;
    return std::nullopt;
  }

  // ---- ... and are handed to the function that multiplies
  //
  //   multiply(f);              ──▶   multiply(f, held, k);
  //   void multiply(Tile &f)    ──▶   void multiply(Tile &f, lp::.._held (&held)[2], int step)
  //
  // Instances of a template hold tiles of other numbers: there it is a `Held &held` of a template.

  // Where a parameter, its type's name and what is handed for it are added; behind other ones?
  struct Handing {
    TextRange parameter, argument, type;
    bool isFirstParameter = false, isFirstArgument = false, isTemplate = false;
  };

  // May a parameter more be written, and the call that hands it? The call's text is the only one
  // that says the function's name.
  bool mayHand(const HeldSteps &held, const MmaSite &mma) const {
    const auto isAnother = [&](const Loop &loop) { return isShadowed(loop, held.call->range); };
    return handingTo(held, mma) && llvm::none_of(held.call->loops, isAnother);
  }

  std::optional<Handing> handingTo(const HeldSteps &held, const MmaSite &mma) const {
    const auto frame = llvm::find_if(kernel_.frames,
                                     [&](const Kernel::Frame &f) { return f.number == mma.frame; });
    if (frame == kernel_.frames.end())
      return std::nullopt;
    const std::vector<TextRange> named = mentions(nameInHead(frame->bodyBegin));
    const TextRange head{frame->function.file, frame->function.begin, frame->bodyBegin.begin};
    if (named.size() != 2 || head.contains(named[0]) == head.contains(named[1]))
      return std::nullopt;
    const bool isHeadFirst = head.contains(named[0]);
    const auto parameters = listBehind(named[isHeadFirst ? 0 : 1]);
    const auto arguments = listBehind(named[isHeadFirst ? 1 : 0]);
    if (!parameters || !arguments || !head.contains(*parameters) ||
        !held.call->range.contains(*arguments))
      return std::nullopt;
    const std::string list = llvm::StringRef(textOf(*parameters)).trim().str();
    if (list == "void" || list.find_first_of("=.") != list.npos)
      return std::nullopt; // values of their own, or any number of them
    Handing handing{endOf(*parameters),
                    endOf(*arguments),
                    {head.file, head.begin, head.begin},
                    list.empty(),
                    llvm::StringRef(textOf(*arguments)).trim().empty()};
    if (kernel_.arguments.empty())
      return handing;
    for (size_t i = 0; i < held.tiles.size(); ++i)
      if (!extentInCall(held, i, mma))
        return std::nullopt;
    const llvm::StringRef text = program_.file(head.file).text().slice(head.begin, head.end);
    handing.isTemplate = text.starts_with("template");
    const auto types = handing.isTemplate ? typesOf(head) : std::nullopt;
    if (types)
      handing.type = *types;
    const bool mayBeTemplate = types || (!handing.isTemplate && !text.contains("virtual"));
    return mayBeTemplate ? std::optional(handing) : std::nullopt;
  }

  static TextRange endOf(const TextRange &range) { return {range.file, range.end, range.end}; }

  // Behind a template's parameters, if it has any.
  std::optional<TextRange> typesOf(const TextRange &head) const {
    const TokenStream &tokens = program_.file(head.file).tokens;
    size_t at = 0;
    while (at < tokens.size() && tokens[at].offset < head.begin)
      ++at;
    const size_t first = at + 2; // template <
    int open = 0;
    for (++at; at < tokens.size() && tokens[at].end() <= head.end; ++at) {
      open += tokens.is(at, "<") - tokens.is(at, ">");
      if (tokens.is(at, ">>") || tokens.is(at, "(") || (open == 0 && at == first))
        return std::nullopt;
      if (open == 0)
        return TextRange{head.file, tokens[at].offset, tokens[at].offset};
    }
    return std::nullopt;
  }

  // Of the function whose body begins there, in a plain form: `name(..) {`, `name(..) const {`.
  std::string nameInHead(const TextRange &body) const {
    const TokenStream &tokens = program_.file(body.file).tokens;
    size_t at = 0; // the brace
    while (at < tokens.size() && tokens[at].end() < body.begin)
      ++at;
    at -= at > 0 && tokens.is(at - 1, "const");
    int open = 0;
    for (; at > 1; --at) {
      open += tokens.is(at - 1, ")") - tokens.is(at - 1, "(");
      if (open == 0)
        return tokens.is(at - 1, "(") ? tokens.spelling(at - 2).str() : "";
    }
    return "";
  }

  std::vector<TextRange> mentions(const std::string &name) const {
    std::vector<TextRange> all;
    for (unsigned f = 0; f < program_.files.size(); ++f) {
      const TokenStream &tokens = program_.file(f).tokens;
      for (size_t i = 0; i < tokens.size(); ++i)
        if (tokens.is(i, name))
          all.push_back({f, tokens[i].offset, tokens[i].end()});
    }
    return all;
  }

  // Between the parentheses that follow a name, or the arguments of its template.
  std::optional<TextRange> listBehind(const TextRange &name) const {
    const TokenStream &tokens = program_.file(name.file).tokens;
    size_t at = 0;
    while (at < tokens.size() && tokens[at].offset < name.end)
      ++at;
    if (tokens.is(at, "<")) {
      const auto isPlain = [](char c) {
        return llvm::isAlnum(c) || c == '_' || c == ',' || c == ':';
      };
      for (++at; at < tokens.size() && llvm::all_of(tokens.spelling(at), isPlain);)
        ++at;
      if (!tokens.is(at++, ">"))
        return std::nullopt;
    }
    if (!tokens.is(at, "("))
      return std::nullopt;
    const unsigned begin = tokens[at].end();
    int open = 0;
    for (; at < tokens.size(); ++at) {
      open += tokens.is(at, "(") - tokens.is(at, ")");
      if (open == 0)
        return TextRange{name.file, begin, tokens[at].offset};
    }
    return std::nullopt;
  }

  // Of a block: it is nobody's body. Directives may stand before it.
  bool beginsStatement(const TextRange &range) const {
    return standsBehind(range, {"{", "}", ";"});
  }
  bool standsBehind(const TextRange &range, const std::vector<llvm::StringRef> &ends) const {
    const TokenStream &tokens = program_.file(range.file).tokens;
    const auto isInDirective = [&](const Token &token) {
      return llvm::any_of(tokens.directives(), [&](const Directive &d) {
        return d.begin <= token.offset && token.offset < d.end;
      });
    };
    size_t before = tokens.size(); // none
    for (size_t i = 0; i < tokens.size() && tokens[i].offset < range.begin; ++i)
      if (!isInDirective(tokens[i]))
        before = i;
    return llvm::any_of(ends, [&](llvm::StringRef end) { return tokens.is(before, end); });
  }

  // Between the loop's head and the place, is its counter's name another variable's?
  //   for (int k = 0; ..) { int k = 2;  place }
  bool isShadowed(const Loop &loop, const TextRange &place) const {
    return isDeclaredIn(loop, loop.isDigit() ? loop.counter : loop.variable, true, place);
  }
  // The same of any name; `isOwn`: the loop's head declares it first.
  bool isDeclaredIn(const Loop &loop, const std::string &counter, bool isOwn,
                    const TextRange &place) const {
    if (counter.empty() || !loop.range.contains(place))
      return false;
    const TokenStream &tokens = program_.file(place.file).tokens;
    size_t own = isOwn ? tokens.size() : 0; // the counter's declaration
    std::vector<bool> blocks;               // that are open: does it hold such a variable?
    int brackets = 0;
    for (size_t i = 1; i < tokens.size() && tokens[i].offset < place.begin; ++i) {
      if (tokens[i].offset < loop.range.begin)
        continue;
      brackets += tokens.is(i, "(") - tokens.is(i, ")");
      if (tokens.is(i, "{"))
        blocks.push_back(false);
      if (tokens.is(i, "}") && !blocks.empty())
        blocks.pop_back();
      if (!tokens.is(i, counter))
        continue;
      if (own == tokens.size()) {
        own = i;
        continue;
      }
      const llvm::StringRef before = tokens.spelling(i - 1);
      const bool isType = before != "return" && before != "else" && before != "case" &&
                          (llvm::isAlpha(before.front()) || before.front() == '_');
      const bool isListed =
          (before == "," || before == "*" || before == "&") && brackets == 0 &&
          (tokens.is(i + 1, "=") || tokens.is(i + 1, ";") || tokens.is(i + 1, ","));
      if (isType || isListed) {
        if (blocks.empty() || brackets > 0)
          return true; // in the head of a loop, of a lambda: whose, nobody asks
        blocks.back() = true;
      }
    }
    return llvm::is_contained(blocks, true);
  }

  // Behind the words that are left of a statement's line, if any; above its pragmas.
  TextRange beforeLine(unsigned file, unsigned at) const {
    const llvm::StringRef text = program_.file(file).text();
    size_t line = text.rfind('\n', at) + 1; // npos + 1 is 0
    if (!text.slice(line, at).trim().empty())
      return {file, at, at};
    while (line) {
      const size_t above = text.rfind('\n', line - 1) + 1;
      if (line < 2 || !text.slice(above, line).ltrim().starts_with("#pragma"))
        break;
      line = above;
    }
    return {file, static_cast<unsigned>(line), static_cast<unsigned>(line)};
  }

  // `begin`: what it counts from, where that is no constant.
  std::string numberOfTurn(const Loop &loop, const std::string &begin = "") const {
    const int64_t step = *stepOf(loop);
    if (!begin.empty() && step == 1)
      return loop.variable + " - " + begin;
    if (!begin.empty())
      return "(" + loop.variable + " - " + begin + ") / " + stepText(loop);
    const std::string from = *loop.first
                                 ? "(" + loop.variable + " - " + std::to_string(*loop.first) + ")"
                                 : loop.variable;
    return step == 1 ? from : from + " / " + std::to_string(step);
  }

  // As the author wrote the sums' extent, where the loop's turns are its tiles.
  static std::string extentOver(const Loop &tiles, const MmaSite &mma) {
    const Slot &d = mma.d[0];
    for (size_t i = 0; areNamed(d, mma.calls) && i < d.tile.size(); ++i)
      if (d.tile[i].variable == tiles.variable && d.extents[i] == turnsOf(tiles))
        return d.extentTexts[i];
    return std::to_string(turnsOf(tiles));
  }

  // The same where a function multiplies: the sums are the kernel's, whose words their extents are.
  // None: not in the kernel's words, and in another instance the number may be another one.
  static std::optional<std::string> ownExtentOver(const Loop &tiles, const MmaSite &mma) {
    return extentWhere(tiles, mma,
                       [&](const Index &index) { return index.variable == tiles.variable; });
  }
  static std::optional<std::string> extentAtCall(const Loop &tiles, const MmaSite &mma) {
    return extentWhere(tiles, mma, isOfRow);
  }
  static bool isOfRow(const Index &index) { return index.isMember && index.text.empty(); }
  template <class IsIts>
  static std::optional<std::string> extentWhere(const Loop &tiles, const MmaSite &mma,
                                                IsIts isIts) {
    const Slot &d = mma.d[0];
    const bool isNamed = d.extentTexts.size() == d.extents.size() &&
                         d.tile.size() == d.extents.size() && llvm::count_if(d.tile, isIts) == 1;
    for (size_t i = 0; isNamed && i < d.tile.size(); ++i)
      if (isIts(d.tile[i]) && d.extents[i] == turnsOf(tiles))
        return isNumber(d.extentTexts[i]) ? std::nullopt : std::optional(d.extentTexts[i]);
    return std::nullopt;
  }

  static bool isNumber(llvm::StringRef text) { return llvm::all_of(text, llvm::isDigit); }
  // Of tile loop `i`.
  static std::optional<std::string> extentInCall(const HeldSteps &held, size_t i,
                                                 const MmaSite &mma) {
    return i >= held.tilesAtCall ? ownExtentOver(*held.tiles[i], mma)
                                 : extentAtCall(*held.tiles[i], mma);
  }

  // What is handed to the product that waits: the variable, of its tile, and the step's number.
  std::string hold(const Product &product, const MmaSite &mma, const HeldSteps &held,
                   const std::string &mfma, bool isOfTwoTiles, const std::string &begin,
                   Site &site) {
    // Instances of a template have one text, though not all hold the same products.
    const bool isInstance = !kernel_.arguments.empty();
    const unsigned frame = held.call ? 0 : frame_; // of the loop
    const std::string name =
        freshName(isInstance ? "held_" + mma.d[0].variable : "held", heldNames_[frame]);
    std::string extents, indices, ownExtents, ownIndices; // own: of the function's, behind the call
    for (size_t i = 0; i < held.tiles.size(); ++i) {
      const Loop &tile = *held.tiles[i];
      const bool isOwn = held.call && i >= held.tilesAtCall;
      std::string extent = std::to_string(turnsOf(tile));
      if (isInstance)
        extent = held.call ? *extentInCall(held, i, mma) : extentOver(tile, mma);
      (isOwn ? ownExtents : extents) += "[" + extent + "]";
      (isOwn ? ownIndices : indices) += "[" + numberOfTurn(tile) + "]";
    }
    if (const int mfmas = mfmasOf(product.scheme, isOfTwoTiles); mfmas > 1)
      (held.call ? ownExtents : extents) += "[" + std::to_string(mfmas) + "]";
    const TextRange place = *placeOfHeld(held, mma);
    const bool isLine = place.begin != *placeOfStatement(held, mma);
    const std::string text = "lp::" + mfma + "_held " + name + extents + ownExtents + ";";
    held_.push_back({place, frame,
                     isLine ? indentAt(place.file, *placeOfStatement(held, mma)) + text +
                                  " // a step of k, until it fills an MFMA\n"
                            : text + " "});
    site.runtime.push_back(mfma);
    const std::string turn = numberOfTurn(*held.loop, begin);
    if (!held.call)
      return name + indices + ", " + turn;
    const auto [own, step] =
        hand(held, mma, "lp::" + mfma + "_held ", ownExtents, name + indices, turn);
    return own + ownIndices + ", " + step;
  }

  // The function's names for what it is handed, and for the step's number.
  std::pair<std::string, std::string> hand(const HeldSteps &held, const MmaSite &mma,
                                           const std::string &type, const std::string &extents,
                                           const std::string &argument, const std::string &turn) {
    Handed &all = handed_[frame_];
    all.at = *handingTo(held, mma);
    const std::string name = freshName("held", heldNames_[frame_]);
    const bool isInstance = !kernel_.arguments.empty();
    const std::string any = isInstance ? freshName("Held", heldNames_[frame_]) : "";
    if (isInstance)
      all.types.push_back("class " + any);
    all.parameters.push_back(isInstance        ? any + " &" + name
                             : extents.empty() ? type + "&" + name
                                               : type + "(&" + name + ")" + extents);
    all.arguments.push_back(argument);
    auto &[step, number] = all.steps[held.loop->range.begin];
    if (step.empty())
      step = freshName("step", heldNames_[frame_]);
    number = turn;
    return {name, step};
  }

  // A loop whose turns are not all unrolled goes by as many as an MFMA takes, which are:
  //
  //   for (int k = 0; k < K; k += 16) {
  //
  //   ──▶   for (int k0 = 0; k0 < K; k0 += 2 * 16)
  //         #pragma unroll
  //         for (int k = k0; k - k0 < 2 * 16 && k < K; k += 16) {
  //
  // It returns the new counter's name.
  std::string split(const Loop &loop) {
    const auto [known, isNew] = splitLoops_.insert({{frame_, loop.range.begin}, ""});
    if (!isNew)
      return known->second;
    const std::string begin = freshName(loop.variable + "0", heldNames_[frame_]);
    known->second = begin;
    const std::string condition = headText(loop.condition);
    const std::string together =
        std::to_string(stepsIn(loop)) + (*loop.step == 1 ? "" : " * " + stepText(loop));
    Site &site = siteAt(loop.begin, "loop over k",
                        "as many turns at once as fill an MFMA of a chip that has a deeper one");
    replace(site, {loop.range.file, loop.range.begin, loop.range.begin},
            "for (" + loop.type + " " + begin + " = " + headText(loop.begin) + "; " +
                renamed(condition, loop.variable, begin) + "; " + begin + " += " + together +
                ")\n#pragma unroll\n" + indentAt(loop.range.file, loop.range.begin));
    replace(site, loop.begin, begin);
    replace(site, {loop.range.file, loop.condition.begin, loop.condition.begin},
            loop.variable + " - " + begin + " < " + together + " && ");
    return begin;
  }

  // Steps that one MFMA takes of those products that wait in the loop.
  int stepsIn(const Loop &loop) const {
    int most = 1;
    for (const Product &product : products_)
      for (const auto &[mma, held] : product.held)
        if (held.loop->range == loop.range)
          most = std::max(most, mostTogether(outputArchs(), *mma, product.scheme.words(), held));
    return most;
  }

  // As the author says it: 1 of k++.
  std::string stepText(const Loop &loop) const {
    const std::string increment = headText(loop.increment);
    const llvm::StringRef step = llvm::StringRef(increment).split("+=").second.trim();
    const std::string text = step.empty() ? "1" : step.str();
    const bool isWord =
        llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == ':'; });
    return isWord ? text : "(" + text + ")";
  }

  // No other rule's edit reaches text that is copied: warpSize is 32 there, too.
  std::string headText(const TextRange &range) const {
    return renamed(textOf(range), "warpSize", "32");
  }
  // Or it says what another rule may write anew.
  bool isForOthers(const TextRange &range) const {
    const std::string text = textOf(range);
    return llvm::any_of(std::initializer_list<llvm::StringRef>{"threadIdx", "blockDim", "__"},
                        [&](llvm::StringRef word) { return text.find(word) != text.npos; });
  }

  // Not of args.k, which is another's.
  static std::string renamed(llvm::StringRef text, const std::string &name,
                             const std::string &other) {
    std::string out;
    while (!text.empty()) {
      const llvm::StringRef word =
          text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      const llvm::StringRef before = llvm::StringRef(out).rtrim();
      const bool isMember =
          before.ends_with(".") || before.ends_with("->") || before.ends_with("::");
      out += word == name && !isMember ? other : word.str();
      text = text.drop_front(word.size());
      out += text.take_front().str();
      text = text.drop_front(std::min<size_t>(1, text.size()));
    }
    return out;
  }

  std::string textOf(const TextRange &range) const {
    return program_.file(range.file).text().slice(range.begin, range.end).str();
  }

  // Behind the loop, for all its tiles: what still waits.
  void multiplyRest(const HeldSteps &held, const std::string &function, const std::string &call) {
    const std::string indent = indentAt(held.loop->range.file, held.loop->range.begin);
    std::string text = "\n" + indent + "// lp: steps of k that no other came behind",
                inner = indent;
    for (const Loop *tile : held.tiles) {
      text += "\n#pragma unroll\n" + inner + headOf(*tile);
      inner += "  ";
    }
    Site &site = insertBehind(held.loop->range, "operands of the last step of k",
                              "multiplied, where they did not fill an MFMA",
                              text + "\n" + inner + call, function);
    site.runtime.push_back("no_words");
  }

  // for (int j = 0; j < 4; ++j)
  std::string headOf(const Loop &loop) const {
    const std::string text = headText(loop.range);
    int open = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      open += (text[i] == '(') - (text[i] == ')');
      if (text[i] == ')' && open == 0)
        return text.substr(0, i + 1);
    }
    return text;
  }

  // May a call for the product's tile stand behind the loop, which is a statement with a block?
  bool mayEndBehind(const MmaSite &mma, const MmaSite *first, const HeldSteps &held) const {
    const Loop &loop = *held.loop;
    const llvm::StringRef line = program_.file(loop.range.file).text();
    const bool isLine =
        line.slice(line.rfind('\n', loop.range.begin) + 1, loop.range.begin).trim().empty();
    if (mma.typeA == ptx::Type::F64 || !isLine || !beginsStatement(loop.range) ||
        !llvm::StringRef(textOf(loop.range)).ends_with("}") ||
        (held.turns == 0 && (isForOthers(loop.begin) || isForOthers(loop.condition))))
      return false;
    const auto isOfTile = [&](llvm::StringRef name) {
      return llvm::any_of(held.tiles, [&](const Loop *tile) { return tile->variable == name; });
    };
    const std::string sums = mma.d[0].tileText + (first ? ", " + first->d[0].tileText : "");
    for (llvm::StringRef left = sums; !left.empty();) {
      const llvm::StringRef name =
          left.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      if (!name.empty() && !isOfTile(name) && isDeclaredIn(loop, name.str(), false, mma.range))
        return false;
      left = left.drop_front(std::max<size_t>(name.size(), 1));
    }
    return true;
  }

  // A name that nobody in the files has.
  std::string freshName(const std::string &name, std::set<std::string> &taken) const {
    for (int n = 1;; ++n) {
      const std::string wanted = name + (n == 1 ? "" : std::to_string(n));
      if (!taken.count(wanted) && !isMentioned(wanted)) {
        taken.insert(wanted);
        return wanted;
      }
    }
  }
  bool isMentioned(const std::string &name) const {
    for (unsigned f = 0; f < program_.files.size(); ++f) {
      const TokenStream &tokens = program_.file(f).tokens;
      for (size_t i = 0; i < tokens.size(); ++i)
        if (tokens.is(i, name))
          return true;
    }
    return false;
  }

  void declareHeld() {
    for (const Held &held : held_) {
      frame_ = held.frame;
      if (const size_t known = numberAt(held.place); known < sites_.size()) {
        sites_[known].edits[0].text += held.text;
        continue;
      }
      Site &site = siteAt(held.place, "operands of a step of k",
                          "wait for the step that fills an MFMA, where the chip has a deeper one");
      replace(site, held.place, held.text);
    }
    for (auto &[frame, handed] : handed_) {
      for (const auto &[loop, step] : handed.steps) {
        handed.parameters.push_back("int " + step.first);
        handed.arguments.push_back(step.second);
      }
      frame_ = frame;
      if (!handed.types.empty()) {
        const TextRange &at = handed.at.type;
        const std::string types = llvm::join(handed.types, ", ");
        replace(siteAt(at, "operands of a step of k",
                       "the step that waits is handed on, of what type it is"),
                at,
                handed.at.isTemplate ? ", " + types
                                     : "template <" + types + ">\n" + indentAt(at.file, at.begin));
      }
      Site &parameters = siteAt(handed.at.parameter, "operands of a step of k",
                                "the step that waits is handed on, and which it is");
      replace(parameters, handed.at.parameter,
              (handed.at.isFirstParameter ? "" : ", ") + llvm::join(handed.parameters, ", "));
      frame_ = 0;
      Site &arguments = siteAt(handed.at.argument, "operands of a step of k",
                               "the step that waits is handed on, and which it is");
      replace(arguments, handed.at.argument,
              (handed.at.isFirstArgument ? "" : ", ") + llvm::join(handed.arguments, ", "));
    }
    frame_ = 0;
  }

  // mma(c[j], a, load(p));   ──▶   {
  //                                  Fragment b;
  //                                  lp::load_b(b, ...);
  //                                  lp::mma_wave(c[j], a, b);
  //                                }
  void writeWithLoads(const Product &product, const MmaSite &mma, Site &site, std::string text) {
    const std::string indent = indentAt(mma.range.file, mma.range.begin), line = "\n" + indent;
    std::string before;
    bool any = false;
    for (const LoadSite &load : kernel_.loads) {
      const auto role = isAheadOf(load, mma) ? roleOf(kernel_, product, load) : std::nullopt;
      if (!role)
        continue;
      any = true;
      if (mma.part)
        continue;
      const std::vector<TileGroup> groups = groupsOf(load);
      before += line + "  " + load.declaration + ";";
      for (const TileGroup &group : groups) {
        if (!complete(group, *role, product.scheme))
          problem_ = "ldmatrix fills only part of an operand of '" + group.tile->variable + "'";
        before += line + "  " + readTile(product, load, *role, groups, group, site.runtime) + ";";
      }
      addFetches(site.runtime, load.address);
      addTile(site, {&load.registers[0]});
    }
    if (!any)
      return replace(site, mma.range, text);
    TextRange whole = mma.range;
    if (!mma.part)
      text = "{" + before + line + "  " + text;
    else if (llvm::StringRef(text).starts_with(","))
      text.insert(text.find('\n') + 1, "  ");
    if (!hasFurther(mma)) {
      whole.end = behind(whole);
      if (whole.end == mma.range.end)
        problem_ = "operands are loaded within a product that is no statement of its own";
      text += ";" + line + "}";
    }
    replace(site, whole, text);
  }

  // The author's words for the extents mean the same where the kernel declares other variables.
  static bool areNamed(const Slot &d, const std::vector<CallPlace> &calls) {
    return calls.empty() && d.extentTexts.size() == d.extents.size() &&
           d.tile.size() == d.extents.size() &&
           llvm::none_of(d.tile, [](const Index &i) { return i.isMember; });
  }
  // How many tiles there are along n, by the author's word where the kernel says it.
  static std::string tilesText(const Product &product, const std::vector<CallPlace> &calls) {
    const Slot &d = product.mmas[0]->d[0];
    return areNamed(d, calls) ? primary(d.extentTexts[product.nDim])
                              : std::to_string(d.extents[product.nDim]);
  }
  // The number of a tile that is read; of an odd number, with that.
  static std::string tileArguments(const Product &product, const LoadSite &load,
                                   const Index *index) {
    if (!index)
      return "";
    return ", " + index->text +
           (product.scheme.odd ? ", " + tilesText(product, load.calls) : std::string());
  }

  // Of tile 2 * j + c it is known which of two it is.
  static std::optional<std::array<std::string, 3>> numbersOfPair(const Index &index) {
    if (index.variable.empty() || index.scale % 2 || index.offset < 0)
      return std::nullopt;
    llvm::StringRef base = index.text;
    const bool isKnown = !index.offset || base.consume_back(" + " + std::to_string(index.offset));
    if (!isKnown)
      return std::nullopt;
    const auto number = [&](int64_t offset) {
      return base.str() + (offset ? " + " + std::to_string(offset) : "");
    };
    return {
        {number(index.offset & ~1), number(index.offset | 1), std::to_string(index.offset & 1)}};
  }

  // The numbers of the two tiles that go together, and which of them this is.
  static std::array<std::string, 3> pairTexts(const Product &product, const MmaSite &mma) {
    const Index &index = mma.d[0].tile[product.nDim];
    if (index.literal)
      return {std::to_string(*index.literal & ~1), std::to_string(*index.literal | 1),
              std::to_string(*index.literal & 1)};
    if (const auto numbers = numbersOfPair(index);
        numbers && mma.d[0].flatText.empty() && !product.scheme.odd)
      return *numbers;
    const std::string j = primary(index.text);
    if (product.scheme.odd) {
      const std::string tiles = tilesText(product, mma.calls);
      return {j + " & ~1", j + " + 1 < " + tiles + " ? " + j + " | 1 : " + j, j + ", " + tiles};
    }
    return {j + " & ~1", j + " | 1", j + " & 1"};
  }

  // The four tiles of a 32x32 MFMA, the operands, and which of the four this is.
  static std::string fourTiles(const Product &product, const MmaSite &mma, const std::string &a,
                               const std::string &b) {
    std::string text, operands = a + ", " + b;
    if (hasHalves(product)) {
      const Index &index = mma.b[0].tile[product.nDimB];
      const auto tile = [&](int t) {
        return tileTextOf(mma.b[0], product.nDimB, numberOf(index, 2, t));
      };
      operands = a + ", " + tile(0) + ", " + tile(1);
    }
    if (product.scheme.rowTilesTogether() == 1) {
      const Index &index = mma.d[0].tile[product.nDim];
      for (int t = 0; t < 4; ++t)
        text += tileTextOf(mma.d[0], product.nDim, numberOf(index, 4, t)) + ", ";
      return text + operands + ", " + isLastOf(index, 4);
    }
    const Index &i = mma.d[0].tile[product.mDim], &j = mma.d[0].tile[product.nDim];
    for (int t = 0; t < 4; ++t) {
      Slot tile = mma.d[0];
      tile.tile[product.mDim].text = numberOf(i, 2, t & 1);
      text += tileTextOf(tile, product.nDim, numberOf(j, 2, t >> 1)) + ", ";
    }
    return text + operands + ", " + isLastOf(i, 2) + " && " + isLastOf(j, 2);
  }
  // Tile `t` of the group of `together` that this is one of, and whether it is the last.
  static std::string numberOf(const Index &index, int together, int t) {
    const std::string j = primary(index.text), mask = std::to_string(together - 1);
    return index.literal       ? std::to_string((*index.literal & ~int64_t(together - 1)) + t)
           : t == together - 1 ? j + " | " + mask
           : t                 ? "(" + j + " & ~" + mask + ") + " + std::to_string(t)
                               : j + " & ~" + mask;
  }
  // Statements of tiles 2 * j: those of 2 * j + 1 do all.
  bool isNeverLast(const Product &product, const MmaSite &mma) const {
    const Index *index = product.scheme.large ? &mma.d[0].tile[product.nDim] : nullptr;
    return index && !index->variable.empty() && index->scale % 2 == 0 && index->offset % 2 == 0 &&
           !hasLoadsAhead(mma);
  }
  static std::string isLastOf(const Index &index, int together) {
    if (index.literal)
      return (*index.literal & (together - 1)) == together - 1 ? "true" : "false";
    return primary(index.text) + " % " + std::to_string(together) +
           " == " + std::to_string(together - 1);
  }

  // An operand that the call holds itself, as a value; empty: it has a variable.
  std::string inCall(const Product &product, const Slot &operand, Role role, Site &site) {
    const auto load = llvm::find_if(kernel_.loads, [&](const LoadSite &l) {
      return l.isInCall && l.frame == frame_ && l.registers[0].declaration == operand.declaration;
    });
    if (load == kernel_.loads.end())
      return "";
    if (load->registers.size() != operandRegisters(role, product.scheme))
      problem_ = "only part of an operand is written into the call";
    const TileGroup group{&load->registers[0], {}};
    const TileLoad read = tileLoad(product, *load, role, {group}, group);
    const std::string function =
        chunk(role == Role::A ? "operand_a" : "operand_b", [&](const std::string &name) {
          return operandFunction(name, product, *load, read.form);
        });
    site.runtime.push_back(function);
    addFetches(site.runtime, load->address);
    return "lp::" + function + "(" +
           turnedLambda(*load, read.form, read.index, indentAt(load->range.file, load->range.begin),
                        site) +
           tileArguments(product, *load, read.index) + ")";
  }

  std::string operandText(const Product &product, const std::vector<Slot> &operand, Role role,
                          Site &site) {
    if (kernel_.isConverted(operand))
      return converted(product, operand, role, site);
    const std::string text = inCall(product, operand[0], role, site);
    return text.empty() ? wordsText(operand) : text;
  }

  // The array that holds it; words put together where they are not one.
  static std::string wordsText(const std::vector<Slot> &operand) {
    if (inOrder(operand))
      return operand[0].tileText;
    std::string words;
    for (const Slot &slot : operand)
      words += (words.empty() ? "" : ", ") + ("lp::bits<unsigned>(" + slot.text + ")");
    return "lp::words" + std::to_string(std::max<size_t>(2, operand.size())) + "{" + words + "}";
  }

  // ---- an operand that stays where CUDA has it
  //
  //   mma(c[j], a, b[j]);   ──▶   lp::mma_wave(c[j], lp::move_a(a), b[j]);

  std::string converted(const Product &product, const std::vector<Slot> &operand, Role role,
                        Site &site) {
    const std::string function =
        chunk(role == Role::A ? "move_a" : "move_b", [&](const std::string &name) {
          return operandMoveFunction(name, product.scheme, role);
        });
    site.runtime.push_back(function);
    return "lp::" + function + "(" + wordsText(operand) + ")";
  }

  void tellOfConverted(const MmaSite &mma, Site &site) const {
    const llvm::StringRef reason = site.reason;
    for (const Kernel::Converted &known : kernel_.converted)
      for (const std::vector<Slot> *operand : {&mma.a, &mma.b})
        if (operand->front().declaration == known.operand) {
          site.reason = (reason.take_front(reason.find("; no lane moves")) + "; '" +
                         operand->front().variable +
                         "' is moved to its lanes, and is elsewhere "
                         "where CUDA has it")
                            .str();
          return;
        }
  }

  // ---- ldmatrix

  static bool complete(const TileGroup &group, Role role, const Scheme &scheme) {
    return group.matrixOf.size() == operandRegisters(role, scheme) &&
           group.matrixOf.rbegin()->first == static_cast<int>(group.matrixOf.size()) - 1;
  }

  void writeLoad(const Product &product, const LoadSite &load, Role role) {
    if (isBegin(load))
      return writeBegin(product, load, role);
    if (load.isGathered())
      return writeGather(product, load, role);
    const std::vector<TileGroup> groups = groupsOf(load);
    const std::string indent = indentAt(load.range.file, load.range.begin);
    std::string text;
    std::vector<std::string> functions;
    if (!load.declaration.empty())
      text = load.declaration + ";\n" + indent;
    for (const TileGroup &group : groups)
      if (!complete(group, role, product.scheme)) {
        problem_ = "ldmatrix fills only part of an operand of '" + group.tile->variable + "'";
        return;
      }
    // Frag a = load(p), b = load(q);  and  Frag a[2] = {load(p), load(q)};
    const bool isDeclared = llvm::any_of(kernel_.loads, [&](const LoadSite &other) {
      return !other.declaration.empty() && areOneStatement(load, other);
    });
    text = behindOthers(load, isDeclared ? ";" : ",") + text +
           readTiles(product, load, role, groups, functions);
    Site &site = siteAt(load.range, load.spelling,
                        "each lane reads what the MFMA wants of it, from the author's address for "
                        "another lane");
    replace(site, load.range, text);
    addFetches(functions, load.address);
    site.runtime = functions;
    addTile(site, {&load.registers[0]});
    if (!load.isTurned) {
      for (const TextRange &range : load.removed)
        replace(site, range, "");
      return;
    }
    for (const TextRange &range : load.removed)
      replace(siteAt(range, "movmatrix of what ldmatrix reads", "it is read so"), range, "");
  }

  // A function has one text for all kernels that call it, so all of them ask for one row, or none
  // is read by it. Where the rows of k come from another buffer each turn, clang would put buffer
  // and row together in the loop for what it knows of the lane, and add the bytes behind by
  // themselves.
  Result<RuntimeChunk> operandFunction(const std::string &name, const Product &product,
                                       const LoadSite &load, LoadForm form) const {
    form.isOfRow = areRows_ && !(form.transposed && walks(load));
    return loadFunction(name, form, product.scheme);
  }

  // Of several tiles in one call, where they have one address.
  //
  //   lp::load_b_tiles(tile 0, tile 1, [&](int lane, int warp) { return address; });
  std::string readTiles(const Product &product, const LoadSite &load, Role role,
                        const std::vector<TileGroup> &groups, std::vector<std::string> &functions) {
    std::string each, tiles, numbers, address;
    std::vector<std::string> its;
    int indices = 0;
    bool haveOne = groups.size() > 1;
    const std::string indent = indentAt(load.range.file, load.range.begin);
    for (const TileGroup &group : groups) {
      const TileLoad read = tileLoad(product, load, role, groups, group);
      const std::string text = lambda(load, read.form, read.index, product.stepLoop, indent);
      const bool isFirst = &group == &groups.front();
      haveOne &= isFirst || text == address;
      address = text;
      each += (isFirst ? "" : ",\n" + indent) + readTile(product, load, role, groups, group, its);
      tiles += (isFirst ? "" : ", ") + group.tile->tileText;
      numbers += tileArguments(product, load, read.index);
      indices = !read.index ? 0 : product.scheme.odd ? 2 : 1;
    }
    if (!haveOne) {
      llvm::append_range(functions, its);
      return each;
    }
    const std::string function =
        chunk(role == Role::A ? "load_a_tiles" : "load_b_tiles", [&](const std::string &name) {
          return Result<RuntimeChunk>(
              tilesFunction(name, its, indices, product.stepLoop != nullptr));
        });
    functions.push_back(function);
    return "lp::" + function + "(" + tiles + ", " + address + numbers +
           (product.stepLoop ? ", " + product.stepLoop->variable : "") + ")";
  }

  std::string readTile(const Product &product, const LoadSite &load, Role role,
                       const std::vector<TileGroup> &groups, const TileGroup &group,
                       std::vector<std::string> &functions) {
    const TileLoad read = tileLoad(product, load, role, groups, group);
    const LoadForm &form = read.form;
    const Index *index = read.index;
    const std::string function =
        chunk(role == Role::A ? "load_a" : "load_b",
              [&](const std::string &name) { return operandFunction(name, product, load, form); });
    functions.push_back(function);
    return "lp::" + function + "(" + group.tile->tileText + ", " +
           lambda(load, form, index, product.stepLoop,
                  indentAt(load.range.file, load.range.begin)) +
           tileArguments(product, load, index) +
           (product.stepLoop ? ", " + product.stepLoop->variable : "") + ")";
  }

  // An operand that the kernel puts together: its expressions, as one function.
  void writeGather(const Product &product, const LoadSite &load, Role role) {
    const TileGroup group{&load.registers[0], {}};
    const size_t wanted = operandRegisters(role, product.scheme);
    for (size_t r = 0; r < load.registers.size(); ++r)
      if (load.registers[r].reg != static_cast<int>(r) || load.registers.size() != wanted) {
        problem_ = "only part of an operand is put together in '" + group.tile->variable + "'";
        return;
      }
    const TileLoad read = tileLoad(product, load, role, {group}, group);
    const LoadForm &form = read.form;
    const Index *index = read.index;
    const std::string function =
        chunk(role == Role::A ? "gather_a" : "gather_b",
              [&](const std::string &name) { return operandFunction(name, product, load, form); });
    const std::string indent = indentAt(load.range.file, load.range.begin);
    const size_t known = load.isFurther() ? numberAt(load.range) : sites_.size();
    Site &site = known < sites_.size()
                     ? sites_[known]
                     : siteAt(load.range, load.spelling,
                              "each lane computes what the MFMA wants of it, by the author's "
                              "expressions for another lane and register");
    const std::string text = (load.isFurther() ? ",\n" + indent : "") +
                             (load.declaration.empty() ? "" : load.declaration + ";\n" + indent) +
                             "lp::" + function + "(" + group.tile->tileText + ", " +
                             turnedLambda(load, form, index, indent, site) +
                             tileArguments(product, load, index) + (load.isWhole ? ");" : ")");
    const bool isThird = !site.edits.empty(); // of the variables that a loop fills
    if (load.pragma.end)
      replace(site, load.pragma, "");
    if (isThird) { // the loop's last has its ';'
      std::string &others = site.edits.back().text;
      others = llvm::StringRef(others).ends_with(";") ? text + others : others + text;
    } else {
      replace(site, load.range, text);
    }
    for (const TextRange &range : load.removed)
      replace(site, range, "");
    site.runtime.push_back(function);
    addFetches(site.runtime, load.address);
    addTile(site, {&load.registers[0]});
  }

  // The site that is there in this frame; as many as there are, where none is.
  size_t numberAt(const TextRange &range) const {
    for (size_t i = 0; i < sites_.size(); ++i)
      if (frames_[i] == frame_ && placeOf(sites_[i]) == range)
        return i;
    return sites_.size();
  }

  // What an operand is computed from, lane by lane: the author's expression, as a function.
  void writeBegin(const Product &product, const LoadSite &load, Role role) {
    const TileGroup group{&load.registers[0], {}};
    const TileLoad read = tileLoad(product, load, role, {group}, group);
    const LoadForm &form = read.form;
    const Index *index = read.index;
    const std::string function = chunk("read_b", [&](const std::string &name) {
      return operandFunction(name, product, load, form);
    });
    const std::string indent = indentAt(load.range.file, load.range.begin);
    Site &site = siteAt(load.range, load.spelling,
                        "each lane begins with the value of the lane whose operand it computes");
    replace(site, load.range,
            "lp::" + function + "(" + valueLambda(load, form, index, indent) +
                tileArguments(product, load, index) + ")");
    site.runtime = {function};
    addFetches(site.runtime, load.address);
  }

  // Functions that the text calls for another lane.
  void tell(const std::vector<ToldFunction> &functions) {
    for (const ToldFunction &function : functions) {
      const std::string which = "'" + function.name + "', which reads the thread's index itself, ";
      if (isPadded_)
        problem_ = which + "may be called where a block is padded";
      else if (!isOnlyCalled(function.name))
        problem_ = which + "is named where it is not called";
      for (const SourceEdit &edit : function.edits)
        if (told_.insert({edit.range.file, edit.range.begin}).second) {
          toldSites_.push_back(made(edit.range, "function '" + function.name + "'",
                                    "told whose index it speaks of, where that is another's"));
          replace(toldSites_.back(), edit.range, edit.text);
        }
    }
  }
  void keepGiven(const std::vector<SourceEdit> &edits) {
    for (const SourceEdit &edit : edits)
      if (told_.insert({edit.range.file, edit.range.begin}).second) {
        toldSites_.push_back(made(edit.range, "parameter",
                                  "kept as it was given, for other warps than the thread's own"));
        replace(toldSites_.back(), edit.range, edit.text);
      }
  }
  bool isOnlyCalled(const std::string &name) const {
    for (unsigned f = 0; f < program_.files.size(); ++f) {
      const TokenStream &tokens = program_.file(f).tokens;
      for (size_t i = 0; i + 1 < tokens.size(); ++i)
        if (tokens.is(i, name) && !tokens.is(i + 1, "(") && !tokens.is(i + 1, "<"))
          return false;
    }
    return true;
  }

  void addFetches(std::vector<std::string> &runtime, const AddressFunction &address) {
    tell(address.told);
    keepGiven(address.kept);
    if (!address.fetched.empty())
      runtime.push_back("of_thread");
    if (address.readsWarp)
      runtime.push_back("of_warp");
  }

  // The thread's own values that are asked of other lanes, by another name.
  static std::string captures(const AddressFunction &address) {
    std::string text;
    for (const std::string &name : address.fetched)
      text += ", " + askedAs(name) + " = " + name;
    for (const auto &[name, from] : address.moved)
      text += ", " + name + " = " + from;
    return text;
  }

  // int lane, int warp: of the author's types, since -1 / 2 is another number without a sign.
  static std::string laneAndWarp(const AddressFunction &from) {
    return (from.usesLane ? from.laneType + " " + from.laneName : std::string("int")) + ", " +
           (from.usesWarp ? from.warpType + " " + from.warpName : std::string("int"));
  }

  // No name where the tile is a number: two are read by one statement, as it stands.
  static std::string tileParameter(const Index &index) {
    return index.literal ? "int" : index.type + " " + index.variable;
  }

  // [&](int lane, int warp, int r) {
  //   const int g = lane / 4;
  //   return r == 0 ? first : second;
  // }
  static std::string valueLambda(const LoadSite &load, const LoadForm &form, const Index *index,
                                 const std::string &indent) {
    const AddressFunction &from = load.address;
    const std::string &r = load.registerName;
    std::string text = "[&" + captures(from) + "](" + laneAndWarp(from) +
                       (form.takesTile ? ", " + tileParameter(*index) : "") +
                       (isBegin(load) ? ""
                        : r.empty()   ? ", int"
                                      : ", int " + r) +
                       ") {";
    const std::string line = "\n" + indent + "  ";
    for (const AddressFunction::Variable &v : from.variables)
      text += line + declared(v);
    text += line + "return " + (load.onlyWhile.empty() ? "" : "!(" + load.onlyWhile + ") ? 0 : ");
    for (size_t i = 0; i + 1 < load.values.size(); ++i)
      text += r + " == " + std::to_string(i) + " ? " + load.values[i] +
              (load.values.size() > 2 ? line + "     : " : " : ");
    return text + load.values.back() + ";\n" + indent + "}";
  }

  // Where movmatrix turns the values, lp::turned(...); where several make a register,
  // lp::packed(...).
  static std::string turnedLambda(const LoadSite &load, const LoadForm &form, const Index *index,
                                  const std::string &indent, Site &site) {
    std::string text = valueLambda(load, form, index, indent);
    if (!load.converts.empty())
      site.runtime.push_back(load.converts);
    if (load.valuesInWord > 1) {
      site.runtime.push_back("packed");
      text = "lp::packed(" + text + ")";
    }
    if (!load.isTurned)
      return text;
    site.runtime.push_back("turned");
    return "lp::turned(" + text + ")";
  }

  // [&](int lane, int warp) {
  //   const int wn = ...;
  //   return address;
  // }
  // On one line where nothing has to be computed anew.
  std::string lambda(const LoadSite &load, const LoadForm &form, const Index *index,
                     const Loop *step, const std::string &indent) const {
    const AddressFunction &address = load.address;
    std::string text = "[&" + captures(address) + "](" + laneAndWarp(address) +
                       (form.takesTile ? ", " + tileParameter(*index) : "") +
                       (step ? ", " + step->type + " " + step->variable : "") + ") {";
    const bool isLast = isVariableAlone(load);
    const auto before = llvm::ArrayRef(address.variables).drop_back(isLast ? 1 : 0);
    const bool isLong = !before.empty();
    const std::string line = isLong ? "\n" + indent + "  " : " ";
    for (const AddressFunction::Variable &v : before)
      text += line + declared(v);
    return text + line + "return " +
           (isLast ? address.variables.back().value : address.expression) + ";" +
           (isLong ? "\n" + indent + "}" : " }");
  }
  // It is what its last variable says: an LDS address, whatever of these types it is.
  bool isVariableAlone(const LoadSite &load) const {
    const AddressFunction &address = load.address;
    if (address.variables.empty())
      return false;
    const AddressFunction::Variable &last = address.variables.back();
    const bool isPlain =
        last.type == "const auto" || last.type == "const int" || last.type == "const unsigned int";
    return isPlain &&
           plainText(address.expression, program_.file(load.range.file).text()) == last.name;
  }

  // ---- code between the products

  // Shuffles of results, and what rows have at the end.
  void writeShuffle(const Between::Shuffle &shuffle) {
    Site &site = siteAt(shuffle.range, "shuffle of results",
                        "the lanes that hold the same rows or columns here");
    replace(site, shuffle.range,
            "lp::shfl_xor_wave(" + sourceRange(shuffle.value.begin, shuffle.value.end) + ", " +
                sourceRange(shuffle.mask.begin, shuffle.mask.end) + ")");
    site.runtime = {"shfl_xor_wave"};
  }

  void writeBetween(const isa::MatrixInstruction &mfma, bool follows) {
    const Between &between = *kernel_.between;
    for (const Between::Shuffle &shuffle : between.shuffles)
      writeShuffle(shuffle);
    tell(kernel_.toldBetween);
    keepGiven(kernel_.keptBetween);
    for (const SourceEdit &edit : editsBetween(kernel_)) {
      const llvm::StringRef text = edit.text;
      const bool areMatrices = text.starts_with("lp::store_matrices");
      const bool areSums = text.starts_with("lp::add_row_sums");
      Site &site = areMatrices ? siteAt(edit.range, "stmatrix of results",
                                        "each lane stores what it has to where CUDA's thread would")
                   : areSums
                       ? siteAt(edit.range, "sums of rows of results",
                                "an MFMA with the constants, a row a lane")
                       : siteAt(edit.range, "value that goes into results",
                                "computed for the lane, warp and row that CUDA has the result in");
      replace(site, edit.range, edit.text);
      site.runtime = {text.starts_with("lp::store_matrices_trans") ? "store_matrices_trans"
                      : areMatrices                                ? "store_matrices"
                      : areSums                                    ? "add_row_sums"
                      : text.starts_with("lp::halves<")            ? "halves"
                                                                   : "of_element"};
    }
    if (between.rows.empty() || follows)
      return; // what rows have stays where it is
    const std::string function = chunk(
        "to_warp_rows", [&](const std::string &name) { return rowBorderFunction(name, mfma); });
    const std::string indent = indentOf(between.last);
    std::string text = "\n" + indent + "// lp: values of rows in the lanes of CUDA";
    std::string last = function;
    for (const Between::Rows &rows : between.rows) {
      std::string inner = indent;
      for (size_t i = 0; i < rows.extents.size(); ++i, inner += "  ") {
        const std::string name(1, static_cast<char>('i' + i));
        text += "\n#pragma unroll\n" + inner + "for (int " + name + " = 0; " + name + " < " +
                rows.extents[i] + "; ++" + name + ")";
      }
      text += "\n" + inner + "lp::";
      if (rows.array.empty()) {
        text += function + "(" + rows.lower + ", " + rows.upper + ");";
        continue;
      }
      last = chunk(function + "_of",
                   [&](const std::string &name) { return rowArrayFunction(name, function); });
      text += last + "(" + rows.array + ");";
    }
    insertBehind(between.last, "values of rows", "back to CUDA's lanes, once behind the loop", text,
                 last);
  }

  // ---- two steps of k at once

  void writeSteps(const Product &product) {
    const Loop &loop = *product.stepLoop;
    if (!steps_.insert(loop.range.begin).second)
      return;
    Site &site = siteAt(loop.increment, "loop over k",
                        "two steps at once: each lane reads 16 bytes, of one step or the other");
    replace(site, loop.increment, loop.variable + " += " + std::to_string(2 * *loop.step));
    for (const Kernel::Variable &variable : kernel_.variables) {
      const bool isA = product.a.count(variable.declaration);
      const bool grows = product.b.count(variable.declaration) ||
                         (isA && product.scheme.side != PairSide::Columns);
      if (grows)
        grow(variable, "holds two steps of k");
    }
  }

  void grow(const Kernel::Variable &variable, const std::string &reason) {
    replace(siteAt(variable.registers, "operand '" + variable.name + "'", reason),
            variable.registers, std::to_string(2 * variable.registerCount));
  }

  // Of four tiles the first holds what is read of all: 16 bytes a lane.
  void writeRoom(const Product &product) {
    for (const Kernel::Variable &variable : kernel_.variables)
      if (product.b.count(variable.declaration) && roomy_.insert(variable.declaration).second)
        grow(variable, "holds 16 bytes of a row, of one of four tiles");
  }

  // ---- the epilogue, where the elements lie

  void writeEpilogue(const Product &product) {
    if (product.epilogue->leader != product.d)
      return;
    for (const EpilogueBody &body : product.epilogue->bodies)
      if (body.isRow)
        writeRows(product, *product.epilogue, body);
      else
        writeBody(product, *product.epilogue, body);
    for (const Between::Shuffle &shuffle : product.epilogue->shuffles)
      writeShuffle(shuffle);
    for (const Epilogue::Butterfly &step : product.epilogue->butterflies) {
      Site &site = siteAt(step.call, "sum over a row",
                          "the lanes of a quad are lanes 4 and 5 of the index now");
      replace(site, step.call,
              "lp::wave_xor(" + step.value + ", " + std::to_string(16 << step.bit) + ")");
      site.runtime = {"wave_xor"};
    }
  }

  static PairForm formOf(const EpilogueBody &body, const EpilogueBody::Rebound &rebound) {
    PairForm form;
    form.takesLane = rebound.names.usesLane;
    form.takesWarp = rebound.names.usesWarp;
    form.takesLower = body.usesLower;
    form.takesPair = body.usesPair;
    return form;
  }

  // (int lane, int warp, int j, int lower, int h, const auto &v)
  static std::string parametersOf(const PairForm &form, const EpilogueBody::Rebound &rebound,
                                  const Epilogue &epilogue, const Index *column,
                                  const std::string &value, const std::string &row = "") {
    std::string text;
    const auto add = [&](bool takes, const std::string &parameter) {
      if (takes)
        text += (text.empty() ? "" : ", ") + parameter;
    };
    add(form.takesLane, rebound.names.laneType + " " + rebound.names.laneName);
    add(form.takesWarp, rebound.names.warpType + " " + rebound.names.warpName);
    if (column)
      add(form.takesTile, column->type + " " + column->variable);
    add(form.takesLower, row.empty() ? "int " + epilogue.lowerName : row);
    add(form.takesPair, "int " + epilogue.pairName);
    add(!value.empty(), value);
    return text;
  }

  static std::string reboundLines(const EpilogueBody::Rebound &rebound, const std::string &indent) {
    std::string text;
    for (const AddressFunction::Variable &v : rebound.names.variables)
      text += "\n" + indent + declared(v);
    return text;
  }

  void writeRows(const Product &product, const Epilogue &epilogue, const EpilogueBody &body) {
    const EpilogueBody::Rebound &rebound = reboundOf(body, product.scheme);
    tell(rebound.names.told);
    keepGiven(rebound.names.kept);
    const PairForm form = formOf(body, rebound);
    const std::string function = chunk("each_row", [&](const std::string &name) {
      return Result<RuntimeChunk>(rowFunction(name, form));
    });
    const std::string indent = indentOf(body.range);
    const std::string open =
        (body.hasPragma ? indent : "") + "lp::" + function + "([&](" +
        parametersOf(form, rebound, epilogue, nullptr, "",
                     body.isRowLoop ? body.rowType + " " + body.rowName : std::string()) +
        ") {" + reboundLines(rebound, indent + "  ");
    Site &site = siteAt(body.range, "sum over a row",
                        "each lane acts for the lane that CUDA would have the sum in");
    wrap(site, body, rebound, open, indent, closingIndent(epilogue, body));
    site.runtime = {function};
  }

  void writeBody(const Product &product, const Epilogue &epilogue, const EpilogueBody &body) {
    const MmaSite &mma = *product.mmas[0];
    const EpilogueBody::Rebound &rebound = reboundOf(body, product.scheme);
    tell(rebound.names.told);
    keepGiven(rebound.names.kept);
    const int together = product.scheme.turned ? product.scheme.tilesTogether() : 1;
    const Slot &tile = body.tiles[0];
    const std::optional<Index> column = columnOf(body, tile, product);
    PairForm form = formOf(body, rebound);
    form.arrays = static_cast<int>(body.tiles.size());
    form.tiles = together;
    form.isPacked = mma.typeD == ptx::Type::F16;
    form.takesTile = tilesMeet(product.scheme);
    form.isOfOneWarp = body.isInRowLoop;
    form.changes = body.changes;
    form.takesPair &= !body.isInRowLoop; // there already
    form.takesLower &= !body.isInRowLoop;
    const std::string function =
        chunk(body.isInRowLoop ? "each_pair_of" : "each_pair",
              [&](const std::string &name) { return pairFunction(name, form, product.scheme); });
    const std::string indent = indentOf(body.range), inner = indent + "  ";
    std::string open = (body.hasPragma ? indent : "") + "lp::" + function + "(";
    for (const Slot &each : body.tiles)
      for (int t = 0; t < together; ++t) {
        const int along = nDimOf(each, product);
        const std::string number = along >= 0 ? each.tile[along].text : "";
        open += (t || &each != &tile ? ", " : "") +
                tileTextOf(each, along, number + (t ? " + " + std::to_string(t) : ""));
      }
    open += form.takesTile ? ", " + column->text + "," : ",";
    if (body.isInRowLoop)
      open += " " + epilogue.pairName + ",";
    open += together > 1 ? "\n" + indent + "    " : " ";
    open += "[&" + captures(rebound.names) + "](" +
            parametersOf(form, rebound, epilogue, column ? &*column : nullptr,
                         valuesText(form, epilogue)) +
            ") {" + reboundLines(rebound, inner);
    Site &site = siteAt(body.range, "accumulator '" + tile.variable + "'",
                        "handed on where it lies: each lane acts for the lane that CUDA would have "
                        "it in");
    wrap(site, body, rebound, open, indent, closingIndent(epilogue, body));
    if (together > 1)
      for (const Loop &loop : body.loops)
        if (loop.variable == column->variable)
          replace(site, loop.increment, loop.variable + " += " + std::to_string(together));
    site.runtime = {function};
    addFetches(site.runtime, rebound.names);
    for (const Slot &each : body.tiles)
      addTile(site, {&each});
    for (const RowFunction &function : body.functions)
      writeForRow(function);
  }

  // Behind the function; in its place, once it is clear that nobody else calls it.
  void writeForRow(const RowFunction &function) {
    const TextRange end{function.range.file, function.range.end, function.range.end};
    rowFunctions_.push_back(function);
    const auto isThere = [&](const Site &site) {
      return site.file == end.file && site.begin == end.begin && site.end == end.end;
    };
    if (llvm::none_of(sites_, isThere))
      replace(siteAt(end, "function '" + function.name + "'", "stores one row of a tile"), end,
              "\n\n" + indentAt(function.range.file, function.range.begin) + function.text);
  }

  // const auto &v, const auto &v2
  static std::string valuesText(const PairForm &form, const Epilogue &epilogue) {
    std::string text;
    for (int i = 0; i < form.arrays; ++i)
      text += (i ? ", " : "") +
              std::string(form.changes    ? "auto &"
                          : form.isPacked ? "auto "
                                          : "const auto &") +
              epilogue.valueNames[static_cast<size_t>(i)];
    return text;
  }

  // Which index of the tile runs along n: of another accumulator, that product says. None where the
  // epilogue counts tiles in its own way.
  int nDimOf(const Slot &tile, const Product &product) const {
    const auto its =
        llvm::find_if(products_, [&](const Product &other) { return other.d == tile.declaration; });
    const int along = dimOfTilesIn(its == products_.end() ? product : *its, tile);
    return along < static_cast<int>(tile.tile.size()) ? along : -1;
  }
  // ... and how its lane is told: of t % 4 by t.
  std::optional<Index> columnOf(const EpilogueBody &body, const Slot &tile,
                                const Product &product) const {
    const int along = nDimOf(tile, product);
    if (along < 0)
      return std::nullopt;
    Index column = tile.tile[along];
    if (const Loop *digits = lowerDigitOf(body.loops, column)) {
      column.text = column.variable = digits->variable;
      column.type = digits->type;
    }
    return column;
  }

  // The call around a body, and its edits. A block keeps its lines; statements get the
  // call's around them, and go in by two columns.
  // Of two that end at one place, a loop over rows and the tiles in it, the loop's end is written
  // first: it is indented as the other's, and that as the loop's.
  std::string closingIndent(const Epilogue &epilogue, const EpilogueBody &body) {
    const auto isOther = [&](const EpilogueBody &other) {
      return other.isRowLoop != body.isRowLoop && !other.isBlock &&
             behind(other.isRowLoop ? other.inner : other.range) ==
                 behind(body.isRowLoop ? body.inner : body.range) &&
             other.range.file == body.range.file;
    };
    const auto other =
        body.isBlock ? epilogue.bodies.end() : llvm::find_if(epilogue.bodies, isOther);
    return indentOf((other == epilogue.bodies.end() ? body : *other).range);
  }

  void wrap(Site &site, const EpilogueBody &body, const EpilogueBody::Rebound &rebound,
            const std::string &open, const std::string &indent, const std::string &closing) {
    noteRebound(body, rebound);
    const TextRange &range = body.range;
    std::vector<SourceEdit> edits = body.edits;
    llvm::append_range(edits, rebound.edits);
    if (body.isRowLoop) { // its head goes
      const TextRange &inner = body.inner;
      if (body.isBlock)
        replace(site, {inner.file, inner.end - 1, inner.end}, "});");
      else
        replace(site, {inner.file, behind(inner), behind(inner)}, "\n" + closing + "});");
      replace(site, {range.file, range.begin, body.isBlock ? inner.begin + 1 : inner.begin},
              body.isBlock ? open : open + "\n" + indent + "  ");
    } else if (body.isBlock) {
      replace(site, {range.file, range.begin, range.begin + 1}, open);
      replace(site, {range.file, range.end - 1, range.end}, "});");
    } else {
      const unsigned end = behind(range), begin = lineBegin(range.begin);
      const auto removed = llvm::find_if(edits, [&](const SourceEdit &edit) {
        return edit.range.begin == begin && edit.text.empty();
      });
      if (removed != edits.end())
        removed->text = indent + open + "\n";
      else
        replace(site, {range.file, range.begin, range.begin},
                open + "\n" + (body.hasPragma ? "" : indent + "  "));
      indentLines(site, begin, end, edits);
      replace(site, {range.file, end, end}, "\n" + closing + "});");
    }
    for (const SourceEdit &edit : edits)
      replace(site, edit.range, edit.text);
  }

  void noteRebound(const EpilogueBody &body, const EpilogueBody::Rebound &rebound) {
    NativePort::Rebound names{body.range, {}};
    for (const AddressFunction::Variable &variable : rebound.names.variables)
      if (!variable.type.empty())
        names.names.insert(variable.name);
    if (rebound.names.fetched.empty())
      rebound_.push_back(std::move(names));
  }

  unsigned lineBegin(unsigned at) const {
    return static_cast<unsigned>(program_.file(kernel_.range.file).text().rfind('\n', at) + 1);
  }

  // Lines between `begin` and `end` that stay, but for the first and directives.
  void indentLines(Site &site, unsigned begin, unsigned end,
                   const std::vector<SourceEdit> &edits) const {
    const llvm::StringRef text = program_.file(kernel_.range.file).text();
    for (size_t line = text.find('\n', begin) + 1; line && line < end;
         line = text.find('\n', line) + 1) {
      const bool isGone = llvm::any_of(edits, [&](const SourceEdit &edit) {
        return edit.range.begin <= line && line < edit.range.end;
      });
      const unsigned at = static_cast<unsigned>(line);
      if (!isGone && text[line] != '#' && text[line] != '\n')
        replace(site, {kernel_.range.file, at, at}, "  ");
    }
  }

  std::string lineText(const TextRange &range) const {
    if (!range.end)
      return "";
    unsigned line = 0, column = 0;
    program_.file(range.file).tokens.lineAndColumn(range.begin, line, column);
    return " (line " + std::to_string(line) + ")";
  }

  // ---- the end of the loops

  // The indentation of the line that holds this byte.
  std::string indentAt(unsigned file, unsigned byte) const {
    const llvm::StringRef text = program_.file(file).text();
    const size_t line = text.rfind('\n', byte) + 1; // npos + 1 is 0
    return text.substr(line).take_while([](char c) { return c == ' ' || c == '\t'; }).str();
  }
  // Of the statement; the range may begin with its pragmas.
  std::string indentOf(const TextRange &range) const {
    const llvm::StringRef text = program_.file(range.file).text();
    size_t line = range.begin;
    while (text.substr(line).ltrim(" \t").starts_with("#") && text.find('\n', line) < range.end)
      line = text.find('\n', line) + 1;
    return indentAt(range.file, static_cast<unsigned>(line));
  }

  // Behind the statement that ends at `end`, and its ';' if that is not part of it.
  unsigned behind(const TextRange &range) const {
    const llvm::StringRef text = program_.file(range.file).text();
    unsigned at = range.end;
    while (at < text.size() && llvm::isSpace(text[at]))
      ++at;
    return at < text.size() && text[at] == ';' ? at + 1 : range.end;
  }

  void writeBorder(const Product &product) {
    if (!goesBack(kernel_, product))
      return;
    const bool stays = kernel_.staysNative() && kernel_.between->fragments.count(product.d);
    const MmaSite &mma = *product.mmas[0];
    const bool packed = mma.typeD == ptx::Type::F16;
    const std::string function = chunk("to_warp_layout", [&](const std::string &name) {
      return borderFunction(name, product.scheme, packed);
    });
    TextRange region = stays ? kernel_.between->last : regionOf(kernel_, product.d);
    for (const auto &[second, first] : partnerOf_) // a product that the next one does
      if (region.contains(first->range) && region.end == first->range.end)
        region.end = second->range.end;
    std::string reason = "back to CUDA's fragment layout, " + howOften(mma, region);
    if (!product.noEpilogue.empty())
      reason += ": " + product.noEpilogue + lineText(product.noEpilogueAt);
    Slot sums = mma.d[0]; // by the kernel's name, where a function has another
    int64_t firstTile = 0;
    for (const Kernel::Variable &variable : kernel_.variables)
      if (variable.declaration == sums.declaration)
        firstTile = nameInKernel(product, variable, sums);
    const std::string indent = indentOf(region);
    std::string text = "\n" + borderLoops(product, sums, function, indent, firstTile);
    if (sums.isSwapped)
      text += authorsOrder(sums, indent, firstTile);
    Site &site = insertBehind(region, "accumulator '" + sumsName(kernel_, product) + "'", reason,
                              text, function);
    addTile(site, {&sums});
    if (sums.isSwapped)
      site.runtime.push_back("rows_side_by_side");
  }

  // Sums that other code begins, which sees them as CUDA has them:
  //
  //   load(acc, C);                             load(acc, C);
  //                                             for (int i = 0; i < 4; ++i)
  //                                     ──▶       lp::to_wave_layout(acc[i]);
  //   for (int k = 0; k < K; k += 16)           for (int k = 0; k < K; k += 16)
  void writeFront(const Product &product) {
    const FragmentUse *use = usedInFront(kernel_, product);
    if (!use)
      return;
    const bool packed = product.mmas[0]->typeD == ptx::Type::F16;
    const std::string function = chunk("to_wave_layout", [&](const std::string &name) {
      return borderFunction(name, product.scheme, packed, /*isInwards=*/true);
    });
    const TextRange region = regionOf(kernel_, product.d);
    Slot sums = product.mmas[0]->d[0];
    int64_t firstTile = 0;
    for (const Kernel::Variable &variable : kernel_.variables)
      if (variable.declaration == sums.declaration)
        firstTile = nameInKernel(product, variable, sums);
    const TextRange place = beforeLine(region.file, region.begin);
    const llvm::StringRef before = program_.file(region.file).text().take_front(region.begin);
    const bool isLine = before.rtrim(" \t").ends_with("\n");
    if (!isLine || !beginsStatement(region))
      problem_ = "what multiplies '" + sums.variable + "' shares its line with other code";
    const std::string text =
        borderLoops(product, sums, function, indentOf(region), firstTile, /*isInwards=*/true) +
        "\n";
    const std::string construct = "accumulator '" + sumsName(kernel_, product) + "'";
    if (const size_t known = numberAt(place); known < sites_.size()) {
      sites_[known].construct += ", " + construct;
      sites_[known].edits[0].text += text;
      sites_[known].runtime.push_back(function);
      return;
    }
    Site &site = siteAt(place, construct,
                        "from CUDA's fragment layout, in front of the loop: other code begins it" +
                            lineText(use->range));
    replace(site, place, text);
    site.runtime = {function};
    addTile(site, {&sums});
  }

  // Sums that are begun anew in a loop leave their layout there.
  std::string howOften(const MmaSite &mma, const TextRange &region) const {
    const auto around = llvm::find_if(llvm::reverse(mma.loops), [&](const Loop &loop) {
      return loop.range.file == region.file && loop.range.begin < region.begin &&
             region.end <= loop.range.end;
    });
    return around == mma.loops.rend() ? "once behind the loop"
                                      : "in each turn of the loop around" + lineText(around->range);
  }

  // What the kernel calls the fragment: a private member by its object's address, which
  // tile it begins with being the result.
  int64_t nameInKernel(const Product &product, const Kernel::Variable &variable, Slot &sums) {
    sums.variable = variable.name;
    if (!variable.isPrivate)
      return 0;
    const int64_t registers = static_cast<int64_t>(product.mmas[0]->d.size());
    const bool isLast = product.nDim + 1 == static_cast<int>(sums.tile.size());
    if (!variable.words || !sums.rowExtents.empty() ||
        variable.firstWord % (sums.isSwapped ? 2 * registers : registers) ||
        (product.scheme.tilesTogether() > 1 && !isLast))
      problem_ = "'" + variable.name + "' is private, and is used behind the products";
    sums.variable = "&" + variable.object;
    sums.flatType = variable.type;
    sums.flatRegisters = static_cast<int>(registers);
    sums.flatWords = variable.words;
    return variable.firstWord / registers;
  }

  // Lines behind a statement; one site for all that stand there.
  Site &insertBehind(TextRange place, const std::string &construct, const std::string &reason,
                     const std::string &text, const std::string &function) {
    place.begin = place.end = behind(place);
    for (Site &site : sites_)
      if (site.file == place.file && site.begin == place.begin && site.end == place.end) {
        site.construct += ", " + construct;
        site.edits[0].text += text;
        site.runtime.push_back(function);
        return site;
      }
    Site &site = siteAt(place, construct, reason);
    replace(site, place, text);
    site.runtime = {function};
    return site;
  }

  static std::string borderLoops(const Product &product, const Slot &slot,
                                 const std::string &function, const std::string &indent,
                                 int64_t firstTile, bool isInwards = false) {
    const int together =
        product.scheme.turned ? product.scheme.tilesTogether() : product.scheme.rowTilesTogether();
    std::string text = indent + "// lp: accumulators in the layout of " +
                       (isInwards ? "the MFMA" : "CUDA"),
                tile = slot.variable;
    std::vector<std::string> tiles(together, slot.variable);
    std::string inner = indent;
    if (slot.isOfScalars)
      return text + "\n" + indent + "lp::" + function + "(" + slot.tileText + ");";
    if (slot.flatRegisters)
      return text + flatBorder(slot, together, function, indent, firstTile);
    for (size_t i = 0; i < slot.extents.size(); ++i) {
      if (slot.tile[i].isMember && !isOfRow(slot.tile[i])) {
        for (std::string &tile : tiles)
          tile += slot.tile[i].text;
        continue;
      }
      const std::string name(1, static_cast<char>('i' + i));
      const bool steps = together > 1 && static_cast<int>(i) == dimOfTiles(product);
      text += "\n#pragma unroll\n" + inner + "for (int " + name + " = 0; " + name + " < " +
              slot.extentTexts[i] + "; " +
              (steps ? name + " += " + std::to_string(together) : "++" + name) + ")";
      inner += "  ";
      for (int t = 0; t < together; ++t)
        tiles[t] += "[" + name + (steps && t ? " + " + std::to_string(t) : "") + "]";
    }
    if (!slot.vectorType.empty())
      for (std::string &tile : tiles)
        tile = "lp::regs<" + slot.vectorType + ">(" + tile + ")";
    return text + "\n" + inner + "lp::" + function + "(" + llvm::join(tiles, ", ") + ");";
  }

  // a * b / c, which may stand before a division.
  static std::string timesOnly(const std::string &text) {
    const bool isPlain = llvm::all_of(
        text, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_ */").contains(c); });
    return isPlain ? text : "(" + text + ")";
  }

  // Of two tiles whose registers alternate in the author's array (Slot::isSwapped).
  static std::string authorsOrder(const Slot &slot, const std::string &indent, int64_t firstTile) {
    const std::string words = std::to_string(2 * slot.flatRegisters);
    std::string last = std::to_string((firstTile + slot.flatWords / slot.flatRegisters) / 2);
    if (!slot.flatExtent.empty())
      last = timesOnly(slot.flatExtent) + " / " + words;
    return "\n#pragma unroll\n" + indent + "for (int i = " + std::to_string(firstTile / 2) +
           "; i < " + last + "; ++i)\n" + indent + "  lp::rows_side_by_side(lp::tile<" +
           slot.flatType + ", " + words + ">(" + slot.variable + ", i));";
  }

  // Where each row has tiles of its own, over the rows around them.
  static std::string flatBorder(const Slot &slot, int together, const std::string &function,
                                const std::string &indent, int64_t firstTile) {
    std::string text, inner = indent, array = slot.variable;
    const auto loop = [&](char name, int64_t first, const std::string &last, int step) {
      const std::string index(1, name);
      text += "\n#pragma unroll\n" + inner + "for (int " + index + " = " + std::to_string(first) +
              "; " + index + " < " + last + "; " +
              (step > 1 ? index + " += " + std::to_string(step) : "++" + index) + ")";
      inner += "  ";
    };
    char name = 'i';
    for (const std::string &extent : slot.rowExtents) {
      loop(name, 0, extent, 1);
      array += "[" + std::string(1, name++) + "]";
    }
    array += slot.rowMember;
    std::string last = std::to_string(firstTile + slot.flatWords / slot.flatRegisters);
    if (!slot.flatExtent.empty()) // other in other instances
      last = timesOnly(slot.flatExtent) + " / " + std::to_string(slot.flatRegisters);
    loop(name, firstTile, last, together);
    const std::string tile = "lp::tile<" + slot.flatType + ", " +
                             std::to_string(slot.flatRegisters) + ">(" + array + ", " + name;
    std::string tiles;
    for (int t = 0; t < together; ++t)
      tiles += (t ? ", " : "") + tile + (t ? " + " + std::to_string(t) : "") + ")";
    return text + "\n" + inner + "lp::" + function + "(" + tiles + ");";
  }

  // for (int k = warp * 16; lp::either(k < K); k += 64)
  void leaveTogether() {
    for (const Kernel::Apart &loop : kernel_.apart) {
      const TextRange &condition = loop.condition;
      Site &site = siteAt(condition, "loop that warps leave apart",
                          std::string("both of a wave go on while one does, the other ") +
                              (loop.isMirrored ? "doing the same" : "with zeros"));
      site.runtime = {"either"};
      if (loop.isMirrored) {
        takeTurn(site, loop);
        continue;
      }
      replace(site, {condition.file, condition.begin, condition.begin}, "lp::either(");
      replace(site, {condition.file, condition.end, condition.end}, ")");
    }
  }

  // for (int own = warp; lp::either(own < tiles); own += 4) {
  //   const int tile = lp::turn(own, own < tiles);
  void takeTurn(Site &site, const Kernel::Apart &loop) {
    if (isForOthers(loop.condition))
      problem_ =
          "the end of a loop that warps leave in turns of their own is what another rule may "
          "write anew: " +
          textOf(loop.condition);
    const std::string own = freshName("own", heldNames_[frame_]);
    const std::string asked = renamed(headText(loop.condition), loop.counter, own);
    for (const TextRange &name : loop.names)
      if (!loop.condition.contains(name))
        replace(site, name, own);
    replace(site, loop.condition, "lp::either(" + asked + ")");
    replace(site, {loop.body.file, loop.body.begin + 1, loop.body.begin + 1},
            "\n" + indentAt(loop.condition.file, loop.condition.begin) + "  const " + loop.type +
                " " + loop.counter + " = lp::turn(" + own + ", " + asked + ");");
    site.runtime.push_back("turn");
  }

  // ---- whole waves

  // A block of 32 (W) threads would leave half a wave without its MFMA's lanes.
  void wholeWaves() {
    if (kernel_.paddedWarps)
      return requireWholeWaves(); // its launches are padded, but for one that the author keeps
    bool seen = false, unknown = false;
    for (const auto &[place, launch] : program_.facts.launches) {
      if (launch.kernel != kernel_.name)
        continue;
      seen = true;
      unknown |= launch.threads == 0;
      if (launch.threads % 64) {
        problem_ = "it is launched with " + std::to_string(launch.threads) +
                   " threads a block, which leaves half a wave";
        return;
      }
      if (launch.row && launch.row != launch.threads && kernel_.isOneRow) {
        problem_ = "it is launched with several rows of " + std::to_string(launch.row) +
                   " threads, and reads threadIdx.x alone";
        return;
      }
      if (launch.row && !fitsRows(launch.row)) {
        problem_ = "it is launched with rows of " + std::to_string(launch.row) +
                   " threads, and speaks of its threads as rows of " +
                   (kernel_.saidRow                         ? std::to_string(kernel_.saidRow)
                    : kernel_.rows == BlockRows::WholeWarps ? std::string("whole warps")
                                                            : std::string("32")) +
                   " have them";
        return;
      }
    }
    seen &= !unknown;
    if (!seen && kernel_.launchBound % 64) {
      problem_ = "__launch_bounds__ of " + std::to_string(kernel_.launchBound) +
                 " threads leaves half a wave";
      return;
    }
    const bool bounded = kernel_.launchBound && kernel_.launchBound % 64 == 0;
    // Where its warps have operands of their own, a block has several.
    const bool numbersWarps = llvm::any_of(
        kernel_.loads, [](const LoadSite &load) { return load.address.dependsOnPair; });
    if (!seen && !bounded && !numbersWarps && !kernel_.assumesWholeWaves) {
      problem_ = "its block size is not known here; __launch_bounds__, a launch in this file or "
                 "'// layout-port: assume whole waves' would tell";
      return;
    }
    requireWholeWaves(); // there may be launches that are not in view
  }

  bool fitsRows(unsigned row) const {
    return kernel_.saidRow                         ? row == kernel_.saidRow
           : kernel_.rows == BlockRows::OneWarp    ? row == 32
           : kernel_.rows == BlockRows::WholeWarps ? row % 32 == 0
                                                   : true;
  }

  struct Requirement {
    const char *function, *reason;
  };
  Requirement requirement() const {
    switch (kernel_.rows) {
    case BlockRows::Any:
      if (isOneRow(kernel_))
        return {"require_one_row",
                "assumes blocks of one row, of a multiple of 64 threads; checked here"};
      return {"require_whole_waves", "assumes blocks of a multiple of 64 threads; checked here"};
    case BlockRows::WholeWarps:
      return {"require_whole_rows", "assumes rows of a multiple of 32 threads; checked here"};
    case BlockRows::OneWarp:
      break;
    }
    return {"require_warp_rows",
            "assumes rows of 32 threads, an even number of them; checked here"};
  }

  // A line of its own at the beginning of the kernel.
  std::string bodyLine() const {
    const TextRange &begin = kernel_.bodyBegin;
    return "\n" + bodyIndent(program_.file(begin.file).text(), begin.begin);
  }

  // As `threadIdx.y * 16 + threadIdx.x` says it.
  void requireRowsOf(uint64_t threads) {
    const std::string number = std::to_string(threads);
    Site &site =
        siteAt(kernel_.bodyBegin, "block size",
               "assumes rows of " + number + " threads, as the kernel numbers them; checked here");
    replace(site, kernel_.bodyBegin, bodyLine() + "lp::require_rows_of(" + number + ");");
    site.runtime = {"require_rows_of"};
  }

  const char *mirrored(int axis) const {
    using Numbering = Kernel::Leaving::Numbering;
    const Numbering by = kernel_.leaving->numbering;
    return by == Numbering::Rows ? "row" : by == Numbering::Row ? "thread" : axis ? "y" : "x";
  }
  std::string stayingName() const {
    return kernel_.leaving->isChecked ? "staying_checked" : "staying";
  }

  // const lp::staying stays([&](int, int warp) {
  //   const int m0 = (blockIdx.x * 4 + warp) * 16;
  //   return m0 >= M;
  // });
  std::string staying() {
    const AddressFunction &leaves = kernel_.leaving->leaves;
    const std::string line = bodyLine();
    std::string text = line +
                       "// Of the wave's two warps, one that leaves alone does as the other." +
                       line + "const lp::" + stayingName() + " " + kernel_.leaving->name + "([&](" +
                       laneAndWarp(leaves) + ") {";
    for (const AddressFunction::Variable &v : leaves.variables)
      text += line + "  " + declared(v);
    for (const Kernel::Leaving::Mention &mention : kernel_.leaving->mentions) {
      Site site = made(mention.place, mention.axis ? "threadIdx.y" : "threadIdx.x",
                       "a warp that leaves alone does as the other of its wave");
      replace(site, mention.place, kernel_.leaving->name + "." + mirrored(mention.axis) + "()");
      port_.mirrored.push_back(std::move(site));
    }
    return text + line + "  return " + leaves.expression + ";" + line + "});";
  }

  void requireWholeWaves() {
    if (kernel_.saidRow)
      return requireRowsOf(kernel_.saidRow);
    const auto [function, reason] = requirement();
    const bool isChecked = kernel_.leaving && kernel_.leaving->isChecked;
    Site &site = siteAt(kernel_.bodyBegin, "block size",
                        std::string(reason) +
                            (isChecked ? "; and that whole warps leave, which is, too" : ""));
    replace(site, kernel_.bodyBegin,
            bodyLine() + "lp::" + std::string(function) + "();" +
                (kernel_.leaving ? staying() : ""));
    site.runtime = {function};
    if (kernel_.leaving)
      site.runtime.push_back(stayingName());
  }

  const Program &program_;
  const Kernel &kernel_;
  NativePort &port_;
  std::vector<Product> products_;
  Sites sites_;
  unsigned frame_ = 0;           // of what is being written
  std::vector<unsigned> frames_; // of the sites, by their number
  const bool isPadded_;
  const bool areRows_; // all of the program's kernels ask for blocks of one row
  std::set<std::pair<unsigned, unsigned>> told_; // places in functions that are told an index
  Sites toldSites_;
  std::vector<RowFunction> rowFunctions_;
  std::vector<NativePort::Rebound> rebound_;
  std::set<const LoadSite *> done_;
  std::map<const MmaSite *, const MmaSite *> partnerOf_; // the statement before, done with this one
  std::set<const MmaSite *> joined_;
  struct Held {
    TextRange place;
    unsigned frame = 0;
    std::string text;
  };
  std::vector<Held> held_;
  struct Handed {
    Handing at;
    std::vector<std::string> types, parameters, arguments;
    // Behind them the steps' numbers: names and values, by where the loop over k begins.
    std::map<unsigned, std::pair<std::string, std::string>> steps;
  };
  std::map<unsigned, Handed> handed_;                   // by the function's frame
  std::map<unsigned, std::set<std::string>> heldNames_; // by frame
  // What loops that are split count from, by frame and where they begin.
  std::map<std::pair<unsigned, unsigned>, std::string> splitLoops_;
  std::set<uint64_t> roomy_; // operands whose arrays have grown for a 32x32 MFMA
  std::set<unsigned> steps_; // where loops over k begin that are written
  std::string problem_;
};

// ---- functions that store one row of a tile now ----

// Where all calls are of the copies, they take the functions' places.
void replaceRowFunctions(const Program &program, const std::vector<RowFunction> &functions,
                         Sites &sites) {
  const auto isCalled = [&](const RowFunction &function, const TextRange &at) {
    return llvm::any_of(functions, [&](const RowFunction &other) {
      return other.range.contains(function.range) &&
             llvm::any_of(other.calls, [&](const TextRange &call) { return call.contains(at); });
    });
  };
  const auto isGone = [&](const RowFunction &function) {
    for (unsigned f = 0; f < program.files.size(); ++f) {
      const TokenStream &tokens = program.file(f).tokens;
      for (size_t i = 0; i < tokens.size(); ++i) {
        const TextRange at{f, tokens[i].offset, tokens[i].end()};
        if (tokens.is(i, function.name) && !function.range.contains(at) && !isCalled(function, at))
          return false;
      }
    }
    return true;
  };
  for (const RowFunction &function : functions)
    for (Site &site : sites)
      if (site.file == function.range.file && site.begin == function.range.end &&
          site.end == site.begin && isGone(function)) {
        site.begin = function.range.begin;
        site.edits = {{site.file, site.begin, site.end - site.begin, function.text}};
      }
}

// ---- wrappers that nobody calls any more ----------------------------------------------

class Unused {
public:
  Unused(const Program &program, const Sites &sites) : program_(program) {
    for (const Site &site : sites)
      if (site.begin != site.end)
        replaced_.push_back({site.file, site.begin, site.end});
    joinParts();
  }

  // Definitions of `functions` and of macros whose every mention is replaced or removed.
  Sites remove(std::vector<TextRange> functions, std::vector<Kernel::OperatorCalls> operators) {
    Sites sites;
    operators_ = std::move(operators);
    for (const TextRange &range : functions)
      names_.insert(nameOfFunction(range));
    for (bool again = true; again;) {
      again = false;
      for (const TextRange &range : functions)
        if (!isReplaced(range) && isUnused(range, functions)) {
          sites.push_back(removal(range, "unused wrapper " + nameOfFunction(range)));
          replaced_.push_back(range);
          again = true;
        }
      again |= removeMacros(sites);
    }
    joinBlankLines(sites);
    return sites;
  }

private:
  // Where what goes stood between blank lines, one of them is left.
  void joinBlankLines(Sites &sites) const {
    for (Site &site : sites) {
      Edit &edit = site.edits[0];
      const llvm::StringRef text = program_.file(edit.file).text();
      const auto goesOn = [&](const Site &other) {
        return &other != &site && other.edits[0].file == edit.file &&
               other.edits[0].offset == edit.offset + edit.length;
      };
      if (llvm::any_of(sites, goesOn) || !endsBlank(text.take_front(firstOf(sites, site))))
        continue;
      const llvm::StringRef next = text.drop_front(edit.offset + edit.length);
      const size_t line = next.find_first_not_of(" \t\r");
      if (line != next.npos && next[line] == '\n')
        edit.length += static_cast<unsigned>(line + 1);
    }
  }
  // Where the first of those begins that go one behind the other, up to this.
  static unsigned firstOf(const Sites &sites, const Site &last) {
    unsigned first = last.edits[0].offset;
    const auto isBefore = [&](const Site &site) {
      const Edit &edit = site.edits[0];
      return edit.file == last.edits[0].file && edit.length && edit.offset + edit.length == first;
    };
    for (auto it = llvm::find_if(sites, isBefore); it != sites.end();
         it = llvm::find_if(sites, isBefore))
      first = it->edits[0].offset;
    return first;
  }
  // With a blank line.
  static bool endsBlank(llvm::StringRef text) {
    return text.consume_back("\n") && text.rtrim(" \t\r").ends_with("\n");
  }

  // A statement that is several products is replaced part by part.
  void joinParts() {
    llvm::sort(replaced_, [](const TextRange &a, const TextRange &b) {
      return std::tie(a.file, a.begin, a.end) < std::tie(b.file, b.begin, b.end);
    });
    std::vector<TextRange> joined;
    for (const TextRange &range : replaced_)
      if (!joined.empty() && joined.back().file == range.file && joined.back().end == range.begin)
        joined.back().end = range.end;
      else
        joined.push_back(range);
    llvm::append_range(replaced_, joined);
  }
  bool isReplaced(const TextRange &range) const {
    return llvm::any_of(replaced_, [&](const TextRange &r) { return r.contains(range); });
  }

  // The identifier before the first '(' outside of template parameters and attributes, or
  // that of the variable that holds a lambda.
  std::string nameOfFunction(const TextRange &range) const {
    const TokenStream &tokens = program_.file(range.file).tokens;
    int depth = 0;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i].offset < range.begin || tokens[i].end() > range.end)
        continue;
      depth += tokens.is(i, "<") ? 1 : tokens.is(i, ">") ? -1 : 0;
      if (i + 2 < tokens.size() && tokens.is(i + 1, "=") && tokens.is(i + 2, "["))
        return tokens.spelling(i).str();
      if (depth == 0 && tokens.is(i + 1, "(") && tokens.spelling(i) != "__attribute__" &&
          tokens.spelling(i) != "__align__" && tokens.spelling(i) != "__launch_bounds__")
        return tokens.spelling(i).str();
    }
    return "";
  }

  bool isUnused(const TextRange &range, const std::vector<TextRange> &functions) const {
    const auto known = llvm::find_if(
        operators_, [&](const Kernel::OperatorCalls &of) { return of.definition == range; });
    return known == operators_.end()
               ? unmentioned(nameOfFunction(range), overloads(functions, range))
               : llvm::all_of(known->calls, [&](const TextRange &at) { return isReplaced(at); });
  }

  // All of that name go, or none.
  std::vector<TextRange> overloads(const std::vector<TextRange> &functions,
                                   const TextRange &range) const {
    std::vector<TextRange> all;
    for (const TextRange &other : functions)
      if (nameOfFunction(other) == nameOfFunction(range))
        all.push_back(other);
    return all;
  }

  bool unmentioned(const std::string &name, const std::vector<TextRange> &definitions) const {
    if (name.empty())
      return false;
    for (unsigned f = 0; f < program_.files.size(); ++f) {
      const TokenStream &tokens = program_.file(f).tokens;
      for (size_t i = 0; i < tokens.size(); ++i) {
        const TextRange at{f, tokens[i].offset, tokens[i].end()};
        const bool isDefinition =
            llvm::any_of(definitions, [&](const TextRange &d) { return d.contains(at); });
        if (tokens.is(i, name) && !isDefinition && !isReplaced(at))
          return false;
      }
    }
    return true;
  }

  // Macros that hold asm, or call what does.
  bool removeMacros(Sites &sites) {
    bool any = false;
    for (unsigned f = 0; f < program_.files.size(); ++f) {
      const SourceFile &file = program_.file(f);
      for (const Directive &d : file.tokens.directives()) {
        const TextRange range{f, d.begin, d.end};
        if (d.name != "define" || isReplaced(range))
          continue;
        const std::string name = file.tokens.spelling(d.firstToken + 2).str();
        const bool holdsAsm = llvm::any_of(file.asmStatements, [&](const AsmStatement &s) {
          return s.begin >= d.begin && s.end <= d.end;
        });
        if (holdsAsm || mentions(file, range, names_))
          names_.insert(name);
        else
          continue;
        if (!unmentioned(name, {range}))
          continue;
        sites.push_back(removal(range, "unused macro " + name));
        replaced_.push_back(range);
        any = true;
      }
    }
    return any;
  }

  static bool mentions(const SourceFile &file, const TextRange &range,
                       const std::set<std::string> &names) {
    const TokenStream &tokens = file.tokens;
    for (size_t i = 0; i < tokens.size() && tokens[i].offset < range.end; ++i)
      if (tokens[i].offset >= range.begin && names.count(tokens.spelling(i).str()))
        return true;
    return false;
  }

  // With the rest of its line, when that is empty.
  Site removal(const TextRange &range, const std::string &construct) const {
    const llvm::StringRef text = program_.file(range.file).text();
    unsigned end = range.end;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\r' || text[end] == ';'))
      ++end;
    unsigned begin = range.begin;
    if (end < text.size() && text[end] == '\n') {
      const size_t line = text.rfind('\n', begin) + 1; // npos + 1 is 0
      if (text.slice(line, begin).ltrim(" \t").empty())
        begin = static_cast<unsigned>(line);
      ++end;
    }
    Site site;
    site.file = range.file;
    site.begin = range.begin;
    site.end = range.end;
    site.rule = "native";
    site.construct = construct;
    site.tier = Tier::Native;
    site.reason = "every use of it is ported where it stands";
    site.edits.push_back({range.file, begin, end - begin, ""});
    return site;
  }

  const Program &program_;
  std::vector<TextRange> replaced_;
  std::vector<Kernel::OperatorCalls> operators_;
  std::set<std::string> names_; // of functions and macros that hold asm, or call what does
};

std::string placeText(const Program &program, const TextRange &range) {
  return program.file(range.file).placeText(range.begin);
}

// What the caller lets kernels become.
struct Wanted {
  const PortCaps &caps;
  const std::vector<std::string> &padded;             // kernels whose blocks become whole waves
  const std::map<std::string, std::string> &unpadded; // and why others do not
  std::vector<isa::Arch> targets;
};

// Why the kernel may not be native, whatever it is; empty when it may.
std::string whyCapped(const Kernel &kernel, const Wanted &wanted, TextRange &at) {
  const PortCaps &caps = wanted.caps;
  std::string why;
  if (kernel.paddedWarps && !llvm::is_contained(wanted.padded, kernel.name)) {
    const auto known = wanted.unpadded.find(kernel.name);
    return "it is launched with " + std::to_string(32 * kernel.paddedWarps) +
           " threads a block, which leaves half a wave" +
           (known == wanted.unpadded.end() ? "; --warp-blocks=pad may fill it"
                                           : ", and that is not filled: " + known->second);
  }
  const auto check = [&](const TextRange &range) {
    if (!why.empty() || caps.at(range.file, range.begin) == Tier::Native)
      return;
    at = range;
    why = caps.isAsked(range.file, range.begin)
              ? "the author asks for tier=" + tierName(caps.at(range.file, range.begin)).str()
          : caps.best == Tier::Native ? "its native port did not hold" // which a note says
                                      : "a tier cap says so";
  };
  for (const MmaSite &site : kernel.mmas)
    check(site.range);
  for (const LoadSite &site : kernel.loads)
    check(site.range);
  return why;
}

// What is put where nothing was, and in one of two instances alone: their sums lie otherwise there.
std::optional<TextRange> insertedByOne(const Sites &a, const Sites &b) {
  for (const Site &x : a)
    if (x.begin == x.end && llvm::none_of(b, [&](const Site &y) {
          return x.file == y.file && x.begin == y.begin && x.end == y.end;
        }))
      return TextRange{x.file, x.begin, x.end};
  return std::nullopt;
}

// An epilogue that runs where the elements lie, in one of two instances alone, where the other
// comes by, too: its sums stay there otherwise.
std::optional<TextRange> handedOnByOne(const std::vector<Product> &one,
                                       const std::vector<Product> &others, const Kernel &other) {
  const auto handsOn = [](const std::vector<Product> &products, const TextRange &range) {
    return llvm::any_of(products, [&](const Product &product) {
      return product.epilogue &&
             llvm::any_of(product.epilogue->bodies,
                          [&](const EpilogueBody &body) { return body.range == range; });
    });
  };
  const auto isDead = [&](const TextRange &range) {
    return llvm::any_of(other.dead, [&](const TextRange &each) { return each.contains(range); });
  };
  for (const Product &product : one)
    if (product.epilogue)
      for (const EpilogueBody &body : product.epilogue->bodies)
        if (!handsOn(others, body.range) && !isDead(body.range))
          return body.range;
  return std::nullopt;
}

// What says which warps leave stands around all that the kernel does: instances share it.
bool leaveAlike(const Kernel &a, const Kernel &b) {
  const bool isOne = a.range == b.range;
  if (!a.leaving || !b.leaving || !isOne)
    return bool(a.leaving) == bool(b.leaving) || !isOne;
  const AddressFunction &its = a.leaving->leaves, &others = b.leaving->leaves;
  return its.expression == others.expression && a.leaving->isChecked == b.leaving->isChecked &&
         llvm::equal(its.variables, others.variables, [](const auto &x, const auto &y) {
           return x.type == y.type && x.name == y.name && x.value == y.value;
         });
}

} // namespace

// Empty: it is filled beside one, and nothing multiplies it.
static std::string operandName(const Kernel &kernel, uint64_t operand) {
  for (const MmaSite &mma : kernel.mmas)
    for (const std::vector<Slot> *slots : {&mma.a, &mma.b})
      for (const Slot &slot : *slots)
        if (slot.declaration == operand)
          return slot.variable;
  return "";
}

constexpr char kDifferent[] = "its instantiations need different code";

// Of a plan that a lane has not enough registers for.
static void noteRegisters(const std::string &kernel, const Plan &plan,
                          std::vector<std::string> &notes) {
  int most = 0;
  for (const Price &price : plan.prices)
    most = std::max(most, price.registers);
  const std::string note = kernel + " takes " + std::to_string(most) + " registers of the " +
                           std::to_string(kLaneRegisters) +
                           " that a lane has: the others go to memory";
  if (most > kLaneRegisters && !llvm::is_contained(notes, note))
    notes.push_back(note);
}

// How many texts a place may have for the instances of one definition; Inserted: and something in
// front of it for some alone.
enum class Branches { One, Several, Inserted };

// One definition with all its instantiations, or none of them. Empty on success.
static std::string portDefinition(const Program &program, const Wanted &wanted,
                                  const std::vector<const Kernel *> &kernels, PlanLimits limits,
                                  Branches texts, NativePort &port, TextRange &at) {
  limits.targets = wanted.targets;
  std::vector<Instance> instances;
  std::vector<std::vector<Product>> chosen; // for them
  for (const Kernel *kernel : kernels) {
    if (std::string why = whyCapped(*kernel, wanted, at); !why.empty())
      return why;
    if (!leaveAlike(*kernel, *kernels[0]))
      return kDifferent;
    KernelPlans plans;
    if (const auto refusal = planKernel(*kernel, limits, plans)) {
      at = refusal->at.end ? refusal->at : kernel->range;
      port.explained.push_back({kernel, std::move(plans), refusal->reason, at});
      return refusal->reason;
    }
    const std::vector<Product> products = plans.plans.front().products;
    noteRegisters(kernel->name, plans.plans.front(), port.notes);
    port.explained.push_back({kernel, std::move(plans), "", {}});
    NativePort instance;
    instance.made = port.made;
    const std::string problem =
        Writer(program, *kernel, instance, !wanted.padded.empty()).write(products);
    if (!problem.empty())
      return problem;
    auto where = disagreement(port.sites, instance.sites);
    if (!where && !instances.empty() && instances.back().range.contains(kernel->range)) {
      where = insertedByOne(instances.back().sites, instance.sites);
      if (!where)
        where = insertedByOne(instance.sites, instances.back().sites);
    }
    for (size_t i = 0; i < instances.size(); ++i)
      if (const Kernel &earlier = *kernels[i]; !where && earlier.range.contains(kernel->range)) {
        where = askedByOne(earlier, *kernel);
        where = where ? where : askedByOne(*kernel, earlier);
        where = where ? where : handedOnByOne(chosen[i], products, *kernel);
        where = where ? where : handedOnByOne(products, chosen[i], earlier);
      }
    if (where && texts == Branches::One) {
      at = *where;
      return kDifferent;
    }
    for (const Product &product : products)
      if (!product.noEpilogue.empty()) {
        const std::string note =
            kernel->name + " keeps its epilogue, behind a conversion of '" +
            sumsName(*kernel, product) + "': " + product.noEpilogue + " (" +
            placeText(program, product.noEpilogueAt.end ? product.noEpilogueAt : kernel->range) +
            ")";
        if (!llvm::is_contained(port.notes, note))
          port.notes.push_back(note);
      }
    for (const Kernel::Converted &left : kernel->converted) {
      const std::string operand = operandName(*kernel, left.operand);
      const std::string note = kernel->name + " keeps '" + operand +
                               "' in CUDA's layout and moves it for each product: " + left.reason +
                               " (" + placeText(program, left.at.end ? left.at : kernel->range) +
                               ")";
      if (!operand.empty() && !llvm::is_contained(port.notes, note))
        port.notes.push_back(note);
    }
    std::vector<std::string> assumptions = kernel->assumptions;
    for (const Product &product : products)
      if (product.epilogue)
        llvm::append_range(assumptions, product.epilogue->assumptions);
    for (const std::string &assumption : assumptions) {
      const std::string note = kernel->name + " assumes, on the author's word, " + assumption;
      if (!llvm::is_contained(port.notes, note))
        port.notes.push_back(note);
    }
    port.made = instance.made;
    instances.push_back(
        {kernel->range, kernel->bodyBegin, kernel->arguments, instance.sites, false, {}, false});
    chosen.push_back(products);
    addOnce(port.sites, std::move(instance.sites));
    llvm::append_range(port.rowFunctions, instance.rowFunctions);
    llvm::append_range(port.rebound, instance.rebound);
    addOnce(port.mirrored, std::move(instance.mirrored));
  }
  if (texts == Branches::One)
    return "";
  auto joined = joinInstances(program, instances, texts == Branches::Inserted);
  if (!joined)
    return kDifferent;
  port.sites = std::move(*joined);
  return "";
}

namespace {

// A kernel with all its instantiations.
struct Definition {
  std::vector<const Kernel *> kernels;
  NativePort port;
  std::string problem; // empty: it is native
  TextRange at;        // of the problem
};

bool hasTwins(const Kernel &kernel) {
  return llvm::any_of(kernel.mmas, [&](const MmaSite &mma) {
    return llvm::any_of(kernel.mmas, [&](const MmaSite &other) { return areTwins(mma, other); });
  });
}

// What differs between instantiations may be the turning, or what the warps share.
NativePort portInstances(const Program &program, const Wanted &wanted, Definition &definition) {
  NativePort port = definition.port;
  definition.problem =
      portDefinition(program, wanted, definition.kernels, {}, Branches::One, port, definition.at);
  // Nothing else has several texts, or one for several.
  const bool isOne = definition.kernels.size() == 1 && !hasTwins(*definition.kernels[0]);
  if (definition.problem.empty() || isOne)
    return port;
  const auto undoubled = [](PlanLimits limits) {
    limits.mayDouble = false;
    return limits;
  };
  const auto inTwos = [](PlanLimits limits) {
    limits.inTwos = true;
    return limits;
  };
  std::vector<PlanLimits> narrower = {{true, false, false, true},
                                      inTwos({true, false, false, true}),
                                      inTwos(undoubled({true, false, false, true})),
                                      {false, false, false, true},
                                      undoubled({true, false, false, true}),
                                      undoubled({false, false, false, true}),
                                      {true, false, false, false},
                                      {false, false, false, true, true},
                                      {false, false, false, true, false, true},
                                      {false, false, false, false},
                                      {false, true, false, true},
                                      {false, true, false, true, true},
                                      {false, true, false, true, false, true},
                                      undoubled({false, true, false, true}),
                                      undoubled({false, true, false, true, true}),
                                      {false, true, false, false},
                                      {false, true, false, false, true},
                                      {false, true, false, false, false, true},
                                      {false, true, true, false}};
  const auto isPorted = [&](const PlanLimits &limits, Branches texts) {
    NativePort again = definition.port;
    TextRange where;
    if (!portDefinition(program, wanted, definition.kernels, limits, texts, again, where).empty())
      return false;
    definition.problem.clear();
    port = std::move(again);
    return true;
  };
  // One text for all is read more easily than several.
  PlanLimits parting;
  parting.mayPart = true;
  for (const Branches texts : {Branches::One, Branches::Several, Branches::Inserted}) {
    if (texts != Branches::One && isPorted({}, texts))
      break;
    if (llvm::any_of(narrower, [&](PlanLimits limits) {
          const bool isHeld = isPorted(limits, texts);
          limits.mayHold = false;
          return isHeld || isPorted(limits, texts);
        }))
      break;
    if (isPorted(parting, texts))
      break;
  }
  // An instance that cannot be had at all says more than that they differ.
  for (const Kernel *kernel : definition.kernels) {
    KernelPlans plans;
    const auto refusal =
        definition.problem == kDifferent ? planKernel(*kernel, {}, plans) : std::nullopt;
    if (!refusal)
      continue;
    definition.problem = refusal->reason;
    definition.at = refusal->at.end ? refusal->at : kernel->range;
    break;
  }
  return port;
}

std::vector<TextRange> functionsOf(const Definition &definition) {
  std::vector<TextRange> all;
  for (const Kernel *kernel : definition.kernels)
    llvm::append_range(all, kernel->functions);
  return all;
}

bool shareFunction(const Definition &a, const Definition &b) {
  const std::vector<TextRange> its = functionsOf(b);
  return llvm::any_of(functionsOf(a), [&](const TextRange &f) {
    return llvm::any_of(its, [&](const TextRange &g) { return f.contains(g); });
  });
}

bool mayAgree(const Definition &a, const Definition &b) {
  return &a != &b && a.problem.empty() && b.problem.empty() && shareFunction(a, b);
}

// Kernels that share a function and would each have another text of it: planned once more, as if
// they were one template's instances. Each has the sites of all then.
void agree(const Program &program, const Wanted &wanted, std::vector<Definition> &all,
           std::vector<RuntimeChunk> &made) {
  for (Definition &first : all) {
    Definition joint{first.kernels, {}, "", first.at};
    joint.port.made = made;
    std::vector<Definition *> others;
    bool isNeeded = false;
    for (Definition &other : all)
      if (mayAgree(first, other)) {
        others.push_back(&other);
        llvm::append_range(joint.kernels, other.kernels);
        isNeeded |= bool(disagreement(first.port.sites, other.port.sites));
      }
    if (!isNeeded)
      continue;
    joint.port = portInstances(program, wanted, joint);
    if (!joint.problem.empty())
      continue;
    made = joint.port.made;
    first.port = joint.port;
    joint.port.notes.clear(); // the first's
    for (Definition *other : others)
      other->port = joint.port;
  }
}

const Site *siteOf(const Definition &definition, const TextRange &place) {
  const auto known = llvm::find_if(definition.port.sites, [&](const Site &site) {
    return TextRange{site.file, site.begin, site.end} == place;
  });
  return known == definition.port.sites.end() ? nullptr : &*known;
}

// Who exchanges other values by a function of the definition's, or its results otherwise; empty
// when nobody does.
std::string exchangesOtherwise(const Definition &definition, const std::vector<Definition> &all) {
  for (const Kernel *kernel : definition.kernels)
    for (const SharedShuffle &shared : kernel->sharedShuffles) {
      if (!siteOf(definition, shared.shuffle))
        continue; // its plan leaves the function as it is
      const auto other = llvm::find_if(
          all, [&](const Definition &d) { return d.kernels[0]->range == shared.kernel; });
      if (other == all.end())
        return "another kernel";
      if (!other->problem.empty() || !siteOf(*other, shared.shuffle))
        return "'" + other->kernels[0]->name + "'";
    }
  return "";
}

// Does one keep as it is what the other writes anew? That is what fills or changes its operands
// which stay in CUDA's layout.
bool keepsWritten(const Definition &one, const Definition &other) {
  return llvm::any_of(one.kernels, [&](const Kernel *kernel) {
    return llvm::any_of(kernel->left,
                        [&](const Kernel::Left &left) {
                          return bool(touching(other.port.sites, left.place));
                        }) ||
           llvm::any_of(kernel->uses, [&](const FragmentUse &use) {
             return kernel->isConverted(use.declaration) && !kernel->range.contains(use.place) &&
                    touching(other.port.sites, use.place);
           });
  });
}

// A function that is ported where it stands has one text, for all who call it. True when
// a kernel had to go.
bool dropShared(std::vector<Definition> &all) {
  const auto drop = [](Definition &definition, const std::string &does, const std::string &other) {
    definition.problem =
        "it shares a function that " + does + " with " + other + ", which is not ported alike";
    return true;
  };
  for (Definition &definition : all) {
    if (!definition.problem.empty())
      continue;
    if (const std::string other = exchangesOtherwise(definition, all); !other.empty())
      return drop(definition, "exchanges results", other);
    for (const Definition &other : all)
      if (&definition != &other && other.problem.empty() && keepsWritten(definition, other))
        return drop(definition, "fills an operand", "'" + other.kernels[0]->name + "'");
    for (const Definition &other : all)
      if (&definition != &other &&
          (other.problem.empty() ? bool(disagreement(definition.port.sites, other.port.sites))
                                 : shareFunction(definition, other)))
        return drop(definition, "handles fragments", "'" + other.kernels[0]->name + "'");
  }
  return false;
}

} // namespace

namespace {

// Every instance, with the definition's problem where that has one.
void addExplained(const Definition &definition, std::vector<Explained> &all) {
  for (const Kernel *kernel : definition.kernels) {
    const auto known = llvm::find_if(definition.port.explained,
                                     [&](const Explained &e) { return e.kernel == kernel; });
    Explained explained{kernel, {}, "", {}};
    if (known != definition.port.explained.end())
      explained = *known;
    explained.problem = definition.problem;
    explained.at = definition.at;
    all.push_back(std::move(explained));
  }
}

} // namespace

NativePort portNatively(const Program &program, const PortCaps &caps,
                        const std::vector<std::string> &padded,
                        const std::map<std::string, std::string> &unpadded,
                        const std::vector<std::string> &targets) {
  Wanted wanted{caps, padded, unpadded, {}};
  for (const std::string &target : targets)
    if (const auto arch = isa::parseArch(target))
      wanted.targets.push_back(*arch);
  NativePort port;
  std::map<std::pair<unsigned, unsigned>, std::vector<const Kernel *>> definitions;
  for (const Kernel &kernel : program.facts.kernels)
    definitions[{kernel.range.file, kernel.range.begin}].push_back(&kernel);
  std::vector<Definition> all;
  for (const auto &[place, kernels] : definitions) {
    Definition definition{kernels, {}, "", kernels[0]->range};
    definition.port.made = port.made;
    definition.port = portInstances(program, wanted, definition);
    if (definition.problem.empty())
      port.made = definition.port.made;
    all.push_back(std::move(definition));
  }
  agree(program, wanted, all, port.made);
  while (dropShared(all)) {
  }
  std::vector<TextRange> wrappers;
  std::vector<Kernel::OperatorCalls> operators;
  std::vector<const Kernel *> written;
  for (Definition &definition : all) {
    const Kernel &kernel = *definition.kernels[0];
    addExplained(definition, port.explained);
    if (!definition.problem.empty()) {
      port.notes.push_back(kernel.name + " is not native: " + definition.problem + " (" +
                           placeText(program, definition.at) + ")");
      continue;
    }
    llvm::append_range(port.notes, definition.port.notes);
    llvm::append_range(port.rowFunctions, definition.port.rowFunctions);
    llvm::append_range(port.rebound, definition.port.rebound);
    addOnce(port.mirrored, std::move(definition.port.mirrored));
    llvm::append_range(written, definition.kernels);
    addOnce(port.sites, std::move(definition.port.sites));
    for (const Kernel *instance : definition.kernels) {
      wrappers.insert(wrappers.end(), instance->wrappers.begin(), instance->wrappers.end());
      llvm::append_range(operators, instance->operators);
    }
  }
  replaceRowFunctions(program, port.rowFunctions, port.sites);
  dropReplaced(port.sites, port.mirrored);
  addOnce(port.sites, std::exchange(port.mirrored, {}));
  if (!port.sites.empty())
    addOnce(port.sites, Unused(program, port.sites).remove(wrappers, operators));
  addOnce(port.sites, removeLeftovers(program, written, port));
  return port;
}

// Text that native sites write anew is gone, but for what any of them quotes.
void dropReplaced(const Sites &native, Sites &others) {
  std::vector<TextRange> replaced, quoted;
  for (const Site &site : native)
    for (const Edit &edit : site.edits) {
      if (edit.length)
        replaced.push_back({edit.file, edit.offset, edit.offset + edit.length});
      for (const auto &[begin, end] : quotedRanges(edit.text))
        quoted.push_back({edit.file, begin, end});
    }
  const auto within = [](const std::vector<TextRange> &ranges, const Site &site) {
    return llvm::any_of(ranges, [&](const TextRange &r) {
      return r.contains({site.file, site.begin, site.end});
    });
  };
  llvm::erase_if(others,
                 [&](const Site &site) { return within(replaced, site) && !within(quoted, site); });
}

} // namespace layout_port::native
