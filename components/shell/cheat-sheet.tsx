"use client";

import { Dialog } from "@/components/kit/dialog";
import { KeyHint } from "@/components/kit/kbd";
import { useRegisteredShortcuts, type Shortcut } from "@/components/kit/shortcuts";

/** Groups that are the same on every page; the page's own come before them. */
const commonGroups = ["Go to", "Anywhere"];

/**
 * The shortcuts in force, in groups, the page's own first. Of several with the same keys only the last is in force, as
 * when they are pressed.
 */
export function groupShortcuts(shortcuts: readonly Shortcut[]): [group: string, lines: Shortcut[]][] {
  const inForce = new Map(shortcuts.map((shortcut) => [shortcut.keys, shortcut])).values();
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of inForce) {
    if (!shortcut.hidden) groups.set(shortcut.group, [...(groups.get(shortcut.group) ?? []), shortcut]);
  }
  return [...groups].toSorted(([a], [b]) => commonGroups.indexOf(a) - commonGroups.indexOf(b));
}

/** Every shortcut that works on this page, in groups. */
export function CheatSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const groups = groupShortcuts(useRegisteredShortcuts());
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts" size="lg" reading>
      <div className="gap-x-10 sm:columns-2">
        {groups.map(([group, lines]) => (
          <section key={group} className="mb-6 break-inside-avoid">
            <h3 className="mb-1 text-meta text-subtle">{group}</h3>
            <dl>
              {lines.map(({ keys, label, disabledReason }) => (
                <div key={keys} className="flex min-h-8 items-center justify-between gap-4 border-b py-1 last:border-0">
                  <dt className={disabledReason === undefined ? undefined : "text-muted"}>
                    {label}
                    {disabledReason !== undefined && (
                      <span className="block text-meta text-subtle">{disabledReason}</span>
                    )}
                  </dt>
                  <dd>
                    <KeyHint keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
