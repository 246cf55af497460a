// One run of one side: a launch file's launches over fresh memory, in one domain.
#pragma once

#include "compile/Compile.h"
#include "domain/Field.h"
#include "launch/LaunchFile.h"
#include "machine/Machine.h"
#include "observe/Counters.h"
#include "observe/Findings.h"
#include "observe/Promises.h"
#include "observe/StoreTrace.h"
#include "observe/WordUse.h"
#include "proof/Blocks.h"

#include <map>
#include <memory>
#include <mutex>

namespace layout_port::verify {

// float: IEEE arithmetic on random numbers. exact: IEEE arithmetic on small whole
// numbers, so that sums and products do not round. field: residues.
enum class Domain : uint8_t { Float, Exact, Field };
const char *toString(Domain domain);

struct BufferImage {
  std::vector<uint8_t> bytes, shadow;
};

// Who stored an element last.
struct Writer {
  std::array<uint32_t, 3> block{0, 0, 0};
  uint32_t thread = 0;
  uint32_t location = 0;
  uint32_t launch = 0;
  uint64_t order = 0;
  bool known = false;
};

struct RunResult {
  std::string error; // one line; empty when the run finished
  std::map<std::string, BufferImage> buffers;
  std::set<std::string> written; // buffers that are no outputs, and have other contents now
  std::set<std::string> gaveUp, assumptions, taint, spent;
  // Of all outputs, when the algebra was Degrees.
  Degree degree;
  // By source line and format, when roundings were asked for.
  std::map<std::pair<std::string, FloatFormat>, RoundingSet> roundings;
  std::vector<Finding> findings;
  std::map<std::string, std::vector<Writer>> writers; // one a byte of each output
  StoreLog stores;                                    // when traced
  std::vector<Location> locations;
  Counts counts;
  LineCoverage coverage;
  bool takesApart = false;           // bytes of floats went without the others
  bool readsNumbers = false;         // as the marked buffer's words, see WordUse.h
  std::vector<std::string> oneBlock; // "one block along y, which kernel gemm reads"
  uint64_t steps = 0;
};

// What a buffer of floats holds whose words are read as integers. Bits: bytes that make a number of
// moderate size in whatever format they are read. Wild: no more than no NaN and no infinity.
// Digits: numbers near 1 whose every digit counts, for words that are read as numbers too.
enum class Words : uint8_t { Bits, Wild, Digits };

struct RunOptions {
  Domain domain = Domain::Field;
  unsigned fieldBits = 16;
  uint64_t seed = 1;
  bool observe = false; // look for races and the like, and count
  bool trace = false;   // remember who wrote what
  Algebra algebra = Algebra::Residues;
  bool roundings = false; // conversions are functions too: see where they moved
  Limits limits;
  Cores *cores = nullptr; // that blocks may spread over
  bool wideWords = false; // signed words take all values, not only small ones
  bool backwards = false; // threads take turns in the other order, see Machine.h
  int alike = 0; // exact domain: random floats are 0 or 1 (2), or all 1 (1), so that many are equal
  // Not in the field: what buffers hold in the place of small whole numbers, and the one whose
  // words are marked, with the bytes of a word.
  std::map<std::string, Words> words;
  std::pair<std::string, unsigned> marked;
};

class WriterLog;

// Runs launches one after another over one memory, and gathers what is to be said of them.
class LaunchRunner {
public:
  // field: null for IEEE arithmetic.
  LaunchRunner(GlobalMemory &memory, const Field *field, const RunOptions &options,
               RunResult &result);
  ~LaunchRunner();
  // Remembers who writes [address, address + bytes): the buffer `name`, if runs are traced.
  void watch(const std::string &name, uint64_t address, uint64_t bytes);
  // Holds what the author of `file` promises against what its kernels do. extents: of the
  // buffers, by address.
  void hold(const Promises &promises, const std::string &file,
            std::map<uint64_t, uint64_t> extents = {});
  // One more pair of eyes on all launches.
  void watch(Observer &observer) { more_.push_back(&observer); }
  // `name`: the kernel's, for messages. False when the launch did not finish: result.error says
  // why.
  bool run(const Program &code, const Launch &launch, const std::string &name);
  // After the last launch.
  void finish();
  // Takes what lies at `address` as the output `buffer`.
  void collect(const BufferSpec &buffer, uint64_t address);

private:
  void checkPromises(const Program &code, const Launch &launch);
  bool runTogether(const Program &code, const Launch &launch);
  void runInOrder(const Program &code, const Launch &launch);
  void absorb(const Program &code, const Machine &machine);
  void noteIncomplete();

  GlobalMemory &memory_;
  const Field *field_;
  const RunOptions &options_;
  RunResult &result_;
  FindingList findings_;
  Watch watch_;
  std::unique_ptr<WriterLog> writers_;
  StoreTrace stores_;
  std::vector<Observer *> more_;
  const Promises *promises_ = nullptr;
  std::string promisedIn_;
  std::map<uint64_t, uint64_t> extents_;
  std::vector<std::string> broken_; // promises about arguments
  std::unique_ptr<PromiseKeeper> keeper_;
  std::unique_ptr<WordUse> words_;
};

// A float argument in the field: the constant it says. Its sign is known, and that of its products
// with the kernel's own constants.
uint32_t floatArgument(double value, const Program &code, const Field &field);

// Contents of a buffer as its `init` says; they depend on seed, name and index only, so that
// both sides see the same.
void fillBuffer(const BufferSpec &spec, const RunOptions &options, const Field &field,
                uint8_t *bytes, uint8_t *shade);

// A module ready to run; decoded programs are kept. Runs may be made at once on
// several threads.
class Side {
public:
  Side(CompiledModule module, bool hip);
  virtual ~Side() = default;
  virtual RunResult run(const LaunchFile &file, const RunOptions &options);
  // Empty, or why the launch file does not fit: names, arguments, unknown
  // instructions, sizes.
  std::string check(const LaunchFile &file);
  const CompiledModule &compiled() const { return module_; }
  bool hip() const { return hip_; }
  // Whether any instruction computes with 8-bit floats: they need the small field.
  bool usesNarrowFloats() const;
  // exp, sqrt and the like, which the field replaces by random functions.
  bool usesTranscendentals() const;
  // exp or exp2, whose sums of arguments the shadow residue can follow.
  bool usesExponentials() const;

private:
  bool calls(std::initializer_list<llvm::StringRef> names,
             std::initializer_list<llvm::StringRef> ptx) const;

protected:
  llvm::Expected<const Program *> program(const std::string &kernel, const RunOptions &options);
  const Promises &promises() const { return promises_; }

private:
  CompiledModule module_;
  Promises promises_; // of the source; a port's are those of its source
  bool hip_;
  std::map<std::string, std::unique_ptr<Program>> programs_;
  std::unique_ptr<std::mutex> decoding_ = std::make_unique<std::mutex>();
};

} // namespace layout_port::verify
