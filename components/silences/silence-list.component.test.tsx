import { expect, test } from "vitest";
import { SilenceList } from "@/components/silences/silence-list";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, connect, listInputs } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { SilenceResource } from "@/server/features/silences/resource";

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const nothing = { results: [], next: null, previous: null };
const path = "/settings/silences";

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

test("a filter whose request fails says so in place of the rows, and can be retried", async () => {
  const row = sample(SilenceResource, {
    reason: "move",
    state: "active",
    ends_at: inHours(9),
    recurrence: null,
    window: null,
  });
  answer("silences.list", { ...nothing, results: [row] });
  const screen = await show(<SilenceList />, path);
  const silence = screen.getByRole("row", { name: /move/ });
  await expect.element(silence).toBeVisible();
  connect(false);
  history.pushState({ routed: true }, "", `${path}?state=active`);
  const alert = screen.getByRole("alert").filter({ hasText: "Silences could not be loaded" });
  await expect.element(alert).toHaveTextContent("The server could not be reached.");
  await expectGoodLooks();
  connect(true);
  await alert.getByRole("button", { name: "Retry" }).click();
  await expect.element(alert).not.toBeInTheDocument();
  await expect.element(silence).toBeVisible();
});
