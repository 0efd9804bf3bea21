"use client";

import { Box, Layers, Ruler, Scan, Square } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatNumber, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Popover } from "@/components/kit/popover";
import { Refusal } from "@/components/product/panel-error";
import { describeAge, filesGone, isStale, needsWebGl } from "@/components/product/panel-texts";
import { PanelTools } from "@/components/product/panel-tools";
import { UnshownMessage } from "@/components/product/unshown-message";
import type { RobotFiles } from "@/components/recording/thread/mesh-parts";
import type { SceneSource, SceneTopic } from "@/components/recording/thread/scene-feed";
import { isLayerSchema } from "@/engine/messages/scene-schemas";
import { SceneCanvas } from "./scene-canvas";
import { readSceneConfig, toSceneConfig, type SceneConfig } from "./scene-config";
import { SceneOptions } from "./scene-options";
import type { ScenePick, SceneReport } from "./scene-report";
import type { SceneSettings } from "./scene-settings";
import { describeDistance, describePick, describeScene, listFailures, listProblems } from "./scene-text";
import { useScene } from "./use-scene";

interface ScenePanelProps {
  /** The recording. */
  session: SceneSource;
  /** The recording's; those that no scene shows are left out. */
  topics: readonly SceneTopic[];
  config: SceneConfig;
  onConfigChange: (config: SceneConfig) => void;
  /** The robot description of the recording's device type; null without one. */
  robot?: RobotFiles | null;
}

/** What the robot saw in space at the playhead: clouds, scans, maps, poses, markers, seen from a frame of its own. */
export function ScenePanel({ session, topics, config, onConfigChange, robot = null }: ScenePanelProps) {
  const layers = useMemo(() => topics.filter(({ schema }) => isLayerSchema(schema)), [topics]);
  const settings = useMemo(() => readSceneConfig(config, layers), [config, layers]);
  const setSettings = (next: SceneSettings) => onConfigChange(toSceneConfig(next, layers));
  const { frame, report, failure, open, retry } = useScene({ source: session, topics, layers, settings, robot });
  const { picks, measures, toggleMeasure, press } = usePicks(open);
  const commands: Readonly<Record<string, () => void>> = {
    "2": () => setSettings({ ...settings, isTop: true }),
    "3": () => setSettings({ ...settings, isTop: false }),
    "0": () => void open?.thread.fit(),
    m: toggleMeasure,
  };
  const stale = report ? findStale(report, layers) : null;
  return (
    <figure aria-label="3-D" className="@container relative flex h-full min-w-0 flex-col overflow-hidden bg-background">
      <figcaption className="flex h-7 shrink-0 items-center gap-1 pr-1 pl-2 text-meta text-muted">
        <span className="min-w-0 flex-1 truncate @max-[14rem]:invisible">
          3-D
          {report?.fixedFrame && <span className="text-subtle"> in {report.fixedFrame}</span>}
        </span>
        {stale && <span className="min-w-0 truncate text-warning-text @max-2xs:hidden">{stale}</span>}
        {report && report.drawnPoints > 0 && (
          <span className="shrink-0 tabular-nums @max-sm/panel:hidden">{plural(report.drawnPoints, "point")}</span>
        )}
        <Popover
          title="What the 3-D view shows"
          className="w-80"
          trigger={
            <IconButton size="sm" label="Layers and frames" icon={<Layers aria-hidden />} disabled={open === null} />
          }
        >
          <SceneOptions topics={layers} report={report} settings={settings} onChange={setSettings} />
        </Popover>
        <IconButton
          size="sm"
          // Keys and the full screen do what a narrow panel has no room for.
          className="@max-[15rem]/panel:hidden"
          label={settings.isTop ? "Look from the side" : "Look from above"}
          disabled={failure !== null}
          keys={settings.isTop ? "3" : "2"}
          icon={settings.isTop ? <Box aria-hidden /> : <Square aria-hidden />}
          onClick={() => setSettings({ ...settings, isTop: !settings.isTop })}
        />
        <IconButton
          size="sm"
          className="@max-[15rem]/panel:hidden"
          label="Show everything"
          disabled={failure !== null}
          keys="0"
          icon={<Scan aria-hidden />}
          onClick={commands["0"]}
        />
        <IconButton
          size="sm"
          label="Measure a distance"
          disabled={failure !== null}
          keys="m"
          aria-pressed={measures}
          icon={<Ruler aria-hidden />}
          className={cn("@max-[15rem]/panel:hidden", measures && "bg-selected text-foreground")}
          onClick={toggleMeasure}
        />
        <PanelTools />
      </figcaption>
      <div className="relative min-h-16 flex-1">
        <SceneCanvas
          frame={frame}
          open={open}
          label={failure ? "No 3-D view" : describeScene(report)}
          onPress={(x, y) => void press(x, y)}
          onKey={(key) => {
            commands[key]?.();
            return key in commands;
          }}
        />
        {failure === null && report && <Problems failures={listFailures(report)} texts={listProblems(report)} />}
        {failure === null && <Picked picks={picks} measures={measures} />}
        {failure !== null && (
          <div className="absolute inset-0 flex flex-col items-center justify-center gap-2 bg-background p-3 text-center text-meta text-muted">
            {failure === "webgl" ? needsWebGl : <Refusal text={failure.reason} />}
            {failure !== "webgl" && failure.reason !== filesGone && (
              <Button size="sm" onClick={retry}>
                Try again
              </Button>
            )}
          </div>
        )}
      </div>
      {failure === "webgl" && (
        <div className="max-h-3/4 shrink-0 overflow-y-auto" tabIndex={0} role="group" aria-label="Objects">
          <TopicTable topics={layers} />
        </div>
      )}
    </figure>
  );
}

/** What a press on the scene says: one place, or two while measuring. */
function usePicks(open: ReturnType<typeof useScene>["open"]) {
  const [picks, setPicks] = useState<readonly ScenePick[]>([]);
  const [measures, setMeasures] = useState(false);
  // The second of two quick presses is made before the page has drawn the place of the first.
  const newest = useRef(picks);
  const show = (next: readonly ScenePick[], isMeasure: boolean) => {
    newest.current = next;
    setPicks(next);
    void open?.thread.showMeasure(isMeasure ? next.map(({ place }) => place) : []);
  };
  const press = async (x: number, y: number) => {
    const pick = (await open?.thread.pick(x, y)) ?? null;
    if (pick === null) show([], measures);
    else show(measures && newest.current.length === 1 ? [...newest.current, pick] : [pick], measures);
  };
  const toggleMeasure = () => {
    setMeasures(!measures);
    show([], !measures);
  };
  return { picks, measures, toggleMeasure, press };
}

/** The age of the oldest message that is shown, when it is too old to stand for the moment; null otherwise. */
function findStale(report: SceneReport, topics: readonly SceneTopic[]): string | null {
  let oldest = 0;
  for (const { topic, time, state } of report.layers) {
    const hz = topics.find(({ name }) => name === topic)?.frequency_hz ?? 0;
    // What is published rarely, as maps are, holds until the next one.
    if (state !== "shown" || time === null || report.moment === null || hz < 0.5) continue;
    const age = Number(report.moment - time) / 1e9;
    if (isStale(age, hz)) oldest = Math.max(oldest, age);
  }
  return oldest > 0 ? describeAge(oldest) : null;
}

/** Lines that lie over the scene at most. */
const maxProblems = 4;

/** What cannot be shown, with its reason. */
function Problems({ failures, texts }: { failures: ReturnType<typeof listFailures>; texts: readonly string[] }) {
  const count = failures.length + texts.length;
  if (count === 0) return null;
  const shownFailures = failures.slice(0, maxProblems);
  const shownTexts = texts.slice(0, maxProblems - shownFailures.length);
  const left = count - shownFailures.length - shownTexts.length;
  return (
    <ul
      aria-label="Not shown"
      // The view keeps most of its room.
      tabIndex={0}
      className="absolute top-1 left-1 max-h-2/5 max-w-[calc(100%-0.5rem)] overflow-y-auto rounded-control bg-background/90 px-1.5 py-0.5 text-meta text-warning-text -outline-offset-2!"
    >
      {shownFailures.map(({ topic, reason, time }) => (
        <li key={topic}>
          {topic}: <UnshownMessage reason={reason} message={time === null ? null : { topic, time }} />
        </li>
      ))}
      {shownTexts.map((text) => (
        <li key={text}>{text}</li>
      ))}
      {left > 0 && <li>{left} more in Layers</li>}
    </ul>
  );
}

function Picked({ picks, measures }: { picks: readonly ScenePick[]; measures: boolean }) {
  const [first, second] = picks;
  const lines = !first
    ? measures
      ? ["Press on two places to measure"]
      : []
    : second
      ? [describeDistance(first, second)]
      : [...describePick(first), ...(measures ? ["Press on the second place"] : [])];
  return (
    <div role="status" className="pointer-events-none absolute bottom-1 left-1 text-meta text-muted">
      {lines.length > 0 && (
        <div className="rounded-control bg-background/90 px-1.5 py-0.5 tabular-nums">
          {lines.slice(0, 12).map((line, at) => (
            <p key={`${at} ${line}`}>{line}</p>
          ))}
        </div>
      )}
    </div>
  );
}

/** What would be in the scene, where nothing can be drawn. */
function TopicTable({ topics }: { topics: readonly SceneTopic[] }) {
  return (
    <table className="w-full border-t text-left text-meta text-muted">
      <caption className="sr-only">Objects of the 3-D view</caption>
      <thead>
        <tr>
          {["Topic", "Type", "Messages"].map((title) => (
            <th key={title} scope="col" className="px-2 py-1 font-medium last:text-right">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {topics.map(({ name, schema, message_count }) => (
          <tr key={name} className="border-t">
            <td className="px-2 py-1">{name}</td>
            <td className="px-2 py-1">{schema}</td>
            <td className="px-2 py-1 text-right tabular-nums">{formatNumber(Number(message_count))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
