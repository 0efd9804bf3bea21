const magic = [0x28, 0xb5, 0x2f, 0xfd];

/** The decompressed size that a zstd frame declares; null for other bytes and frames that do not say. */
export function zstdFrameSize(data: Uint8Array): number | null {
  if (data.length < 6 || magic.some((byte, at) => data[at] !== byte)) return null;
  const descriptor = data[4]!;
  const single = (descriptor & 0x20) !== 0;
  const bytes = [single ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const at = 5 + (single ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!;
  if (bytes === 0 || at + bytes > data.length) return null;
  let size = 0;
  for (let i = bytes - 1; i >= 0; i--) size = size * 256 + data[at + i]!;
  return bytes === 2 ? size + 256 : size;
}
