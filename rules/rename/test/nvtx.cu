// NVTX becomes ROCTX, names and header; what has attributes or domains is named. A class of the
// program's own around CUDA is left alone, whichever header declares it.
// RUN: not %layout-port %s --rules=rename -o %t.hip 2>%t.err
// RUN: FileCheck --check-prefix=REPORT %s < %t.err
// RUN: %ported %t.hip | FileCheck %s
// REPORT: nvtx.cu:[[#@LINE+19]]:3: manual: nvtxEventAttributes_t: nvtxEventAttributes_t: a ROCTX range has a message and no attributes: use roctxRangePush
// REPORT-NOT: CUDADeviceContext
// REPORT: compiled: gfx942 yes host yes (but for
// CHECK: #include <roctracer/roctx.h>
#include <nvtx3/nvToolsExt.h>
struct Range {
  // CHECK: Range(const char *name) { roctxRangePushA(name); }
  Range(const char *name) { nvtxRangePushA(name); }
  // CHECK: ~Range() { roctxRangePop(); }
  ~Range() { nvtxRangePop(); }
};
void mark(const char *name) {
  // CHECK: roctx_range_id_t id = roctxRangeStart(name);
  nvtxRangeId_t id = nvtxRangeStart(name);
  // CHECK: roctxMark(name);
  nvtxMark(name);
  // CHECK: roctxRangeStop(id);
  nvtxRangeEnd(id);
  // CHECK: /* nvtxEventAttributes_t attributes = {}; */ LP_MANUAL(
  nvtxEventAttributes_t attributes = {};
  // CHECK: /* nvtxRangePushEx(&attributes); */ LP_MANUAL(
  nvtxRangePushEx(&attributes);
}
// CHECK: struct CUDADeviceContext *context;
#ifdef NOT_HERE
struct CUDADeviceContext *context;
#endif
