import { expect, test } from "vitest";
import { statusOfState, taskStates, transitions } from "@/domain/tasks/transitions";

test("a verb leads from each state to one other at most", () => {
  const starts = transitions.map(({ verb, from }) => `${verb} ${from}`);
  expect(new Set(starts).size).toBe(starts.length);
});

test("every state is reached, and the counts follow the status", () => {
  expect([...new Set(transitions.map(({ to }) => to))].toSorted()).toEqual(taskStates.toSorted());
  for (const { from, to, batch, project } of transitions) {
    const [before, after] = [statusOfState[from], statusOfState[to]];
    const completed = Number(after === "completed") - Number(before === "completed");
    const started = Number(after !== "pending") - Number(before !== "pending");
    expect([batch?.completed ?? 0, project?.completed ?? 0, batch?.started ?? 0]).toEqual([
      completed,
      completed,
      started,
    ]);
  }
});
