"use client";

import { useMemo, useState } from "react";
import { Combobox } from "@/components/kit/combobox";
import type { Subject } from "@/components/layouts/panel-type";
import type { Timeline } from "@/components/timeline/timeline-context";
import { useCompareAddress } from "./compare-address";
import { describePanel, listPairs, maxPairs, suggestPairs, toName } from "./compared-panels";
import { PanelPair } from "./panel-pair";

const toSubject = ({ recording: { topics } }: Timeline): Subject => ({
  topics,
  named: new Map(),
  fields: [],
  isNotable: false,
});

/** Panels of both recordings beside each other, and what else can be shown so. */
export function ComparePanels({ a, b }: { a: Timeline; b: Timeline }) {
  const [address, setAddress] = useCompareAddress();
  const [round, setRound] = useState(0);
  const [first, second] = [useMemo(() => toSubject(a), [a]), useMemo(() => toSubject(b), [b])];
  const offered = useMemo(() => listPairs(first, second), [first, second]);
  const suggested = useMemo(() => suggestPairs(first, offered).map(toName), [first, offered]);
  const names = (address.panels ?? suggested).filter((name) => name !== "").slice(0, maxPairs);
  const shown = names.flatMap((name) => offered.find((panel) => toName(panel) === name) ?? []);
  const set = (next: readonly string[]) => void setAddress({ panels: [...next] });
  const options = offered
    .filter((panel) => !names.includes(toName(panel)))
    .map((panel) => ({ value: toName(panel), label: describePanel(panel) }));
  return (
    <section aria-label="Panels">
      <div className="flex min-h-11 items-center gap-3 border-b py-1 pr-3 pl-4 max-sm:pl-2">
        <h2 className="text-meta font-medium text-muted">Panels</h2>
        {shown.length < maxPairs ? (
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
      {shown.map((panel) => {
        const name = toName(panel);
        return (
          <PanelPair
            key={name}
            initial={panel}
            a={a}
            b={b}
            onRemove={() => set(names.filter((each) => each !== name))}
          />
        );
      })}
    </section>
  );
}
