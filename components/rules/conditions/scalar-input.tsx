"use client";

import { useState } from "react";
import { Input } from "@/components/kit/input";
import type { Comparand } from "@/domain/conditions/operators";
import { parseScalar } from "./condition-draft";

const asText = (value: Comparand | undefined): string => (value === undefined ? "" : String(value));

/** One value to compare with: the typed text is shown unchanged, and parsed as a number, true, false or text. */
export function ScalarInput(props: {
  value: Comparand | undefined;
  onValueChange: (value: Comparand | undefined) => void;
  placeholder?: string;
  "aria-label"?: string;
  unit?: string;
}) {
  const { value, onValueChange, unit, ...rest } = props;
  const [text, setText] = useState(asText(value));
  // A value set elsewhere, such as by a dragged line, replaces the typed text.
  const shown = text.trim() !== "" && parseScalar(text) === value ? text : asText(value);
  return (
    <Input
      {...rest}
      value={shown}
      inputMode="text"
      autoComplete="off"
      className="tabular-nums"
      after={unit ? <span className="text-meta">{unit}</span> : undefined}
      onValueChange={(next) => {
        setText(next);
        onValueChange(next.trim() === "" ? undefined : parseScalar(next));
      }}
    />
  );
}
