"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { checkTexts } from "./labels";
import type { Bucket } from "./query";

/** Tests buckets one after another; the results arrive with the queries that show them. */
export function useStorageTest() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [testing, setTesting] = useState<string | null>(null);
  const run = async ({ uid, name }: Pick<Bucket, "uid" | "name">) => {
    setTesting(uid);
    try {
      const { checks } = await client.storage.test.mutate({ uid });
      const failed = checks.find(({ ok }) => ok === false);
      if (failed)
        toast.failure(failed.message ?? "It failed.", { title: `${name}: ${checkTexts[failed.name].label} fails` });
      else toast.success(`${name} works`);
      await queryClient.invalidateQueries(trpc.storage.pathFilter());
    } catch (error) {
      toast.failure(error, { title: `${name} was not tested` });
    } finally {
      setTesting(null);
    }
  };
  return {
    testing,
    test: (bucket: Pick<Bucket, "uid" | "name">) => {
      if (testing === null) void run(bucket);
    },
  };
}
