// CuTe functions by name: one table row a function, from its arguments as values to
// its value. The names are CuTe's (pycute, cute C++ and the CuTe DSL agree on most);
// where they have several, all are known.
#include "cute/Detail.h"
#include "cute/Value.h"

#include <algorithm>
#include <numeric>

namespace layout_port::cute {

// ---- Values --------------------------------------------------------------------

template <typename T> static Result<Value> asValue(const Result<T> &result) {
  return result ? Result<Value>(Value(*result)) : result.error();
}
static Result<Value> asValue(const Result<Layout> &result) {
  return result ? Result<Value>(Value(Function(*result))) : result.error();
}
static Result<Value> asValue(const Result<Swizzle> &result) {
  return result ? Result<Value>(Value(Function(*result))) : result.error();
}
static Result<Value> asValue(const Result<int64_t> &result) {
  return result ? Result<Value>(Value(IntTuple(*result))) : result.error();
}
static Value integerValue(int64_t x) { return Value(IntTuple(x)); }
static Value layoutValue(const Layout &layout) { return Value(Function(layout)); }

static std::string tilerToString(const Tiler &tiler) {
  switch (tiler.kind) {
  case Tiler::Kind::Whole:
    return "_";
  case Tiler::Kind::BySize:
    return std::to_string(tiler.size);
  case Tiler::Kind::ByLayout:
    return tiler.layout.toString();
  case Tiler::Kind::ByMode:
    break;
  }
  std::string text = "<";
  for (const Tiler &m : tiler.modes)
    text += (&m == &tiler.modes.front() ? "" : ",") + tilerToString(m);
  return text + ">";
}

std::string toString(const Value &value) {
  if (const IntTuple *tuple = std::get_if<IntTuple>(&value))
    return tuple->toString();
  if (const Function *function = std::get_if<Function>(&value))
    return function->toString();
  return tilerToString(std::get<Tiler>(value));
}

Result<Function> asFunctionValue(const Value &value) {
  if (const Function *function = std::get_if<Function>(&value))
    return *function;
  const IntTuple *shape = std::get_if<IntTuple>(&value);
  if (!shape)
    return makeError("%s is a tiler, not a layout", toString(value).c_str());
  const Result<Layout> layout = Layout::make(*shape);
  return layout ? Result<Function>(Function(*layout)) : layout.error();
}

Result<Layout> asLayout(const Value &value) {
  const Result<Function> function = asFunctionValue(value);
  if (!function)
    return function.error();
  if (!function->layout())
    return makeError("%s is not a plain layout", function->toString().c_str());
  return *function->layout();
}

Result<Tiler> asTiler(const Value &value) {
  if (const Tiler *tiler = std::get_if<Tiler>(&value))
    return *tiler;
  if (const IntTuple *shape = std::get_if<IntTuple>(&value))
    return Tiler::of(*shape);
  const Result<Layout> layout = asLayout(value);
  return layout ? Result<Tiler>(Tiler::of(*layout)) : layout.error();
}

Result<IntTuple> asTuple(const Value &value) {
  if (const IntTuple *tuple = std::get_if<IntTuple>(&value))
    return *tuple;
  return makeError("%s is not an integer tuple", toString(value).c_str());
}

static Result<int64_t> asInteger(const Value &value) {
  const IntTuple *tuple = std::get_if<IntTuple>(&value);
  if (!tuple || !tuple->isInt())
    return makeError("%s is not an integer", toString(value).c_str());
  return tuple->value();
}

// The shape of a layout or tuple: what size, rank, depth and the like ask of either.
static Result<IntTuple> asShape(const Value &value) {
  if (const IntTuple *tuple = std::get_if<IntTuple>(&value))
    return tuple->hasUnderscore() ? Result<IntTuple>(makeError("'_' has no size")) : *tuple;
  const Result<Function> function = asFunctionValue(value);
  if (!function)
    return function.error();
  const Function *inner = &*function;
  while (inner->composed())
    inner = &inner->composed()->inner;
  if (!inner->layout())
    return makeError("%s has no shape", function->toString().c_str());
  return inner->layout()->shape();
}

// ---- Calling -------------------------------------------------------------------

using Args = std::vector<Value>;

// f(a) or f(a, b) when all arguments convert.
template <typename A, typename F> static Result<Value> with(const Result<A> &a, const F &f) {
  return a ? f(*a) : a.error();
}
template <typename A, typename B, typename F>
static Result<Value> with(const Result<A> &a, const Result<B> &b, const F &f) {
  if (!a || !b)
    return a ? b.error() : a.error();
  return f(*a, *b);
}

// Applies `f` to a layout, or to the layout inside "outer o offset o layout".
template <typename F> static Result<Function> onInner(const Function &function, const F &f) {
  if (const Layout *layout = function.layout()) {
    const Result<Layout> result = f(*layout);
    return result ? Result<Function>(Function(*result)) : result.error();
  }
  if (!function.composed())
    return makeError("%s is not a layout", function.toString().c_str());
  const Composed &composed = *function.composed();
  const Result<Function> inner = onInner(composed.inner, f);
  if (!inner)
    return inner;
  return Function(Composed{composed.outer, composed.offset, *inner});
}

template <typename F> static Result<Value> mapLayout(const Value &value, const F &f) {
  return with(asFunctionValue(value), [&](const Function &x) { return asValue(onInner(x, f)); });
}

// ---- Functions of one layout -----------------------------------------------------

static Result<IntTuple> modeAt(const IntTuple &tuple, const Args &args) {
  IntTuple at = tuple;
  for (size_t i = 1; i < args.size(); ++i) {
    const Result<int64_t> index = asInteger(args[i]);
    if (!index)
      return index.error();
    if (*index < 0 || *index >= at.rank())
      return makeError("%s has no mode %lld", at.toString().c_str(),
                       static_cast<long long>(*index));
    at = IntTuple(at.mode(static_cast<int>(*index)));
  }
  return at;
}

// f(mode of the shape): size(L, 0, 1) is the size of mode 1 of mode 0.
template <typename F> static Result<Value> ofShape(const Args &args, const F &f) {
  const Result<IntTuple> shape = asShape(args[0]);
  if (!shape)
    return shape.error();
  return with(modeAt(*shape, args), [&](const IntTuple &s) { return Result<Value>(f(s)); });
}

static Result<Layout> layoutAt(const Layout &layout, const Args &args) {
  const Result<IntTuple> shape = modeAt(layout.shape(), args);
  const Result<IntTuple> stride = modeAt(layout.stride(), args);
  if (!shape || !stride)
    return shape ? stride.error() : shape.error();
  return Layout::make(*shape, *stride);
}

static Result<Value> callSize(const Args &args) {
  return ofShape(args, [](const IntTuple &s) -> Result<Value> {
    if (absolute(s.product()) > kMaxOffset)
      return makeError("a product beyond 2^60");
    return integerValue(s.product());
  });
}
static Result<Value> callRank(const Args &args) {
  return ofShape(args, [](const IntTuple &s) { return integerValue(s.rank()); });
}
static Result<Value> callDepth(const Args &args) {
  return ofShape(args, [](const IntTuple &s) { return integerValue(s.depth()); });
}
static Result<Value> callShape(const Args &args) {
  return ofShape(args, [](const IntTuple &s) { return Value(s); });
}
static Result<Value> callStride(const Args &args) {
  return with(asLayout(args[0]),
              [&](const Layout &l) { return asValue(modeAt(l.stride(), args)); });
}
static Result<Value> callGet(const Args &args) {
  if (const IntTuple *tuple = std::get_if<IntTuple>(&args[0]); tuple && args.size() > 1)
    return asValue(modeAt(*tuple, args));
  return mapLayout(args[0], [&](const Layout &l) { return layoutAt(l, args); });
}

static Result<Value> callCosize(const Args &args) {
  const Result<Function> function = asFunctionValue(args[0]);
  if (!function)
    return function.error();
  const Function *inner = &*function;
  while (inner->composed())
    inner = &inner->composed()->inner;
  if (!inner->layout())
    return makeError("%s has no cosize", function->toString().c_str());
  return with(layoutAt(*inner->layout(), args),
              [](const Layout &l) { return Result<Value>(integerValue(l.cosize())); });
}

static Result<Value> callFlatten(const Args &args) {
  if (const IntTuple *tuple = std::get_if<IntTuple>(&args[0]))
    return Value(flatTuple(*tuple));
  return mapLayout(args[0], [](const Layout &l) { return Result<Layout>(flatten(l)); });
}

static Result<Value> callCoalesce(const Args &args) {
  if (args.size() == 1)
    return mapLayout(args[0], [](const Layout &l) { return Result<Layout>(coalesce(l)); });
  return with(asTuple(args[1]), [&](const IntTuple &profile) {
    return mapLayout(args[0], [&](const Layout &l) { return coalesce(l, profile); });
  });
}

static Result<Value> callFilter(const Args &args) {
  if (args.size() == 1)
    return mapLayout(args[0], [](const Layout &l) { return Result<Layout>(filter(l)); });
  return with(asTuple(args[1]), [&](const IntTuple &profile) {
    return mapLayout(args[0], [&](const Layout &l) { return filter(l, profile); });
  });
}

static Result<Value> callFilterZeros(const Args &args) {
  return mapLayout(args[0], [](const Layout &l) { return Result<Layout>(filterZeros(l)); });
}

// The modes that `args` from `first` on count out.
static Result<Layout> modesOf(const Layout &layout, const std::vector<int64_t> &indices) {
  std::vector<Layout> modes;
  for (const int64_t i : indices) {
    if (i < 0 || i >= layout.rank())
      return makeError("%s has no mode %lld", layout.toString().c_str(), static_cast<long long>(i));
    modes.push_back(layout.mode(static_cast<int>(i)));
  }
  return Layout::concat(modes);
}

static Result<std::vector<int64_t>> integersFrom(const Args &args, size_t first) {
  std::vector<int64_t> integers;
  for (size_t i = first; i < args.size(); ++i) {
    const Result<IntTuple> tuple = asTuple(args[i]);
    if (!tuple)
      return tuple.error();
    const std::vector<int64_t> leaves = tuple->leaves();
    integers.insert(integers.end(), leaves.begin(), leaves.end());
  }
  return integers;
}

static Result<Value> callSelect(const Args &args) {
  const Result<std::vector<int64_t>> indices = integersFrom(args, 1);
  if (!indices)
    return indices.error();
  return mapLayout(args[0], [&](const Layout &l) { return modesOf(l, *indices); });
}

// Modes [begin, end) of a layout, as they are (take) or as one mode among the rest (group).
static Result<std::pair<int64_t, int64_t>> modeRange(const Args &args, int rank) {
  const Result<std::vector<int64_t>> range = integersFrom(args, 1);
  if (!range)
    return range.error();
  if (range->size() != 2 || (*range)[0] < 0 || (*range)[0] >= (*range)[1] || (*range)[1] > rank)
    return makeError("a range of modes is two integers, 0 <= begin < end <= %d", rank);
  return std::make_pair((*range)[0], (*range)[1]);
}

static Result<Value> callTake(const Args &args) {
  return mapLayout(args[0], [&](const Layout &l) -> Result<Layout> {
    const auto range = modeRange(args, l.rank());
    if (!range)
      return range.error();
    const std::vector<Layout> modes = l.modes();
    return Layout::concat({modes.begin() + range->first, modes.begin() + range->second});
  });
}

static Result<Value> callGroup(const Args &args) {
  return mapLayout(args[0], [&](const Layout &l) -> Result<Layout> {
    const auto range = modeRange(args, l.rank());
    if (!range)
      return range.error();
    std::vector<Layout> modes = l.modes();
    const auto first = modes.begin() + range->first, last = modes.begin() + range->second;
    const Result<Layout> grouped = Layout::concat({first, last});
    if (!grouped)
      return grouped;
    *first = *grouped;
    modes.erase(first + 1, last);
    return Layout::concat(modes);
  });
}

static Result<Value> callReverse(const Args &args) {
  return mapLayout(args[0], [](const Layout &l) -> Result<Layout> {
    std::vector<Layout> modes = l.modes();
    std::reverse(modes.begin(), modes.end());
    return l.isLeaf() ? l : Layout::concat(modes);
  });
}

static Result<Value> callComplement(const Args &args) {
  const Result<Function> function = asFunctionValue(args[0]);
  if (!function)
    return function.error();
  const bool isSwizzled = function->outerSwizzle();
  const Result<Layout> layout =
      isSwizzled ? *function->composed()->inner.layout() : asLayout(args[0]);
  if (!layout)
    return layout.error();
  if (args.size() == 1)
    return asValue(isSwizzled ? complement(*layout, IntTuple(layout->cosize()))
                              : complement(*layout));
  return with(asShape(args[1]),
              [&](const IntTuple &cotarget) { return asValue(complement(*layout, cotarget)); });
}

static Result<Value> callRightInverse(const Args &args) {
  if (const IntTuple *tuple = std::get_if<IntTuple>(&args[0]); tuple && tuple->isUnderscore())
    return args[0];
  return with(asFunctionValue(args[0]), [](const Function &f) { return asValue(rightInverse(f)); });
}
static Result<Value> callLeftInverse(const Args &args) {
  if (const IntTuple *tuple = std::get_if<IntTuple>(&args[0]); tuple && tuple->isUnderscore())
    return args[0];
  return with(asFunctionValue(args[0]), [](const Function &f) { return asValue(leftInverse(f)); });
}
static Result<Value> callNullspace(const Args &args) {
  const Result<Function> function = asFunctionValue(args[0]);
  if (function && function->composed())
    return layoutValue(Layout()); // CuTe does not attempt it
  return with(asLayout(args[0]), [](const Layout &l) { return asValue(nullspace(l)); });
}

static Result<Value> callUpcast(const Args &args) {
  return with(asFunctionValue(args[0]), asInteger(args[1]),
              [](const Function &f, int64_t n) { return asValue(upcast(f, n)); });
}
static Result<Value> callDowncast(const Args &args) {
  return with(asFunctionValue(args[0]), asInteger(args[1]),
              [](const Function &f, int64_t n) { return asValue(downcast(f, n)); });
}

// recast(layout, old element bits, new element bits)
static Result<Value> callRecast(const Args &args) {
  const Result<Function> function = asFunctionValue(args[0]);
  const Result<int64_t> from = asInteger(args[1]), to = asInteger(args[2]);
  if (!function || !from || !to)
    return !function ? function.error() : !from ? from.error() : to.error();
  if (*from < 1 || *to < 1)
    return makeError("element widths are positive");
  const int64_t common = std::gcd(*from, *to);
  Result<Function> result = *function;
  if (*to > common)
    result = upcast(*result, *to / common);
  if (result && *from > common)
    result = downcast(*result, *from / common);
  return asValue(result);
}

static Result<Value> callMaxAlignment(const Args &args) {
  const Result<Function> function = asFunctionValue(args[0]);
  if (!function)
    return function.error();
  if (const Swizzle *swizzle = function->swizzle())
    return integerValue(int64_t(1) << swizzle->base);
  if (const Layout *layout = function->layout())
    return asValue(maxAlignment(*layout));
  const Swizzle *swizzle = function->outerSwizzle();
  if (!swizzle)
    return integerValue(1);
  return with(maxAlignment(*function->composed()->inner.layout()), [&](int64_t inner) {
    const int64_t outer = std::gcd(int64_t(1) << swizzle->base, function->composed()->offset);
    return Result<Value>(integerValue(std::gcd(outer, inner)));
  });
}

// ---- Functions of several --------------------------------------------------------

static bool isShape(const Value &value) {
  const IntTuple *tuple = std::get_if<IntTuple>(&value);
  return tuple && !tuple->hasUnderscore();
}

// make_layout(shape), make_layout(shape, stride), make_layout(layout...).
static Result<Value> callMakeLayout(const Args &args) {
  if (args.size() == 1 && isShape(args[0]))
    return with(asLayout(args[0]), [](const Layout &l) { return Result<Value>(layoutValue(l)); });
  if (args.size() == 2 && isShape(args[0]) && isShape(args[1]))
    return asValue(Layout::make(std::get<IntTuple>(args[0]), std::get<IntTuple>(args[1])));
  std::vector<Layout> modes;
  for (const Value &v : args) {
    const Result<Layout> mode = asLayout(v);
    if (!mode)
      return mode.error();
    modes.push_back(*mode);
  }
  return asValue(Layout::concat(modes));
}

static Result<Value> callAppend(const Args &args) {
  return with(asLayout(args[0]), asLayout(args[1]), [](const Layout &a, const Layout &b) {
    std::vector<Layout> modes = a.modes();
    modes.push_back(b);
    return asValue(Layout::concat(modes));
  });
}
static Result<Value> callPrepend(const Args &args) {
  return with(asLayout(args[0]), asLayout(args[1]), [](const Layout &a, const Layout &b) {
    std::vector<Layout> modes = a.modes();
    modes.insert(modes.begin(), b);
    return asValue(Layout::concat(modes));
  });
}

static Result<Value> callComposition(const Args &args) {
  const Result<Function> a = asFunctionValue(args[0]);
  if (const Function *b = std::get_if<Function>(&args[1]))
    return with(a, [&](const Function &f) { return asValue(composition(f, *b)); });
  return with(a, asTiler(args[1]),
              [](const Function &f, const Tiler &t) { return asValue(composition(f, t)); });
}

static Result<Value> callWithShape(const Args &args) {
  return with(asFunctionValue(args[0]), asLayout(args[1]), [](const Function &f, const Layout &l) {
    return asValue(composition(f, Function(l)));
  });
}

using LayoutTilerFunction = Result<Layout> (*)(const Layout &, const Tiler &);

template <LayoutTilerFunction F> static Result<Value> callTiling(const Args &args) {
  return with(asTiler(args[1]), [&](const Tiler &tiler) {
    return mapLayout(args[0], [&](const Layout &l) { return F(l, tiler); });
  });
}

static Result<Value> callLogicalProduct(const Args &args) {
  const Function *tiler = std::get_if<Function>(&args[1]);
  if (!tiler || tiler->layout())
    return callTiling<logicalProduct>(args);
  return with(asLayout(args[0]),
              [&](const Layout &block) { return asValue(logicalProduct(block, *tiler)); });
}

using LayoutLayoutFunction = Result<Layout> (*)(const Layout &, const Layout &);

template <LayoutLayoutFunction F> static Result<Value> callProduct(const Args &args) {
  return with(asLayout(args[1]), [&](const Layout &tiler) {
    return mapLayout(args[0], [&](const Layout &l) { return F(l, tiler); });
  });
}

static Result<Value> callTileToShape(const Args &args) {
  const Result<IntTuple> shape = asTuple(args[1]);
  const Result<IntTuple> order = args.size() > 2 ? asTuple(args[2]) : shape;
  return with(shape, order, [&](const IntTuple &s, const IntTuple &o) {
    return mapLayout(args[0], [&](const Layout &l) {
      return args.size() > 2 ? tileToShape(l, s, o) : tileToShape(l, s);
    });
  });
}

static Result<Value> callMakeOrderedLayout(const Args &args) {
  return with(asTuple(args[0]), asTuple(args[1]), [](const IntTuple &s, const IntTuple &o) {
    return asValue(makeOrderedLayout(s, o));
  });
}

static Result<Value> callMaxCommonVector(const Args &args) {
  return with(asFunctionValue(args[0]), asFunctionValue(args[1]),
              [](const Function &a, const Function &b) { return asValue(maxCommonVector(a, b)); });
}

// A swizzle on either side cuts the common layout to 2^M elements.
static Result<Value> callMaxCommonLayout(const Args &args) {
  const Result<Function> a = asFunctionValue(args[0]), b = asFunctionValue(args[1]);
  if (!a || !b)
    return a ? b.error() : a.error();
  if (a->layout() && b->layout())
    return asValue(maxCommonLayout(*a->layout(), *b->layout()));
  const Function &swizzled = a->layout() ? *b : *a, &plain = a->layout() ? *a : *b;
  if (!swizzled.outerSwizzle() || !plain.layout())
    return makeError("max_common_layout takes two layouts, at most one of them swizzled");
  const Result<Layout> common =
      maxCommonLayout(*swizzled.composed()->inner.layout(), *plain.layout());
  const int64_t base = int64_t(1) << swizzled.outerSwizzle()->base;
  if (!common || base >= common->size())
    return asValue(common);
  return asValue(composition(*common, Tiler::of(IntTuple(base))));
}

static Result<Value> callMakeLayoutTv(const Args &args) {
  return with(asLayout(args[0]), asLayout(args[1]),
              [](const Layout &threads, const Layout &values) -> Result<Value> {
                const Result<ThreadValue> tv = makeLayoutTv(threads, values);
                return tv ? Result<Value>(layoutValue(tv->layout)) : tv.error();
              });
}
static Result<Value> callTilerTv(const Args &args) {
  return with(asLayout(args[0]), asLayout(args[1]),
              [](const Layout &threads, const Layout &values) -> Result<Value> {
                const Result<ThreadValue> tv = makeLayoutTv(threads, values);
                return tv ? Result<Value>(Value(tv->tiler)) : tv.error();
              });
}

static Result<Value> callMakeSwizzle(const Args &args) {
  return with(asInteger(args[0]), asInteger(args[1]),
              [](int64_t yyy, int64_t zzz) { return asValue(makeSwizzle(yyy, zzz)); });
}

// ---- Coordinates -----------------------------------------------------------------

// One coordinate, or several that are the entries of one.
static Result<IntTuple> coordinateFrom(const Args &args, size_t first) {
  if (args.size() == first + 1)
    return asTuple(args[first]);
  std::vector<IntTuple> modes;
  for (size_t i = first; i < args.size(); ++i) {
    const Result<IntTuple> mode = asTuple(args[i]);
    if (!mode)
      return mode;
    modes.push_back(*mode);
  }
  return IntTuple(std::move(modes));
}

// layout(coordinate): an offset, or a slice when there is a `_` in it.
static Result<Value> callApply(const Args &args) {
  return with(asFunctionValue(args[0]), coordinateFrom(args, 1),
              [](const Function &f, const IntTuple &c) {
                return c.hasUnderscore() ? asValue(slice(c, f)) : asValue(f.apply(c));
              });
}

// slice(coordinate, layout), as CuTe has it, or the other way round.
static Result<Value> callSlice(const Args &args) {
  if (std::holds_alternative<IntTuple>(args[0]) && args.size() == 2)
    return with(asTuple(args[0]), asFunctionValue(args[1]),
                [](const IntTuple &c, const Function &f) { return asValue(slice(c, f)); });
  return with(asFunctionValue(args[0]), coordinateFrom(args, 1),
              [](const Function &f, const IntTuple &c) { return asValue(slice(c, f)); });
}

static Result<Value> callDice(const Args &args) {
  return with(asTuple(args[0]), asLayout(args[1]),
              [](const IntTuple &c, const Layout &l) { return asValue(dice(c, l)); });
}

// Of (coordinate, shape), (coordinate, shape, stride) or (coordinate, layout).
static Result<Value> callCrd2idx(const Args &args) {
  const Result<IntTuple> c = asTuple(args[0]);
  if (!c)
    return c.error();
  if (args.size() == 3)
    return with(asTuple(args[1]), asTuple(args[2]),
                [&](const IntTuple &s, const IntTuple &d) { return asValue(crd2idx(*c, s, d)); });
  if (const IntTuple *shape = std::get_if<IntTuple>(&args[1]))
    return asValue(crd2idx(*c, *shape));
  return with(asLayout(args[1]),
              [&](const Layout &l) { return asValue(crd2idx(*c, l.shape(), l.stride())); });
}

static Result<Value> callIdx2crd(const Args &args) {
  const Result<IntTuple> index = asTuple(args[0]);
  if (!index)
    return index.error();
  if (args.size() == 3)
    return with(asTuple(args[1]), asTuple(args[2]), [&](const IntTuple &s, const IntTuple &d) {
      return asValue(idx2crd(*index, s, d));
    });
  if (const IntTuple *shape = std::get_if<IntTuple>(&args[1]))
    return asValue(idx2crd(*index, *shape));
  return with(asLayout(args[1]),
              [&](const Layout &l) { return asValue(idx2crd(*index, l.shape(), l.stride())); });
}

// crd2crd(coordinate, its shape, another shape)
static Result<Value> callCrd2crd(const Args &args) {
  const Result<IntTuple> c = asTuple(args[0]), target = asTuple(args[2]);
  if (!c || !target)
    return c ? target.error() : c.error();
  return with(asTuple(args[1]), [&](const IntTuple &source) -> Result<Value> {
    const Result<int64_t> index = crd2idx(*c, source);
    return index ? asValue(idx2crd(IntTuple(*index), *target)) : index.error();
  });
}

// The coordinate of an offset in a compact layout: as deep as the shape, one integer a
// mode, or one integer in all.
static Result<IntTuple> hierCoordinate(const Layout &layout, const Args &args) {
  const Result<int64_t> offset = asInteger(args[1]);
  if (!offset)
    return offset.error();
  return idx2crd(IntTuple(*offset), layout.shape(), layout.stride());
}
static Result<Value> callHierCoordinate(const Args &args) {
  return with(asLayout(args[0]), [&](const Layout &l) { return asValue(hierCoordinate(l, args)); });
}
static Result<Value> callFlatCoordinate(const Args &args) {
  return with(asLayout(args[0]), [&](const Layout &l) -> Result<Value> {
    const Result<IntTuple> c = hierCoordinate(l, args);
    if (!c || !c->isTuple())
      return asValue(c);
    std::vector<IntTuple> modes;
    for (int i = 0; i < c->rank(); ++i)
      modes.push_back(*crd2idx(c->mode(i), l.shape().mode(i)));
    return Value(IntTuple(std::move(modes)));
  });
}
static Result<Value> call1dCoordinate(const Args &args) {
  return with(asLayout(args[0]), [&](const Layout &l) -> Result<Value> {
    const Result<IntTuple> c = hierCoordinate(l, args);
    return c ? asValue(crd2idx(*c, l.shape())) : c.error();
  });
}

// ---- Tuples ----------------------------------------------------------------------

static Result<Value> callCongruent(const Args &args) {
  return with(asShape(args[0]), asShape(args[1]), [](const IntTuple &a, const IntTuple &b) {
    return Result<Value>(integerValue(congruent(a, b)));
  });
}
static Result<Value> callCompatible(const Args &args) {
  return with(asShape(args[0]), asShape(args[1]), [](const IntTuple &a, const IntTuple &b) {
    return Result<Value>(integerValue(compatible(a, b)));
  });
}
static Result<Value> callProductEach(const Args &args) {
  return with(asShape(args[0]),
              [](const IntTuple &s) { return Result<Value>(Value(productEach(s))); });
}

static Result<Value> callInnerProduct(const Args &args) {
  return with(asTuple(args[0]), asTuple(args[1]),
              [](const IntTuple &a, const IntTuple &b) { return asValue(innerProduct(a, b)); });
}
static Result<Value> callShapeDiv(const Args &args) {
  return with(asTuple(args[0]), asTuple(args[1]),
              [](const IntTuple &a, const IntTuple &b) { return asValue(shapeDiv(a, b)); });
}
static Result<Value> callPrefixProduct(const Args &args) {
  const Result<IntTuple> start = args.size() > 1 ? asTuple(args[1]) : IntTuple(1);
  return with(asTuple(args[0]), start,
              [](const IntTuple &a, const IntTuple &b) { return asValue(prefixProduct(a, b)); });
}

// ---- The table -------------------------------------------------------------------

struct Row {
  const char *name;
  size_t fewest, most; // arguments
  Result<Value> (*call)(const Args &);
};

static constexpr size_t kAny = 1024;

static const Row kFunctions[] = {
    {"size", 1, kAny, callSize},
    {"product", 1, 1, callSize},
    {"cosize", 1, kAny, callCosize},
    {"rank", 1, kAny, callRank},
    {"depth", 1, kAny, callDepth},
    {"shape", 1, kAny, callShape},
    {"stride", 1, kAny, callStride},
    {"get", 1, kAny, callGet},
    {"mode", 1, kAny, callGet},
    {"layout", 1, kAny, callGet},
    {"select", 2, kAny, callSelect},
    {"take", 3, 3, callTake},
    {"group", 3, 3, callGroup},
    {"append", 2, 2, callAppend},
    {"prepend", 2, 2, callPrepend},
    {"reverse", 1, 1, callReverse},
    {"flatten", 1, 1, callFlatten},
    {"coalesce", 1, 2, callCoalesce},
    {"filter", 1, 2, callFilter},
    {"filter_zeros", 1, 1, callFilterZeros},
    {"complement", 1, 2, callComplement},
    {"right_inverse", 1, 1, callRightInverse},
    {"left_inverse", 1, 1, callLeftInverse},
    {"nullspace", 1, 1, callNullspace},
    {"upcast", 2, 2, callUpcast},
    {"downcast", 2, 2, callDowncast},
    {"recast", 3, 3, callRecast},
    {"recast_layout", 3, 3, callRecast},
    {"max_alignment", 1, 1, callMaxAlignment},
    {"make_layout", 1, kAny, callMakeLayout},
    {"concat", 1, kAny, callMakeLayout},
    {"composition", 2, 2, callComposition},
    {"compose", 2, 2, callComposition},
    {"with_shape", 2, 2, callWithShape},
    {"logical_divide", 2, 2, callTiling<logicalDivide>},
    {"zipped_divide", 2, 2, callTiling<zippedDivide>},
    {"tiled_divide", 2, 2, callTiling<tiledDivide>},
    {"flat_divide", 2, 2, callTiling<flatDivide>},
    {"logical_product", 2, 2, callLogicalProduct},
    {"zipped_product", 2, 2, callTiling<zippedProduct>},
    {"tiled_product", 2, 2, callTiling<tiledProduct>},
    {"flat_product", 2, 2, callTiling<flatProduct>},
    {"blocked_product", 2, 2, callProduct<blockedProduct>},
    {"raked_product", 2, 2, callProduct<rakedProduct>},
    {"tile_to_shape", 2, 3, callTileToShape},
    {"make_ordered_layout", 2, 2, callMakeOrderedLayout},
    {"max_common_vector", 2, 2, callMaxCommonVector},
    {"max_common_layout", 2, 2, callMaxCommonLayout},
    {"make_layout_tv", 2, 2, callMakeLayoutTv},
    {"layout_tv", 2, 2, callMakeLayoutTv},
    {"tv_layout", 2, 2, callMakeLayoutTv},
    {"thread_value", 2, 2, callMakeLayoutTv},
    {"thread_value_layout", 2, 2, callMakeLayoutTv},
    {"tiler_tv", 2, 2, callTilerTv},
    {"make_swizzle", 2, 2, callMakeSwizzle},
    {"apply", 2, kAny, callApply},
    {"slice", 2, kAny, callSlice},
    {"dice", 2, 2, callDice},
    {"crd2idx", 2, 3, callCrd2idx},
    {"idx2crd", 2, 3, callIdx2crd},
    {"crd2crd", 3, 3, callCrd2crd},
    {"get_hier_coord", 2, 2, callHierCoordinate},
    {"get_flat_coord", 2, 2, callFlatCoordinate},
    {"get_1d_coord", 2, 2, call1dCoordinate},
    {"congruent", 2, 2, callCongruent},
    {"compatible", 2, 2, callCompatible},
    {"product_each", 1, 1, callProductEach},
    {"inner_product", 2, 2, callInnerProduct},
    {"shape_div", 2, 2, callShapeDiv},
    {"prefix_product", 1, 2, callPrefixProduct},
};

Result<Value> call(const std::string &function, const std::vector<Value> &args) {
  for (const Row &row : kFunctions) {
    if (function != row.name)
      continue;
    if (args.size() < row.fewest || args.size() > row.most)
      return makeError("%s takes %s%zu argument(s), not %zu", row.name,
                       row.most > row.fewest ? "at least " : "", row.fewest, args.size());
    return row.call(args);
  }
  return makeError("no CuTe function is called %s", quoted(function).c_str());
}

// ---- Fronts ----------------------------------------------------------------------

std::vector<std::string> functionNames() {
  std::vector<std::string> names;
  for (const Row &row : kFunctions)
    names.push_back(row.name);
  return names;
}

Result<std::string> evaluate(const std::string &function, const std::vector<std::string> &args) {
  std::vector<Value> values;
  for (const std::string &text : args) {
    Result<Value> value = parseValue(text);
    if (!value)
      return makeError("%s: %s", quoted(text).c_str(), value.error().message.c_str());
    values.push_back(std::move(*value));
  }
  const Result<Value> result = call(function, values);
  if (!result)
    return result.error();
  return toString(*result);
}

Result<std::string> evaluate(const std::string &expression) {
  const Result<Value> result = parseValue(expression);
  if (!result)
    return result.error();
  return toString(*result);
}

} // namespace layout_port::cute
