import { LRUCache } from "lru-cache";
import { processWide } from "@/server/platform/process-wide";

/** Which version of a rule about heartbeats a look was at, since when it watches, and when the look began. */
interface Look {
  version: number;
  since: Date;
  at: Date;
}

/** The last complete look of this process at the devices of each rule. */
const looks = processWide("liveRuleLooks", () => new LRUCache<string, Look>({ max: 10_000 }));

export const rememberLook = (ruleUid: string, look: Look): unknown => looks.set(ruleUid, look);

interface Watching {
  uid: string;
  version: number;
  live_since: Date;
}

/** When this process last looked at all devices of this version of the rule; null where it has not. */
export function findLook({ uid, version, live_since: since }: Watching): Date | null {
  const look = looks.get(uid);
  return look?.version === version && look.since.getTime() === since.getTime() ? look.at : null;
}

const latest = (...times: readonly Date[]): Date => new Date(Math.max(...times.map(Number)));

/**
 * From when on a rule watches a device of which it has no state yet: from when both are there, and not before the last
 * look, at which it was not in the scope. Where that is not known, a device that was there when the newest heartbeat of
 * the others was evaluated (`newest`; null: none has a state) has come into the scope only now.
 */
export function findBegin(
  { live_since: since }: Pick<Watching, "live_since">,
  { created_at: created }: { created_at: Date },
  { look, newest, now }: { look: Date | null; newest: Date | null; now: Date },
): Date {
  if (look) return latest(since, created, look);
  return newest === null || created > newest ? latest(since, created) : latest(since, created, now);
}
