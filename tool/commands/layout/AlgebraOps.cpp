// serve: the algebra of LinearLayout.h, and encodings by name.
#include "Ops.h"

namespace layout_port::serve {

namespace json = llvm::json;
using wire::Reader;

namespace {

// Layouts a and b into one layout; one layout into anything.
using Binary = Result<LinearLayout> (*)(const LinearLayout &, const LinearLayout &);

template <Binary function> Answer binary(const Reader &request) {
  const Result<LinearLayout> a = request.layout("a");
  if (!a)
    return a.error();
  const Result<LinearLayout> b = request.layout("b");
  if (!b)
    return b.error();
  return answer(function(*a, *b));
}

template <auto function> Answer unary(const Reader &request) {
  const Result<LinearLayout> a = request.layout("a");
  if (!a)
    return a.error();
  return function(*a);
}

Result<LinearLayout> divideLeft(const LinearLayout &a, const LinearLayout &b) {
  return a.divideLeft(b);
}
Result<LinearLayout> divideRight(const LinearLayout &a, const LinearLayout &b) {
  return a.divideRight(b);
}
Result<LinearLayout> compose(const LinearLayout &a, const LinearLayout &b) { return a.compose(b); }
Result<LinearLayout> invertAndCompose(const LinearLayout &a, const LinearLayout &b) {
  return a.invertAndCompose(b);
}
Result<LinearLayout> lstsq(const LinearLayout &a, const LinearLayout &b) { return a.lstsq(b); }

Answer invert(const LinearLayout &a) { return answer(a.invert()); }
Answer pseudoinvert(const LinearLayout &a) { return answer(a.pseudoinvert()); }
Answer freeVariableMasks(const LinearLayout &a) { return wire::toJson(a.freeVariableMasks()); }
Answer flatten(const LinearLayout &a) { return wire::toJson(a.flattenIns().flattenOuts()); }

Answer query(const LinearLayout &a) {
  LinearLayout::NamedValues consecutive;
  for (const LayoutDim &dim : a.ins())
    consecutive.emplace_back(dim.name, a.numConsecutive(dim.name));
  return json::Value(json::Object{{"rank", a.rank()},
                                  {"surjective", a.isSurjective()},
                                  {"injective", a.isInjective()},
                                  {"identity", a.isIdentity()},
                                  {"zero_bases", wire::toJson(a.zeroBases())},
                                  {"consecutive", wire::toJson(consecutive)}});
}

// The new order of one side; absent: as it is.
Result<LinearLayout::Names> orderOf(const Reader &request, llvm::StringRef field,
                                    LinearLayout::Names otherwise) {
  return request.has(field) ? request.texts(field) : std::move(otherwise);
}

Answer transpose(const Reader &request) {
  const Result<LinearLayout> a = request.layout("a");
  if (!a)
    return a.error();
  const Result<LinearLayout::Names> ins = orderOf(request, "ins", a->inNames());
  if (!ins)
    return ins.error();
  const Result<LinearLayout::Names> outs = orderOf(request, "outs", a->outNames());
  if (!outs)
    return outs.error();
  const Result<LinearLayout> insDone = a->transposeIns(*ins);
  if (!insDone)
    return insDone.error();
  return answer(insDone->transposeOuts(*outs));
}

Answer encode(const Reader &request) {
  const Result<std::string> family = request.text("family");
  if (!family)
    return family.error();
  const Result<PerDim> shape = request.numbers("shape");
  if (!shape)
    return shape.error();
  const json::Value *params = request.find("params");
  const Result<Encoding> encoding =
      wire::encodingFromJson(*family, params ? *params : json::Value(nullptr));
  if (!encoding)
    return encoding.error();
  return answer(toLinearLayout(*encoding, *shape));
}

constexpr Op ops[] = {
    {"product", binary<LinearLayout::product>},
    {"divide_left", binary<divideLeft>},
    {"divide_right", binary<divideRight>},
    {"compose", binary<compose>},
    {"invert_and_compose", binary<invertAndCompose>},
    {"lstsq", binary<lstsq>},
    {"invert", unary<invert>},
    {"pseudoinvert", unary<pseudoinvert>},
    {"free_variable_masks", unary<freeVariableMasks>},
    {"query", unary<query>},
    {"flatten", unary<flatten>},
    {"transpose", transpose},
    {"encode", encode},
};

} // namespace

llvm::ArrayRef<Op> algebraOps() { return ops; }

} // namespace layout_port::serve
