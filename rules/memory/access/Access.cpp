// Loads and stores, prefetches, and what is said to the caches.
//
//   ld.global.nc.v4.f32 {..}, [p];   ──▶  { const auto lp_v = *lp::global_at<lp::vec<float,
//   4>>(p);
//                                           a = lp_v[0]; ... }
//   st.shared.b32 [s + 16], x;       ──▶  *lp::lds_at<unsigned>(s + 16) = x;
//   ld.acquire.gpu.u32 d, [p];       ──▶  d = __hip_atomic_load(lp::global_at<..>(p), ...);
//   prefetch.global.L2 [p];          ──▶  nothing
//   createpolicy... policy, 1.0;     ──▶  policy = 0
//
// Hints to the caches (.nc, .cg, L2::evict_last, cache policies) change no value:
// they are dropped, and the reason says so.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-ld
#include "memory/Address.h"

namespace layout_port {

using ptx::Instruction;
using ptx::MemoryAccess;
using ptx::MemoryOrder;
using ptx::Outcome;
using ptx::Type;

namespace {

bool takes(const Instruction &i) {
  return i.opcode == "ld" || i.opcode == "st" || i.opcode == "ldu" || i.opcode == "prefetch" ||
         i.opcode == "prefetchu" || i.opcode == "createpolicy" || i.opcode == "applypriority" ||
         i.opcode == "discard" || i.opcode == "isspacep";
}

bool isAtomic(MemoryOrder order) {
  return order != MemoryOrder::Weak && order != MemoryOrder::Volatile;
}

std::string reasonOf(const MemoryAccess &m) {
  const bool hints = m.readOnly || !m.cacheOperation.empty() || !m.evictL1.empty() ||
                     !m.evictL2.empty() || m.prefetchBytes || m.cachePolicy;
  const std::string what = isAtomic(m.order) ? "an atomic access of the same order and scope"
                                             : std::string(m.load ? "a load" : "a store");
  return what + (hints ? "; its cache hints are dropped" : "");
}

class Access {
public:
  Access(const Instruction &i, const MemoryAccess &m, const Binding &binding)
      : m_(m), w_(i, binding) {}

  Outcome<Lowered> run() {
    if (m_.order == MemoryOrder::Mmio)
      return w_.refuse("an access to a device's registers (.mmio), which may be neither merged nor "
                       "split; use a volatile pointer");
    if (variableType(m_.type).empty())
      return w_.notYet();
    const size_t count = m_.registers.size();
    element_ = variableType(m_.type).str();
    std::string type = element_;
    if (count > 1) {
      type = "lp::vec<" + element_ + ", " + std::to_string(count) + ">";
      w_.use("vec");
    }
    if (m_.order == MemoryOrder::Volatile)
      type = "volatile " + type;
    const auto pointer = memoryAt(w_, m_.space, *m_.address, type);
    if (!pointer)
      return pointer.error();
    if (isAtomic(m_.order))
      return count == 1 ? ordered(*pointer)
                        : Outcome<Lowered>(w_.refuse(
                              "a vector access with a memory order is not one access on AMD"));
    return m_.load ? load(*pointer) : store(*pointer);
  }

private:
  Outcome<Lowered> load(const std::string &pointer) {
    if (m_.registers.size() == 1)
      return w_.assign(*m_.registers[0], m_.type, "*" + pointer, reasonOf(m_));
    std::string text = "{ const " + std::string("lp::vec<") + element_ + ", " +
                       std::to_string(m_.registers.size()) + "> lp_v = *" + pointer + ";";
    for (size_t i = 0; i < m_.registers.size(); ++i)
      if (!m_.registers[i]->is(ptx::Operand::Kind::Sink))
        text +=
            " " + w_.assignment(*m_.registers[i], m_.type, "lp_v[" + std::to_string(i) + "]") + ";";
    return w_.statement(text + " }", reasonOf(m_));
  }

  Outcome<Lowered> store(const std::string &pointer) {
    if (m_.registers.size() == 1)
      return w_.statement("*" + pointer + " = " + stored(*m_.registers[0]), reasonOf(m_));
    std::string values;
    for (const ptx::Operand *source : m_.registers)
      values += (values.empty() ? "" : ", ") + stored(*source);
    return w_.statement("*" + pointer + " = lp::vec<" + element_ + ", " +
                            std::to_string(m_.registers.size()) + ">{" + values + "}",
                        reasonOf(m_));
  }

  // An integer is cast to the width of the access; a float stands as it is.
  std::string stored(const ptx::Operand &source) {
    const bool isFloat = m_.type == Type::F32 || m_.type == Type::F64;
    return isFloat ? w_.argument(source, m_.type) : w_.value(source, m_.type);
  }

  Outcome<Lowered> ordered(const std::string &pointer) {
    const std::string how = orderText(m_.order) + ", " + scopeText(m_.scope) + ")";
    if (m_.load)
      return w_.assign(*m_.registers[0], m_.type, "__hip_atomic_load(" + pointer + ", " + how,
                       reasonOf(m_));
    return w_.statement("__hip_atomic_store(" + pointer + ", " +
                            w_.value(*m_.registers[0], m_.type) + ", " + how,
                        reasonOf(m_));
  }

  const MemoryAccess &m_;
  Writer w_;
  std::string element_;
};

Outcome<Lowered> lowerControl(const Instruction &i, const Binding &binding) {
  const auto c = ptx::decodeCacheControl(i);
  if (!c)
    return c.error();
  Writer w(i, binding);
  using Kind = ptx::CacheControl::Kind;
  if (c->kind == Kind::DefinePolicy)
    return w.assign(*c->destination, Type::U64, "0", "cache policies are dropped");
  // A (void) keeps a macro's braces and ifs whole.
  return w.statement("(void)0", c->kind == Kind::Discard
                                    ? "the bytes may be anything afterwards: nothing to do"
                                    : "a hint to the caches, dropped");
}

// Generic pointers of clang know the aperture of LDS and of scratch.
Outcome<Lowered> lowerSpaceTest(const Instruction &i, const Binding &binding) {
  const auto t = ptx::decodeSpaceTest(i);
  if (!t)
    return t.error();
  Writer w(i, binding);
  const std::string pointer = "(const void *)" + w.value(*t->address, Type::U64);
  std::string text;
  if (t->space == ptx::Space::Shared)
    text = "__builtin_amdgcn_is_shared(" + pointer + ")";
  else if (t->space == ptx::Space::Local)
    text = "__builtin_amdgcn_is_private(" + pointer + ")";
  else if (t->space == ptx::Space::Global)
    text = "!__builtin_amdgcn_is_shared(" + pointer + ") && !__builtin_amdgcn_is_private(" +
           pointer + ")";
  else
    return w.refuse("a memory space that no address of AMD's tells apart");
  return w.assign(*t->destination, Type::Pred, text, "a test of the pointer's aperture");
}

Outcome<Lowered> lower(const Instruction &i, const ptx::Block &, const Binding &binding) {
  if (i.opcode == "isspacep")
    return lowerSpaceTest(i, binding);
  if (i.opcode != "ld" && i.opcode != "st" && i.opcode != "ldu")
    return lowerControl(i, binding);
  const auto access = ptx::decodeAccess(i);
  if (!access)
    return access.error();
  return Access(i, *access, binding).run();
}

} // namespace

const PtxLowering accessLowering = {"memory-access", takes, lower};

} // namespace layout_port
