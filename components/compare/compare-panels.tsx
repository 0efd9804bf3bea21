"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useMemo, useState } from "react";
import { Combobox } from "@/components/kit/combobox";
import { loadPart } from "@/components/kit/part-loading";
import { SkeletonText } from "@/components/kit/skeleton";
import { toast } from "@/components/product/toast";
import { useDatum, useJointedRobot } from "@/components/recording/layouts/use-subject";
import type { Subject } from "@/components/recording/session/panel-type";
import type { Timeline } from "@/components/recording/session/timeline-context";
import type { PanelState } from "@/domain/layouts/panel-configs";
import { useCompareAddress } from "./compare-address";
import { describePanel, describeSettings, listPairs, maxPairs, suggestPairs, toName } from "./compared-panels";
import { PanelPair } from "./panel-pair";
import type { ChangedPanels } from "./panel-settings";

const unchanged: ChangedPanels = {};

const toSubject = ({ recording: { topics } }: Timeline, hasRobot: boolean, hasDatum: boolean): Subject => ({
  topics,
  named: new Map(),
  fields: [],
  hasRobot,
  hasDatum,
  isNotable: false,
  pictureLike: [],
});

/** The panels whose settings the address holds when the page opens; null while they, or what is offered, are not known. */
function useSettings(offered: ReadonlyMap<string, PanelState>, isKnown: boolean): ChangedPanels | null {
  const [address] = useCompareAddress();
  const [text] = useState(address.settings);
  const { data, error } = useQuery({
    queryKey: ["settings-of-comparison", text, [...offered.keys()]],
    queryFn: async () => {
      const { readSettings } = await loadPart(() => import("./panel-settings"));
      return text === null ? null : readSettings(text, offered);
    },
    enabled: text !== null && isKnown,
    staleTime: Infinity,
  });
  const isWhole = error === null && (data?.isWhole ?? true);
  useEffect(() => {
    if (!isWhole) toast.failure("A part of the panels' settings in this address could not be read.");
  }, [isWhole]);
  if (!isKnown) return null;
  return text === null || error ? unchanged : (data?.panels ?? null);
}

/** Panels of both recordings beside each other, and what else can be shown so; `onPanels` is called with whether there are any. */
export function ComparePanels({ a, b, onPanels }: { a: Timeline; b: Timeline; onPanels: (has: boolean) => void }) {
  const [address, setAddress] = useCompareAddress();
  const [round, setRound] = useState(0);
  const robots = { a: useJointedRobot(a.recording), b: useJointedRobot(b.recording) };
  const [hasRobotA, hasRobotB] = [robots.a ?? false, robots.b ?? false];
  const datums = { a: useDatum(a.recording), b: useDatum(b.recording) };
  const [hasDatumA, hasDatumB] = [datums.a ?? false, datums.b ?? false];
  const [first, second] = [
    useMemo(() => toSubject(a, hasRobotA, hasDatumA), [a, hasRobotA, hasDatumA]),
    useMemo(() => toSubject(b, hasRobotB, hasDatumB), [b, hasRobotB, hasDatumB]),
  ];
  const isKnown = [robots.a, robots.b, datums.a, datums.b].every((each) => each !== undefined);
  const offered = useMemo(
    () => new Map(listPairs(first, second).map((panel) => [toName(panel), panel])),
    [first, second],
  );
  const opened = useSettings(offered, isKnown);
  const [changes, setChanges] = useState<ChangedPanels>(unchanged);
  const suggested = useMemo(() => suggestPairs(first, [...offered.values()]).map(toName), [first, offered]);
  const names = (address.panels ?? suggested).filter((name) => offered.has(name)).slice(0, maxPairs);
  const hasPanels = names.length > 0;
  useLayoutEffect(() => {
    if (isKnown) onPanels(hasPanels);
  }, [isKnown, hasPanels, onPanels]);
  const describe = (names: readonly string[], changed: ChangedPanels) =>
    describeSettings(offered, Object.fromEntries(Object.entries(changed).filter(([name]) => names.includes(name))));
  const set = (next: readonly string[]) =>
    void setAddress({ panels: [...next], settings: describe(next, { ...opened, ...changes }) });
  const setPanel = (name: string, panel: PanelState) => {
    const next = { ...changes, [name]: panel };
    setChanges(next);
    void setAddress({ settings: describe(names, { ...opened, ...next }) });
  };
  const options = [...offered]
    .filter(([name]) => !names.includes(name))
    .map(([name, panel]) => ({ value: name, label: describePanel(panel) }));
  return (
    <section aria-label="Panels">
      {opened === null && <SkeletonText lines={4} className="p-4" />}
      {opened !== null &&
        names.map((name) => {
          const panel = changes[name] ?? opened[name] ?? offered.get(name);
          return (
            panel && (
              <PanelPair
                key={name}
                panel={panel}
                onPanel={(next) => setPanel(name, next)}
                a={a}
                b={b}
                count={names.length}
                onRemove={() => set(names.filter((each) => each !== name))}
              />
            )
          );
        })}
      {!a.isAlone && (
        <div className="flex min-h-11 items-center gap-3 border-b py-1 pr-3 pl-4 max-sm:pl-2">
          <h2 className="text-meta font-medium text-muted">Panels</h2>
          {names.length < maxPairs ? (
            <Combobox
              key={round}
              aria-label="Add a panel of both"
              placeholder="Add a panel: camera, map, log"
              className="max-w-80"
              options={options}
              value={null}
              onValueChange={(name) => {
                if (name === null) return;
                set([...names, name]);
                setRound(round + 1);
              }}
            />
          ) : (
            <p className="text-meta text-subtle">At most {maxPairs} panels can be compared.</p>
          )}
        </div>
      )}
    </section>
  );
}
