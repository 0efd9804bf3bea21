"use client";

import { transfer, wrap, type Remote } from "comlink";
import { useEffect, useMemo, useRef, useState } from "react";
import { itemMediaHref } from "@/components/items/item-media";
import { Button } from "@/components/kit/button";
import { useLatest } from "@/components/kit/latest";
import { unlessMissing } from "@/components/kit/thread-loading";
import { SceneCanvas } from "@/components/recording/scene/scene-canvas";
import { defaultLayer, type SceneSettings } from "@/components/recording/scene/scene-settings";
import { useScene } from "@/components/recording/scene/use-scene";
import type { SceneFeeder, SceneSource, SceneTopic } from "@/components/recording/thread/scene-feed";
import workers from "@/public/engine/workers.json";
import { cloudTopic } from "./cloud-topics";
import type { CloudThread } from "./item-cloud.worker";

/** Points that are drawn of each cloud; all of a sequence are read one after another. */
const maxPoints = 500_000;

const topics: readonly SceneTopic[] = [{ name: cloudTopic, schema: "", message_count: 1, frequency_hz: 0 }];
const settings: SceneSettings = {
  layers: { [cloudTopic]: { ...defaultLayer, colourBy: "z", pointSize: 2 } },
  fixedFrame: null,
  followFrame: null,
  follow: "fixed",
  isTop: true,
  showFrames: false,
  robotPart: "visual",
};

/** The point clouds of a view of a sequence, from above, coloured by height; the one that is wanted last is shown next. */
export function SequenceCloud({ uid, label }: { uid: string; label: string }) {
  const [failure, setFailure] = useState<{ uid: string; reason: string } | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  const thread = useRef<Remote<CloudThread> | null>(null);
  const busy = useRef(false);
  const follow = useLatest(async () => {
    const wanted = uid;
    if (busy.current || wanted === shown || !thread.current) return;
    busy.current = true;
    try {
      await thread.current.show(itemMediaHref(wanted, "data"), maxPoints);
      setFailure(null);
    } catch (error) {
      setFailure({ uid: wanted, reason: error instanceof Error ? error.message : "The point cloud cannot be read." });
    } finally {
      busy.current = false;
      setShown(wanted);
    }
  });
  const source = useMemo(
    (): SceneSource => ({
      showScene: (_topics, port, onFailure): SceneFeeder => {
        const worker = new Worker(workers["item-cloud"], { name: "item-cloud", type: "module" });
        const opened = wrap<CloudThread>(worker);
        busy.current = false;
        unlessMissing("item-cloud", worker, opened.begin(transfer(port, [port]))).then(
          () => {
            thread.current = opened;
            return follow();
          },
          (error: unknown) => onFailure(error instanceof Error ? error.message : String(error)),
        );
        return {
          setTopics: () => {},
          setRobot: () => {},
          end: () => {
            thread.current = null;
            worker.terminate();
          },
        };
      },
      goTo: () => {},
    }),
    [follow],
  );
  // Also once one is shown: meanwhile another may be wanted.
  useEffect(() => void follow(), [uid, shown, follow]);
  const { open, frame, report, failure: sceneFailure, retry } = useScene({ source, topics, layers: topics, settings });
  const problem =
    sceneFailure === "webgl"
      ? "Point clouds need WebGL, which this browser does not have."
      : (sceneFailure?.reason ?? (failure?.uid === uid ? failure.reason : null));
  return (
    <div className="relative min-h-0 flex-1" data-shown={shown === uid ? report?.drawnPoints : undefined}>
      <SceneCanvas frame={frame} open={open} label={label} onPress={() => {}} onKey={() => false} />
      {problem !== null && (
        <div role="alert" className="absolute inset-x-0 top-1/3 px-4 text-center text-table text-muted">
          <p>{problem}</p>
          {sceneFailure !== null && sceneFailure !== "webgl" && (
            <Button size="sm" className="mt-2" onClick={retry}>
              Try again
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
