"use client";

import { proxy, transfer, wrap, type Remote } from "comlink";
import { useEffect, useRef, useState } from "react";
import { isMissing, unlessMissing } from "@/components/kit/thread-loading";
import { usePalette } from "@/components/plots/palette";
import type { RobotFiles } from "@/components/recording/thread/mesh-parts";
import type { SceneFeeder, SceneSource, SceneTopic } from "@/components/recording/thread/scene-feed";
import { toReading } from "@/engine/messages/scenes/layer-reading";
import workers from "@/public/engine/workers.json";
import type { SceneReport } from "./scene-report";
import { defaultLayer, type SceneSettings } from "./scene-settings";
import type { SceneSize } from "./scene-view";
import type { SceneThread } from "./scene.worker";

/** A scene that is open: its thread, and what feeds it. */
export interface OpenScene {
  thread: Remote<SceneThread>;
  feeder: SceneFeeder;
}

const measureSize = (element: HTMLElement): SceneSize => ({
  width: Math.max(1, element.clientWidth),
  height: Math.max(1, element.clientHeight),
  // More than two pixels for one are not seen, but cost as much.
  ratio: Math.min(2, devicePixelRatio || 1),
});

interface Scene {
  source: SceneSource;
  /** The recording's. */
  topics: readonly SceneTopic[];
  /** Those that show something themselves. */
  layers: readonly SceneTopic[];
  settings: SceneSettings;
  /** Files of meshes, and a description for recordings without one; null where there is none. */
  robot?: RobotFiles | null;
}

/** Draws a scene inside `frame`, and says what it shows; `failure` when it cannot. */
export function useScene({ source, topics, layers, settings, robot = null }: Scene) {
  const frame = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<OpenScene | null>(null);
  const [report, setReport] = useState<SceneReport | null>(null);
  const [failure, setFailure] = useState<"webgl" | { reason: string } | null>(null);
  const [round, setRound] = useState(0);
  const palette = usePalette();
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let isOver = false;
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-hidden", "true");
    element.append(canvas);
    const worker = new Worker(workers.scene, { name: "scene", type: "module" });
    const thread = wrap<SceneThread>(worker);
    const { port1, port2 } = new MessageChannel();
    const fail = (reason: string) => !isOver && setFailure({ reason });
    const feeder = source.showScene(topics, port1, fail);
    const offscreen = canvas.transferControlToOffscreen();
    const onReport = (value: SceneReport) => !isOver && setReport(value);
    const begun = thread.open(
      transfer(offscreen, [offscreen]),
      { size: measureSize(element), meshThread: workers.mesh },
      transfer(port2, [port2]),
      proxy(onReport),
    );
    unlessMissing("scene", worker, begun).then(
      () => !isOver && setOpen({ thread, feeder }),
      (error: unknown) => {
        // Nobody would take what the recording's thread sends.
        feeder.end();
        if (!isOver) setFailure(isMissing(error) ? { reason: error.message } : "webgl");
      },
    );
    const observer = new ResizeObserver(() => void thread.resize(measureSize(element)));
    observer.observe(element);
    return () => {
      isOver = true;
      observer.disconnect();
      feeder.end();
      setOpen(null);
      // Gives the graphics card its memory back; a page may have about sixteen scenes.
      void thread.close().finally(() => worker.terminate());
      canvas.remove();
    };
  }, [source, topics, round]);
  useEffect(() => {
    if (!open) return;
    void open.thread.configure(settings);
    const shown = layers.filter(({ name }) => (settings.layers[name] ?? defaultLayer).isShown);
    open.feeder.setTopics(
      shown.map(({ name, schema }) => {
        const layer = settings.layers[name] ?? defaultLayer;
        return { topic: name, decay: layer.decay, reading: toReading(schema, layer) };
      }),
    );
  }, [open, settings, layers]);
  const { robotPart } = settings;
  useEffect(() => {
    if (!open) return;
    void open.thread.setRobot(robot);
    open.feeder.setRobot(robot, robotPart);
  }, [open, robot, robotPart]);
  useEffect(() => {
    if (!open || !palette) return;
    void open.thread.paint({ background: palette.surface, grid: palette.border, text: palette.muted });
  }, [open, palette]);
  const retry = () => {
    setFailure(null);
    setRound(round + 1);
  };
  return { frame, report, failure, open, retry };
}
