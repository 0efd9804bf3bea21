"use client";

import { Select } from "@/components/kit/select";
import { colourScales } from "@/engine/messages/colour-scale";
import { isOccupancySchema } from "@/engine/messages/grid-update";
import { isMultiEchoSchema, isOdometrySchema, isScanSchema, isValueGridSchema } from "@/engine/messages/scene-schemas";
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
        <Select
          size="sm"
          aria-label={`Form of ${topic}`}
          options={[
            { value: "points", label: "Points" },
            { value: "line", label: "Line, with breaks where ranges are left out" },
          ]}
          value={settings.isLine ? "line" : "points"}
          onValueChange={(form) => onChange({ isLine: form === "line" })}
        />
      )}
      {isMultiEchoSchema(schema) && (
        <Select
          size="sm"
          aria-label={`Echoes of ${topic}`}
          options={[
            { value: "first", label: "First echo of each beam" },
            { value: "all", label: "All echoes" },
          ]}
          value={settings.allEchoes ? "all" : "first"}
          onValueChange={(echoes) => onChange({ allEchoes: echoes === "all" })}
        />
      )}
      {isOdometrySchema(schema) && settings.decay > 0 && (
        <Select
          size="sm"
          aria-label={`Colour of the trail of ${topic}`}
          options={[
            { value: "speed", label: "Trail coloured by speed" },
            { value: "plain", label: "Trail in one colour" },
          ]}
          value={settings.bySpeed ? "speed" : "plain"}
          onValueChange={(colour) => onChange({ bySpeed: colour === "speed" })}
        />
      )}
      {isOccupancySchema(schema) && (
        <Select
          size="sm"
          aria-label={`Colours of ${topic}`}
          options={[
            { value: "map", label: "Map: free is light, occupied dark" },
            { value: "costmap", label: "Costs: blue to red, 99 cyan, 100 magenta" },
          ]}
          value={settings.isCostmap ? "costmap" : "map"}
          onValueChange={(colours) => onChange({ isCostmap: colours === "costmap" })}
        />
      )}
      {isValueGridSchema(schema) && (
        <Select
          size="sm"
          aria-label={`Colour scale of ${topic}`}
          options={colourScales.map((scale) => ({ value: scale, label: `Colour scale: ${scale}` }))}
          value={settings.colourScale}
          onValueChange={(colourScale) => onChange({ colourScale })}
        />
      )}
    </>
  );
}
