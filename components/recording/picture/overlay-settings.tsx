"use client";

import { Switch } from "@/components/kit/switch";
import { SettingSelect } from "@/components/product/setting-select";
import type { CompanionTopics } from "./companion-topics";
import type { PictureConfig } from "./picture-config";
import { Slider } from "./slider";

interface OverlaySettingsProps {
  config: PictureConfig;
  overlays: CompanionTopics["overlays"];
  /** The topics that are drawn. */
  shown: readonly string[];
  onChange: (change: Partial<PictureConfig>) => void;
}

/** Stands for what nobody chose. */
const automatic = "automatic";
const describeHold = (seconds: number): string => `Stay for ${seconds} s`;
const describeWidth = (pixels: number): string => `${pixels} px`;

/** Options of a number, with the one that an address may hold beside them. */
const toOptions = (
  first: string,
  values: readonly number[],
  chosen: number | null,
  describe: (value: number) => string,
) => [
  { value: automatic, label: first },
  ...[...new Set([...values, ...(chosen === null ? [] : [chosen])])]
    .toSorted((a, b) => a - b)
    .map((value) => ({ value: String(value), label: describe(value) })),
];

/** What is drawn over pictures, of topics near by their names first, and how. */
export function OverlaySettings({ config, overlays, shown, onChange }: OverlaySettingsProps) {
  const { hold, line_width: width, least_score: least } = config;
  const hasScores = overlays.some(({ name, isScored }) => isScored && shown.includes(name));
  return (
    <>
      {overlays.map(({ name }) => (
        <Switch
          key={name}
          checked={shown.includes(name)}
          onCheckedChange={(on) =>
            onChange({ overlays: on ? [...shown, name] : shown.filter((each) => each !== name) })
          }
          label={`Draw ${name}`}
        />
      ))}
      {shown.length > 0 && (
        <>
          <SettingSelect
            label="Annotations"
            name="How long annotations stay"
            options={toOptions("Nearest in time", [0.1, 0.2, 0.5, 1, 2, 5, 10, 30], hold, describeHold)}
            value={hold === null ? automatic : String(hold)}
            onValueChange={(next) => onChange({ hold: next === automatic ? null : Number(next) })}
          />
          <SettingSelect
            label="Lines"
            name="Width of lines"
            options={toOptions("As recorded", [1, 2, 3, 4, 6, 8, 12], width, describeWidth)}
            value={width === null ? automatic : String(width)}
            onValueChange={(next) => onChange({ line_width: next === automatic ? null : Number(next) })}
          />
        </>
      )}
      {hasScores && (
        <Slider
          label="Least score"
          value={least}
          range={{ min: 0, max: 1, step: 0.05 }}
          digits={2}
          onChange={(next) => onChange({ least_score: next })}
        />
      )}
    </>
  );
}
