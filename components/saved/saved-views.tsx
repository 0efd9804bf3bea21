"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { useState } from "react";
import { useTRPC, useTRPCClient, type Inputs } from "@/components/trpc/client";
import type { ViewScreen } from "@/domain/views/schema";
import { SavedMenu } from "./saved-menu";

/** Parameters that belong to one visit of a list, or as `demo` to all pages, and not to a saved view. */
const transientParameters = ["selected", "register", "upload", "new", "demo"];

/** The address's query as a view stores it; parameters are sorted, so that equal views compare equal. */
function viewQuery(parameters: URLSearchParams): string {
  const result = new URLSearchParams(parameters);
  for (const key of transientParameters) result.delete(key);
  result.sort();
  return result.toString();
}

/** A list's saved views: pick one, save what the address holds now, copy the link. */
export function SavedViews({ screen }: { screen: ViewScreen }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const pathname = usePathname();
  const query = viewQuery(useSearchParams());
  const [open, setOpen] = useState(false);
  const list = useQuery({ ...trpc.views.list.queryOptions({ screen }), enabled: open });
  const refresh = () => queryClient.invalidateQueries(trpc.views.list.queryFilter({ screen }));
  const save = async (view: Inputs["views"]["save"]) => {
    const saved = await client.views.save.mutate(view);
    await refresh();
    return saved;
  };
  return (
    <SavedMenu
      noun="view"
      nouns="views"
      label="Views"
      hint="Set filters, then save them under a name."
      description="Keeps the filters, the order and the tab of this list under a name."
      isShareable
      list={list}
      open={open}
      onOpenChange={setOpen}
      describe={(view) => ({
        target: view.query ? `${pathname}?${view.query}` : pathname,
        isCurrent: viewQuery(new URLSearchParams(view.query)) === query,
        owner: view.shared && (
          <>
            <Users aria-hidden className="size-3" />
            {view.owner}
          </>
        ),
        isRemovable: view.removable,
      })}
      onSave={(fields) => save({ screen, query, ...fields })}
      onRemove={async ({ uid }) => {
        await client.views.delete.mutate({ uid });
        void refresh();
      }}
      onRestore={(view) => save({ screen, name: view.name, query: view.query, shared: view.shared })}
      className="w-72 p-1"
    />
  );
}
