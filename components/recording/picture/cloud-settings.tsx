"use client";

import { Switch } from "@/components/kit/switch";
import { nameColouring } from "@/components/product/colouring-names";
import { SettingSelect } from "@/components/product/setting-select";
import type { CompanionTopics } from "./companion-topics";
import type { PictureConfig } from "./picture-config";

type Cloud = PictureConfig["cloud"];

interface CloudSettingsProps {
  cloud: Cloud;
  companions: CompanionTopics;
  /** What the points can be coloured by. */
  colourings: readonly string[];
  onChange: (cloud: Cloud) => void;
}

/** Stands for a size that nobody chose. */
const automatic = "automatic";
const sizes = [
  { value: automatic, label: "Automatic" },
  ...[1, 2, 3, 4, 6, 8].map((size) => ({ value: String(size), label: `${size} px` })),
];

/** Which points are drawn over pictures, and how. */
export function CloudSettings({ cloud, companions, colourings, onChange }: CloudSettingsProps) {
  const { clouds, calibration } = companions;
  const colour = cloud?.colour_by ?? "distance";
  return (
    <>
      <Switch
        checked={cloud !== null}
        onCheckedChange={(on) => onChange(on ? { topic: clouds[0]?.name ?? "" } : null)}
        label="Draw a cloud"
        hint={calibration === null ? undefined : `Seen by ${calibration}`}
        disabledReason={calibration === null ? "The recording has no calibration of this camera." : undefined}
      />
      {cloud !== null && (
        <>
          <SettingSelect
            label="Cloud"
            options={clouds.map(({ name }) => ({ value: name, label: name }))}
            value={cloud.topic}
            onValueChange={(topic) => onChange({ ...cloud, topic })}
          />
          <SettingSelect
            label="Colour"
            name="Colour of the cloud"
            options={[...new Set([colour, ...colourings])].map((value) => ({ value, label: nameColouring(value) }))}
            value={colour}
            onValueChange={(next) => onChange({ ...cloud, colour_by: next === "distance" ? null : next })}
          />
          <SettingSelect
            label="Point size"
            options={sizes}
            value={cloud.point_size === undefined ? automatic : String(cloud.point_size)}
            onValueChange={(size) => onChange({ ...cloud, point_size: size === automatic ? undefined : Number(size) })}
          />
        </>
      )}
    </>
  );
}
