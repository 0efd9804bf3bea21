import type { IDLMessageDefinition } from "@foxglove/omgidl-parser";
import { utf8Text } from "@/engine/bytes";
import { parseFlatSchema, parseOmgIdlSchema, parseRos2IdlSchema } from "@/engine/decode/rare-encodings";
import { adviseOn } from "@/engine/decode/ros-derived-names";
import { parseRosSchema } from "@/engine/decode/ros-schema";
import type { FlatSchema } from "@/engine/decode/schemas/flatbuffer-type";
import type { StructType } from "@/engine/decode/schemas/message-type";
import { parseProtoSchema, type ProtoSchema } from "@/engine/decode/schemas/proto-schema";
import type { WideType } from "@/engine/decode/schemas/wide-type";
import type { Channel } from "@/engine/formats/recording";
import { quoted, describeError, RecordingError } from "@/engine/formats/recording-error";

/** A channel's parsed schema: the type of its payloads. */
export type PayloadType =
  | { kind: "struct"; encoding: "ros1" | "cdr"; type: StructType }
  | { kind: "wide"; type: StructType; forms: WideType }
  | { kind: "omgidl"; definitions: IDLMessageDefinition[]; root: string; type: StructType }
  | ({ kind: "protobuf" } & ProtoSchema)
  | { kind: "flatbuffer"; type: FlatSchema }
  | { kind: "json" | "cbor" | "msgpack"; schema: unknown };

/** Schemas already parsed, or the reason why they cannot be, by their bytes: channels often share one. */
const parsed = new WeakMap<Uint8Array, Map<string, PayloadType | RecordingError>>();

/** Parses a channel's schema once; throws a RecordingError with the reason when it cannot be used. */
export function getPayloadType(channel: Channel): PayloadType {
  const key = `${channel.messageEncoding}\n${channel.schemaEncoding}\n${channel.schemaName}`;
  let known = parsed.get(channel.schemaData);
  if (known === undefined) parsed.set(channel.schemaData, (known = new Map<string, PayloadType | RecordingError>()));
  let result = known.get(key);
  if (result === undefined) {
    try {
      result = parse(channel);
    } catch (error) {
      result =
        error instanceof RecordingError
          ? error
          : new RecordingError(`The schema cannot be read: ${describeError(error)}`);
    }
    known.set(key, result);
  }
  if (result instanceof RecordingError) throw result;
  return result;
}

function parse(channel: Channel): PayloadType {
  const { messageEncoding, schemaEncoding, schemaName, schemaData } = channel;
  if (messageEncoding === "json" || messageEncoding === "cbor" || messageEncoding === "msgpack") {
    return { kind: messageEncoding, schema: jsonSchema(channel) };
  }
  if (messageEncoding === "protobuf" && schemaEncoding === "protobuf") {
    return { kind: "protobuf", ...parseProtoSchema(schemaData, schemaName) };
  }
  if (messageEncoding === "flatbuffer" && schemaEncoding === "flatbuffer") {
    return { kind: "flatbuffer", type: parseFlatSchema(schemaData, schemaName) };
  }
  const text = utf8Text(schemaData);
  if (messageEncoding === "ros1" && schemaEncoding === "ros1msg") {
    return toStruct("ros1", parseRosSchema(text, schemaName, "ros1msg"));
  }
  if (messageEncoding === "cdr" && schemaEncoding === "ros2msg") {
    return toStruct("cdr", parseRosSchema(text, schemaName, "ros2msg"));
  }
  if (messageEncoding === "cdr" && schemaEncoding === "ros2idl") {
    return parseRos2IdlSchema(text, schemaName);
  }
  if (messageEncoding === "cdr" && schemaEncoding === "omgidl") {
    return parseOmgIdlSchema(text, schemaName);
  }
  const isRos = messageEncoding === "cdr" || messageEncoding === "ros1";
  if (isRos && (schemaEncoding === "" || schemaEncoding === "unknown") && schemaName !== "")
    throw new RecordingError(`The recording has no definition of ${quoted(schemaName)}. ${adviseOn(schemaName)}`);
  if (schemaEncoding === "")
    throw new RecordingError(`Messages encoded as ${quoted(messageEncoding, 20)} come without a schema.`);
  const [encoding, schema] = [quoted(messageEncoding, 20), quoted(schemaEncoding, 20)];
  throw new RecordingError(`Messages encoded as ${encoding} with a schema in ${schema} cannot be decoded.`);
}

const toStruct = (encoding: "ros1" | "cdr", type: StructType | WideType): PayloadType =>
  "text" in type ? { kind: "wide", type: type.text, forms: type } : { kind: "struct", encoding, type };

/** The JSON Schema of a channel, or null; messages can be decoded without one. */
function jsonSchema({ schemaEncoding, schemaData }: Channel): unknown {
  if (schemaEncoding !== "jsonschema" || schemaData.length > 1024 * 1024) return null;
  try {
    return JSON.parse(utf8Text(schemaData));
  } catch {
    return null;
  }
}
