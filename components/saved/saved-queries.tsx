"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { SavedMenu } from "./saved-menu";

/** The organization's saved queries: take one, save the one that is written, copy the link. */
export function SavedQueries({ sql, onPick }: { sql: string; onPick: (sql: string) => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const permissions = usePermissions();
  const [open, setOpen] = useState(false);
  const list = useQuery({ ...trpc.signals.saved.queryOptions(), enabled: open });
  const refresh = () => queryClient.invalidateQueries(trpc.signals.saved.queryFilter());
  const save = async (query: { name: string; sql: string }) => {
    const saved = await client.signals.save.mutate(query);
    await refresh();
    return saved;
  };
  return (
    <SavedMenu
      noun="query"
      nouns="queries"
      label="Saved"
      hint="Write one, then save it under a name."
      description="Keeps the SQL under a name, for everyone in the organization, without the devices, recordings and times."
      isShareable={false}
      disabledReason={permissions.refusal() ?? (sql.trim() === "" ? "Write a query first." : undefined)}
      list={list}
      open={open}
      onOpenChange={setOpen}
      describe={(query) => ({
        target: () => onPick(query.sql),
        isCurrent: query.sql === sql,
        owner: query.created_by_name,
        isRemovable: permissions.refusal({ author: query.created_by }) === undefined,
        tooltip: query.sql,
      })}
      onSave={({ name }) => save({ name, sql })}
      onRemove={async ({ uid }) => {
        await client.signals.remove.mutate({ uid });
        void refresh();
      }}
      onRestore={({ name, sql: saved }) => save({ name, sql: saved })}
      className="w-80 p-1"
    />
  );
}
