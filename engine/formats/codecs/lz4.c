// Decodes one LZ4 frame in WebAssembly. scripts/compile-wasm.mjs compiles it into lz4.wasm and lz4-wasm.ts.
//
// Everything lies in one imported memory, so blocks that refer to the block before need nothing more. Copies are made 16
// bytes at a time and may write up to 31 bytes beyond the end of the output and read as many beyond the input: the caller
// leaves that room. Checksums are skipped; the CRC-32 of the chunk covers what they would.
#include <stdint.h>
#include <wasm_simd128.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef int32_t i32;

static inline u32 read32(const u8 *at) {
  u32 value;
  __builtin_memcpy(&value, at, 4);
  return value;
}

static inline void copy16(u8 *to, const u8 *from) { wasm_v128_store(to, wasm_v128_load(from)); }

// The bytes of one compressed block in `at`..`end`, appended to `out` of `cap` bytes. The new length; *broken at a fault.
static u32 block(const u8 *at, const u8 *end, u8 *target, u32 out, u32 cap, u32 *broken) {
  *broken = 1;
  while (at < end) {
    u32 token = *at++, literals = token >> 4;
    if (literals == 15) {
      u8 more;
      do {
        if (at >= end) return out;
        more = *at++;
        literals += more;
      } while (more == 255);
    }
    if (literals > (u32)(end - at) || literals > cap - out) return out;
    if (literals <= 32) {
      copy16(target + out, at);
      copy16(target + out + 16, at + 16);
    } else {
      __builtin_memcpy(target + out, at, literals);
    }
    out += literals;
    at += literals;
    if (at == end) break;
    if (end - at < 2) return out;
    u32 distance = at[0] | at[1] << 8, length = (token & 15) + 4;
    at += 2;
    if (distance == 0 || distance > out) return out;
    if (length == 19) {
      u8 more;
      do {
        if (at >= end) return out;
        more = *at++;
        length += more;
      } while (more == 255);
    }
    if (length > cap - out) return out;
    u8 *to = target + out;
    const u8 *from = to - distance;
    if (distance >= 16) {
      for (i32 left = (i32)length; left > 0; left -= 16, to += 16, from += 16) copy16(to, from);
    } else {
      for (u32 i = 0; i < length; i++) to[i] = from[i];
    }
    out += length;
  }
  *broken = 0;
  return out;
}

// The frame of `n` bytes at `source`, decoded into `cap` bytes at `target`: how many were decoded before the end of the
// frame or the first fault.
__attribute__((export_name("decode"))) u32 decode(const u8 *source, u32 n, u8 *target, u32 cap) {
  if (n < 7 || read32(source) != 0x184D2204u) return 0;
  u32 flags = source[4], out = 0;
  u32 at = 7 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0);
  while (at <= n && n - at >= 4) {
    u32 header = read32(source + at), declared = header & 0x7fffffffu;
    at += 4;
    if (header == 0) return out;
    u32 length = declared > n - at ? n - at : declared;
    if (header >> 31) {
      u32 room = length > cap - out ? cap - out : length;
      __builtin_memcpy(target + out, source + at, room);
      out += room;
      if (room < declared) return out;
    } else {
      u32 broken;
      out = block(source + at, source + at + length, target, out, cap, &broken);
      if (broken || length < declared) return out;
    }
    at += declared;
    if (flags & 16) at += 4;
  }
  return out;
}
