#include "tensor/mma/Bridge.h"

#include <map>

namespace layout_port {

using isa::MatrixInstruction;
using ptx::Type;

std::vector<std::string> numbered(const std::string &name, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i)
    names.push_back(name + std::to_string(i));
  return names;
}

std::string joined(const std::vector<std::string> &parts, const std::string &prefix) {
  std::string out;
  for (const std::string &part : parts)
    out += (out.empty() ? "" : ", ") + prefix + part;
  return out;
}

bool hasWholeWaveArm(const ptx::Mma &mma) { return mma.blocks == 1; }

std::string bridgeName(const ptx::Mma &mma) {
  const auto spelled = [](Type type) { return "_" + std::string(ptx::spell(type)); };
  std::string name = "mma_m" + std::to_string(mma.m) + "n" + std::to_string(mma.n) + "k" +
                     std::to_string(mma.k) + spelled(mma.typeD) + spelled(mma.typeA);
  if (mma.typeB != mma.typeA)
    name += spelled(mma.typeB);
  if (mma.satfinite)
    name += "_satfinite";
  if (mma.blocks > 1)
    name += std::string(mma.orderA == ptx::MatrixOrder::Row ? "_row" : "_col") +
            (mma.orderB == ptx::MatrixOrder::Row ? "_row" : "_col");
  return name;
}

namespace {

class Writer {
public:
  Writer(const ptx::Mma &mma, const MatrixInstruction &source) : mma_(mma), source_(source) {}

  Result<RuntimeChunk> write(bool halfWaveOnly) {
    chunk_.name = bridgeName(mma_) + (halfWaveOnly ? "_halves" : "");
    chunk_.needs = {"lane", "bits", mma_.typeA == Type::F64 ? "from_lane_f64" : "from_lane"};
    const Result<std::string> half = halfWaveArm(mma_, source_, chunk_.needs);
    if (!half)
      return half.error();
    std::string arms = "  {\n" + *half + "  }\n";
    std::string mfmas;
    if (!halfWaveOnly && hasWholeWaveArm(mma_)) {
      const Result<std::vector<Bridge>> bridges = planBridges(mma_, source_);
      if (!bridges)
        return bridges.error();
      chunk_.needs.push_back("whole_wave");
      arms = "  if (whole_wave()) {\n" + wholeWave(*bridges) + "  } else {\n" + *half + "  }\n";
      mfmas = mnemonics(*bridges);
    }
    chunk_.text = heading(mfmas) + signature() + " {\n" + "  const unsigned lane = lane64();\n  " +
                  sumType(mma_.typeD).scalar + " " + joined(numbered("r", resultsPerLane())) +
                  ";\n" + arms + store() + "}\n";
    return chunk_;
  }

private:
  int resultsPerLane() const { return static_cast<int>(mma_.m * mma_.n * mma_.blocks / 32); }

  // One arm a group of chips; the oldest chips' is the last and needs no condition.
  std::string wholeWave(const std::vector<Bridge> &bridges) {
    if (bridges.size() == 1)
      return wholeWaveArm(mma_, bridges[0], chunk_.needs);
    std::string out;
    for (size_t i = 0; i < bridges.size(); ++i) {
      std::string condition;
      for (const isa::Arch arch : bridges[i].archs)
        condition += (condition.empty() ? "defined(__" : " || defined(__") +
                     std::string(isa::archName(arch)) + "__)";
      out += i == 0                   ? "#if " + condition + "\n"
             : i + 1 < bridges.size() ? "#elif " + condition + "\n"
                                      : "#else\n";
      out += wholeWaveArm(mma_, bridges[i], chunk_.needs);
    }
    return out + "#endif\n";
  }

  static std::string mnemonics(const std::vector<Bridge> &bridges) {
    std::string out;
    for (const Bridge &bridge : bridges)
      out += (out.empty() ? "" : " or ") + bridge.mfma->mnemonic(bridge.archs.front());
    return out;
  }

  std::string heading(const std::string &mfmas) const {
    std::string out = "// " + mma_.name +
                      " of the two warps of a wave, D = A * B + C. Fragments come and go\n"
                      "// in their CUDA layout. ";
    if (mfmas.empty())
      return out + "Each lane adds up its own elements, without MFMA.\n";
    return out + mfmas +
           ", transposed: B of both warps is the first\n"
           "// operand, A the second. A wave that is not whole must not use MFMA: there each\n"
           "// lane adds up its own elements.\n";
  }

  std::string signature() const {
    // A row that the author never stores may come from lanes that loaded nothing.
    const std::string word =
        mma_.typeA == Type::F64 ? "LP_MAYBE_UNDEF double " : "LP_MAYBE_UNDEF unsigned ";
    const auto of = [](const char *name, const auto &registers, const std::string &prefix) {
      return joined(numbered(name, static_cast<int>(registers.size())), prefix);
    };
    return "template <class D, class C>\n__device__ __forceinline__ void " + chunk_.name + "(" +
           of("d", mma_.d, "D &") + ",\n    " + of("a", mma_.a, word) + ", " +
           of("b", mma_.b, word) + ",\n    " + of("c", mma_.c, "C ") + ")";
  }

  // D = C + r, in D's type. Two f16 sums share a register and are rounded once.
  std::string store() {
    std::string out;
    const auto assign = [&](int i, const std::string &value) {
      out += "  d" + std::to_string(i) + " = bits<D>(" + value + ");\n";
    };
    for (int i = 0; i < static_cast<int>(mma_.d.size()); ++i) {
      const std::string c = "c" + std::to_string(i), r = "r" + std::to_string(i);
      switch (mma_.typeD) {
      case Type::F16:
        assign(i, "add_f16x2(bits<unsigned>(" + c + "), r" + std::to_string(2 * i) + ", r" +
                      std::to_string(2 * i + 1) + ")");
        break;
      case Type::S32:
        if (mma_.satfinite)
          assign(i, "__builtin_elementwise_add_sat(bits<int>(" + c + "), " + r + ")");
        else
          assign(i, "bits<unsigned>(" + c + ") + unsigned(" + r + ")");
        break;
      default:
        assign(i, std::string("bits<") + sumType(mma_.typeD).scalar + ">(" + c + ") + " + r);
      }
    }
    if (mma_.typeD == Type::F16)
      chunk_.needs.push_back("add_f16x2");
    return out;
  }

  const ptx::Mma &mma_;
  const MatrixInstruction &source_;
  RuntimeChunk chunk_;
};

Result<RuntimeChunk> writeMma(const ptx::Mma &mma, bool halfWaveOnly) {
  if (mma.typeC != mma.typeD)
    return makeError("%s starts from sums of another type, which lie in other lanes",
                     mma.name.c_str());
  if (mma.rounding != ptx::Rounding::None && mma.rounding != ptx::Rounding::NearestEven)
    return makeError("%s with a rounding other than to nearest", mma.name.c_str());
  const auto source = isa::findMatrixInstruction(mma.fragment, isa::Arch::Nvidia);
  if (!source)
    return source.error();
  return Writer(mma, **source).write(halfWaveOnly);
}

} // namespace

// Planning tries all gauges; a kernel names the same few instructions many times.
Result<RuntimeChunk> bridgeMma(const ptx::Mma &mma, bool halfWaveOnly) {
  static std::map<std::pair<std::string, bool>, RuntimeChunk> written;
  const std::pair<std::string, bool> key{bridgeName(mma), halfWaveOnly};
  if (const auto it = written.find(key);
      it != written.end() && mma.typeC == mma.typeD && mma.rounding == ptx::Rounding::None)
    return it->second;
  Result<RuntimeChunk> chunk = writeMma(mma, halfWaveOnly);
  if (chunk)
    written[key] = *chunk;
  return chunk;
}

} // namespace layout_port
