/** Compressed bytes that are damaged or cut off, after what came before was passed on. */
export class CompressedDamage extends Error {
  override readonly name = "CompressedDamage";
}

/** Compressed bytes that are sound, but that this installation cannot decompress; `message` is the end of a sentence. */
export class CompressedBeyond extends Error {
  override readonly name = "CompressedBeyond";
}
