"use client";

import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { shapeTypeName, type ItemShape } from "./shapes";

interface ShapeListProps {
  /** Names the list. */
  label: string;
  shapes: readonly ItemShape[];
  hidden: ReadonlySet<string>;
  onHide: (ids: readonly string[], isHidden: boolean) => void;
  selected: string | null;
  onSelect: (id: string | null) => void;
}

const maxShown = 200;
/** Shapes from which a filter helps. */
const filterFrom = 8;

/** Shapes of an item by name, each of which can be hidden and made to stand out. */
export function ShapeList({ label, shapes, hidden, onHide, selected, onSelect }: ShapeListProps) {
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const found = wanted === "" ? shapes : shapes.filter((shape) => shape.label.toLowerCase().includes(wanted));
  const areHidden = found.length > 0 && found.every(({ id }) => hidden.has(id));
  return (
    <div className="flex flex-col gap-1">
      {shapes.length >= filterFrom && (
        <div className="flex gap-1">
          <Input
            type="search"
            aria-label={`Filter ${label.toLowerCase()}`}
            placeholder="Filter by label"
            value={filter}
            onChange={({ currentTarget }) => setFilter(currentTarget.value)}
          />
          <Button
            onClick={() =>
              onHide(
                found.map(({ id }) => id),
                !areHidden,
              )
            }
          >
            {areHidden ? "Show" : "Hide"} {found.length === shapes.length ? "all" : found.length}
          </Button>
        </div>
      )}
      <ul aria-label={label} className="flex flex-col">
        {found.slice(0, maxShown).map((shape) => {
          const isHidden = hidden.has(shape.id);
          return (
            <li key={shape.id} className="flex items-center gap-2">
              <button
                type="button"
                aria-pressed={selected === shape.id}
                onClick={() => onSelect(selected === shape.id ? null : shape.id)}
                className={cn(
                  "flex min-w-0 flex-1 items-center gap-2 rounded-control px-1 py-1 text-left text-table hover:bg-hover",
                  selected === shape.id && "bg-selected",
                  isHidden && "text-subtle line-through",
                )}
              >
                <span aria-hidden className="size-2.5 shrink-0 rounded-full" style={{ background: shape.colour }} />
                <span className="truncate">{shape.label}</span>
                <span className="ml-auto shrink-0 text-meta text-subtle tabular-nums">
                  {shapeTypeName(shape.type)}
                  {shape.score !== null && ` ${shape.score.toFixed(2)}`}
                  {shape.frame !== null && ` f${shape.frame}`}
                </span>
              </button>
              <IconButton
                size="sm"
                label={`${isHidden ? "Show" : "Hide"} ${shape.label}`}
                icon={isHidden ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
                onClick={() => onHide([shape.id], !isHidden)}
              />
            </li>
          );
        })}
      </ul>
      {found.length > maxShown && (
        <p className="text-meta text-subtle">{plural(found.length - maxShown, "more shape")}; filter to see them.</p>
      )}
    </div>
  );
}
