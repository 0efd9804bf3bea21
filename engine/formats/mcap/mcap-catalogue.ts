import { equalBytes } from "@/engine/bytes";
import type { ChannelDefinition } from "@/engine/formats/channel-definition";
import type { Warnings } from "@/engine/formats/indexed-file";
import type { Allowance } from "@/engine/formats/limits";
import { toSlotTable } from "@/engine/formats/mcap/mcap-messages";
import { readChannel, readSchema, type SchemaRecord } from "@/engine/formats/mcap/mcap-records";
import type { OpenContext } from "@/engine/formats/open-context";
import { quoted } from "@/engine/formats/recording-error";
import { toTopicName } from "@/engine/formats/topic-name";

/** Ids of channels in a table that is kept: a recording may have many files, with one channel of the highest id each. */
const maxKeptTable = 4096;

/** The schemas and channels of one MCAP file, in any order, possibly repeated. The first definition wins. */
export class McapCatalogue {
  /** Channel id to slot, the place of the channel in `definitions()`. */
  readonly slots = new Map<number, number>();
  private table: Int32Array | null = null;
  private readonly schemas = new Map<number, Omit<SchemaRecord, "id">>();
  /** Schemas that channels refer to and that are not known. */
  private readonly wanted = new Set<number>();
  private readonly channels: { topic: string; messageEncoding: string; schemaId: number }[] = [];

  private readonly allowance: Allowance;
  private readonly warnings: Warnings;

  constructor({ allowance, warnings }: Pick<OpenContext, "allowance" | "warnings">) {
    this.allowance = allowance;
    this.warnings = warnings;
  }

  /** The slots as `scanMessages` takes them; kept until another channel is known, unless it is large. */
  get slotTable(): Int32Array {
    if (this.table !== null) return this.table;
    const table = toSlotTable(this.slots);
    if (table.length <= maxKeptTable) this.table = table;
    return table;
  }

  /** Checks a schema record's length before it is read into memory. */
  checkSchemaLength(bytes: number): void {
    if (bytes > 1024) this.allowance.checkSchema(bytes, false);
  }

  addSchema(record: Uint8Array): void {
    const { id, ...schema } = readSchema(record);
    const known = this.schemas.get(id);
    if (known === undefined) {
      this.allowance.checkSchema(schema.data.length);
      // A copy, so that the chunk it came from can be released.
      this.schemas.set(id, { ...schema, data: new Uint8Array(schema.data) });
      this.wanted.delete(id);
    } else if (known.name !== schema.name || !equalBytes(known.data, schema.data)) {
      this.warnings.add(
        `Schema ${id} is defined more than once; its first definition, ${quoted(known.name)}, is used.`,
      );
    }
  }

  addChannel(record: Uint8Array): void {
    const { id, ...channel } = readChannel(record);
    channel.topic = toTopicName(channel.topic, this.warnings);
    const slot = this.slots.get(id);
    if (slot === undefined) {
      this.allowance.addChannel();
      this.slots.set(id, this.channels.length);
      this.table = null;
      this.channels.push(channel);
      if (!this.hasSchema(channel.schemaId)) this.wanted.add(channel.schemaId);
      return;
    }
    const known = this.channels[slot];
    if (known?.topic !== channel.topic || known.messageEncoding !== channel.messageEncoding) {
      // Counted too, so that reused ids cannot evade the limit.
      this.allowance.addChannel();
      this.warnings.add(
        `Channel ${id} is defined more than once; its first topic, ${quoted(known?.topic ?? "")}, is used.`,
      );
    }
  }

  /** Whether a channel is known, and its schema, if it has one. */
  isDefined(id: number): boolean {
    const slot = this.slots.get(id);
    return slot !== undefined && this.hasSchema(this.channels[slot]!.schemaId);
  }

  /** Whether some channel refers to a schema that is not known. */
  get lacksSchemas(): boolean {
    return this.wanted.size > 0;
  }

  private hasSchema(id: number): boolean {
    return id === 0 || this.schemas.has(id);
  }

  definitions(): ChannelDefinition[] {
    return this.channels.map(({ topic, messageEncoding, schemaId }) => {
      const schema = this.schemas.get(schemaId);
      if (schema === undefined && schemaId !== 0) {
        this.warnings.add(`The schema of topic ${quoted(topic)} is missing from the file.`);
      }
      return {
        topic,
        messageEncoding,
        schemaName: schema?.name ?? "",
        schemaEncoding: schema?.encoding ?? "",
        schemaData: schema?.data ?? new Uint8Array(0),
      };
    });
  }
}
