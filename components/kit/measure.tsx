import { cn } from "./cn";
import { formatDuration, formatNumber, measureBytes } from "./format";
import { None } from "./none";

function Value({ value, unit, className }: { value: string; unit?: string; className?: string }) {
  return (
    <span className={cn("whitespace-nowrap tabular-nums", className)}>
      {value}
      {unit && <span className="text-subtle"> {unit}</span>}
    </span>
  );
}

/** A number with a lighter unit; `digits` is the most decimals (default 2). Null shows a dash. */
export function NumberValue(props: {
  value: number | null | undefined;
  unit?: string;
  digits?: number;
  className?: string;
}) {
  if (props.value === null || props.value === undefined) return <None />;
  return <Value value={formatNumber(props.value, props.digits)} unit={props.unit} className={props.className} />;
}

/** A size in bytes: `4.12 GB`. */
export function Bytes({ value, className }: { value: number | null | undefined; className?: string }) {
  return value === null || value === undefined ? <None /> : <Value {...measureBytes(value)} className={className} />;
}

/** A span of time given in milliseconds: `1h 04m`. */
export function Duration({ ms, className }: { ms: number | null | undefined; className?: string }) {
  return ms === null || ms === undefined ? <None /> : <Value value={formatDuration(ms)} className={className} />;
}
