"use client";

import { SunMedium } from "lucide-react";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { Popover } from "@/components/kit/popover";

export interface Look {
  brightness: number;
  contrast: number;
}
export const plainLook: Look = { brightness: 1, contrast: 1 };

/** The style of a look; nothing of it is saved. */
export const toFilter = ({ brightness, contrast }: Look): string =>
  brightness === 1 && contrast === 1 ? "none" : `brightness(${brightness}) contrast(${contrast})`;

interface BrightnessMenuProps {
  look: Look;
  onChange: (look: Look) => void;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Brightness and contrast of the view; the item stays as it is. */
export function BrightnessMenu({ look, onChange, open, onOpenChange }: BrightnessMenuProps) {
  const slider = (label: string, name: keyof Look) => (
    <label className="flex flex-col gap-1 text-table">
      <span className="flex justify-between">
        {label}
        <span className="text-subtle tabular-nums">{Math.round(look[name] * 100)} %</span>
      </span>
      <input
        type="range"
        aria-label={label}
        min={0.2}
        max={3}
        step={0.05}
        value={look[name]}
        onChange={({ currentTarget }) => onChange({ ...look, [name]: Number(currentTarget.value) })}
        className="accent-(--color-accent)"
      />
    </label>
  );
  return (
    <Popover
      title="Brightness and contrast"
      showTitle
      open={open}
      onOpenChange={onOpenChange}
      trigger={
        <IconButton
          label="Brightness and contrast"
          keys="b"
          icon={<SunMedium aria-hidden />}
          className={toFilter(look) === "none" ? undefined : "bg-selected text-foreground"}
        />
      }
    >
      <div className="flex flex-col gap-3">
        {slider("Brightness", "brightness")}
        {slider("Contrast", "contrast")}
        <p className="text-meta text-subtle">Only this view changes, not the item.</p>
        <Button size="sm" className="self-start" onClick={() => onChange(plainLook)}>
          As it is
        </Button>
      </div>
    </Popover>
  );
}
