"use client";

import { useQueryClient } from "@tanstack/react-query";
import { CopyPlus, PackageOpen, Pencil, SquareArrowOutUpRight, TextCursorInput, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { newSliceHref } from "@/components/items/filter/slice-address";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { exportHref, sliceHref, type Slice } from "./query";
import { RenameSlice } from "./rename-slice";

export interface SliceActions {
  /** Items of a menu; `open` puts the link to the slice's page in front. */
  menu: (slice: Slice, options?: { open?: boolean }) => MenuItem[];
  confirmDelete: (slices: readonly Slice[]) => void;
  /** The dialogs these actions need; draw it once. */
  dialogs: ReactNode;
}

/** What can be done with slices, the same in the list, its menus and the page. */
export function useSliceActions(onDeleted: (uids: readonly string[]) => void): SliceActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { refusal } = usePermissions();
  const [targets, setTargets] = useState<readonly Slice[]>([]);
  const [kind, setKind] = useState<"rename" | "delete" | null>(null);
  const open = (next: "rename" | "delete", slices: readonly Slice[]) => {
    setTargets(slices);
    setKind(next);
  };

  const remove = async () => {
    const gone: string[] = [];
    try {
      for (const { uid } of targets) {
        await client.slices.delete.mutate({ uid });
        gone.push(uid);
      }
      toast.success(
        targets.length === 1 ? `${targets[0]?.name} was deleted` : `${plural(gone.length, "slice")} deleted`,
      );
    } catch (error) {
      toast.failure(error, { title: `${targets[gone.length]?.name ?? "The slice"} was not deleted` });
      throw error;
    } finally {
      if (gone.length > 0) onDeleted(gone);
      await queryClient.invalidateQueries(trpc.slices.pathFilter());
    }
  };

  const menu: SliceActions["menu"] = (slice, options = {}) => {
    const make = refusal();
    const own = refusal({ author: slice.created_by_uid });
    const items: (MenuItem | false)[] = [
      options.open === true && {
        label: "Open",
        icon: <SquareArrowOutUpRight aria-hidden />,
        href: sliceHref(slice.uid),
      },
      options.open === true && {
        label: "Edit filter",
        icon: <Pencil aria-hidden />,
        disabledReason: own,
        href: `${sliceHref(slice.uid)}?edit=1`,
      },
      {
        label: "Rename",
        icon: <TextCursorInput aria-hidden />,
        disabledReason: own,
        onSelect: () => open("rename", [slice]),
      },
      {
        label: "Duplicate",
        icon: <CopyPlus aria-hidden />,
        disabledReason: make,
        href: newSliceHref({
          dataset: slice.dataset,
          filter: slice.filter_query_string,
          name: `${slice.name} copy`,
          description: slice.description,
        }),
      },
      "separator",
      { label: "Export", icon: <PackageOpen aria-hidden />, disabledReason: make, href: exportHref([slice.uid]) },
      "separator",
      {
        label: "Delete",
        icon: <Trash2 aria-hidden />,
        danger: true,
        disabledReason: own,
        onSelect: () => open("delete", [slice]),
      },
    ];
    return items.filter((item) => item !== false);
  };

  const [first] = targets;
  const name = first && targets.length === 1 ? first.name : plural(targets.length, "slice");
  const uses = targets.reduce((sum, { export_count: count }) => sum + count, 0);
  const dialogs = first && (
    <>
      <RenameSlice key={first.uid} slice={first} open={kind === "rename"} onClose={() => setKind(null)} />
      <ConfirmDialog
        open={kind === "delete"}
        onOpenChange={(isOpen) => !isOpen && setKind(null)}
        title={`Delete ${name}?`}
        description={
          <>
            Items stay in their dataset.{" "}
            {uses > 0 &&
              `${plural(uses, "export")} of it ${uses === 1 ? "keeps its file" : "keep their files"}, but cannot be repeated.`}
          </>
        }
        action={targets.length === 1 ? "Delete slice" : `Delete ${name}`}
        onConfirm={remove}
      />
    </>
  );
  return { menu, confirmDelete: (slices) => open("delete", slices), dialogs };
}
