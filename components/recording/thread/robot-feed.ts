import { toFileAddress, type RobotFiles } from "@/components/recording/thread/mesh-parts";
import type { SceneFeed, SceneTopic } from "@/components/recording/thread/scene-feed";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { readFields, readText, toShortName } from "@/engine/messages/reading";
import type { Figures } from "@/engine/messages/scene-object";
import { isJointSchema, readJoints } from "@/engine/messages/scenes/joints";
import { placeLinks, readRobot, type Robot } from "@/engine/messages/scenes/robot";
import type { RobotPart } from "@/engine/robots/robot-parts";
import { toReason } from "./reason";

/** Descriptions are published once, or again for those who come later. */
const maxDescriptions = 3;
/** Names the layer of a robot that the recording does not describe. */
const givenLayer = "Robot description";

interface Description {
  layer: string;
  time: bigint;
  text: string;
}

/** Sends the robots that a recording describes, or the one that is given, and where their joints are at the playhead. */
export class RobotFeed {
  private readonly candidates: readonly string[];
  private readonly jointTopics: readonly string[];
  private own: Description[] | null = null;
  private robots: Robot[] = [];
  private files: RobotFiles | null = null;
  private part: RobotPart = "visual";
  /** What robots were last sent, as a key. */
  private shown = "";
  private sent = "";
  private isGivenShown = false;
  private hasJoints = false;

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
    return this.robots.length > 0 ? this.jointTopics : [];
  }

  /** `files`: a description for a recording without one; null when there is none. */
  configure(files: RobotFiles | null, part: RobotPart): void {
    this.files = files;
    this.part = part;
  }

  /** Sends what changed up to a moment. Returns whether anything did. */
  async update(moment: bigint): Promise<boolean> {
    const isChanged = await this.updateRobots();
    return (await this.updateJoints(moment)) || isChanged;
  }

  private async updateRobots(): Promise<boolean> {
    this.own ??= (await Promise.all(this.candidates.map((topic) => this.readTopic(topic)))).flat();
    const { own, files, part } = this;
    const shown = `${own.length > 0 ? "own" : (files?.uid ?? "none")} ${part}`;
    if (shown === this.shown) return false;
    this.shown = shown;
    const descriptions = own.length > 0 ? own : files ? await this.readGiven(files) : [];
    // Another one was given meanwhile.
    if (this.shown !== shown) return false;
    if (this.isGivenShown) this.send({ type: "remove", topic: givenLayer, times: [this.chunks.range.start] });
    this.isGivenShown = own.length === 0 && descriptions.length > 0;
    this.robots = descriptions.flatMap((each) => this.sendRobot(each, part));
    this.sent = "";
    return true;
  }

  private async updateJoints(moment: bigint): Promise<boolean> {
    const { robots } = this;
    if (robots.length === 0) {
      if (!this.hasJoints) return false;
      this.hasJoints = false;
      this.send({ type: "joints", list: [], notes: [] });
      return true;
    }
    this.hasJoints = true;
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

  /** What a topic describes; nothing when that is no robot. */
  private async readTopic(topic: string): Promise<Description[]> {
    try {
      const message = await this.chunks.findFirst(topic);
      const text = message ? readText(readFields(this.decoders.decode(message)), "data") : "";
      return message && text.includes("<robot") ? [{ layer: topic, time: message.logTime, text }] : [];
    } catch (error) {
      this.send({ type: "failed", topic, time: null, reason: toReason(error) });
      return [];
    }
  }

  private async readGiven(files: RobotFiles): Promise<Description[]> {
    try {
      const response = await fetch(toFileAddress(files, 0));
      if (!response.ok) throw new Error(`The robot description could not be loaded (${response.status}).`);
      return [{ layer: givenLayer, time: this.chunks.range.start, text: await response.text() }];
    } catch (error) {
      this.send({ type: "failed", topic: givenLayer, time: null, reason: toReason(error) });
      return [];
    }
  }

  /** Sends what a robot looks like; nothing when its description cannot be drawn. */
  private sendRobot({ layer, time, text }: Description, part: RobotPart): Robot[] {
    try {
      const robot = readRobot(text, part);
      const shared = { kind: "figures", stamp: null, isLocked: true } as const;
      const objects = robot.links
        .filter(({ shapes }) => shapes.length > 0)
        .map(({ name, shapes }): Figures => ({ ...shared, name, frame: name, shapes }));
      this.send({ type: "message", topic: layer, time, objects, notes: robot.notes });
      return [robot];
    } catch (error) {
      this.send({ type: "failed", topic: layer, time: null, reason: toReason(error) });
      return [];
    }
  }
}
