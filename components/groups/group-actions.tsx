"use client";

import { useQueryClient } from "@tanstack/react-query";
import { FolderPlus, Pencil, Plus, SquareArrowOutUpRight, Trash2 } from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { AddDevicesDialog } from "./add-devices-dialog";
import type { Group } from "./query";

// Loaded when a group is edited, because it brings the form library.
const GroupDialog = lazyDialog(async () => (await import("./group-dialog")).GroupDialog);

type Kind = "create" | "edit" | "inside" | "add" | "delete";

export interface GroupActions {
  /** Why the person may not change groups. */
  reason: string | undefined;
  /** Items of a menu; `open` puts the link to the group's page in front. */
  menu: (group: Group, options?: { open?: boolean }) => MenuItem[];
  create: () => void;
  createInside: (group: Group) => void;
  addDevices: (group: Group) => void;
  /** The dialogs these actions need; draw it once. */
  dialogs: ReactNode;
}

/** What is lost with a group, in sentences. */
function describeLoss({ devices, groups, rules }: Group): string {
  const sentences = [
    devices === 0
      ? "It has no devices."
      : `Its ${plural(devices, "device stays as it is", "devices stay as they are")}.`,
  ];
  if (groups > 0) sentences.push(`The ${plural(groups, "group in it moves up", "groups in it move up")}.`);
  if (rules > 0)
    sentences.push(`${plural(rules, "rule names", "rules name")} it, and will no longer watch its devices through it.`);
  return sentences.join(" ");
}

/** What can be done with a group, the same in the list and on its page. */
export function useGroupActions(options: { onDeleted: (uid: string) => void }): GroupActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { refusal } = usePermissions();
  const reason = refusal({ role: "admin" });
  const [target, setTarget] = useState<Group | null>(null);
  // Kept while a dialog closes, so that its text does not change during the animation.
  const [kind, setKind] = useState<Kind | null>(null);
  const open = (next: Kind, group: Group | null) => {
    setTarget(group);
    setKind(next);
  };
  const close = () => setKind(null);

  const remove = async (group: Group) => {
    try {
      await client.groups.delete.mutate({ uid: group.uid });
    } catch (error) {
      toast.failure(error, { title: "The group was not deleted" });
      throw error;
    }
    toast.success(`${group.name} was deleted`);
    options.onDeleted(group.uid);
    await queryClient.invalidateQueries(trpc.groups.overview.pathFilter());
  };

  const menu: GroupActions["menu"] = (group, { open: opens = false } = {}) => [
    ...(opens
      ? [{ label: "Open", icon: <SquareArrowOutUpRight aria-hidden />, keys: "enter", href: `/groups/${group.uid}` }]
      : []),
    {
      label: "Add devices",
      icon: <Plus aria-hidden />,
      disabledReason: reason,
      onSelect: () => open("add", group),
    },
    {
      label: "New group inside",
      icon: <FolderPlus aria-hidden />,
      disabledReason: reason,
      onSelect: () => open("inside", group),
    },
    {
      label: "Rename or move",
      icon: <Pencil aria-hidden />,
      disabledReason: reason,
      onSelect: () => open("edit", group),
    },
    "separator",
    {
      label: "Delete",
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabledReason: reason,
      onSelect: () => open("delete", group),
    },
  ];

  const dialogs = (
    <>
      <Suspense>
        {kind === "create" && <GroupDialog group={null} onClose={close} />}
        {kind === "inside" && target && <GroupDialog group={null} parent={target} onClose={close} />}
        {kind === "edit" && target && <GroupDialog key={target.uid} group={target} onClose={close} />}
      </Suspense>
      {kind === "add" && target && <AddDevicesDialog group={target} onClose={close} />}
      {target && (
        <ConfirmDialog
          open={kind === "delete"}
          onOpenChange={(next) => !next && close()}
          title={`Delete ${target.name}?`}
          description={describeLoss(target)}
          action="Delete group"
          typeToConfirm={target.rules > 0 ? target.name : undefined}
          onConfirm={() => remove(target)}
        />
      )}
    </>
  );

  return {
    reason,
    menu,
    create: () => open("create", null),
    createInside: (group) => open("inside", group),
    addDevices: (group) => open("add", group),
    dialogs,
  };
}
