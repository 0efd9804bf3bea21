"use client";

import { useMemo } from "react";
import { Checkbox } from "@/components/kit/checkbox";
import { cn } from "@/components/kit/cn";
import { Combobox } from "@/components/kit/combobox";
import { Input } from "@/components/kit/input";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { dayNames, weekdays, type Recurrence } from "./silence-texts";

const working = [1, 2, 3, 4, 5];

/**
 * On which days, between which hours and in which time zone a repeating silence mutes; null for one that mutes
 * throughout.
 */
export function RecurrenceField({
  value,
  onValueChange,
}: {
  value: Recurrence | null;
  onValueChange: (value: Recurrence | null) => void;
}) {
  const { zone } = useTimeZone();
  const zones = useMemo(
    () =>
      ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")].map((name) => ({
        value: name,
        label: name,
      })),
    [],
  );
  const change = (part: Partial<Recurrence>) => value && onValueChange({ ...value, ...part });
  return (
    <div className="flex flex-col gap-3">
      <Checkbox
        label="Only within certain hours"
        hint="For planned work that repeats: every night, every Monday."
        checked={value !== null}
        onCheckedChange={(on) =>
          onValueChange(on ? { days: working, from: "22:00", to: "06:00", time_zone: zone } : null)
        }
      />
      {value && (
        <div className="ml-6 flex flex-col gap-3">
          <div role="group" aria-label="Days" className="flex flex-wrap gap-1">
            {weekdays.map((day) => {
              const on = value.days.includes(day);
              return (
                <button
                  key={day}
                  type="button"
                  aria-pressed={on}
                  title={dayNames[day]}
                  onClick={() =>
                    change({
                      days: on ? value.days.filter((each) => each !== day) : [...value.days, day].sort((a, b) => a - b),
                    })
                  }
                  className={cn(
                    "h-7 w-11 rounded-panel border text-table",
                    on
                      ? "border-accent bg-selected font-medium"
                      : "border-border-strong bg-raised text-muted hover:bg-hover",
                  )}
                >
                  {dayNames[day]?.slice(0, 3)}
                </button>
              );
            })}
          </div>
          <div className="flex flex-wrap items-center gap-2 text-table text-muted">
            <Input
              type="time"
              aria-label="From"
              className="w-32"
              value={value.from}
              onChange={(event) => change({ from: event.target.value })}
            />
            to
            <Input
              type="time"
              aria-label="To"
              className="w-32"
              value={value.to}
              onChange={(event) => change({ to: event.target.value })}
            />
            {value.to < value.from && <span>on the next day</span>}
          </div>
          <Combobox
            aria-label="Time zone"
            options={zones}
            value={value.time_zone}
            onValueChange={(name) => name && change({ time_zone: name })}
            className="max-w-72"
          />
        </div>
      )}
    </div>
  );
}
