"use client";

import { Dialog } from "@/components/kit/dialog";
import { KeyHint } from "@/components/kit/kbd";
import { useRegisteredShortcuts, type Shortcut } from "@/components/kit/shortcuts";

/** Every shortcut that works on this page, in groups. */
export function CheatSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const shortcuts = useRegisteredShortcuts();
  const groups = new Map<string, Map<string, Shortcut>>();
  for (const shortcut of shortcuts) {
    const { group, keys, hidden } = shortcut;
    if (hidden) continue;
    if (!groups.has(group)) groups.set(group, new Map());
    groups.get(group)?.set(keys, shortcut);
  }
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts" size="lg">
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2">
        {[...groups].map(([group, lines]) => (
          <section key={group}>
            <h3 className="mb-1 text-meta text-subtle">{group}</h3>
            <dl>
              {[...lines].map(([keys, { label, disabledReason }]) => (
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
