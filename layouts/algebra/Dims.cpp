#include "algebra/Dims.h"

#include <algorithm>

namespace layout_port {
namespace dims {

using f2::lowMask;
using f2::shiftLeft;
using f2::shiftRight;

Names namesOf(const Dims &dims) {
  Names names;
  for (const LayoutDim &dim : dims)
    names.push_back(dim.name);
  return names;
}

int totalBits(const Dims &dims) {
  int bits = 0;
  for (const LayoutDim &dim : dims)
    bits += dim.bits;
  return bits;
}

int indexOf(const Dims &dims, const std::string &name) {
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d].name == name)
      return static_cast<int>(d);
  return -1;
}

int bitsOf(const Dims &dims, const std::string &name) {
  const int index = indexOf(dims, name);
  return index < 0 ? 0 : dims[index].bits;
}

int offsetOf(const Dims &dims, const std::string &name) {
  int offset = 0;
  for (const LayoutDim &dim : dims) {
    if (dim.name == name)
      return offset;
    offset += dim.bits;
  }
  return -1;
}

bool contains(const Names &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names namesWithout(const Dims &dims, const Names &without) {
  Names rest;
  for (const LayoutDim &dim : dims)
    if (!contains(without, dim.name))
      rest.push_back(dim.name);
  return rest;
}

LinearLayout::Basis split(const Dims &dims, uint64_t flat) {
  LinearLayout::Basis coordinates;
  for (const LayoutDim &dim : dims) {
    coordinates.push_back(flat & lowMask(dim.bits));
    flat = shiftRight(flat, dim.bits);
  }
  return coordinates;
}

uint64_t join(const Dims &dims, const LinearLayout::Basis &coordinates) {
  uint64_t flat = 0;
  int offset = 0;
  for (size_t d = 0; d < dims.size() && d < coordinates.size(); ++d) {
    flat |= shiftLeft(coordinates[d] & lowMask(dims[d].bits), offset);
    offset += dims[d].bits;
  }
  return flat;
}

LinearLayout::NamedValues nameValues(const Dims &dims, uint64_t flat) {
  LinearLayout::NamedValues named;
  const LinearLayout::Basis coordinates = split(dims, flat);
  for (size_t d = 0; d < dims.size(); ++d)
    named.emplace_back(dims[d].name, coordinates[d]);
  return named;
}

Rearrangement::Rearrangement(const Dims &from, const Dims &to, const Dims &lift) {
  int offset = 0;
  for (const LayoutDim &dim : from) {
    const int place = offsetOf(to, dim.name);
    const int up = bitsOf(lift, dim.name);
    const int bits = std::min(dim.bits, bitsOf(to, dim.name) - up);
    if (place >= 0 && bits > 0)
      moves_.push_back({offset, place + up, lowMask(bits)});
    offset += dim.bits;
  }
}

uint64_t Rearrangement::operator()(uint64_t flat) const {
  uint64_t result = 0;
  for (const Move &move : moves_)
    result |= (flat >> move.from & move.mask) << move.to;
  return result;
}

Result<int> checkDims(const Dims &dims, const char *what) {
  int bits = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (indexOf(dims, dims[d].name) != static_cast<int>(d))
      return makeError("%s '%s' is given twice", what, dims[d].name.c_str());
    if (dims[d].bits < 0 || dims[d].bits > 64 - bits)
      return makeError("the %ss have more than 64 bits", what);
    bits += dims[d].bits;
  }
  return bits;
}

Result<Dims> dimsOfSizes(const LinearLayout::NamedSizes &sizes) {
  Dims dims;
  for (const auto &[name, size] : sizes) {
    if (f2::popcount(size) != 1)
      return makeError("the size of dim '%s', %llu, is not a power of two", name.c_str(),
                       static_cast<unsigned long long>(size));
    dims.push_back({name, f2::lowestBit(size)});
  }
  return dims;
}

Result<bool> checkSameNames(const Names &a, const Names &b, const char *what) {
  Names sortedA = a, sortedB = b;
  std::sort(sortedA.begin(), sortedA.end());
  std::sort(sortedB.begin(), sortedB.end());
  if (sortedA != sortedB)
    return makeError("the %s differ: [%s] and [%s]", what, joinNames(a).c_str(),
                     joinNames(b).c_str());
  return true;
}

Result<bool> checkSameDims(const Dims &a, const Dims &b, const char *what) {
  if (const Result<bool> names = checkSameNames(namesOf(a), namesOf(b), what); !names)
    return names.error();
  for (const LayoutDim &dim : a)
    if (dim.bits != bitsOf(b, dim.name))
      return makeError("the %s differ: '%s' has size 2^%d and 2^%d", what, dim.name.c_str(),
                       dim.bits, bitsOf(b, dim.name));
  return true;
}

std::string joinNames(const Names &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string sizeText(const LayoutDim &dim) {
  return dim.bits > 63 ? "2^" + std::to_string(dim.bits) : std::to_string(dim.size());
}

} // namespace dims
} // namespace layout_port
