"use client";

import { useQuery } from "@tanstack/react-query";
import { ButtonLink } from "@/components/kit/button";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { useTRPC } from "@/components/trpc/client";
import { hasParts } from "@/domain/exports/formats";
import { ExportContents } from "./export-contents";
import { ExportFacts } from "./export-facts";
import { ExportOutcome } from "./export-outcome";
import { ExportState } from "./export-status";
import { exportHref, type Export } from "./query";
import type { ExportActions } from "./use-export-actions";

export interface ExportDrawerProps {
  /** The export shown; null closes the drawer. */
  uid: string | null;
  /** The same export as the list has it. */
  row: Export | undefined;
  actions: ExportActions;
  onClose: () => void;
}

/** An export at a glance, beside the list. */
export function ExportDrawer({ uid, row, actions, onClose }: ExportDrawerProps) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.exports.overviewOf.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null && row === undefined,
  });
  return (
    <ResourceDrawer<Export>
      uid={uid}
      noun="export"
      resource={row ?? query.data}
      getName={(of) => of.name}
      subtitle={(of) => <ExportState of={of} />}
      links={(of) => (
        <ButtonLink href={exportHref(of.uid)} size="sm">
          Open
        </ButtonLink>
      )}
      menu={(of) => actions.menu(of)}
      query={query}
      onClose={onClose}
    >
      {(of) => (
        <>
          <ExportOutcome of={of} actions={actions} />
          <ExportFacts of={of} />
          {of.contents !== null && (
            <section>
              <h3 className="mb-2 text-table font-semibold">Contents</h3>
              <ExportContents contents={of.contents} numbered={hasParts(of.format)} />
            </section>
          )}
        </>
      )}
    </ResourceDrawer>
  );
}
