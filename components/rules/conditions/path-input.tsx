"use client";

import { useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Input } from "@/components/kit/input";
import { useSuggestions } from "@/components/kit/suggestions";
import { TruncateMiddle } from "@/components/kit/truncate";

export interface PathChoice {
  value: string;
  hint?: ReactNode;
}

export interface PathInputProps {
  value: string;
  onValueChange: (value: string) => void;
  choices: readonly PathChoice[];
  /** Names the list of choices: "Topics". */
  label: string;
  placeholder?: string;
  disabled?: boolean;
}

const shown = 50;

/** A topic or field path: free text with suggestions from recordings, each with its details. */
export function PathInput({ value, onValueChange, choices, label, placeholder, disabled }: PathInputProps) {
  const [open, setOpen] = useState(false);
  // All choices are offered until something is typed, so that a chosen one can be replaced.
  const [typed, setTyped] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  const needle = typed ? value.trim().toLowerCase() : "";
  const items = choices
    .filter((choice) => choice.value.toLowerCase().includes(needle))
    .slice(0, shown)
    .map((choice) => ({
      key: choice.value,
      label: <TruncateMiddle text={choice.value} tail={16} className="font-mono" />,
      hint: choice.hint,
      pick: () => {
        onValueChange(choice.value);
        setOpen(false);
      },
    }));
  const list = useSuggestions({ items, open, label, autoHighlight: typed });
  const onKeyDown = (event: KeyboardEvent) => {
    if (list.onKeyDown(event)) return;
    if (event.key === "Escape" && open) {
      event.stopPropagation();
      setOpen(false);
    }
    if (event.key === "ArrowDown") setOpen(true);
  };
  return (
    <span ref={box} className="relative block">
      <Input
        {...list.inputProps}
        mono
        value={value}
        disabled={disabled}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onValueChange={(next) => {
          setTyped(true);
          setOpen(true);
          onValueChange(next);
        }}
        onFocus={() => {
          setTyped(false);
          setOpen(true);
        }}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {list.list}
    </span>
  );
}
