"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { formatNumber, plural } from "@/components/kit/format";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Inputs } from "@/components/trpc/client";
import type { MomentTarget } from "./source";

export type AddInput =
  | { kind: "range"; input: Omit<Inputs["moments"]["add"], "dataset"> }
  | { kind: "many"; input: Omit<Inputs["moments"]["addMany"], "dataset"> };

type AddTarget = Pick<MomentTarget, "uid" | "name" | "slug" | "owner_name">;

export interface Adding {
  busy: boolean;
  /** The addition that was made last, whose progress is shown. */
  added: string | null;
  /** Adds to a dataset; resolves to the addition, null without anything to add, undefined if refused. Never rejects. */
  add: (target: AddTarget, what: AddInput) => Promise<string | null | undefined>;
}

/** Adds moments to a dataset, says what happens and offers to open the dataset and to undo. */
export function useAddMoment(): Adding {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [added, setAdded] = useState<string | null>(null);
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.moments.pathFilter()),
      queryClient.invalidateQueries(trpc.alerts.timeline.pathFilter()),
    ]);
  const undo = async (uid: string) => {
    try {
      await client.moments.undo.mutate({ uid });
      setAdded(null);
      toast.success("The items are taken back");
    } catch (error) {
      toast.failure(error, { title: "This could not be undone" });
    }
    await refresh();
  };
  const add: Adding["add"] = async (target, what) => {
    setBusy(true);
    try {
      const dataset = target.uid;
      const result =
        what.kind === "range"
          ? await client.moments.add.mutate({ ...what.input, dataset })
          : await client.moments.addMany.mutate({ ...what.input, dataset });
      const open = { label: "Open", onClick: () => router.push(`/datasets/${target.owner_name}/${target.slug}`) };
      const { moment_uid: uid, planned, present } = result;
      if (uid === null)
        toast.success(`Nothing to add: all ${formatNumber(present)} are in ${target.name} already`, { action: open });
      else
        toast.undo(`${plural(planned, "item")} on their way to ${target.name}`, () => void undo(uid), undefined, open);
      setAdded(uid);
      // The panel closes meanwhile.
      void refresh();
      return uid;
    } catch (error) {
      toast.failure(error, { title: "Nothing was added" });
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  return { busy, added, add };
}
