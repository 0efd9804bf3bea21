"use client";

import { useState } from "react";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import type { Subject } from "@/components/recording/session/panel-type";
import type { PanelState } from "@/domain/layouts/panel-configs";
import { getTitle, panelTypeIds, panelTypes } from "./panel-types";
import { listOffers } from "./suggestion";

/** Offers of one type that are listed; more are found by a search. */
const maxOffers = 12;

interface PanelChooserProps {
  subject: Subject;
  onChoose: (panel: PanelState) => void;
  onClose: () => void;
}

/** Everything that a panel of this recording could show. */
export default function PanelChooser({ subject, onChoose, onClose }: PanelChooserProps) {
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const sections = panelTypeIds.flatMap((type) => {
    const { label } = panelTypes[type];
    const offers = listOffers(type, subject).filter(({ panel, note = "" }) =>
      `${label} ${getTitle(panel)} ${note}`.toLowerCase().includes(wanted),
    );
    return offers.length > 0 ? [{ type, label, offers }] : [];
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} size="sm" title="What to show">
      <div className="flex flex-col gap-3">
        <Input value={search} onValueChange={setSearch} placeholder="Find a topic" aria-label="Find a panel" />
        <div className="max-h-[50vh] overflow-y-auto">
          {sections.map(({ type, label, offers }) => {
            const { icon: Icon } = panelTypes[type];
            return (
              <section key={type} aria-label={label} className="mb-2">
                <h3 className="px-2 py-1 text-meta text-subtle">{label}</h3>
                <ul>
                  {offers.slice(0, maxOffers).map(({ panel, note }, at) => (
                    <li key={`${getTitle(panel)} ${at}`}>
                      <button
                        type="button"
                        onClick={() => onChoose(panel)}
                        className="flex w-full items-center gap-2 rounded-control px-2 py-1.5 text-left text-table hover:bg-hover -outline-offset-2!"
                      >
                        <Icon aria-hidden className="size-4 shrink-0 text-subtle" />
                        <span className="min-w-0 truncate">{getTitle(panel)}</span>
                        {note && <span className="shrink-0 text-meta text-subtle">{note}</span>}
                      </button>
                    </li>
                  ))}
                </ul>
                {offers.length > maxOffers && (
                  <p className="px-2 text-meta text-subtle">{offers.length - maxOffers} more: search for them.</p>
                )}
              </section>
            );
          })}
          {sections.length === 0 && <p className="px-2 text-table text-muted">Nothing of this recording matches.</p>}
        </div>
      </div>
    </Dialog>
  );
}
