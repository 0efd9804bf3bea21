"use client";

import { colourScaleOptions } from "@/components/product/colouring-names";
import { SettingSelect } from "@/components/product/setting-select";
import { isMultiEchoSchema, isOdometrySchema, isScanSchema, isValueGridSchema } from "@/engine/messages/scene-schemas";
import { isOccupancySchema } from "@/engine/messages/scenes/grid-update";
import type { LayerSettings } from "./scene-settings";

interface LayerFormProps {
  topic: string;
  schema: string;
  settings: LayerSettings;
  onChange: (change: Partial<LayerSettings>) => void;
}

/** What can be chosen of messages of some schemas only. */
export function LayerForm({ topic, schema, settings, onChange }: LayerFormProps) {
  return (
    <>
      {isScanSchema(schema) && (
        <LayerChoice
          label="Form"
          topic={topic}
          off="Points"
          on="Line, with breaks where ranges are left out"
          value={settings.isLine}
          onChange={(isLine) => onChange({ isLine })}
        />
      )}
      {isMultiEchoSchema(schema) && (
        <LayerChoice
          label="Echoes"
          topic={topic}
          off="First echo of each beam"
          on="All echoes"
          value={settings.allEchoes}
          onChange={(allEchoes) => onChange({ allEchoes })}
        />
      )}
      {isOdometrySchema(schema) && settings.decay > 0 && (
        <LayerChoice
          label="Trail colour"
          topic={topic}
          off="One colour"
          on="Speed"
          value={settings.bySpeed}
          onChange={(bySpeed) => onChange({ bySpeed })}
        />
      )}
      {isOccupancySchema(schema) && (
        <LayerChoice
          label="Colours"
          topic={topic}
          off="Map: free is light, occupied dark"
          on="Costs: blue to red, 99 cyan, 100 magenta"
          value={settings.isCostmap}
          onChange={(isCostmap) => onChange({ isCostmap })}
        />
      )}
      {isValueGridSchema(schema) && (
        <SettingSelect
          label="Colour scale"
          name={`Colour scale of ${topic}`}
          options={colourScaleOptions}
          value={settings.colourScale}
          onValueChange={(colourScale) => onChange({ colourScale })}
        />
      )}
    </>
  );
}

interface LayerChoiceProps {
  label: string;
  topic: string;
  /** What it says while the setting is false. */
  off: string;
  /** What it says while the setting is true. */
  on: string;
  value: boolean;
  onChange: (value: boolean) => void;
}

/** One of two ways to draw the messages of a topic. */
function LayerChoice({ label, topic, off, on, value, onChange }: LayerChoiceProps) {
  return (
    <SettingSelect
      label={label}
      name={`${label} of ${topic}`}
      options={[
        { value: "off", label: off },
        { value: "on", label: on },
      ]}
      value={value ? "on" : "off"}
      onValueChange={(next) => onChange(next === "on")}
    />
  );
}
