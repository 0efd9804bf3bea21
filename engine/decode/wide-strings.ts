import { compileDecoder } from "@/engine/decode/compile";
import { CdrCursor } from "@/engine/decode/payload-cursor";
import type { StructType } from "@/engine/decode/schemas/message-type";
import type { WideType } from "@/engine/decode/schemas/wide-type";
import { quoted, RecordingError } from "@/engine/formats/recording-error";

class WideCursor extends CdrCursor {
  /** Bytes of the message that were not read. */
  get left(): number {
    return this.bytes.length - this.offset;
  }
}

/** A step to texts of wide characters: the member that is one, or that leads there. */
interface Member {
  name: string;
  isList: boolean;
  below: Member[];
}

function findWide(text: StructType, form: StructType): Member[] {
  return text.fields.flatMap((field, at) => {
    const { type } = form.fields[at]!;
    const { name, array } = field;
    if (field.type === "string") return type === "string" ? [] : [{ name, isList: array !== null, below: [] }];
    if (typeof field.type === "string" || typeof type === "string") return [];
    const below = findWide(field.type, type);
    return below.length > 0 ? [{ name, isList: array !== null, below }] : [];
  });
}

const getPath = ([first]: readonly Member[]): string =>
  first === undefined ? "" : first.below.length > 0 ? `${first.name}.${getPath(first.below)}` : first.name;

/** The part of a type before its first text of wide characters. */
function cutBefore({ name, fields }: StructType, [first]: readonly Member[]): StructType {
  const at = fields.findIndex((field) => field.name === first?.name);
  const kept = fields.slice(0, at);
  const last = fields[at];
  if (first && last && !first.isList && first.below.length > 0 && typeof last.type !== "string") {
    const type = cutBefore(last.type, first.below);
    // A type without members would be a byte of its own.
    if (type.fields.length > 0) kept.push({ ...last, type });
  }
  return { name, fields: kept };
}

/** Characters that are put together at a time. */
const batch = 4096;

/** The text of a list of characters, without the zero that some writers count; throws for what is no character. */
function toText(value: unknown): string {
  if (!(value instanceof Uint16Array || value instanceof Uint32Array)) throw new RecordingError("A text is missing.");
  const list = value.at(-1) === 0 ? value.subarray(0, -1) : value;
  let text = "";
  for (let at = 0; at < list.length; at += batch) {
    const part = list.subarray(at, at + batch);
    text += part instanceof Uint16Array ? String.fromCharCode(...part) : String.fromCodePoint(...part);
  }
  return text;
}

function putTexts(value: unknown, members: readonly Member[]): void {
  if (typeof value !== "object" || value === null) return;
  for (const { name, isList, below } of members) {
    const own: unknown = Reflect.get(value, name);
    const put = (element: unknown): unknown => {
      if (below.length === 0) return toText(isList ? Reflect.get(Object(element), "characters") : element);
      putTexts(element, below);
      return element;
    };
    Reflect.set(value, name, isList && Array.isArray(own) ? own.map(put) : put(own));
  }
}

/**
 * Decodes messages of a type with texts of wide characters: with as many bytes for each character as let the message end
 * where it does. Of a message that ends nowhere so, what stands before the first such text is decoded.
 */
class WideDecoder {
  /** Why a part of the message decoded last was left out. */
  unread: string | null = null;
  private readonly cursor = new WideCursor();
  private readonly members: readonly Member[];
  private readonly readings: { read: (cursor: WideCursor) => unknown }[];
  private readonly before: ((cursor: WideCursor) => unknown) | null;
  private readonly reason: string;

  constructor({ text, two, four }: WideType) {
    this.members = findWide(text, four);
    this.readings = [four, two].map((type) => ({ read: compileDecoder(type, "cdr") }));
    const before = cutBefore(text, this.members);
    this.before = before.fields.length > 0 ? compileDecoder(before, "cdr") : null;
    this.reason = `${quoted(getPath(this.members))} of ${quoted(text.name)} and what follows it, in messages whose wide characters have neither two nor four bytes.`;
  }

  /** Throws a RecordingError. */
  decode(data: Uint8Array): unknown {
    for (const reading of this.readings) {
      const decoded = this.attempt(data, reading.read);
      if (decoded === null) continue;
      // The messages of one writer are alike.
      if (reading !== this.readings[0]) this.readings.reverse();
      this.unread = null;
      return decoded.value;
    }
    this.unread = this.reason;
    this.cursor.reset(data);
    return this.before === null ? {} : this.before(this.cursor);
  }

  private attempt(data: Uint8Array, read: (cursor: WideCursor) => unknown): { value: unknown } | null {
    try {
      this.cursor.reset(data);
      const value = read(this.cursor);
      // Some writers fill up to a multiple of four.
      if (this.cursor.left > 3) return null;
      putTexts(value, this.members);
      return { value };
    } catch (error) {
      if (error instanceof RecordingError || error instanceof RangeError) return null;
      throw error;
    }
  }
}

/** Makes the decoder of a type with texts of wide characters. Throws a RecordingError for a type that cannot be decoded. */
export const createWideDecoder = (type: WideType): WideDecoder => new WideDecoder(type);
