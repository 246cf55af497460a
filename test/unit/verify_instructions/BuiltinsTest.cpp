// Every __builtin_amdgcn_* that the port may write, by the sources of rules/, is known to the
// machine: one call of its intrinsic each. A new one fails here until it has a row. Matrix
// instructions, whose names come from the rows of layouts/isa, are executed in MfmaTest.cpp and
// RdnaTest.cpp.
#include "Golden.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace layout_port::verify::golden {
namespace {

// %d0 from %r0 (and %r1): the call is written as LLVM IR, as clang makes it of the builtin.
struct Row {
  const char *cpu;
  std::string body, declaration;
};

Row words(const char *name, unsigned operands, const char *constants = "",
          const char *cpu = "gfx942") {
  std::string arguments, types;
  for (unsigned i = 0; i < operands; ++i) {
    arguments += (i ? ", i32 %r" : "i32 %r") + std::to_string(i);
    types += i ? ", i32" : "i32";
  }
  std::string more = constants;
  for (size_t at = 0; (at = more.find(", ", at)) != std::string::npos;) {
    types += ", " + more.substr(at + 2, more.find(' ', at + 2) - at - 2);
    at += 2;
  }
  return {cpu,
          std::string("  %d0 = call i32 @llvm.amdgcn.") + name + "(" + arguments + constants +
              ")\n",
          std::string("declare i32 @llvm.amdgcn.") + name + "(" + types + ")"};
}
Row nothing(const char *name, const char *arguments = "", const char *types = "") {
  return {"gfx942",
          std::string("  call void @llvm.amdgcn.") + name + "(" + arguments +
              ")\n  %d0 = add i32 %r0, 0\n",
          std::string("declare void @llvm.amdgcn.") + name + "(" + types + ")"};
}
Row floats(const char *name) {
  return {"gfx942",
          std::string("  %f = bitcast i32 %r0 to float\n  %g = call float @llvm.amdgcn.") + name +
              ".f32(float %f)\n  %d0 = bitcast float %g to i32\n",
          std::string("declare float @llvm.amdgcn.") + name + ".f32(float)"};
}
Row places(const char *name) {
  return {"gfx942", std::string("  %d0 = call i32 @llvm.amdgcn.") + name + "()\n",
          std::string("declare i32 @llvm.amdgcn.") + name + "()"};
}
Row plain(const char *body) { return {"gfx942", body, ""}; } // clang makes plain IR of it

const std::map<std::string, Row> &rows() {
  static const std::map<std::string, Row> table = {
      {"fence", plain("  fence syncscope(\"agent\") acq_rel\n  %d0 = add i32 %r0, 0\n")},
      {"mov_dpp", words("mov.dpp.i32", 1, ", i32 177, i32 15, i32 15, i1 true")},
      {"update_dpp", words("update.dpp.i32", 2, ", i32 177, i32 15, i32 15, i1 false")},
      {"mov_dpp8", words("mov.dpp8.i32", 1, ", i32 2054353", "gfx1200")},
      {"ds_bpermute", words("ds.bpermute", 2)},
      {"ds_permute", words("ds.permute", 2)},
      {"ds_swizzle", words("ds.swizzle", 1, ", i32 1055")},
      {"perm", words("perm", 2, ", i32 50462976")},
      {"readlane", words("readlane.i32", 1, ", i32 5")},
      {"readfirstlane", words("readfirstlane.i32", 1)},
      {"mbcnt_lo", words("mbcnt.lo", 2)},
      {"mbcnt_hi", words("mbcnt.hi", 2)},
      {"sdot4", words("sdot4", 3, ", i1 false")},
      {"udot4", words("udot4", 3, ", i1 false")},
      {"sdot8", words("sdot8", 3, ", i1 false")},
      {"udot8", words("udot8", 3, ", i1 false")},
      {"permlane16", words("permlane16.i32", 2,
                           ", i32 1985229328, i32 -19088744, i1 false, i1 false", "gfx1200")},
      {"permlanex16", words("permlanex16.i32", 2,
                            ", i32 1985229328, i32 -19088744, i1 false, i1 false", "gfx1200")},
      {"permlane64", words("permlane64.i32", 1, "", "gfx1200")},
      {"permlane32_swap",
       {"gfx950",
        "  %s = call {i32, i32} @llvm.amdgcn.permlane32.swap(i32 %r0, i32 %r1, i1 false, i1 "
        "false)\n"
        "  %d0 = extractvalue {i32, i32} %s, 0\n",
        "declare {i32, i32} @llvm.amdgcn.permlane32.swap(i32, i32, i1, i1)"}},
      {"permlane16_swap",
       {"gfx950",
        "  %s = call {i32, i32} @llvm.amdgcn.permlane16.swap(i32 %r0, i32 %r1, i1 false, i1 "
        "false)\n"
        "  %d0 = extractvalue {i32, i32} %s, 0\n",
        "declare {i32, i32} @llvm.amdgcn.permlane16.swap(i32, i32, i1, i1)"}},
      {"ballot_w64",
       {"gfx942",
        "  %c = icmp eq i32 %r0, 0\n  %b = call i64 @llvm.amdgcn.ballot.i64(i1 %c)\n"
        "  %d0 = trunc i64 %b to i32\n",
        "declare i64 @llvm.amdgcn.ballot.i64(i1)"}},
      {"is_shared",
       {"gfx942", "  %c = call i1 @llvm.amdgcn.is.shared(ptr %in)\n  %d0 = zext i1 %c to i32\n",
        "declare i1 @llvm.amdgcn.is.shared(ptr)"}},
      {"is_private",
       {"gfx942", "  %c = call i1 @llvm.amdgcn.is.private(ptr %in)\n  %d0 = zext i1 %c to i32\n",
        "declare i1 @llvm.amdgcn.is.private(ptr)"}},
      {"exp2f", floats("exp2")},
      {"logf", floats("log")},
      {"rcpf", floats("rcp")},
      {"rsqf", floats("rsq")},
      {"sqrtf", floats("sqrt")},
      {"rcph",
       {"gfx942",
        "  %t = trunc i32 %r0 to i16\n  %f = bitcast i16 %t to half\n"
        "  %g = call half @llvm.amdgcn.rcp.f16(half %f)\n  %u = bitcast half %g to i16\n"
        "  %d0 = zext i16 %u to i32\n",
        "declare half @llvm.amdgcn.rcp.f16(half)"}},
      {"cvt_pkrtz",
       {"gfx942",
        "  %f = bitcast i32 %r0 to float\n  %g = bitcast i32 %r1 to float\n"
        "  %h = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float %f, float %g)\n"
        "  %d0 = bitcast <2 x half> %h to i32\n",
        "declare <2 x half> @llvm.amdgcn.cvt.pkrtz(float, float)"}},
      {"atomic_inc32",
       plain("  %p = getelementptr i32, ptr %out, i32 %lane\n  store i32 0, ptr %p\n"
             "  %d0 = atomicrmw uinc_wrap ptr %p, i32 7 monotonic\n")},
      {"atomic_dec32",
       plain("  %p = getelementptr i32, ptr %out, i32 %lane\n  store i32 0, ptr %p\n"
             "  %d0 = atomicrmw udec_wrap ptr %p, i32 7 monotonic\n")},
      {"s_barrier", nothing("s.barrier")},
      {"wave_barrier", nothing("wave.barrier")},
      {"s_sleep", nothing("s.sleep", "i32 1", "i32")},
      {"workitem_id_x", plain("  %d0 = add i32 %lane, 0\n")}, // %lane is that intrinsic
      {"workitem_id_y", places("workitem.id.y")},
      {"workitem_id_z", places("workitem.id.z")},
      {"workgroup_id_x", places("workgroup.id.x")},
      {"workgroup_id_y", places("workgroup.id.y")},
      {"workgroup_id_z", places("workgroup.id.z")},
      {"wavefrontsize", places("wavefrontsize")},
      {"implicitarg_ptr",
       {"gfx942",
        "  %a = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()\n"
        "  %d0 = load i32, ptr addrspace(4) %a\n",
        "declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()"}}};
  return table;
}

// Hidden arguments, in memory that the machine fills: clang loads them.
bool readsImplicitArguments(const std::string &name) {
  return name.rfind("workgroup_size_", 0) == 0;
}

std::set<std::string> namesInRules() {
  const std::regex builtin("__builtin_amdgcn_([a-z0-9_]+)");
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(RULES_FOLDER)) {
    const std::string extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h" && extension != ".inc")
      continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string whole = text.str();
    for (std::sregex_iterator it(whole.begin(), whole.end(), builtin), end; it != end; ++it)
      names.insert((*it)[1]);
  }
  return names;
}

TEST(Builtins, AllThatTheRulesWriteHaveARow) {
  const std::set<std::string> names = namesInRules();
  ASSERT_GT(names.size(), 20u) << "the rules were not found";
  for (const std::string &name : names)
    EXPECT_TRUE(name.rfind("mfma_", 0) == 0 || readsImplicitArguments(name) || rows().count(name))
        << "__builtin_amdgcn_" << name << " has no row here";
}

TEST(Builtins, EachIsKnownToTheMachine) {
  for (const auto &[name, r] : rows()) {
    const bool narrow = std::string(r.cpu) == "gfx1200" && name != "permlane64";
    const Chip chip = amd(r.cpu, narrow ? 32 : 64);
    const Outcome outcome = tryExecute(chip, Registers(4, chip.lanes), 1, {r.body, r.declaration});
    EXPECT_EQ(outcome.error, "") << name;
  }
}

} // namespace
} // namespace layout_port::verify::golden
