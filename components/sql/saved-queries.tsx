"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Bookmark, BookmarkPlus, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import { Button } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { Popover } from "@/components/kit/popover";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { SavedQuery } from "./query";

// Loaded when a query is saved, because it brings the form library.
const SaveQueryDialog = lazyDialog(async () => (await import("./save-query-dialog")).SaveQueryDialog);

/** The organization's saved queries: take one, save the one that is written, copy the link. */
export function SavedQueries({ sql, onPick }: { sql: string; onPick: (sql: string) => void }) {
  const trpc = useTRPC();
  const permissions = usePermissions();
  const [open, setOpen] = useState(false);
  const [saving, setSaving] = useState(false);
  const list = useQuery({ ...trpc.signals.saved.queryOptions(), enabled: open });
  const queries = list.data?.results;
  const remove = useRemoval();
  return (
    <>
      <Popover
        title="Saved queries"
        open={open}
        onOpenChange={setOpen}
        trigger={
          <Button icon={<Bookmark aria-hidden />} aria-label="Saved queries">
            <span className="max-sm:sr-only">Saved</span>
          </Button>
        }
        className="w-80 p-1"
      >
        {list.error && <p className="px-2 py-1.5 text-table text-critical-text">The queries could not be loaded.</p>}
        {queries?.length === 0 && (
          <p className="px-2 py-1.5 text-table text-muted">No queries yet. Write one, then save it under a name.</p>
        )}
        {queries && queries.length > 0 && (
          <ul className="max-h-72 overflow-y-auto">
            {queries.map((query) => (
              <li key={query.uid} className="group flex items-center rounded-control hover:bg-hover">
                <button
                  type="button"
                  title={query.sql}
                  aria-current={query.sql === sql ? "true" : undefined}
                  onClick={() => {
                    setOpen(false);
                    onPick(query.sql);
                  }}
                  className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-control px-2 text-left text-table aria-current:font-medium"
                >
                  <span className="truncate">{query.name}</span>
                  <span className="ml-auto shrink-0 text-meta text-subtle">{query.created_by_name}</span>
                </button>
                {permissions.refusal({ author: query.created_by }) === undefined && (
                  <IconButton
                    label={`Delete query ${query.name}`}
                    size="sm"
                    icon={<Trash2 aria-hidden />}
                    onClick={() => remove.mutate(query)}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
        <div className="mt-1 flex flex-wrap gap-1 border-t p-1 pt-2">
          <Button
            size="sm"
            icon={<BookmarkPlus aria-hidden />}
            disabledReason={permissions.refusal() ?? (sql.trim() === "" ? "Write a query first." : undefined)}
            onClick={() => {
              setOpen(false);
              setSaving(true);
            }}
          >
            Save query
          </Button>
          <CopyLink size="sm" />
        </div>
      </Popover>
      <Suspense>{saving && <SaveQueryDialog sql={sql} onClose={() => setSaving(false)} />}</Suspense>
    </>
  );
}

function useRemoval() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries(trpc.signals.saved.queryFilter());
  return useMutation({
    mutationFn: ({ uid }: SavedQuery) => client.signals.remove.mutate({ uid }),
    onSuccess: (_, { name, sql }) => {
      void refresh();
      toast.undo(
        `Deleted query ${name}`,
        () => void client.signals.save.mutate({ name, sql }).then(refresh, toast.failure),
      );
    },
    onError: (error) => toast.failure(error),
  });
}
