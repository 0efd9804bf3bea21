"use client";

import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, Pencil, Stethoscope, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { DeleteStorage } from "./delete-storage";
import type { Bucket } from "./query";
import { useStorageTest } from "./use-storage-test";

// Loaded when one is opened, because they bring the form library.
const RenameDialog = lazyDialog(async () => (await import("./change-storage")).RenameDialog);
const RotateDialog = lazyDialog(async () => (await import("./change-storage")).RotateDialog);

interface Chosen {
  action: "rename" | "rotate" | "delete";
  bucket: Bucket;
}

/** What can be done with a bucket, for its row, its drawer and its page. `onDeleted` leaves what shows it. */
export function useStorageActions(onDeleted: (uid: string) => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const { testing, test } = useStorageTest();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const close = () => setChosen(null);

  const remove = async ({ uid, name }: Bucket) => {
    try {
      await client.storage.delete.mutate({ uid });
    } catch (error) {
      toast.failure(error, { title: `${name} was not disconnected` });
      throw error;
    }
    toast.success(`${name} was disconnected`);
    onDeleted(uid);
    // Only the list: what its page shows is gone.
    await queryClient.invalidateQueries(trpc.storage.overview.pathFilter());
  };

  const open = (action: Chosen["action"], bucket: Bucket) => setChosen({ action, bucket });
  const menu = (bucket: Bucket): MenuItem[] => [
    { label: "Test now", icon: <Stethoscope aria-hidden />, disabledReason: reason, onSelect: () => test(bucket) },
    { label: "Rename", icon: <Pencil aria-hidden />, disabledReason: reason, onSelect: () => open("rename", bucket) },
    {
      label: "Replace credentials",
      icon: <KeyRound aria-hidden />,
      disabledReason: reason,
      onSelect: () => open("rotate", bucket),
    },
    "separator",
    {
      label: "Disconnect",
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabledReason: reason,
      onSelect: () => open("delete", bucket),
    },
  ];
  const dialogs = chosen && (
    <Suspense>
      {chosen.action === "rename" && <RenameDialog bucket={chosen.bucket} onClose={close} />}
      {chosen.action === "rotate" && <RotateDialog bucket={chosen.bucket} onClose={close} />}
      {chosen.action === "delete" && (
        <DeleteStorage bucket={chosen.bucket} onClose={close} onConfirm={() => remove(chosen.bucket)} />
      )}
    </Suspense>
  );
  return { menu, dialogs, reason, testing, test, rotate: (bucket: Bucket) => open("rotate", bucket) };
}
