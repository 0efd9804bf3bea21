import type { Inputs, Outputs } from "@/components/trpc/client";
import type { Target } from "./query";

export type Result = Outputs["alerts"]["bulk"];
export type Action = Pick<Inputs["alerts"]["bulk"], "action" | "note" | "reason" | "assignee" | "until">;

type Send = (change: Action, uids: string[]) => Promise<unknown>;

/** Sends a change for each of the values that alerts had before, one after the other. */
const restoreEach =
  <Value>(before: Map<Value, { uid: string }[]>, change: (value: Value) => Action) =>
  async (send: Send): Promise<void> => {
    for (const [value, alerts] of before)
      await send(
        change(value),
        alerts.map(({ uid }) => uid),
      );
  };

/** The inverse of an action; null where the previous state is not known. */
export function buildUndo(
  targets: readonly Target[],
  { action }: Action,
  result: Result,
): ((send: Send) => Promise<unknown>) | null {
  const done = new Set(result.results.filter((each) => each.ok).map((each) => each.uid));
  const alerts = targets.flatMap((target) =>
    target.kind === "alert" && done.has(target.alert.uid) ? [target.alert] : [],
  );
  const known = new Map(alerts.map((alert) => [alert.uid, alert]));
  if (action === "acknowledge" || action === "resolve") {
    // Alerts that were acknowledged before stay acknowledged.
    const uids = [...done].filter((uid) => action === "resolve" || known.get(uid)?.status !== "acknowledged");
    return uids.length > 0 ? (send) => send({ action: "reopen" }, uids) : null;
  }
  if (targets.some((target) => target.kind === "group")) return null;
  if (action === "assign")
    return restoreEach(
      Map.groupBy(alerts, (alert) => alert.assignee_id),
      (assignee) => ({ action, assignee }),
    );
  if (action === "snooze")
    return restoreEach(
      Map.groupBy(alerts, (alert) => alert.snoozed_until),
      (until) => ({ action, until }),
    );
  return null;
}
