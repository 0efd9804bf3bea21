"use client";

import { useEffect, useMemo, useState } from "react";
import type { TimeAxis } from "@/components/plots/time-axis";
import type { DrawnFeatures, MapMoment, MapWanted } from "@/components/recording/thread/map-moment";
import type { FixDetails } from "@/engine/messages/positions/fix";

/** A recording of which a map shows messages. */
export interface MapSource {
  readMapMoment: (wanted: MapWanted, at: bigint) => Promise<MapMoment>;
}

/** Milliseconds between two looks at the messages while the place changes many times a second. */
const readMs = 100;

interface Shown {
  fix: FixDetails | null;
  features: readonly DrawnFeatures[];
}

const none: Shown = { fix: null, features: [] };

/** What messages say of the playhead: how accurate a fix of a topic is, and what other topics draw on the map. */
export function useMapMoment(source: MapSource, fix: string | null, topics: readonly string[], axis: TimeAxis): Shown {
  const [shown, setShown] = useState(none);
  const key = topics.join("\n");
  const wanted = useMemo(() => (key === "" ? [] : key.split("\n")), [key]);
  useEffect(() => {
    if (fix === null && wanted.length === 0) return;
    const state = { isOver: false, isBusy: false, isWanted: false };
    let features: readonly DrawnFeatures[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      state.isBusy = true;
      try {
        while (state.isWanted && !state.isOver) {
          state.isWanted = false;
          const known = wanted.map((topic) => ({
            topic,
            time: features.find((each) => each.topic === topic)?.time ?? null,
          }));
          const at = axis.ns(axis.playhead ?? axis.bounds.from);
          const moment = await source.readMapMoment({ fix, features: known }, at);
          const changed = new Map(moment.features.map((each) => [each.topic, each]));
          const kept = features.filter(({ topic }) => !changed.has(topic));
          if (changed.size > 0) features = [...kept, ...changed.values()].sort((a, b) => (a.topic < b.topic ? -1 : 1));
          if (!state.isOver) setShown({ fix: moment.fix, features });
        }
      } catch {
        // Other panels say why the recording cannot be read; the track does not need it.
      } finally {
        state.isBusy = false;
      }
    };
    const update = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        state.isWanted = true;
        if (!state.isBusy) void read();
      }, readMs);
    };
    update();
    const unsubscribe = axis.subscribe(update);
    return () => {
      state.isOver = true;
      clearTimeout(timer);
      unsubscribe();
    };
  }, [source, fix, wanted, axis]);
  return shown;
}
