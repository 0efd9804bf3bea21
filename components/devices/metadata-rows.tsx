"use client";

import { Plus, X } from "lucide-react";
import { useRef } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { convert, kinds, type Kind, type MetadataDraft } from "./metadata-values";

export interface MetadataRowsProps {
  rows: readonly MetadataDraft[];
  onChange: (rows: MetadataDraft[]) => void;
  /** What is wrong with a row, by its id. */
  problems: ReadonlyMap<number, string>;
  addLabel?: string;
}

const labels: Record<Kind, string> = { text: "Text", number: "Number", boolean: "Yes or no", json: "JSON" };
const booleans = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** Key, value, type and remove in one line; on phones the type goes below. */
const lineColumns =
  "grid-cols-[minmax(0,2fr)_minmax(0,3fr)_6.5rem_2rem] max-sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_2rem]";

let lastId = 0;
/** An empty row with a unique id. */
export const newRow = (key = "", value = "", kind: Kind = "text"): MetadataDraft => ({
  id: ++lastId,
  key,
  value,
  kind,
});

/** Typed key-value pairs, one a line; Enter in the last line begins another. */
export function MetadataRows({ rows, onChange, problems, addLabel = "Add a value" }: MetadataRowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const change = (id: number, part: Partial<MetadataDraft>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = () => {
    const row = newRow();
    onChange([...rows, row]);
    requestAnimationFrame(() => box.current?.querySelector<HTMLInputElement>(`[data-key="${row.id}"]`)?.focus());
  };
  return (
    <div ref={box} className="flex flex-col items-start gap-2">
      {rows.map((row, at) => {
        const name = row.key || `value ${at + 1}`;
        const problem = problems.get(row.id);
        return (
          <div key={row.id} className="w-full">
            <div className={cn("grid w-full gap-1.5", lineColumns)}>
              <Input
                data-key={row.id}
                aria-label={`Key of ${name}`}
                placeholder="site"
                mono
                value={row.key}
                aria-invalid={problem !== undefined || undefined}
                onValueChange={(key) => change(row.id, { key })}
                autoComplete="off"
                spellCheck={false}
              />
              {row.kind === "boolean" ? (
                <Select
                  aria-label={`Value of ${name}`}
                  options={booleans}
                  value={row.value === "true" ? "true" : "false"}
                  onValueChange={(value) => change(row.id, { value })}
                />
              ) : (
                <Input
                  aria-label={`Value of ${name}`}
                  placeholder={row.kind === "json" ? '{"lat": 52.5}' : row.kind === "number" ? "4" : "berlin"}
                  mono={row.kind === "json"}
                  inputMode={row.kind === "number" ? "decimal" : undefined}
                  value={row.value}
                  aria-invalid={problem !== undefined || undefined}
                  onValueChange={(value) => change(row.id, { value })}
                  onKeyDown={(event) => {
                    if (event.key !== "Enter" || at !== rows.length - 1 || row.key === "") return;
                    event.preventDefault();
                    add();
                  }}
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
              <Select
                aria-label={`Type of ${name}`}
                className="max-sm:col-span-2 max-sm:col-start-1 max-sm:row-start-2"
                options={kinds.map((kind) => ({ value: kind, label: labels[kind] }))}
                value={row.kind}
                onValueChange={(kind) => change(row.id, { kind, value: convert(row.value, kind) })}
              />
              <IconButton
                label={`Remove ${name}`}
                className="max-sm:col-start-3 max-sm:row-start-1"
                icon={<X aria-hidden />}
                onClick={() => onChange(rows.filter((other) => other.id !== row.id))}
              />
            </div>
            {problem !== undefined && (
              <p role="alert" className="mt-1 text-meta text-critical-text">
                {problem}
              </p>
            )}
          </div>
        );
      })}
      <Button variant="ghost" size="sm" className="-ml-2" icon={<Plus aria-hidden />} onClick={add}>
        {addLabel}
      </Button>
    </div>
  );
}
