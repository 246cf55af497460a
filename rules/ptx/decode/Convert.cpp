#include "ptx/decode/Convert.h"

#include "ptx/Opcodes.h"

namespace layout_port::ptx {
namespace {

bool isRoundingToInteger(const Instruction &i) {
  return i.has("rni") || i.has("rzi") || i.has("rmi") || i.has("rpi");
}

bool isBelow(Type narrow, Type wide) { return bitsOf(narrow) < bitsOf(wide); }

// Scalar floats and integers: which conversions must, may or cannot round.
std::optional<Problem> checkScalarRounding(const Instruction &i, const Convert &c) {
  const bool floats = isFloat(c.to) || isFloat(c.from);
  const bool rounds = c.rounding != Rounding::None;
  if (!floats && rounds)
    return problemAt(i.opcodeOffset, i.spelling() + ": integers are not rounded");
  if (isFloat(c.from) && isInteger(c.to) && !c.toInteger)
    return problemAt(i.opcodeOffset, i.spelling() + " needs .rni, .rzi, .rmi or .rpi");
  if (isInteger(c.from) && isFloat(c.to) && (!rounds || c.toInteger))
    return problemAt(i.opcodeOffset, i.spelling() + " needs .rn, .rz, .rm or .rp");
  if (isFloat(c.from) && isFloat(c.to) && isBelow(c.to, c.from) && (!rounds || c.toInteger))
    return problemAt(i.opcodeOffset, i.spelling() + " needs .rn, .rz, .rm or .rp");
  if (c.to == c.from && isFloat(c.to) && rounds && !c.toInteger)
    return problemAt(i.opcodeOffset, i.spelling() + " rounds only to integers");
  if (c.rounding == Rounding::NearestAway && c.to != Type::TF32)
    return problemAt(offsetOf(i, "rna"), ".rna belongs to conversions to .tf32");
  return std::nullopt;
}

std::optional<Problem> checkTf32(const Instruction &i, const Convert &c) {
  if (c.from == Type::TF32)
    return problemAt(i.opcodeOffset, "cvt does not convert from .tf32");
  if (c.to != Type::TF32)
    return std::nullopt;
  if (c.from != Type::F32 || c.rounding == Rounding::None || c.toInteger)
    return problemAt(i.opcodeOffset, "cvt to .tf32 is cvt.rna.tf32.f32, .rn or .rz");
  return std::nullopt;
}

// .relu and .satfinite clamp while an f32 is narrowed to nearest or to zero; the
// packed forms say so themselves.
std::optional<Problem> checkClamps(const Instruction &i, const Convert &c) {
  if (lanesOf(c.to) > 1 || (!c.relu && !c.satfinite))
    return std::nullopt;
  const bool narrowed = c.to == Type::F16 || c.to == Type::BF16 || c.to == Type::TF32;
  const bool rounded = c.rounding != Rounding::Up && c.rounding != Rounding::Down && !c.toInteger;
  if (narrowed && rounded && c.from == Type::F32)
    return std::nullopt;
  const std::string_view flag = c.relu ? "relu" : "satfinite";
  return problemAt(offsetOf(i, flag), "." + std::string(flag) +
                                          " belongs to f32 made f16, bf16 or tf32 by .rn or .rz");
}

std::optional<Problem> checkFlags(const Instruction &i, const Convert &c) {
  if (auto problem = checkClamps(i, c))
    return problem;
  if (c.flush && c.from != Type::F32 && c.to != Type::F32)
    return problemAt(offsetOf(i, "ftz"), ".ftz needs an f32");
  if (c.saturate && (c.to == Type::BF16 || c.to == Type::TF32))
    return problemAt(offsetOf(i, "sat"), "bf16 and tf32 are not saturated to [0, 1]");
  return std::nullopt;
}

// The sources of `cvt.pack` are not converted in value, only clamped.
std::optional<Problem> checkMeaning(const Instruction &i, const Convert &c) {
  if (c.pack)
    return std::nullopt;
  if (auto problem = checkFlags(i, c))
    return problem;
  if (lanesOf(c.to) > 1 || lanesOf(c.from) > 1)
    return std::nullopt;
  if (auto problem = checkTf32(i, c))
    return problem;
  return checkScalarRounding(i, c);
}

} // namespace

Outcome<Convert> decodeConvert(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  Convert c;
  const std::vector<Type> types = typesOf(i);
  c.to = types[0];
  c.from = types[1];
  c.rounding = roundingOf(i);
  c.toInteger = isRoundingToInteger(i);
  c.flush = i.has("ftz");
  c.saturate = i.has("sat");
  c.relu = i.has("relu");
  c.satfinite = i.has("satfinite");
  c.pack = i.has("pack");
  c.destination = &i.operands[0];
  for (std::size_t s = 1; s < i.operands.size(); ++s)
    c.sources.push_back(&i.operands[s]);
  if (auto problem = checkMeaning(i, c))
    return *problem;
  return c;
}

} // namespace layout_port::ptx
