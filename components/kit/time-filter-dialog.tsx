"use client";

import { useState } from "react";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Field } from "./field";
import { describeTime, readExactTime, type FilterDefinition, type Filters } from "./filters";
import { fromWallClock, zoneOffset } from "./format";
import { Input } from "./input";
import { useTimeZone } from "./preferences-provider";

interface TimeFilterDialogProps {
  /** Those whose values are times. */
  definitions: readonly FilterDefinition[];
  values: Filters["values"];
  /** Gets what was changed; null for what was emptied. */
  onApply: (values: Record<string, string | null>) => void;
  onClose: () => void;
}

/** A filter's time as a `datetime-local` input shows it, `2026-03-04T22:00`; empty without an exact one. */
function toInput(value: string | null | undefined, zone: string): string {
  const at = value ? readExactTime(value) : null;
  if (at === null) return "";
  return new Date(at + zoneOffset(at, zone)).toISOString().slice(0, 16);
}

/** The instant that such an input names, as ISO; null while it names none. */
function fromInput(text: string, zone: string): string | null {
  const wall = Date.parse(`${text}Z`);
  return Number.isNaN(wall) ? null : new Date(fromWallClock(wall, zone)).toISOString();
}

/** What a filter says now where its field cannot show it. */
const describeNow = (value: string | null | undefined, field: string | undefined, zone: string): string | undefined =>
  value && field === "" ? `Now ${describeTime(value, zone)}` : undefined;

/** Chooses the times of filters by fields, in the person's zone, instead of typing them. */
export function TimeFilterDialog({ definitions, values, onApply, onClose }: TimeFilterDialogProps) {
  const { zone } = useTimeZone();
  const [initial] = useState(() => Object.fromEntries(definitions.map(({ key }) => [key, toInput(values[key], zone)])));
  const [drafts, setDrafts] = useState(initial);
  const order = (key: string) => {
    const end = drafts[key.replace("since", "until")];
    const isWrong = key.includes("since") && drafts[key] && end && end <= drafts[key];
    return isWrong ? "This is not before the end." : undefined;
  };
  const isWrong = definitions.some(({ key }) => order(key) !== undefined);
  const apply = () => {
    const changed = definitions.filter(({ key }) => drafts[key] !== initial[key]);
    onApply(Object.fromEntries(changed.map(({ key }) => [key, fromInput(drafts[key] ?? "", zone)])));
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Filter by time"
      description={`Times are in ${zone.replaceAll("_", " ")}. Empty fields set no filter.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="time-filters" variant="primary">
            Apply
          </Button>
        </>
      }
    >
      <form
        id="time-filters"
        className="grid gap-4 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isWrong) apply();
        }}
      >
        {definitions.map(({ key, label }) => (
          <Field key={key} label={label} error={order(key)} hint={describeNow(values[key], initial[key], zone)}>
            <Input
              type="datetime-local"
              value={drafts[key] ?? ""}
              onChange={({ target }) => setDrafts({ ...drafts, [key]: target.value })}
            />
          </Field>
        ))}
      </form>
    </Dialog>
  );
}
