import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { SaveBar } from "./save-bar";

const condition = { type: "threshold", topic: "@heartbeat", field: "battery", operator: "lt", value: 20 } as const;
const draft = { name: "Battery low", description: "", runbook: "", owner: null, condition, actions: [], scope: null };
const bar = (topic: string) => (
  <SaveBar
    saved={undefined}
    draft={{ ...draft, condition: { ...condition, topic } }}
    preview={null}
    changed
    onIssues={() => {}}
    onSaved={() => {}}
  />
);

test("a rule about recordings can be run over past ones, one about heartbeats cannot", async () => {
  const recorded = await show(bar("/battery_state"), "/rules/new");
  await expect.element(recorded.getByRole("checkbox", { name: "Also run over past recordings" })).toBeVisible();
  const live = await show(bar("@heartbeat"), "/rules/new");
  await expect.element(live.getByRole("button", { name: "Create rule" }).last()).toBeVisible();
  expect(live.container.querySelector("input[type=checkbox]")).toBeNull();
});
