#include "Golden.h"

#include "decode/Decoder.h"
#include "machine/Machine.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace layout_port::verify::golden {

Chip nvidia() {
  return {"nvptx64-nvidia-cuda",
          "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
          "ptx_kernel",
          "sm_90",
          "",
          32};
}

Chip amd(const std::string &cpu, unsigned lanes) {
  return {"amdgcn-amd-amdhsa",
          "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-"
          "p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-"
          "v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-"
          "S32-A5-G1-ni:7:8:9",
          "amdgpu_kernel",
          cpu,
          "+wavefrontsize" + std::to_string(lanes),
          lanes};
}

//===-- Registers ----------------------------------------------------------===//

namespace {
uint64_t lowBits(unsigned width) { return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }
} // namespace

void Registers::put(unsigned lane, unsigned at, unsigned width, uint64_t value, bool payload) {
  value &= lowBits(width);
  for (unsigned done = 0; done < width;) {
    const unsigned bit = at + done, here = std::min(width - done, 32 - bit % 32);
    word(bit / 32, lane) |= uint32_t((value >> done & lowBits(here)) << (bit % 32));
    done += here;
  }
  if (!payload)
    return;
  const unsigned bytes = width / 8;
  for (unsigned i = 0; i < bytes; ++i) {
    const unsigned byte = at / 8 + i;
    code(byte / 4, lane) |= (bytes + i) << (4 * (byte % 4));
  }
}

uint64_t Registers::get(unsigned lane, unsigned at, unsigned width) const {
  uint64_t value = 0;
  for (unsigned done = 0; done < width;) {
    const unsigned bit = at + done, here = std::min(width - done, 32 - bit % 32);
    value |= (word(bit / 32, lane) >> (bit % 32) & lowBits(here)) << done;
    done += here;
  }
  return value;
}

bool Registers::isPayload(unsigned lane, unsigned at, unsigned width) const {
  const unsigned bytes = width / 8;
  for (unsigned i = 0; i < bytes; ++i) {
    const unsigned byte = at / 8 + i;
    if ((codes_[byte / 4 * lanes_ + lane] >> (4 * (byte % 4)) & 15) != bytes + i)
      return false;
  }
  return true;
}

void Registers::putFlat(unsigned at, unsigned width, uint64_t value, bool payload) {
  for (unsigned done = 0; done < width; done += 32) {
    const unsigned index = (at + done) / 32, here = std::min(32u, width - done);
    words_[index] |= uint32_t((value >> done & lowBits(here)) << (at % 32));
  }
  for (unsigned i = 0; payload && i < width / 8; ++i)
    codes_[(at / 8 + i) / 4] |= (width / 8 + i) << (4 * ((at / 8 + i) % 4));
}

uint64_t Registers::getFlat(unsigned at, unsigned width) const {
  uint64_t value = 0;
  for (unsigned done = 0; done < width; done += 32)
    value |= uint64_t(words_[(at + done) / 32] >> (at % 32)) << done;
  return value & lowBits(width);
}

Registers randomRegisters(unsigned count, unsigned lanes, unsigned seed) {
  std::mt19937 random(seed);
  Registers registers(count, lanes);
  for (unsigned reg = 0; reg < count; ++reg)
    for (unsigned lane = 0; lane < lanes; ++lane)
      registers.word(reg, lane) = random();
  return registers;
}

//===-- Running ------------------------------------------------------------===//

namespace {

std::string kernelText(const Chip &chip, unsigned inputs, unsigned outputs,
                       const Snippet &snippet) {
  std::string text = "target datalayout = \"" + chip.layout + "\"\ntarget triple = \"" +
                     chip.triple + "\"\n" + snippet.declarations + "\n";
  const std::string id =
      chip.nvidia() ? "@llvm.nvvm.read.ptx.sreg.tid.x" : "@llvm.amdgcn.workitem.id.x";
  text += "declare i32 " + id + "()\n";
  text += "define " + chip.convention + " void @k(ptr %in, ptr %out) #0 {\n";
  text += "  %lane = call i32 " + id + "()\n";
  for (unsigned i = 0; !snippet.onMemory && i < inputs; ++i) {
    const std::string n = std::to_string(i);
    text += "  %i" + n + " = add i32 %lane, " + std::to_string(i * chip.lanes) + "\n";
    text += "  %p" + n + " = getelementptr i32, ptr %in, i32 %i" + n + "\n";
    text += "  %r" + n + " = load i32, ptr %p" + n + ", align 4\n";
  }
  text += snippet.body;
  for (unsigned i = 0; !snippet.onMemory && i < outputs; ++i) {
    const std::string n = std::to_string(i);
    text += "  %o" + n + " = add i32 %lane, " + std::to_string(i * chip.lanes) + "\n";
    text += "  %q" + n + " = getelementptr i32, ptr %out, i32 %o" + n + "\n";
    text += "  store i32 %d" + n + ", ptr %q" + n + ", align 4\n";
  }
  return text + "  ret void\n}\nattributes #0 = { \"target-cpu\"=\"" + chip.cpu +
         "\" \"target-features\"=\"" + chip.features + "\" }\n";
}

class ProblemLog : public Observer {
public:
  explicit ProblemLog(std::vector<Problem> &problems) : problems_(problems) {}
  void onProblem(const Wave &, const Problem &problem) override { problems_.push_back(problem); }

private:
  std::vector<Problem> &problems_;
};

// Buffers in memory: words, and shadow bytes with the payload nibbles.
uint64_t place(GlobalMemory &memory, const std::string &name, Registers registers) {
  const uint64_t at =
      memory.allocate(name, uint64_t(registers.count()) * registers.lanes() * 4, 256);
  for (unsigned reg = 0; reg < registers.count(); ++reg)
    for (unsigned lane = 0; lane < registers.lanes(); ++lane) {
      const uint64_t address = at + 4 * (reg * registers.lanes() + lane);
      std::memcpy(memory.bytesAt(address), &registers.word(reg, lane), 4);
      for (unsigned i = 0; i < 4; ++i)
        memory.shadowAt(address)[i] =
            uint8_t(shadow::ready | (registers.code(reg, lane) >> (4 * i) & 15) << 4);
    }
  return at;
}

void collect(GlobalMemory &memory, uint64_t at, Registers &registers) {
  for (unsigned reg = 0; reg < registers.count(); ++reg)
    for (unsigned lane = 0; lane < registers.lanes(); ++lane) {
      const uint64_t address = at + 4 * (reg * registers.lanes() + lane);
      std::memcpy(&registers.word(reg, lane), memory.bytesAt(address), 4);
      for (unsigned i = 0; i < 4; ++i)
        registers.code(reg, lane) |= uint32_t(memory.shadowAt(address)[i] >> 4) << (4 * i);
    }
}

} // namespace

Outcome tryExecute(const Chip &chip, const Registers &in, unsigned outputs, const Snippet &snippet,
                   const Field *field, unsigned threads) {
  Outcome outcome{Registers(outputs, chip.lanes), {}, {}};
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(kernelText(chip, in.count(), outputs, snippet),
                                          diagnostic, context);
  if (!module) {
    outcome.error = diagnostic.getMessage().str() + ": " + diagnostic.getLineContents().str();
    return outcome;
  }
  auto program = Decoder(*module, field).decode(*module->getFunction("k"));
  if (!program) {
    outcome.error = llvm::toString(program.takeError());
    return outcome;
  }
  GlobalMemory memory;
  placeGlobals(**program, memory);
  Launch launch;
  launch.block = {threads ? threads : chip.lanes, 1, 1};
  const uint64_t from = place(memory, "in", in), to = place(memory, "out", outcome.out);
  for (uint64_t address : {from, to}) {
    std::vector<uint8_t> bytes(8);
    std::memcpy(bytes.data(), &address, 8);
    launch.arguments.push_back(bytes);
    launch.argumentShadow.push_back(std::vector<uint8_t>(8, shadow::ready));
  }
  Machine machine(**program, memory, field);
  ProblemLog log(outcome.problems);
  machine.watch(log);
  outcome.error = machine.run(launch);
  for (const std::string &reason : machine.remarks().gaveUp)
    outcome.error += "the field gave up: " + reason;
  collect(memory, to, outcome.out);
  return outcome;
}

Registers execute(const Chip &chip, const Registers &in, unsigned outputs, const Snippet &snippet,
                  const Field *field) {
  Outcome outcome = tryExecute(chip, in, outputs, snippet, field);
  EXPECT_EQ(outcome.error, "") << snippet.body;
  for (const Problem &problem : outcome.problems)
    ADD_FAILURE() << toString(problem.kind) << " " << problem.detail << "\n" << snippet.body;
  return outcome.out;
}

//===-- Text ---------------------------------------------------------------===//

std::string vectorOf(unsigned count, const std::string &element) {
  return count == 1 ? element : "<" + std::to_string(count) + " x " + element + ">";
}

std::string packWords(const std::string &name, unsigned first, unsigned count,
                      const std::string &type) {
  if (count == 1)
    return "  %" + name + " = bitcast i32 %r" + std::to_string(first) + " to " + type + "\n";
  std::string body, vector = "poison";
  const std::string words = vectorOf(count, "i32");
  for (unsigned i = 0; i < count; ++i) {
    const std::string next = "%" + name + "_" + std::to_string(i);
    body += "  " + next + " = insertelement " + words + " " + vector + ", i32 %r" +
            std::to_string(first + i) + ", i32 " + std::to_string(i) + "\n";
    vector = next;
  }
  return body + "  %" + name + " = bitcast " + words + " " + vector + " to " + type + "\n";
}

std::string unpackWords(const std::string &name, unsigned count, const std::string &type) {
  if (count == 1)
    return "  %d0 = bitcast " + type + " %" + name + " to i32\n";
  const std::string words = vectorOf(count, "i32");
  std::string body = "  %" + name + "_w = bitcast " + type + " %" + name + " to " + words + "\n";
  for (unsigned i = 0; i < count; ++i)
    body += "  %d" + std::to_string(i) + " = extractelement " + words + " %" + name + "_w, i32 " +
            std::to_string(i) + "\n";
  return body;
}

namespace {

std::string typeOf(char constraint) {
  return constraint == 'd' ? "double" : constraint == 'f' ? "float" : "i32";
}
unsigned wordsOf(const PtxOperands &operands) {
  return operands.count * (operands.constraint == 'd' ? 2 : 1);
}

// "{$4,$5}" for each `{}`, numbered in order.
std::string numberOperands(const std::string &text, const std::vector<PtxOperands> &groups) {
  std::string out;
  unsigned next = 0, group = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "{}") != 0) {
      out += text[i];
      continue;
    }
    ++i;
    out += "{";
    for (unsigned n = 0; n < groups[group].count; ++n)
      out += (n ? ",$" : "$") + std::to_string(next++);
    out += "}";
    ++group;
  }
  return out;
}

// %d<word>.. from a value of a constraint's type.
std::string resultWords(const std::string &value, char constraint, unsigned word) {
  const std::string n = std::to_string(word);
  if (constraint != 'd')
    return "  %d" + n + " = bitcast " + typeOf(constraint) + " " + value + " to i32\n";
  std::string body = "  %z" + n + " = bitcast double " + value + " to <2 x i32>\n";
  for (unsigned i = 0; i < 2; ++i)
    body += "  %d" + std::to_string(word + i) + " = extractelement <2 x i32> %z" + n + ", i32 " +
            std::to_string(i) + "\n";
  return body;
}

} // namespace

std::string ptxStatement(const std::string &text, PtxOperands results,
                         const std::vector<PtxOperands> &inputs) {
  std::vector<PtxOperands> groups{results};
  groups.insert(groups.end(), inputs.begin(), inputs.end());
  std::string body, constraints, arguments;
  for (unsigned i = 0; i < results.count; ++i)
    constraints += std::string(i ? ",=" : "=") + results.constraint;
  unsigned word = 0, value = 0;
  for (const PtxOperands &group : inputs)
    for (unsigned i = 0; i < group.count; ++i, ++value) {
      const unsigned words = group.constraint == 'd' ? 2 : 1;
      const std::string name = "v" + std::to_string(value), type = typeOf(group.constraint);
      body += packWords(name, word, words, type);
      word += words;
      constraints += std::string(",") + group.constraint;
      arguments += (value ? ", " : "") + type + " %" + name;
    }
  std::string type = typeOf(results.constraint);
  if (results.count > 1) {
    type = "{" + type;
    for (unsigned i = 1; i < results.count; ++i)
      type += ", " + typeOf(results.constraint);
    type += "}";
  }
  body += "  %x = call " + type + " asm sideeffect \"" + numberOperands(text, groups) + "\", \"" +
          constraints + "\"(" + arguments + ")\n";
  for (unsigned i = 0; i < results.count; ++i) {
    std::string from = "%x";
    if (results.count > 1) {
      from = "%e" + std::to_string(i);
      body += "  " + from + " = extractvalue " + type + " %x, " + std::to_string(i) + "\n";
    }
    body += resultWords(from, results.constraint, i * wordsOf(results) / results.count);
  }
  return body;
}

//===-- Matrix products ----------------------------------------------------===//

namespace {

enum class Domain { Exact, Field };

// The plain matrices of a product: numbers, or residues.
class Matrix {
public:
  Matrix(int rows, int cols, int blocks) : rows_(rows), cols_(cols) {
    values_.resize(size_t(rows * cols * blocks));
  }
  int64_t &at(int row, int col, int block) {
    return values_[size_t((block * rows_ + row) * cols_ + col)];
  }
  std::vector<int64_t> &values() { return values_; }

private:
  int rows_, cols_;
  std::vector<int64_t> values_;
};

class Bench {
public:
  Bench(const Product &product, Domain domain)
      : p_(product), domain_(domain), field_(narrow() ? 8 : 16, 77), a_(p_.m, p_.k, p_.blocks),
        b_(p_.k, p_.n, p_.blocks), c_(p_.m, p_.n, p_.blocks),
        in_(p_.a.words() + p_.b.words() + p_.c.words() + unsigned(p_.more.size()), p_.chip.lanes) {}

  void run() {
    invent(p_.a, a_);
    invent(p_.b, b_);
    invent(p_.c, c_);
    unsigned word = 0;
    word = spread(p_.a, a_, word);
    word = spread(p_.b, b_, word);
    word = spread(p_.c, c_, word);
    for (uint32_t extra : p_.more) {
      for (unsigned lane = 0; lane < p_.chip.lanes; ++lane)
        in_.word(word, lane) = extra;
      ++word;
    }
    const Registers out = execute(p_.chip, in_, p_.d.words(), p_.snippet,
                                  domain_ == Domain::Field ? &field_ : nullptr);
    if (!testing::Test::HasFailure())
      compare(out);
  }

private:
  bool narrow() const { return isNarrow(p_.a) || isNarrow(p_.b); }
  static bool isNarrow(const Operand &o) { return o.format != FloatFormat::None && o.bits <= 8; }
  bool residues(const Operand &o) const {
    return domain_ == Domain::Field && o.format != FloatFormat::None && o.bits >= 8;
  }

  // Floats: small whole numbers, which no format rounds; 4-bit floats in the field as
  // well, for a payload does not fit them.
  void invent(const Operand &o, Matrix &matrix) {
    for (int64_t &x : matrix.values()) {
      const uint32_t random = random_();
      if (residues(o))
        x = random % field_.prime();
      else if (o.format != FloatFormat::None)
        x = int64_t(random % 7) - 3;
      else if (o.bits == 32)
        x = p_.saturate ? (random & 1 ? INT32_MAX - int64_t(random % 1000)
                                      : INT32_MIN + int64_t(random % 1000))
                        : int32_t(random);
      else
        x = int64_t(random & lowBits(o.bits)) -
            (o.isSigned ? int64_t(uint64_t(1) << (o.bits - 1)) : 0);
    }
  }

  uint64_t bitsOf(const Operand &o, int64_t value) const {
    if (o.format == FloatFormat::None || residues(o))
      return uint64_t(value);
    return encodeFloat(o.format, double(value));
  }

  unsigned spread(const Operand &o, Matrix &matrix, unsigned firstWord) {
    std::vector<bool> seen(matrix.values().size());
    for (unsigned lane = 0; lane < p_.chip.lanes; ++lane)
      for (unsigned e = 0; e < o.elements; ++e) {
        const Place at = o.at(int(lane), int(e));
        if (at.row < 0) { // not read: anything
          in_.put(lane, firstWord * 32 + o.bitOf(e), o.bits, random_(), false);
          continue;
        }
        int64_t &value = matrix.at(at.row, at.col, at.block);
        seen[size_t(&value - matrix.values().data())] = true;
        in_.put(lane, firstWord * 32 + o.bitOf(e), o.bits, bitsOf(o, value), residues(o));
      }
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](bool b) { return b; }))
        << p_.name << ": the test's formula leaves elements out";
    return firstWord + o.words();
  }

  uint64_t expected(const Place &at) {
    const int blockA = p_.blockOfA ? p_.blockOfA(at.block) : at.block;
    const int blockB = p_.blockOfB ? p_.blockOfB(at.block) : at.block;
    if (domain_ == Domain::Field && p_.d.format != FloatFormat::None)
      return sumOfResidues(at, blockA, blockB);
    int64_t sum = c_.at(at.row, at.col, at.block);
    for (int k = 0; k < p_.k; ++k) {
      const int64_t x = a_.at(at.row, k, blockA), y = b_.at(k, at.col, blockB);
      const int exponent = p_.exponent ? p_.exponent(at.row, at.col, k) : 0;
      sum += (p_.xorBits ? x ^ y : x * y) * (int64_t(1) << exponent);
    }
    if (p_.saturate)
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    return p_.d.format == FloatFormat::None ? uint64_t(sum) : encodeFloat(p_.d.format, double(sum));
  }
  // Residues add and multiply modulo the prime; numbers are mapped to it first.
  uint64_t residueIn(const Operand &o, int64_t value) const {
    const int64_t prime = int64_t(field_.prime());
    return residues(o) ? uint64_t(value) : uint64_t((value % prime + prime) % prime);
  }
  uint64_t sumOfResidues(const Place &at, int blockA, int blockB) {
    const uint64_t prime = field_.prime();
    uint64_t sum = residueIn(p_.c, c_.at(at.row, at.col, at.block));
    for (int k = 0; k < p_.k; ++k) {
      uint64_t product = residueIn(p_.a, a_.at(at.row, k, blockA)) *
                         residueIn(p_.b, b_.at(k, at.col, blockB)) % prime;
      for (int i = p_.exponent ? p_.exponent(at.row, at.col, k) : 0; i > 0; --i)
        product = product * 2 % prime;
      sum = (sum + product) % prime;
    }
    return sum;
  }

  void compare(const Registers &out) {
    for (unsigned lane = 0; lane < p_.chip.lanes; ++lane)
      for (unsigned e = 0; e < p_.d.elements; ++e) {
        const Place at = p_.d.at(int(lane), int(e));
        const unsigned bit = p_.d.bitOf(e);
        ASSERT_EQ(out.get(lane, bit, p_.d.bits), expected(at) & lowBits(p_.d.bits))
            << p_.name << " on " << p_.chip.cpu << (domain_ == Domain::Field ? " in the field" : "")
            << ", lane " << lane << ", element " << e << ": block " << at.block << " (" << at.row
            << ", " << at.col << ")";
        ASSERT_EQ(out.isPayload(lane, bit, p_.d.bits), residues(p_.d)) << p_.name;
      }
  }

  const Product &p_;
  Domain domain_;
  Field field_;
  Matrix a_, b_, c_;
  Registers in_;
  std::mt19937 random_{4711};
};

} // namespace

void check(const Product &product) {
  for (const Operand *operand : {&product.a, &product.b, &product.c, &product.d})
    ASSERT_TRUE(operand->at && operand->elements) << product.name;
  Bench(product, Domain::Exact).run();
  if (product.a.format != FloatFormat::None && !testing::Test::HasFailure())
    Bench(product, Domain::Field).run();
}

} // namespace layout_port::verify::golden
