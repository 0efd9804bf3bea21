"use client";

import { LayoutGrid, PanelLeft, Rows3, SlidersHorizontal } from "lucide-react";
import type { ItemOrdering } from "@/components/items/item-source";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { formatInstant } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Popover } from "@/components/kit/popover";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { RadioGroup } from "@/components/kit/radio-group";
import { Select } from "@/components/kit/select";
import { cellSizes, listColourings, type Colouring, type GridAddress } from "./grid-address";
import type { ItemRun } from "./use-predictions";

const orders: readonly { value: ItemOrdering; label: string }[] = [
  { value: "-created_at", label: "Newest first" },
  { value: "created_at", label: "Oldest first" },
  { value: "key", label: "Name, A to Z" },
  { value: "-key", label: "Name, Z to A" },
  { value: "-annotations_count", label: "Most shapes first" },
  { value: "annotations_count", label: "Fewest shapes first" },
];

const colours: Readonly<Record<Colouring, string>> = {
  none: "No colour",
  label: "Colour by label",
  status: "Colour by status",
  prediction: "Colour by prediction",
  disagreement: "Colour by disagreement",
};

const views = [
  { value: "grid", label: "Grid", icon: <LayoutGrid aria-hidden /> },
  { value: "table", label: "Table", icon: <Rows3 aria-hidden /> },
] as const;

/** What is drawn with the pictures. */
export interface GridShow {
  shapes: boolean;
  names: boolean;
}

/** Stands for no run in a menu. */
const noRun = "none";

interface GridToolbarProps {
  address: GridAddress;
  facets: boolean;
  onFacetsChange: (shown: boolean) => void;
  show: GridShow;
  onShowChange: (show: GridShow) => void;
  /** The runs whose predictions can be shown, and the one whose are. */
  runs: readonly ItemRun[];
  run: string | null;
}

/** How the items are shown: order, size, colour, shapes, grid or table. On a phone, behind a button. */
export function GridToolbar(props: GridToolbarProps) {
  const { facets, onFacetsChange } = props;
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
      <div className="contents max-sm:hidden">
        <ViewControls {...props} />
      </div>
      <div className="sm:hidden">
        <Popover
          title="How items are shown"
          align="start"
          trigger={<Button icon={<SlidersHorizontal aria-hidden />}>View</Button>}
        >
          <div className="flex flex-col items-stretch gap-3">
            <ViewControls {...props} />
          </div>
        </Popover>
      </div>
    </div>
  );
}

function ViewControls({ address, show, onShowChange, runs, run }: GridToolbarProps) {
  const { zone } = useTimeZone();
  return (
    <>
      <Select
        className="w-40 max-sm:w-full"
        aria-label="Order"
        options={orders}
        value={address.ordering}
        onValueChange={address.setOrdering}
      />
      <Select
        className="w-52 max-sm:w-full"
        aria-label="Colour"
        options={listColourings(runs.length > 0).map((value) => ({ value, label: colours[value] }))}
        value={address.colouring}
        onValueChange={address.setColouring}
      />
      {runs.length > 0 && (
        <Select
          className="w-64 max-sm:w-full"
          aria-label="Predictions"
          options={[
            { value: noRun, label: "No predictions" },
            ...runs.map(({ uid, model_name: model, created_at: at }) => ({
              value: uid,
              label: `${model}, ${formatInstant(Date.parse(at), zone, "minute")}`,
            })),
          ]}
          value={run ?? noRun}
          onValueChange={(next) => address.setRun(next === noRun ? null : next)}
        />
      )}
      <RadioGroup
        aria-label="View"
        layout="segments"
        options={views}
        value={address.view}
        onValueChange={address.setView}
      />
      {address.view === "grid" && (
        <>
          <Checkbox
            label="Shapes"
            checked={show.shapes}
            onCheckedChange={(shapes) => onShowChange({ ...show, shapes })}
          />
          <Checkbox label="Names" checked={show.names} onCheckedChange={(names) => onShowChange({ ...show, names })} />
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
    </>
  );
}
