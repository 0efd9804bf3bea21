"use client";

import { useQueryClient } from "@tanstack/react-query";
import { FileClock, Filter, PackageOpen, Pencil, SquareArrowOutUpRight, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import { newSliceHref } from "@/components/items/filter/slice-address";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { datasetHref, datasetPath, exportHref, type Dataset } from "./query";

// Loaded when it is opened, because it brings the form library.
const RenameDataset = lazyDialog(async () => (await import("./rename-dataset")).RenameDataset);

/** What can be done with datasets, one or many, the same in the list and on the page. */
export function useDatasetActions(onDeleted: (uids: readonly string[]) => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { refusal } = usePermissions();
  const [renamed, setRenamed] = useState<Dataset | null>(null);
  const [targets, setTargets] = useState<readonly Dataset[]>([]);
  const [deleting, setDeleting] = useState(false);
  const [admin, member] = [refusal({ role: "admin" }), refusal()];

  const remove = async () => {
    const deleted: string[] = [];
    try {
      for (const dataset of targets) {
        await client.datasets.delete.mutate(datasetPath(dataset));
        deleted.push(dataset.uid);
      }
    } catch (error) {
      toast.failure(error, { title: deleted.length === 0 ? "Nothing was deleted" : "Not all were deleted" });
      throw error;
    } finally {
      if (deleted.length > 0) {
        toast.success(`${targets.length === 1 ? (targets[0]?.name ?? "") : plural(deleted.length, "dataset")} deleted`);
        onDeleted(deleted);
        // Only the list: what a dataset's page shows is gone.
        await queryClient.invalidateQueries(trpc.datasets.overview.pathFilter());
      }
    }
  };
  const confirmDelete = (of: readonly Dataset[]) => {
    setTargets(of);
    setDeleting(true);
  };

  const menu = (of: Dataset, options: { open?: boolean } = {}): MenuItem[] => [
    ...(options.open === true
      ? [
          {
            label: "Open",
            icon: <SquareArrowOutUpRight aria-hidden />,
            keys: "enter",
            href: datasetHref(of),
          } satisfies MenuItem,
        ]
      : []),
    {
      label: "New slice",
      icon: <Filter aria-hidden />,
      disabledReason: member,
      href: newSliceHref({ dataset: of.uid }),
    },
    { label: "Add from recordings", icon: <FileClock aria-hidden />, disabledReason: member, href: "/recordings" },
    { label: "Export", icon: <PackageOpen aria-hidden />, disabledReason: member, href: exportHref([of.uid]) },
    { label: "Rename", icon: <Pencil aria-hidden />, disabledReason: admin, onSelect: () => setRenamed(of) },
    "separator",
    {
      label: "Delete",
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabledReason: admin,
      onSelect: () => confirmDelete([of]),
    },
  ];

  const [first] = targets;
  const name = first && targets.length === 1 ? first.name : plural(targets.length, "dataset");
  const used = targets.find(({ projects }) => projects.length > 0);
  const dialogs = (
    <>
      {renamed && (
        <Suspense>
          <RenameDataset dataset={renamed} onClose={() => setRenamed(null)} />
        </Suspense>
      )}
      {first && (
        <ConfirmDialog
          open={deleting}
          onOpenChange={(open) => !open && setDeleting(false)}
          title={`Delete ${name}?`}
          description={
            used
              ? `${used.name} is used by ${used.projects.join(", ")}. Cancel these projects first.`
              : "Its items, files, slices and results are deleted. Recordings that items were made from stay."
          }
          action={targets.length === 1 ? "Delete dataset" : `Delete ${name}`}
          typeToConfirm={targets.length === 1 ? first.name : String(targets.length)}
          onConfirm={remove}
        />
      )}
    </>
  );
  return { menu, confirmDelete, dialogs, reason: admin, exportReason: member };
}
