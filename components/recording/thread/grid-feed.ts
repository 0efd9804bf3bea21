import type { SceneTopic } from "@/components/recording/thread/scene-feed";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { UnreadableMessage } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import { isGridUpdateSchema } from "@/engine/messages/scene-schemas";
import { readOccupancyGrid } from "@/engine/messages/scenes/grid";
import { findUpdatedTopic, isOccupancySchema, listUpdateTopics } from "@/engine/messages/scenes/grid-update";
import type { LayerReading } from "@/engine/messages/scenes/layer-reading";

/** Unpacked bytes of updates before a moment that are read. */
const maxBytes = 64 * 1024 * 1024;

/** Updates of grids up to a moment, since the last whole one. */
interface ReadUpdates {
  messages: RawMessage[];
  notes: string[];
}

/** What topics of updates change of the grids of other topics. */
export class GridFeed {
  /** What was read last: all updates of a grid up to a moment. */
  private known: (ReadUpdates & { key: string; until: bigint }) | null = null;

  constructor(
    private readonly topics: readonly SceneTopic[],
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
  ) {}

  isUpdates(topic: string): boolean {
    return this.topics.some(({ name, schema }) => name === topic && isGridUpdateSchema(schema));
  }

  /** The shown topics that change the grids of a topic; empty for topics of anything else. */
  listUpdates(topic: string, shown: readonly { topic: string }[]): string[] {
    if (!this.topics.some(({ name, schema }) => name === topic && isOccupancySchema(schema))) return [];
    return listUpdateTopics(topic, this.topics).filter((name) => shown.some((each) => each.topic === name));
  }

  /** The updates of topics after a whole grid, by time. Those that are known already are not looked for again. */
  async read(updates: readonly string[], whole: RawMessage, moment: bigint): Promise<ReadUpdates> {
    const key = `${whole.channel.topic} ${whole.logTime} ${updates.join(" ")}`;
    let known = this.known;
    if (known?.key !== key) {
      const range = this.chunks.narrow(updates, { start: whole.logTime, end: moment }, moment, maxBytes);
      const isCut = range.start > whole.logTime && whole.logTime >= this.chunks.range.start;
      const notes = isCut ? ["of the updates since the whole grid, only the last 64 MB are read"] : [];
      known = { key, messages: [], until: range.start - 1n, notes };
    }
    if (moment > known.until) {
      const range = { start: known.until + 1n, end: moment };
      const found = await Promise.all(updates.map((topic) => this.chunks.listBetween(topic, range)));
      const added = found.flat().sort((a, b) => (a.logTime < b.logTime ? -1 : a.logTime > b.logTime ? 1 : 0));
      known = { ...known, messages: [...known.messages, ...added], until: moment };
    }
    this.known = known;
    return { messages: known.messages.filter(({ logTime }) => logTime <= moment), notes: known.notes };
  }

  /** A grid with its updates. Throws UnreadableMessage. */
  draw(whole: RawMessage, { messages, notes }: ReadUpdates, reading: LayerReading | null): SceneMessage {
    const read = readOccupancyGrid(
      this.decoders.decode(whole),
      reading ?? undefined,
      messages.map((message) => this.decoders.decode(message)),
    );
    return { ...read, notes: [...read.notes, ...notes] };
  }

  /** What a topic of updates says for itself. Throws UnreadableMessage while there is no grid to update. */
  async describe(topic: string, moment: bigint): Promise<string> {
    const grid = findUpdatedTopic(topic, this.topics);
    if (grid === null)
      throw new UnreadableMessage("It waits for the full map, but the recording has no nav_msgs/OccupancyGrid.");
    const whole = await this.chunks.findLatest(grid, moment);
    if (whole === null) throw new UnreadableMessage(`It waits for the full map, ${grid}.`);
    return `drawn on ${grid}`;
  }
}
