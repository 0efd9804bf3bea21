/** What a decoder has to know of a stream before its first picture. */
export interface StreamParameters {
  /** As browsers name it, such as `avc1.64001f`. */
  codec: string;
  width: number;
  height: number;
  /** Pictures that may be decoded before one that is shown earlier; null where the stream does not say it. */
  reorder: number | null;
  /** Of H.264: how its pictures are numbered; null where a number that is left out means nothing. */
  frameNumbers: FrameNumbers | null;
}

export interface FrameNumbers {
  /** Bits of a number. */
  bits: number;
  /** Of the identifier of a colour plane before it. */
  planeBits: number;
}

export const toHex = (value: number): string => value.toString(16).padStart(2, "0");
