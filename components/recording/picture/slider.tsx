"use client";

interface SliderProps {
  label: string;
  value: number;
  range: { min: number; max: number; step: number };
  /** Digits of the value after the point. */
  digits: number;
  onChange: (value: number) => void;
}

/** A number of a panel's settings, with its value beside it. */
export function Slider({ label, value, range, digits, onChange }: SliderProps) {
  return (
    <label className="flex items-center gap-2">
      <span className="w-20 shrink-0">{label}</span>
      <input
        type="range"
        {...range}
        value={value}
        onChange={({ target }) => onChange(target.valueAsNumber)}
        className="min-w-0 flex-1 accent-(--color-accent)"
      />
      <span className="w-8 shrink-0 text-right tabular-nums">{value.toFixed(digits)}</span>
    </label>
  );
}
