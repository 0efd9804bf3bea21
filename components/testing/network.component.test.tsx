import { expect, test } from "vitest";
import { SilenceList } from "@/components/silences/silence-list";
import { show } from "@/components/testing/host";
import { answer, connect, listInputs, resetNetwork } from "@/components/testing/network";

test("what a screen asks for without an answer is named", async () => {
  const screen = await show(<SilenceList />, "/settings/silences");
  await expect.element(screen.getByText("The test gives no answer to silences.list.").first()).toBeVisible();
  await fetch("/api/changes");
  expect(resetNetwork()).toEqual(["silences.list", "GET /api/changes"]);
});

test("a screen reads its address, and inputs of calls are kept", async () => {
  answer("silences.list", { results: [], next: null, previous: null });
  const screen = await show(<SilenceList />, "/settings/silences?state=expired");
  await expect.element(screen.getByRole("heading", { name: "No silences match this filter" })).toBeVisible();
  expect(listInputs("silences.list")[0]).toMatchObject({ state: "expired" });
  await screen.getByRole("button", { name: "Clear filter", exact: true }).click();
  await expect.element(screen.getByRole("heading", { name: "No silences yet" })).toBeVisible();
  expect(location.pathname + location.search).toBe("/settings/silences");
});

test("a list that cannot be reached is tried twice more, then says so, and can be retried", async () => {
  connect(false);
  const screen = await show(<SilenceList />, "/settings/silences");
  await expect.element(screen.getByText("The server could not be reached.").first()).toBeVisible();
  connect(true);
  answer("silences.list", { results: [], next: null, previous: null });
  await screen.getByRole("button", { name: "Retry" }).click();
  await expect.element(screen.getByRole("heading", { name: "No silences yet" })).toBeVisible();
});
