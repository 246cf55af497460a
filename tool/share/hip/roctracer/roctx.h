// ROCTX ranges and marks.
// https://rocm.docs.amd.com/projects/roctracer/en/latest/reference/roctracer_spec.html
#pragma once
#include <stdint.h>

typedef uint64_t roctx_range_id_t;
extern "C" {
void roctxMarkA(const char *message);
int roctxRangePushA(const char *message);
int roctxRangePop();
roctx_range_id_t roctxRangeStartA(const char *message);
void roctxRangeStop(roctx_range_id_t id);
}
#define roctxMark(message) roctxMarkA(message)
#define roctxRangePush(message) roctxRangePushA(message)
#define roctxRangeStart(message) roctxRangeStartA(message)
