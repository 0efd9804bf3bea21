"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Building2, ChevronDown, Ellipsis, LayoutDashboard } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { Button } from "@/components/kit/button";
import { Input } from "@/components/kit/input";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { LazyMenu, type MenuItem } from "@/components/kit/menu";
import { Popover } from "@/components/kit/popover";
import { nextPage } from "@/components/list/list-input";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import type { Layout } from "@/domain/layouts/tree";
import { useLayoutEditing } from "./layout-editing";
import { toBase, toSuggested, type BaseLayout } from "./use-opened-layout";

// Loaded when a layout is saved, because it brings the form library.
const SaveLayoutDialog = lazyDialog(async () => (await import("./save-layout-dialog")).default);

type SavedLayout = Outputs["layouts"]["list"]["results"][number];

/** Layouts of one request. */
const pageSize = 200;
/** From so many layouts on they are searched. */
const minSearched = 8;

interface LayoutMenuProps {
  base: BaseLayout;
  isChanged: boolean;
  /** The type of the recording's device; null while it is not known. */
  deviceType: string | null;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onSaved: (base: BaseLayout) => void;
  onOpen: (base: BaseLayout) => void;
  discard: () => void;
}

/** The layouts that can be opened, and what can be done with the one that is. */
export function LayoutMenu(props: LayoutMenuProps) {
  const { base, isChanged, deviceType, open, onOpenChange, onSaved, onOpen, discard } = props;
  const { layout, subject } = useLayoutEditing();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { recording } = useTimeline();
  const [dialog, setDialog] = useState<{ renames: SavedLayout | null } | null>(null);
  const list = useInfiniteQuery({
    ...trpc.layouts.list.infiniteQueryOptions({ limit: pageSize }, nextPage),
    enabled: open,
  });
  const { hasNextPage, isFetching, fetchNextPage } = list;
  // There are few enough for all of them to be searched here.
  useEffect(() => {
    if (open && hasNextPage && !isFetching) void fetchNextPage();
  }, [open, hasNextPage, isFetching, fetchNextPage]);
  const [search, setSearch] = useState("");
  const refresh = () => queryClient.invalidateQueries(trpc.layouts.pathFilter());
  const layouts = list.data?.pages.flatMap(({ results }) => results) ?? [];
  const wanted = search.trim().toLowerCase();
  const found = layouts.filter(({ name }) => name.toLowerCase().includes(wanted));
  const attempt = (work: () => Promise<void>) => void work().catch((error: unknown) => toast.failure(error));
  // Before it is shown, so that the next recording opens with what is seen here.
  const remember = (uid: string | null) =>
    client.layouts.use
      .mutate({ recording: recording.uid, layout: uid })
      .catch((error: unknown) => toast.failure(error));
  const show = (uid: string | null) =>
    attempt(async () => {
      onOpenChange(false);
      const remembered = remember(uid);
      const next = uid === null ? toSuggested(subject) : toBase(await client.layouts.get.query({ uid }));
      await remembered;
      onOpen(next);
    });
  const save = (tree: Layout) =>
    attempt(async () => {
      if (base.uid === null) return;
      onSaved(toBase(await client.layouts.update.mutate({ uid: base.uid, tree })));
      onOpenChange(false);
      toast.success(`Saved layout ${base.name}`);
      await refresh();
    });
  const items = useLayoutItems(deviceType, refresh, (renames) => {
    onOpenChange(false);
    setDialog({ renames });
  });
  const line =
    "flex h-8 min-w-0 flex-1 items-center gap-2 rounded-control px-2 text-left text-table aria-[current]:font-medium";
  return (
    <>
      <Popover
        title="Layouts"
        align="start"
        open={open}
        onOpenChange={onOpenChange}
        trigger={
          <Button
            size="sm"
            variant="ghost"
            icon={<LayoutDashboard aria-hidden />}
            aria-label={`Layout ${base.name}${isChanged ? ", with changes that are not saved" : ""}`}
          >
            <span className="max-w-48 truncate">{base.name}</span>
            {isChanged && <span aria-hidden className="size-1.5 shrink-0 rounded-full bg-accent" />}
            <ChevronDown aria-hidden className="size-3.5 text-subtle" />
          </Button>
        }
        className="w-80 p-1"
      >
        {list.error && <p className="px-2 py-1.5 text-table text-critical-text">The layouts could not be loaded.</p>}
        {layouts.length >= minSearched && (
          <Input
            value={search}
            onValueChange={setSearch}
            placeholder={`Find among ${layouts.length}`}
            aria-label="Find a layout"
            className="mb-1"
          />
        )}
        <ul aria-label="Layouts" className="max-h-72 overflow-y-auto">
          <li className="flex items-center rounded-control hover:bg-hover">
            <button
              type="button"
              aria-current={base.uid === null || undefined}
              className={line}
              onClick={() => show(null)}
            >
              Suggested for this recording
            </button>
          </li>
          {found.map((each) => (
            <li key={each.uid} className="flex items-center rounded-control hover:bg-hover">
              <button
                type="button"
                aria-current={each.uid === base.uid || undefined}
                className={line}
                onClick={() => show(each.uid)}
              >
                <span className="truncate">{each.name}</span>
                {each.shared && (
                  <span className="ml-auto flex shrink-0 items-center gap-1 text-meta text-subtle">
                    <Building2 aria-hidden className="size-3" />
                    {describeDefault(each)}
                  </span>
                )}
              </button>
              {each.editable && (
                <LazyMenu
                  aria-label={`Actions for layout ${each.name}`}
                  variant="ghost"
                  size="sm"
                  className="w-7 px-0"
                  icon={<Ellipsis aria-hidden />}
                  items={() => items(each)}
                />
              )}
            </li>
          ))}
        </ul>
        <div className="mt-1 flex flex-wrap gap-1 border-t p-1 pt-2">
          {base.uid !== null && base.editable && (
            <Button size="sm" disabled={!isChanged} onClick={() => save(layout)}>
              Save
            </Button>
          )}
          <Button
            size="sm"
            onClick={() => {
              onOpenChange(false);
              setDialog({ renames: null });
            }}
          >
            Save as
          </Button>
          {isChanged && (
            <Button
              size="sm"
              variant="ghost"
              onClick={() => {
                discard();
                onOpenChange(false);
              }}
            >
              Discard changes
            </Button>
          )}
        </div>
      </Popover>
      <Suspense>
        {dialog && (
          <SaveLayoutDialog
            renames={dialog.renames}
            tree={layout}
            onSaved={async (saved) => {
              if (dialog.renames === null) await remember(saved.uid);
              void refresh();
              const isShown = dialog.renames === null || saved.uid === base.uid;
              setDialog(null);
              if (isShown) onSaved(dialog.renames === null ? toBase(saved) : { ...toBase(saved), tree: base.tree });
            }}
            onClose={() => setDialog(null)}
          />
        )}
      </Suspense>
    </>
  );
}

const describeDefault = ({ default_for: of }: SavedLayout): string =>
  of === null ? "Everyone" : of.device_type === null ? "Default" : `Default for ${of.device_type}`;

/** What can be done with a saved layout. */
function useLayoutItems(
  deviceType: string | null,
  refresh: () => Promise<void>,
  rename: (layout: SavedLayout) => void,
): (layout: SavedLayout) => readonly MenuItem[] {
  const client = useTRPCClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const attempt = (work: () => Promise<unknown>) => void work().then(refresh, (error: unknown) => toast.failure(error));
  return (layout) => {
    const { uid, name, shared } = layout;
    const isDefault = (type: string | null) => layout.default_for !== null && layout.default_for.device_type === type;
    const toggleDefault = (type: string | null) =>
      attempt(() =>
        client.layouts.setDefault.mutate({ uid, default_for: isDefault(type) ? null : { device_type: type } }),
      );
    const notShared = reason ?? (shared ? undefined : "Share it first.");
    return [
      { label: "Rename or share", onSelect: () => rename(layout) },
      ...(deviceType === null
        ? []
        : [
            {
              label: `Default for devices of the type ${deviceType}`,
              checked: isDefault(deviceType),
              disabledReason: notShared,
              onSelect: () => toggleDefault(deviceType),
            },
          ]),
      {
        label: "Default for all devices",
        checked: isDefault(null),
        disabledReason: notShared,
        onSelect: () => toggleDefault(null),
      },
      "separator",
      {
        label: "Delete",
        danger: true,
        onSelect: () =>
          attempt(async () => {
            const { tree } = await client.layouts.get.query({ uid });
            await client.layouts.delete.mutate({ uid });
            toast.undo(`Deleted layout ${name}`, () =>
              attempt(() => client.layouts.create.mutate({ name, tree, shared })),
            );
          }),
      },
    ];
  };
}
