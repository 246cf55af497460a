// What a thread's own variables hold: for each object the writes to it, newest last.
//
//   addr[0] = a;  addr[1] = b;      offset 0: a, offset 4: b
//   for i: addr[i] = f(i)           offset 4 i: f(i), all i below 2
//   ... addr[j]                     4 j = 4 i has the solution i = j: f(j)
//
// A read finds the newest write that certainly is to the same bytes, passing by those that
// certainly are to others; if neither is certain, the value is unknown.
#pragma once

#include "recover/Forms.h"

#include <map>
#include <string>
#include <vector>

namespace layout_port::recover {

struct Write {
  Index offset = nullptr; // bytes into the object, kI64
  unsigned bytes = 0;
  Index value = nullptr;

  friend bool operator==(const Write &a, const Write &b) {
    return a.offset == b.offset && a.bytes == b.bytes && a.value == b.value;
  }
};

struct Contents {
  std::vector<Write> writes;
  std::string lost; // why nothing older than these is known; empty: there is nothing older

  friend bool operator==(const Contents &a, const Contents &b) {
    return a.writes == b.writes && a.lost == b.lost;
  }
};

// By the objects' numbers.
using Environment = std::map<unsigned, Contents>;

void write(Contents &contents, const Write &write);

// The value of these bytes; null when unknown, with the reason. `running` are the loops
// that have not ended: what their other iterations write is not there yet, or not any more.
Index read(IndexGraph &graph, const Contents &contents, Index offset, unsigned bytes,
           const std::vector<VariableId> &running, std::string &reason);

// Forgets everything.
void lose(Contents &contents, const std::string &why);

} // namespace layout_port::recover
