import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { AlertResource } from "@/server/features/alerts/resource";
import { AlertSteps } from "./alert-steps";
import type { Alert, Target } from "./query";
import { useTriage } from "./triage";

const count = 1_200;
const uids = Array.from({ length: count }, (_, at) => `alt_${at}`);
const at = "2026-11-24T13:00:00.000Z";
const storm: Target = {
  kind: "group",
  by: "rule",
  group: {
    ...{ key: "rul_hot", name: "Motor overheating", count, occurrences: count, devices: 3, rules: 1, only: null },
    ...{ severity: "critical", newest_at: at, oldest_at: at, newest_uid: "alt_0", message: "", assignees: [] },
    ...{ unassigned: count, hours: [], single: null },
  },
};
const done = (changed: readonly string[]) => ({
  results: changed.map((uid) => ({ uid, ok: true, status: "acknowledged" as const, error: null })),
  succeeded: changed.length,
  failed: 0,
});

/** Answers a part of the storm from its cursor on. */
const answerPart = ({ cursor = "0", limit = count }: { cursor?: string; limit?: number }) => {
  const end = Math.min(count, Number(cursor) + limit);
  return { ...done(uids.slice(Number(cursor), end)), next: end < count ? String(end) : null };
};

function Storm() {
  const triage = useTriage({ tab: "open", filters: { severity: ">=error" }, newest: "alt_9" });
  return (
    <>
      <button type="button" onClick={() => void triage.acknowledge([storm])}>
        Acknowledge all
      </button>
      {triage.dialogs}
    </>
  );
}

test("all alerts of a storm are changed, part by part, and all of them come back", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  answer("alerts.bulkMatching", async (input) => {
    if (input.cursor !== undefined) await held;
    return answerPart(input);
  });
  const screen = await show(<Storm />, "/alerts");
  await screen.getByRole("button", { name: "Acknowledge all" }).click();
  const progress = screen.getByRole("progressbar", { name: "Acknowledging 1,200 alerts" });
  await expect.element(progress).toHaveAttribute("aria-valuenow", String((500 / count) * 100));
  await expectGoodLooks();
  release();
  await expect.element(screen.getByText("Acknowledged 1,200 alerts")).toBeVisible();
  await expect.element(progress).not.toBeInTheDocument();
  const asked = listInputs("alerts.bulkMatching");
  expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, "500", "1000"]);
  const filters = { severity: ">=error", rule_id: "rul_hot" };
  for (const each of asked)
    expect(each).toMatchObject({ action: "acknowledge", tab: "open", newest: "alt_9", filters });
  answer("alerts.bulk", (input) => done(input.uids));
  await screen.getByRole("button", { name: "Undo" }).click();
  await expect.element(screen.getByText("Undone: acknowledged 1,200 alerts")).toBeVisible();
  const back = listInputs("alerts.bulk");
  expect(back.map((each) => [each.action, each.uids.length])).toEqual([500, 500, 200].map((size) => ["reopen", size]));
  expect(back.flatMap((each) => each.uids)).toEqual(uids);
});

test("what a failure leaves of a storm is said, with a way to go on, and what was done can be undone", async () => {
  answer("alerts.bulkMatching", (input) => {
    refuse("alerts.bulkMatching", { status: 429, detail: "Too many requests.", retry_after_seconds: 3 });
    return answerPart(input);
  });
  const screen = await show(<Storm />, "/alerts");
  await screen.getByRole("button", { name: "Acknowledge all" }).click();
  await expect.element(screen.getByText("700 alerts were left")).toBeVisible();
  await expect.element(screen.getByText("Acknowledged 500 alerts")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Undo" })).toBeVisible();
  await expect.element(screen.getByRole("progressbar")).not.toBeInTheDocument();
  answer("alerts.bulkMatching", (input) => ({ ...answerPart({ ...input, cursor: input.cursor ?? "500" }) }));
  await screen.getByRole("button", { name: "Retry" }).click();
  await expect.element(screen.getByText("Acknowledged 700 alerts")).toBeVisible();
});

const storage = sample(AlertResource, { uid: "alt_single", status: "open", rule_name: "Disk full", triggered_at: at });

function Mixed() {
  const triage = useTriage({ tab: "open", filters: {}, newest: null });
  return (
    <>
      <button type="button" onClick={() => void triage.acknowledge([{ kind: "alert", alert: storage }, storm])}>
        Acknowledge both
      </button>
      {triage.dialogs}
    </>
  );
}

test("a retry asks no alert again that was answered", async () => {
  answer("alerts.bulk", (input) => done(input.uids));
  refuse("alerts.bulkMatching", { status: 429, detail: "Too many requests.", retry_after_seconds: 3 });
  const screen = await show(<Mixed />, "/alerts");
  await screen.getByRole("button", { name: "Acknowledge both" }).click();
  await expect.element(screen.getByText("1,200 alerts were left")).toBeVisible();
  answer("alerts.bulkMatching", answerPart);
  // Beside what earlier tests said.
  await screen.getByRole("button", { name: "Retry" }).first().click();
  await expect.element(screen.getByText("Acknowledged 1,200 alerts", { exact: true })).toBeVisible();
  expect(listInputs("alerts.bulk").map((each) => each.uids)).toEqual([["alt_single"]]);
});

const alert = sample(AlertResource, {
  ...{ uid: "alt_1", rule_id: "rul_hot", rule_name: "Motor overheating", device_name: "Arm C1", status: "open" },
  ...{ recording_id: "rec_1", snoozed_until: null, silenced: false, triggered_at: at },
});

function Steps({ of, keyed }: { of: Alert; keyed?: boolean }) {
  const triage = useTriage({ tab: "open", filters: {}, newest: null });
  return (
    <div role="group" aria-label="Steps" className="flex flex-wrap gap-2">
      <AlertSteps alert={of} triage={triage} menu={[{ label: "Comment" }]} keyed={keyed} />
      {triage.dialogs}
    </div>
  );
}

test("an alert's steps are those of triage; its moment as training data is in the menu and has its key", async () => {
  answer("moments.targets", []);
  answer("alerts.bulk", (input) => done(input.uids));
  const screen = await show(<Steps of={alert} />, "/alerts");
  await expect.element(screen.getByRole("button", { name: "Acknowledge" })).toBeVisible();
  const names = screen
    .getByRole("group", { name: "Steps" })
    .getByRole("button")
    .elements()
    .map((button) => button.getAttribute("aria-label") ?? button.getAttribute("title") ?? button.textContent);
  expect(names).toEqual([
    expect.stringMatching(/^Acknowledge/),
    expect.stringMatching(/^Resolve/),
    ...["Silence", "Snooze", "Actions for Motor overheating"],
  ]);
  await expectGoodLooks();
  await screen.getByRole("button", { name: "Actions for Motor overheating" }).click();
  const items = screen
    .getByRole("menuitem")
    .elements()
    .map(({ textContent }) => textContent);
  expect(items).toEqual(["Comment", expect.stringMatching(/^Add to dataset/), "Label these"]);
  await userEvent.keyboard("{Escape}");
  await screen.getByRole("button", { name: "Snooze" }).click();
  await screen.getByRole("menuitem", { name: "For 4 hours" }).click();
  await expect.element(screen.getByText("Snoozed Motor overheating on Arm C1")).toBeVisible();
  expect(listInputs("alerts.bulk")[0]).toMatchObject({ action: "snooze", uids: ["alt_1"] });
});

test.each([
  ["a test alert is neither silenced nor training data", { device_id: "test" }, ["Snooze", "Comment"]],
  ["a resolved one is only opened again", { status: "resolved" as const, recording_id: null }, ["Comment"]],
])("%s", async (_, given, expected) => {
  const screen = await show(<Steps of={{ ...alert, ...given }} />, "/alerts");
  const more = screen.getByRole("button", { name: "Actions for Motor overheating" });
  await expect.element(more).toBeVisible();
  const titles = screen
    .getByRole("group", { name: "Steps" })
    .getByRole("button")
    .elements()
    .flatMap((button) => button.getAttribute("title") ?? []);
  await more.click();
  const items = screen
    .getByRole("menuitem")
    .elements()
    .flatMap(({ textContent }) => textContent ?? []);
  expect([...titles, ...items]).toEqual(expected);
});
