"use client";

import { Select } from "@/components/kit/select";
import type { LayerReading } from "@/engine/messages/layer-reading";
import { isMultiEchoSchema, isOdometrySchema, isScanSchema } from "@/engine/messages/scene-schemas";
import type { LayerSettings } from "./scene-settings";

interface LayerFormProps {
  topic: string;
  schema: string;
  settings: LayerSettings;
  onChange: (change: Partial<LayerSettings>) => void;
}

/** What can be chosen of messages of some schemas only. */
export function LayerForm({ topic, schema, settings, onChange }: LayerFormProps) {
  const setReading = (change: Partial<LayerReading>) => onChange({ reading: { ...settings.reading, ...change } });
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
          value={settings.reading.allEchoes ? "all" : "first"}
          onValueChange={(echoes) => setReading({ allEchoes: echoes === "all" })}
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
          value={settings.reading.bySpeed ? "speed" : "plain"}
          onValueChange={(colour) => setReading({ bySpeed: colour === "speed" })}
        />
      )}
    </>
  );
}
