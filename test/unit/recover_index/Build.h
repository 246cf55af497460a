// Index expressions written as C++: E(lane) % 8 ^ row builds the graph by C++'s own
// precedence, with the usual conversions left to the test (everything is one type).
#pragma once

#include "recover/Forms.h"

namespace layout_port::recover {

struct E {
  IndexGraph *graph = nullptr;
  Index index = nullptr;

  E with(Op op, E o) const { return {graph, graph->binary(op, index, o.index)}; }
  E number(int64_t v) const { return {graph, graph->constant(uint64_t(v), index->type)}; }
  E to(IndexType type) const { return {graph, graph->convert(index, type)}; }
};

#define LP_OPERATOR(symbol, name)                                                                  \
  inline E operator symbol(E a, E b) { return a.with(Op::name, b); }                               \
  inline E operator symbol(E a, int64_t b) { return a.with(Op::name, a.number(b)); }
LP_OPERATOR(+, Add)
LP_OPERATOR(-, Sub)
LP_OPERATOR(*, Mul)
LP_OPERATOR(/, Div)
LP_OPERATOR(%, Rem)
LP_OPERATOR(<<, Shl)
LP_OPERATOR(>>, Shr)
LP_OPERATOR(&, And)
LP_OPERATOR(|, Or)
LP_OPERATOR(^, Xor)
LP_OPERATOR(<, Lt)
LP_OPERATOR(==, Eq)
#undef LP_OPERATOR

// A block of four warps, an n8-tile index j below 4, a row stride K and a shared buffer.
struct Block {
  IndexGraph graph;
  ThreadVariables threads = addThreadVariables(graph, 128);
  VariableId jId = graph.addVariable({"j", 4, Role::Loop});
  VariableId tId = graph.addVariable({"t", 0, Role::Loop});
  E lane{&graph, graph.variable(threads.lane)};
  E warp{&graph, threads.warp(graph)};
  E thread{&graph, threads.thread(graph)};
  E j{&graph, graph.variable(jId)};
  E t{&graph, graph.variable(tId)};
  E K = symbol("K", kI32);
  E smem = buffer("smem", 4);

  E symbol(const std::string &name, IndexType type) {
    Symbol s;
    s.name = name;
    s.type = type;
    return {&graph, graph.symbol(graph.addSymbol(s))};
  }
  // A shared-memory address as ldmatrix takes it.
  E buffer(const std::string &name, unsigned zeroBits) {
    Symbol s;
    s.name = name;
    s.type = kU32;
    s.zeroBits = zeroBits;
    s.least = 0;
    s.most = 1 << 18;
    s.object = this;
    return {&graph, graph.symbol(graph.addSymbol(s))};
  }
  E select(E c, E a, E b) { return {&graph, graph.select(c.index, a.index, b.index)}; }
  Form form(E e) { return classify(graph, e.index); }
  Form form(E e, std::vector<VariableId> over) { return classify(graph, e.index, over); }
  bool depends(E e, VariableId v) { return dependsOn(graph, e.index, v); }
};

} // namespace layout_port::recover
