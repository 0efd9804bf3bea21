import { compileDecoder } from "@/engine/decode/compile";
import { decodeJson } from "@/engine/decode/json-payload";
import { CdrCursor, Ros1Cursor } from "@/engine/decode/payload-cursor";
import { getPayloadType } from "@/engine/decode/payload-type";
import { ProtoDecoder, type Wanted } from "@/engine/decode/protobuf";
import {
  createFlatDecoder,
  createOmgIdlDecoder,
  decodeCbor,
  decodeMsgpack,
  createWideDecoder,
} from "@/engine/decode/rare-encodings";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";

export { listFields } from "@/engine/decode/fields";

/**
 * Decodes the payloads of one channel. Objects and arrays as in JSON, except: 64-bit integers are bigint, times and
 * durations {sec, nanosec} in CDR and {sec, nsec} elsewhere, arrays of numbers typed arrays and byte arrays Uint8Array,
 * both often views of the payload that must be copied to outlive it. Throws a RecordingError for a payload that does not match the schema.
 */
export interface MessageDecoder {
  decode(data: Uint8Array): unknown;
  /** Why a part of the message decoded last was left out; null or undefined where nothing was. */
  readonly unread?: string | null;
}

export interface DecoderOptions {
  /** Top-level fields that are needed; the others may be left out, which is much cheaper. */
  only?: ReadonlySet<string>;
}

/** Makes the decoder of a channel; throws a RecordingError with the reason when its schema cannot be used. */
export function createDecoder(channel: Channel, options: DecoderOptions = {}): MessageDecoder {
  const decoder = createPlainDecoder(channel, options);
  const { unpack } = channel;
  if (!unpack) return decoder;
  return {
    decode: (data) => decoder.decode(unpack(data)),
    get unread() {
      return decoder.unread ?? null;
    },
  };
}

/** Of payloads that are not compressed by themselves. */
function createPlainDecoder(channel: Channel, options: DecoderOptions): MessageDecoder {
  const payload = getPayloadType(channel);
  const { only } = options;
  switch (payload.kind) {
    case "json":
      return { decode: decodeJson };
    case "cbor":
      return { decode: decodeCbor };
    case "msgpack":
      return { decode: decodeMsgpack };
    case "protobuf": {
      const wanted: Wanted | null = only === undefined ? null : new Map([...only].map((name) => [name, null]));
      const decoder = new ProtoDecoder(payload.type, wanted);
      return { decode: (data) => orSchemaMismatch(() => decoder.decode(data)) };
    }
    case "flatbuffer": {
      const decode = createFlatDecoder(payload.type, only);
      return { decode: (data) => orSchemaMismatch(() => decode(data)) };
    }
    case "omgidl": {
      const decode = createOmgIdlDecoder(payload.root, payload.definitions);
      return { decode: (data) => orSchemaMismatch(() => decode(data)) };
    }
    case "wide": {
      const decoder = createWideDecoder(payload.forms);
      return {
        decode: (data) => orSchemaMismatch(() => decoder.decode(data)),
        get unread() {
          return decoder.unread;
        },
      };
    }
    case "struct": {
      const cursor = payload.encoding === "ros1" ? new Ros1Cursor() : new CdrCursor();
      const read = compileDecoder(payload.type, payload.encoding, only);
      return {
        decode: (data) =>
          orSchemaMismatch(() => {
            cursor.reset(data);
            return read(cursor);
          }),
      };
    }
  }
}

/** Converts any error of a decoder, such as a read past the end of the payload, to a RecordingError. */
export function orSchemaMismatch<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new RecordingError("A message does not match its schema.");
  }
}
