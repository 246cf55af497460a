// WaveRun's warp-wide instructions: mma, ldmatrix, shuffles. A register of rows r and
// r + 8, m3, trades places with the warp's number, h:
//
//               register          lanes                         lane bit 5
//   CUDA        n0  m3            n1 n2 m0 m1 m2                h
//   exchanged   n0  h             m0 m1 m2 m3 (bits 0-3) n1 n2 (bits 4, 5)
#include "native/WaveRun.h"

#include "native/AstRead.h"
#include "native/Effects.h"
#include "native/Numbers.h"
#include "ptx/Parser.h"
#include "ptx/decode/MatrixMove.h"
#include "ptx/decode/Mma.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

uint64_t joined(uint64_t a, uint64_t b) { return mixed(a * 0x9e3779b97f4a7c15 + b + 1); }

constexpr int kRows = 16, kWarps = 2, kQuad = 4, kUpperRows = 8;

// Where (warp, row m, quad lane n12) is: the thread, and which register bit it takes.
struct Where {
  int thread = 0, bit = 0;
};
Where whereIs(int warp, int row, int quad, bool isExchanged) {
  if (isExchanged)
    return {row | quad << 4, warp};
  return {quad | (row & 7) << 2 | warp << 5, row >> 3};
}

// The lane mask that `mask` of CUDA's lanes has become.
int exchangedMask(int mask) { return (mask & 3) << 4 | mask >> 2; }

bool exprsOf(const GCCAsmStmt &stmt, const std::vector<const ptx::Operand *> &operands,
             std::vector<const Expr *> &out) {
  for (const ptx::Operand *operand : operands) {
    out.push_back(operandOf(stmt, *operand));
    if (!out.back())
      return false;
  }
  return true;
}

// The sums that a product is added to; null where the text has a number.
bool sumsOf(const GCCAsmStmt &stmt, const std::vector<const ptx::Operand *> &operands,
            std::vector<const Expr *> &out) {
  for (const ptx::Operand *operand : operands) {
    out.push_back(operandOf(stmt, *operand));
    if (!out.back() && !operand->is(ptx::Operand::Kind::Immediate))
      return false;
  }
  return true;
}

// [%0], and nothing added to it.
const Expr *addressOf(const GCCAsmStmt &stmt, const ptx::Operand &operand) {
  const bool isPlain = operand.is(ptx::Operand::Kind::Address) && operand.elements.size() == 1 &&
                       operand.offset == 0 && !operand.elements[0].negated;
  return isPlain ? operandOf(stmt, operand.elements[0]) : nullptr;
}

bool mentionsAny(StringRef text, std::initializer_list<const char *> words) {
  return llvm::any_of(words, [&](const char *word) { return text.contains(word); });
}

} // namespace

// Turned: r0 = n2, lanes 4,5 = j1 j2, tile bits 1,2 = n0 n1; in halves r0 = n1, lanes 4,5 = n2 j1,
// tile bit 1 = n0 (Scheme.h).
static TileColumn columnOf(Turn turned, int64_t tile, int low, int quad) {
  if (turned == Turn::InHalves)
    return {(tile & ~int64_t(3)) | (tile & 1) | quad >> 1 << 1,
            static_cast<int>(tile >> 1 & 1) | low << 1 | (quad & 1) << 2};
  return {(tile & ~int64_t(7)) | (tile & 1) | quad << 1,
          static_cast<int>(tile >> 1 & 3) | low << 2};
}

std::optional<WaveValue> exchanged(const CellKey &key, const CarriedCell &cell, Turn turned,
                                   const std::function<const WaveValue *(const CellKey &)> &of) {
  WaveValue out;
  out.rows = cell.rows;
  if (turned == Turn::None) {
    if (!cell.partner)
      return std::nullopt;
    const int warp = cell.rows == 2;
    const WaveValue *lower = of(warp ? *cell.partner : key);
    const WaveValue *upper = of(warp ? key : *cell.partner);
    if (!lower || !upper)
      return std::nullopt;
    out.isNumber = lower->isNumber && upper->isNumber;
    for (int row = 0; row < kRows; ++row)
      for (int quad = 0; quad < kQuad; ++quad) {
        const int from = whereIs(warp, row, quad, false).thread;
        out.of[whereIs(warp, row, quad, true).thread] =
            (row >= kUpperRows ? upper : lower)->of[from];
      }
    return out;
  }
  const int64_t element = key.offset / 4, tile = element / 4, reg = element % 4;
  const int warp = static_cast<int>(reg >> 1);
  for (int row = 0; row < kRows; ++row)
    for (int quad = 0; quad < kQuad; ++quad) {
      const TileColumn column = columnOf(turned, tile, static_cast<int>(reg & 1), quad);
      const int64_t from =
          (column.tile * 4 + (column.n & 1) + (row >= kUpperRows ? 2 : 0)) * 4;
      const WaveValue *value = of({key.root, from, key.bytes});
      if (!value)
        return std::nullopt;
      out.of[whereIs(warp, row, quad, true).thread] =
          value->of[whereIs(warp, row, column.n >> 1, false).thread];
    }
  return out;
}

// ---- asm ---------------------------------------------------------------------------

void WaveRun::assembly(const GCCAsmStmt *s) {
  ++effects_;
  const std::string text = s->getAsmString();
  if (!mentionsAny(text, {"mma.", "ldmatrix"}))
    return otherAssembly(s);
  if (const auto sums = rowSumsOf(*s, context_))
    return sumRows(s, *sums);
  const auto block = ptx::parse(text);
  if (!block || block->instructions.size() != 1)
    return skip(s);
  const ptx::Instruction &instruction = block->instructions[0];
  if (instruction.opcode == "mma") {
    const auto mma = ptx::decodeMma(instruction);
    std::vector<const Expr *> d, a, b, c;
    if (!mma || !exprsOf(*s, mma->d, d) || !exprsOf(*s, mma->a, a) || !exprsOf(*s, mma->b, b) ||
        !sumsOf(*s, mma->c, c) || mma->m != kRows || mma->n != 8 || d.size() != c.size())
      return skip(s);
    return multiply(s, d, a, b, c);
  }
  const auto move = ptx::decodeMatrixMove(instruction);
  std::vector<const Expr *> registers;
  if (!move || instruction.opcode != "ldmatrix" || !exprsOf(*s, move->registers, registers))
    return skip(s);
  loadMatrices(s, registers);
}

// What a fragment's load puts into a register is one name: how it lies there is the
// business of whoever ports the load.
void WaveRun::loadMatrices(const GCCAsmStmt *s, const std::vector<const Expr *> &to) {
  ++touches_;
  if (controlRows_)
    refuse("fragments are loaded where results say so", s);
  ++counter_;
  for (unsigned i = 0; i < s->getNumInputs(); ++i)
    rvalue(s->getInputExpr(i));
  for (size_t i = 0; i < to.size(); ++i) {
    WaveValue value = threadName(joined(joined(0x1d, counter_), i));
    value.loaded = joined(joined(0x1d, counter_), i);
    write(place(to[i]), sizeOf(to[i]->getType()), {value, {}}, s);
  }
}

// Matrices of 8 rows, of which lane 4 r + c has columns 2 c and 2 c + 1 of row r. Row r of matrix
// m goes to where lane 8 m + r says; turned, column r does.
static WaveValue placesOfMatrix(const WaveValue &address, int matrix, bool isTurned) {
  WaveValue places;
  for (int t = 0; t < kWaveThreads; ++t) {
    const int first = (t & ~31) + matrix * kRows / 2, row = t % 32 / kQuad, quad = t % kQuad;
    const auto at = [&](int lane) { return address.of[first + lane]; };
    places.of[t] =
        isTurned ? joined(joined(at(quad * 2), at(quad * 2 + 1)), row) : joined(at(row), quad);
  }
  return places;
}

// Whether a matrix has rows r or rows r + 8 of a tile is a bit of its number. None: something else.
static std::optional<int> bitOfRows(const std::vector<uint8_t> &rows) {
  for (int bit = 0; (2u << bit) <= rows.size(); ++bit) {
    bool holds = true;
    for (size_t i = 0; i < rows.size(); ++i)
      holds &= rows[i] == 1u + (i >> bit & 1);
    if (holds)
      return bit;
  }
  return std::nullopt;
}

// stmatrix of results: the lanes that have them here write them, as they do what is assigned.
// False: it is of something else, or has to stay as it is.
bool WaveRun::storeMatrices(const GCCAsmStmt *s) {
  const auto block = ptx::parse(s->getAsmString());
  const ptx::Instruction *store =
      block && block->instructions.size() == 1 ? &block->instructions[0] : nullptr;
  if (!store || store->opcode != "stmatrix" || store->guard)
    return false;
  const auto move = ptx::decodeMatrixMove(*store);
  StoredMatrices found;
  found.code = s;
  const bool isStore = move && move->kind == ptx::MatrixMove::Kind::Store &&
                       move->space == ptx::Space::Shared && move->address;
  found.address = isStore ? addressOf(*s, *move->address) : nullptr;
  if (!found.address || s->getNumOutputs() || !exprsOf(*s, move->registers, found.matrices) ||
      s->getNumInputs() != found.matrices.size() + 1)
    return false;
  for (unsigned i = 0; i < s->getNumInputs(); ++i)
    if (changesVariables(s->getInputExpr(i)))
      return false;
  found.isTurned = move->transposed;
  std::vector<Value> values;
  std::vector<uint8_t> rows;
  for (const Expr *matrix : found.matrices) {
    values.push_back(rvalue(matrix));
    rows.push_back(values.back().wave.rows);
  }
  if (llvm::all_of(rows, [](uint8_t of) { return of == 0; }))
    return false;
  if (layout_.watched) {
    ++touches_;
    return true;
  }
  if (!layout_.mode.storesResults)
    return refuse(kStored, s), true;
  const Value address = rvalue(found.address);
  const auto bit = bitOfRows(rows);
  if (!bit)
    return refuse("stmatrix is not given rows r and rows r + 8 of tiles, in this order", s), true;
  if (controlRows_ || frames_.size() > 2 || address.pointee || address.wave.rows ||
      address.wave.isLost() || llvm::any_of(values, [](const Value &v) { return v.pointee; }))
    return refuse("where stmatrix stores results is not clear", s), true;
  found.bit = *bit;
  found.call =
      frames_.size() == 2 && !turns_.empty() ? dyn_cast<CallExpr>(turns_.back().first) : nullptr;
  if (frames_.size() == 2 && !found.call)
    return refuse("where stmatrix stores results is not clear", s), true;
  const auto known =
      storedMatrices.insert({found.call ? static_cast<const Stmt *>(found.call) : s, found});
  if (known.first->second.bit != *bit)
    return refuse("one stmatrix stores tiles of several kinds", s), true;
  const size_t count = found.matrices.size();
  std::vector<WaveValue> places;
  for (size_t i = 0; i < count; ++i)
    places.push_back(placesOfMatrix(address.wave, static_cast<int>(i), found.isTurned));
  for (size_t i = 0; i < count && !isRehearsal_; ++i)
    places[i] = meeting(found.matrices[i], std::move(places[i]), rows[i], memory_);
  for (size_t i = 0; i < count; ++i)
    noteStore(found.matrices[i], values[i].wave, places[i], s);
  forgetLost();
  return true;
}

void WaveRun::otherAssembly(const GCCAsmStmt *s) {
  if (storeMatrices(s))
    return;
  const std::string text = s->getAsmString();
  const bool acts = !actsInPtx(*s).empty();
  effects_ += acts;
  touches_ += acts || mentionsAny(text, {"ld."});
  std::vector<Value> values;
  for (unsigned i = 0; i < s->getNumInputs(); ++i)
    values.push_back(rvalue(s->getInputExpr(i)));
  for (unsigned i = 0; i < s->getNumOutputs(); ++i)
    if (s->isOutputPlusConstraint(i))
      values.push_back(read(place(s->getOutputExpr(i)), s->getOutputExpr(i)->getType(), s));
  uint8_t rows = 0;
  std::vector<const WaveValue *> of;
  for (const Value &value : values) {
    rows |= value.wave.rows;
    of.push_back(&value.wave);
    lose(value, s);
  }
  forgetLost();
  const bool isOwn = mentionsAny(text, {"%tid", "laneid", "lanemask", "warpid", "clock", "timer",
                                        "%%", "shfl", "vote", "activemask", "match", "redux",
                                        "elect", "bar", "ld.", "atom", "red.", "st.", "matrix"});
  if ((rows || controlRows_) && isOwn)
    refuse("asm that reads or changes more than its operands is given results", s);
  if (isOwn && llvm::any_of(values, [](const Value &value) { return value.wave.isLost(); }))
    refuse("what goes into results is given to asm that does more with it", s);
  ++counter_;
  for (unsigned i = 0; i < s->getNumOutputs(); ++i) {
    const Expr *output = s->getOutputExpr(i);
    const WaveValue value = isOwn ? fresh() : combine(joined(hashOf(text), i), of);
    write(place(output), sizeOf(output->getType()), {value, {}}, s);
  }
}

// ---- mma ---------------------------------------------------------------------------

// Names for the rows of the first operand: (warp, row) at warp * 16 + row.
std::vector<uint64_t> WaveRun::rowNames(const std::vector<Value> &a) const {
  std::vector<uint64_t> names(kWarps * kRows, 0);
  const bool isLoaded = llvm::all_of(a, [](const Value &value) { return value.wave.loaded != 0; });
  for (int warp = 0; warp < kWarps; ++warp)
    for (int row = 0; row < kRows; ++row) {
      uint64_t &name = names[warp * kRows + row];
      if (isLoaded) {
        for (const Value &value : a)
          name = joined(name, value.wave.loaded);
        name = joined(joined(name, warp), layout_.isSymmetric ? row & 7 : row);
        continue;
      }
      for (size_t high = 0; high < a.size(); high += 2)
        for (int quad = 0; quad < kQuad; ++quad) {
          const Where at = whereIs(warp, row, quad, layout_.isExchanged);
          name = joined(name, a[high + at.bit].wave.of[at.thread]);
        }
    }
  return names;
}

void WaveRun::noteChanged(const Expr &operand) {
  if (!operand.isGLValue() && !isa<ImplicitCastExpr>(operand))
    return;
  const Expr *named = operand.IgnoreParenImpCasts();
  if (!named->isGLValue())
    return;
  const Place at = place(named);
  const auto size = static_cast<int64_t>(sizeOf(named->getType()));
  if (at.isOwn && at.isExact && carried_.variables[at.root])
    changed.add(carried_.variables[at.root], at.offset, at.offset + size);
}

void WaveRun::multiply(const GCCAsmStmt *s, const std::vector<const Expr *> &d,
                       const std::vector<const Expr *> &a, const std::vector<const Expr *> &b,
                       const std::vector<const Expr *> &c) {
  ++products_;
  if (controlRows_)
    refuse("fragments are multiplied where results say so", s);
  std::vector<Value> first, sum;
  for (const Expr *e : a) {
    first.push_back(rvalue(e));
    if (!first.back().wave.rows && !first.back().wave.loaded)
      noteChanged(*e);
  }
  for (const Expr *e : b) {
    const WaveValue value = rvalue(e).wave;
    if (value.rows)
      refuse("results become the second operand", s);
    if (value.isLost())
      refuse("what goes into results becomes the second operand", s);
  }
  for (const Expr *e : c)
    sum.push_back(e ? rvalue(e) : Value());
  std::vector<Place> written, to;
  for (const Expr *e : d) {
    written.push_back(place(e));
    to.push_back(takenTo(written.back()));
  }
  const bool isPacked = d.size() == 2;
  const auto isTile = [&] {
    for (size_t i = 0; i < to.size(); ++i)
      if (!to[i].isOwn || !to[i].isExact || to[i].root != to[0].root ||
          to[i].offset != to[0].offset + static_cast<int64_t>(4 * i))
        return false;
    return to[0].offset % static_cast<int64_t>(4 * to.size()) == 0;
  };
  if (first.size() % 2 || (d.size() != 4 && d.size() != 2) || !to[0].isOwn)
    return skip(s);
  Accumulator &known = accumulators[to[0].root];
  known.registers = static_cast<unsigned>(d.size());
  known.isWhole &= isTile();
  const Turn turned = turnOf(layout_.turned, to[0].root);
  const bool isTurned = turned != Turn::None;
  const std::vector<uint64_t> rows = rowNames(first);
  Event event{{s, 0}, s, {}, rows};
  if (!isRehearsal_ && !isTurned)
    events.push_back(event);
  // Turned tiles are not CUDA's, so which mma it was cannot be part of a name.
  const uint64_t site =
      isTurned ? to[0].root : joined(joined(to[0].root, to[0].offset), ++counter_);
  const int64_t tile = to[0].offset / static_cast<int64_t>(4 * to.size());
  std::vector<WaveValue> results(d.size());
  for (int warp = 0; warp < kWarps; ++warp)
    for (int row = 0; row < kRows; ++row)
      for (int quad = 0; quad < kQuad; ++quad)
        for (int low = 0; low < (isPacked ? 1 : 2); ++low) {
          const Where at = whereIs(warp, row, quad, layout_.isExchanged);
          const int reg = isPacked ? at.bit : low | at.bit << 1;
          int64_t column = tile * 8 + low + quad * 2;
          if (isTurned && layout_.isExchanged) {
            const TileColumn its = columnOf(turned, tile, low, quad);
            column = its.tile * 8 + its.n;
          }
          const uint64_t old = joined(sum[reg].wave.isNumber, sum[reg].wave.of[at.thread]);
          results[reg].of[at.thread] =
              joined(joined(joined(site, column), rows[warp * kRows + row]), old);
          results[reg].rows = static_cast<uint8_t>(1 << (isPacked ? reg : reg >> 1));
        }
  for (size_t i = 0; i < d.size(); ++i) {
    if (to[i].isOwn && to[i].isExact)
      carried_.changed |=
          carried_.results.try_emplace({to[i].root, to[i].offset, 4}, results[i].rows).second;
    write(written[i], 4, {results[i], {}}, s);
  }
}

// Every lane of a row has the sum of all of the row: of both registers of operand A that hold it,
// and of four lanes.
//
//   register   0: row r, k    1: row r + 8, k    2: row r, k + 8    3: row r + 8, k + 8
void WaveRun::sumRows(const GCCAsmStmt *s, const RowSums &sums) {
  ++products_;
  if (controlRows_)
    refuse("fragments are multiplied where results say so", s);
  std::vector<Value> first;
  for (size_t i = 0; i < sums.first.size(); ++i) {
    first.push_back(rvalue(sums.first[i]));
    const WaveValue &words = first.back().wave;
    if (words.isLost() || words.rows != (i % 2 ? 2 : 1))
      refuse("an mma with constants sums up rows of something else than results", s);
  }
  const std::vector<uint64_t> rows = rowNames(first);
  const uint64_t weights = joined(joined(0x5035, sums.weights[0]), sums.weights[1]);
  for (size_t i = 0; i < sums.sums.size(); ++i) {
    WaveValue of;
    of.rows = static_cast<uint8_t>(1 << i);
    for (int warp = 0; warp < kWarps; ++warp)
      for (int row = 0; row < kRows; ++row)
        for (int quad = 0; quad < kQuad; ++quad)
          if (const Where at = whereIs(warp, row, quad, layout_.isExchanged);
              at.bit == static_cast<int>(i))
            of.of[at.thread] = joined(weights, rows[warp * kRows + row]);
    const Expr *sum = sums.sums[i];
    const Value before = rvalue(sum);
    write(place(sum), sizeOf(sum->getType()), {combine(joined(0x5035, 1), {&before.wave, &of}), {}},
          s);
  }
  rowSums.insert({s, sums});
}

// ---- shuffles ----------------------------------------------------------------------

WaveRun::Value WaveRun::shuffle(const CallExpr *e, const std::string &name) {
  const unsigned at = StringRef(name).ends_with("_sync") ? 1 : 0;
  std::vector<Value> values;
  for (const Expr *argument : e->arguments())
    values.push_back(argument->isGLValue() ? read(place(argument), argument->getType(), argument)
                                           : rvalue(argument));
  if (values.size() < at + 2)
    return {fresh(), {}};
  const WaveValue &x = values[at].wave, &mask = values[at + 1].wave;
  if (controlRows_)
    refuse("lanes exchange values where results say so", e);
  if (!isRehearsal_)
    (x.rows ? shuffles[e].onFragments : shuffles[e].onOthers) = true;
  const bool isKnown = StringRef(name).starts_with("__shfl_xor") && mask.isNumber &&
                       mask.isUniform() && mask.of[0] < 32;
  const bool isWide = values.size() < at + 3 || (values[at + 2].wave.isNumber && isKnown &&
                                                 mask.of[0] < values[at + 2].wave.of[0]);
  const bool isFull = at == 0 || (values[0].wave.isNumber &&
                                  static_cast<uint32_t>(values[0].wave.of[0]) == 0xffffffffu);
  if (x.isLost())
    refuse("what goes into results is exchanged between lanes", e);
  if (!x.rows && x.isUniform())
    return {x, {}};
  if (!isKnown || !isWide || !isFull || sizeOf(e->getType()) != 4) {
    if (x.rows)
      refuse("'" + name + "' of results is no exchange of whole warps by a known mask", e);
    WaveValue unknown = fresh();
    unknown.rows = x.rows;
    return {unknown, {}};
  }
  const int lanes = static_cast<int>(mask.of[0]);
  const int move = x.rows && layout_.isExchanged ? exchangedMask(lanes) : lanes;
  WaveValue out = x;
  out.loaded = 0;
  for (int t = 0; t < kWaveThreads; ++t)
    out.of[t] = x.of[t ^ move];
  return {out, {}};
}

} // namespace layout_port::native
