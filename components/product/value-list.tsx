import { Fragment } from "react";
import { formatNumber } from "@/components/kit/format";

function Value({ value }: { value: unknown }) {
  if (typeof value === "number") return <span className="tabular-nums">{formatNumber(value, 6)}</span>;
  if (typeof value === "boolean") return <>{value ? "Yes" : "No"}</>;
  if (typeof value === "string") return value === "" ? <span className="text-subtle">Empty text</span> : <>{value}</>;
  return <code className="font-mono text-meta">{JSON.stringify(value)}</code>;
}

/** A name in parts that a line may end after: "motor_", "temperature_", "c". */
const splitName = (name: string): string[] => name.split(/(?<=[_.:/-])/);

/** A free-form object: its keys as they are, its values by their type. */
export function ValueList({ values, empty }: { values: Readonly<Record<string, unknown>>; empty: string }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return <p className="text-table text-subtle">{empty}</p>;
  return (
    <dl className="grid grid-cols-[minmax(6rem,min(14rem,40%))_minmax(0,1fr)] text-table">
      {entries.map(([key, value]) => (
        <Fragment key={key}>
          <dt className="min-w-0 border-b py-1.5 pr-6 font-mono text-meta leading-5 break-words text-muted">
            {splitName(key).map((part, at) => (
              <Fragment key={at}>
                {part}
                <wbr />
              </Fragment>
            ))}
          </dt>
          <dd className="min-w-0 border-b py-1.5 break-words">
            <Value value={value} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
