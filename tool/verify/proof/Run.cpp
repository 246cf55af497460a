// See Run.h.
#include "proof/Run.h"

#include "decode/Decoder.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <cmath>

namespace layout_port::verify {

const char *toString(Domain domain) {
  return domain == Domain::Float ? "float" : domain == Domain::Exact ? "exact" : "field";
}

// Remembers the last writer of every byte of the output buffers.
class WriterLog : public Observer {
public:
  struct Watched {
    uint64_t begin, end;
    std::vector<Writer> *writers;
  };
  std::vector<Watched> watched;
  uint32_t launch = 0;
  uint32_t locationBase = 0;

  void onMemory(const Wave &wave, const MemoryEvent &event) override {
    if (event.space != Space::Global || event.kind == MemoryEvent::Load)
      return;
    ++order_;
    forLanes(event.lanes, [&](unsigned lane) {
      const uint64_t address = event.addresses[lane];
      for (const Watched &buffer : watched) {
        if (address < buffer.begin || address >= buffer.end)
          continue;
        for (unsigned i = 0; i < event.bytes && address + i < buffer.end; ++i) {
          Writer &writer = (*buffer.writers)[address + i - buffer.begin];
          writer = {wave.block->id,
                    wave.index * wave.lanes + lane,
                    locationBase + event.op->location,
                    launch,
                    order_,
                    true};
        }
      }
    });
  }

private:
  uint64_t order_ = 0;
};

namespace {

// No byte of these makes a float an infinity or NaN, whatever the format; nor, unless it is wild, a
// number that overflows when two are multiplied.
uint8_t tame(uint8_t byte, bool isWild) {
  constexpr uint8_t top = 0x40, next = 0x30, exponent = 0x7c;
  if (isWild)
    return (byte & exponent) == exponent ? byte ^ top : byte;
  return byte & top ? byte & ~next : byte;
}

uint64_t wordOfBits(uint64_t random, bool isWild) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 64; i += 8)
    word |= uint64_t(tame(uint8_t(random >> i), isWild)) << i;
  return word;
}

// Between 1/8 and 8, and its lower halves are numbers as well.
uint64_t wordOfDigits(const ElementType &type, uint64_t random) {
  const double fraction = 1 + double(random >> 12) * 0x1p-52;
  const double number = std::ldexp(random & 1 ? -fraction : fraction, int(random >> 1 & 7) % 6 - 3);
  const uint64_t word = encodeFloat(type.format, number),
                 below = (uint64_t(1) << (8 * type.bytes - 8)) - 1;
  return (word & ~below) | (wordOfBits(word, false) & below);
}

class Filler {
public:
  Filler(const BufferSpec &spec, const RunOptions &options, const Field &field)
      : spec_(spec), options_(options), field_(field) {
    stream_ = mix(options.seed);
    for (char c : spec.name)
      stream_ = mix(stream_ ^ uint8_t(c));
  }

  void fill(uint8_t *bytes, uint8_t *shade) const {
    const unsigned width = spec_.type.bytes;
    const bool data =
        spec_.init == Init::Random || spec_.init == Init::Ints || spec_.init == Init::Index;
    const bool residue = (options_.domain == Domain::Field && spec_.type.isFloat()) ||
                         options_.marked.first == spec_.name;
    uint64_t pattern = 0;
    for (unsigned b = 0; b < width; ++b)
      pattern |= (shadow::ready | (data ? uint64_t(shadow::tainted) : 0) |
                  (residue ? uint64_t(width + b) << 4 : 0))
                 << (8 * b);
    switch (width) {
    case 1:
      return fillElements<uint8_t>(bytes, shade, pattern);
    case 2:
      return fillElements<uint16_t>(bytes, shade, pattern);
    case 4:
      return fillElements<uint32_t>(bytes, shade, pattern);
    default:
      return fillElements<uint64_t>(bytes, shade, pattern);
    }
  }

private:
  template <class T> void fillElements(uint8_t *bytes, uint8_t *shade, uint64_t pattern) const {
    const auto put = [&](uint64_t i, uint64_t value) {
      const T element = T(value), shadeOfIt = T(pattern);
      std::memcpy(bytes + i * sizeof(T), &element, sizeof(T));
      std::memcpy(shade + i * sizeof(T), &shadeOfIt, sizeof(T));
    };
    const bool plain = spec_.init == Init::Random && spec_.type.isFloat() &&
                       options_.domain == Domain::Field && field_.algebra() == Algebra::Residues &&
                       !field_.roundings();
    if (plain) // as element(), without its questions
      for (uint64_t i = 0; i < spec_.count; ++i)
        put(i, field_.reduce(mix(stream_ + i) >> 8));
    else
      for (uint64_t i = 0; i < spec_.count; ++i)
        put(i, element(i));
  }
  uint64_t element(uint64_t i) const {
    const uint64_t random = mix(stream_ + i);
    if (const auto words = options_.words.find(spec_.name); words != options_.words.end())
      return words->second == Words::Digits ? wordOfDigits(spec_.type, random)
                                            : wordOfBits(random, words->second == Words::Wild);
    switch (spec_.init) {
    case Init::Zero:
    case Init::File:
      return 0;
    case Init::Iota:
      return number(double(i), int64_t(i));
    case Init::Ints:
      return small(random);
    case Init::Index:
      return number(double(random % spec_.below), int64_t(random % spec_.below));
    case Init::Random:
      break;
    }
    if (!spec_.type.isFloat())
      // Signed words are counts and positions more often than bits.
      return spec_.type.isSigned && spec_.type.bytes >= 4 && !options_.wideWords
                 ? uint64_t(int64_t(random % 2001) - 1000)
                 : random;
    if (options_.domain == Domain::Field)
      return field_.fromRandom(random >> 8, spec_.type.format);
    if (options_.domain == Domain::Exact && options_.alike)
      return number(options_.alike == 1 ? 1 : double(random % 2), 1);
    if (options_.domain == Domain::Exact)
      return small(random);
    return encodeFloat(spec_.type.format, double(random >> 11) * 0x1p-52 - 1.0);
  }
  uint64_t small(uint64_t random) const {
    const int64_t value = int64_t(random % 5) - 2;
    return number(double(value), value);
  }
  uint64_t number(double value, int64_t integer) const {
    if (!spec_.type.isFloat())
      return uint64_t(integer);
    if (options_.domain == Domain::Field)
      field_.knowSign(field_.fromDouble(value), value < 0);
    return options_.domain == Domain::Field ? field_.fromDouble(value)
                                            : encodeFloat(spec_.type.format, value);
  }

  const BufferSpec &spec_;
  const RunOptions &options_;
  const Field &field_;
  uint64_t stream_;
};

} // namespace

void fillBuffer(const BufferSpec &spec, const RunOptions &options, const Field &field,
                uint8_t *bytes, uint8_t *shade) {
  Filler(spec, options, field).fill(bytes, shade);
}

uint32_t floatArgument(double value, const Program &code, const Field &field) {
  const uint32_t word = field.withSign(value);
  field.knowProducts(word, value < 0, code.signs);
  return word;
}

namespace {

struct Image {
  GlobalMemory memory;
  std::map<std::string, uint64_t> addresses;
};

std::string placeBuffers(const LaunchFile &file, const RunOptions &options, const Field &field,
                         Image &image) {
  uint64_t total = image.memory.size();
  for (const BufferSpec &buffer : file.buffers)
    total += buffer.alias.empty() ? buffer.bytes() : 0;
  if (total > options.limits.memory)
    return "buffers of " + std::to_string(total >> 20) + " MiB exceed the memory limit of " +
           std::to_string(options.limits.memory >> 20) + " MiB";
  // Behind variables of whatever size, so that both sides have the same addresses: a kernel may
  // store one.
  uint64_t alignment = 1 << 14;
  for (const BufferSpec &buffer : file.buffers) {
    if (!buffer.alias.empty()) {
      image.addresses[buffer.name] = image.addresses[buffer.alias] + buffer.offset;
      continue;
    }
    const uint64_t address = image.memory.allocate(buffer.name, buffer.bytes(), alignment);
    alignment = 256;
    image.addresses[buffer.name] = address;
    fillBuffer(buffer, options, field, image.memory.bytesAt(address),
               image.memory.shadowAt(address));
    if (buffer.init != Init::File)
      continue;
    auto contents = llvm::MemoryBuffer::getFile(buffer.file);
    if (!contents)
      return "cannot read " + buffer.file + ": " + contents.getError().message();
    const llvm::StringRef bytes = (*contents)->getBuffer();
    if (bytes.size() != buffer.bytes())
      return buffer.file + " has " + std::to_string(bytes.size()) + " bytes, buffer " +
             buffer.name + " " + std::to_string(buffer.bytes());
    std::copy(bytes.begin(), bytes.end(), image.memory.bytesAt(address));
    std::fill_n(image.memory.shadowAt(address), bytes.size(), shadow::ready);
  }
  return {};
}

// An argument, or a member of one: its bytes as they lie in memory.
struct Laid {
  std::vector<uint8_t> bytes, shade;
  unsigned alignment = 8;
};

class Arguments {
public:
  Arguments(const Program &code, const Image &image, const RunOptions &options, const Field &field)
      : code_(code), image_(image), options_(options), field_(field) {}

  Laid lay(const ArgumentSpec &spec) const {
    switch (spec.kind) {
    case ArgumentSpec::Null:
      return ofNumber(0, 8, 0);
    case ArgumentSpec::Buffer:
      return ofNumber(image_.addresses.at(spec.buffer) + spec.offset, 8, 0);
    case ArgumentSpec::Bytes:
      return {spec.bytes, std::vector<uint8_t>(spec.bytes.size(), shadow::ready), 1};
    case ArgumentSpec::Struct:
      return ofStruct(spec);
    case ArgumentSpec::Scalar:
      break;
    }
    const unsigned width = spec.type.bytes;
    if (!spec.type.isFloat())
      return ofNumber(spec.integer, width, 0);
    const uint64_t bits = encodeFloat(spec.type.format, spec.number);
    if (options_.domain != Domain::Field)
      return ofNumber(bits, width, 0);
    return ofNumber(floatArgument(decodeFloat(spec.type.format, bits), code_, field_), width,
                    uint8_t(width));
  }

private:
  static Laid ofNumber(uint64_t value, unsigned width, uint8_t payload) {
    Laid laid;
    laid.alignment = width;
    laid.bytes.resize(width);
    laid.shade.resize(width);
    std::memcpy(laid.bytes.data(), &value, width);
    for (unsigned i = 0; i < width; ++i)
      laid.shade[i] = uint8_t(shadow::ready | (payload ? (payload + i) << 4 : 0));
    return laid;
  }

  // As C++ lays it out: each member at a multiple of its alignment, and so the whole.
  Laid ofStruct(const ArgumentSpec &spec) const {
    Laid all;
    all.alignment = 1;
    const auto pad = [&](unsigned alignment) {
      const size_t size = (all.bytes.size() + alignment - 1) / alignment * alignment;
      all.bytes.resize(size);
      all.shade.resize(size, shadow::ready);
    };
    for (const ArgumentSpec &member : spec.members) {
      const Laid laid = lay(member);
      pad(laid.alignment);
      all.alignment = std::max(all.alignment, laid.alignment);
      all.bytes.insert(all.bytes.end(), laid.bytes.begin(), laid.bytes.end());
      all.shade.insert(all.shade.end(), laid.shade.begin(), laid.shade.end());
    }
    pad(all.alignment);
    return all;
  }

  const Program &code_;
  const Image &image_;
  const RunOptions &options_;
  const Field &field_;
};

// What speaks against this argument for the parameter.
std::string whyNotGiven(const ArgumentSpec &spec, const Parameter &parameter, size_t bytes) {
  const auto isWide = [&](const std::string &gives) {
    return "is " + std::to_string(parameter.size) + " bytes wide, the launch gives " + gives;
  };
  const bool address = spec.kind == ArgumentSpec::Buffer || spec.kind == ArgumentSpec::Null;
  if (spec.kind == ArgumentSpec::Bytes)
    return {};
  if (address && parameter.size != 8)
    return isWide("a buffer");
  if (!address && parameter.pointer)
    return "is a pointer, the launch gives a " +
           std::string(spec.kind == ArgumentSpec::Struct ? "struct" : "scalar");
  return address || bytes == parameter.size ? std::string() : isWide(std::to_string(bytes));
}

// "file.cu:12", or the kernel's name where lines are not known.
std::string nameOf(const Program &program, uint32_t location) {
  const Location &where = program.locations[location];
  return where.line ? where.file + ":" + std::to_string(where.line) : program.kernel().name;
}

Degree largestDegree(const Field &field, const BufferSpec &spec, const BufferImage &image,
                     Degree known) {
  const unsigned width = spec.type.bytes;
  for (uint64_t i = 0; spec.type.isFloat() && i < spec.count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, image.bytes.data() + i * width, width);
    if (image.shadow[i * width] >> 4 == 0)
      continue; // raw: a constant
    const Degree degree = field.degrees().at(uint32_t(bits));
    known.top = std::max(known.top, degree.top);
    known.bottom = std::max(known.bottom, degree.bottom);
  }
  return known;
}

} // namespace

namespace {

// Whether any payload lies in memory without all of its bytes: what a residue's bytes are says
// nothing of those of a float.
bool holdsParts(const std::vector<uint8_t> &shade) {
  for (size_t i = 0; i < shade.size();) {
    const unsigned width = shade[i] >> 4;
    if (!width) {
      ++i;
      continue;
    }
    if ((width & (width - 1)) || i + width > shade.size())
      return true;
    for (unsigned b = 1; b < width; ++b)
      if (unsigned(shade[i + b] >> 4) != width + b)
        return true;
    i += width;
  }
  return false;
}

} // namespace

LaunchRunner::LaunchRunner(GlobalMemory &memory, const Field *field, const RunOptions &options,
                           RunResult &result)
    : memory_(memory), field_(field), options_(options), result_(result),
      watch_(findings_, result.counts), writers_(std::make_unique<WriterLog>()),
      stores_(result.stores) {
  if (options.marked.first.empty())
    return;
  words_ = std::make_unique<WordUse>(options.marked.second);
  watch(*words_);
}
LaunchRunner::~LaunchRunner() = default;

void LaunchRunner::watch(const std::string &name, uint64_t address, uint64_t bytes) {
  if (!options_.trace)
    return;
  auto &log = result_.writers[name];
  log.resize(bytes);
  writers_->watched.push_back({address, address + bytes, &log});
}

void LaunchRunner::hold(const Promises &promises, const std::string &file,
                        std::map<uint64_t, uint64_t> extents) {
  if (promises.empty() || !options_.observe)
    return;
  promises_ = &promises;
  promisedIn_ = file;
  extents_ = std::move(extents);
  keeper_ = std::make_unique<PromiseKeeper>(promises, file, findings_);
  if (keeper_->wantsBranches())
    watch(*keeper_);
}

void LaunchRunner::checkPromises(const Program &code, const Launch &launch) {
  if (!promises_)
    return;
  const AliasCheck check = checkAliases(*promises_, promisedIn_, code, launch, extents_, memory_);
  broken_.insert(broken_.end(), check.broken.begin(), check.broken.end());
  result_.taint.insert(check.unclear.begin(), check.unclear.end());
}

void LaunchRunner::absorb(const Program &code, const Machine &machine) {
  result_.steps += machine.steps();
  result_.coverage.add(code, machine.coverage());
  const Remarks &remarks = machine.remarks();
  result_.gaveUp.insert(remarks.gaveUp.begin(), remarks.gaveUp.end());
  result_.assumptions.insert(remarks.assumptions.begin(), remarks.assumptions.end());
  result_.taint.insert(remarks.taint.begin(), remarks.taint.end());
  result_.spent.insert(remarks.spent.begin(), remarks.spent.end());
  result_.takesApart |= remarks.takesApart;
  for (const auto &[place, residues] : remarks.roundings)
    result_.roundings[{nameOf(code, place.first), place.second}] |= residues;
}

void LaunchRunner::noteIncomplete() {
  result_.taint.insert("more global memory was touched than is watched for races");
}

// False: not done, and nothing has changed.
bool LaunchRunner::runTogether(const Program &code, const Launch &launch) {
  if (!options_.cores || options_.trace || options_.backwards || !more_.empty())
    return false;
  ParallelBlocks blocks(code, memory_, field_, options_.limits, options_.observe);
  if (!blocks.run(launch, *options_.cores))
    return false;
  if (options_.observe)
    blocks.addTo(findings_, watch_.counter);
  if (!blocks.watchedAll())
    noteIncomplete();
  blocks.forMachines([&](const Machine &machine) { absorb(code, machine); });
  return true;
}

void LaunchRunner::runInOrder(const Program &code, const Launch &launch) {
  Machine machine(code, memory_, field_, options_.limits);
  if (options_.observe) {
    machine.watch(findings_);
    watch_.attach(machine);
  }
  if (options_.trace) {
    writers_->locationBase = uint32_t(result_.locations.size());
    machine.watch(*writers_);
    stores_.launch = writers_->launch;
    stores_.locationBase = writers_->locationBase;
    machine.watch(stores_);
  }
  for (Observer *observer : more_)
    machine.watch(*observer);
  if (options_.backwards)
    machine.runBackwards();
  result_.error = machine.run(launch);
  stores_.finish(memory_); // while the machine lives: the last store waits in its block
  if (watch_.global.incomplete())
    noteIncomplete();
  absorb(code, machine);
}

bool LaunchRunner::run(const Program &code, const Launch &launch, const std::string &name) {
  for (const auto &[word, negative] : code.signs)
    if (field_)
      field_->knowSign(word, negative);
  checkPromises(code, launch);
  if (!runTogether(code, launch))
    runInOrder(code, launch);
  ++writers_->launch;
  result_.locations.insert(result_.locations.end(), code.locations.begin(), code.locations.end());
  for (unsigned axis = 0; axis < 3; ++axis)
    if (code.readsBlock[axis] && launch.grid[axis] < 2)
      result_.oneBlock.push_back(std::string("one block along ") + "xyz"[axis] + ", which kernel " +
                                 name + " reads");
  result_.assumptions.insert(code.notes.begin(), code.notes.end());
  if (code.prints)
    result_.taint.insert("kernel " + name + " prints: what it prints is not compared");
  return result_.error.empty();
}

void LaunchRunner::finish() {
  if (field_ && field_->doubtedASign())
    result_.gaveUp.insert("an infinity is multiplied by a number whose sign is not known");
  if (words_) {
    result_.readsNumbers = words_->readsNumbers();
    result_.takesApart |= words_->takesApart();
  }
  watch_.counter.finish();
  result_.findings = findings_.findings();
  for (const std::string &line : broken_)
    result_.findings.push_back({ProblemKind::BrokenPromise, line});
}

void LaunchRunner::collect(const BufferSpec &buffer, uint64_t address) {
  BufferImage &out = result_.buffers[buffer.name];
  const uint8_t *bytes = memory_.bytesAt(address);
  const uint8_t *shade = memory_.shadowAt(address);
  out.bytes.assign(bytes, bytes + buffer.bytes());
  out.shadow.assign(shade, shade + buffer.bytes());
  if (holdsParts(out.shadow))
    result_.gaveUp.insert("output " + buffer.name + " holds bytes of floats that were taken apart");
  if (field_ && field_->tracksDegrees())
    result_.degree = largestDegree(*field_, buffer, out, result_.degree);
}

Side::Side(CompiledModule module, bool hip) : module_(std::move(module)), hip_(hip) {
  if (hip)
    return;
  if (const auto source = llvm::MemoryBuffer::getFile(module_.path))
    promises_ = readPromises((*source)->getBuffer().str());
}

llvm::Expected<const Program *> Side::program(const std::string &kernel,
                                              const RunOptions &options) {
  const bool field = options.domain == Domain::Field;
  const std::string key = kernel + (field ? "#" + std::to_string(options.fieldBits) + "." +
                                                std::to_string(unsigned(options.algebra))
                                          : "");
  const std::lock_guard<std::mutex> lock(*decoding_);
  std::unique_ptr<Program> &known = programs_[key];
  if (known)
    return known.get();
  llvm::Expected<const llvm::Function *> function = findKernel(*module_.module, kernel);
  if (!function)
    return function.takeError();
  // Constants do not depend on the seed.
  const Field residues(options.fieldBits, 1, options.algebra);
  Decoder decoder(*module_.module, field ? &residues : nullptr);
  auto decoded = decoder.decode(**function);
  if (!decoded)
    return decoded.takeError();
  known = std::move(*decoded);
  return known.get();
}

std::string Side::check(const LaunchFile &file) {
  for (const LaunchSpec &launch : file.launches) {
    llvm::Expected<const Program *> decoded =
        program(hip_ ? launch.kernelHip : launch.kernel, RunOptions());
    if (!decoded)
      return llvm::toString(decoded.takeError());
    if (launch.args.size() != (*decoded)->parameters.size())
      return "kernel " + (*decoded)->kernel().name + " takes " +
             std::to_string((*decoded)->parameters.size()) + " arguments, the launch gives " +
             std::to_string(launch.args.size());
  }
  return {};
}

namespace {

// A number for the contents of each buffer that shares no memory with an output.
std::map<std::string, uint64_t> inputsOf(const LaunchFile &file, Image &image) {
  const auto isShared = [&](const BufferSpec &buffer) {
    const uint64_t begin = image.addresses.at(buffer.name), end = begin + buffer.bytes();
    return llvm::any_of(file.buffers, [&](const BufferSpec &other) {
      const uint64_t its = image.addresses.at(other.name);
      return other.out && its < end && begin < its + other.bytes();
    });
  };
  std::map<std::string, uint64_t> found;
  for (const BufferSpec &buffer : file.buffers)
    if (!isShared(buffer))
      found[buffer.name] = llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
          image.memory.bytesAt(image.addresses.at(buffer.name)), buffer.bytes()));
  return found;
}

} // namespace

RunResult Side::run(const LaunchFile &file, const RunOptions &options) {
  RunResult result;
  const Field field(options.fieldBits, mix(options.seed), options.algebra, options.roundings);
  const Field *domain = options.domain == Domain::Field ? &field : nullptr;
  Image image;
  std::vector<const Program *> programs;
  for (const LaunchSpec &launch : file.launches) {
    llvm::Expected<const Program *> decoded =
        program(hip_ ? launch.kernelHip : launch.kernel, options);
    if (!decoded) {
      result.error = llvm::toString(decoded.takeError());
      return result;
    }
    programs.push_back(*decoded);
  }
  // A module's variables have the same addresses in all its kernels.
  if (!programs.empty())
    placeGlobals(*programs.front(), image.memory);
  result.error = placeBuffers(file, options, field, image);
  if (!result.error.empty())
    return result;
  const auto inputs = inputsOf(file, image);
  LaunchRunner runner(image.memory, domain, options, result);
  for (const BufferSpec &buffer : file.buffers)
    if (buffer.out)
      runner.watch(buffer.name, image.addresses[buffer.name], buffer.bytes());
  std::map<uint64_t, uint64_t> extents;
  for (const BufferSpec &buffer : file.buffers) {
    uint64_t &bytes = extents[image.addresses[buffer.name]];
    bytes = std::max(bytes, buffer.bytes());
  }
  runner.hold(promises_, module_.path, std::move(extents));
  for (size_t i = 0; i < file.launches.size() && result.error.empty(); ++i) {
    const LaunchSpec &spec = file.launches[i];
    const Program &code = *programs[i];
    Launch launch;
    launch.grid = spec.grid;
    launch.block = hip_ && spec.blockHip[0] ? spec.blockHip : spec.block;
    launch.dynamicShared = spec.shared;
    if (spec.args.size() != code.parameters.size()) {
      result.error = "kernel " + code.kernel().name + " takes " +
                     std::to_string(code.parameters.size()) + " arguments, the launch gives " +
                     std::to_string(spec.args.size());
      break;
    }
    launch.arguments.resize(spec.args.size());
    launch.argumentShadow.resize(spec.args.size());
    for (size_t a = 0; a < spec.args.size() && result.error.empty(); ++a) {
      const Laid laid = Arguments(code, image, options, field).lay(spec.args[a]);
      const std::string problem = whyNotGiven(spec.args[a], code.parameters[a], laid.bytes.size());
      launch.arguments[a] = laid.bytes;
      launch.argumentShadow[a] = laid.shade;
      if (!problem.empty())
        result.error =
            "argument " + std::to_string(a + 1) + " of " + code.kernel().name + " " + problem;
    }
    if (!result.error.empty())
      break;
    runner.run(code, launch, spec.kernel);
  }
  runner.finish();
  for (const BufferSpec &buffer : file.buffers)
    if (buffer.out)
      runner.collect(buffer, image.addresses[buffer.name]);
  for (const auto &[name, contents] : inputsOf(file, image))
    if (inputs.at(name) != contents)
      result.written.insert(name);
  return result;
}

namespace {

bool mentions(llvm::StringRef text, std::initializer_list<llvm::StringRef> words) {
  return llvm::any_of(words, [&](llvm::StringRef word) { return text.contains(word); });
}

} // namespace

bool Side::calls(std::initializer_list<llvm::StringRef> names,
                 std::initializer_list<llvm::StringRef> ptx) const {
  for (const llvm::Function &function : *module_.module) {
    if (function.isDeclaration() && mentions(function.getName(), names))
      return true;
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      auto *text = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (text && mentions(text->getAsmString(), ptx))
        return true;
    }
  }
  return false;
}

bool Side::usesExponentials() const { return calls({"exp", "ex2"}, {"ex2"}); }

bool Side::usesTranscendentals() const {
  for (const llvm::Function &function : *module_.module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (instruction.getOpcode() == llvm::Instruction::FRem)
        return true;
  return calls({"exp", "log", "sin", "cos", "tan", "sqrt", "rsq", "pow", "erf", "ex2", "lg2",
                "floor", "ceil", "trunc", "round", "rint", "fract", "cbrt", "fmod"},
               {"ex2", "lg2", "sin", "cos", "tanh", "sqrt"});
}

bool Side::usesNarrowFloats() const {
  for (const llvm::Function &function : *module_.module) {
    const llvm::StringRef name = function.getName();
    if (function.isIntrinsic() &&
        (name.contains("fp8") || name.contains("bf8") || name.contains("f8f6f4") ||
         name.contains("e4m3") || name.contains("e5m2")))
      return true;
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (auto *text = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
          if (text->getAsmString().contains("e4m3") || text->getAsmString().contains("e5m2"))
            return true;
  }
  return false;
}

} // namespace layout_port::verify
