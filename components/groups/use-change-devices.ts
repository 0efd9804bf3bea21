"use client";

import { useQueryClient } from "@tanstack/react-query";
import { plural } from "@/components/kit/format";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Inputs } from "@/components/trpc/client";
import { maxNamed } from "@/domain/limits";
import type { Group } from "./query";

type Which = Omit<Inputs["groups"]["addDevices"], "uid">;

/** Adds devices to a group and takes them out of it, with Undo. Resolves to whether it was done. */
export function useChangeDevices(group: Pick<Group, "uid" | "name">) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { uid, name } = group;
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.groups.pathFilter()),
      queryClient.invalidateQueries(trpc.fleet.devices.pathFilter()),
    ]);

  const undo = async (back: "addDevices" | "removeDevices", changed: readonly string[]) => {
    try {
      for (let at = 0; at < changed.length; at += maxNamed)
        await client.groups[back].mutate({ uid, device_ids: changed.slice(at, at + maxNamed) });
    } catch (error) {
      toast.failure(error, { title: "It was not undone" });
    }
    await refresh();
  };

  const add = async (which: Which): Promise<boolean> => {
    try {
      const { changed } = await client.groups.addDevices.mutate({ uid, ...which });
      await refresh();
      if (changed.length === 0) toast.success("They are all in it already");
      else
        toast.undo(`${plural(changed.length, "device")} added to ${name}`, () => void undo("removeDevices", changed));
      return true;
    } catch (error) {
      toast.failure(error, { title: "The devices were not added" });
      return false;
    }
  };

  const remove = async (uids: readonly string[]): Promise<boolean> => {
    try {
      const { changed } = await client.groups.removeDevices.mutate({ uid, device_ids: [...uids] });
      await refresh();
      const elsewhere = uids.length - changed.length;
      const rest = elsewhere > 0 ? `${plural(elsewhere, "device is", "devices are")} in groups inside it.` : undefined;
      if (changed.length === 0) toast.success("Nothing was removed", { description: rest });
      else
        toast.undo(
          `${plural(changed.length, "device")} removed from ${name}`,
          () => void undo("addDevices", changed),
          rest,
        );
      return true;
    } catch (error) {
      toast.failure(error, { title: "The devices were not removed" });
      return false;
    }
  };
  return { add, remove };
}
