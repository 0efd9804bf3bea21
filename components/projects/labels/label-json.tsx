"use client";

import { useMemo, useState } from "react";
import JsonEditor, { type JsonFault } from "@/components/product/json-editor";
import type { Issue } from "@/domain/issues";
import { toIssues } from "@/domain/issues";
import type { Label } from "@/domain/projects/label-schema";
import { ProjectLabels } from "@/domain/projects/schema";
import { findFaults, toJson, toRows, type LabelRow } from "./label-rows";

/** Labels as JSON: an id is a label that the project has, one without it is new. Faults are named with their line. */
export default function LabelJson(props: {
  rows: readonly LabelRow[];
  stored: readonly Label[];
  onChange: (rows: LabelRow[]) => void;
  onBroken: (isBroken: boolean) => void;
}) {
  const { rows, stored, onChange, onBroken } = props;
  const [start] = useState(() => rows.map(({ label }) => toJson(label)));
  const [written, setWritten] = useState<unknown>(start);
  const [faults, setFaults] = useState<readonly JsonFault[]>([]);
  const issues = useMemo((): Issue[] => {
    const parsed = ProjectLabels.safeParse(written);
    return parsed.success ? findFaults(parsed.data, stored) : toIssues(parsed.error.issues);
  }, [written, stored]);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <JsonEditor
        label="Labels as JSON"
        value={start}
        issues={issues}
        onChange={(value) => {
          setWritten(value);
          const parsed = ProjectLabels.safeParse(value);
          if (parsed.success && findFaults(parsed.data, stored).length === 0) onChange(toRows(parsed.data));
        }}
        onFaults={(found) => {
          setFaults(found);
          onBroken(found.length > 0);
        }}
      />
      {faults.length > 0 ? (
        <div role="alert">
          <ul className="flex flex-col gap-0.5 text-table text-critical-text">
            {faults.map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                Line {line}: {message}
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <p className="text-meta text-subtle">
          A label with an id is one that the project has; one that is left out is removed, or retired if results have
          it.
        </p>
      )}
    </div>
  );
}
