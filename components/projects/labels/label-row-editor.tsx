import { ArrowDown, ArrowUp, Ellipsis, GripVertical, SlidersHorizontal, Trash2, Archive } from "lucide-react";
import { useId, useState, type KeyboardEvent, type PointerEvent } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { Menu } from "@/components/kit/menu";
import { Select } from "@/components/kit/select";
import { issueLine, type Issue } from "@/domain/issues";
import type { LabelInput } from "@/domain/projects/label-schema";
import { LabelColour, explainColour } from "./label-colour";
import { LabelDetails, describeDetails } from "./label-details";
import { LabelShapes } from "./label-shapes";
import type { ShapeType } from "./task-shapes";

interface LabelRowProps {
  label: LabelInput;
  /** Its class in exports; undefined while the project does not have it. */
  number: number | undefined;
  /** Results that have it; undefined while unknown. */
  count: number | undefined;
  others: readonly LabelInput[];
  issues: readonly Issue[];
  shapes: readonly ShapeType[];
  isFirst: boolean;
  isLast: boolean;
  onChange: (change: Partial<LabelInput>) => void;
  /** Moves it by places, down if positive. */
  onMove: (by: number) => void;
  /** Adds a label below. */
  onAdd: () => void;
  onRemove: () => void;
}

const noKey = "none";
const digits = [..."123456789"];

/** One label: its name, colour, shapes and key in a line; attributes, skeleton and description open below. */
export function LabelRowEditor(props: LabelRowProps) {
  const { label, number, count, others, issues, shapes, onChange, onMove, onAdd } = props;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const name = label.name.trim() === "" ? "the new label" : label.name;
  const warning = explainColour(label.color, others);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    event.stopPropagation();
    onMove(event.key === "ArrowUp" ? -1 : 1);
  };
  return (
    <li
      data-label-row
      aria-label={name}
      onKeyDownCapture={onKeyDown}
      className="flex min-w-0 flex-col gap-1 border-t py-1.5"
    >
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <Handle name={name} onMove={onMove} />
        <span
          className="w-8 shrink-0 text-right text-table text-muted tabular-nums"
          title={number === undefined ? "It gets its class in exports when it is saved" : "Its class in exports"}
        >
          {number ?? "new"}
        </span>
        <LabelColour
          color={label.color}
          name={name}
          warning={warning}
          others={others}
          onChange={(color) => onChange({ color })}
        />
        <div className="min-w-32 flex-1 basis-32 sm:max-w-88">
          <Input
            data-label-name
            aria-label="Name"
            aria-invalid={issues.some(({ path: [field] }) => field === "name") || undefined}
            aria-describedby={issues.length > 0 ? `${id}-issues` : undefined}
            value={label.name}
            maxLength={100}
            autoComplete="off"
            placeholder="Name"
            onChange={({ target }) => onChange({ name: target.value })}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
              event.preventDefault();
              onAdd();
            }}
          />
        </div>
        <div className="order-1 flex min-w-0 flex-wrap items-center gap-2 max-sm:w-full sm:order-none">
          <LabelShapes name={name} types={label.types} shapes={shapes} onChange={(types) => onChange({ types })} />
          <Select
            aria-label={`Key of ${name}`}
            className="w-24"
            value={label.key ?? noKey}
            options={[
              { value: noKey, label: "No key" },
              ...digits.map((key) => {
                const holder = others.find((other) => other.key === key);
                return { value: key, label: key, disabled: holder !== undefined, ...(holder && { hint: holder.name }) };
              }),
            ]}
            onValueChange={(key) => onChange({ key: key === noKey ? undefined : key })}
          />
          <Button
            variant="ghost"
            className={cn("justify-start", describeDetails(label) === "" && "text-subtle")}
            icon={<SlidersHorizontal aria-hidden />}
            aria-expanded={isOpen}
            aria-label={`${describeDetails(label) || "Details"} of ${name}`}
            onClick={() => setOpen(!isOpen)}
          >
            {describeDetails(label) || "Details"}
          </Button>
        </div>
        <span className="ml-auto flex items-center gap-3">
          {count !== undefined && (
            <span className="text-table text-muted tabular-nums max-lg:hidden" title="Results that have it">
              {formatNumber(count, 0)} in results
            </span>
          )}
          <RowMenu {...props} name={name} />
        </span>
      </div>
      {issues.length > 0 && (
        <p id={`${id}-issues`} className="text-meta text-critical-text sm:pl-27">
          {issues.map((issue) => (issue.path.length > 1 ? issueLine(issue) : issue.message)).join(" ")}
        </p>
      )}
      {warning !== null && <p className="text-meta text-warning-text sm:pl-27">{warning}</p>}
      {isOpen && <LabelDetails label={label} onChange={onChange} />}
    </li>
  );
}

/** What a row is dragged by: it stands wherever the pointer is among the middles of the others. */
function Handle({ name, onMove }: { name: string; onMove: (by: number) => void }) {
  const onPointerMove = ({ currentTarget: handle, pointerId, clientY }: PointerEvent<HTMLElement>) => {
    if (!handle.hasPointerCapture(pointerId)) return;
    const row = handle.closest("[data-label-row]");
    const all = [...(row?.parentElement?.children ?? [])];
    const to = all.filter((other) => other !== row && middle(other) < clientY).length;
    const by = to - all.findIndex((each) => each === row);
    if (by === 0) return;
    onMove(by);
    // Whatever is moved in the document no longer has the pointer.
    handle.setPointerCapture(pointerId);
  };
  return (
    <span
      title={`Drag to move ${name}, or Alt and ↑ or ↓`}
      className="flex h-8 w-5 shrink-0 cursor-grab touch-none items-center justify-center text-subtle hover:text-foreground active:cursor-grabbing"
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onPointerMove}
    >
      <GripVertical aria-hidden className="size-4" />
    </span>
  );
}

function middle(element: Element): number {
  const { top, height } = element.getBoundingClientRect();
  return top + height / 2;
}

function RowMenu(props: LabelRowProps & { name: string }) {
  const { name, number, count, isFirst, isLast, onMove, onChange, onRemove } = props;
  const isStored = number !== undefined;
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${name}`} icon={<Ellipsis aria-hidden />} />}
      items={[
        {
          label: "Move up",
          keys: "alt+ArrowUp",
          icon: <ArrowUp aria-hidden />,
          disabled: isFirst,
          onSelect: () => onMove(-1),
        },
        {
          label: "Move down",
          keys: "alt+ArrowDown",
          icon: <ArrowDown aria-hidden />,
          disabled: isLast,
          onSelect: () => onMove(1),
        },
        "separator",
        ...(isStored
          ? [
              {
                label: "Retire",
                hint: "No new shapes; it keeps its class",
                icon: <Archive aria-hidden />,
                onSelect: () => onChange({ retired: true }),
              },
            ]
          : []),
        {
          label: "Remove",
          danger: true,
          icon: <Trash2 aria-hidden />,
          ...(count !== undefined && count > 0 && { hint: "Results have it: it is retired instead" }),
          onSelect: () => (count !== undefined && count > 0 ? onChange({ retired: true }) : onRemove()),
        },
      ]}
    />
  );
}
