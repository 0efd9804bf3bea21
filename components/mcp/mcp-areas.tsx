"use client";

import { Checkbox } from "@/components/kit/checkbox";
import { formatNumber, plural } from "@/components/kit/format";
import { Section } from "@/components/kit/page-header";
import { RadioGroup } from "@/components/kit/radio-group";
import { countTools, presets, type ToolArea } from "./areas";

const choices = [
  { value: "all", label: "All" },
  { value: "fleet", label: "Fleet" },
  { value: "data", label: "Datasets" },
  { value: "chosen", label: "Chosen" },
] as const;
type Choice = (typeof choices)[number]["value"];

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name) => others.includes(name));

export interface McpAreasProps {
  areas: readonly ToolArea[];
  /** Names of areas; null: all of them, also those that a later version adds. */
  value: readonly string[] | null;
  onValueChange: (names: readonly string[] | null) => void;
}

/** Which tools the address lists, and what they cost a model. */
export function McpAreas({ areas, value, onValueChange }: McpAreasProps) {
  const names = areas.map(({ name }) => name);
  /** Those of a preset that this caller has tools of. */
  const listNames = (preset: keyof typeof presets) =>
    names.filter((name) => (presets[preset] as readonly string[]).includes(name));
  const choice: Choice =
    value === null
      ? "all"
      : isSame(value, listNames("fleet"))
        ? "fleet"
        : isSame(value, listNames("data"))
          ? "data"
          : "chosen";
  const choose = (next: Choice) => {
    if (next === "all") onValueChange(null);
    else if (next === "chosen") onValueChange(names.slice(0, 1));
    else onValueChange(listNames(next));
  };
  const { tools, tokens } = countTools(areas.filter(({ name }) => value === null || value.includes(name)));
  return (
    <Section
      title="Tools"
      description="A model reads their descriptions before the first question: fewer leave it more room."
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <RadioGroup layout="segments" aria-label="Areas" options={choices} value={choice} onValueChange={choose} />
        <p role="status" className="text-table tabular-nums">
          {plural(tools, "tool")} <span className="text-muted">of about {formatNumber(tokens, 0)} tokens</span>
        </p>
      </div>
      {value !== null && (
        <fieldset className="mt-3">
          <legend className="sr-only">Areas of tools</legend>
          <div className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
            {areas.map(({ name, about, tools: count }) => (
              <Checkbox
                key={name}
                checked={value.includes(name)}
                // Without any, the address would list all.
                disabled={value.length === 1 && value.includes(name)}
                label={
                  <>
                    <code className="font-mono">{name}</code> <span className="text-muted tabular-nums">{count}</span>
                  </>
                }
                hint={about}
                onCheckedChange={(checked) =>
                  onValueChange(names.filter((each) => (each === name ? checked : value.includes(each))))
                }
              />
            ))}
          </div>
        </fieldset>
      )}
    </Section>
  );
}
