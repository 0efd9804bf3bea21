"use client";

import { useState } from "react";
import { Field } from "@/components/kit/field";
import { RadioGroup } from "@/components/kit/radio-group";
import { Textarea } from "@/components/kit/textarea";
import { GuideMarkdown } from "@/components/product/markdown/guide-markdown";

const views = [
  { value: "write" as const, label: "Write" },
  { value: "preview" as const, label: "Preview" },
];

/** A box for a guide, with a preview of what who labels reads. */
export function GuideBox(props: {
  value: string;
  onValueChange: (value: string) => void;
  error: string | undefined;
  rows?: number;
}) {
  const { value, onValueChange, error, rows = 16 } = props;
  const [view, setView] = useState<"write" | "preview">("write");
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <span aria-hidden className="text-table font-medium">
          Guide
        </span>
        <RadioGroup layout="segments" aria-label="Guide" options={views} value={view} onValueChange={setView} />
      </div>
      {view === "preview" ? (
        value.trim() === "" ? (
          <p className="text-table text-muted">Nothing is written yet.</p>
        ) : (
          <GuideMarkdown text={value} />
        )
      ) : (
        <Field
          label="Guide"
          hideLabel
          hint="Markdown: headings, lists, tables and links. HTML and pictures are left out."
          {...(error !== undefined && { error })}
        >
          <Textarea
            mono
            rows={rows}
            value={value}
            placeholder={"## What to label\n\n- Every pallet, also partly hidden\n- No pallets on shelves"}
            onChange={({ target }) => onValueChange(target.value)}
          />
        </Field>
      )}
    </div>
  );
}
