"use client";

import { proxy, transfer, wrap, type Remote } from "comlink";
import { unlessMissing } from "@/components/kit/thread-loading";
import type { TimeAxis } from "@/components/plots/time-axis";
import { getMoment, readWall, type Clock } from "@/components/recording/clock";
import type { WaitReport } from "@/components/recording/thread/byte-wait";
import type { CloudChoice, CloudReport } from "@/components/recording/thread/cloud-overlay";
import type { MapMoment, MapWanted } from "@/components/recording/thread/map-moment";
import type { MessageBytes } from "@/components/recording/thread/message-bytes";
import type { PictureChoice } from "@/components/recording/thread/picture-options";
import type { WantedOverlays } from "@/components/recording/thread/picture-overlays";
import type { PictureReport } from "@/components/recording/thread/picture-player";
import type { RecordingPack } from "@/components/recording/thread/recording-source";
import type { RecordingThread } from "@/components/recording/thread/recording.worker";
import type { SceneFeeder, SceneTopic } from "@/components/recording/thread/scene-feed";
import type { TopicFrames } from "@/components/recording/thread/topic-frames";
import { makeVideo, type MadeVideo, type VideoWatch } from "@/components/recording/video/video-making";
import type { VideoRange } from "@/components/recording/video/video-writing";
import type { Overlay } from "@/engine/messages/pictures/picture-overlays";
import type { Diagnostics } from "@/engine/messages/texts/diagnostics";
import type { LogLines } from "@/engine/messages/texts/log-lines";
import { takeThread } from "./early-opening";

/** Whether and how fast the playhead moves by itself. */
export interface PlaybackSource {
  readonly state: { playing: boolean; speed: number; waiting: WaitReport };
  /** When the playhead was where it is now, while it plays: in milliseconds of `performance.now`. */
  readonly movedAt: number;
  subscribe: (listener: () => void) => () => void;
  /** Rests the playhead while bytes are late, and has it go on with null. */
  wait: (report: WaitReport) => void;
}

/** How far, in seconds of wall time, the playhead may be from where its thread believes it. */
const tolerance = 0.05;

/** The pictures that a panel shows, drawn by the thread. */
export interface ShownPictures {
  configure: (choice: PictureChoice) => void;
  /** What is drawn at a pixel; null outside of the picture. */
  readPixel: (x: number, y: number) => Promise<string | null>;
  /** The picture as a PNG file. */
  save: () => Promise<Blob | null>;
  /** Draws a cloud over the pictures, in a canvas that belongs to the thread from then on. */
  drawCloud: (
    choice: CloudChoice,
    topics: readonly SceneTopic[],
    canvas: HTMLCanvasElement,
    onReport: (report: CloudReport) => void,
  ) => DrawnCloud;
  end: () => void;
}

/** The cloud that is drawn over the pictures of a panel. */
export interface DrawnCloud {
  configure: (choice: CloudChoice) => void;
  end: () => void;
}

/** The thread of a session while it is open. */
interface OpenThread {
  thread: Remote<RecordingThread>;
  /** Resolves when the recording can be read in it. */
  ready: Promise<Remote<RecordingThread>>;
  end: () => void;
}

/**
 * A recording that panels of a page show: its thread, which follows the playhead. Outside React, since it changes many times
 * a second. The thread begins with the first panel, or before it where one is expected.
 */
export class RecordingSession {
  private open: OpenThread | null = null;
  private sent: Clock | null = null;
  private nextId = 1;

  constructor(
    private readonly uid: string,
    private readonly axis: TimeAxis,
    private readonly playback: PlaybackSource,
    private readonly loadPack: () => Promise<RecordingPack>,
  ) {}

  /** Shows the pictures of a topic in a canvas, which belongs to the thread from then on. */
  showPictures(topic: string, canvas: HTMLCanvasElement, onReport: (report: PictureReport) => void): ShownPictures {
    const { ready } = (this.open ??= this.start());
    const id = this.nextId++;
    let isOver = false;
    const report = (value: PictureReport) => !isOver && onReport(value);
    const offscreen = canvas.transferControlToOffscreen();
    const added = ready.then(async (thread) => {
      await thread.addPicture(id, topic, transfer(offscreen, [offscreen]), proxy(report));
      return thread;
    });
    added.catch((error: unknown) =>
      report({ state: "failed", time: null, reason: error instanceof Error ? error.message : String(error) }),
    );
    const run = (act: (thread: Remote<RecordingThread>) => unknown) => void added.then(act).catch(() => {}); // the thread may have ended
    return {
      configure: (choice) => run((thread) => thread.configurePicture(id, choice)),
      readPixel: async (x, y) => (await added).readPixel(id, x, y),
      save: async () => (await added).savePicture(id),
      drawCloud: (choice, topics, overlay, onReport) => {
        let isGone = false;
        const drawing = overlay.transferControlToOffscreen();
        const tell = proxy((value: CloudReport) => !isGone && !isOver && onReport(value));
        const fail = (error: unknown) =>
          tell({
            topic: choice.topic,
            state: "failed",
            reason: error instanceof Error ? error.message : String(error),
          });
        const drawn = added.then(async (thread) => {
          await thread.addCloud(id, choice, topics, transfer(drawing, [drawing]), tell).catch(fail);
          return thread;
        });
        const change = (act: (thread: Remote<RecordingThread>) => unknown) => void drawn.then(act).catch(() => {}); // the thread may have ended
        return {
          configure: (next) => change((thread) => thread.configureCloud(id, next)),
          end: () => {
            isGone = true;
            change((thread) => thread.removeCloud(id));
          },
        };
      },
      end: () => {
        isOver = true;
        run((thread) => thread.removePicture(id));
      },
    };
  }

  /** What topics draw over a picture; `topics`: of the recording. Throws when it cannot be read. */
  async readOverlays(wanted: WantedOverlays, topics: readonly SceneTopic[]): Promise<Overlay[]> {
    const { ready } = (this.open ??= this.start());
    return (await ready).readOverlays(wanted, topics);
  }

  /** Sends the objects of a 3-D scene through a port, which belongs to the thread from then on. */
  showScene(topics: readonly SceneTopic[], port: MessagePort, onFailure: (reason: string) => void): SceneFeeder {
    const { ready, thread } = (this.open ??= this.start());
    thread.prepareScenes().catch(() => {}); // adding the scene sees the failure
    const id = this.nextId++;
    const added = ready.then(async (thread) => {
      await thread.addScene(id, topics, transfer(port, [port]));
      return thread;
    });
    added.catch((error: unknown) => onFailure(error instanceof Error ? error.message : String(error)));
    const run = (act: (thread: Remote<RecordingThread>) => unknown) => void added.then(act).catch(() => {}); // the thread may have ended
    return {
      setTopics: (shown) => run((thread) => thread.setSceneTopics(id, shown)),
      setRobot: (files, part) => run((thread) => thread.setSceneRobot(id, files, part)),
      end: () => run((thread) => thread.removeScene(id)),
    };
  }

  /** The topics whose first message holds a picture, whatever its schema is called. Throws when it cannot be read. */
  async findPictures(topics: readonly string[]): Promise<string[]> {
    const { ready } = (this.open ??= this.start());
    return (await ready).findPictures(topics);
  }

  /** The bytes of the message of a topic at exactly a time; null without one. Throws when it cannot be read. */
  async readMessage(topic: string, time: bigint): Promise<MessageBytes | null> {
    const { ready } = (this.open ??= this.start());
    return (await ready).readMessage(topic, time);
  }

  /** The frames that the messages of topics name. Throws when the recording cannot be read. */
  async readTopicFrames(topics: readonly string[]): Promise<TopicFrames> {
    const { ready } = (this.open ??= this.start());
    return (await ready).readTopicFrames(topics);
  }

  /** Where a receiver was at a moment, with what its message says beyond a place, and what topics draw on a map. */
  async readMapMoment(wanted: MapWanted, at: bigint): Promise<MapMoment> {
    const { ready } = (this.open ??= this.start());
    return (await ready).readMapMoment(wanted, at);
  }

  /** The lines of logs around a moment, in nanoseconds since 1970. Throws when the recording cannot be read. */
  async readLogs(topics: readonly string[], at: bigint): Promise<LogLines> {
    const { ready } = (this.open ??= this.start());
    return (await ready).readLogs(topics, at);
  }

  /** The state of every part at a moment, in nanoseconds since 1970. Throws when the recording cannot be read. */
  async readDiagnostics(topics: readonly string[], at: bigint): Promise<Diagnostics> {
    const { ready } = (this.open ??= this.start());
    return (await ready).readDiagnostics(topics, at);
  }

  /** The next keyframe of a topic of video after a moment, or the one before; null where none is near. */
  async findKeyframe(topic: string, at: bigint, isNext: boolean): Promise<bigint | null> {
    const { ready } = (this.open ??= this.start());
    return (await ready).findKeyframe(topic, at, isNext);
  }

  /** Makes a video file of a camera, in a thread of its own. Throws why it cannot be made. */
  async makeVideo(range: VideoRange, watch: VideoWatch): Promise<MadeVideo> {
    return makeVideo({ uid: this.uid, pack: await this.loadPack(), ...range }, watch);
  }

  /** Moves the playhead to a moment, in nanoseconds since 1970. */
  goTo(at: bigint): void {
    this.axis.play(this.axis.seconds(at));
  }

  /** Begins the thread before a panel needs it, so that the recording is open by then. */
  prepare(): void {
    this.open ??= this.start();
  }

  /** Ends the thread; a later panel begins another one. */
  close(): void {
    this.open?.end();
    this.open = null;
    this.sent = null;
  }

  private start(): OpenThread {
    const worker = takeThread();
    const thread = wrap<RecordingThread>(worker);
    const opened = this.loadPack().then(async (pack) => {
      await thread.open(
        this.uid,
        pack,
        proxy((report: WaitReport) => this.playback.wait(report)),
      );
      return thread;
    });
    const ready = unlessMissing("recording", worker, opened);
    const subscriptions = [this.axis.subscribe(this.follow), this.playback.subscribe(this.follow)];
    document.addEventListener("visibilitychange", this.follow);
    const begun = {
      thread,
      ready,
      end: () => {
        for (const unsubscribe of subscriptions) unsubscribe();
        document.removeEventListener("visibilitychange", this.follow);
        worker.terminate();
      },
    };
    // Every panel reports the failure; one that tries again begins another thread.
    ready.then(this.follow, () => {
      if (this.open === begun) this.close();
      else begun.end();
    });
    return begun;
  }

  /** Tells the thread where the playhead is, when it cannot know. */
  private readonly follow = (): void => {
    const { speed, waiting } = this.playback.state;
    // A hidden page draws no frames, so that its playhead rests; without this its thread would read on.
    const plays = this.playback.state.playing && !document.hidden;
    const [playing, isWaiting] = [plays && waiting === null, plays && waiting !== null];
    // On a busy page a frame is drawn well after its time; the thread would go back and forth with that.
    const wall = playing ? performance.timeOrigin + this.playback.movedAt : readWall();
    const clock: Clock = { at: this.axis.ns(this.axis.playhead ?? 0), wall, playing, isWaiting, speed };
    const { sent } = this;
    if (sent?.playing === playing && sent.isWaiting === isWaiting && sent.speed === speed) {
      const apart = Math.abs(Number(clock.at - getMoment(sent, clock.wall))) / 1e9;
      if (apart <= (playing ? tolerance * speed : 0)) return;
    }
    this.sent = clock;
    void this.open?.ready.then((thread) => thread.setClock(clock)).catch(() => {}); // every panel reports the failure
  };
}
