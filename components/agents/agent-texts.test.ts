import { describe, expect, test } from "vitest";
import { describeMode, describeOutcome, isUnseen, isUrgent, overruledShare, timeLeft } from "./agent-texts";
import { describeChanges } from "./existing-notice";

const now = Date.parse("2026-11-20T12:00:00Z");
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

describe("an agent is unseen", () => {
  const agent = { callback_url: "", last_seen_at: minutesAgo(11), created_at: minutesAgo(100), waiting: 1 };
  test.each([
    ["while work waits for one that has not asked for ten minutes", {}, true],
    ["and never was, ten minutes after it was registered", { last_seen_at: null }, true],
    ["but not in its first minutes", { last_seen_at: null, created_at: minutesAgo(5) }, false],
    ["but not without work", { waiting: 0 }, false],
    ["but not one that asked", { last_seen_at: minutesAgo(9) }, false],
    ["but not one that is pushed to", { callback_url: "https://example.com/" }, false],
  ])("%s", (_, change, expected) => {
    expect(isUnseen({ ...agent, ...change }, now)).toBe(expected);
  });
});

test("only open executions have time left, and less than two minutes are urgent", () => {
  const deadline = new Date(now + 90_000).toISOString();
  expect(timeLeft({ status: "pending", deadline }, now)).toBe(90_000);
  expect(timeLeft({ status: "timed_out", deadline }, now)).toBeNull();
  expect([isUrgent(90_000), isUrgent(-1), isUrgent(120_000), isUrgent(null)]).toEqual([true, true, false, false]);
});

test("the mode names the host that is pushed to, and the share overruled is of the decisions", () => {
  expect(describeMode({ callback_url: "" })).toBe("Polls");
  expect(describeMode({ callback_url: "https://agents.example.com:8443/x" })).toBe("Push to agents.example.com:8443");
  expect(overruledShare({ decided: 0, overruled: 0 })).toBeNull();
  expect(overruledShare({ decided: 3, overruled: 1 })).toBe("33 %");
});

describe("what became of a result says", () => {
  const judged = {
    action: "approve",
    acted_by: "grace",
    by_hand: false,
    result_status: "accepted",
    decided_by: "grace",
  };
  test.each([
    ["that the agent decided it", {}, "Result accepted by the agent", false],
    ["who decided it by hand", { by_hand: true }, "Result accepted by grace", false],
    ["who decided the same before", { decided_by: "ada" }, "Result accepted by ada", false],
    [
      "who decided otherwise",
      { action: "reject", decided_by: "ada" },
      "Overruled: the result is accepted by ada",
      true,
    ],
    ["that it was taken back", { result_status: "submitted" }, "Taken back: the result is open again", true],
    ["that it was deleted", { result_status: null }, "Its result was deleted since.", false],
  ])("%s", (_, change, text, overruled) => {
    expect(describeOutcome({ ...judged, ...change })).toEqual({ text, overruled });
  });
  test("nothing where nothing was decided", () => {
    expect(describeOutcome({ ...judged, action: "flag" })).toBeNull();
    expect(describeOutcome({ ...judged, action: null })).toBeNull();
  });
});

test("registering a name again says each change, and that there is none", () => {
  const agent = {
    uid: "1",
    name: "Label check",
    description: "",
    events: ["export.completed"],
    callback_url: "https://example.com/agent",
    is_active: true,
    project: null,
    task_types: [],
    demo: false,
    last_seen_at: null,
    created_at: minutesAgo(1),
    updated_at: minutesAgo(1),
    warnings: [],
  };
  const same = { mode: "push", callback_url: agent.callback_url, events: agent.events, project: null, task_types: [] };
  expect(describeChanges(agent, same)).toEqual([]);
  expect(
    describeChanges(agent, {
      mode: "poll",
      events: ["result.submitted"],
      project: "2",
      task_types: ["image-annotation"],
      description: "new",
    }),
  ).toEqual([
    "it also gets result.submitted",
    "it gets no more export.completed",
    "Push to example.com → Polls",
    "another project",
    "image-annotation",
    "another description",
  ]);
});
