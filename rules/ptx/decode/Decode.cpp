#include "ptx/decode/Decode.h"

#include "ptx/Opcodes.h"

namespace layout_port::ptx {
namespace {

// One kind of meaning as any meaning.
template <typename T> Outcome<Meaning> widen(Outcome<T> one) {
  if (!one)
    return one.error();
  return Meaning(std::move(*one));
}

using Decoder = Outcome<Meaning> (*)(const Instruction &, const Block &);

template <auto function> Outcome<Meaning> as(const Instruction &i, const Block &) {
  return widen(function(i));
}

Outcome<Meaning> asAsyncCopy(const Instruction &i, const Block &block) {
  return widen(decodeAsyncCopy(i, block));
}

struct Entry {
  std::string_view key; // of the opcode table
  Decoder decoder;
};

// Rows that are not here are Arithmetic, whose opcodes Operations.inc lists.
constexpr Entry entries[] = {
    {"mma", as<decodeMma>},
    {"ldmatrix", as<decodeMatrixMove>},
    {"stmatrix", as<decodeMatrixMove>},
    {"movmatrix", as<decodeMatrixMove>},
    {"cp.async", asAsyncCopy},
    {"cp.async.commit_group", as<decodeAsyncWait>},
    {"cp.async.wait_group", as<decodeAsyncWait>},
    {"cp.async.wait_all", as<decodeAsyncWait>},
    {"mov", as<decodeMove>},
    {"cvta", as<decodeCvta>},
    {"cvt", as<decodeConvert>},
    {"cvt.pack", as<decodeConvert>},
    {"lop3", as<decodeLop3>},
    {"prmt", as<decodePrmt>},
    {"shf", as<decodeShf>},
    {"dp4a", as<decodeDotProduct>},
    {"dp2a", as<decodeDotProduct>},
    {"setp", as<decodeCompare>},
    {"set", as<decodeCompare>},
    {"selp", as<decodeSelect>},
    {"slct", as<decodeSelect>},
    {"testp", as<decodeFloatTest>},
    {"shfl.sync", as<decodeShuffle>},
    {"vote.sync", as<decodeVote>},
    {"match.sync", as<decodeMatch>},
    {"redux.sync", as<decodeReduce>},
    {"activemask", as<decodeActiveMask>},
    {"elect.sync", as<decodeElect>},
    {"ld", as<decodeAccess>},
    {"ldu", as<decodeAccess>},
    {"st", as<decodeAccess>},
    {"atom", as<decodeAtomic>},
    {"red", as<decodeAtomic>},
    {"prefetch", as<decodeCacheControl>},
    {"prefetchu", as<decodeCacheControl>},
    {"createpolicy.fractional", as<decodeCacheControl>},
    {"createpolicy.range", as<decodeCacheControl>},
    {"createpolicy.cvt", as<decodeCacheControl>},
    {"applypriority", as<decodeCacheControl>},
    {"discard", as<decodeCacheControl>},
    {"isspacep", as<decodeSpaceTest>},
    {"membar", as<decodeFence>},
    {"fence", as<decodeFence>},
    {"bar.sync", as<decodeBarrier>},
    {"bar.arrive", as<decodeBarrier>},
    {"bar.red", as<decodeBarrier>},
    {"barrier.sync", as<decodeBarrier>},
    {"barrier.arrive", as<decodeBarrier>},
    {"barrier.red", as<decodeBarrier>},
    {"bar.warp.sync", as<decodeWarpBarrier>},
    {"trap", as<decodeControl>},
    {"brkpt", as<decodeControl>},
    {"exit", as<decodeControl>},
    {"nanosleep", as<decodeControl>},
};

} // namespace

Outcome<Meaning> decode(const Instruction &i, const Block &block) {
  if (auto problem = check(i))
    return *problem;
  const std::string_view key = findOpcode(i)->key;
  for (const Entry &entry : entries)
    if (entry.key == key)
      return entry.decoder(i, block);
  return widen(decodeArithmetic(i));
}

} // namespace layout_port::ptx
