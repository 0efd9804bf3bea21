import type { RobotFiles } from "@/components/recording/thread/mesh-parts";
import type { SceneDrawn, SceneFeed, SceneTopic, ShownTopic } from "@/components/recording/thread/scene-feed";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { TransformReader } from "@/engine/messages/poses/transform-reader";
import { UnreadableMessage } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import { isOdometrySchema } from "@/engine/messages/scene-schemas";
import { FigureState } from "@/engine/messages/scenes/figure-state";
import { readOdometryTrail } from "@/engine/messages/scenes/odometry";
import { findFoldedAdapter } from "@/engine/messages/scenes/scene-adapters";
import type { RobotPart } from "@/engine/robots/robot-parts";
import { GridFeed } from "./grid-feed";
import { NewestMoment } from "./newest-moment";
import { toReason } from "./reason";
import { RobotFeed } from "./robot-feed";
import { loadLatestAdapter } from "./scene-adapter-loading";
import { omitSent, packObjects, placeInTime } from "./scene-transfer";
import { createShown, type Shown } from "./shown-topic";
import { TrailFeed } from "./trail-feed";
import { playheadReach } from "./transform-reach";

const second = 1_000_000_000n;
/** How much before a moment markers are read, in nanoseconds and unpacked bytes. */
const foldedReach = { before: 600n * second, maxBytes: 64 * 1024 * 1024 };
/** Points of one topic that stay at the same time. */
const maxStaying = 5_000_000;
/** Milliseconds between two pictures while nothing new came: where transforms move things meanwhile, and where only ages change. */
const frameMs = { moving: 33, resting: 250 };

type LatestAdapter = Awaited<ReturnType<typeof loadLatestAdapter>>;

/** Sends a scene's thread what is to be seen at the playhead; the newest moment wanted counts. */
export class ScenePlayer {
  private topics: ShownTopic[] = [];
  private readonly shown = new Map<string, Shown>();
  private readonly transforms: TransformReader;
  private readonly robots: RobotFeed;
  private readonly moments = new NewestMoment<bigint>((moment) => this.update(moment));
  private readonly grids: GridFeed;
  /** Meshes of messages that the scene's thread holds. */
  private readonly sentMeshes = new Set<string>();
  private drawnAt = 0;
  private sentMoment: bigint | null = null;
  private onDrawn: (() => void) | null = null;

  constructor(
    private readonly known: readonly SceneTopic[],
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
    private readonly port: MessagePort,
  ) {
    const send = (feed: SceneFeed) => this.send(feed);
    this.transforms = new TransformReader(known, chunks, decoders, playheadReach);
    this.robots = new RobotFeed(known, chunks, decoders, send);
    this.grids = new GridFeed(known, chunks, decoders);
    port.onmessage = ({ data }: MessageEvent<SceneDrawn>) => {
      if (data === "drawn") this.onDrawn?.();
    };
  }

  /** The topics whose next chunks are needed. */
  get needed(): string[] {
    return [...this.topics.map(({ topic }) => topic), ...this.transforms.moving, ...this.robots.topics];
  }

  setTopics(topics: readonly ShownTopic[]): void {
    for (const { topic, decay, reading } of this.topics) {
      const next = topics.find((each) => each.topic === topic);
      const updates = (shown: readonly ShownTopic[]) => this.grids.listUpdates(topic, shown).join(" ");
      const isSame = next?.decay === decay && JSON.stringify(next.reading) === JSON.stringify(reading);
      if (isSame && updates(topics) === updates(this.topics)) continue;
      this.send({ type: "remove", topic, times: this.shown.get(topic)?.times ?? [] });
      this.shown.delete(topic);
    }
    this.topics = [...topics];
    this.sentMoment = null;
  }

  setRobot(files: RobotFiles | null, part: RobotPart): void {
    this.robots.configure(files, part);
    this.sentMoment = null;
  }

  close(): void {
    this.moments.close();
    this.port.close();
    this.onDrawn?.();
  }

  /** Shows what is to be seen at a moment; resolves when it, or one wanted later, is drawn. */
  show(at: bigint): Promise<void> {
    return this.moments.show(at);
  }

  private async update(moment: bigint): Promise<void> {
    const changes = await Promise.all([
      this.sendTransforms(moment),
      this.robots.update(moment),
      ...this.topics.map((topic) => this.updateTopic(topic, moment)),
    ]);
    const isOver = this.moments.isClosed || this.sentMoment === moment;
    if (isOver && !changes.includes(true)) return;
    // Transforms between two messages move things too, but nobody sees more than thirty pictures a second of them.
    const pause = this.transforms.moving.length > 0 ? frameMs.moving : frameMs.resting;
    if (!changes.includes(true) && this.sentMoment !== null && performance.now() - this.drawnAt < pause) return;
    const drawn = new Promise<void>((resolve) => (this.onDrawn = resolve));
    this.send({ type: "moment", at: moment });
    this.sentMoment = moment;
    await drawn;
    this.drawnAt = performance.now();
  }

  /** Whether something was sent. */
  private async sendTransforms(moment: bigint): Promise<boolean> {
    let isSent = false;
    for await (const read of this.transforms.read(moment)) {
      this.send({ type: "transforms", ...read });
      isSent = true;
    }
    return isSent;
  }

  /** Whether something was sent. */
  private async updateTopic(choice: ShownTopic, moment: bigint): Promise<boolean> {
    const { topic } = choice;
    const shown = this.shown.get(topic) ?? createShown();
    this.shown.set(topic, shown);
    const schema = this.known.find(({ name }) => name === topic)?.schema ?? "";
    try {
      const latest = await this.chunks.findLatest(topic, moment);
      if (this.moments.isClosed || this.shown.get(topic) !== shown) return false;
      if (latest === null) return await this.showNone(topic, shown);
      if (this.grids.isUpdates(topic)) return await this.describeUpdates(topic, shown, latest, moment);
      const updates = this.grids.listUpdates(topic, this.topics);
      if (updates.length > 0) return await this.showUpdated(choice, shown, latest, updates, moment);
      if (findFoldedAdapter(schema)) return await this.fold(topic, shown, latest, moment);
      if (isOdometrySchema(schema) && choice.decay > 0) return await this.showTrail(choice, shown, latest);
      return await this.showLatest(choice, shown, latest, moment);
    } catch (error) {
      return this.fail(topic, shown, null, error);
    }
  }

  private async showNone(topic: string, shown: Shown): Promise<boolean> {
    if (shown.said === "none") return false;
    const first = await this.chunks.findFirst(topic);
    this.shown.set(topic, { ...createShown(), said: "none" });
    this.send({ type: "none", topic, first: first?.logTime ?? null });
    return true;
  }

  private fail(topic: string, shown: Shown, time: bigint | null, error: unknown): boolean {
    const reason = toReason(error);
    if (shown.said === `${time} ${reason}`) return false;
    this.shown.set(topic, { ...createShown(), said: `${time} ${reason}` });
    this.send({ type: "failed", topic, time, reason });
    return true;
  }

  private async showLatest(
    { topic, decay, reading }: ShownTopic,
    shown: Shown,
    latest: RawMessage,
    moment: bigint,
  ): Promise<boolean> {
    const from = moment - BigInt(Math.round(decay * 1e9));
    const isCurrent = shown.times.includes(latest.logTime) && !shown.times.some((time) => time > latest.logTime);
    if (isCurrent && !shown.times.some((time) => time < from && time !== latest.logTime)) return false;
    if (shown.said.startsWith(`${latest.logTime} `)) return false;
    const range = { start: from, end: latest.logTime };
    const wanted = decay > 0 ? await this.chunks.listBetween(topic, range) : [latest];
    if (!wanted.some(({ logTime }) => logTime === latest.logTime)) wanted.push(latest);
    const adapter = await loadLatestAdapter(latest.channel.schemaName);
    // Hidden meanwhile.
    if (this.shown.get(topic) !== shown) return false;
    return this.replace(topic, shown, wanted, adapter && ((value) => adapter(value, reading ?? undefined)));
  }

  /** A grid with what updates changed since it was sent whole. */
  private async showUpdated(
    { topic, reading }: ShownTopic,
    shown: Shown,
    whole: RawMessage,
    updates: readonly string[],
    moment: bigint,
  ): Promise<boolean> {
    const read = await this.grids.read(updates, whole, moment);
    const said = `${whole.logTime} ${read.messages.length} ${read.messages.at(-1)?.logTime ?? ""}`;
    if (this.shown.get(topic) !== shown || shown.said === said) return false;
    try {
      return this.sendAlone(topic, shown, said, whole.logTime, this.grids.draw(whole, read, reading));
    } catch (error) {
      return this.fail(topic, shown, whole.logTime, error);
    }
  }

  /** Odometry with the way of its last seconds. */
  private async showTrail({ topic, decay, reading }: ShownTopic, shown: Shown, latest: RawMessage): Promise<boolean> {
    const said = String(latest.logTime);
    if (shown.said === said || shown.said.startsWith(`${said} `)) return false;
    shown.trail ??= new TrailFeed(topic, this.chunks, this.decoders);
    const { places, isCut } = await shown.trail.read(latest, decay);
    // Hidden meanwhile.
    if (this.shown.get(topic) !== shown) return false;
    try {
      const { objects, notes } = readOdometryTrail(this.decoders.decode(latest), places, reading?.bySpeed ?? true);
      if (isCut) notes.push("of the trail, only the last 64 MB are read");
      return this.sendAlone(topic, shown, said, latest.logTime, { objects, notes });
    } catch (error) {
      return this.fail(topic, shown, latest.logTime, error);
    }
  }

  /** Sends a message's objects in place of all that the topic showed. */
  private sendAlone(topic: string, shown: Shown, said: string, time: bigint, message: SceneMessage): boolean {
    const gone = shown.times.filter((each) => each !== time);
    if (gone.length > 0) this.send({ type: "remove", topic, times: gone });
    this.sendObjects(topic, time, message);
    Object.assign(shown, { times: [time], said });
    return true;
  }

  /** Updates are drawn by what they change: their layer says by which. */
  private async describeUpdates(topic: string, shown: Shown, latest: RawMessage, moment: bigint): Promise<boolean> {
    const text = await this.grids.describe(topic, moment);
    const said = `${latest.logTime} ${text}`;
    if (this.shown.get(topic) !== shown || shown.said === said) return false;
    this.send({ type: "figures", topic, time: latest.logTime, figures: [], notes: [text] });
    Object.assign(shown, { times: [latest.logTime], said });
    return true;
  }

  /** Sends the messages that are not there yet, the newest first, and removes those that are no longer wanted. */
  private replace(topic: string, shown: Shown, wanted: readonly RawMessage[], adapter: LatestAdapter): boolean {
    const times: bigint[] = [];
    let points = 0;
    let isChanged = false;
    for (const message of wanted.toReversed()) {
      const time = message.logTime;
      if (times.includes(time)) continue;
      if (points > maxStaying) break;
      if (!shown.times.includes(time)) {
        try {
          shown.points.set(time, this.sendMessage(message, adapter));
          isChanged = true;
        } catch (error) {
          return this.fail(topic, shown, time, error);
        }
      }
      points += shown.points.get(time) ?? 0;
      times.push(time);
    }
    const gone = shown.times.filter((time) => !times.includes(time));
    if (gone.length > 0) this.send({ type: "remove", topic, times: gone });
    for (const time of gone) shown.points.delete(time);
    [shown.times, shown.said] = [times, ""];
    return isChanged || gone.length > 0;
  }

  /** Sends a message's objects. Returns how many points they have. */
  private sendMessage(message: RawMessage, adapter: LatestAdapter): number {
    const { channel, logTime } = message;
    if (adapter === null) throw new UnreadableMessage(`Messages of ${channel.schemaName} cannot be drawn.`);
    return this.sendObjects(channel.topic, logTime, adapter(this.decoders.decode(message)));
  }

  private sendObjects(topic: string, logTime: bigint, { objects, notes }: SceneMessage): number {
    const placed = objects.map((object) => placeInTime(object, logTime, notes));
    const { own, transfers, points } = packObjects(placed);
    this.send({ type: "message", topic, time: logTime, objects: own, notes }, transfers);
    return points;
  }

  /** Markers and entities: each message changes what the ones before show. */
  private async fold(topic: string, shown: Shown, latest: RawMessage, moment: bigint): Promise<boolean> {
    const isBehind = shown.until === null || moment < shown.until || moment - shown.until > foldedReach.before;
    const isNew = isBehind || latest.logTime > (shown.until ?? 0n);
    if (!isNew && (shown.expires === null || shown.expires > moment)) return false;
    const state = isBehind ? new FigureState() : shown.state;
    const notes: string[] = [];
    if (isNew) {
      const whole = { start: isBehind ? moment - foldedReach.before : shown.until! + 1n, end: moment };
      const range = this.chunks.narrow([topic], whole, moment, foldedReach.maxBytes);
      const messages = await this.chunks.listBetween(topic, { start: range.start, end: moment });
      if (messages.length === 0) messages.push(latest);
      shown.from = isBehind ? range.start : shown.from;
      for (const message of messages) this.apply(state, message, notes);
    }
    if (shown.from > this.chunks.range.start && shown.from > (await this.findStart(topic)))
      notes.push("only the last ten minutes are read");
    // Hidden meanwhile.
    if (this.shown.get(topic) !== shown) return false;
    const listed = state.list(moment);
    const placed = listed.figures.map((each) => placeInTime(each, latest.logTime, notes));
    const figures = omitSent(placed, this.sentMeshes);
    Object.assign(shown, { state, until: moment, expires: listed.until, times: [latest.logTime] });
    this.send({ type: "figures", topic, time: latest.logTime, figures, notes: [...notes, ...listed.notes] });
    return true;
  }

  private apply(state: FigureState, message: RawMessage, notes: string[]): void {
    const adapter = findFoldedAdapter(message.channel.schemaName);
    if (adapter === null) return;
    const note = (text: string) => notes.length < 20 && !notes.includes(text) && notes.push(text);
    try {
      const read = adapter(this.decoders.decode(message));
      state.apply(read.changes, message.logTime);
      read.notes.forEach(note);
    } catch (error) {
      note(`a message is not read: ${toReason(error)}`);
    }
  }

  private async findStart(topic: string): Promise<bigint> {
    return (await this.chunks.findFirst(topic))?.logTime ?? 0n;
  }

  private send(feed: SceneFeed, transfers: Transferable[] = []): void {
    if (!this.moments.isClosed) this.port.postMessage(feed, transfers);
  }
}
