import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { NewIssue } from "@/domain/tasks/issue-schema";

export type Verdict = "accept" | "reject";

/** What somebody decided about a result, and may still take back. */
export interface Decision {
  result: string;
  task: string;
  /** The name of the task, for what is said of it. */
  name: string;
  verdict: Verdict;
  reason: string;
  /** What is wrong where. */
  issues?: readonly NewIssue[];
  /** When, in milliseconds. */
  at: number;
}

/** Whose decisions: others see none of them. */
export interface Reviewer {
  organization: string;
  user: string;
}
type Key = [organization: string, user: string, result: string];

interface DecisionTables extends DBSchema {
  decisions: { key: Key; value: { key: Key; decision: Decision } };
}

/** Where decisions are kept until the server has them. */
export interface DecisionKeeper {
  list: () => Promise<Decision[]>;
  get: (result: string) => Promise<Decision | undefined>;
  /** All of them or none. */
  put: (decisions: readonly Decision[]) => Promise<void>;
  remove: (result: string) => Promise<void>;
}

/** The decisions of one person in this browser. Throws where the browser stores nothing. */
export async function openDecisions({ organization, user }: Reviewer): Promise<DecisionKeeper> {
  const db: IDBPDatabase<DecisionTables> = await openDB<DecisionTables>("muster-decisions", 1, {
    upgrade: (made) => void made.createObjectStore("decisions", { keyPath: "key" }),
    // A later version of the page waits for nobody.
    blocking: (_before, _after, event) => event.target instanceof IDBDatabase && event.target.close(),
  });
  const toKey = (result: string): Key => [organization, user, result];
  return {
    list: async () => {
      const rows = await db.getAll("decisions", IDBKeyRange.bound(toKey(""), toKey("￿")));
      return rows.map(({ decision }) => decision);
    },
    get: async (result) => (await db.get("decisions", toKey(result)))?.decision,
    put: async (decisions) => {
      const transaction = db.transaction("decisions", "readwrite", { durability: "strict" });
      const puts = decisions.map((decision) => transaction.store.put({ key: toKey(decision.result), decision }));
      await Promise.all([...puts, transaction.done]);
    },
    remove: (result) => db.delete("decisions", toKey(result)),
  };
}

/** The same for a browser that stores nothing: a reload forgets them, which is why leaving sends them. */
export function keepInMemory(): DecisionKeeper {
  const kept = new Map<string, Decision>();
  return {
    list: () => Promise.resolve([...kept.values()]),
    get: (result) => Promise.resolve(kept.get(result)),
    put: (decisions) => {
      for (const decision of decisions) kept.set(decision.result, decision);
      return Promise.resolve();
    },
    remove: (result) => Promise.resolve(void kept.delete(result)),
  };
}
