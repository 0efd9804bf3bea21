"use client";

import { LayoutGrid, PanelLeft, Rows3 } from "lucide-react";
import { Checkbox } from "@/components/kit/checkbox";
import { IconButton } from "@/components/kit/icon-button";
import { RadioGroup } from "@/components/kit/radio-group";
import { Select } from "@/components/kit/select";
import { cellSizes, type Colouring, type GridAddress } from "./grid-address";
import type { ItemOrdering } from "./item-source";

const orders: readonly { value: ItemOrdering; label: string }[] = [
  { value: "-created_at", label: "Newest first" },
  { value: "created_at", label: "Oldest first" },
  { value: "key", label: "Name, A to Z" },
  { value: "-key", label: "Name, Z to A" },
  { value: "-annotations_count", label: "Most shapes first" },
  { value: "annotations_count", label: "Fewest shapes first" },
];

const colours: readonly { value: Colouring; label: string }[] = [
  { value: "none", label: "No colour" },
  { value: "label", label: "Colour by label" },
  { value: "status", label: "Colour by status" },
];

const views = [
  { value: "grid", label: "Grid", icon: <LayoutGrid aria-hidden /> },
  { value: "table", label: "Table", icon: <Rows3 aria-hidden /> },
] as const;

interface GridToolbarProps {
  address: GridAddress;
  facets: boolean;
  onFacetsChange: (shown: boolean) => void;
  shapes: boolean;
  onShapesChange: (shown: boolean) => void;
}

/** How the items are shown: order, size, colour, shapes, grid or table. */
export function GridToolbar({ address, facets, onFacetsChange, shapes, onShapesChange }: GridToolbarProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <IconButton
        label={facets ? "Hide facets" : "Show facets"}
        keys="f"
        variant="secondary"
        aria-pressed={facets}
        icon={<PanelLeft aria-hidden />}
        onClick={() => onFacetsChange(!facets)}
      />
      <Select
        className="w-44"
        aria-label="Order"
        options={orders}
        value={address.ordering}
        onValueChange={address.setOrdering}
      />
      <Select
        className="w-40"
        aria-label="Colour"
        options={colours}
        value={address.colouring}
        onValueChange={address.setColouring}
      />
      <RadioGroup
        aria-label="View"
        layout="segments"
        options={views}
        value={address.view}
        onValueChange={address.setView}
      />
      {address.view === "grid" && (
        <>
          <Checkbox label="Shapes" checked={shapes} onCheckedChange={(checked) => onShapesChange(checked)} />
          <input
            type="range"
            aria-label="Size of pictures"
            className="w-28 accent-(--accent) max-sm:hidden"
            min={cellSizes.min}
            max={cellSizes.max}
            step={cellSizes.step}
            value={address.size}
            onChange={(event) => address.setSize(Number(event.target.value))}
          />
        </>
      )}
    </div>
  );
}
