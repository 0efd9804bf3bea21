"use client";

import { Checkbox } from "@/components/kit/checkbox";
import { RadioGroup } from "@/components/kit/radio-group";
import { scopePresets } from "@/domain/api-keys/schema";
import { canOnlyRead, scopes, type Scope } from "@/domain/permissions";

const areas = [
  ["fleet", "Fleet"],
  ["datasets", "Datasets"],
  ["projects", "Projects"],
  ["tasks", "Tasks"],
  ["work_batches", "Work batches"],
  ["exports", "Exports"],
  ["storage", "Storage"],
  ["webhooks", "Webhooks"],
  ["agents", "Agents"],
] as const;
const verbs = ["read", "write", "create"] as const;

const presets = [
  { value: "full", label: "Full access" },
  { value: "read-only", label: "Read only" },
  { value: "ci-export", label: "CI export" },
  { value: "custom", label: "Custom" },
] as const;
type Preset = (typeof presets)[number]["value"];

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((scope) => b.includes(scope));
const findPreset = (value: readonly Scope[]): Preset =>
  (Object.entries(scopePresets).find(([, list]) => same(value, list))?.[0] as Preset | undefined) ?? "custom";

/** Full access, a ready-made choice, or single scopes by area; no scope at all means full access. */
export function ScopeMatrix({
  value,
  onValueChange,
  readOnly,
}: {
  value: readonly Scope[];
  onValueChange: (scopes: Scope[]) => void;
  /** Only scopes that read can be chosen. */
  readOnly: boolean;
}) {
  const preset = findPreset(value);
  const choose = (next: Preset) => {
    if (next === "custom") onValueChange(["fleet.read"]);
    else onValueChange([...scopePresets[next]]);
  };
  return (
    <div className="flex flex-col gap-3">
      <RadioGroup
        layout="segments"
        options={presets.map((option) => ({
          ...option,
          disabled: readOnly && (option.value === "full" || option.value === "ci-export"),
        }))}
        value={preset}
        onValueChange={choose}
        aria-label="Preset"
      />
      {preset === "full" ? (
        <p className="text-table text-muted">Everything you may do in this organization, now and in future.</p>
      ) : (
        <ul className="grid grid-cols-1 gap-x-6 gap-y-1.5 sm:grid-cols-2">
          {areas.map(([area, label]) => (
            <li key={area} className="flex items-center justify-between gap-3">
              <span className="text-table">{label}</span>
              <span className="flex gap-3">
                {verbs.map((verb) => {
                  const scope = scopes.find((candidate) => candidate === `${area}.${verb}`);
                  if (!scope) return null;
                  return (
                    <Checkbox
                      key={verb}
                      checked={value.includes(scope)}
                      disabled={readOnly && !canOnlyRead([scope])}
                      onCheckedChange={(on) =>
                        onValueChange(on ? [...value, scope] : value.filter((candidate) => candidate !== scope))
                      }
                      label={
                        <>
                          <span className="sr-only">{label} </span>
                          {verb}
                        </>
                      }
                    />
                  );
                })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
