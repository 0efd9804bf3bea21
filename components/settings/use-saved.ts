"use client";

import { useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Inputs, type Outputs } from "@/components/trpc/client";

export type Organization = Outputs["organizations"]["current"];
type Change = Inputs["organizations"]["update"];

/** Saves a change of the organization in place and offers to undo it. Resolves to whether it was saved. */
export function useSaved() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const write = async (change: Change) => {
    await client.organizations.update.mutate(change);
    await queryClient.invalidateQueries(trpc.organizations.pathFilter());
  };
  return async (label: string, change: Change, before: Change): Promise<boolean> => {
    try {
      await write(change);
    } catch (error) {
      toast.failure(error, { title: `${label} was not saved` });
      return false;
    }
    toast.undo(`${label} saved`, () => {
      write(before).then(
        () => toast.success(`${label} is as before`),
        (error: unknown) => toast.failure(error, { title: `${label} was not changed back` }),
      );
    });
    return true;
  };
}
