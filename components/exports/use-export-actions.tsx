"use client";

import { useQueryClient } from "@tanstack/react-query";
import {
  CopyPlus,
  Download,
  RotateCw,
  Settings2,
  CircleStop,
  SquareArrowOutUpRight,
  Terminal,
  Trash2,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { useCopy } from "@/components/kit/copy-button";
import { plural } from "@/components/kit/format";
import type { MenuItem } from "@/components/kit/menu";
import type { BulkResult } from "@/components/product/bulk-actions";
import { useOrigin } from "@/components/product/origin";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { linkCommand } from "./commands";
import { isExpired, isUnderWay } from "./labels";
import { exportHref, repeatHref, type Export } from "./query";
import { watchExports } from "./watch-store";

type Named = Pick<Export, "uid" | "name">;

export interface ExportActions {
  /** Items of a menu; `open` puts the link to the export's page in front. */
  menu: (of: Export, options?: { open?: boolean }) => MenuItem[];
  abort: (of: Named) => Promise<void>;
  retry: (of: Named) => Promise<void>;
  repeat: (of: readonly Named[]) => Promise<void>;
  copyCommand: (of: Export) => void;
  confirmDelete: (of: readonly Named[]) => void;
  /** The dialogs these actions need; draw it once. */
  dialogs: ReactNode;
}

interface ExportActionsOptions {
  onDeleted: (uids: readonly string[]) => void;
  /** Called with the exports that repeating has made. */
  onMade?: (uids: readonly string[]) => void;
}

/** Why there is nothing to download. */
const noFile = (of: Export): string =>
  isExpired(of) ? "Its file has expired." : isUnderWay(of) ? "Its file is not ready yet." : "It has no file.";

/** Why some of several could not be changed. */
const reasons = ({ results }: BulkResult): string =>
  [...new Set(results.flatMap(({ error }) => (error === null ? [] : [error])))].slice(0, 3).join(" ");

/** What can be done with exports, one or many, the same in the list, its menus, the drawer and the page. */
export function useExportActions({ onDeleted, onMade }: ExportActionsOptions): ExportActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const origin = useOrigin();
  const { copy } = useCopy();
  const { refusal } = usePermissions();
  const [targets, setTargets] = useState<readonly Named[]>([]);
  const [deleting, setDeleting] = useState(false);
  const refresh = () => queryClient.invalidateQueries(trpc.exports.pathFilter());

  /** Runs an action and refetches; if it fails, a toast with `title` offers a retry. */
  const run = async (title: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      toast.failure(error, { title, onRetry: () => void run(title, work) });
    }
    await refresh();
  };
  const abort = ({ uid, name }: Named) =>
    run(`${name} was not stopped`, async () => {
      await client.exports.abort.mutate({ uid });
      toast.success(`${name} was stopped`);
    });
  const retry = ({ uid, name }: Named) =>
    run(`${name} was not tried again`, async () => {
      await client.exports.retry.mutate({ uid });
      // Not earlier, or its failure would be reported again.
      watchExports([uid]);
      toast.success(`${name} is tried again`);
    });
  const track = (made: readonly string[]) => {
    onMade?.(made);
    watchExports(made);
  };
  const repeatOne = ({ uid, name }: Named) =>
    run(`${name} was not repeated`, async () => {
      const again = await client.exports.repeat.mutate({ uid });
      track([again.uid]);
      toast.success(`${name} is exported again`, {
        action: { label: "Open", onClick: () => router.push(exportHref(again.uid)) },
      });
    });
  const repeat = (of: readonly Named[]) => {
    const [only] = of;
    if (only && of.length === 1) return repeatOne(only);
    return run("Nothing was repeated", async () => {
      const result = await client.exports.repeatMany.mutate({ uids: of.map(({ uid }) => uid) });
      track(result.results.flatMap(({ repeated_uid }) => repeated_uid ?? []));
      if (result.succeeded > 0) toast.success(`${plural(result.succeeded, "export")} requested again`);
      if (result.failed > 0)
        toast.failure(reasons(result), { title: `${plural(result.failed, "export")} not repeated` });
    });
  };
  const remove = async () => {
    try {
      const result = await client.exports.deleteMany.mutate({ uids: targets.map(({ uid }) => uid) });
      onDeleted(result.results.flatMap(({ uid, ok }) => (ok ? [uid] : [])));
      if (result.succeeded > 0) toast.success(`${plural(result.succeeded, "export")} deleted`);
      if (result.failed > 0)
        toast.failure(reasons(result), { title: `${plural(result.failed, "export")} not deleted` });
    } catch (error) {
      toast.failure(error, { title: "Nothing was deleted" });
      throw error;
    }
    await refresh();
  };
  const copyCommand = (of: Export) => {
    const command = linkCommand(of, origin);
    if (command === null) {
      toast.failure(noFile(of));
      return;
    }
    void copy(command);
    toast.success("The curl command was copied");
  };
  const confirmDelete = (of: readonly Named[]) => {
    setTargets(of);
    setDeleting(true);
  };

  const menu: ExportActions["menu"] = (of, options = {}) => {
    const [own, make] = [refusal({ author: of.created_by_uid }), refusal()];
    const items: (MenuItem | false)[] = [
      options.open === true && {
        label: "Open",
        icon: <SquareArrowOutUpRight aria-hidden />,
        keys: "enter",
        href: exportHref(of.uid),
      },
      of.download_url !== null && {
        label: "Download",
        icon: <Download aria-hidden />,
        onSelect: () => location.assign(of.download_url ?? ""),
      },
      {
        label: "Copy curl",
        icon: <Terminal aria-hidden />,
        keys: "y",
        disabledReason: of.download_url === null ? noFile(of) : undefined,
        onSelect: () => copyCommand(of),
      },
      "separator",
      isUnderWay(of) && {
        label: "Stop",
        icon: <CircleStop aria-hidden />,
        disabledReason: own,
        onSelect: () => void abort(of),
      },
      (of.status === "failed" || of.status === "aborted") && {
        label: "Retry",
        icon: <RotateCw aria-hidden />,
        disabledReason: own,
        onSelect: () => void retry(of),
      },
      { label: "Repeat", icon: <CopyPlus aria-hidden />, disabledReason: make, onSelect: () => void repeat([of]) },
      { label: "Repeat with changes", icon: <Settings2 aria-hidden />, disabledReason: make, href: repeatHref(of) },
      "separator",
      {
        label: "Delete",
        icon: <Trash2 aria-hidden />,
        danger: true,
        disabledReason: own,
        onSelect: () => confirmDelete([of]),
      },
    ];
    return items.filter((item) => item !== false);
  };

  const [first] = targets;
  const name = first && targets.length === 1 ? first.name : plural(targets.length, "export");
  const dialogs = first && (
    <ConfirmDialog
      open={deleting}
      onOpenChange={(open) => !open && setDeleting(false)}
      title={`Delete ${name}?`}
      description={`${targets.length === 1 ? "Its file is" : "Their files are"} deleted and links to ${
        targets.length === 1 ? "it" : "them"
      } stop working. What is under way is stopped. Items and results stay.`}
      action={targets.length === 1 ? "Delete export" : `Delete ${name}`}
      onConfirm={remove}
    />
  );
  return { menu, abort, retry, repeat, copyCommand, confirmDelete, dialogs };
}
