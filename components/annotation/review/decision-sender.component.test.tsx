import { expect, test } from "vitest";
import { DecisionSender, type SettledDecision } from "./decision-sender";
import { type DecisionKeeper, keepInMemory } from "./decision-store";

const made = { result: "r1", task: "t1", name: "Forklift", verdict: "accept", reason: "" } as const;

/** A store to which the browser gives no access once, by one of its functions. */
function refuseOnce(member: "put" | "get" | "remove" | "list"): DecisionKeeper {
  const keeper = keepInMemory();
  let refusals = 1;
  const refused = keeper[member] as (given: unknown) => Promise<unknown>;
  return {
    ...keeper,
    [member]: (given: unknown) =>
      refusals-- > 0
        ? Promise.reject(new DOMException("The database connection is closing.", "InvalidStateError"))
        : refused(given),
  };
}

test.each(["put", "get", "remove", "list"] as const)(
  "a decision is sent although the browser refused once to %s what it keeps",
  async (member) => {
    const sent: string[] = [];
    const settled: SettledDecision[] = [];
    const sender = new DecisionSender(Promise.resolve(refuseOnce(member)), {
      send: (decisions) => {
        sent.push(...decisions.map(({ result }) => result));
        return Promise.resolve(new Map(decisions.map(({ result }) => [result, { said: "done" }])));
      },
      onSettled: (news) => void settled.push(...news),
      undoMs: 600_000,
    });
    await sender.start();
    await sender.add([made]);
    await sender.flush();
    if (member === "get") {
      expect(sender.getHeld()).toMatchObject([{ phase: "failed", why: "The database connection is closing." }]);
      await sender.flush();
    }
    expect(sent).toEqual(["r1"]);
    expect(sender.getHeld()).toEqual([]);
    expect(settled).toMatchObject([{ decision: { result: "r1" }, answer: { said: "done" } }]);
    sender.stop();
  },
);
