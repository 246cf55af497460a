// Set Clang's fast forms aside under other names; lp_fast_math.h gives ours. Clang writes __expf(x) as
// exp2(x * log2 e); for a proof that is the same function, and better seen as one.
#pragma once
#define __expf __lp_clang_expf
#define __exp10f __lp_clang_exp10f
#define __logf __lp_clang_logf
#define __log2f __lp_clang_log2f
#define __log10f __lp_clang_log10f
#define __sinf __lp_clang_sinf
#define __cosf __lp_clang_cosf
#define __tanf __lp_clang_tanf
#define __sincosf __lp_clang_sincosf
#define __powf __lp_clang_powf
