"use client";

import { FlipHorizontal2, RotateCw } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { Switch } from "@/components/kit/switch";
import { colourScaleOptions } from "@/components/product/colouring-names";
import { SettingSelect } from "@/components/product/setting-select";
import type { DrawnPicture } from "@/components/recording/thread/picture-view";
import type { ValueRange } from "@/engine/messages/pictures/raw-pixels";
import { CloudSettings } from "./cloud-settings";
import type { CompanionTopics } from "./companion-topics";
import { OverlaySettings } from "./overlay-settings";
import { defaultPictureConfig, turnRight, type PictureConfig } from "./picture-config";
import { Slider } from "./slider";

export interface PictureSettingsFormProps {
  config: PictureConfig;
  onChange: (change: Partial<PictureConfig>) => void;
  drawn: DrawnPicture | null;
  companions: CompanionTopics;
  /** What the cloud over the pictures can be coloured by. */
  colourings: readonly string[];
  /** The topics that are drawn over the pictures. */
  shown: readonly string[];
  onSave: () => void;
}

/** The range of brightness and contrast. */
const tones = { range: { min: 0.2, max: 3, step: 0.1 }, digits: 1 };

/** What can be set of how a panel shows its pictures. */
export function PictureSettingsForm(props: PictureSettingsFormProps) {
  const { config, onChange, drawn, companions, colourings, shown, onSave } = props;
  return (
    <div className="flex flex-col gap-3 text-meta">
      {drawn?.values && <ValueSettings config={config} onChange={onChange} values={drawn.values} />}
      <div className="flex items-center gap-1">
        <IconButton
          label="Rotate by 90°"
          keys="r"
          size="sm"
          icon={<RotateCw aria-hidden />}
          onClick={() => onChange({ rotation: turnRight(config.rotation) })}
        />
        <IconButton
          label="Mirror"
          keys="shift+r"
          size="sm"
          aria-pressed={config.mirrored}
          icon={<FlipHorizontal2 aria-hidden />}
          onClick={() => onChange({ mirrored: !config.mirrored })}
        />
        <Button size="sm" variant="ghost" className="ml-auto" onClick={() => onChange(defaultPictureConfig)}>
          Reset
        </Button>
        <Button size="sm" disabled={!drawn} onClick={onSave}>
          Save picture
        </Button>
      </div>
      <Slider
        label="Brightness"
        value={config.brightness}
        {...tones}
        onChange={(brightness) => onChange({ brightness })}
      />
      <Slider label="Contrast" value={config.contrast} {...tones} onChange={(contrast) => onChange({ contrast })} />
      {companions.calibration !== null && (
        <Switch
          checked={config.rectified}
          onCheckedChange={(rectified) => onChange({ rectified })}
          label="Rectified"
          hint={`By ${companions.calibration}`}
        />
      )}
      <OverlaySettings config={config} overlays={companions.overlays} shown={shown} onChange={onChange} />
      {companions.clouds.length > 0 && (
        <CloudSettings
          cloud={config.cloud}
          companions={companions}
          colourings={colourings}
          onChange={(cloud) => onChange({ cloud })}
        />
      )}
    </div>
  );
}

interface ValueSettingsProps {
  config: PictureConfig;
  onChange: (change: Partial<PictureConfig>) => void;
  values: NonNullable<DrawnPicture["values"]>;
}

/** The colours of depth and other single values. */
function ValueSettings({ config, onChange, values }: ValueSettingsProps) {
  const { colour_scale: scale, range } = config;
  return (
    <>
      <SettingSelect
        label="Colour scale"
        options={colourScaleOptions}
        value={scale}
        onValueChange={(colour_scale) => onChange({ colour_scale })}
      />
      <Switch
        checked={range === null}
        onCheckedChange={(automatic) => onChange({ range: automatic ? null : { min: values.min, max: values.max } })}
        label="Range from the picture"
      />
      {range !== null && (
        <div className="flex items-end gap-2">
          <Limit
            label="From"
            unit={values.unit}
            range={range}
            side="min"
            onChange={(next) => onChange({ range: next })}
          />
          <Limit
            label="To"
            unit={values.unit}
            range={range}
            side="max"
            onChange={(next) => onChange({ range: next })}
          />
        </div>
      )}
    </>
  );
}

interface LimitProps {
  label: string;
  unit: string;
  range: ValueRange;
  side: "min" | "max";
  onChange: (range: ValueRange) => void;
}

/** One end of a range: typed text that is no number changes nothing. */
function Limit({ label, unit, range, side, onChange }: LimitProps) {
  const id = useId();
  const [text, setText] = useState(String(Number(range[side].toPrecision(4))));
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <label htmlFor={id}>{unit ? `${label} (${unit})` : label}</label>
      <Input
        id={id}
        inputMode="decimal"
        className="h-7!"
        value={text}
        onValueChange={(next) => {
          setText(next);
          const value = Number(next);
          if (next.trim() !== "" && Number.isFinite(value)) onChange({ ...range, [side]: value });
        }}
      />
    </div>
  );
}
