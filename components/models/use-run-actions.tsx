"use client";

import { useQueryClient } from "@tanstack/react-query";
import { CircleStop, Images, RotateCw, SquareArrowOutUpRight, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { runHref, type Run } from "./query";
import { canRetry, isUnderWay } from "./run-state";

export interface RunActions {
  menu: (run: Run, options?: { open?: boolean }) => MenuItem[];
  stop: (run: Run) => Promise<void>;
  retry: (run: Run) => Promise<void>;
  /** Why the person may not stop, retry or delete the run. */
  refusal: (run: Run) => string | undefined;
  /** To be drawn once. */
  dialogs: ReactNode;
}

/** The items of a run's dataset in the colours of what it predicted; null once the dataset was deleted. */
const predictionsHref = ({ uid, dataset_owner: owner, dataset_slug: slug }: Run): string | null =>
  owner === null || slug === null
    ? null
    : `/datasets/${owner}/${slug}?${new URLSearchParams({ color_by: "prediction", run: uid }).toString()}`;

/** What can be done with a run, the same in the list and on its page. `onDeleted` is called after its deletion. */
export function useRunActions(onDeleted: (uid: string) => void = () => {}): RunActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const permissions = usePermissions();
  const [target, setTarget] = useState<Run | null>(null);
  // The run is kept while the dialog closes, so that its text does not change during the animation.
  const [isDeleting, setDeleting] = useState(false);
  const refresh = () => queryClient.invalidateQueries(trpc.runs.pathFilter());
  const refusal = ({ created_by_uid: author }: Run) => permissions.refusal({ author });

  const attempt = async (title: string, work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      toast.success(done);
    } catch (error) {
      toast.failure(error, { title });
    }
    await refresh();
  };
  const stop = ({ uid }: Run) =>
    attempt("The run was not stopped", () => client.runs.stop.mutate({ uid }), "The run was stopped");
  const retry = ({ uid }: Run) =>
    attempt(
      "The run was not tried again",
      () => client.runs.retry.mutate({ uid }),
      "The items without predictions are tried again",
    );
  const remove = async (run: Run) => {
    try {
      await client.runs.delete.mutate({ uid: run.uid });
    } catch (error) {
      toast.failure(error, { title: "The run was not deleted" });
      throw error;
    }
    toast.success("The run was deleted");
    onDeleted(run.uid);
    await refresh();
  };
  const menu: RunActions["menu"] = (run, { open = false } = {}) => {
    const disabledReason = refusal(run);
    const href = predictionsHref(run);
    const items: (MenuItem | false)[] = [
      open && {
        label: "Open",
        icon: <SquareArrowOutUpRight aria-hidden />,
        keys: "enter",
        href: runHref(run.uid),
      },
      href !== null && { label: "Show in the dataset", icon: <Images aria-hidden />, href },
      isUnderWay(run) && {
        label: "Stop",
        icon: <CircleStop aria-hidden />,
        disabledReason,
        onSelect: () => void stop(run),
      },
      canRetry(run) && {
        label: "Retry failed",
        icon: <RotateCw aria-hidden />,
        disabledReason,
        onSelect: () => void retry(run),
      },
      "separator",
      {
        label: "Delete",
        icon: <Trash2 aria-hidden />,
        danger: true,
        disabledReason,
        onSelect: () => {
          setTarget(run);
          setDeleting(true);
        },
      },
    ];
    return items.filter((item) => item !== false);
  };
  const dialogs = target && (
    <ConfirmDialog
      open={isDeleting}
      onOpenChange={(next) => !next && setDeleting(false)}
      title={`Delete this run of ${target.model_name}?`}
      description="Everything that it predicted goes with it. Results of people stay. This cannot be undone."
      action="Delete run"
      onConfirm={() => remove(target)}
    />
  );
  return { menu, stop, retry, refusal, dialogs };
}
