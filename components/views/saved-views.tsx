"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Bookmark, BookmarkPlus, Trash2, Users } from "lucide-react";
import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { Suspense, useState } from "react";
import { Button } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { Popover } from "@/components/kit/popover";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { ViewScreen } from "@/domain/views/schema";

// Loaded when a view is saved, because it brings the form library.
const SaveViewDialog = lazyDialog(async () => (await import("./save-view-dialog")).SaveViewDialog);

/** Parameters that belong to one visit of a list and not to a saved view. */
const transientParameters = ["selected", "register", "upload", "new"];

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
  const pathname = usePathname();
  const query = viewQuery(useSearchParams());
  const [open, setOpen] = useState(false);
  const [saving, setSaving] = useState(false);
  const list = useQuery({ ...trpc.views.list.queryOptions({ screen }), enabled: open });
  const views = list.data?.results;
  const remove = useRemoval(screen);
  return (
    <>
      <Popover
        title="Saved views"
        open={open}
        onOpenChange={setOpen}
        trigger={
          <Button icon={<Bookmark aria-hidden />} aria-label="Saved views">
            <span className="max-sm:sr-only">Views</span>
          </Button>
        }
        className="w-72 p-1"
      >
        {list.error && <p className="px-2 py-1.5 text-table text-critical-text">The views could not be loaded.</p>}
        {views?.length === 0 && (
          <p className="px-2 py-1.5 text-table text-muted">No views yet. Set filters, then save them under a name.</p>
        )}
        {views && views.length > 0 && (
          <ul className="max-h-72 overflow-y-auto">
            {views.map((view) => (
              <li key={view.uid} className="group flex items-center rounded-control hover:bg-hover">
                <Link
                  href={view.query ? `${pathname}?${view.query}` : pathname}
                  aria-current={viewQuery(new URLSearchParams(view.query)) === query ? "true" : undefined}
                  onClick={() => setOpen(false)}
                  className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-control px-2 text-table aria-current:font-medium"
                >
                  <span className="truncate">{view.name}</span>
                  {view.shared && (
                    <span className="ml-auto flex shrink-0 items-center gap-1 text-meta text-subtle">
                      <Users aria-hidden className="size-3" />
                      {view.owner}
                    </span>
                  )}
                </Link>
                {view.removable && (
                  <IconButton
                    label={`Delete view ${view.name}`}
                    size="sm"
                    icon={<Trash2 aria-hidden />}
                    onClick={() => remove.mutate(view)}
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
            onClick={() => {
              setOpen(false);
              setSaving(true);
            }}
          >
            Save view
          </Button>
          <CopyLink size="sm" />
        </div>
      </Popover>
      <Suspense>{saving && <SaveViewDialog screen={screen} query={query} onClose={() => setSaving(false)} />}</Suspense>
    </>
  );
}

function useRemoval(screen: ViewScreen) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries(trpc.views.list.queryFilter({ screen }));
  return useMutation({
    mutationFn: ({ uid }: { uid: string; name: string; query: string; shared: boolean }) =>
      client.views.delete.mutate({ uid }),
    onSuccess: (_, { name, query, shared }) => {
      void refresh();
      toast.undo(
        `Deleted view ${name}`,
        () => void client.views.save.mutate({ screen, name, query, shared }).then(refresh, toast.failure),
      );
    },
    onError: (error) => toast.failure(error),
  });
}
