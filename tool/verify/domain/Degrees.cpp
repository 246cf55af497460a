// See Degrees.h.
#include "domain/Degrees.h"

#include <algorithm>

namespace layout_port::verify {
namespace {

uint32_t plus(uint32_t a, uint32_t b) { return std::min(a + b, kDegreeLimit); }

// Up to the next number with two leading bits: few states when the table fills.
uint32_t coarse(uint32_t degree) {
  uint32_t step = 1;
  while (degree / step > 3)
    step *= 2;
  return std::min((degree + step - 1) / step * step, kDegreeLimit);
}

} // namespace

DegreeTable::DegreeTable(uint32_t capacity) : capacity_(capacity) {
  intern({0, 0, 0});
  intern({1, 0, 0});
  intern({kDegreeLimit, kDegreeLimit, 0}); // when the table is full
}

uint32_t DegreeTable::intern(Degree degree) {
  if (degree.bottom == 0)
    degree.name = 0;
  if (states_.size() > capacity_ / 2)
    degree.name = 0;
  if (states_.size() > capacity_ / 4 * 3)
    degree = {coarse(degree.top), coarse(degree.bottom), 0};
  const auto [entry, added] =
      numbers_.try_emplace({degree.top, degree.bottom, degree.name}, uint32_t(states_.size()));
  if (!added)
    return entry->second;
  if (states_.size() >= capacity_) {
    numbers_.erase(entry);
    return 2;
  }
  states_.push_back(degree);
  return entry->second;
}

uint32_t DegreeTable::nameOf(uint32_t a, uint32_t b) {
  if (!a || !b)
    return 0;
  const auto [entry, added] = products_.try_emplace({std::min(a, b), std::max(a, b)}, names_ + 1);
  names_ += added;
  return entry->second;
}

uint32_t DegreeTable::add(uint32_t a, uint32_t b) {
  const Degree x = at(a), y = at(b);
  if (x.bottom == 0 && y.bottom == 0)
    return x.top >= y.top ? a : b;
  if (x.name && x.name == y.name && x.bottom == y.bottom)
    return intern({std::max(x.top, y.top), x.bottom, x.name});
  const uint32_t name = x.bottom == 0 ? y.name : y.bottom == 0 ? x.name : nameOf(x.name, y.name);
  return intern(
      {std::max(plus(x.top, y.bottom), plus(y.top, x.bottom)), plus(x.bottom, y.bottom), name});
}

uint32_t DegreeTable::mul(uint32_t a, uint32_t b) {
  const Degree x = at(a), y = at(b);
  const uint32_t name = x.bottom == 0 ? y.name : y.bottom == 0 ? x.name : nameOf(x.name, y.name);
  return intern({plus(x.top, y.top), plus(x.bottom, y.bottom), name});
}

uint32_t DegreeTable::div(uint32_t a, uint32_t b) {
  const Degree y = at(b);
  if (y.top == 0 && y.bottom == 0)
    return a;
  const uint32_t inverse = intern({y.bottom, y.top, ++names_});
  return mul(a, inverse);
}

uint32_t DegreeTable::either(uint32_t a, uint32_t b) {
  const Degree x = at(a), y = at(b);
  return a == b && !x.bottom ? a
                             : intern({std::max(x.top, y.top), std::max(x.bottom, y.bottom), 0});
}

uint32_t DegreeTable::function(uint32_t a, uint32_t b, uint32_t cost) {
  const Degree x = at(a), y = at(b);
  const uint32_t argument = plus(plus(x.top, x.bottom), plus(y.top, y.bottom));
  return argument == 0 ? constant : intern({std::min(cost * (argument + 1), kDegreeLimit), 0, 0});
}

} // namespace layout_port::verify
