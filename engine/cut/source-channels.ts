import { equalBytes, toDataView } from "@/engine/bytes";
import { RecordBody } from "@/engine/cut/record-body";
import type { ChannelDefinition } from "@/engine/formats/channel-definition";
import type { PackedFile } from "@/engine/formats/indexed-file";
import {
  eachRecord,
  Malformed,
  Op,
  readChannel,
  readMetadata,
  readSchema,
  type ChannelRecord,
} from "@/engine/formats/mcap/mcap-records";
import { readFooter } from "@/engine/formats/mcap/mcap-summary";
import type { ReadAhead } from "@/engine/formats/read-ahead";

const maxSummaryBytes = 32 * 1024 * 1024;

/** A channel of a recording's file, as records of an MCAP file. */
export interface SourceChannel {
  /** Place in the file's definitions. */
  slot: number;
  topic: string;
  /** The file's own number of it, and of its schema (0 without one); null when these are not known. */
  id: number | null;
  schemaId: number | null;
  /** The bodies of its records, beginning with their numbers. */
  channel: Uint8Array;
  schema: Uint8Array | null;
  /** Kept by its publisher for those who subscribe later. */
  transientLocal: boolean;
}

const durable = /durability:\s*["']?(1\b|transient_local)/i;

/** Quality of service as rosbag2 writes it, and the flag of bags that were converted. */
function isTransientLocal(record: Uint8Array): boolean {
  // What follows the topic in a channel has the form of a metadata record: a text, and texts by name.
  const after = 8 + toDataView(record).getUint32(4, true);
  try {
    return readMetadata(record.subarray(after)).metadata.some(
      ([name, value]) =>
        (name === "offered_qos_profiles" && durable.test(value)) || (name === "latching" && /^(1|true)$/.test(value)),
    );
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

const sameSchema = (definition: ChannelDefinition, schema: Uint8Array | null): boolean => {
  const { schemaName, schemaEncoding, schemaData } = definition;
  if (schema === null) return schemaName === "" && schemaData.length === 0;
  const { name, encoding, data } = readSchema(schema);
  return name === schemaName && encoding === schemaEncoding && equalBytes(data, schemaData);
};

function makeChannel(slot: number, definition: ChannelDefinition): SourceChannel {
  const { topic, messageEncoding, schemaName, schemaEncoding, schemaData } = definition;
  const schema =
    schemaName === "" && schemaData.length === 0
      ? null
      : new RecordBody(schemaData.length + 64)
          .u16(0)
          .text(schemaName)
          .text(schemaEncoding)
          .u32(schemaData.length)
          .raw(schemaData)
          .body();
  const channel = new RecordBody().u16(0).u16(0).text(topic).text(messageEncoding).u32(0).body();
  return { slot, topic, id: null, schemaId: null, channel, schema, transientLocal: false };
}

/** The records of schemas and channels in the summary of an MCAP file, by their numbers; none when it has no summary. */
async function readRecords(source: ReadAhead) {
  const schemas = new Map<number, Uint8Array>();
  const channels = new Map<number, Uint8Array>();
  const footer = await readFooter(source);
  if (footer === null || footer.summaryStart === 0 || footer.at - footer.summaryStart > maxSummaryBytes)
    return { schemas, channels };
  const bytes = await source.read(footer.summaryStart, Math.max(0, footer.at - footer.summaryStart));
  eachRecord(bytes, (op, at, length) => {
    if ((op !== Op.Schema && op !== Op.Channel) || length < 2) return;
    const record = bytes.subarray(at, at + length);
    const id = toDataView(record).getUint16(0, true);
    const known = op === Op.Schema ? schemas : channels;
    if (!known.has(id)) known.set(id, record);
  });
  return { schemas, channels };
}

/**
 * The channels of a file by slot: as the file records them, so that its chunks can be copied, where its summary agrees
 * with what processing found; else made from that.
 */
export async function readChannels(packed: PackedFile, source: ReadAhead): Promise<SourceChannel[]> {
  const made = packed.definitions.map((definition, slot) => makeChannel(slot, definition));
  if (packed.format !== "mcap") return made;
  const { schemas, channels } = await readRecords(source);
  for (const [id, slot] of packed.slots) {
    const definition = packed.definitions[slot];
    const channel = channels.get(id);
    if (definition === undefined || channel === undefined) continue;
    try {
      const read: ChannelRecord = readChannel(channel);
      const schema = read.schemaId === 0 ? null : (schemas.get(read.schemaId) ?? null);
      if (read.schemaId !== 0 && schema === null) continue;
      if (read.topic !== definition.topic || read.messageEncoding !== definition.messageEncoding) continue;
      const known = { channel, transientLocal: isTransientLocal(channel) };
      // One that processing completed is another schema, of the same channel.
      if (!sameSchema(definition, schema)) made[slot] = { ...made[slot]!, ...known };
      else made[slot] = { slot, topic: definition.topic, id, schemaId: read.schemaId, schema, ...known };
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
  }
  return made;
}

/** What kind of robot software wrote the channels, as the header of an MCAP file says it. */
export function getProfile(definitions: readonly ChannelDefinition[]): string {
  const all = (encoding: string, schemas: string) =>
    definitions.length > 0 &&
    definitions.every(
      ({ messageEncoding, schemaEncoding }) => messageEncoding === encoding && schemaEncoding.startsWith(schemas),
    );
  return all("ros1", "ros1") ? "ros1" : all("cdr", "ros2") ? "ros2" : "";
}

/** The body of a record with other numbers at its beginning. */
export function renumber(body: Uint8Array, ...ids: number[]): Uint8Array {
  const copy = new Uint8Array(body);
  const view = toDataView(copy);
  for (const [at, id] of ids.entries()) view.setUint16(2 * at, id, true);
  return copy;
}
