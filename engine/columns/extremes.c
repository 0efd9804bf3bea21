// The extremes of stretches of a column in WebAssembly, without a branch for each value: those of noise, as sensors
// measure it, cannot be foreseen. scripts/compile-wasm.mjs compiles it into extremes.wasm and extremes-wasm.ts.
#include <wasm_simd128.h>

// Puts the minimum and the maximum of each stretch, values[from[r]] up to values[from[r + 1]], into out[2 * r] and
// out[2 * r + 1]. Returns 0 when one of the values is not finite: then they are of no use.
__attribute__((export_name("fold"))) int fold(int stretches, const double *values, const int *from, double *out) {
  v128_t wrong = wasm_f64x2_const_splat(0), other = wrong;
  for (int stretch = 0; stretch < stretches; stretch++) {
    const double *at = values + from[stretch];
    const double *to = values + from[stretch + 1];
    v128_t least = wasm_v128_load64_splat(at), most = least, least2 = least, most2 = least;
    for (; at + 4 <= to; at += 4) {
      v128_t a = wasm_v128_load(at), b = wasm_v128_load(at + 2);
      least = wasm_f64x2_pmin(least, a);
      most = wasm_f64x2_pmax(most, a);
      least2 = wasm_f64x2_pmin(least2, b);
      most2 = wasm_f64x2_pmax(most2, b);
      wrong = wasm_f64x2_add(wrong, wasm_f64x2_sub(a, a));
      other = wasm_f64x2_add(other, wasm_f64x2_sub(b, b));
    }
    for (; at < to; at++) {
      v128_t last = wasm_v128_load64_splat(at);
      least = wasm_f64x2_pmin(least, last);
      most = wasm_f64x2_pmax(most, last);
      wrong = wasm_f64x2_add(wrong, wasm_f64x2_sub(last, last));
    }
    least = wasm_f64x2_pmin(least, least2);
    most = wasm_f64x2_pmax(most, most2);
    least = wasm_f64x2_pmin(least, wasm_i64x2_shuffle(least, least, 1, 0));
    most = wasm_f64x2_pmax(most, wasm_i64x2_shuffle(most, most, 1, 0));
    wasm_v128_store64_lane(out + 2 * stretch, least, 0);
    wasm_v128_store64_lane(out + 2 * stretch + 1, most, 0);
  }
  wrong = wasm_f64x2_add(wrong, other);
  return wasm_f64x2_extract_lane(wrong, 0) + wasm_f64x2_extract_lane(wrong, 1) == 0;
}
