#include "ptx/decode/MatrixMove.h"

#include "ptx/Opcodes.h"

namespace layout_port::ptx {
namespace {

MatrixMove transposition(const Instruction &i) {
  MatrixMove move;
  move.kind = MatrixMove::Kind::Transpose;
  move.transposed = true;
  move.registers = {&i.operands[0]};
  move.source = &i.operands[1];
  move.name = "movmatrix.m8n8.trans.b16";
  return move;
}

MatrixMove transfer(const Instruction &i) {
  MatrixMove move;
  const bool load = i.opcode == "ldmatrix";
  move.kind = load ? MatrixMove::Kind::Load : MatrixMove::Kind::Store;
  move.tiles = pick<unsigned>(i, {{"x1", 1}, {"x2", 2}, {"x4", 4}}).value_or(1);
  move.transposed = i.has("trans");
  move.space = spaceOf(i);
  move.registers = registersOf(i.operands[load ? 0 : 1]);
  move.address = &i.operands[load ? 1 : 0];
  move.name = i.opcode + ".m8n8.x" + std::to_string(move.tiles) +
              (move.transposed ? ".trans" : "") + ".b16";
  return move;
}

} // namespace

Outcome<MatrixMove> decodeMatrixMove(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  if (i.opcode == "movmatrix")
    return transposition(i);
  if (i.opcode != "ldmatrix" && i.opcode != "stmatrix")
    return problemAt(i.opcodeOffset, i.opcode + " does not move matrices");
  MatrixMove move = transfer(i);
  if (move.registers.size() != move.tiles)
    return problemAt(i.opcodeOffset, move.name + " needs " + std::to_string(move.tiles) +
                                         " registers, here are " +
                                         std::to_string(move.registers.size()));
  return move;
}

} // namespace layout_port::ptx
