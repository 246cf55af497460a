// ldmatrix, stmatrix: tiles of 8x8 16-bit elements between shared memory and
// fragments; movmatrix: one such tile transposed.
//
//   ldmatrix.x4 {r0..r3}, [a]   ──▶  lp::ldmatrix_x4(r0, r1, r2, r3, a)
//   stmatrix.x2 [a], {r0, r1}   ──▶  lp::stmatrix_x2(a, r0, r1)
//   movmatrix.trans d, a        ──▶  d = lp::movmatrix_trans(a)
//
// Lane 8t + i of the warp gives the address of row i of tile t. The layout row
// says which (tile, row, col) a register of a lane holds; so each register reads
// the address of its row from that lane and loads from it: 32 bits when the two
// halves are neighbours in a row, twice 16 bits when they are not (.trans).
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-ldmatrix
#include "asm/Writer.h"

#include "layout_port/layouts/Isa.h"
#include "ptx/decode/MatrixMove.h"
#include "tensor/layout/Lanes.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Outcome;
using ptx::Problem;

namespace {

bool takes(const Instruction &i) {
  return i.opcode == "ldmatrix" || i.opcode == "stmatrix" || i.opcode == "movmatrix";
}

bool isStore(const ptx::MatrixMove &move) { return move.kind == ptx::MatrixMove::Kind::Store; }

std::string functionName(const ptx::MatrixMove &move) {
  return std::string(isStore(move) ? "stmatrix_x" : "ldmatrix_x") + std::to_string(move.tiles) +
         (move.transposed ? "_trans" : "");
}

// (lane that gives the row's address, byte in the row) of register r, half `half`.
struct RowRead {
  std::string lane, byte;
};

RowRead rowRead(const LinearLayout &layout, unsigned r, unsigned half) {
  // Out-dims are tile, row, col; tile and row number the lanes that give addresses.
  const auto at = [&](uint64_t flat) {
    const LinearLayout::Basis c = layout.splitOut(layout.apply(flat));
    return std::pair<uint64_t, uint64_t>{c[0] * 8 + c[1], c[2] * 2};
  };
  const int registerBits = layout.inBits("register");
  f2::Columns lanes, bytes;
  for (int i = 0; i < layout.inBits("lane"); ++i) {
    const auto [lane, byte] = at(uint64_t(1) << (registerBits + i));
    lanes.push_back(lane);
    bytes.push_back(byte);
  }
  bytes.push_back(0);
  lanes.push_back(32); // bit 5 of the wave's lane: the same warp
  const auto [lane, byte] = at(r << 1 | half);
  return {f2Expression({{"lane", lanes}}, lane), f2Expression({{"lane", bytes}}, byte)};
}

// The text of memory of `type` at a row read.
std::string memoryAt(const char *type, const RowRead &read) {
  return std::string("*lds_at<") + type + ">(from_lane(" + read.lane + ", row) + (" + read.byte +
         "))";
}

// The other half of a register is the next column, not the next row.
bool alongRow(const LinearLayout &layout) { return layout.splitOut(layout.apply(1))[2] == 1; }

std::string loadOf(const LinearLayout &layout, unsigned r) {
  const RowRead low = rowRead(layout, r, 0), high = rowRead(layout, r, 1);
  if (alongRow(layout))
    return memoryAt("unsigned", low);
  return memoryAt("unsigned short", low) + " |\n      (unsigned)" +
         memoryAt("unsigned short", high) + " << 16";
}

// The rows are read from all lanes first: a lane that stores must not keep another
// from giving its address.
std::string storeOf(const LinearLayout &layout, unsigned r) {
  const std::string v = "v" + std::to_string(r);
  const RowRead low = rowRead(layout, r, 0), high = rowRead(layout, r, 1);
  if (alongRow(layout))
    return "  " + memoryAt("unsigned", low) + " = " + v + ";\n";
  return "  " + memoryAt("unsigned short", low) + " = (unsigned short)" + v + ";\n  " +
         memoryAt("unsigned short", high) + " = (unsigned short)(" + v + " >> 16);\n";
}

Result<LinearLayout> layoutOf(const std::string &row) {
  const auto instruction = isa::findMatrixInstruction(row, isa::Arch::Nvidia);
  if (!instruction)
    return instruction.error();
  return isa::operandLayout(**instruction, 'A');
}

Result<RuntimeChunk> writeFunction(const ptx::MatrixMove &move) {
  const std::string row =
      "ldmatrix.x" + std::to_string(move.tiles) + (move.transposed ? ".trans" : "");
  const Result<LinearLayout> layout = layoutOf(row);
  if (!layout)
    return layout.error();
  RuntimeChunk chunk;
  chunk.name = functionName(move);
  chunk.needs = {"lane", "from_lane", "lds"};
  const bool store = isStore(move);
  chunk.text = "// " + (store ? "st" + row.substr(2) : row) +
               ": lane 8t + i of the warp gives the LDS address of row i of tile t.\n";
  // Lanes whose address no tile needs may come without one.
  const std::string address = "LP_MAYBE_UNDEF unsigned row";
  std::string registers, before, after;
  for (unsigned r = 0; r < move.tiles; ++r) {
    const std::string n = std::to_string(r);
    registers += (store ? ", LP_MAYBE_UNDEF unsigned v" : "R &r") + n + (store ? "" : ", ");
    before +=
        store ? storeOf(*layout, r) : "  const unsigned v" + n + " = " + loadOf(*layout, r) + ";\n";
    after += store ? "" : "  r" + n + " = bits<R>(v" + n + ");\n";
  }
  if (!store)
    chunk.needs.push_back("bits");
  chunk.text += std::string(store ? "" : "template <class R>\n") +
                "__device__ __forceinline__ void " + chunk.name + "(" +
                (store ? address + registers : registers + address) +
                ") {\n  const unsigned lane = lane64();\n" + before + after + "}\n";
  return chunk;
}

// Of the two elements a lane gets, each lies in another lane's register; which half
// depends on the lane.
Result<RuntimeChunk> writeTranspose() {
  // The input lies as ldmatrix leaves it; the output row tells input coordinates.
  const Result<LinearLayout> from = layoutOf("ldmatrix.x1"),
                             to = layoutOf("movmatrix.m8n8.trans.b16");
  if (!from || !to)
    return from ? to.error() : from.error();
  const Result<LinearLayout> inverse = from->invert();
  if (!inverse)
    return inverse.error();
  const auto held = [&](uint64_t flat) { // (half, lane) of the input
    const LinearLayout::Basis at = to->splitOut(to->apply(flat));
    LinearLayout::Basis in(inverse->ins().size(), 0);
    in[in.size() - 2] = at[at.size() - 2];
    in[in.size() - 1] = at[at.size() - 1];
    return inverse->apply(inverse->joinIn(in));
  };
  f2::Columns lanes, halves;
  for (int i = 0; i < to->inBits("lane"); ++i) {
    const uint64_t at = held(uint64_t(1) << (to->inBits("register") + i));
    lanes.push_back(at >> 1);
    halves.push_back(at & 1);
  }
  lanes.push_back(32);
  halves.push_back(0);
  RuntimeChunk chunk;
  chunk.name = "movmatrix_trans";
  chunk.needs = {"lane", "from_lane"};
  chunk.text = "// One 8x8 tile of a warp, transposed: each half comes from another lane.\n"
               "__device__ __forceinline__ unsigned movmatrix_trans(LP_MAYBE_UNDEF unsigned a) {\n"
               "  const unsigned lane = lane64();\n";
  for (unsigned half = 0; half < 2; ++half) {
    const uint64_t at = held(half);
    chunk.text += "  const unsigned x" + std::to_string(half) + " = from_lane(" +
                  f2Expression({{"lane", lanes}}, at >> 1) + ", a) >> (" +
                  f2Expression({{"lane", halves}}, at & 1) + ") * 16;\n";
  }
  chunk.text += "  return (x0 & 0xffff) | x1 << 16;\n}\n";
  return chunk;
}

Outcome<Lowered> lowerTranspose(const Instruction &i, const ptx::MatrixMove &move,
                                const Binding &binding) {
  Result<RuntimeChunk> chunk = writeTranspose();
  if (!chunk)
    return Problem{i.opcodeOffset, chunk.error().message, ""};
  Writer w(i, binding);
  auto lowered = w.assign(*move.registers[0], ptx::Type::B32,
                          w.call("movmatrix_trans", {w.argument(*move.source, ptx::Type::U32)}),
                          "each half is read from the lane that has it");
  if (lowered) {
    lowered->tier = Tier::Bridged;
    lowered->made = {std::move(*chunk)};
  }
  return lowered;
}

Outcome<Lowered> lower(const Instruction &i, const ptx::Block &, const Binding &binding) {
  const auto move = ptx::decodeMatrixMove(i);
  if (!move)
    return move.error();
  if (move->kind == ptx::MatrixMove::Kind::Transpose)
    return lowerTranspose(i, *move, binding);
  Result<RuntimeChunk> chunk = writeFunction(*move);
  if (!chunk)
    return Problem{i.opcodeOffset, chunk.error().message, ""};
  Writer w(i, binding);
  w.use(chunk->name);
  std::string registers;
  for (const ptx::Operand *r : move->registers) {
    const auto text = isStore(*move) ? binding.argument(*r, ptx::Type::U32) : binding.text(*r);
    if (!text)
      return text.error();
    registers += (registers.empty() ? "" : ", ") + *text;
  }
  std::string row = w.address(*move->address);
  // Without .shared the address is a generic pointer.
  if (move->space == ptx::Space::Generic)
    row = w.call("cvta_generic_to_shared", {"(const void *)(" + row + ")"});
  auto lowered = w.statement(
      "lp::" + chunk->name + "(" +
          (isStore(*move) ? row + ", " + registers : registers + ", " + row) + ")",
      isStore(*move) ? "each lane stores its own elements through the row addresses of its warp"
                     : "each lane loads its own elements through the row addresses of its warp",
      Tier::Bridged);
  if (lowered)
    lowered->made = {std::move(*chunk)};
  return lowered;
}

} // namespace

const PtxLowering matrixMoveLowering = {"tensor-ldmatrix", takes, lower};

} // namespace layout_port
