// See Verify.h.
#include "proof/Verify.h"

#include "observe/CountsReport.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <thread>

namespace layout_port::verify {

const char *toString(Verdict verdict) {
  static const char *const names[] = {"proved", "tested", "refuted", "unknown", "trouble"};
  return names[unsigned(verdict)];
}

namespace {

// One element of an output.
struct Element {
  bool defined = false;
  uint64_t bits = 0;
  uint32_t code = 0;
};

Element elementAt(const BufferImage &image, uint64_t index, unsigned width) {
  Element element;
  element.defined = true;
  std::memcpy(&element.bits, image.bytes.data() + index * width, width);
  for (unsigned i = 0; i < width; ++i) {
    const uint8_t shade = image.shadow[index * width + i];
    element.defined &= (shade & shadow::defined) != 0;
    element.code |= uint32_t(shade >> 4) << (4 * i);
  }
  return element;
}

// The residue that an output element stands for; raw bits are a constant.
uint64_t residueOf(const Element &element, const ElementType &type, const Field &field) {
  if (!type.isFloat())
    return element.bits;
  if (element.code == payloadCode(type.bytes))
    return field.residue(uint32_t(element.bits));
  if (element.code == 0)
    return field.residue(field.fromConstant(decodeFloat(type.format, element.bits)));
  return ~element.bits; // half a payload: equal to nothing
}

// How large the numbers of a buffer are: the yardstick of the float domain.
double largest(const BufferImage &image, const BufferSpec &spec) {
  double result = 0;
  for (uint64_t i = 0; i < spec.count; ++i) {
    const double value =
        std::fabs(decodeFloat(spec.type.format, elementAt(image, i, spec.type.bytes).bits));
    if (std::isfinite(value))
      result = std::max(result, value);
  }
  return result;
}

double tolerance(const ElementType &type) {
  switch (type.format) {
  case FloatFormat::F64:
    return 1e-9;
  case FloatFormat::F32:
    return 2e-3; // intermediate f16 and bf16 roundings are usual
  case FloatFormat::F16:
    return 4e-3;
  case FloatFormat::BF16:
    return 2e-2;
  default:
    return 0.15;
  }
}

// Between 1 and the next number.
double epsilon(const ElementType &type) {
  switch (type.format) {
  case FloatFormat::F64:
    return 0x1p-52;
  case FloatFormat::F32:
    return 0x1p-23;
  case FloatFormat::F16:
    return 0x1p-10;
  case FloatFormat::BF16:
    return 0x1p-7;
  default:
    return 0.25;
  }
}

// By how many of those a value may differ that was rounded on the way: sums of many roundings in
// the types that sums are kept in, one and its neighbour in those that hold results.
double roundingSteps(const ElementType &type) {
  switch (type.format) {
  case FloatFormat::F64:
  case FloatFormat::F32:
    return 64;
  case FloatFormat::F16:
  case FloatFormat::BF16:
    return 2;
  default:
    return 0;
  }
}

class Comparison {
public:
  Comparison(const LaunchFile &file, Domain domain, const Field &field)
      : file_(file), domain_(domain), field_(field) {}
  // Elements to which the left side gives no value are passed over.
  Comparison &whereDefined() {
    whereDefined_ = true;
    return *this;
  }

  // The same function, as the field says: numbers that are not whole are held to the float
  // domain's tolerance.
  Comparison &ofOneFunction(bool isOne) {
    oneFunction_ = isOne;
    return *this;
  }
  // Runs of either side with its operations rounded otherwise: a difference no greater than what
  // they make is not clear.
  Comparison &besides(const std::vector<std::pair<RunResult, RunResult>> &rounded) {
    otherRoundings_ = &rounded;
    return *this;
  }

  // backwards: of the left side, in another order of its threads; elements in which it
  // differs from `left` are passed over.
  Difference compare(const RunResult &left, const RunResult &right,
                     const RunResult *backwards = nullptr) {
    Difference difference;
    for (const BufferSpec &spec : file_.buffers)
      if (spec.out)
        compareBuffer(spec, left.buffers.at(spec.name), right.buffers.at(spec.name),
                      backwards ? &backwards->buffers.at(spec.name) : nullptr, difference);
    difference.rounded = rounded_;
    return difference;
  }

private:
  // Sums and products of whole numbers are whole: where one is not, something was divided or
  // an exponential taken, and what that gave was rounded. So may be a number so great that its
  // type has no others than whole ones there. Measured at the numbers themselves: a small one
  // beside great ones is no smaller a matter.
  static bool differOnlyByRounding(const BufferSpec &spec, double x, double y) {
    const double greater = std::max(std::fabs(x), std::fabs(y));
    const bool areWhole = x == std::nearbyint(x) && y == std::nearbyint(y);
    return std::isfinite(greater) && (!areWhole || greater * epsilon(spec.type) >= 1) &&
           std::fabs(x - y) <= roundingSteps(spec.type) * epsilon(spec.type) * greater;
  }

  // Great values that cancel leave their roundings: small numbers of which no bit is right. What
  // is smaller by far than those has another cause.
  bool mayBeLeftOver(const BufferSpec &spec, const Element &a, const Element &b,
                     double greatest) const {
    if (domain_ != Domain::Exact || !spec.type.isFloat() || !a.defined || !b.defined)
      return false;
    const double x = decodeFloat(spec.type.format, a.bits),
                 y = decodeFloat(spec.type.format, b.bits);
    const bool areWhole = x == std::nearbyint(x) && y == std::nearbyint(y);
    const double step = epsilon(spec.type) * greatest, difference = std::fabs(x - y);
    return !areWhole && difference <= roundingSteps(spec.type) * step &&
           difference >= epsilon(spec.type) * step;
  }

  // What the roundings of either side do to this element, measured: each of its operations
  // rounded up, then down. Another order of the same operations does not much more.
  bool isMovedAsFar(const BufferSpec &spec, uint64_t i, const Element &a, const Element &b) const {
    if (!otherRoundings_ || !spec.type.isFloat() || !a.defined || !b.defined)
      return false;
    constexpr double otherOrders = 4;
    const auto number = [&](const Element &e) { return decodeFloat(spec.type.format, e.bits); };
    const auto moved = [&](const RunResult &run, const Element &usual) {
      return std::fabs(number(elementAt(run.buffers.at(spec.name), i, spec.type.bytes)) -
                       number(usual));
    };
    // A number in one rounding and none in the other: great values overflow in some orders.
    const auto overflows = [&](const RunResult &run, const Element &usual) {
      const Element other = elementAt(run.buffers.at(spec.name), i, spec.type.bytes);
      return other.defined && std::isfinite(number(other)) != std::isfinite(number(usual));
    };
    double most = usuallyMoved(spec);
    for (const auto &[left, right] : *otherRoundings_) {
      if (overflows(left, a) || overflows(right, b))
        return true;
      most = std::max({most, moved(left, a), moved(right, b)});
    }
    return std::fabs(number(a) - number(b)) <= otherOrders * most; // false for NaN
  }

  // ... and to an element of the buffer as a rule: by chance both ways end at one number.
  double usuallyMoved(const BufferSpec &spec) const {
    double squares = 0;
    uint64_t count = 0;
    const auto add = [&](const RunResult &up, const RunResult &down) {
      for (uint64_t i = 0; i < spec.count; ++i) {
        const Element x = elementAt(up.buffers.at(spec.name), i, spec.type.bytes),
                      y = elementAt(down.buffers.at(spec.name), i, spec.type.bytes);
        const double by = x.defined && y.defined ? decodeFloat(spec.type.format, x.bits) -
                                                       decodeFloat(spec.type.format, y.bits)
                                                 : 0;
        if (by == 0 || !std::isfinite(by))
          continue;
        squares += by * by;
        ++count;
      }
    };
    add(otherRoundings_->front().first, otherRoundings_->back().first);
    add(otherRoundings_->front().second, otherRoundings_->back().second);
    return count ? std::sqrt(squares / double(count)) : 0;
  }

  bool isRounding(const BufferSpec &spec, double x, double y, double scale) const {
    const bool areWhole = x == std::nearbyint(x) && y == std::nearbyint(y);
    const bool isOne =
        differOnlyByRounding(spec, x, y) ||
        (oneFunction_ && !areWhole && std::fabs(x - y) <= tolerance(spec.type) * scale);
    rounded_ |= isOne;
    return isOne;
  }

  bool same(const BufferSpec &spec, const Element &a, const Element &b, double scale) const {
    if (a.defined != b.defined)
      return false;
    if (!a.defined)
      return true;
    if (domain_ == Domain::Field)
      return residueOf(a, spec.type, field_) == residueOf(b, spec.type, field_);
    if (!spec.type.isFloat())
      return a.bits == b.bits;
    const double x = decodeFloat(spec.type.format, a.bits),
                 y = decodeFloat(spec.type.format, b.bits);
    if (domain_ == Domain::Exact)
      return x == y || (std::isnan(x) && std::isnan(y)) || isRounding(spec, x, y, scale);
    if (std::isnan(x) || std::isnan(y) || std::isinf(x) || std::isinf(y))
      return (std::isnan(x) && std::isnan(y)) || x == y;
    return std::fabs(x - y) <= tolerance(spec.type) * scale;
  }

  std::string show(const BufferSpec &spec, const Element &element) const {
    if (!element.defined)
      return "undefined";
    if (!spec.type.isFloat())
      return spec.type.isSigned
                 ? std::to_string(int64_t(element.bits << (64 - 8 * spec.type.bytes)) >>
                                  (64 - 8 * spec.type.bytes))
                 : std::to_string(element.bits);
    if (domain_ == Domain::Field)
      return "residue " + std::to_string(residueOf(element, spec.type, field_));
    char text[32];
    snprintf(text, sizeof text, "%.7g", decodeFloat(spec.type.format, element.bits));
    return text;
  }

  void compareBuffer(const BufferSpec &spec, const BufferImage &left, const BufferImage &right,
                     const BufferImage *backwards, Difference &difference) const {
    double scale = 0;
    if (domain_ != Domain::Field && spec.type.isFloat())
      scale = std::max(largest(left, spec), largest(right, spec));
    for (uint64_t i = 0; i < spec.count; ++i) {
      const Element a = elementAt(left, i, spec.type.bytes);
      const Element b = elementAt(right, i, spec.type.bytes);
      if (same(spec, a, b, scale) || (whereDefined_ && !a.defined) ||
          (backwards && !same(spec, a, elementAt(*backwards, i, spec.type.bytes), scale)))
        continue;
      ++difference.count;
      difference.isClear |= !mayBeLeftOver(spec, a, b, scale) && !isMovedAsFar(spec, i, a, b);
      if (difference.found)
        continue;
      difference.found = true;
      difference.buffer = spec.name;
      difference.element = i;
      difference.left = show(spec, a);
      difference.right = show(spec, b);
    }
  }

  const LaunchFile &file_;
  Domain domain_;
  const Field &field_;
  bool whereDefined_ = false, oneFunction_ = false;
  const std::vector<std::pair<RunResult, RunResult>> *otherRoundings_ = nullptr;
  mutable bool rounded_ = false;
};

const Writer *writerOf(const RunResult &run, const Difference &difference, unsigned width) {
  auto log = run.writers.find(difference.buffer);
  const uint64_t byte = difference.element * width;
  return log == run.writers.end() || byte >= log->second.size() ? nullptr : &log->second[byte];
}

} // namespace

std::string describeWriter(const RunResult &run, const Difference &difference, unsigned width) {
  const Writer *found = writerOf(run, difference, width);
  if (!found)
    return {};
  const Writer &writer = *found;
  if (!writer.known)
    return "never written";
  const Location &where = run.locations[writer.location];
  std::string text = llvm::formatv("thread {0} of block ({1},{2},{3})", writer.thread,
                                   writer.block[0], writer.block[1], writer.block[2])
                         .str();
  if (where.line)
    text += " at " + where.file + ":" + std::to_string(where.line);
  return text;
}

namespace {

// All float operations of a scope rounded in one direction, on this machine's own FPU.
class Rounding {
public:
  explicit Rounding(int mode) : usual_(std::fegetround()) { std::fesetround(mode); }
  ~Rounding() { std::fesetround(usual_); }
  Rounding(const Rounding &) = delete;
  Rounding &operator=(const Rounding &) = delete;

private:
  int usual_;
};

bool anyUndefinedOutput(const RunResult &run) {
  for (const auto &[name, image] : run.buffers)
    for (uint8_t shade : image.shadow)
      if (!(shade & shadow::defined))
        return true;
  return false;
}

class Prover {
public:
  Prover(Side &left, Side &right, const LaunchFile &file, const ProofOptions &options)
      : left_(left), right_(right), file_(file), options_(options) {}

  Report run() {
    bits_ = left_.usesNarrowFloats() || right_.usesNarrowFloats() || narrowBuffers() ? 8 : 16;
    report_.prime = Field(bits_).prime();
    describeLimits();
    if (!agree())
      return report_;
    if (!judgeFindings() || !judgeInputs())
      return report_;
    judgeBlind();
    if (!gaveUp_.empty() || integerData())
      return testExactly();
    if (report_.bound > kTargetBound && !options_.seeds)
      return tooHighADegree();
    if ((comparesValues_ && !holdsForNumbers()) || (takesApart_ && !holdsForWords()))
      return report_;
    report_.verdict = Verdict::Proved;
    report_.reason = "all outputs are equal for all inputs, up to rounding, for this launch";
    compareRoundings();
    return report_;
  }

private:
  using Pair = std::pair<RunResult, RunResult>; // source, port

  bool narrowBuffers() const {
    return std::any_of(file_.buffers.begin(), file_.buffers.end(),
                       [](const BufferSpec &b) { return b.type.isFloat() && b.type.bytes == 1; });
  }
  bool integerData() const {
    return std::any_of(file_.buffers.begin(), file_.buffers.end(), [](const BufferSpec &b) {
      return !b.type.isFloat() && b.init != Init::Zero && b.init != Init::Iota &&
             b.init != Init::File;
    });
  }
  // One seed shows most mistakes; the degree of what was computed then says how many
  // are needed. False: the verdict stands.
  bool agree() {
    if (!fieldRun(1, true))
      return false;
    report_.seeds = {1};
    if (!orderMatters())
      return false;
    if (!gaveUp_.empty())
      return true;
    RunOptions degrees = fieldOptions(1);
    degrees.algebra = Algebra::Degrees;
    // Two more seeds are needed whatever the degree: they run beside it.
    std::vector<Pair> runs = runAll({degrees, fieldOptions(2), fieldOptions(3)});
    computeDegree(runs[0]);
    chooseSeeds();
    std::vector<RunOptions> more;
    for (size_t i = 3; i < report_.seeds.size(); ++i)
      more.push_back(fieldOptions(report_.seeds[i]));
    for (Pair &run : runAll(more))
      runs.push_back(std::move(run));
    for (size_t i = 1; i < report_.seeds.size() && gaveUp_.empty(); ++i)
      if (!judgeRun(fieldOptions(report_.seeds[i]), runs[i]))
        return false;
    return true;
  }

  // NaN is equal to NaN and says nothing, where the program has a number in fact: elements that no
  // run in the field gave one are looked at in a run on numbers.
  void noteBlind(const RunResult &source, const Field &field) {
    std::set<std::pair<std::string, uint64_t>> found;
    for (const BufferSpec &spec : file_.buffers)
      for (uint64_t i = 0; spec.out && spec.type.isFloat() && i < spec.count; ++i) {
        const Element e = elementAt(source.buffers.at(spec.name), i, spec.type.bytes);
        if (e.defined && e.code == payloadCode(spec.type.bytes) &&
            residueOf(e, spec.type, field) >= field.prime())
          found.insert({spec.name, i});
      }
    if (!blind_) {
      blind_ = std::move(found);
      return;
    }
    std::set<std::pair<std::string, uint64_t>> both;
    std::set_intersection(blind_->begin(), blind_->end(), found.begin(), found.end(),
                          std::inserter(both, both.end()));
    blind_ = std::move(both);
  }
  void judgeBlind() {
    if (!blind_ || blind_->empty() || !gaveUp_.empty())
      return;
    RunOptions options; // fractions: whole numbers are zero too often, and 0 / 0 is NaN in fact
    options.domain = Domain::Float;
    options.limits = options_.limits;
    const RunResult numbers = left_.run(file_, options);
    size_t count = 0;
    std::string first;
    for (const auto &[name, i] : *blind_) {
      const ElementType &type = file_.find(name)->type;
      const Element e =
          numbers.error.empty() ? elementAt(numbers.buffers.at(name), i, type.bytes) : Element();
      if (numbers.error.empty() && !(e.defined && std::isfinite(decodeFloat(type.format, e.bits))))
        continue;
      if (!count++)
        first = name + "[" + std::to_string(i) + "]";
    }
    if (count)
      gaveUp_.insert(first + (count > 1 ? " and " + std::to_string(count - 1) + " more" : "") +
                     " are no numbers in the field, and may be in fact");
  }

  // What is no output is not compared; but who writes it where the source does not does
  // something else.
  bool judgeInputs() {
    for (const std::string &name : kept_.second.written)
      if (kept_.first.written.count(name)) {
        report_.limits.insert("buffer " + name +
                              " is written and not marked as an output: it is not compared");
      } else {
        report_.verdict = Verdict::Refuted;
        report_.reason = "the port writes buffer " + name + ", which the source leaves as it is";
        return false;
      }
    for (const std::string &name : kept_.first.written)
      if (!kept_.second.written.count(name))
        report_.limits.insert("buffer " + name +
                              " is written by the source alone, and not marked as an output");
    return true;
  }

  // Threads of a launch run in any order. Does the other one give the same? What hangs on it
  // in the source too was shown for one order only; in the port alone it is a mistake.
  bool orderMatters() {
    if (!gaveUp_.empty()) { // whole numbers: sums of floats do not hang on their order
      inOrder_ = exactOptions(0);
      kept_ = both(inOrder_);
    }
    const auto [left, right] = both(backwards(inOrder_, kept_));
    const Difference source = differ(kept_.first, left), port = differ(kept_.second, right);
    if (source.found)
      report_.limits.insert("outputs of the source hang on the order in which threads run (" +
                            source.buffer + "[" + std::to_string(source.element) +
                            "]): equal for one order");
    if (!port.found || source.found)
      return true;
    for (const Finding &finding : report_.leftFindings)
      if (finding.kind == ProblemKind::SharedRace || finding.kind == ProblemKind::GlobalRace ||
          finding.kind == ProblemKind::WarpRace) {
        report_.verdict = Verdict::Unknown;
        report_.reason = "the source itself races, in this launch: " + finding.text;
        return false;
      }
    report_.verdict = Verdict::Refuted;
    report_.reason = "the port's outputs hang on the order in which threads run, the source's do "
                     "not: " +
                     port.buffer + "[" + std::to_string(port.element) + "] is " + port.left +
                     " or " + port.right;
    nameNewFinding();
    return false;
  }
  // Two orders of one side; no difference if the other one does not end.
  Difference differ(const RunResult &usual, const RunResult &other) const {
    if (!usual.error.empty() || !other.error.empty())
      return Difference();
    return Comparison(file_, inOrder_.domain, fieldOf(inOrder_)).compare(usual, other);
  }
  RunOptions exactOptions(unsigned run) const {
    RunOptions options;
    options.domain = Domain::Exact;
    options.seed = 1000 + run;
    options.limits = options_.limits;
    return options;
  }
  static uint64_t stepsFor(const Pair &usual) {
    return 100000 + 4 * std::max(usual.first.steps, usual.second.steps);
  }
  // An order in which threads wait for each other for ever ends soon.
  static RunOptions backwards(RunOptions options, const Pair &usual) {
    options.observe = options.trace = false;
    options.backwards = true;
    options.limits.steps = stepsFor(usual);
    return options;
  }
  // Whether some element differs that does not hang on the order of the source's threads.
  bool differsInAnyOrder(const RunOptions &options, const Pair &runs) {
    const RunResult other = left_.run(file_, backwards(options, runs));
    return !other.error.empty() || Comparison(file_, options.domain, fieldOf(options))
                                       .compare(runs.first, runs.second, &other)
                                       .found;
  }

  // See Degrees.h. Without an answer, 64: more than a chain of products in a kernel
  // usually reaches.
  void computeDegree(const Pair &runs) {
    constexpr uint32_t guess = 64;
    const auto &[left, right] = runs;
    report_.degree =
        std::max(left.degree.top + right.degree.bottom, right.degree.top + left.degree.bottom);
    report_.degree = std::clamp<uint32_t>(report_.degree, 1, kDegreeLimit);
    if (left.error.empty() && right.error.empty())
      return;
    report_.degree = guess;
    report_.degreeAssumed =
        "its run ended early: " + (left.error.empty() ? right.error : left.error);
  }
  // A polynomial of degree d vanishes at a random point with a chance of d / p at
  // most (Schwartz, Zippel).
  void chooseSeeds() {
    const double miss = std::min(1.0, double(report_.degree) / report_.prime);
    unsigned count = std::max(1u, options_.seeds);
    while (!options_.seeds && std::pow(miss, count) > kTargetBound && count < kMaxSeeds)
      ++count;
    for (unsigned i = 1; i < count; ++i)
      report_.seeds.push_back(i + 1);
    report_.bound = std::pow(miss, count);
  }
  Report tooHighADegree() {
    report_.verdict = Verdict::Tested;
    report_.reason = "all outputs are equal on " + std::to_string(report_.seeds.size()) +
                     " random inputs; they may be of degree " + std::to_string(report_.degree) +
                     (report_.degree == kDegreeLimit ? " or more" : "") +
                     ", which is too high for a bound modulo " + std::to_string(report_.prime);
    return report_;
  }
  RunOptions fieldOptions(uint64_t seed) const {
    RunOptions options;
    options.domain = Domain::Field;
    options.fieldBits = bits_;
    options.seed = seed;
    options.algebra = algebra_;
    options.limits = options_.limits;
    return options;
  }
  Field fieldOf(const RunOptions &options) const {
    return Field(bits_, mix(options.seed), options.algebra, options.roundings);
  }
  void describeLimits() {
    for (const LaunchSpec &launch : file_.launches) {
      uint64_t blocks = 1;
      for (uint32_t n : launch.grid)
        blocks *= n;
      if (blocks < 2)
        report_.limits.insert("kernel " + launch.kernel +
                              " ran as one block only: nothing is shown of how blocks differ");
    }
  }

  // Both sides of every run, on as many threads as there are cores: each is a machine
  // of its own, so the results do not depend on how they are spread. Who has nothing left
  // to do gives its core to the blocks of those that run.
  std::vector<Pair> runAll(const std::vector<RunOptions> &options) {
    std::vector<Pair> results(options.size());
    const size_t all = std::clamp<size_t>(
        options_.cores ? options_.cores : std::thread::hardware_concurrency(), 1, 16);
    const size_t workers = std::min(all, 2 * options.size());
    Cores idle(int(all - workers));
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t i = next++; i < 2 * options.size(); i = next++) {
        RunOptions one = options[i / 2];
        one.cores = &idle;
        if (i % 2)
          results[i / 2].second = right_.run(file_, one);
        else
          results[i / 2].first = left_.run(file_, one);
      }
      idle.give();
    };
    std::vector<std::thread> others;
    for (size_t i = 1; i < workers; ++i)
      others.emplace_back(work);
    work();
    for (std::thread &other : others)
      other.join();
    return results;
  }
  Pair both(const RunOptions &options) { return std::move(runAll({options})[0]); }

  bool failed(const RunResult &left, const RunResult &right) {
    if (left.error.empty() && right.error.empty())
      return false;
    report_.verdict = Verdict::Unknown;
    if (!right.error.empty() && left.error.empty() && !right.findings.empty())
      report_.verdict = Verdict::Refuted;
    report_.reason = !left.error.empty() ? left_.compiled().path + ": " + left.error
                                         : right_.compiled().path + ": " + right.error;
    report_.leftFindings = left.findings;
    report_.rightFindings = right.findings;
    return true;
  }

  // The field's order of values is not that of numbers, to which a constant may be the least of
  // all, and random values are hardly ever equal. So what comparisons choose is looked at on whole
  // numbers, too: all equal, many equal, and some.
  bool holdsForNumbers() {
    for (const int alike : {1, 2, 0}) {
      RunOptions options = exactOptions(0);
      options.alike = alike;
      const Pair runs = both(options);
      if (!runs.first.error.empty())
        continue; // a launch that the source does not bear
      if (failed(runs.first, runs.second))
        return false;
      if (onNumbers(options, runs) == Numbers::Judged) {
        report_.domains.push_back("exact");
        if (alike && report_.verdict == Verdict::Refuted)
          report_.reason = "outputs differ where values that are compared are equal";
        return false;
      }
      report_.difference = Difference();
    }
    return true;
  }

  enum class Numbers { Agree, Rounded, OfOrder, Judged };

  // What a run on whole numbers says; where it is `Judged` the report has the verdict.
  Numbers onNumbers(const RunOptions &options, const Pair &runs) {
    report_.difference = Comparison(file_, Domain::Exact, Field(bits_, 1))
                             .ofOneFunction(gaveUp_.empty())
                             .compare(runs.first, runs.second);
    if (!report_.difference.found)
      return Numbers::Agree;
    if (!differsClearly(options, runs))
      return Numbers::Rounded;
    if (sourceBreaksMemory() || sourceHasNoValue(options, runs))
      return Numbers::Judged;
    if (!differsInAnyOrder(options, runs))
      return Numbers::OfOrder;
    explain(options);
    report_.verdict = Verdict::Refuted;
    report_.reason = "outputs differ in exact arithmetic on whole numbers";
    return Numbers::Judged;
  }

  void remember(const RunResult &run) {
    comparesValues_ |= !run.assumptions.empty() || !run.taint.empty();
    report_.assumptions.insert(run.assumptions.begin(), run.assumptions.end());
    report_.limits.insert(run.taint.begin(), run.taint.end());
    gaveUp_.insert(run.gaveUp.begin(), run.gaveUp.end());
    spent_.insert(run.spent.begin(), run.spent.end());
    takesApart_ |= run.takesApart;
    if (report_.shadowed)
      report_.assumptions.insert("exp(a + b) = exp(a) exp(b)");
  }

  // `first`: of the runs, the one that is observed.
  bool fieldRun(uint64_t seed, bool first) {
    RunOptions options = fieldOptions(seed);
    options.observe = first && options_.observe;
    kept_ = both(options);
    inOrder_ = options;
    return judgeRun(options, kept_, first);
  }

  bool judgeRun(const RunOptions &options, const Pair &runs, bool first = false) {
    const auto &[left, right] = runs;
    if (first)
      report_.domains.push_back("field");
    if (first && (!left.gaveUp.empty() || !right.gaveUp.empty()))
      return watchNumbers(runs);
    if (first)
      noteObserved(runs);
    if (failed(left, right))
      return false;
    remember(left);
    remember(right);
    if (first)
      noteThinness(left, right);
    noteOutputs(left);
    if (!gaveUp_.empty())
      return true; // what the field says no longer counts
    noteBlind(left, fieldOf(options));
    Difference difference = Comparison(file_, Domain::Field, fieldOf(options)).compare(left, right);
    if (!difference.found)
      return true;
    if (options.algebra == Algebra::Residues && usesExponentials()) {
      report_.shadowed = true;
      algebra_ = Algebra::Shadowed;
      return fieldRun(options.seed, false);
    }
    if (sourceBreaksMemory())
      return false;
    report_.difference = difference;
    if (sourceHasNoValue(options, runs))
      return false;
    if (!differsInAnyOrder(options, runs)) {
      hangsOnOrder();
      return false;
    }
    explain(options);
    judgeDifference();
    nameNewFinding();
    return false;
  }

  // An integer that the field makes of a float is none, nor are the places and trips that hang on
  // it: what there is to see is looked at on whole numbers.
  bool watchNumbers(const Pair &inField) {
    RunOptions options = exactOptions(0);
    options.observe = options_.observe;
    const Pair runs = both(options);
    noteObserved(runs);
    if (failed(runs.first, runs.second))
      return false;
    remember(inField.first);
    remember(inField.second);
    noteThinness(runs.first, runs.second);
    noteOutputs(runs.first);
    return true;
  }

  void noteObserved(const Pair &runs) {
    report_.leftFindings = runs.first.findings;
    report_.rightFindings = runs.second.findings;
    report_.leftCounts = runs.first.counts;
    report_.rightCounts = runs.second.counts;
  }
  void noteThinness(const RunResult &left, const RunResult &right) {
    report_.thin = left.coverage.thin();
    report_.thin.insert(report_.thin.end(), left.oneBlock.begin(), left.oneBlock.end());
    report_.thinPort = right.coverage.thin();
  }

  // Equal zeros may mean that neither side did anything.
  void noteOutputs(const RunResult &run) {
    for (const auto &[name, image] : run.buffers)
      if (std::all_of(image.bytes.begin(), image.bytes.end(), [](uint8_t b) { return b == 0; }))
        report_.limits.insert("output " + name + " is all zero: little is shown of it");
    if (anyUndefinedOutput(run))
      report_.limits.insert("some outputs of " + left_.compiled().path + " are undefined");
  }

  // Runs again, remembering who wrote what; in the field with several seeds, which
  // together are a fingerprint of every value.
  void explain(RunOptions options) {
    const BufferSpec *spec = file_.find(report_.difference.buffer);
    if (!spec)
      return;
    options.observe = false;
    options.trace = true;
    TracedRuns left, right;
    for (unsigned i = 0; i < (options.domain == Domain::Field ? 3u : 1u); ++i) {
      auto [source, port] = both(options);
      left.push_back(std::move(source));
      right.push_back(std::move(port));
      options.seed += 1000;
    }
    Difference &difference = report_.difference;
    const unsigned width = spec->type.bytes;
    difference.leftWriter = describeWriter(left.front(), difference, width);
    difference.rightWriter = describeWriter(right.front(), difference, width);
    const Writer *writers[2] = {writerOf(left.front(), difference, width),
                                writerOf(right.front(), difference, width)};
    if (writers[0] && writers[1])
      difference.path = findPath(left, right, *writers[0], *writers[1]);
  }

  // The field says "different". Is it so for numbers?
  void judgeDifference() {
    const Field field(bits_, 1);
    RunOptions options;
    options.domain = Domain::Float;
    options.limits = options_.limits;
    auto [left, right] = both(options);
    report_.domains.push_back("float");
    if (failed(left, right))
      return;
    Difference numbers = Comparison(file_, Domain::Float, field).compare(left, right);
    if (numbers.found) {
      report_.verdict = Verdict::Refuted;
      report_.reason = "outputs differ, in numbers too";
      report_.difference.left += " (" + numbers.left + ")";
      report_.difference.right += " (" + numbers.right + ")";
      return;
    }
    options.domain = Domain::Exact;
    auto [exactLeft, exactRight] = both(options);
    report_.domains.push_back("exact");
    if (failed(exactLeft, exactRight))
      return;
    const bool exactDiffers =
        Comparison(file_, Domain::Exact, field).compare(exactLeft, exactRight).found;
    if (report_.assumptions.empty() && !usesRandomFunctions()) {
      report_.verdict = Verdict::Refuted;
      report_.reason = exactDiffers
                           ? "outputs differ in exact arithmetic on whole numbers"
                           : "outputs differ as polynomials of the inputs, by less than the "
                             "float tolerance";
      return;
    }
    report_.verdict = Verdict::Unknown;
    report_.reason =
        "the field domain sees a difference that numbers do not confirm: it hangs on " +
        whatItHangsOn();
  }
  std::string whatItHangsOn() const {
    if (!spent_.empty())
      return *spent_.begin() + ": only one exp on a path is followed";
    return "the order of values or on a function without a field meaning";
  }
  bool usesRandomFunctions() const {
    return left_.usesTranscendentals() || right_.usesTranscendentals();
  }
  bool usesExponentials() const { return left_.usesExponentials() || right_.usesExponentials(); }

  // One more run in which roundings are functions. That they moved refutes nothing.
  void compareRoundings() {
    RunOptions options = fieldOptions(1);
    options.roundings = true;
    auto [left, right] = both(options);
    if (!left.error.empty() || !right.error.empty())
      return;
    report_.domains.push_back("rounding");
    report_.roundings.compared = true;
    report_.roundings.moved =
        Comparison(file_, Domain::Field, fieldOf(options)).compare(left, right).found;
    if (!report_.roundings.moved)
      return;
    report_.roundings.left = roundedAlone(left, right);
    report_.roundings.right = roundedAlone(right, left);
  }
  // The lines of `run` that round values which `other` does not round to that format.
  static std::vector<std::string> roundedAlone(const RunResult &run, const RunResult &other) {
    std::map<FloatFormat, RoundingSet> there;
    for (const auto &[place, residues] : other.roundings)
      there[place.second] |= residues;
    std::vector<std::string> lines;
    for (const auto &[place, residues] : run.roundings) {
      const size_t alone = (residues & ~there[place.second]).count();
      if (alone)
        lines.push_back(llvm::formatv("{0} rounds to {1}: {2} of its {3} values", place.first,
                                      toString(place.second), alone, residues.count())
                            .str());
    }
    return lines;
  }

  // A source that leaves its buffers has no values to compare with: the launch, or the
  // source, is wrong. So is a difference to it no difference of the port's.
  bool sourceBreaksMemory() {
    for (const Finding &finding : report_.leftFindings) {
      if (finding.kind != ProblemKind::OutOfBounds && finding.kind != ProblemKind::ReadOnly &&
          finding.kind != ProblemKind::UndefinedAddress &&
          finding.kind != ProblemKind::AsyncNotWaited) // what it reads is no value of anything
        continue;
      report_.verdict = Verdict::Unknown;
      report_.reason = "the source itself fails, in this launch: " + finding.text;
      return true;
    }
    return sourceBreaksPromise();
  }
  // A port may rely on what the author told the porter; this launch is none that it is for.
  bool sourceBreaksPromise() {
    for (const Finding &finding : report_.leftFindings) {
      if (finding.kind != ProblemKind::BrokenPromise)
        continue;
      report_.verdict = Verdict::Unknown;
      report_.reason = "this launch breaks what the source promises: " + finding.text;
      return true;
    }
    return false;
  }
  // Where the source stores what is undefined a port may store anything.
  bool sourceHasNoValue(const RunOptions &options, const Pair &runs) {
    if (Comparison(file_, options.domain, fieldOf(options))
            .whereDefined()
            .compare(runs.first, runs.second)
            .found)
      return false;
    const Difference &first = report_.difference;
    report_.verdict = Verdict::Unknown;
    report_.reason = "the source itself leaves no value in any element that differs, in this "
                     "launch: " +
                     first.buffer + "[" + std::to_string(first.element) + "]";
    if (!report_.leftFindings.empty())
      report_.reason += "; " + report_.leftFindings.front().text;
    return true;
  }
  // What the port does and the source does not.
  const Finding *newFinding() const {
    std::set<ProblemKind> source;
    for (const Finding &finding : report_.leftFindings)
      source.insert(finding.kind);
    for (const Finding &finding : report_.rightFindings)
      if (!source.count(finding.kind))
        return &finding;
    return nullptr;
  }
  void nameNewFinding() {
    if (const Finding *finding = newFinding())
      report_.reason += "; " + finding->text;
  }

  // What observers found. The port must be clean where the source is.
  bool judgeFindings() {
    if (sourceBreaksPromise())
      return false;
    if (!report_.leftFindings.empty())
      report_.limits.insert("the source itself has findings: it is taken to mean what the "
                            "machine made of it");
    if (report_.rightFindings.empty())
      return true;
    if (const Finding *finding = newFinding()) {
      if (sourceBreaksMemory())
        return false;
      report_.verdict = Verdict::Refuted;
      report_.reason =
          (gaveUp_.empty() ? "the values agree, but " : "in the port alone: ") + finding->text;
      return false;
    }
    report_.verdict = Verdict::Unknown;
    report_.reason = "both sides have findings: " + report_.rightFindings.front().text;
    return false;
  }

  // Signed words are counts and places more often than packed bits: they are small, unless
  // the source bears others too.
  bool wordsMayBeWide() {
    if (!wide_) {
      wide_ = std::any_of(file_.buffers.begin(), file_.buffers.end(), [](const BufferSpec &b) {
        return b.init == Init::Random && b.type.isSigned && b.type.bytes >= 4 && !b.type.isFloat();
      });
      RunOptions options = exactOptions(1);
      options.wideWords = options.observe = true;
      const RunResult run = *wide_ ? left_.run(file_, options) : RunResult();
      if (!run.error.empty() || run.findings.size() > report_.leftFindings.size()) {
        wide_ = false;
        report_.limits.insert("signed words were tried from -1000 to 1000: the source does not "
                              "bear others");
      }
    }
    return *wide_;
  }

  // Differences that roundings do not explain.
  bool differsClearly(const RunOptions &options, const Pair &runs) {
    if (!report_.difference.isClear)
      return false;
    RunOptions otherwise = options;
    otherwise.observe = otherwise.trace = false;
    std::vector<Pair> rounded;
    for (const int mode : {FE_UPWARD, FE_DOWNWARD}) {
      const Rounding rounding(mode); // of this thread: runs share no cores
      rounded.emplace_back(left_.run(file_, otherwise), right_.run(file_, otherwise));
      if (!rounded.back().first.error.empty() || !rounded.back().second.error.empty())
        return true;
    }
    return Comparison(file_, Domain::Exact, fieldOf(options))
        .ofOneFunction(gaveUp_.empty())
        .besides(rounded)
        .compare(runs.first, runs.second)
        .isClear;
  }

  const Report &hangsOnOrder() {
    report_.verdict = Verdict::Unknown;
    report_.reason = "outputs differ, and those of the source hang on the order in which its "
                     "threads run";
    return report_;
  }

  Report testExactly() {
    report_.domains.push_back("exact");
    std::optional<Difference> leftOver;
    for (unsigned i = 0; i < options_.exactRuns; ++i) {
      RunOptions options = exactOptions(i);
      options.wideWords = i % 2 && wordsMayBeWide();
      const Pair runs = both(options);
      if (failed(runs.first, runs.second))
        return report_;
      const Numbers numbers = onNumbers(options, runs);
      if (report_.difference.rounded)
        report_.limits.insert("what is not a whole number is equal up to its last bits");
      if (numbers == Numbers::Judged)
        return report_;
      if (numbers == Numbers::OfOrder)
        return hangsOnOrder();
      if (numbers == Numbers::Rounded)
        leftOver = report_.difference;
    }
    if (leftOver) {
      report_.difference = *leftOver;
      report_.verdict = Verdict::Unknown;
      report_.reason = "outputs differ by no more than roundings may leave";
      return report_;
    }
    report_.verdict = Verdict::Tested;
    report_.reason = "all outputs are equal on " + std::to_string(options_.exactRuns) +
                     " inputs of whole numbers";
    if (!gaveUp_.empty())
      report_.limits.insert("the field domain cannot speak: " + *gaveUp_.begin());
    if (!gaveUp_.empty())
      holdsForWords();
    return report_;
  }

  std::string readAsIntegers(const BufferSpec &spec) const {
    return "buffer " + spec.name + " is declared " + spec.type.name + " and read as integers";
  }

  // Words that are counts make loops of any length.
  RunOptions wordOptions(unsigned run, std::map<std::string, Words> words) const {
    RunOptions options = exactOptions(run);
    options.words = std::move(words);
    options.limits.steps = stepsFor(kept_);
    return options;
  }
  // Buffers of floats whose words, as they lie in memory, take part in integer arithmetic or are
  // taken apart, on either side; and what to put there. Left out is what the source does not bear.
  std::map<std::string, Words> wordsReadAsIntegers() {
    std::map<std::string, Words> found;
    for (const BufferSpec &spec : file_.buffers) {
      if (!spec.type.isFloat() || !spec.alias.empty() ||
          (spec.init != Init::Random && spec.init != Init::Ints))
        continue;
      bool areRead = false, areNumbers = false;
      // The bits of small numbers are zero where those of others tell an integer sum from a move.
      for (const bool areSmall : {false, true}) {
        RunOptions options = wordOptions(0, {});
        if (!areSmall)
          options.words[spec.name] = Words::Digits;
        options.marked = {spec.name, spec.type.bytes};
        const auto [left, right] = both(options);
        for (const RunResult *run : {&left, &right}) {
          areRead |= !run->gaveUp.empty() || run->takesApart;
          areNumbers |= run->readsNumbers;
        }
        if (left.error.empty() && right.error.empty())
          break;
      }
      if (!areRead)
        continue;
      const Words words = areNumbers ? Words::Digits : Words::Bits;
      if (bears(spec, words))
        found[spec.name] = words;
    }
    return found;
  }
  bool bears(const BufferSpec &spec, Words words) {
    if (gaveUp_.empty())
      return true; // nothing hangs on them that does not hang on residues
    for (const Words kind : {words, words == Words::Bits ? Words::Wild : words}) {
      RunOptions options = wordOptions(100, {{spec.name, kind}});
      options.observe = true;
      const RunResult run = left_.run(file_, options);
      if (run.error.empty() && run.findings.size() <= report_.leftFindings.size())
        continue;
      report_.limits.insert(readAsIntegers(spec) +
                            ": only the words of small whole numbers were tried, since the source "
                            "does not bear others");
      return false;
    }
    const std::string type = "declare it u" + std::to_string(8 * spec.type.bytes);
    report_.limits.insert(
        readAsIntegers(spec) +
        (words == Words::Bits
             ? ": words of any bits were tried, too; better " + type
             : ", and as floats: numbers of all digits were tried, too; if it holds none, " +
                   type));
    return true;
  }

  // Floats made of wild words by their bits are great, and may overflow in one order of a sum.
  static bool anyIsGreat(const LaunchFile &file, const RunResult &run) {
    constexpr double great = 0x1p40;
    for (const BufferSpec &spec : file.buffers)
      for (uint64_t i = 0; spec.out && spec.type.isFloat() && i < spec.count; ++i) {
        const Element e = elementAt(run.buffers.at(spec.name), i, spec.type.bytes);
        if (e.defined && !(std::fabs(decodeFloat(spec.type.format, e.bits)) < great))
          return true;
      }
    return false;
  }

  // False: the verdict stands.
  bool agreesOnWords(const RunOptions &options, bool areNumbers) {
    const Pair runs = both(options);
    if (!runs.first.error.empty())
      return true; // the source does not bear them
    if (failed(runs.first, runs.second))
      return false;
    report_.difference = Comparison(file_, Domain::Exact, Field(bits_, 1))
                             .ofOneFunction(areNumbers)
                             .compare(runs.first, runs.second);
    if (!report_.difference.found)
      return true;
    if (!differsClearly(options, runs) ||
        (!areNumbers && (anyIsGreat(file_, runs.first) || anyIsGreat(file_, runs.second)))) {
      report_.limits.insert("where words of any bits are tried, outputs differ by no more than "
                            "roundings may leave, or floats made of them overflow");
      report_.difference = Difference();
      return true;
    }
    if (sourceBreaksMemory() || sourceHasNoValue(options, runs))
      return false;
    if (!differsInAnyOrder(options, runs)) {
      hangsOnOrder();
      return false;
    }
    explain(options);
    report_.verdict = areNumbers ? Verdict::Unknown : Verdict::Refuted;
    report_.reason = "outputs differ where other words than those of small whole numbers are in a "
                     "buffer of floats that is " +
                     std::string(gaveUp_.empty() ? "taken apart" : "read as integers") + ": " +
                     llvm::join(llvm::make_first_range(options.words), ", ") +
                     (areNumbers ? "; if it holds no floats, declare it an integer type" : "");
    return false;
  }

  // The words of small whole numbers are zero bytes for the most part, and alike. What a kernel
  // reads as integers, though it is declared as floats, is looked at with other words, too; so is
  // what goes byte by byte, of which the field knows which byte it is, and not of which float.
  bool holdsForWords() {
    const std::map<std::string, Words> words = wordsReadAsIntegers();
    const bool isMixed =
        llvm::any_of(words, [](const auto &w) { return w.second == Words::Digits; });
    // Digits are for floats that are made of integers bit by bit, and must not be too great.
    constexpr Words kinds[] = {Words::Bits, Words::Digits, Words::Wild, Words::Digits};
    for (unsigned i = 0; i < std::size(kinds) && !words.empty(); ++i) {
      RunOptions options = wordOptions(100 + i, words);
      for (auto &[name, kind] : options.words)
        kind = kind == Words::Bits ? kinds[i] : kind;
      if (!agreesOnWords(options, isMixed))
        return false;
    }
    return true;
  }

  Side &left_, &right_;
  std::optional<std::set<std::pair<std::string, uint64_t>>> blind_; // of outputs: NaN in all runs
  const LaunchFile &file_;
  const ProofOptions &options_;
  Report report_;
  unsigned bits_ = 16;
  Algebra algebra_ = Algebra::Residues;
  std::optional<bool> wide_;
  Pair kept_; // the last runs of fieldRun(), and their options
  RunOptions inOrder_;
  std::set<std::string> gaveUp_, spent_;
  bool comparesValues_ = false, takesApart_ = false;
};

} // namespace

Difference compareOutputs(const LaunchFile &file, const RunOptions &options, const RunResult &left,
                          const RunResult &right) {
  const Field field(options.fieldBits, mix(options.seed));
  return Comparison(file, options.domain, field).compare(left, right);
}

Report prove(Side &left, Side &right, const LaunchFile &file, const ProofOptions &options) {
  Report report = Prover(left, right, file, options).run();
  const bool holds = report.verdict == Verdict::Proved || report.verdict == Verdict::Tested;
  if (holds && !report.thin.empty())
    report.reason +=
        "; the launch is thin: " + report.thin.front() +
        (report.thin.size() > 1 ? " and " + std::to_string(report.thin.size() - 1) + " more" : "");
  return report;
}

namespace {

template <class List>
void printList(llvm::raw_ostream &out, llvm::StringRef title, const List &list) {
  for (const std::string &line : list)
    out << "  " << title << ": " << line << "\n";
}

llvm::json::Array toJson(const std::set<std::string> &list) {
  llvm::json::Array array;
  for (const std::string &line : list)
    array.push_back(line);
  return array;
}

llvm::json::Array toJson(const std::vector<Finding> &list) {
  llvm::json::Array array;
  for (const Finding &finding : list)
    array.push_back(llvm::json::Object{{"kind", toString(finding.kind)},
                                       {"text", finding.text},
                                       {"times", int64_t(finding.times)}});
  return array;
}

llvm::json::Array toJson(const std::vector<LaunchReport> &launches) {
  llvm::json::Array array;
  for (const LaunchReport &launch : launches)
    array.push_back(llvm::json::Object{{"kernel", launch.kernel},
                                       {"shape", launch.shape},
                                       {"first", int64_t(launch.first)},
                                       {"times", int64_t(launch.times)},
                                       {"verdict", toString(launch.verdict)},
                                       {"reason", launch.reason}});
  return array;
}

} // namespace

static void printBound(llvm::raw_ostream &out, const Report &report) {
  out << llvm::formatv("  {0} seeds modulo {1}, degree at most {2}{3}: the chance of missing a "
                       "difference is at most {4:e} (2^{5})\n",
                       report.seeds.size(), report.prime, report.degree,
                       report.degreeAssumed.empty() ? ""
                                                    : " (assumed, " + report.degreeAssumed + ")",
                       report.bound, int(std::ceil(std::log2(report.bound))));
}

static void printRoundings(llvm::raw_ostream &out, const RoundingReport &roundings) {
  if (!roundings.compared)
    return;
  out << (roundings.moved ? "  roundings moved: equal but for where values are rounded\n"
                          : "  roundings: at the same places in both\n");
  for (const std::string &line : roundings.left)
    out << "    only the source: " << line << "\n";
  for (const std::string &line : roundings.right)
    out << "    only the port: " << line << "\n";
}

void print(llvm::raw_ostream &out, const Report &report) {
  out << toString(report.verdict) << ": " << report.reason << "\n";
  if (report.verdict == Verdict::Proved)
    printBound(out, report);
  if (report.difference.found) {
    const Difference &d = report.difference;
    out << llvm::formatv("  first difference: {0}[{1}] is {2} in the source, {3} in the port ({4} "
                         "elements differ)\n",
                         d.buffer, d.element, d.left, d.right, d.count);
    if (!d.leftWriter.empty())
      out << "  written by " << d.leftWriter << " in the source, " << d.rightWriter
          << " in the port\n";
    printList(out, "the source's path", d.path.source);
    printList(out, "the port's path", d.path.port);
    if (!d.path.note.empty())
      out << "  " << d.path.note << "\n";
  }
  for (const std::string &line : report.thin)
    out << "  thin: " << line << "\n";
  for (const std::string &line : report.thinPort)
    out << "  not all of the port ran: " << line << "\n";
  printRoundings(out, report.roundings);
  for (const LaunchReport &launch : report.launches)
    out << llvm::formatv("  launch {0}{1}: {2}, {3}: {4}{5}\n", launch.first,
                         launch.times > 1 ? " and " + std::to_string(launch.times - 1) + " like it"
                                          : "",
                         launch.kernel, launch.shape, toString(launch.verdict),
                         launch.reason.empty() ? "" : ", " + launch.reason);
  printList(out, "assumes", report.assumptions);
  printList(out, "limit", report.limits);
  for (const Finding &finding : report.leftFindings)
    out << "  source: " << finding.text << "\n";
  for (const Finding &finding : report.rightFindings)
    out << "  port: " << finding.text << "\n";
}

void printJson(llvm::raw_ostream &out, const Report &report, llvm::StringRef left,
               llvm::StringRef right) {
  llvm::json::Object root{{"verdict", toString(report.verdict)},
                          {"reason", report.reason},
                          {"source", left},
                          {"port", right},
                          {"prime", int64_t(report.prime)},
                          {"bound", report.bound},
                          {"degree", int64_t(report.degree)},
                          {"degree_assumed", report.degreeAssumed},
                          {"shadow_residues", report.shadowed},
                          {"thin", llvm::json::Array(report.thin)},
                          {"thin_port", llvm::json::Array(report.thinPort)},
                          {"assumptions", toJson(report.assumptions)},
                          {"limits", toJson(report.limits)}};
  root["domains"] = llvm::json::Array(report.domains);
  llvm::json::Array seeds;
  for (uint64_t seed : report.seeds)
    seeds.push_back(int64_t(seed));
  root["seeds"] = std::move(seeds);
  root["findings"] = llvm::json::Object{{"source", toJson(report.leftFindings)},
                                        {"port", toJson(report.rightFindings)}};
  root["counts"] = llvm::json::Object{{"source", toJson(report.leftCounts)},
                                      {"port", toJson(report.rightCounts)}};
  if (report.roundings.compared)
    root["roundings"] = llvm::json::Object{{"moved", report.roundings.moved},
                                           {"source", llvm::json::Array(report.roundings.left)},
                                           {"port", llvm::json::Array(report.roundings.right)}};
  if (!report.launches.empty())
    root["launches"] = toJson(report.launches);
  if (report.difference.found) {
    const Difference &d = report.difference;
    root["difference"] = llvm::json::Object{{"source_path", llvm::json::Array(d.path.source)},
                                            {"port_path", llvm::json::Array(d.path.port)},
                                            {"buffer", d.buffer},
                                            {"element", int64_t(d.element)},
                                            {"source", d.left},
                                            {"port", d.right},
                                            {"source_writer", d.leftWriter},
                                            {"port_writer", d.rightWriter},
                                            {"elements", int64_t(d.count)}};
  }
  out << llvm::formatv("{0:2}", llvm::json::Value(std::move(root))) << "\n";
}

} // namespace layout_port::verify
