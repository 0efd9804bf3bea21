import { expect, test } from "vitest";
import { stepsFrom } from "@/domain/projects/lifecycle";
import { projectStatuses } from "@/domain/projects/schema";

test("the first step from each status is the one that leads on; cancelling comes last", () => {
  expect(Object.fromEntries(projectStatuses.map((status) => [status, stepsFrom(status)]))).toEqual({
    "pending-approval": ["approve", "cancel"],
    active: ["pause", "cancel"],
    paused: ["resume", "cancel"],
    completed: ["archive"],
    canceled: ["archive"],
    archived: [],
  });
});
