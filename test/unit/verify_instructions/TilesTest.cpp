// Moves of 8x8 tiles between shared memory and registers (ldmatrix, stmatrix,
// movmatrix), the transposing LDS reads of gfx950, and loads from global memory
// straight into LDS.
//
//   PTX: lane l of a warp holds columns 2 (l % 4), 2 (l % 4) + 1 of row l / 4 of each
//   8x8 tile, .trans the same of the transposed tile; lane 8 t + r gives the address of
//   row r of tile t.
//   https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-ldmatrix
#include "Golden.h"

#include <gtest/gtest.h>

namespace layout_port::verify::golden {
namespace {

std::string text(uint64_t value) { return std::to_string(value); }

// Shared memory of `bytes`, filled from (or copied to) the registers: word w of lane l
// is at byte 4 (words * l + w).
std::string tileDeclaration(unsigned bytes) {
  return "@tile = internal addrspace(3) global [" + text(bytes / 4) + " x i32] undef, align 16\n";
}
std::string copyWords(unsigned words, bool toShared, unsigned firstRegister) {
  std::string body = "  %at = mul i32 %lane, " + text(words) + "\n";
  for (unsigned w = 0; w < words; ++w) {
    const std::string n = text(w);
    body += "  %ix" + n + " = add i32 %at, " + n + "\n  %px" + n +
            " = getelementptr i32, ptr addrspace(3) @tile, i32 %ix" + n + "\n";
    body += toShared ? "  store i32 %r" + text(firstRegister + w) + ", ptr addrspace(3) %px" + n +
                           ", align 4\n"
                     : "  %d" + n + " = load i32, ptr addrspace(3) %px" + n + ", align 4\n";
  }
  return body;
}

//===-- ldmatrix, stmatrix -------------------------------------------------===//

// Rows are dealt to addresses so that every tile and row has a place of its own:
// row r of tile t starts at byte 16 * rowPlace(t, r).
unsigned rowPlace(unsigned tile, unsigned row) { return (tile * 8 + row) * 5 % 32; }

// %addr of lane 8 t + r, as the asm operand; lanes beyond the tiles point nowhere.
std::string rowAddress(unsigned tiles) {
  return "  %m5 = mul i32 %lane, 5\n  %m = and i32 %m5, 31\n  %m16 = shl i32 %m, 4\n"
         "  %base = ptrtoint ptr addrspace(3) @tile to i64\n  %b = trunc i64 %base to i32\n"
         "  %good = add i32 %m16, %b\n  %used = icmp ult i32 %lane, " +
         text(8 * tiles) + "\n  %addr = select i1 %used, i32 %good, i32 -65536\n";
}

// The half h of tile t's register in a lane: (row, column).
std::pair<unsigned, unsigned> fragment(unsigned lane, unsigned half, bool transposed) {
  const unsigned row = lane / 4, col = 2 * (lane % 4) + half;
  return transposed ? std::pair(col, row) : std::pair(row, col);
}

// 16-bit element (row, col) of a tile in 128 words that lie as copyWords lays them.
uint32_t elementAt(const Registers &memory, unsigned tile, unsigned row, unsigned col) {
  const unsigned byte = 16 * rowPlace(tile, row) + 2 * col, word = byte / 4;
  return memory.word(word % 4, word / 4) >> (8 * (byte % 4)) & 0xffff;
}

TEST(Tiles, LdmatrixOfEveryCountAndItsTranspose) {
  for (unsigned tiles : {1u, 2u, 4u})
    for (bool transposed : {false, true})
      for (bool generic : {false, true}) {
        const std::string name = "ldmatrix.sync.aligned.m8n8.x" + text(tiles) +
                                 (transposed ? ".trans" : "") + ".shared.b16";
        const Registers in = randomRegisters(4, 32, 7);
        std::string outputs, constraints, type = tiles == 1 ? "i32" : "{i32";
        for (unsigned t = 0; t < tiles; ++t) {
          outputs += (t ? ",$" : "$") + text(t);
          constraints += "=r,";
          type += t ? ", i32" : "";
        }
        type += tiles == 1 ? "" : "}";
        std::string body = copyWords(4, true, 0) + rowAddress(tiles) + "  %x = call " + type +
                           " asm sideeffect \"" + name + " {" + outputs + "}, [$" + text(tiles) +
                           "];\", \"" + constraints + "r\"(i32 %addr)\n";
        if (generic) { // the intrinsic, by a pointer
          const std::string call = "@llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" + text(tiles) +
                                   (transposed ? ".trans" : "") + ".b16.p3(ptr addrspace(3)";
          body = copyWords(4, true, 0) + rowAddress(tiles) +
                 "  %p = inttoptr i32 %addr to ptr addrspace(3)\n  %x = call " + type + " " + call +
                 " %p)\n";
          body = tileDeclaration(512) + "declare " + type + " " + call + ")\n@@" + body;
        }
        Snippet snippet{body, tileDeclaration(512)};
        if (const size_t cut = body.find("@@"); cut != std::string::npos)
          snippet = {body.substr(cut + 2), body.substr(0, cut)};
        for (unsigned t = 0; t < tiles; ++t)
          snippet.body +=
              tiles == 1 ? "  %d0 = add i32 %x, 0\n"
                         : "  %d" + text(t) + " = extractvalue " + type + " %x, " + text(t) + "\n";
        const Registers out = execute(nvidia(), in, tiles, snippet);
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned t = 0; t < tiles; ++t)
            for (unsigned half = 0; half < 2; ++half) {
              const auto [row, col] = fragment(lane, half, transposed);
              ASSERT_EQ(out.word(t, lane) >> (16 * half) & 0xffff, elementAt(in, t, row, col))
                  << name << " tile " << t << " lane " << lane;
            }
      }
}

TEST(Tiles, StmatrixOfEveryCountAndItsTranspose) {
  for (unsigned tiles : {1u, 2u, 4u})
    for (bool transposed : {false, true}) {
      const std::string name = "stmatrix.sync.aligned.m8n8.x" + text(tiles) +
                               (transposed ? ".trans" : "") + ".shared.b16";
      const Registers in = randomRegisters(8, 32, 13); // r0-r3: tiles, r4-r7: memory before
      std::string inputs, constraints, arguments;
      for (unsigned t = 0; t < tiles; ++t) {
        inputs += (t ? ",$" : "$") + text(t + 1);
        constraints += ",r";
        arguments += ", i32 %r" + text(t);
      }
      const Registers out = execute(
          nvidia(), in, 4,
          {copyWords(4, true, 4) + rowAddress(tiles) + "  call void asm sideeffect \"" + name +
               " [$0], {" + inputs + "};\", \"r" + constraints + "\"(i32 %addr" + arguments +
               ")\n  %d0 = load i32, ptr addrspace(3) %px0, align 4\n"
               "  %d1 = load i32, ptr addrspace(3) %px1, align 4\n"
               "  %d2 = load i32, ptr addrspace(3) %px2, align 4\n"
               "  %d3 = load i32, ptr addrspace(3) %px3, align 4\n",
           tileDeclaration(512)});
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned t = 0; t < 4; ++t)
          for (unsigned half = 0; half < 2; ++half) {
            const auto [row, col] = fragment(lane, half, transposed);
            Registers before(4, 32);
            for (unsigned w = 0; w < 4; ++w)
              for (unsigned l = 0; l < 32; ++l)
                before.word(w, l) = in.word(4 + w, l);
            const uint32_t want = t < tiles ? in.word(t, lane) >> (16 * half) & 0xffff
                                            : elementAt(before, t, row, col);
            ASSERT_EQ(elementAt(out, t, row, col), want)
                << name << " tile " << t << " (" << row << ", " << col << ")";
          }
    }
}

// "Element (row, col) of the tile is in lane 4 row + col / 2": out is in transposed.
TEST(Tiles, MovmatrixTransposes) {
  const Registers in = randomRegisters(1, 32, 29);
  const Registers out = execute(
      nvidia(), in, 1,
      {ptxStatement("movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", {1, 'r'}, {{1, 'r'}}), {}});
  auto at = [](const Registers &r, unsigned row, unsigned col) {
    return r.word(0, row * 4 + col / 2) >> (16 * (col & 1)) & 0xffff;
  };
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned col = 0; col < 8; ++col)
      ASSERT_EQ(at(out, row, col), at(in, col, row));
}

// A tile of residues stays one, through memory and back.
TEST(Tiles, MovesKeepResidues) {
  const Field field(16, 3);
  Registers in(1, 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned half = 0; half < 2; ++half)
      in.put(lane, 16 * half, 16, (lane * 977 + half * 31 + 5) % field.prime(), true);
  const Registers out = execute(
      nvidia(), in, 1,
      {ptxStatement("movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", {1, 'r'}, {{1, 'r'}}), {}},
      &field);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_TRUE(out.isPayload(lane, 0, 16));
    EXPECT_TRUE(out.isPayload(lane, 16, 16));
  }
}

//===-- ds_read_*_tr -------------------------------------------------------===//

// Lane c of a group of 16 gets, as element r, element c % E of what lane
// c / E + (16 / E) r of the group addressed; E elements of 64 bits.
Snippet transposeRead(const std::string &intrinsic, const std::string &type) {
  return {copyWords(2, true, 0) +
              "  %rev = xor i32 %lane, 5\n  %off = shl i32 %rev, 3\n"
              "  %p = getelementptr i8, ptr addrspace(3) @tile, i32 %off\n  %v = call " +
              type + " @" + intrinsic + "(ptr addrspace(3) %p)\n" + unpackWords("v", 2, type),
          tileDeclaration(512) + "declare " + type + " @" + intrinsic + "(ptr addrspace(3))\n"};
}

TEST(Tiles, TransposingReadsOfGfx950) {
  struct Case {
    const char *intrinsic, *type;
    unsigned bits;
  };
  for (const Case &c : {Case{"llvm.amdgcn.ds.read.tr16.b64.v4i16", "<4 x i16>", 16},
                        Case{"llvm.amdgcn.ds.read.tr16.b64.v4f16", "<4 x half>", 16},
                        Case{"llvm.amdgcn.ds.read.tr8.b64.v2i32", "<2 x i32>", 8}}) {
    const Registers in = randomRegisters(2, 64, 43);
    const Registers out = execute(amd("gfx950"), in, 2, transposeRead(c.intrinsic, c.type));
    const unsigned E = 64 / c.bits;
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < E; ++r) {
        const unsigned column = lane % 16, group = lane - column;
        const unsigned from = group + column / E + 16 / E * r;
        const unsigned holder = from ^ 5; // lane `from` addressed what lane `from ^ 5` stored
        ASSERT_EQ(out.get(lane, r * c.bits, c.bits), in.get(holder, column % E * c.bits, c.bits))
            << c.intrinsic << " lane " << lane << " element " << r;
      }
  }
}

TEST(Tiles, TransposingReadsWithoutASourceAreRefused) {
  const Outcome b4 = tryExecute(amd("gfx950"), Registers(2, 64), 2,
                                transposeRead("llvm.amdgcn.ds.read.tr4.b64.v2i32", "<2 x i32>"));
  EXPECT_NE(b4.error.find("ds_read_b64_tr_b4: no source"), std::string::npos) << b4.error;
  const Outcome old = tryExecute(amd("gfx942"), Registers(2, 64), 2,
                                 transposeRead("llvm.amdgcn.ds.read.tr16.b64.v4i16", "<4 x i16>"));
  EXPECT_NE(old.error.find("does not exist on 'gfx942'"), std::string::npos) << old.error;
}

//===-- global_load_lds ----------------------------------------------------===//

// Lane l's bytes land at base + l * bytes, whatever address it reads from; the offset
// counts on both sides.
Snippet loadToLds(unsigned bytes, unsigned offset) {
  const unsigned words = bytes / 4;
  std::string body = "  %mir = sub i32 63, %lane\n  %src = mul i32 %mir, " + text(bytes) +
                     "\n  %p = getelementptr i8, ptr %in, i32 %src\n"
                     "  %g = addrspacecast ptr %p to ptr addrspace(1)\n"
                     "  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %g, "
                     "ptr addrspace(3) @tile, i32 " +
                     text(bytes) + ", i32 " + text(offset) + ", i32 0)\n  %at = mul i32 %lane, " +
                     text(words) + "\n  %ot = mul i32 %lane, " + text(words) + "\n";
  for (unsigned w = 0; w < words; ++w) {
    const std::string n = text(w);
    body += "  %ix" + n + " = add i32 %at, " + text(w + offset / 4) + "\n  %px" + n +
            " = getelementptr i32, ptr addrspace(3) @tile, i32 %ix" + n + "\n  %v" + n +
            " = load i32, ptr addrspace(3) %px" + n + ", align 4\n  %ox" + n + " = add i32 %ot, " +
            n + "\n  %q" + n + " = getelementptr i32, ptr %out, i32 %ox" + n + "\n  store i32 %v" +
            n + ", ptr %q" + n + ", align 4\n";
  }
  return {body,
          tileDeclaration(2048) + "declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), "
                                  "ptr addrspace(3), i32, i32, i32)\n",
          true};
}

TEST(Tiles, GlobalLoadLdsIsContiguousOverTheWave) {
  for (unsigned bytes : {4u, 12u, 16u})
    for (unsigned offset : {0u, 16u}) {
      const Registers in = randomRegisters(bytes / 4 + 1, 64, 47);
      const Registers out = execute(amd("gfx950"), in, bytes / 4, loadToLds(bytes, offset));
      for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned w = 0; w < bytes / 4; ++w) {
          const unsigned from = (63 - lane) * bytes / 4 + w + offset / 4;
          ASSERT_EQ(out.getFlat(32 * (lane * bytes / 4 + w), 32), in.getFlat(32 * from, 32))
              << bytes << " bytes, lane " << lane;
        }
    }
  const Outcome wide = tryExecute(amd("gfx942"), Registers(5, 64), 4, loadToLds(16, 0));
  EXPECT_NE(wide.error.find("16 bytes a lane is not known on 'gfx942'"), std::string::npos)
      << wide.error;
}

} // namespace
} // namespace layout_port::verify::golden
