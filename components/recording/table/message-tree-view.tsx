"use client";

import { ChevronRight } from "lucide-react";
import { useState, type HTMLAttributes } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatNumber, plural } from "@/components/kit/format";
import type { NoteValue } from "./field-notes";
import { countItems, findChange, formatDifference, isBranch, listChildren, type MessageNode } from "./message-tree";

/** Items of a list shown at first and more at a time. */
const page = 50;
/** Branches down to this depth are open at first, as long as they are short. */
const openDepth = 2;
const shortList = 12;

interface TreeProps {
  /** The decoded message. */
  value: unknown;
  /** The message compared with; undefined for no comparison. */
  before: unknown;
  /** Whether only what changed is shown. */
  onlyChanges: boolean;
  /** A value as text with its unit or name. */
  noteValue: NoteValue;
  /** What makes a value draggable, by its path. */
  drag: (path: string) => HTMLAttributes<HTMLElement>;
  selected: string | null;
  onSelect: (path: string) => void;
}

/** The values of a message as a tree, with what changed since another one. */
export function MessageTree({ value, before, ...rest }: TreeProps) {
  const root: MessageNode = { name: "", path: "", value, before };
  if (!isBranch(value)) return <Leaf node={{ ...root, name: "value" }} {...rest} compares={before !== undefined} />;
  return <Children node={root} depth={0} compares={before !== undefined} {...rest} />;
}

interface NodeProps extends Omit<TreeProps, "value" | "before"> {
  node: MessageNode;
  /** Whether messages are compared: without it nothing has changed. */
  compares: boolean;
}

function Children({ node, depth, ...rest }: NodeProps & { depth: number }) {
  const [shown, setShown] = useState(page);
  const children = listChildren(node);
  const wanted =
    rest.compares && rest.onlyChanges ? children.filter((child) => findChange(child) !== "same") : children;
  const count = countItems(node.value) ?? 0;
  const unsent = count - children.length;
  if (wanted.length === 0)
    return (
      <p className={cn("py-0.5 text-subtle", depth > 0 && "pl-4")}>
        {children.length === 0 ? "Empty" : "Nothing changed."}
      </p>
    );
  return (
    <ul className={cn(depth > 0 && "border-l pl-3")}>
      {wanted.slice(0, shown).map((child) => (
        <li key={child.name}>
          {isBranch(child.value ?? child.before) ? (
            <Branch node={child} depth={depth + 1} {...rest} />
          ) : (
            <Leaf node={child} {...rest} />
          )}
        </li>
      ))}
      {wanted.length > shown && (
        <li>
          <Button variant="link" className="text-meta" onClick={() => setShown(shown + 4 * page)}>
            Show {formatNumber(Math.min(4 * page, wanted.length - shown), 0)} more of{" "}
            {formatNumber(wanted.length - shown, 0)}
          </Button>
        </li>
      )}
      {unsent > 0 && wanted.length <= shown && (
        <li className="py-0.5 text-subtle">{formatNumber(unsent, 0)} more items are not shown.</li>
      )}
    </ul>
  );
}

function Branch({ node, depth, ...rest }: NodeProps & { depth: number }) {
  const { name, value } = node;
  const shown = value ?? node.before;
  const items = countItems(shown);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const change = rest.compares ? findChange(node) : "same";
  const isOpen = chosen ?? (rest.compares && rest.onlyChanges ? true : depth <= openDepth && (items ?? 0) <= shortList);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setChosen(!isOpen)}
        className="flex w-full items-baseline gap-1 rounded-control py-0.5 text-left -outline-offset-2! hover:bg-hover"
      >
        <ChevronRight aria-hidden className={cn("size-3 shrink-0 self-center", isOpen && "rotate-90")} />
        <span className={cn(change === "removed" && "line-through")}>{name}</span>
        <span className="text-subtle">{items === null ? "" : plural(items, "item")}</span>
        <ChangeMark change={change} />
      </button>
      {isOpen && <Children node={node} depth={depth} {...rest} />}
    </>
  );
}

function Leaf({ node, compares, noteValue, drag, selected, onSelect }: NodeProps) {
  const { name, path, value, before } = node;
  const { text, note } = noteValue(path, value === undefined ? before : value);
  const change = compares ? findChange(node) : "same";
  const difference = change === "changed" ? formatDifference(node) : null;
  return (
    <button
      type="button"
      aria-pressed={selected === path}
      {...drag(path)}
      onClick={() => onSelect(path)}
      className={cn(
        "flex w-full items-baseline gap-2 rounded-control py-0.5 pl-4 text-left -outline-offset-2! hover:bg-hover",
        selected === path && "bg-selected",
      )}
    >
      <span className={cn("shrink-0 text-subtle", change === "removed" && "line-through")}>{name}</span>
      <span className="min-w-0 wrap-anywhere">
        {text}
        {note !== null && <span className="text-subtle"> {note}</span>}
        {change === "changed" && (
          <span className="text-subtle">
            {" "}
            was {isBranch(before) ? "a group" : noteValue(path, before).text}
            {difference && <span className="text-foreground"> ({difference})</span>}
          </span>
        )}
      </span>
      <ChangeMark change={change} />
    </button>
  );
}

function ChangeMark({ change }: { change: ReturnType<typeof findChange> }) {
  if (change === "same") return null;
  const tone = change === "changed" ? "text-accent-text" : change === "added" ? "text-online-text" : "text-error-text";
  return <span className={cn("ml-auto shrink-0 pl-2 text-meta", tone)}>{change}</span>;
}
