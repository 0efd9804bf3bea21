import { formatNumber } from "@/components/kit/format";

interface LeastScoreProps {
  /** From 0 to 1. */
  value: number;
  onChange: (value: number) => void;
}

/** From which score on predictions count. */
export function LeastScore({ value, onChange }: LeastScoreProps) {
  return (
    <label className="flex items-center gap-3 text-table">
      <span className="shrink-0 font-medium">Least score</span>
      <input
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={value}
        className="min-w-0 flex-1 accent-accent"
        onChange={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
      <span className="w-8 text-right tabular-nums">{formatNumber(value, 2)}</span>
    </label>
  );
}
