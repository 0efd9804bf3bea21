"use client";

import { transfer, wrap } from "comlink";
import { BoxSelect } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { itemMediaHref } from "@/components/items/item-media";
import { Button } from "@/components/kit/button";
import { formatNumber, plural } from "@/components/kit/format";
import { Select } from "@/components/kit/select";
import { useShortcuts } from "@/components/kit/shortcuts";
import { unlessMissing } from "@/components/kit/thread-loading";
import type { PixelBox, SeenBox } from "@/components/recording/scene/isolation";
import { SceneCanvas } from "@/components/recording/scene/scene-canvas";
import { defaultLayer, type SceneSettings } from "@/components/recording/scene/scene-settings";
import { useScene, type OpenScene } from "@/components/recording/scene/use-scene";
import type { SceneFeeder, SceneSource, SceneTopic } from "@/components/recording/thread/scene-feed";
import workers from "@/public/engine/workers.json";
import { listFigures } from "./cloud-figures";
import { cloudTopic, shapesTopic } from "./cloud-topics";
import type { ImageStageProps } from "./image-stage";
import { IsolationBox } from "./isolation-box";
import type { CloudThread, ReadCloud } from "./item-cloud.worker";

/** Points that are drawn of a file until somebody wants all. */
const maxPoints = 2_000_000;
/** What cannot be drawn however much somebody wants it. */
const maxAllPoints = 20_000_000;

const topics: readonly SceneTopic[] = [cloudTopic, shapesTopic].map((name) => ({
  name,
  schema: "",
  message_count: 1,
  frequency_hz: 0,
}));

/** From where the cloud is looked at, in degrees: around from the x axis, and above the ground. */
const views = { side: [-90, 0], front: [0, 0], orbit: [-135, 35] } as const;
type View = keyof typeof views | "top";

/** A point cloud, from above at first, which is turned, moved and coloured by one of its fields. */
export function CloudStage({ item, shapes, onFailure }: ImageStageProps) {
  const [all, setAll] = useState(false);
  const { source, read, reason } = useCloudSource(item.uid, item.media_type === "pointcloud/ply", shapes, all);
  const [view, setView] = useState<View>("top");
  const [colourBy, setColourBy] = useState("z");
  const [pointSize, setPointSize] = useState(2);
  const settings = useMemo((): SceneSettings => {
    const layer = { ...defaultLayer, colourBy, pointSize };
    return {
      layers: { [cloudTopic]: layer, [shapesTopic]: defaultLayer },
      fixedFrame: null,
      followFrame: null,
      follow: "fixed",
      isTop: view === "top",
      showFrames: false,
      robotPart: "visual",
    };
  }, [colourBy, pointSize, view]);
  const scene = useScene({ source, topics, layers: topics, settings });
  const { open, frame, report } = scene;
  const isolation = useIsolation(open);
  const look = (next: View) => {
    setView(next);
    if (next !== "top") {
      const [azimuth, elevation] = views[next];
      void open?.thread.look(azimuth, elevation);
    }
    void open?.thread.fit();
  };
  const group = "Point cloud";
  useShortcuts([
    { keys: "1", label: "From above", group, run: () => look("top") },
    { keys: "2", label: "From the side", group, run: () => look("side") },
    { keys: "3", label: "From the front", group, run: () => look("front") },
    { keys: "w", label: "Turn freely", group, run: () => look("orbit") },
    { keys: "0", label: "Show everything", group, run: () => void open?.thread.fit() },
    { keys: "i", label: "Isolate points in a box", group, run: isolation.toggle },
    { keys: "shift+i", label: "Show all points", group, run: isolation.showAll },
  ]);
  const failure =
    reason ??
    (scene.failure === "webgl" ? "Point clouds need WebGL, which this browser does not have." : scene.failure?.reason);
  useEffect(() => {
    if (reason !== null) onFailure(reason);
  }, [reason, onFailure]);
  const fields = (read?.fields ?? []).filter((name) => !["rgb", "rgba", "red", "green", "blue"].includes(name));
  const hasColours = (read?.fields ?? []).some((name) => ["rgb", "rgba", "red"].includes(name));
  const colours = [
    { value: "z", label: "Height" },
    ...(hasColours ? [{ value: "rgb", label: "Own colours" }] : []),
    { value: "distance", label: "Distance" },
    ...fields.filter((name) => name !== "z").map((name) => ({ value: name, label: name })),
  ];
  const drawn = report?.drawnPoints ?? 0;
  const layer = report?.layers.find(({ topic }) => topic === cloudTopic);
  const [visible, loaded] = [layer?.visiblePoints ?? 0, layer?.points ?? 0];
  const shown = isolation.isOn
    ? `${formatNumber(visible, 0)} of ${formatNumber(loaded, 0)} ${read && read.step > 1 ? "drawn points" : "points"} shown`
    : "";
  return (
    <div className="flex size-full flex-col">
      <div className="relative min-h-0 flex-1">
        <SceneCanvas
          frame={frame}
          open={open}
          label={`${item.key}, ${shown || plural(read?.points ?? 0, "point")}`}
          onPress={() => {}}
          onKey={() => false}
        />
        {open && isolation.isSelecting && (
          <IsolationBox
            open={open}
            visible={visible}
            onTake={(box) => {
              void isolation.take(box);
              frame.current?.focus();
            }}
            onLeave={() => {
              isolation.toggle();
              frame.current?.focus();
            }}
          />
        )}
        {failure !== undefined && (
          <div role="alert" className="absolute inset-x-0 top-1/3 px-4 text-center text-table text-muted">
            <p>{failure}</p>
            {scene.failure !== null && scene.failure !== "webgl" && (
              <Button size="sm" className="mt-2" onClick={scene.retry}>
                Try again
              </Button>
            )}
          </div>
        )}
      </div>
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-t px-3 py-1.5 text-meta text-muted">
        <div role="group" aria-label="View" className="flex">
          {(["top", "side", "front", "orbit"] as const).map((each) => (
            <Button
              key={each}
              size="sm"
              variant="ghost"
              aria-pressed={view === each}
              className={view === each ? "bg-selected text-foreground" : undefined}
              onClick={() => look(each)}
            >
              {{ top: "Above", side: "Side", front: "Front", orbit: "Turn" }[each]}
            </Button>
          ))}
        </div>
        <span className="flex items-center gap-1 whitespace-nowrap">
          Colour by
          <Select aria-label="Colour by" size="sm" value={colourBy} onValueChange={setColourBy} options={colours} />
        </span>
        <label className="flex items-center gap-1">
          Size
          <input
            type="range"
            aria-label="Size of points"
            min={1}
            max={6}
            value={pointSize}
            onChange={({ currentTarget }) => setPointSize(Number(currentTarget.value))}
            className="w-20 accent-(--color-accent)"
          />
        </label>
        <Button
          size="sm"
          variant="ghost"
          aria-pressed={isolation.isSelecting}
          aria-keyshortcuts="I"
          className={isolation.isSelecting ? "bg-selected text-foreground" : undefined}
          icon={<BoxSelect aria-hidden />}
          disabled={!read}
          onClick={isolation.toggle}
        >
          Isolate
        </Button>
        {read && (
          <span className="tabular-nums empty:hidden" data-drawn={drawn}>
            {(read.step > 1 || !isolation.isOn) && plural(read.total, "point")}
            {read.step > 1 && `, every ${ordinal(read.step)} is drawn`}
          </span>
        )}
        {read && read.step > 1 && !all && (
          <Button size="sm" onClick={() => setAll(true)}>
            Load all
          </Button>
        )}
        <span role="status" className="tabular-nums empty:-ml-3">
          {shown}
        </span>
        {isolation.isOn && (
          <Button size="sm" aria-keyshortcuts="Shift+I" onClick={isolation.showAll}>
            Show all
          </Button>
        )}
      </div>
    </div>
  );
}

const ordinal = (number: number): string => `${number}${{ 2: "nd", 3: "rd" }[number] ?? "th"}`;

/** Which points are visible: those inside every box that was drawn, also of a file that is read again. */
function useIsolation(open: OpenScene | null) {
  const [boxes, setBoxes] = useState<readonly SeenBox[]>([]);
  const [isSelecting, setSelecting] = useState(false);
  useEffect(() => void open?.thread.isolate([...boxes]), [open, boxes]);
  return {
    isOn: boxes.length > 0,
    isSelecting,
    toggle: () => setSelecting((before) => !before),
    showAll: () => {
      setBoxes([]);
      setSelecting(false);
    },
    take: async (pixels: PixelBox) => {
      setSelecting(false);
      const box = await open?.thread.see(pixels);
      if (box) setBoxes((before) => [...before, box]);
    },
  };
}

/** The points of an item's file as the source of a scene. */
function useCloudSource(uid: string, isPly: boolean, shapes: ImageStageProps["shapes"], all: boolean) {
  const [read, setRead] = useState<ReadCloud | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  const source = useMemo((): SceneSource => {
    const figures = listFigures(shapes);
    return {
      showScene: (_topics, port, onFailure): SceneFeeder => {
        const worker = new Worker(workers["item-cloud"], { name: "item-cloud", type: "module" });
        const thread = wrap<CloudThread>(worker);
        let isOver = false;
        const limit = all ? maxAllPoints : maxPoints;
        const opened = thread.open(itemMediaHref(uid, "data"), isPly, limit, figures, transfer(port, [port]));
        unlessMissing("item-cloud", worker, opened).then(
          (found) => {
            // Its points are the other thread's now.
            worker.terminate();
            if (!isOver) setRead(found);
          },
          (error: unknown) => {
            worker.terminate();
            if (isOver) return;
            const text = error instanceof Error ? error.message : "The point cloud cannot be read.";
            setReason(text);
            onFailure(text);
          },
        );
        return {
          setTopics: () => {},
          setRobot: () => {},
          end: () => {
            isOver = true;
            worker.terminate();
          },
        };
      },
      goTo: () => {},
    };
  }, [uid, isPly, shapes, all]);
  return { source, read, reason };
}
