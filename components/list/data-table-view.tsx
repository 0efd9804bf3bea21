"use client";

import { SlidersHorizontal } from "lucide-react";
import type { ReactNode } from "react";
import { Checkbox } from "@/components/kit/checkbox";
import { IconButton } from "@/components/kit/icon-button";
import { Popover } from "@/components/kit/popover";
import type { Density } from "@/components/kit/preferences";
import { useDensity } from "@/components/kit/preferences-provider";
import { RadioGroup } from "@/components/kit/radio-group";

const densityOptions: { value: Density; label: string }[] = [
  { value: "compact", label: "Compact" },
  { value: "regular", label: "Regular" },
  { value: "comfortable", label: "Comfortable" },
];

/** The table's own settings: row height for every table, and which columns of this one show. */
export function DataTableView(props: {
  columns: { id: string; header: string; visible: boolean; locked: boolean }[];
  onToggle: (id: string, visible: boolean) => void;
  more?: ReactNode;
}) {
  const [density, setDensity] = useDensity();
  return (
    <Popover
      title="View"
      className="w-80"
      trigger={<IconButton label="View options" variant="secondary" icon={<SlidersHorizontal aria-hidden />} />}
    >
      <div className="flex flex-col gap-3">
        <div>
          <p className="mb-1.5 text-meta text-subtle">Row height</p>
          <RadioGroup
            aria-label="Row height"
            layout="segments"
            className="flex w-full"
            options={densityOptions}
            value={density}
            onValueChange={setDensity}
          />
        </div>
        <div>
          <p className="mb-1.5 text-meta text-subtle">Columns</p>
          <div className="flex flex-col gap-1.5">
            {props.columns.map((column) => (
              <Checkbox
                key={column.id}
                label={column.header}
                checked={column.visible}
                disabled={column.locked}
                onCheckedChange={(visible) => props.onToggle(column.id, visible)}
              />
            ))}
          </div>
        </div>
        {props.more}
      </div>
    </Popover>
  );
}
