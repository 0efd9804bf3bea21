"use client";

import { useId, useLayoutEffect, useMemo, useRef, useState, type FormEvent, type KeyboardEvent } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { Input } from "@/components/kit/input";
import { useSuggestions } from "@/components/kit/suggestions";
import type { PathTopic } from "@/components/recording/session/topic-path";
import { ExpressionError, findUnit, maxExpressionLength } from "@/engine/signals/expression";
import { parseExpression } from "@/engine/signals/expression-parser";
import { completeExpression } from "./expression-completion";

interface ExpressionFormProps {
  topics: readonly PathTopic[];
  initial?: string;
  /** What the button says. */
  action: string;
  onSubmit: (expression: string) => void;
  onCancel: () => void;
}

/** What is wrong with an expression, or its unit. */
function check(text: string, topics: readonly PathTopic[]): { error: ExpressionError | null; unit?: string } {
  try {
    const unit = findUnit(parseExpression(text, topics), ({ topic, field }) => {
      const found = topics.find(({ name }) => name === topic)?.fields.find(({ path }) => path === field);
      return typeof found?.unit === "string" ? found.unit : undefined;
    });
    return { error: null, ...(unit !== undefined && { unit }) };
  } catch (error) {
    if (error instanceof ExpressionError) return { error };
    throw error;
  }
}

/** Writes an expression over fields of the recording, completed and checked while it is typed. */
export function ExpressionForm({ topics, initial = "", action, onSubmit, onCancel }: ExpressionFormProps) {
  const noteId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(initial);
  const [caret, setCaret] = useState(initial.length);
  const [isOpen, setOpen] = useState(false);
  /** Where the caret goes once a suggestion is in the text. */
  const moveTo = useRef<number | null>(null);
  const { error, unit } = useMemo(() => check(text, topics), [text, topics]);
  const items = completeExpression(text, caret, topics).map((each) => ({
    key: each.label,
    label: <span className="font-mono">{each.label}</span>,
    hint: each.hint,
    pick: () => {
      setText(each.text);
      setCaret(each.caret);
      moveTo.current = each.caret;
    },
  }));
  const list = useSuggestions({ items, open: isOpen, label: "Fields and functions", autoHighlight: false });
  useLayoutEffect(() => {
    if (moveTo.current !== null) input.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = null;
  }, [text]);
  const incomplete = error?.position === text.length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!error) return onSubmit(text.trim());
    input.current?.focus();
    const at = error.position ?? 0;
    input.current?.setSelectionRange(at, at + 1);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (list.onKeyDown(event) || event.key !== "Escape") return;
    event.stopPropagation();
    if (list.shown) setOpen(false);
    else onCancel();
  };
  return (
    <form onSubmit={submit} className="flex w-full min-w-0 flex-col gap-1" aria-label="Expression">
      <div className="flex min-w-0 items-center gap-2">
        <div className="relative min-w-0 flex-1">
          <Input
            {...list.inputProps}
            ref={input}
            mono
            autoFocus
            aria-label="Expression"
            aria-describedby={noteId}
            aria-invalid={error !== null && text !== "" && !incomplete ? true : undefined}
            placeholder="rate(/topic.field), /a.x - /b.x, deg(yaw(/odom.pose.pose.orientation))"
            value={text}
            maxLength={maxExpressionLength}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onValueChange={(next) => {
              setText(next);
              setCaret(input.current?.selectionStart ?? next.length);
              setOpen(true);
            }}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? text.length)}
            onKeyDown={onKeyDown}
            onFocus={() => setOpen(true)}
            onBlur={() => setOpen(false)}
          />
          {list.list}
        </div>
        <Button type="submit" disabledReason={text.trim() === "" ? "Write an expression first." : undefined}>
          {action}
        </Button>
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <p
        id={noteId}
        role="status"
        className={cn(
          "min-h-8 text-meta wrap-anywhere sm:min-h-4",
          error && text !== "" && !incomplete ? "text-critical-text" : "text-subtle",
        )}
      >
        {text === ""
          ? "Fields, numbers, + − * / % ^, comparisons, and functions such as rate, mean(…, 5s) and yaw."
          : (error?.message ?? `Can be computed${unit === undefined ? "" : `, in ${unit}`}.`)}
      </p>
    </form>
  );
}
