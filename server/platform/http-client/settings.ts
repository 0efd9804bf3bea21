import dns from "node:dns";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";

export interface EgressSettings {
  /** Permitted ranges that need not be public, also over http. Default: EGRESS_ALLOW_CIDRS. */
  readonly allow: readonly string[];
  /** Resolves a name to all of its addresses. */
  readonly resolve: (hostname: string) => Promise<{ address: string; family: number }[]>;
}

const holder = processWide<{ current: EgressSettings | null }>("egress", () => ({ current: null }));

/** The settings of outbound requests of this process. */
export function egressSettings(): EgressSettings {
  holder.current ??= {
    allow: env.EGRESS_ALLOW_CIDRS,
    resolve: (hostname) => dns.promises.lookup(hostname, { all: true, verbatim: true }),
  };
  return holder.current;
}

/** Replaces some of the settings of this process, for tests with local receivers; returns a function that undoes it. */
export function configureEgress(changes: Partial<EgressSettings>): () => void {
  const before = egressSettings();
  holder.current = { ...before, ...changes };
  return () => {
    holder.current = before;
  };
}
