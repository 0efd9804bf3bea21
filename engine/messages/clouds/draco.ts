import { checkPointCount } from "@/engine/messages/clouds/cloud";
import { UnreadableMessage } from "@/engine/messages/reading";
import type { PackedField } from "@/engine/messages/scene-object";

/** An object in the decoder's own memory; 0 stands for none. */
interface Handle {
  readonly ptr: number;
}

interface DracoAttribute extends Handle {
  attribute_type(): number;
  data_type(): number;
  num_components(): number;
}

interface DracoPoints extends Handle {
  num_points(): number;
  num_attributes(): number;
}

interface DracoDecoding extends Handle {
  DecodeArrayToPointCloud(
    data: Int8Array,
    length: number,
    points: DracoPoints,
  ): Handle & { ok(): boolean; error_msg(): string };
  GetAttribute(points: DracoPoints, number: number): DracoAttribute;
  GetAttributeMetadata(points: DracoPoints, number: number): Handle;
  GetAttributeDataArrayForAllPoints(
    points: DracoPoints,
    attribute: DracoAttribute,
    type: number,
    bytes: number,
    target: number,
  ): boolean;
}

/** What is used of Google's decoder, as it is built for browsers and for Node. */
export interface DracoModule {
  Decoder: new () => DracoDecoding;
  PointCloud: new () => DracoPoints;
  MetadataQuerier: new () => Handle & {
    HasEntry(metadata: Handle, name: string): boolean;
    GetStringEntry(metadata: Handle, name: string): string;
  };
  readonly POSITION: number;
  readonly NORMAL: number;
  readonly COLOR: number;
  readonly TEX_COORD: number;
  readonly DT_FLOAT32: number;
  readonly DT_UINT8: number;
  /** Replaced when the memory grows. */
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(address: number): void;
  destroy(object: Handle): void;
}

/** Points as fields that are packed one after the other. */
interface DracoCloud {
  count: number;
  stride: number;
  fields: PackedField[];
  data: Uint8Array;
}

/** Of a field of several parts. */
const axes = ["x", "y", "z"];
const colourParts = ["red", "green", "blue", "alpha"];

/** A point has at most so many attributes: more is no cloud. */
const maxAttributes = 64;

/** Reads clouds that Draco compressed. */
export class DracoDecoder {
  /** False once a cloud broke the decoder: another one is needed. */
  isUsable = true;

  constructor(private readonly module: DracoModule) {}

  /** The points of a cloud. Throws UnreadableMessage for what is none, damaged or too large. */
  decode(data: Uint8Array): DracoCloud {
    checkHeader(data);
    if (!this.isUsable) throw new UnreadableMessage("The Draco cloud before broke the decoder.");
    const { module } = this;
    const decoder = new module.Decoder();
    const points = new module.PointCloud();
    try {
      const status = decoder.DecodeArrayToPointCloud(new Int8Array(data), data.length, points);
      if (!status.ok() || points.ptr === 0)
        throw new UnreadableMessage(
          `The Draco data is damaged: ${status.error_msg().slice(0, 100).replace(/\.$/, "")}.`,
        );
      return this.pack(decoder, points);
    } catch (error) {
      if (error instanceof UnreadableMessage) throw error;
      // The decoder stops for good when it runs out of memory.
      this.isUsable = false;
      throw new UnreadableMessage("The Draco data is damaged, or too large.");
    } finally {
      if (this.isUsable) {
        module.destroy(points);
        module.destroy(decoder);
      }
    }
  }

  private pack(decoder: DracoDecoding, points: DracoPoints): DracoCloud {
    const { module } = this;
    const count = points.num_points();
    checkPointCount(count);
    const attributes = Math.min(maxAttributes, points.num_attributes());
    const columns: { names: string[]; type: "float32" | "uint8"; values: Uint8Array }[] = [];
    const taken = new Set<string>();
    for (let number = 0; number < attributes; number++) {
      const attribute = decoder.GetAttribute(points, number);
      const parts = attribute.num_components();
      const isColour = attribute.attribute_type() === module.COLOR && attribute.data_type() === module.DT_UINT8;
      const type = isColour ? "uint8" : "float32";
      const values = this.readValues(decoder, points, attribute, count * parts * (isColour ? 1 : 4), type);
      const names = this.nameParts(attribute, parts, this.findName(decoder, points, number)).map((name) => {
        let own = name;
        for (let n = 2; taken.has(own); n++) own = `${name}_${n}`;
        taken.add(own);
        return own;
      });
      columns.push({ names, type, values });
    }
    return interleave(columns, count);
  }

  private readValues(
    decoder: DracoDecoding,
    points: DracoPoints,
    attribute: DracoAttribute,
    bytes: number,
    type: "float32" | "uint8",
  ): Uint8Array {
    const { module } = this;
    const target = module._malloc(Math.max(1, bytes));
    try {
      const kind = type === "uint8" ? module.DT_UINT8 : module.DT_FLOAT32;
      if (!decoder.GetAttributeDataArrayForAllPoints(points, attribute, kind, bytes, target))
        throw new UnreadableMessage("The Draco data is damaged: an attribute has no values.");
      return module.HEAPU8.slice(target, target + bytes);
    } finally {
      module._free(target);
    }
  }

  /** What an encoder called an attribute; empty when it did not. */
  private findName(decoder: DracoDecoding, points: DracoPoints, number: number): string {
    const metadata = decoder.GetAttributeMetadata(points, number);
    if (metadata.ptr === 0) return "";
    const querier = new this.module.MetadataQuerier();
    const name = querier.HasEntry(metadata, "name") ? querier.GetStringEntry(metadata, "name") : "";
    this.module.destroy(querier);
    return name.slice(0, 100);
  }

  private nameParts(attribute: DracoAttribute, parts: number, own: string): string[] {
    const { POSITION, NORMAL, COLOR, TEX_COORD } = this.module;
    const all = Array.from({ length: parts }, (_, part) => part);
    switch (attribute.attribute_type()) {
      case POSITION:
        return all.map((part) => axes[part] ?? `position_${part}`);
      case COLOR:
        return all.map((part) => colourParts[part] ?? `colour_${part}`);
      case NORMAL:
        return all.map((part) => `normal_${axes[part] ?? part}`);
      case TEX_COORD:
        return all.map((part) => `texture_${part}`);
      default: {
        const name = own === "" ? "value" : own;
        return parts === 1 ? [name] : all.map((part) => `${name}_${part}`);
      }
    }
  }
}

/** Before the decoder takes memory for them: what the data is, and how many points it says it has. */
function checkHeader(data: Uint8Array): void {
  const magic = String.fromCharCode(...data.subarray(0, 5));
  if (magic !== "DRACO") throw new UnreadableMessage("The data does not begin as Draco's does.");
  if (data.length < 15) throw new UnreadableMessage(`The Draco data is cut off after ${data.length} bytes.`);
  if (data[7] !== 0) throw new UnreadableMessage("The Draco data holds a mesh, and no cloud.");
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const hasMetadata = (view.getUint16(9, true) & 0x80_00) !== 0;
  if (!hasMetadata) checkPointCount(view.getUint32(11, true));
}

/** Columns as points, one after the other. */
function interleave(
  columns: readonly { names: readonly string[]; type: "float32" | "uint8"; values: Uint8Array }[],
  count: number,
): DracoCloud {
  const fields: PackedField[] = [];
  let stride = 0;
  const placed = columns.map(({ names, type, values }) => {
    const size = type === "float32" ? 4 : 1;
    const [start, bytes] = [stride, names.length * size];
    for (const [part, name] of names.entries()) fields.push({ name, offset: start + part * size, type });
    // Numbers of four bytes stay where the graphics card can read them.
    stride += Math.ceil(bytes / 4) * 4;
    return { start, bytes, values };
  });
  const data = new Uint8Array(count * stride);
  for (const { start, bytes, values } of placed) {
    for (let point = 0, from = 0, to = start; point < count; point++, from += bytes, to += stride)
      for (let byte = 0; byte < bytes; byte++) data[to + byte] = values[from + byte]!;
  }
  return { count, stride, fields, data };
}
