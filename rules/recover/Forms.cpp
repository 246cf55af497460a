#include "recover/Forms.h"

#include "recover/Bits.h"

#include <algorithm>

namespace layout_port::recover {

const char *name(FormKind kind) {
  static const char *const names[] = {"affine over F2", "affine over the integers", "piecewise",
                                      "table", "unknown"};
  return names[static_cast<int>(kind)];
}

const char *name(Uniformity uniformity) {
  static const char *const names[] = {"uniform", "pair-uniform", "warp-uniform", "divergent"};
  return names[static_cast<int>(uniformity)];
}

// ---- Fitting one function ------------------------------------------------------

namespace {

int bitsOf(const std::vector<LayoutDim> &dims) {
  int bits = 0;
  for (const LayoutDim &dim : dims)
    bits += dim.bits;
  return bits;
}

uint64_t maskOf(int width) { return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }

uint64_t lowestBit(uint64_t x) { return x & (~x + 1); }

int indexOf(uint64_t oneBit) {
  int i = 0;
  while (!(oneBit >> i & 1))
    ++i;
  return i;
}

// A function given by its values at all inputs, some of which do not occur.
struct Values {
  const std::vector<uint64_t> &at;
  const std::vector<bool> &occurs;
};

using Weights = std::vector<uint64_t>;

// The weights w with f(x) = f(0) combined with w_i over the bits of x outside of `fixed`, for
// all x that agree with `value` there. `Add` is + or ^ modulo 2^width.
template <typename Add, typename Take>
std::optional<Weights> fit(const Values &f, int bits, uint64_t fixed, uint64_t value, Add add,
                           Take take) {
  const size_t rows = size_t(1) << bits;
  if (!f.occurs[value])
    return std::nullopt;
  Weights weights(bits, 0);
  for (int i = 0; i < bits; ++i) {
    const uint64_t x = value | uint64_t(1) << i;
    if (!(fixed >> i & 1) && f.occurs[x])
      weights[i] = take(f.at[x], f.at[value]);
  }
  for (uint64_t x = 0; x < rows; ++x) {
    if ((x & fixed) != value || !f.occurs[x] || x == value)
      continue;
    const uint64_t low = lowestBit(x & ~fixed);
    // x without one bit is a smaller value of that variable, so it occurs too.
    if (f.at[x] != add(f.at[x ^ low], weights[indexOf(low)]))
      return std::nullopt;
  }
  return weights;
}

StridedMap stridedFrom(const NumericForm &form, uint64_t base, const Weights &weights) {
  StridedMap map;
  map.base = base;
  map.width = form.width;
  size_t at = 0;
  for (const LayoutDim &dim : form.dims) {
    map.fields.push_back({dim.name, {weights.begin() + at, weights.begin() + at + dim.bits}});
    at += dim.bits;
  }
  return map;
}

std::optional<AffineLayout> affineFrom(const NumericForm &form, uint64_t base,
                                       const Weights &columns) {
  uint64_t all = base;
  for (const uint64_t column : columns)
    all |= column;
  int bits = 0;
  while (bits < 64 && all >> bits)
    ++bits;
  auto linear = LinearLayout::fromColumns(form.dims, {{"index", bits}}, columns);
  if (!linear)
    return std::nullopt;
  return AffineLayout{*linear, base};
}

std::optional<Weights> fitIntegers(const Values &f, const NumericForm &form, uint64_t fixed,
                                   uint64_t value) {
  const uint64_t mask = maskOf(form.width);
  return fit(
      f, bitsOf(form.dims), fixed, value, [&](uint64_t a, uint64_t w) { return (a + w) & mask; },
      [&](uint64_t a, uint64_t b) { return (a - b) & mask; });
}

std::optional<Weights> fitF2(const Values &f, const NumericForm &form, uint64_t fixed,
                             uint64_t value) {
  const auto exclusiveOr = [](uint64_t a, uint64_t b) { return a ^ b; };
  return fit(f, bitsOf(form.dims), fixed, value, exclusiveOr, exclusiveOr);
}

bool fitPiece(const Values &f, const NumericForm &form, uint64_t mask, uint64_t value,
              std::vector<Piece> &pieces) {
  if (!f.occurs[value])
    return true; // no such input
  Piece piece;
  piece.mask = mask;
  piece.value = value;
  if (const auto weights = fitIntegers(f, form, mask, value))
    piece.strided = stridedFrom(form, f.at[value], *weights);
  if (const auto columns = fitF2(f, form, mask, value))
    piece.affine = affineFrom(form, f.at[value], *columns);
  const bool fits = piece.strided || piece.affine;
  pieces.push_back(std::move(piece));
  return fits;
}

bool fitPieces(const Values &f, NumericForm &form, uint64_t mask) {
  std::vector<Piece> pieces;
  for (uint64_t value = mask;; value = (value - 1) & mask) {
    if (!fitPiece(f, form, mask, value, pieces))
      return false;
    if (value == 0)
      break;
  }
  std::reverse(pieces.begin(), pieces.end());
  form.pieces = std::move(pieces);
  form.kind = FormKind::Piecewise;
  return true;
}

// One deciding bit, or two.
bool fitPiecewise(const Values &f, NumericForm &form) {
  const int bits = bitsOf(form.dims);
  for (int i = 0; i < bits; ++i)
    if (fitPieces(f, form, uint64_t(1) << i))
      return true;
  for (int i = 0; i < bits; ++i)
    for (int j = i + 1; j < bits; ++j)
      if (fitPieces(f, form, uint64_t(1) << i | uint64_t(1) << j))
        return true;
  return false;
}

// Which flattened inputs have every variable below its size.
std::vector<bool> occurring(const IndexGraph &graph, const NumericForm &form) {
  std::vector<bool> occurs(size_t(1) << bitsOf(form.dims), true);
  int offset = 0;
  for (size_t v = 0; v < form.inputs.size(); ++v) {
    const uint64_t size = graph.variableAt(form.inputs[v]).size;
    const uint64_t mask = maskOf(form.dims[v].bits);
    if (size <= mask)
      for (size_t x = 0; x < occurs.size(); ++x)
        if ((x >> offset & mask) >= size)
          occurs[x] = false;
    offset += form.dims[v].bits;
  }
  return occurs;
}

void fitByTrying(IndexGraph &graph, Index e, NumericForm &form) {
  auto values = graph.evaluateAll(e, form.inputs);
  const uint64_t mask = maskOf(form.width);
  for (uint64_t &value : values)
    value &= mask;
  form.table = std::make_shared<const std::vector<uint64_t>>(std::move(values));
  const std::vector<bool> occurs = occurring(graph, form);
  const Values f{*form.table, occurs};
  if (const auto weights = fitIntegers(f, form, 0, 0))
    form.strided = stridedFrom(form, f.at[0], *weights);
  if (const auto columns = fitF2(f, form, 0, 0))
    form.affine = affineFrom(form, f.at[0], *columns);
  if (form.affine)
    form.kind = FormKind::AffineF2;
  else if (form.strided)
    form.kind = FormKind::AffineInt;
  else if (!fitPiecewise(f, form))
    form.kind = FormKind::Table;
}

// By shape: every bit affine.
bool fitByShape(const IndexGraph &graph, Index e, NumericForm &form) {
  const AffineBits bits = affineBits(graph, e, form.inputs);
  Weights columns(bitsOf(form.dims), 0);
  uint64_t base = 0;
  for (int out = 0; out < form.width; ++out) {
    if (!bits[out].known)
      return false;
    base |= uint64_t(bits[out].one) << out;
    for (size_t in = 0; in < columns.size(); ++in)
      columns[in] |= (bits[out].mask >> in & 1) << out;
  }
  form.affine = affineFrom(form, base, columns);
  if (form.affine)
    form.kind = FormKind::AffineF2;
  return form.affine.has_value();
}

bool isF2AlsoIntegers(const AffineLayout &f) {
  // Columns that share no bit with each other or with the constant add as they XOR.
  uint64_t used = f.constant;
  for (const uint64_t column : f.linear.columns()) {
    if (used & column)
      return false;
    used |= column;
  }
  return true;
}

void addVariables(const IndexGraph &graph, NumericForm &form, std::vector<VariableId> inputs) {
  form.inputs = std::move(inputs);
  for (const VariableId v : form.inputs)
    form.dims.push_back({graph.variableAt(v).name, graph.variableAt(v).bits()});
  // Two loops may share a name; dims may not.
  for (size_t i = 0; i < form.dims.size(); ++i)
    for (int copy = 2; std::any_of(form.dims.begin(), form.dims.begin() + i,
                                   [&](const LayoutDim &d) { return d.name == form.dims[i].name; });
         ++copy)
      form.dims[i].name = graph.variableAt(form.inputs[i]).name + "#" + std::to_string(copy);
}

NumericForm fitNumber(IndexGraph &graph, Index e, const std::vector<VariableId> &inputs);

// A sum of terms each of which can be tried: affine over the integers when they all are.
void fitByTerms(IndexGraph &graph, Index e, NumericForm &form) {
  const Separated &separated = graph.separation().of(e);
  Weights weights(bitsOf(form.dims), 0);
  uint64_t base = 0;
  for (const auto &[monomial, coefficient] : separated.sum.terms) {
    Sum one;
    one.add(monomial, coefficient);
    const Index term = graph.separation().rebuild(one, {uint8_t(form.width), false});
    if (term == e || separated.sum.terms.size() == 1)
      return;
    const NumericForm part = fitNumber(graph, term, term->support);
    if (!part.strided)
      return;
    base += part.strided->base;
    for (size_t v = 0; v < part.inputs.size(); ++v) {
      const auto at = std::find(form.inputs.begin(), form.inputs.end(), part.inputs[v]);
      int offset = 0;
      for (auto it = form.inputs.begin(); it != at; ++it)
        offset += graph.variableAt(*it).bits();
      for (int i = 0; i < part.dims[v].bits; ++i)
        weights[offset + i] += part.strided->fields[v].weights[i];
    }
  }
  for (uint64_t &weight : weights)
    weight &= maskOf(form.width);
  form.strided = stridedFrom(form, base & maskOf(form.width), weights);
  form.kind = FormKind::AffineInt;
  if (auto both = stridedToAffine(*form.strided, "index"); both && both->affine) {
    form.affine = std::move(both->affine);
    form.kind = FormKind::AffineF2;
  }
}

NumericForm fitNumber(IndexGraph &graph, Index e, const std::vector<VariableId> &inputs) {
  NumericForm form;
  form.width = e->type.bits;
  addVariables(graph, form, inputs);
  const int bits = bitsOf(form.dims);
  if (bits > 64) {
    form.reason = "its variables have " + std::to_string(bits) + " bits";
    return form;
  }
  if (fitByShape(graph, e, form)) {
    if (isF2AlsoIntegers(*form.affine))
      form.strided = stridedFrom(form, form.affine->constant, form.affine->linear.columns());
    else if (bits <= kTriedBits)
      fitByTrying(graph, e, form);
    return form;
  }
  if (bits <= kTriedBits)
    fitByTrying(graph, e, form);
  else
    fitByTerms(graph, e, form);
  if (form.kind == FormKind::Unknown)
    form.reason = "2^" + std::to_string(bits) + " joint values are too many to try, and " +
                  graph.toString(e) + " has no shape that tells";
  return form;
}

} // namespace

// ---- NumericForm ---------------------------------------------------------------

bool NumericForm::isConstant() const {
  if (affine)
    return affine->linear.rank() == 0;
  return false;
}

std::optional<uint64_t> NumericForm::at(uint64_t flat) const {
  if (affine)
    return affine->apply(flat);
  if (strided)
    return strided->apply(flat);
  if (table)
    return (*table)[flat];
  return std::nullopt;
}

// ---- Classifying ---------------------------------------------------------------

namespace {

bool touches(const std::vector<VariableId> &support, const std::vector<VariableId> &over) {
  return std::any_of(over.begin(), over.end(), [&](VariableId v) {
    return std::binary_search(support.begin(), support.end(), v);
  });
}

// Why nothing is known of an atom: the reason of the symbol in it that says why, or that
// two parts do not come apart.
std::string reasonOf(const IndexGraph &graph, Index atom, const std::vector<VariableId> &over) {
  std::vector<Index> stack = {atom};
  std::vector<Index> seen;
  while (!stack.empty()) {
    const Index n = stack.back();
    stack.pop_back();
    if (std::find(seen.begin(), seen.end(), n) != seen.end())
      continue;
    seen.push_back(n);
    if (n->op == Op::Symbol && touches(n->support, over)) {
      const Symbol &s = graph.symbolAt(static_cast<SymbolId>(n->value));
      return s.reason.empty() ? s.name + " is unknown" : s.reason;
    }
    for (const Index arg : n->args)
      if (arg)
        stack.push_back(arg);
  }
  return "lanes and unknown values do not come apart in " + graph.toString(atom);
}

class Classifier {
public:
  Classifier(IndexGraph &graph, Index e, const std::vector<VariableId> &over)
      : graph_(graph), separation_(graph.separation()), e_(e), over_(over),
        type_{e->type.bits, false} {}

  Form run() {
    const Separated &separated = separation_.of(e_);
    form_.assumptions = separated.assumptions;
    for (const auto &[monomial, coefficient] : separated.sum.terms)
      sort(monomial, coefficient);
    if (!form_.reason.empty()) {
      form_.number.reason = form_.reason;
      return form_;
    }
    form_.number = fitOver(number_);
    for (const auto &[factor, sum] : strided_)
      addStrided(factor, sum);
    form_.uniform = graph_.convert(separation_.rebuild(uniform_, type_), e_->type);
    finish();
    return form_;
  }

private:
  // Puts a term with its like: uniform, a number, or a number times something uniform.
  void sort(const Monomial &monomial, uint64_t coefficient) {
    Monomial uniform, pure;
    bool asked = false;
    for (const Index atom : monomial) {
      const bool dependent = touches(atom->support, over_);
      if (dependent && !atom->isPure() && form_.reason.empty())
        form_.reason = reasonOf(graph_, atom, over_);
      (atom->isPure() ? pure : uniform).push_back(atom);
      asked |= dependent;
    }
    if (!asked && !monomial.empty())
      uniform_.add(monomial, coefficient);
    else if (uniform.empty())
      number_.add(pure, coefficient);
    else
      strided_[uniform].add(pure, coefficient);
  }

  NumericForm fitOver(const Sum &sum) {
    const Index e = wholeIfPure(sum);
    std::vector<VariableId> inputs = over_;
    for (const VariableId v : e->support)
      if (std::find(inputs.begin(), inputs.end(), v) == inputs.end())
        inputs.push_back(v);
    return fitNumber(graph_, e, inputs);
  }

  // The author's own expression where nothing was split off: its shape tells more.
  Index wholeIfPure(const Sum &sum) {
    if (e_->isPure() && uniform_.isZero())
      return graph_.convert(e_, type_);
    return separation_.rebuild(sum, type_);
  }

  void addStrided(const Monomial &factor, const Sum &sum) {
    StridedTerm term;
    Sum stride;
    stride.add(factor, 1);
    term.stride = separation_.rebuild(stride, {type_.bits, e_->type.isSigned});
    const Index e = separation_.rebuild(sum, type_);
    std::vector<VariableId> inputs = over_;
    for (const VariableId v : e->support)
      if (std::find(inputs.begin(), inputs.end(), v) == inputs.end())
        inputs.push_back(v);
    term.form = fitNumber(graph_, e, inputs);
    form_.uniformZeroBits =
        std::min(form_.uniformZeroBits, std::min(64u, term.stride->zeroBits + e->zeroBits));
    form_.strided.push_back(std::move(term));
  }

  void finish() {
    if (!uniform_.isZero())
      for (const auto &[monomial, coefficient] : uniform_.terms) {
        Sum one;
        one.add(monomial, coefficient);
        form_.uniformZeroBits =
            std::min(form_.uniformZeroBits, zeroBits(separation_.rebuild(one, type_)));
      }
    form_.kind = form_.number.kind;
    form_.reason = form_.number.reason;
    for (const StridedTerm &term : form_.strided)
      if (term.form.kind == FormKind::Unknown) {
        form_.kind = FormKind::Unknown;
        form_.reason = term.form.reason;
      }
  }

  // With what has been assumed of bases.
  unsigned zeroBits(Index e) const {
    for (const Assumption &a : form_.assumptions)
      if (a.kind == Assumption::Kind::Aligned && e->support.empty() &&
          (e == a.of || (e->op == Op::Convert && e->args[0] == a.of)))
        return std::max(a.bits, e->zeroBits);
    return e->zeroBits;
  }

  IndexGraph &graph_;
  Separation &separation_;
  Index e_;
  std::vector<VariableId> over_;
  IndexType type_;
  Form form_;
  Sum uniform_, number_;
  std::map<Monomial, Sum, ByNumber> strided_;
};

} // namespace

bool Form::isUniform() const {
  return kind != FormKind::Unknown && strided.empty() && number.isConstant();
}

Form classify(IndexGraph &graph, Index e, const std::vector<VariableId> &over) {
  std::vector<VariableId> finite;
  for (const VariableId v : over)
    if (graph.variableAt(v).isFinite())
      finite.push_back(v);
  return Classifier(graph, e, finite).run();
}

Form classify(IndexGraph &graph, Index e) { return classify(graph, e, e->support); }

// ---- Dependence ----------------------------------------------------------------

static bool valuesDiffer(const IndexGraph &graph, Index e, VariableId variable) {
  const std::vector<uint64_t> values = graph.evaluateAll(e, e->support);
  int offset = 0, bits = 0;
  std::vector<uint64_t> limit;
  for (const VariableId v : e->support) {
    if (v == variable)
      offset = bits;
    bits += graph.variableAt(v).bits();
  }
  const uint64_t size = graph.variableAt(variable).size;
  const uint64_t field = maskOf(graph.variableAt(variable).bits()) << offset;
  NumericForm form;
  form.inputs = e->support;
  for (const VariableId v : e->support)
    form.dims.push_back({"", graph.variableAt(v).bits()});
  const std::vector<bool> occurs = occurring(graph, form);
  for (uint64_t x = 0; x < values.size(); ++x)
    if (occurs[x] && (x & field) >> offset < size && values[x] != values[x & ~field])
      return true;
  return false;
}

static int jointBits(const IndexGraph &graph, Index e) {
  int bits = 0;
  for (const VariableId v : e->support)
    bits += graph.variableAt(v).bits();
  return bits;
}

static bool pureDependsOn(IndexGraph &graph, Index e, VariableId variable) {
  if (!e->mentions(variable))
    return false;
  const int bits = jointBits(graph, e);
  if (bits <= kTriedBits)
    return valuesDiffer(graph, e, variable);
  if (bits <= 64) {
    int offset = 0;
    for (const VariableId v : e->support) {
      if (v == variable)
        break;
      offset += graph.variableAt(v).bits();
    }
    const uint64_t field = maskOf(graph.variableAt(variable).bits()) << offset;
    const AffineBits affine = affineBits(graph, e, e->support);
    if (std::all_of(affine.begin(), affine.begin() + e->type.bits,
                    [&](const AffineBit &b) { return b.known && !(b.mask & field); }))
      return false;
  }
  // Term by term: no dependence when no term has one.
  for (const auto &[monomial, coefficient] : graph.separation().of(e).sum.terms)
    for (const Index atom : monomial)
      if (atom == e || pureDependsOn(graph, atom, variable))
        return true;
  return false;
}

bool dependsOn(IndexGraph &graph, Index e, VariableId variable,
               std::vector<Assumption> *assumptions) {
  if (!e->mentions(variable))
    return false;
  if (e->isPure())
    return pureDependsOn(graph, e, variable);
  Separation &separation = graph.separation();
  const Separated &separated = separation.of(e);
  std::map<Monomial, Sum, ByNumber> groups;
  for (const auto &[monomial, coefficient] : separated.sum.terms) {
    Monomial symbolic, pure;
    for (const Index atom : monomial) {
      if (!atom->isPure() && atom->mentions(variable))
        return true;
      (atom->isPure() ? pure : symbolic).push_back(atom);
    }
    groups[symbolic].add(pure, coefficient);
  }
  for (const auto &[symbolic, sum] : groups)
    if (pureDependsOn(graph, separation.rebuild(sum, {e->type.bits, false}), variable))
      return true;
  if (assumptions)
    for (const Assumption &a : separated.assumptions)
      if (std::find(assumptions->begin(), assumptions->end(), a) == assumptions->end())
        assumptions->push_back(a);
  return false;
}

std::optional<uint64_t> constantValue(IndexGraph &graph, Index e) {
  if (e->isConstant())
    return e->value;
  const Separated &separated = graph.separation().of(e);
  if (!separated.assumptions.empty())
    return std::nullopt;
  if (const auto value = separated.sum.constant())
    return normalize(*value, e->type);
  for (const auto &[monomial, coefficient] : separated.sum.terms)
    for (const Index atom : monomial)
      if (!atom->isPure())
        return std::nullopt;
  const Index number = graph.separation().rebuild(separated.sum, {e->type.bits, false});
  for (const VariableId v : number->support)
    if (pureDependsOn(graph, number, v))
      return std::nullopt;
  return normalize(graph.evaluate(number, {}), e->type);
}

std::optional<int64_t> difference(IndexGraph &graph, Index a, Index b) {
  if (a->type.bits != b->type.bits)
    return std::nullopt;
  const IndexType type{a->type.bits, true};
  // Through the sums, so that wrapping differences come out too.
  const Sum sum = graph.separation().of(a).sum - graph.separation().of(b).sum;
  const Index apart = graph.separation().rebuild(sum, {type.bits, false});
  const auto value = constantValue(graph, apart);
  if (!value)
    return std::nullopt;
  return static_cast<int64_t>(normalize(*value, type));
}

unsigned knownZeroBits(IndexGraph &graph, Index e) {
  const Form form = classify(graph, e);
  if (form.kind == FormKind::Unknown)
    return e->zeroBits;
  uint64_t any = 0;
  const NumericForm &f = form.number;
  if (f.affine) {
    any = f.affine->constant;
    for (const uint64_t column : f.affine->linear.columns())
      any |= column;
  } else if (f.strided) {
    any = f.strided->base;
    for (const StridedField &field : f.strided->fields)
      for (const uint64_t weight : field.weights)
        any |= weight;
  } else {
    const std::vector<bool> occurs = occurring(graph, f);
    for (size_t x = 0; x < f.table->size(); ++x)
      any |= occurs[x] ? (*f.table)[x] : 0;
  }
  unsigned zeros = 0;
  while (zeros < e->type.bits && !(any >> zeros & 1))
    ++zeros;
  unsigned uniform = 64;
  Sum sum = graph.separation().of(form.uniform).sum;
  for (const auto &[monomial, coefficient] : sum.terms) {
    Sum one;
    one.add(monomial, coefficient);
    uniform = std::min(uniform, graph.separation().rebuild(one, {e->type.bits, false})->zeroBits);
  }
  for (const StridedTerm &term : form.strided)
    uniform = std::min(uniform, term.stride->zeroBits);
  return std::max(e->zeroBits, std::min(zeros, uniform));
}

const void *baseObject(IndexGraph &graph, Index address, Index *offset) {
  Sum sum = graph.separation().of(address).sum;
  const Symbol *base = nullptr;
  Monomial found;
  for (const auto &[monomial, coefficient] : sum.terms)
    for (const Index atom : monomial) {
      if (atom->op != Op::Symbol)
        continue;
      const Symbol &symbol = graph.symbolAt(static_cast<SymbolId>(atom->value));
      if (!symbol.object)
        continue;
      if (base || monomial.size() != 1 || coefficient != 1)
        return nullptr;
      base = &symbol;
      found = monomial;
    }
  if (!base)
    return nullptr;
  sum.terms.erase(found);
  if (offset)
    *offset = graph.separation().rebuild(sum, kI64);
  return base->object;
}

// ---- Threads -----------------------------------------------------------------

Index ThreadVariables::warp(IndexGraph &graph) const {
  return graph.add(graph.variable(pair), graph.mul(graph.variable(wave), graph.constant(2)));
}

Index ThreadVariables::thread(IndexGraph &graph) const {
  return graph.add(graph.variable(lane), graph.mul(warp(graph), graph.constant(32)));
}

ThreadVariables addThreadVariables(IndexGraph &graph, unsigned threads) {
  const unsigned most = threads ? threads : 1024;
  const unsigned warps = (most + 31) / 32;
  ThreadVariables t;
  t.lane = graph.addVariable({"lane", std::min(32u, most), Role::Lane});
  t.pair = graph.addVariable({"h", std::min(2u, warps), Role::Pair});
  t.wave = graph.addVariable({"wave", (warps + 1) / 2, Role::Wave});
  return t;
}

Uniformity uniformity(IndexGraph &graph, Index e, const ThreadVariables &threads,
                      std::vector<Assumption> *assumptions) {
  if (dependsOn(graph, e, threads.lane, assumptions))
    return Uniformity::Divergent;
  if (dependsOn(graph, e, threads.pair, assumptions))
    return Uniformity::WarpUniform;
  if (dependsOn(graph, e, threads.wave, assumptions))
    return Uniformity::PairUniform;
  return Uniformity::Uniform;
}

} // namespace layout_port::recover
