"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { Combobox } from "@/components/kit/combobox";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { RadioGroup } from "@/components/kit/radio-group";
import { TagInput } from "@/components/kit/tag-input";
import { useTRPC } from "@/components/trpc/client";
import { fleetPageSize } from "@/domain/limits";
import { isNarrow, type ScopeDraft } from "./draft";

interface Named {
  uid: string;
  name: string;
}

/** Objects chosen by name, as chips, with a box that adds more. */
function Chosen(props: {
  label: string;
  uids: readonly string[];
  names: ReadonlyMap<string, string>;
  options: readonly Named[];
  onSearch?: (text: string) => void;
  onChange: (uids: string[]) => void;
  error?: string | undefined;
}) {
  const { label, uids, names, options, onSearch, onChange, error } = props;
  return (
    <Field label={label} error={error}>
      {uids.length > 0 && (
        <ul className="flex flex-wrap gap-1">
          {uids.map((uid) => {
            const name = names.get(uid) ?? uid;
            return (
              <li
                key={uid}
                className="inline-flex h-6 max-w-full items-center rounded-control bg-selected pl-2 text-meta"
              >
                <span className="truncate">{name}</span>
                <button
                  type="button"
                  aria-label={`Remove ${name}`}
                  className="flex size-6 items-center justify-center rounded-control text-muted hover:text-foreground"
                  onClick={() => onChange(uids.filter((other) => other !== uid))}
                >
                  <X aria-hidden className="size-3" />
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <Combobox
        key={uids.length}
        aria-label={`Add to ${label.toLowerCase()}`}
        placeholder="Add by name"
        emptyText="None with that name"
        options={options.filter(({ uid }) => !uids.includes(uid)).map(({ uid, name }) => ({ value: uid, label: name }))}
        value={null}
        onSearch={onSearch}
        onValueChange={(uid) => uid !== null && onChange([...uids, uid])}
      />
    </Field>
  );
}

export interface ScopeEditorProps {
  scope: ScopeDraft | null;
  onChange: (scope: ScopeDraft | null) => void;
  error?: string | undefined;
}

/** Which devices a rule watches, with their current number and names. */
export function ScopeEditor({ scope, onChange, error }: ScopeEditorProps) {
  const trpc = useTRPC();
  const [chosen, setChosen] = useState(isNarrow(scope));
  const [search, setSearch] = useState("");
  const devices = useQuery({
    ...trpc.devices.list.queryOptions({ limit: 20, ...(search && { search }) }),
    enabled: chosen,
    placeholderData: keepPreviousData,
  }).data?.results;
  const groups = useQuery({ ...trpc.groups.list.queryOptions({ limit: fleetPageSize.max }), enabled: chosen }).data
    ?.results;
  const vocabulary = useQuery({ ...trpc.devices.vocabulary.queryOptions(), enabled: chosen }).data;
  const matched = useQuery({
    ...trpc.rules.scope.queryOptions({ scope: isNarrow(scope) ? scope : null }),
    placeholderData: keepPreviousData,
  }).data;
  const deviceNames = new Map([...(devices ?? []), ...(matched?.devices ?? [])].map(({ uid, name }) => [uid, name]));
  const groupNames = new Map((groups ?? []).map(({ uid, name }) => [uid, name]));
  const set = (change: ScopeDraft) => {
    const next = { ...scope, ...change };
    onChange(Object.fromEntries(Object.entries(next).filter(([, list]) => list.length > 0)));
  };
  return (
    <div className="flex flex-col gap-3">
      <RadioGroup
        layout="segments"
        className="self-start"
        aria-label="Which devices"
        value={chosen ? "chosen" : "all"}
        onValueChange={(value) => {
          setChosen(value === "chosen");
          if (value === "all") onChange(null);
        }}
        options={[
          { value: "all", label: "All devices" },
          { value: "chosen", label: "Chosen devices" },
        ]}
      />
      {chosen && (
        <>
          <Field label="Tags" hint="Devices that have all of them.">
            <TagInput
              value={scope?.tags ?? []}
              suggestions={vocabulary?.tags ?? []}
              onValueChange={(tags) => set({ tags })}
            />
          </Field>
          <Chosen
            label="Groups"
            uids={scope?.group_ids ?? []}
            names={groupNames}
            options={groups ?? []}
            onChange={(uids) => set({ group_ids: uids })}
          />
          <Chosen
            label="Devices"
            uids={scope?.device_ids ?? []}
            names={deviceNames}
            options={devices ?? []}
            onSearch={setSearch}
            onChange={(uids) => set({ device_ids: uids })}
            error={error}
          />
        </>
      )}
      {matched && (
        <p role="status" className="text-table text-muted">
          Watches {plural(matched.device_count, "device")}
          {matched.devices.length > 0 &&
            `: ${matched.devices
              .slice(0, 6)
              .map(({ name }) => name)
              .join(", ")}`}
          {matched.device_count > 6 && " and others"}
        </p>
      )}
    </div>
  );
}
