// ldmatrix: tiles of 8x8 16-bit elements from shared memory to fragments.
//
//   ldmatrix.x4 {r0..r3}, [a]   ──▶  lp::ldmatrix_x4(r0, r1, r2, r3, a)
//
// Lane 8t + i of the warp gives the address of row i of tile t. The layout row
// says which (tile, row, col) a register of a lane holds; so each register reads
// the address of its row from that lane and loads from it: 32 bits when the two
// halves are neighbours in a row, twice 16 bits when they are not (.trans).
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-ldmatrix
#include "asm/Lowering.h"

#include "layout_port/layouts/Isa.h"
#include "ptx/decode/MatrixMove.h"
#include "tensor/layout/Lanes.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Outcome;
using ptx::Problem;

namespace {

bool takes(const Instruction &i) { return i.opcode == "ldmatrix"; }

std::string functionName(const ptx::MatrixMove &move) {
  return "ldmatrix_x" + std::to_string(move.tiles) + (move.transposed ? "_trans" : "");
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

std::string loadOf(const LinearLayout &layout, unsigned r) {
  const LinearLayout::Basis half = layout.splitOut(layout.apply(1));
  const RowRead low = rowRead(layout, r, 0), high = rowRead(layout, r, 1);
  const auto load = [](const char *type, const RowRead &read) {
    return std::string("*lds_at<") + type + ">(from_lane(" + read.lane + ", row) + (" + read.byte +
           "))";
  };
  if (half[2] == 1) // the other half is the next column
    return load("unsigned", low);
  return load("unsigned short", low) + " |\n      (unsigned)" + load("unsigned short", high) +
         " << 16";
}

Result<RuntimeChunk> writeFunction(const ptx::MatrixMove &move) {
  const std::string row =
      "ldmatrix.x" + std::to_string(move.tiles) + (move.transposed ? ".trans" : "");
  const auto instruction = isa::findMatrixInstruction(row, isa::Arch::Nvidia);
  if (!instruction)
    return instruction.error();
  const auto layout = isa::operandLayout(**instruction, 'A');
  if (!layout)
    return layout.error();
  RuntimeChunk chunk;
  chunk.name = functionName(move);
  chunk.needs = {"lane", "from_lane", "lds"};
  chunk.text = "// " + row + ": lane 8t + i of the warp gives the LDS address of row i of tile t.\n";
  std::string registers;
  for (unsigned r = 0; r < move.tiles; ++r)
    registers += "R &r" + std::to_string(r) + ", ";
  chunk.text += "template <class R>\n__device__ __forceinline__ void " + chunk.name + "(" +
                registers + "unsigned row) {\n  const unsigned lane = lane64();\n";
  for (unsigned r = 0; r < move.tiles; ++r)
    chunk.text += "  const unsigned v" + std::to_string(r) + " = " + loadOf(*layout, r) + ";\n";
  for (unsigned r = 0; r < move.tiles; ++r)
    chunk.text += "  r" + std::to_string(r) + " = v" + std::to_string(r) + ";\n";
  chunk.text += "}\n";
  return chunk;
}

Outcome<Lowered> lower(const Instruction &instruction, const ptx::Block &,
                       const Binding &binding) {
  const auto move = ptx::decodeMatrixMove(instruction);
  if (!move)
    return move.error();
  Result<RuntimeChunk> chunk = writeFunction(*move);
  if (!chunk)
    return Problem{instruction.opcodeOffset, chunk.error().message, ""};
  const auto registers = binding.list(move->registers);
  const auto address = binding.address(*move->address);
  if (!registers)
    return registers.error();
  if (!address)
    return address.error();
  Lowered lowered;
  lowered.tier = Tier::Bridged;
  lowered.reason = "each lane loads its own elements through the row addresses of its warp";
  std::string row = *address;
  // Without .shared the address is a generic pointer.
  if (move->space == ptx::Space::Generic) {
    row = "lp::cvta_generic_to_shared((const void *)(" + row + "))";
    lowered.runtime.push_back("cvta_generic_to_shared");
  }
  lowered.statement = "lp::" + chunk->name + "(" + *registers + ", " + row + ")";
  lowered.runtime.push_back(chunk->name);
  lowered.made = {std::move(*chunk)};
  return lowered;
}

} // namespace

const PtxLowering ldmatrixLowering = {"tensor-ldmatrix", takes, lower};

} // namespace layout_port
