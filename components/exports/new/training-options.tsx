"use client";

import { useState } from "react";
import { Checkbox } from "@/components/kit/checkbox";
import { Field } from "@/components/kit/field";
import { formatNumber, plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { Status } from "@/components/product/status";
import { hasParts } from "@/domain/exports/formats";
import { splitParts } from "@/domain/exports/schema";
import { describeDivision, partNames } from "../labels";
import { findSplitFault, toSplit, type Draft } from "./draft";
import type { Preview } from "./use-export-preview";

interface OptionsProps {
  draft: Draft;
  preview: Preview | undefined;
  onChange: (change: Partial<Draft>) => void;
}

/** What only a training set has: its parts, if any, with what each will hold, and what becomes of unlabelled pictures. */
export function TrainingOptions(props: OptionsProps) {
  const { draft, onChange } = props;
  return (
    <>
      {hasParts(draft.format) && <Parts {...props} />}
      <Checkbox
        checked={draft.background}
        onCheckedChange={(background) => onChange({ background })}
        label="Pictures that nobody labelled too, as background"
        hint="They teach that nothing is in them, as do those with other shapes only. Pictures labelled as empty are always there."
      />
    </>
  );
}

function Parts({ draft, preview, onChange }: OptionsProps) {
  const fault = findSplitFault(draft);
  const split = fault === null ? preview?.formats.find(({ format }) => format === draft.format)?.split : undefined;
  const division = split ? describeDivision(split) : null;
  const shares = toSplit(draft);
  return (
    <>
      <Field
        label="Parts"
        group
        error={fault ?? undefined}
        hint="Pictures of one recording, or of equal content, are never in two of them."
      >
        <div className="grid grid-cols-[auto_5.5rem_1fr] items-center gap-x-3 gap-y-2 text-table">
          {splitParts.map((part) => (
            <div key={part} className="col-span-3 grid grid-cols-subgrid items-center">
              <span aria-hidden>{partNames[part]}</span>
              {part === "train" ? (
                <span className="px-2.5 tabular-nums">
                  <span className="sr-only">{partNames.train} </span>
                  {fault === null ? `${formatNumber(shares.train * 100, 2)} %` : "–"}
                </span>
              ) : (
                <PercentInput
                  label={`${partNames[part]}, percent`}
                  value={draft[part]}
                  onChange={(value) => onChange({ [part]: value })}
                />
              )}
              <span className="text-muted tabular-nums">{split && plural(split[part], "picture")}</span>
            </div>
          ))}
        </div>
      </Field>
      {division !== null && (
        <Status tone="warning" className="whitespace-normal!">
          <span className="whitespace-normal">{division}</span>
        </Status>
      )}
    </>
  );
}

/** A number of percent; nothing typed is 0. */
function PercentInput(props: { label: string; value: number; onChange: (value: number) => void }) {
  const { label, value, onChange } = props;
  const [text, setText] = useState(String(value));
  return (
    <Input
      type="number"
      inputMode="decimal"
      min={0}
      max={99}
      step="any"
      aria-label={label}
      value={Number(text) === value ? text : String(value)}
      onValueChange={(typed) => {
        setText(typed);
        onChange(Number(typed));
      }}
      after={<span className="text-table">%</span>}
    />
  );
}
