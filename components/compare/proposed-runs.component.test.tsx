import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { ProposedRuns } from "./proposed-runs";

const run = (uid: string, name: string) => ({
  ...{ uid, name, device_name: "Arm C1", started_at: "2026-11-24T14:10:00.000Z" },
});
const at = "/recordings/compare?a=rec_1";

test("runs of the same device are proposed, each once, and a press chooses one", async () => {
  answer("recordings.comparableRuns", { calm: run("rec_2", "Calm run"), same_name: run("rec_3", "Pick cycle") });
  const chosen: string[] = [];
  const screen = await show(<ProposedRuns uid="rec_1" onChoose={(uid) => chosen.push(uid)} />, at);
  const list = screen.getByRole("list", { name: "Proposed runs" });
  await expect.element(list).toHaveTextContent("Last run without an open alert of Arm C1, 2026-11-24");
  await screen.getByRole("button", { name: "Compare with Pick cycle" }).click();
  expect(chosen).toEqual(["rec_3"]);
  expect(listInputs("recordings.comparableRuns")).toEqual([{ uid: "rec_1" }]);
});

test("one that is both is proposed once; without any, or where they cannot be searched, it says so", async () => {
  answer("recordings.comparableRuns", { calm: run("rec_2", "Both"), same_name: run("rec_2", "Both") });
  const both = await show(<ProposedRuns uid="rec_1" onChoose={() => {}} />, at);
  await expect.element(both.getByRole("button", { name: "Compare with Both" })).toBeVisible();
  expect(both.getByRole("listitem").elements()).toHaveLength(1);
  answer("recordings.comparableRuns", { calm: null, same_name: null });
  const none = await show(<ProposedRuns uid="rec_4" onChoose={() => {}} />, at);
  await expect.element(none.getByText("Its device has no other run to propose.", { exact: false })).toBeVisible();
  refuse("recordings.comparableRuns", { status: 500, detail: "Failed." });
  const failed = await show(<ProposedRuns uid="rec_5" onChoose={() => {}} />, at);
  await expect.element(failed.getByText("Other runs could not be searched")).toBeVisible();
});
