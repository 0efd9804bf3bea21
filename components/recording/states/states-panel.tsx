"use client";

import { useMemo, useState } from "react";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { formatPath } from "@/components/recording/session/topic-path";
import { BatteryCards } from "@/components/recording/table/battery-card";
import { GoalsCards } from "./goals-card";
import { hasStates, listStateFields } from "./state-fields";
import { StateRow } from "./state-row";

/** Fields shown at first, and with each press for more; each is requested. */
const step = 12;

/** Fields that hold states over time, as bands with how long each lasted, and what they are at the playhead. */
export default function StatesPanel() {
  const [search, setSearch] = useState("");
  return <StateBands search={search} onSearch={setSearch} />;
}

/** The same where what is searched for is kept elsewhere. */
export function StateBands({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const { recording } = useTimeline();
  const [most, setMost] = useState(step);
  const fields = useMemo(() => listStateFields(recording.topics), [recording.topics]);
  const wanted = search.trim().toLowerCase();
  const found = fields.filter((path) => formatPath(path).toLowerCase().includes(wanted));
  if (!hasStates(recording.topics))
    return <p className="p-4 text-table text-muted">No field of this recording holds a state.</p>;
  return (
    <div className="flex flex-col gap-2 p-3">
      <BatteryCards />
      <GoalsCards />
      <Input
        value={search}
        onValueChange={onSearch}
        placeholder={`Find among ${plural(fields.length, "field")}`}
        aria-label="Find a state"
        maxLength={200}
      />
      {found.length === 0 && <p className="text-table text-muted">No field matches.</p>}
      <ul aria-label="States" className="-mx-3 flex flex-col">
        {found.slice(0, most).map((path) => (
          <li key={formatPath(path)} className="border-b px-3 py-1.5 last:border-b-0">
            <StateRow path={path} />
          </li>
        ))}
      </ul>
      {found.length > most && (
        <Button variant="link" className="self-start text-meta" onClick={() => setMost(most + step)}>
          Show {Math.min(step, found.length - most)} more of {found.length}
        </Button>
      )}
    </div>
  );
}
