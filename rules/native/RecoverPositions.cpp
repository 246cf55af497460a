// A struct of numbers that says where a thread's work is, by value or by const reference, in
// functions that are ported where they stand:
//
//   struct Position { int lane, row, column; };
//   void readA(uint32_t (*a)[4], const Tile &tile, const Position &at) {
//     ldsm4(a[i], &tile[at.row + i * 16 + at.lane % 16][at.lane / 16 * 8]);
//     ->  lp::load_a(a[i], [&](int lane, int warp) {
//           const Position at = {lane, warp / 2 * 32, warp % 2 * 16};
//           return &tile[at.row + i * 16 + at.lane % 16][at.lane / 16 * 8];
//         });
//
// Members that are the same sums of digits of lane and warp in all calls (Sampler::formulaOf) are
// said so, as far as the text is this kernel's alone; what else there is is asked of the lane that
// has it.
#include "native/EpilogueMemory.h"
#include "native/Recovery.h"
#include "source/Edits.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr uint64_t kMostBytes = 64; // to be asked for, a register at a time

const CXXRecordDecl *recordOf(const VarDecl &variable) {
  const CXXRecordDecl *record = variable.getType().getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->hasDefinition() ? record->getDefinition() : nullptr;
}

bool isNumber(QualType type) { return type->isIntegerType() && !type->isEnumeralType(); }

} // namespace

// It stays what it is in the function.
bool Recovery::isPosition(const ParmVarDecl &parameter) const {
  const QualType type = parameter.getType();
  const bool isAlone = !type->isReferenceType() || type.getNonReferenceType().isConstQualified();
  return isAlone && isOfWords(parameter) && !sampler_.isAssigned(&parameter) &&
         !sampler_.changesUnseen(&parameter);
}

// Lanes can be asked for what it has.
bool Recovery::isOfWords(const VarDecl &variable) const {
  const CXXRecordDecl *record = recordOf(variable);
  const QualType type = variable.getType().getNonReferenceType();
  if (!record || record->isUnion() || record->getNumBases() || type.isVolatileQualified() ||
      !type.isTriviallyCopyableType(context_) || variable.isStaticLocal())
    return false;
  for (const FieldDecl *field : record->fields()) {
    const uint64_t bits = context_.getTypeSize(field->getType());
    const bool isWord = field->getType()->isScalarType() && (bits == 32 || bits == 64);
    if (!isWord || field->isBitField() || field->isMutable() ||
        field->getType().isVolatileQualified())
      return false;
  }
  return !record->field_empty() &&
         static_cast<uint64_t>(context_.getTypeSizeInChars(type).getQuantity()) <= kMostBytes;
}

static bool hasPadding(const CXXRecordDecl &record, const ASTContext &context) {
  uint64_t bits = 0;
  for (const FieldDecl *field : record.fields())
    bits += context.getTypeSize(field->getType());
  return bits != context.getTypeSize(context.getCanonicalTagType(&record));
}

// at.row of an object, as the kernel's text might say it.
static const Expr *memberOf(const Expr &object, const FieldDecl &field,
                            const ASTContext &constant) {
  auto &context = const_cast<ASTContext &>(constant);
  MemberExpr *member = MemberExpr::CreateImplicit(context, const_cast<Expr *>(&object), false,
                                                  const_cast<FieldDecl *>(&field), field.getType(),
                                                  VK_LValue, OK_Ordinary);
  return ImplicitCastExpr::Create(context, field.getType().getUnqualifiedType(), CK_LValueToRValue,
                                  member, nullptr, VK_PRValue, FPOptionsOverride());
}

std::vector<Recovery::MemberValue> Recovery::valuesOfMembers(const ParmVarDecl &parameter) {
  const unsigned number = parameter.getFunctionScopeIndex();
  std::vector<MemberValue> values;
  bool isFirst = true;
  const auto add = [&](const Expr &argument) {
    size_t i = 0;
    for (const FieldDecl *field : recordOf(parameter)->fields()) {
      const Expr *member = memberOf(argument, *field, context_);
      const auto formula = isNumber(field->getType()) ? sampler_.formulaOf(member) : std::nullopt;
      const bool isOfWave = sampler_.sameForWave(member);
      if (isFirst)
        values.push_back({formula, isOfWave});
      else
        values[i].isOfWave &= isOfWave;
      if (!(formula == values[i].formula))
        values[i].formula.reset();
      ++i;
    }
    isFirst = false;
  };
  const bool areKnown = holdsForCallsOf(*function_, 0, [&](const Handing &handing) {
    const Expr *argument = argumentOf(*handing.call, number);
    if (!argument || handing.isCallersStale || handing.stale.count(argument) ||
        handing.ofObject.count(argument) || isDecided(*argument, 0))
      return false;
    add(*argument);
    return true;
  });
  return areKnown && isOfKernelAlone(*function_, 0) ? values : std::vector<MemberValue>();
}

// Of `const Position &at`, Position. Empty: a macro writes it.
std::string Recovery::typeOfPosition(const VarDecl &variable) const {
  const TypeSourceInfo *info = variable.getTypeSourceInfo();
  TypeLoc type = info ? info->getTypeLoc().getUnqualifiedLoc() : TypeLoc();
  if (const auto reference = type.getAs<ReferenceTypeLoc>())
    type = reference.getPointeeLoc().getUnqualifiedLoc();
  const auto range = type ? texts_.range(type.getSourceRange()) : std::nullopt;
  return range ? sourceRange(range->begin, range->end) : "";
}

// Braces do not narrow.
std::string Recovery::asType(const std::string &text, QualType type) const {
  const std::string name =
      type.getCanonicalType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
  return name == "int"                   ? text
         : name == "unsigned int"        ? "unsigned(" + text + ")"
         : StringRef(name).contains(' ') ? "static_cast<" + name + ">(" + text + ")"
                                         : name + "(" + text + ")";
}

// What each member is for another lane: said by lane and warp, or asked of it; the same for all, as
// it is.
std::vector<std::string> Recovery::membersOf(const VarDecl &variable,
                                             const std::vector<MemberValue> &values,
                                             AddressFunction &out) {
  const std::string own = askedAs(variable.getNameAsString()) + ".";
  std::vector<std::string> members;
  for (const auto &[field, value] : llvm::zip(recordOf(variable)->fields(), values)) {
    const auto text = value.formula ? formulaText(*value.formula, out) : std::nullopt;
    const std::string its = own + field->getNameAsString();
    if (text)
      noteLanes(*text, out);
    else
      askFor(variable, out);
    members.push_back(text             ? asType(*text, field->getType())
                      : value.isOfWave ? its
                                       : "lp::of_thread(" + its + ", " + out.laneName + ", " +
                                             out.warpName + ")");
  }
  return members;
}

void Recovery::askFor(const VarDecl &variable, AddressFunction &out) {
  const std::string name = variable.getNameAsString();
  out.usesLane = out.usesWarp = true;
  if (!llvm::is_contained(out.fetched, name))
    out.fetched.push_back(name);
}

bool Recovery::needPosition(const VarDecl &variable, AddressFunction &out) {
  const CXXRecordDecl &record = *recordOf(variable);
  const std::string name = variable.getNameAsString(), asked = askedAs(name);
  const bool leads = llvm::any_of(record.fields(), [](const FieldDecl *field) {
    return field->getType()->isPointerType(); // to the thread's own variables, perhaps
  });
  const bool mayAssign = llvm::all_of(record.fields(), [](const FieldDecl *field) {
    return field->getAccess() == AS_public && !field->getType().isConstQualified();
  });
  if ((leads && (fetchesNumbers_ || readsThrough_)) || freeName(asked) != asked || hasMember(asked))
    return false;
  const std::string type = record.isAggregate() ? typeOfPosition(variable) : "";
  std::vector<MemberValue> values;
  if (const auto *parameter = dyn_cast<ParmVarDecl>(&variable);
      parameter && function_ && (mayAssign || !type.empty()))
    values = valuesOfMembers(*parameter);
  const bool isSaid = llvm::any_of(
      values, [](const MemberValue &value) { return value.formula || value.isOfWave; });
  const bool isWhole = record.hasDefaultConstructor() && !hasPadding(record, context_);
  noteWalk(variable, out);
  if (isSaid && !type.empty()) {
    const std::vector<std::string> members = membersOf(variable, values, out);
    out.variables.push_back({"const " + type, name, "{" + llvm::join(members, ", ") + "}"});
  } else if (mayAssign && (isSaid || !isWhole)) {
    values.resize(std::distance(record.field_begin(), record.field_end()));
    askFor(variable, out);
    out.variables.push_back({"auto", name, asked});
    const std::vector<std::string> members = membersOf(variable, values, out);
    for (const auto &[field, value] : llvm::zip(record.fields(), members))
      out.variables.push_back(
          {"", name, name + "." + field->getNameAsString() + " = " + value + ";"});
  } else if (isWhole) {
    askFor(variable, out);
    out.variables.push_back(
        {"const auto", name,
         "lp::of_thread(" + asked + ", " + out.laneName + ", " + out.warpName + ")"});
  } else {
    return false;
  }
  return true;
}

} // namespace layout_port::native
