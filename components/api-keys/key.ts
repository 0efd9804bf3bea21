import type { Outputs } from "@/components/trpc/client";

export type Key = Outputs["apiKeys"]["list"]["results"][number];
