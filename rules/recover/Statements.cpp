// Statements: both arms of a branch are walked, and what they leave differently becomes a
// select; who leaves early (return, break, continue) takes his memory along.
#include "recover/Walk.h"

#include "clang/AST/Attr.h"

using namespace clang;

namespace layout_port::recover {

Walk::Flow Walk::statement(const Stmt *s) {
  if (!s || exhausted(s))
    return Flow::Next;
  if (const auto *e = dyn_cast<Expr>(s)) {
    if (e->isGLValue())
      place(e);
    else if (e->getType()->isRecordType())
      record(e);
    else
      rvalue(e);
    return Flow::Next;
  }
  if (const auto *block = dyn_cast<CompoundStmt>(s))
    return compound(block);
  if (const auto *declaration = dyn_cast<DeclStmt>(s)) {
    for (const Decl *decl : declaration->decls())
      if (const auto *variable = dyn_cast<VarDecl>(decl))
        declare(variable);
    return Flow::Next;
  }
  if (const auto *attributed = dyn_cast<AttributedStmt>(s))
    return statement(attributed->getSubStmt());
  if (const auto *labelled = dyn_cast<LabelStmt>(s))
    return statement(labelled->getSubStmt());
  if (const auto *branching = dyn_cast<IfStmt>(s))
    return ifStatement(branching);
  if (const auto *choice = dyn_cast<SwitchStmt>(s))
    return switchStatement(choice);
  if (const auto *assembly = dyn_cast<GCCAsmStmt>(s)) {
    inlineAsm(assembly);
    return Flow::Next;
  }
  if (const auto *f = dyn_cast<ForStmt>(s)) {
    if (f->getInit())
      statement(f->getInit());
    return loop({s, f->getCond(), f->getInc(), f->getBody(), f->getConditionVariable(), true});
  }
  if (const auto *w = dyn_cast<WhileStmt>(s))
    return loop({s, w->getCond(), nullptr, w->getBody(), w->getConditionVariable(), true});
  if (const auto *d = dyn_cast<DoStmt>(s))
    return loop({s, d->getCond(), nullptr, d->getBody(), nullptr, false});
  if (const auto *r = dyn_cast<ReturnStmt>(s))
    return leave(r);
  if (isa<BreakStmt, ContinueStmt>(s)) {
    if (!loopFrames_.empty()) {
      LoopFrame &frame = loopFrames_.back();
      if (isa<BreakStmt>(s)) {
        frame.hasBreak = true;
        frame.exits.push_back(pathSince(frame.conditions));
      } else
        frame.continues.push_back({pathSince(frame.conditions), nullptr, environment_});
    }
    return Flow::Gone;
  }
  if (const auto *f = dyn_cast<CXXForRangeStmt>(s)) {
    for (const Stmt *part :
         {static_cast<const Stmt *>(f->getRangeStmt()),
          static_cast<const Stmt *>(f->getBeginStmt()), static_cast<const Stmt *>(f->getEndStmt())})
      statement(part);
    return loop({s, f->getCond(), f->getInc(), f->getBody(), f->getLoopVariable(), true});
  }
  for (const Stmt *child : s->children())
    if (statement(child) == Flow::Gone)
      return Flow::Gone;
  return Flow::Next;
}

Walk::Flow Walk::compound(const CompoundStmt *s) {
  for (const Stmt *part : s->body())
    if (statement(part) == Flow::Gone)
      return Flow::Gone;
  return Flow::Next;
}

void Walk::declare(const VarDecl *decl) {
  if (const auto *tuple = dyn_cast<DecompositionDecl>(decl))
    (void)tuple; // its bindings are looked up through it
  if (decl->hasAttr<CUDASharedAttr>() || decl->hasGlobalStorage()) {
    objectOf(decl);
    return;
  }
  const QualType type = decl->getType();
  if (type->isDependentType() || type->isIncompleteType())
    return;
  if (type->isReferenceType()) {
    if (const Expr *init = decl->getInit()) {
      if (const LambdaExpr *lambda = lambdaOf(init))
        lambdas_[decl] = lambda;
      bindings_[decl] = init->isGLValue() ? place(init) : materialize(init);
    }
    return;
  }
  Place own;
  own.bytes = static_cast<unsigned>(sizeOf(type));
  own.object = newObject(decl->getNameAsString(), decl, Space::Local, own.bytes,
                         unsigned(context_.getDeclAlign(decl).getQuantity()));
  own.offset = number(0);
  if (const Expr *init = decl->getInit()) {
    if (const LambdaExpr *lambda = lambdaOf(init))
      lambdas_[decl] = lambda;
    const Expr *outer = std::exchange(current_, init);
    initialize(own, type, init);
    current_ = outer;
  }
  bindings_[decl] = own;
}

// ---- Branches ------------------------------------------------------------------

static Index conjunction(IndexGraph &graph, const std::vector<Condition> &conditions, size_t from,
                         bool exitsOnly) {
  Index all = graph.constant(1, kBool);
  for (size_t i = from; i < conditions.size(); ++i)
    if (conditions[i].value && (!exitsOnly || conditions[i].isExit))
      all = all->isConstant(1) ? conditions[i].value
                               : graph.binary(Op::And, all, conditions[i].value);
  return all;
}

Index Walk::pathSince(size_t from) { return conjunction(graph, control_.conditions, from, false); }

Walk::Flow Walk::branch(Index condition, const Stmt *at, const std::function<Flow()> &a,
                        const std::function<Flow()> &b) {
  if (condition->isConstant())
    return condition->value ? a() : b();
  const size_t depth = control_.conditions.size();
  const Environment before = environment_;
  const auto arm = [&](Index taken, const std::function<Flow()> &run, Index &stayed) {
    control_.conditions.push_back({taken, at, false});
    const Flow flow = run();
    stayed = conjunction(graph, control_.conditions, depth + 1, true);
    control_.conditions.resize(depth);
    return flow;
  };
  Index stayedA = nullptr, stayedB = nullptr;
  const Flow flowA = arm(condition, a, stayedA);
  Environment afterA = std::exchange(environment_, before);
  const Flow flowB = arm(graph.logicalNot(condition), b, stayedB);
  if (flowA == Flow::Gone && flowB == Flow::Gone)
    return Flow::Gone;
  const Index none = graph.constant(0, kBool);
  const Index stays = graph.select(condition, flowA == Flow::Gone ? none : stayedA,
                                   flowB == Flow::Gone ? none : stayedB);
  if (!stays->isConstant(1))
    control_.conditions.push_back({stays, at, true});
  if (flowB == Flow::Gone)
    environment_ = std::move(afterA);
  else if (flowA == Flow::Next)
    environment_ = merged(condition, afterA, environment_, at);
  return Flow::Next;
}

// The values at constant offsets, or nothing when there are others.
static bool byOffset(const Contents &contents, std::map<std::pair<uint64_t, unsigned>, Index> &to) {
  for (const Write &w : contents.writes) {
    if (!w.offset->isConstant())
      return false;
    to[{w.offset->value, w.bytes}] = w.value;
  }
  return true;
}

Environment Walk::merged(Index condition, const Environment &a, const Environment &b,
                         const Stmt *at) {
  Environment result = a;
  for (const auto &[object, inA] : a)
    if (!b.count(object) && objects_[object].space == Space::Parameter)
      lose(result[object], where(at) + "it is written on one way only");
  for (const auto &[object, inB] : b) {
    const auto found = a.find(object);
    if (found == a.end()) {
      // It came into being there, or has no value elsewhere.
      if (objects_[object].space == Space::Parameter)
        lose(result[object], where(at) + "it is written on one way only");
      else
        result[object] = inB;
      continue;
    }
    const Contents &inA = found->second;
    if (inA == inB)
      continue;
    std::map<std::pair<uint64_t, unsigned>, Index> x, y;
    Contents &both = result[object];
    both = Contents();
    if (!byOffset(inA, x) || !byOffset(inB, y)) {
      lose(both, where(at) + "it is written differently on two ways");
      continue;
    }
    both.lost = inA.lost.empty() ? inB.lost : inA.lost;
    for (const auto &[bytes, value] : x) {
      const auto other = y.find(bytes);
      const bool joins = other != y.end() && other->second->type == value->type;
      if (joins)
        both.writes.push_back({number(int64_t(bytes.first)), bytes.second,
                               graph.select(condition, value, other->second)});
      else if (other != y.end() || !inB.lost.empty())
        both.lost = where(at) + "it is written on one way only";
      else
        both.writes.push_back({number(int64_t(bytes.first)), bytes.second, value});
    }
    for (const auto &[bytes, value] : y)
      if (!x.count(bytes)) {
        if (inA.lost.empty())
          both.writes.push_back({number(int64_t(bytes.first)), bytes.second, value});
        else
          both.lost = where(at) + "it is written on one way only";
      }
  }
  return result;
}

Walk::Flow Walk::ifStatement(const IfStmt *s) {
  if (s->getInit())
    statement(s->getInit());
  if (s->getConditionVariable())
    declare(s->getConditionVariable());
  const Index value = s->getCond() ? rvalue(s->getCond()) : nullptr;
  Index condition = value ? graph.truth(value)
                          : graph.truth(unknown(context_.BoolTy, s, "a condition not followed"));
  if (s->isConstexpr() && s->getCond())
    if (const auto known = constantOf(s->getCond()))
      condition = graph.truth(*known);
  if (live() && !condition->isConstant())
    observer_->onBranch({s, condition, uniformity(graph, condition, threads), false, outerLine(s)},
                        control_);
  return branch(
      condition, s, [&] { return statement(s->getThen()); },
      [&] { return s->getElse() ? statement(s->getElse()) : Flow::Next; });
}

// A switch on a constant is its case; on anything else, what it assigns is unknown.
Walk::Flow Walk::switchStatement(const SwitchStmt *s) {
  if (s->getInit())
    statement(s->getInit());
  const Index value = rvalue(s->getCond());
  const Index on = value ? value : unknown(context_.IntTy, s, "a switch not followed");
  const auto *body = dyn_cast<CompoundStmt>(s->getBody());
  if (!body)
    return Flow::Next;
  if (live() && !on->isConstant())
    observer_->onBranch({s, on, uniformity(graph, on, threads), false, outerLine(s)}, control_);
  const auto labelOf = [&](const Stmt *part, bool &isDefault) -> std::optional<uint64_t> {
    isDefault = isa<DefaultStmt>(part);
    if (const auto *c = dyn_cast<CaseStmt>(part))
      if (const auto label = constantOf(c->getLHS()))
        return graph.convert(*label, on->type)->value;
    return std::nullopt;
  };
  const auto unlabelled = [](const Stmt *part) {
    while (const auto *label = dyn_cast<SwitchCase>(part))
      part = label->getSubStmt();
    return part;
  };
  if (on->isConstant()) {
    bool running = false, any = false;
    for (int round = 0; round < 2 && !any; ++round)
      for (const Stmt *part : body->body()) {
        for (const Stmt *label = part; isa<SwitchCase>(label);
             label = llvm::cast<SwitchCase>(label)->getSubStmt()) {
          bool isDefault = false;
          const auto at = labelOf(label, isDefault);
          running |= round == 0 ? at && *at == on->value : isDefault;
        }
        any |= running;
        if (!running)
          continue;
        if (isa<BreakStmt>(unlabelled(part)))
          return Flow::Next;
        if (statement(unlabelled(part)) == Flow::Gone)
          return endsWithBreak(unlabelled(part)) ? Flow::Next : Flow::Gone;
      }
    return Flow::Next;
  }
  const Environment before = environment_;
  const size_t depth = control_.conditions.size();
  // Whether a case is reached by its label or from the one above, nobody asks.
  const auto loseChanged = [&] {
    for (auto &[object, contents] : environment_) {
      const auto old = before.find(object);
      if (old == before.end() || !(old->second == contents))
        lose(contents, where(s) + "it is written in a switch");
    }
  };
  for (const Stmt *part : body->body()) {
    if (isa<BreakStmt>(part))
      continue;
    if (isa<SwitchCase>(part))
      loseChanged();
    control_.conditions.push_back(
        {graph.truth(opaque(context_.BoolTy, "case", {on}, part, "a case")), s, false});
    statement(unlabelled(part));
    control_.conditions.resize(depth);
  }
  loseChanged();
  return Flow::Next;
}

bool Walk::endsWithBreak(const Stmt *s) {
  if (isa<BreakStmt>(s))
    return true;
  const auto *block = dyn_cast<CompoundStmt>(s);
  return block && !block->body_empty() && endsWithBreak(block->body_back());
}

Walk::Flow Walk::leave(const ReturnStmt *s) {
  if (frames_.empty())
    return Flow::Gone;
  Index value = nullptr;
  const Expr *e = s->getRetValue();
  const QualType type = frames_.back().function->getReturnType();
  if (e && type->isReferenceType()) {
    const Place returned = place(e);
    returnedPlace_ = returned;
    value = addressOf(returned);
  } else if (e && e->getType()->isRecordType()) {
    const std::optional<Place> to = frames_.back().result;
    const Expr *outer = std::exchange(current_, e);
    if (to)
      initialize(*to, type, e);
    else
      record(e);
    current_ = outer;
  } else if (e) {
    value = fit(rvalue(e), type);
  }
  for (LoopFrame &loop : loopFrames_) {
    loop.hasBreak = loop.hasReturn = true;
    loop.exits.push_back(pathSince(loop.conditions));
  }
  Frame &frame = frames_.back();
  frame.returns.push_back({pathSince(frame.conditions), value, environment_});
  return Flow::Gone;
}

} // namespace layout_port::recover
