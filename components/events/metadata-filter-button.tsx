"use client";

import { Braces, Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Field } from "@/components/kit/field";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { Popover } from "@/components/kit/popover";
import { Select } from "@/components/kit/select";
import { Tabs } from "@/components/kit/tabs";
import { Textarea } from "@/components/kit/textarea";
import { toFilter, filterProblem, parseLines, type FilterLine } from "./metadata-filter";

const operators = [
  { value: "is", label: "is" },
  { value: "has", label: "has" },
] as const;

let lastId = 0;
const newLine = (line: Omit<FilterLine, "id"> = { key: "", operator: "is", value: "" }): FilterLine => ({
  ...line,
  id: ++lastId,
});

/** Filters by what an event's metadata contain: built of lines, or written as JSON. */
export function MetadataFilterButton({
  value,
  onChange,
}: {
  value: string | null;
  onChange: (filter: string | null) => void;
}) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      title="Filter by metadata"
      showTitle
      open={open}
      onOpenChange={setOpen}
      className="w-104"
      trigger={
        <Button icon={<Braces aria-hidden />} aria-label="Filter by metadata">
          <span className="max-sm:sr-only">Metadata</span>
        </Button>
      }
    >
      {open && (
        <Builder
          value={value}
          onApply={(filter) => {
            onChange(filter);
            setOpen(false);
          }}
        />
      )}
    </Popover>
  );
}

function Builder({ value, onApply }: { value: string | null; onApply: (filter: string | null) => void }) {
  const [first] = useState(() => (value === null ? [] : parseLines(value)));
  const [tab, setTab] = useState<"lines" | "json">(first === null ? "json" : "lines");
  const [lines, setLines] = useState<FilterLine[]>(() =>
    first?.length ? first.map((line) => newLine(line)) : [newLine()],
  );
  const [json, setJson] = useState(value ?? "");
  const problem = tab === "json" && json.trim() !== "" ? filterProblem(json) : null;

  const change = (id: number, part: Partial<FilterLine>) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, ...part } : line)));
  const goTo = (next: "lines" | "json") => {
    if (next === "json") setJson(toFilter(lines) ?? "");
    else {
      const read = json.trim() === "" ? [] : parseLines(json);
      // What cannot be written as lines stays JSON.
      if (read === null) return;
      setLines(read.length > 0 ? read.map((line) => newLine(line)) : [newLine()]);
    }
    setTab(next);
  };
  const apply = () => {
    if (problem === null)
      onApply(tab === "lines" ? toFilter(lines) : json.trim() === "" ? null : JSON.stringify(JSON.parse(json)));
  };

  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <Tabs
        label="How to write the filter"
        value={tab}
        onValueChange={goTo}
        tabs={[
          {
            value: "lines",
            label: "Lines",
            content: (
              <div className="flex flex-col items-start gap-1.5">
                {lines.map((line, at) => (
                  <div
                    key={line.id}
                    className="grid w-full grid-cols-[minmax(0,3fr)_4.5rem_minmax(0,2fr)_2rem] gap-1.5"
                  >
                    <Input
                      aria-label={`Key of line ${at + 1}`}
                      placeholder="value.max"
                      mono
                      value={line.key}
                      onValueChange={(key) => change(line.id, { key })}
                      autoComplete="off"
                      spellCheck={false}
                    />
                    <Select
                      aria-label={`Comparison of line ${at + 1}`}
                      options={operators}
                      value={line.operator}
                      onValueChange={(operator) => change(line.id, { operator })}
                    />
                    <Input
                      aria-label={`Value of line ${at + 1}`}
                      placeholder="80"
                      mono
                      value={line.value}
                      onValueChange={(text) => change(line.id, { value: text })}
                      autoComplete="off"
                      spellCheck={false}
                    />
                    <IconButton
                      label={`Remove line ${at + 1}`}
                      icon={<X aria-hidden />}
                      onClick={() => setLines(lines.filter(({ id }) => id !== line.id))}
                    />
                  </div>
                ))}
                <Button
                  variant="ghost"
                  size="sm"
                  className="-ml-2"
                  icon={<Plus aria-hidden />}
                  onClick={() => setLines([...lines, newLine()])}
                >
                  Add a line
                </Button>
                <p className="text-meta text-subtle">
                  Dots lead into objects; “has” looks into lists. All lines must match.
                </p>
              </div>
            ),
          },
          {
            value: "json",
            label: "JSON",
            content: (
              <Field
                label="Metadata contains"
                error={problem ?? undefined}
                hint="An event matches when its metadata contains this."
              >
                <Textarea
                  mono
                  rows={5}
                  value={json}
                  onChange={({ currentTarget }) => setJson(currentTarget.value)}
                  spellCheck={false}
                />
              </Field>
            ),
          },
        ]}
      />
      <div className="flex justify-end gap-2">
        {value !== null && (
          <Button variant="ghost" onClick={() => onApply(null)}>
            Clear
          </Button>
        )}
        <Button variant="primary" type="submit" disabled={problem !== null}>
          Apply
        </Button>
      </div>
    </form>
  );
}
