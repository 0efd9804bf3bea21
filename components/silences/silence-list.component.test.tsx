import { expect, test } from "vitest";
import { SilenceList } from "@/components/silences/silence-list";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { SilenceResource } from "@/server/features/silences/resource";

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const nothing = { results: [], next: null, previous: null };
const path = "/settings/silences";

test("an empty list offers to create a silence", async () => {
  answer("silences.list", nothing);
  const screen = await show(<SilenceList />, path);
  await expect.element(screen.getByRole("heading", { name: "No silences yet" })).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Create silence" }).first()).toBeEnabled();
  await expectGoodLooks();
});

test("a list that is refused says why, with the request's id, and is tried again", async () => {
  refuse("silences.list", { status: 403, detail: "You may not see this.", request_id: "req-1" });
  const screen = await show(<SilenceList />, path);
  await expect.element(screen.getByRole("heading", { name: "Silences could not be loaded" })).toBeVisible();
  await expect.element(screen.getByText("You may not see this.")).toBeVisible();
  await expect.element(screen.getByText("req-1", { exact: true })).toBeVisible();
  answer("silences.list", nothing);
  await screen.getByRole("button", { name: "Retry" }).click();
  await expect.element(screen.getByRole("heading", { name: "No silences yet" })).toBeVisible();
});

test("a silence that ends within the hour is listed on top and extended with one press", async () => {
  let silence = sample(SilenceResource, {
    matchers: { tags: ["hall-2"] },
    reason: "move",
    state: "active",
    ends_at: inHours(0.5),
    recurrence: null,
    window: null,
  });
  answer("silences.list", () => ({ ...nothing, results: [silence] }));
  answer("silences.update", ({ change }) => (silence = { ...silence, ends_at: String(change.ends_at) }));
  const screen = await show(<SilenceList />, path);
  const soon = screen.getByRole("list", { name: "Ending soon" });
  await expect.element(soon.getByText(/#hall-2 \(move\) ends in/)).toBeVisible();
  await soon.getByRole("button", { name: "Extend by 1 h" }).click();
  await expect.element(soon).not.toBeInTheDocument();
  expect(listInputs("silences.update")).toHaveLength(1);
});
