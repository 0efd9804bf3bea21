import type { SceneFeed, SceneTopic } from "@/components/scene/scene-feed";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { isJointSchema, readJoints } from "@/engine/messages/joints";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { readFields, readText, toShortName } from "@/engine/messages/reading";
import { listMeshes, placeLinks, readRobot, type Robot } from "@/engine/messages/robot";
import type { Figures } from "@/engine/messages/scene-object";
import { toReason } from "./reason";

/** Descriptions are published once, or again for those who come later. */
const maxDescriptions = 3;

/** Sends the robots that a recording describes, and where their joints are at the playhead. */
export class RobotFeed {
  private readonly candidates: readonly string[];
  private readonly jointTopics: readonly string[];
  private robots: Robot[] | null = null;
  private sent = "";

  constructor(
    topics: readonly SceneTopic[],
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
    private readonly send: (feed: SceneFeed) => void,
  ) {
    const mayDescribe = ({ schema, message_count }: SceneTopic) =>
      toShortName(schema) === "std_msgs/String" && Number(message_count) <= maxDescriptions;
    this.candidates = topics.filter(mayDescribe).map(({ name }) => name);
    this.jointTopics = topics.filter(({ schema }) => isJointSchema(schema)).map(({ name }) => name);
  }

  /** The topics whose next chunks are needed. */
  get topics(): readonly string[] {
    return this.robots?.length ? this.jointTopics : [];
  }

  /** Sends what changed up to a moment. Returns whether anything did. */
  async update(moment: bigint): Promise<boolean> {
    if (this.robots === null) {
      this.robots = [];
      const found = await Promise.all(this.candidates.map((topic) => this.sendRobot(topic)));
      this.robots = found.filter((robot) => robot !== null);
    }
    const { robots } = this;
    if (robots.length === 0) return false;
    const latest = await Promise.all(this.jointTopics.map((topic) => this.chunks.findLatest(topic, moment)));
    const key = `at ${latest.map((message) => message?.logTime).join(" ")}`;
    if (key === this.sent) return false;
    this.sent = key;
    const places = new Map<string, number>();
    const notes: string[] = [];
    for (const message of latest) {
      if (message === null) continue;
      try {
        const read = readJoints(this.decoders.decode(message));
        for (const [name, place] of read.places) places.set(name, place);
        notes.push(...read.notes.map((note) => `${message.channel.topic}: ${note}`));
      } catch (error) {
        notes.push(`${message.channel.topic}: ${toReason(error)}`);
      }
    }
    const placed = robots.map((robot) => placeLinks(robot, places));
    const list = placed.flatMap(({ transforms }) => transforms);
    this.send({ type: "joints", list, notes: [...notes, ...placed.flatMap((each) => each.notes)] });
    return true;
  }

  /** The robot that a topic describes; null when it describes none, or one that cannot be drawn. */
  private async sendRobot(topic: string): Promise<Robot | null> {
    try {
      const message = await this.chunks.findFirst(topic);
      if (message === null) return null;
      const text = readText(readFields(this.decoders.decode(message)), "data");
      if (!text.includes("<robot")) return null;
      const robot = readRobot(text);
      const shared = { kind: "figures", stamp: null, isLocked: true } as const;
      const objects = robot.links
        .filter(({ shapes }) => shapes.length > 0)
        .map(({ name, shapes }): Figures => ({ ...shared, name, frame: name, shapes }));
      const meshes = listMeshes(robot).map((mesh) => mesh.split("/").at(-1));
      const names = `${meshes.slice(0, 5).join(", ")}${meshes.length > 5 ? ", …" : ""}`;
      const notes = meshes.length > 0 ? [...robot.notes, `${meshes.length} meshes missing: ${names}`] : robot.notes;
      this.send({ type: "message", topic, time: message.logTime, objects, notes });
      return robot;
    } catch (error) {
      this.send({ type: "failed", topic, time: null, reason: toReason(error) });
      return null;
    }
  }
}
