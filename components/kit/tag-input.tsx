"use client";

import { Field } from "@base-ui/react/field";
import { X } from "lucide-react";
import { useRef, useState, type ClipboardEvent, type KeyboardEvent, type Ref } from "react";
import { cn } from "./cn";
import { controlStyles } from "./control-styles";
import { useSuggestions } from "./suggestions";

export interface TagInputProps {
  value: readonly string[];
  onValueChange: (tags: string[]) => void;
  /** Tags in use elsewhere, offered while typing. */
  suggestions?: readonly string[];
  /** What is wrong with a tag (shown on its chip), such as a malformed email address. */
  problem?: (tag: string) => string | undefined;
  max?: number;
  /** Named in the chips' remove buttons: "Remove tag lab-2". */
  noun?: string;
  placeholder?: string;
  "aria-label"?: string;
  id?: string;
  disabled?: boolean;
  onBlur?: () => void;
  className?: string;
  ref?: Ref<HTMLInputElement>;
}

/** Tags as chips: Enter, comma or paste adds, Backspace in the empty box removes the last. Works inside a `Field`. */
export function TagInput(props: TagInputProps) {
  const { value, onValueChange, suggestions = [], problem, max = 50, noun = "tag", disabled, className, ref } = props;
  const [text, setText] = useState("");
  const [focused, setFocused] = useState(false);
  const box = useRef<HTMLDivElement>(null);

  const add = (raw: string) => {
    const added = raw
      .split(/[,\n;]/)
      .map((tag) => tag.trim())
      .filter(Boolean);
    const next = [...new Set([...value, ...added])].slice(0, max);
    if (next.length !== value.length) onValueChange(next);
    setText("");
  };

  const needle = text.trim().toLowerCase();
  const items = suggestions
    .filter((tag) => !value.includes(tag) && tag.toLowerCase().includes(needle))
    .slice(0, 8)
    .map((tag) => ({ key: tag, label: tag, pick: () => add(tag) }));
  const list = useSuggestions({ items, open: focused && needle !== "", label: `Known ${noun}s`, autoHighlight: false });

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "Tab" && list.onKeyDown(event)) return;
    if ((event.key === "Enter" && text.trim()) || event.key === ",") {
      event.preventDefault();
      add(text);
    } else if (event.key === "Backspace" && text === "" && value.length > 0) {
      onValueChange(value.slice(0, -1));
    }
  };

  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData("text");
    if (!/[,\n;]/.test(pasted)) return;
    event.preventDefault();
    add(text + pasted);
  };

  return (
    <div
      ref={box}
      className={cn(
        controlStyles,
        "relative flex min-h-8 w-full flex-wrap items-center gap-1 p-1 has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-2 has-[input:focus-visible]:outline-accent",
        className,
      )}
      onClick={() => box.current?.querySelector("input")?.focus()}
    >
      {value.map((tag) => {
        const wrong = problem?.(tag);
        return (
          <span
            key={tag}
            title={wrong}
            className={cn(
              "inline-flex h-5.5 max-w-full items-center gap-0.5 rounded-control border border-border bg-hover pl-1.5 text-meta",
              wrong && "border-critical text-critical-text",
            )}
          >
            <span className="truncate">{tag}</span>
            {wrong && <span className="sr-only">: {wrong}</span>}
            <button
              type="button"
              disabled={disabled}
              aria-label={`Remove ${noun} ${tag}`}
              className="flex size-5 items-center justify-center rounded-control text-subtle hover:text-foreground"
              onClick={() => onValueChange(value.filter((other) => other !== tag))}
            >
              <X aria-hidden className="size-3" />
            </button>
          </span>
        );
      })}
      <Field.Control
        {...list.inputProps}
        ref={ref}
        id={props.id}
        aria-label={props["aria-label"]}
        disabled={disabled}
        value={text}
        placeholder={value.length === 0 ? props.placeholder : undefined}
        className="h-5.5 min-w-24 flex-1 bg-transparent px-1.5 text-table outline-none"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onFocus={() => setFocused(true)}
        onBlur={() => {
          setFocused(false);
          if (text.trim()) add(text);
          props.onBlur?.();
        }}
      />
      {list.list}
    </div>
  );
}
