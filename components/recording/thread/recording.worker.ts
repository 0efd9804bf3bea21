/**
 * The thread that reads a recording for a page and draws its pictures. Built by scripts/page-workers.mjs, and served with a
 * policy of its own, since the page's refuses WebAssembly.
 */
import zstdAddress from "@foxglove/wasm-zstd/dist/wasm-zstd.wasm";
import { expose } from "comlink";
import { loadLaterScript } from "@/components/kit/later-script";
import { getMoment, type Clock } from "@/components/recording/clock";
import type { RobotFiles } from "@/components/recording/thread/mesh-parts";
import type { SceneTopic, ShownTopic } from "@/components/recording/thread/scene-feed";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { loadPortableCodecs } from "@/engine/formats/codecs/portable-codecs";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { findKeyframe } from "@/engine/messages/pictures/keyframes";
import type { Overlay } from "@/engine/messages/pictures/picture-overlays";
import { isVideoSchema } from "@/engine/messages/pictures/picture-schemas";
import { VideoTimeline } from "@/engine/messages/pictures/video-timeline";
import { readDiagnosticsAt, type Diagnostics } from "@/engine/messages/texts/diagnostics";
import { readLogs, type LogLines } from "@/engine/messages/texts/log-lines";
import type { RobotPart } from "@/engine/robots/robot-parts";
import { ByteWait, type WaitReport } from "./byte-wait";
import type { CloudChoice, CloudOverlay, CloudReport } from "./cloud-overlay";
import type { FrameLocator } from "./frame-locator";
import { readMapMoment, type MapMoment, type MapWanted } from "./map-moment";
import { readMessageBytes, type MessageBytes } from "./message-bytes";
import type { PanelPlayer } from "./panel-player";
import { readPictureOptions, type PictureChoice } from "./picture-options";
import type { WantedOverlays } from "./picture-overlays";
import { PicturePlayer, type PictureReport } from "./picture-player";
import { findPictures } from "./picture-search";
import { PictureView } from "./picture-view";
import { openRecordingPack, type RecordingPack } from "./recording-source";
import type { ScenePlayer } from "./scene-player";
import type { GetMedia } from "./served-frames";
import { readTopicFrames, type TopicFrames } from "./topic-frames";
import { VideoPlayer } from "./video-player";

/** Milliseconds between two looks at the clock while it runs. */
const frameMs = 16;
/** Milliseconds between two requests for what comes next. */
const readAheadMs = 250;
/** Milliseconds that the playhead rests before what lies around it is read: the next press may lead far away. */
const restMs = 300;
const maxAheadBytes = 64 * 1024 * 1024;
const second = 1_000_000_000n;
const logReach = {
  before: 120n * second,
  after: 30n * second,
  maxBefore: 400,
  maxAfter: 100,
  maxBytes: 128 * 1024 * 1024,
};

const keyframeReach = { span: 60n * second, maxBytes: 128 * 1024 * 1024 };
const diagnosticReach = { before: 60n * second, maxBytes: 128 * 1024 * 1024 };

/** What pictures without anything over them do not need. */
const loadScenes = () => loadLaterScript(() => import("./scenes-and-overlays"));

let chunks: ChunkReader | null = null;
let getMedia: GetMedia = () => Promise.reject(new Error("The recording is not open."));
const decoders = new MessageDecoders();
/** Requested at once: the page asks for the recording meanwhile. */
const zstd = fetch(zstdAddress).then(async (response) => new Uint8Array(await response.arrayBuffer()));
zstd.catch(() => {}); // opening sees the failure
let clock: Clock = { at: 0n, wall: 0, playing: false, isWaiting: false, speed: 1 };
let timer: ReturnType<typeof setInterval> | undefined;
let aheadAt = 0;
let restTimer: ReturnType<typeof setTimeout> | undefined;
const players = new Map<number, PanelPlayer>();
const views = new Map<number, PictureView>();
/** What is drawn over pictures, by the same numbers. */
const clouds = new Map<number, CloudOverlay>();
const reports = new Map<number, PictureReport>();
const scenes = new Map<number, ScenePlayer>();
/** For what is drawn over pictures by where it is in space. */
let frames: FrameLocator | null = null;
let onWait: (report: WaitReport) => void = () => {};
const wait = new ByteWait((report) => onWait(report));

/** Topics of which panels show the latest message. */
const listNeeded = (): string[] => [
  ...new Set([
    ...[...players.values()].map(({ topic }) => topic),
    ...[...clouds.values()].flatMap((cloud) => cloud.topics),
    ...[...scenes.values()].flatMap((scene) => scene.needed),
  ]),
];

/** Requests the chunks around the playhead: what comes next while it runs, both sides while it rests. */
function readAhead(moment: bigint): void {
  const now = performance.now();
  if (!chunks || (clock.playing && now - aheadAt < readAheadMs)) return;
  aheadAt = now;
  const ahead = BigInt(Math.round(Math.max(2, 3 * clock.speed) * 1e9));
  const range = { start: clock.playing ? moment : moment - 2n * second, end: moment + ahead };
  chunks.readAhead(listNeeded(), range, moment, maxAheadBytes);
}

/** Reads around the playhead once what it shows is there and it rests; nothing before. */
function readAtRest(shown: readonly Promise<void>[]): void {
  const { at } = clock;
  chunks?.readAhead([], { start: at, end: at }, at, 0);
  clearTimeout(restTimer);
  void Promise.all(shown).then(() => {
    if (clock.playing || clock.at !== at) return;
    clearTimeout(restTimer);
    restTimer = setTimeout(() => !clock.playing && readAhead(getMoment(clock)), restMs);
  });
}

function follow(): void {
  // Before the page said where its playhead is, there is no moment to show.
  if (clock.wall === 0) return;
  const moment = getMoment(clock);
  const speed = clock.playing ? clock.speed : 0;
  if (chunks && (clock.playing ? !wait.isWaiting : clock.isWaiting))
    wait.check(chunks, listNeeded(), moment, clock.speed);
  const shown = [...players.values(), ...scenes.values()].map((player) => player.show(moment, speed));
  // What is shown comes first.
  if (clock.playing) readAhead(moment);
  else readAtRest(shown);
}

function requireChunks(): ChunkReader {
  if (!chunks) throw new Error("The recording is not open.");
  return chunks;
}

const thread = {
  /** Opens a recording; nothing of it is read before something is to be shown. */
  async open(uid: string, pack: RecordingPack, report: (report: WaitReport) => void): Promise<void> {
    onWait = report;
    const codecs = await loadPortableCodecs({ zstd: await zstd });
    ({ chunks } = await openRecordingPack(
      uid,
      pack,
      codecs,
      (address, signal) => fetch(address, { signal: signal ?? null }),
      (bytes) => wait.count(bytes),
    ));
    getMedia = (path) => fetch(`/media/recordings/${uid}/${path}`);
  },
  /** Begins to load what 3-D views and drawings over pictures need, while the recording is opened. */
  async prepareScenes(): Promise<void> {
    await loadScenes();
  },
  setClock(next: Clock): void {
    clock = next;
    clearInterval(timer);
    if (clock.playing) timer = setInterval(follow, frameMs);
    else if (!clock.isWaiting) wait.end();
    follow();
  },
  /** Shows the pictures of a topic in a canvas from now on. */
  addPicture(id: number, topic: string, canvas: OffscreenCanvas, onReport: (report: PictureReport) => void): void {
    const view = new PictureView(canvas);
    views.set(id, view);
    const report = (value: PictureReport) => {
      reports.set(id, value);
      clouds.get(id)?.show(value.state === "shown" ? value : null);
      onReport(value);
    };
    const Player = requireChunks().listSchemas(topic).some(isVideoSchema) ? VideoPlayer : PicturePlayer;
    players.set(id, new Player(topic, requireChunks(), decoders, view, report, getMedia));
    follow();
  },
  /** Draws the pictures of a panel otherwise from now on. */
  async configurePicture(id: number, options: PictureChoice): Promise<void> {
    const chosen = await readPictureOptions(requireChunks(), decoders, options, getMoment(clock));
    views.get(id)?.configure(chosen);
    players.get(id)?.refresh();
    follow();
  },
  /** Draws a cloud over the pictures of a panel, in a canvas of its own, from now on. */
  async addCloud(
    id: number,
    choice: CloudChoice,
    topics: readonly SceneTopic[],
    canvas: OffscreenCanvas,
    onReport: (report: CloudReport) => void,
  ): Promise<void> {
    const { CloudOverlay } = await loadScenes();
    const camera = players.get(id)?.topic;
    if (camera === undefined) return;
    const cloud = new CloudOverlay(camera, choice, topics, requireChunks(), decoders, canvas, onReport);
    clouds.set(id, cloud);
    const shown = reports.get(id);
    cloud.show(shown?.state === "shown" ? shown : null);
  },
  configureCloud: (id: number, choice: CloudChoice): void => clouds.get(id)?.configure(choice),
  removeCloud(id: number): void {
    clouds.get(id)?.close();
    clouds.delete(id);
  },
  /** What is drawn at a pixel of a panel; null outside of the picture. */
  readPixel: (id: number, x: number, y: number): string | null => views.get(id)?.describePixel(x, y) ?? null,
  /** What a panel shows as a PNG file. */
  savePicture: (id: number): Promise<Blob> | null => views.get(id)?.save() ?? null,
  /** What topics draw over a picture; `topics`: of the recording, for where boxes in space are. */
  async readOverlays(wanted: WantedOverlays, topics: readonly SceneTopic[]): Promise<Overlay[]> {
    const chunks = requireChunks();
    const { FrameLocator, readOverlays } = await loadScenes();
    return readOverlays(chunks, decoders, () => (frames ??= new FrameLocator(topics, chunks, decoders)), wanted);
  },
  /** Sends the objects of a 3-D scene through a port from now on; nothing of a topic before it is shown. */
  async addScene(id: number, topics: readonly SceneTopic[], port: MessagePort): Promise<void> {
    const { ScenePlayer } = await loadScenes();
    scenes.set(id, new ScenePlayer(topics, requireChunks(), decoders, port));
    follow();
  },
  setSceneTopics(id: number, topics: readonly ShownTopic[]): void {
    scenes.get(id)?.setTopics(topics);
    follow();
  },
  setSceneRobot(id: number, files: RobotFiles | null, part: RobotPart): void {
    scenes.get(id)?.setRobot(files, part);
    follow();
  },
  removeScene(id: number): void {
    scenes.get(id)?.close();
    scenes.delete(id);
  },
  /** The topics whose first message holds a picture, whatever its schema is called. */
  findPictures: (topics: readonly string[]): Promise<string[]> => findPictures(requireChunks(), decoders, topics),
  readMessage: (topic: string, time: bigint): Promise<MessageBytes | null> =>
    readMessageBytes(requireChunks(), topic, time),
  readTopicFrames: (topics: readonly string[]): Promise<TopicFrames> =>
    readTopicFrames(requireChunks(), decoders, topics),
  readMapMoment: (wanted: MapWanted, at: bigint): Promise<MapMoment> =>
    readMapMoment(requireChunks(), decoders, wanted, at),
  /** The lines of logs around a moment. */
  readLogs(topics: readonly string[], at: bigint): Promise<LogLines> {
    return readLogs(requireChunks(), decoders, topics, at, logReach);
  },
  /** The state of every part at a moment. */
  readDiagnostics(topics: readonly string[], at: bigint): Promise<Diagnostics> {
    return readDiagnosticsAt(requireChunks(), decoders, topics, at, diagnosticReach);
  },
  /** The next keyframe of a topic of video after a moment, or the one before; null where none is near. */
  findKeyframe(topic: string, at: bigint, isNext: boolean): Promise<bigint | null> {
    const timeline = new VideoTimeline(topic, requireChunks(), decoders, keyframeReach);
    return findKeyframe(timeline, at, isNext, requireChunks().range.end);
  },
  removePicture(id: number): void {
    thread.removeCloud(id);
    players.get(id)?.close();
    players.delete(id);
    views.delete(id);
    reports.delete(id);
  },
};
export type RecordingThread = typeof thread;

expose(thread);
