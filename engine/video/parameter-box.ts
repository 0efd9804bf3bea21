/** Where the parameters of a video's stream lie in its MP4 or MOV file, in bytes. */
export interface ParameterBox {
  type: string;
  offset: number;
  size: number;
}

const types: readonly unknown[] = ["avcC", "hvcC", "vpcC", "av1C"];

/** A box of a file's index, as mp4box lists them. */
interface PlacedBox {
  type: string;
  start: number;
  size: number;
  hdr_size: number;
}

const isParameters = (value: unknown): value is PlacedBox =>
  typeof value === "object" &&
  value !== null &&
  "start" in value &&
  "size" in value &&
  "hdr_size" in value &&
  "type" in value &&
  types.includes(value.type);

/** The parameters of a sample's stream, by the entry of the index that describes it; null without any. */
export function findParameterBox(entry: unknown): ParameterBox | null {
  const boxes: unknown[] =
    typeof entry === "object" && entry !== null && "boxes" in entry && Array.isArray(entry.boxes) ? entry.boxes : [];
  const box = boxes.find(isParameters);
  return box ? { type: box.type, offset: box.start + box.hdr_size, size: box.size - box.hdr_size } : null;
}
