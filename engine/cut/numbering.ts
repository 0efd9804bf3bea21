import { equalBytes } from "@/engine/bytes";
import type { McapOutput } from "@/engine/cut/mcap-output";
import { renumber, type SourceChannel } from "@/engine/cut/source-channels";
import { crc32 } from "@/engine/formats/codecs/crc32";
import { RecordingError } from "@/engine/formats/recording-error";

const maxId = 0xffff;

/** Numbers of records that are equal but for their numbers. */
class Numbers {
  readonly bodies = new Map<number, Uint8Array>();
  private readonly byContent = new Map<string, number[]>();
  private next = 1;

  /** The number of a record: `preferred` when it is free or names the same. */
  choose(body: Uint8Array, preferred: number | null, what: string): { id: number; isNew: boolean } {
    const content = body.subarray(2);
    const isSame = (id: number) => equalBytes(this.bodies.get(id)!.subarray(2), content);
    if (preferred !== null && this.bodies.has(preferred) && isSame(preferred)) return { id: preferred, isNew: false };
    const key = `${content.length} ${crc32(content)}`;
    const alike = this.byContent.get(key) ?? [];
    const free = preferred !== null && !this.bodies.has(preferred);
    const known = free ? undefined : alike.find(isSame);
    if (known !== undefined) return { id: known, isNew: false };
    while (!free && this.bodies.has(this.next)) this.next += 1;
    const id = free ? preferred : this.next;
    if (id > maxId) throw new RecordingError(`An MCAP file holds at most ${maxId} ${what}. Choose fewer topics.`);
    this.bodies.set(id, renumber(body, id));
    this.byContent.set(key, [...alike, id]);
    return { id, isNew: true };
  }
}

/** The numbers of one file's channels in the cut. */
export interface FileNumbers {
  /** By slot; undefined for channels that are not wanted. */
  ids: (number | undefined)[];
  /** By slot: whether the file's own chunks may be copied, as its numbers are those of the cut. */
  kept: boolean[];
}

/** Numbers schemas and channels over all files of a recording, with the numbers of their files where that is possible. */
export class Numbering {
  private readonly schemas = new Numbers();
  private readonly channels = new Numbers();

  constructor(private readonly output: McapOutput) {}

  /** Writes the definitions of a file's channels that were not written yet. */
  declare(channels: readonly SourceChannel[], isWanted: (topic: string) => boolean): FileNumbers {
    const ids: (number | undefined)[] = channels.map(() => undefined);
    const kept: boolean[] = channels.map(() => false);
    for (const { slot, topic, id, schemaId, channel, schema } of channels) {
      if (!isWanted(topic)) continue;
      const newSchemaId = schema === null ? 0 : this.declareSchema(schema, schemaId);
      const body = renumber(channel, 0, newSchemaId);
      const chosen = this.channels.choose(body, id, "channels");
      if (chosen.isNew) this.output.addChannel(this.channels.bodies.get(chosen.id)!);
      ids[slot] = chosen.id;
      kept[slot] = chosen.id === id && newSchemaId === schemaId;
    }
    return { ids, kept };
  }

  private declareSchema(schema: Uint8Array, preferred: number | null): number {
    const { id, isNew } = this.schemas.choose(schema, preferred, "schemas");
    if (isNew) this.output.addSchema(this.schemas.bodies.get(id)!);
    return id;
  }

  /** Whether a schema or channel, as a chunk repeats it, is what was declared. */
  agrees(kind: "schema" | "channel", body: Uint8Array): boolean {
    if (body.length < 2) return false;
    const known = (kind === "schema" ? this.schemas : this.channels).bodies.get(body[0]! | (body[1]! << 8));
    return known !== undefined && equalBytes(known, body);
  }
}
