"use client";

import { Input } from "@/components/kit/input";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Switch } from "@/components/kit/switch";
import { TruncateMiddle } from "@/components/kit/truncate";
import { hasRange, nameColouring } from "@/components/product/colouring-names";
import { describeAge, showTimeOfDay } from "@/components/product/panel-texts";
import { SettingSelect } from "@/components/product/setting-select";
import type { SceneTopic } from "@/components/recording/thread/scene-feed";
import { isCloudSchema, isOdometrySchema } from "@/engine/messages/scene-schemas";
import { robotParts, type RobotPart } from "@/engine/robots/robot-parts";
import { LayerForm } from "./layer-form";
import type { LayerReport, SceneReport } from "./scene-report";
import { defaultLayer, followModes, type FollowMode, type LayerSettings, type SceneSettings } from "./scene-settings";
import { describeLayer } from "./scene-text";

const modeLabels: Readonly<Record<FollowMode, string>> = {
  pose: "Follow its place and turns",
  position: "Follow its place",
  fixed: "Do not follow",
};
const partLabels: Readonly<Record<RobotPart, string>> = {
  visual: "As they look",
  collision: "As they collide",
};
/** Stands for "nobody chose": no field or frame is named so, and a list without a value would say "Choose". */
const automatic = " ";

interface SceneOptionsProps {
  topics: readonly SceneTopic[];
  report: SceneReport | null;
  settings: SceneSettings;
  onChange: (settings: SceneSettings) => void;
}

/** Everything that can be chosen of a scene: its layers, frames, and what the camera follows. */
export function SceneOptions({ topics, report, settings, onChange }: SceneOptionsProps) {
  const frames = report?.frames ?? [];
  const chooseFrame = (found: string | null | undefined) => [
    { value: automatic, label: found ? `Automatic (${found})` : "Automatic" },
    ...frames.map(({ name }) => ({ value: name, label: name })),
  ];
  const setLayer = (topic: string, change: Partial<LayerSettings>) =>
    onChange({
      ...settings,
      layers: { ...settings.layers, [topic]: { ...(settings.layers[topic] ?? defaultLayer), ...change } },
    });
  return (
    <div className="flex max-h-[min(28rem,calc(var(--available-height)-1.5rem))] flex-col gap-3 overflow-y-auto">
      <ul aria-label="Layers" className="flex flex-col gap-2">
        {listLayers(topics, report).map(({ name, stays }) => (
          <LayerRow
            key={name}
            topic={name}
            schema={topics.find((each) => each.name === name)?.schema ?? ""}
            stays={stays}
            layer={report?.layers.find(({ topic }) => topic === name) ?? null}
            settings={settings.layers[name] ?? defaultLayer}
            onChange={(change) => setLayer(name, change)}
          />
        ))}
      </ul>
      <div className="flex flex-col gap-1.5 border-t pt-3">
        <SettingSelect
          label="Camera"
          options={followModes.map((mode) => ({ value: mode, label: modeLabels[mode] }))}
          value={settings.follow}
          onValueChange={(follow) => onChange({ ...settings, follow })}
        />
        <SettingSelect
          label="Follows"
          name="Frame that the camera follows"
          options={chooseFrame(settings.followFrame ?? report?.followFrame)}
          value={settings.followFrame ?? automatic}
          onValueChange={(frame) => onChange({ ...settings, followFrame: frame === automatic ? null : frame })}
        />
        <SettingSelect
          label="Fixed frame"
          options={chooseFrame(settings.fixedFrame ?? report?.fixedFrame)}
          value={settings.fixedFrame ?? automatic}
          onValueChange={(frame) => onChange({ ...settings, fixedFrame: frame === automatic ? null : frame })}
        />
        <SettingSelect
          label="Robots"
          options={robotParts.map((part) => ({ value: part, label: partLabels[part] }))}
          value={settings.robotPart}
          onValueChange={(robotPart) => onChange({ ...settings, robotPart })}
        />
        <Switch
          label="Show frames"
          checked={settings.showFrames}
          onCheckedChange={(showFrames) => onChange({ ...settings, showFrames })}
        />
      </div>
      {settings.showFrames && report && frames.length > 0 && <FrameList report={report} />}
    </div>
  );
}

/** All that can be shown: topics, and the robots that were found in the recording, which are there for all of it. */
function listLayers(topics: readonly SceneTopic[], report: SceneReport | null): { name: string; stays: boolean }[] {
  const own = topics.map(({ name }) => ({ name, stays: true }));
  const known = new Set(topics.map(({ name }) => name));
  const others = report?.found.filter((topic) => !known.has(topic)) ?? [];
  return [...own, ...others.map((name) => ({ name, stays: false }))];
}

interface LayerRowProps {
  topic: string;
  schema: string;
  /** Whether its messages may stay for longer than until the next one. */
  stays: boolean;
  layer: LayerReport | null;
  settings: LayerSettings;
  onChange: (change: Partial<LayerSettings>) => void;
}

function LayerRow({ topic, schema, stays, layer, settings, onChange }: LayerRowProps) {
  const { zone } = useTimeZone();
  const hasFields = layer !== null && layer.fields.length > 0;
  return (
    <li className="flex flex-col gap-1.5">
      <Switch
        checked={settings.isShown}
        onCheckedChange={(isShown) => onChange({ isShown })}
        label={<TruncateMiddle text={topic} />}
        hint={
          settings.isShown && layer
            ? [describeLayer(layer, (time) => showTimeOfDay(time, zone)), ...layer.notes, ...layer.meshes.problems]
                .filter(Boolean)
                .join("; ")
            : undefined
        }
      />
      {settings.isShown && hasFields && (
        <>
          <SettingSelect
            label="Colour"
            name={`Colour of ${topic}`}
            options={[
              { value: automatic, label: `Automatic (${nameColouring(layer.colouredBy ?? "")})` },
              ...[...new Set(layer.fields)].map((field) => ({ value: field, label: nameColouring(field) })),
            ]}
            value={settings.colourBy ?? automatic}
            onValueChange={(field) => onChange({ colourBy: field === automatic ? null : field })}
          />
          {hasRange(settings.colourBy ?? layer.colouredBy) && (
            <div className="flex items-center gap-2 text-meta">
              <span aria-hidden className="w-20 shrink-0">
                Range
              </span>
              <NumberBox
                label={`Lowest value of ${topic}`}
                hint="Lowest"
                value={settings.min}
                onChange={(min) => onChange({ min })}
              />
              <NumberBox
                label={`Highest value of ${topic}`}
                hint="Highest"
                value={settings.max}
                onChange={(max) => onChange({ max })}
              />
            </div>
          )}
          {isCloudSchema(schema) && (
            <SettingSelect
              label="Point size"
              name={`Point size of ${topic}`}
              options={[1, 2, 3, 4, 6, 8].map((size) => ({ value: String(size), label: `${size} px` }))}
              value={String(settings.pointSize)}
              onValueChange={(size) => onChange({ pointSize: Number(size) })}
            />
          )}
        </>
      )}
      {settings.isShown && <LayerForm topic={topic} schema={schema} settings={settings} onChange={onChange} />}
      {settings.isShown && stays && (
        <SettingSelect
          label="Decay time"
          name={`Decay time of ${topic}`}
          options={[0, 1, 5, 10, 30].map((seconds) => ({
            value: String(seconds),
            label:
              seconds === 0
                ? "Only the last message"
                : `${isOdometrySchema(schema) ? "Trail" : "Messages"} of ${seconds} s`,
          }))}
          value={String(settings.decay)}
          onValueChange={(decay) => onChange({ decay: Number(decay) })}
        />
      )}
    </li>
  );
}

interface NumberBoxProps {
  label: string;
  hint: string;
  value: number | null;
  onChange: (value: number | null) => void;
}

/** A number, or nothing for automatic. */
function NumberBox({ label, hint, value, onChange }: NumberBoxProps) {
  return (
    <Input
      aria-label={label}
      placeholder={hint}
      inputMode="decimal"
      defaultValue={value ?? ""}
      className="h-7"
      onChange={(event) => {
        const text = event.target.value.trim();
        const number = Number(text);
        if (text === "") onChange(null);
        else if (Number.isFinite(number)) onChange(number);
      }}
    />
  );
}

/** Every frame with its parent and the age of its last transform. */
function FrameList({ report }: { report: SceneReport }) {
  return (
    <ul aria-label="Frames" className="flex flex-col gap-0.5 border-t pt-3 text-meta text-muted">
      {report.frames.slice(0, 500).map(({ name, parent, newest }) => {
        const age = newest === null || report.moment === null ? null : Number(report.moment - newest) / 1e6;
        return (
          <li key={name} className="flex justify-between gap-2">
            <span className="min-w-0 truncate">
              {name}
              {parent !== null && <span className="text-subtle"> in {parent}</span>}
            </span>
            <span className="shrink-0 tabular-nums">
              {parent === null ? "root" : age === null ? "fixed" : age > 1_000 ? describeAge(age / 1000) : ""}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
