"use client";

import { ArrowDownWideNarrow, Layers } from "lucide-react";
import { Button } from "@/components/kit/button";
import { Menu } from "@/components/kit/menu";
import type { InboxGrouping, InboxOrder } from "@/domain/alerts/lifecycle";
import type { GroupChoice } from "./query";

export interface InboxOptionsProps {
  group: InboxGrouping | null;
  onGroup: (group: GroupChoice) => void;
  order: InboxOrder;
  onOrder: (order: InboxOrder) => void;
}

const groupLabels: Record<InboxGrouping, string> = { rule: "By rule", device: "By device" };
const orderLabels: Record<InboxOrder, string> = { severity: "Worst first", newest: "Newest first" };

/** How the list is put together: one row an alert, a rule or a device; the worst first or the newest. */
export function InboxOptions({ group, onGroup, order, onOrder }: InboxOptionsProps) {
  return (
    <>
      <Menu
        items={[
          { heading: "One row for each" },
          { label: "Alert", checked: group === null, onSelect: () => onGroup("none") },
          {
            label: "Rule",
            hint: "Collapses alerts of one rule over many devices",
            checked: group === "rule",
            onSelect: () => onGroup("rule"),
          },
          {
            label: "Device",
            hint: "Everything wrong with one device",
            checked: group === "device",
            onSelect: () => onGroup("device"),
          },
        ]}
        trigger={
          <Button
            icon={<Layers aria-hidden />}
            aria-label={group === null ? "Group" : `Grouped ${groupLabels[group].toLowerCase()}`}
          >
            {group === null ? "Group" : groupLabels[group]}
          </Button>
        }
      />
      {group === null && (
        <Menu
          items={[
            {
              label: "Worst first",
              hint: "Then the newest",
              checked: order === "severity",
              onSelect: () => onOrder("severity"),
            },
            { label: "Newest first", checked: order === "newest", onSelect: () => onOrder("newest") },
          ]}
          trigger={
            <Button
              icon={<ArrowDownWideNarrow aria-hidden />}
              aria-label={`Order: ${orderLabels[order]}`}
              className="max-sm:hidden"
            >
              <span className="@max-[600px]/list:sr-only">{orderLabels[order]}</span>
            </Button>
          }
        />
      )}
    </>
  );
}
