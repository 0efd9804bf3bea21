import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { MetricList } from "@/components/health/metric-list";
import type { Metric } from "@/components/health/query";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { noBounds, resolveMeaning, type SavedMeaning } from "@/domain/health/meanings";

const path = "/settings/health";
const nothing = { results: [], next: null, previous: null };

const metric = (name: string, sample: number | string, meanings: SavedMeaning[] = []): Metric => {
  const { guessed: _, ...meaning } = resolveMeaning(name, meanings, null, sample);
  return { uid: name, name, ...meaning, guessed: meanings.length === 0, sample, devices: 3, meanings };
};
const battery = metric("battery", 0.35);
const list = (...results: Metric[]) => answer("health.metrics", { ...nothing, results });
/** Shows the list and opens its metric. */
async function open(person?: { role: "member" }) {
  answer("devices.vocabulary", { types: ["amr", "arm"], tags: [], firmware: [] });
  const screen = await show(<MetricList />, path, person);
  await screen.getByRole("row", { name: /battery/ }).click();
  return { screen, dialog: screen.getByRole("dialog", { name: "battery" }) };
}

test("each metric has a value, its bounds in words, and says where it is guessed", async () => {
  const said = { device_type: "", label: "Motor", unit: null, kind: null, rank: null, bounds: null };
  list(battery, metric("motor_temp_c", 71.26, [said]), metric("mode", "auto"));
  const screen = await show(<MetricList />, path);
  const row = screen.getByRole("row", { name: /Battery/ });
  await expect.element(row).toHaveTextContent("Guessed");
  await expect.element(row).toHaveTextContent("35 %");
  await expect.element(row).toHaveTextContent("Warning below 20 %, critical below 10 %");
  const motor = screen.getByRole("row", { name: /Motor/ });
  await expect.element(motor).toHaveTextContent("71.3 °C");
  await expect.element(motor).not.toHaveTextContent("Guessed");
  await expectGoodLooks();
});

test("what a metric means for a type is said in its dialog, and what is wrong stands at its field", async () => {
  list(battery);
  const { screen, dialog } = await open();
  await expect.element(dialog.getByText("Warning below 20 %, critical below 10 %")).toBeVisible();
  await dialog.getByRole("combobox", { name: "Devices" }).click();
  await screen.getByRole("option", { name: "Of type amr" }).click();
  await dialog.getByRole("textbox", { name: "Label" }).fill("Main battery");
  await dialog.getByRole("checkbox", { name: /Bounds of one's own/ }).click();
  await dialog.getByRole("textbox", { name: "Warning below" }).fill("0.05");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(dialog.getByText("This bound is below one that it must be above.")).toBeVisible();
  expect(listInputs("health.saveMeaning")).toEqual([]);
  await expectGoodLooks();
  const bounds = { ...noBounds, warning_min: 0.3, critical_min: 0.1 };
  const said = { device_type: "amr", label: "Main battery", unit: null, kind: null, rank: null, bounds };
  answer("health.saveMeaning", said);
  await dialog.getByRole("textbox", { name: "Warning below" }).fill("0,3");
  await userEvent.keyboard("{Enter}");
  await expect.element(dialog).not.toBeInTheDocument();
  expect(listInputs("health.saveMeaning")).toEqual([{ name: "battery", ...said }]);
});

test("what is said can go back to the guess, and a refusal is shown in place of it", async () => {
  const said = { device_type: "", label: "Pack", unit: null, kind: null, rank: 2, bounds: null };
  list(metric("battery", 0.35, [said]));
  const { dialog } = await open();
  await expect.element(dialog.getByRole("textbox", { name: "Label" })).toHaveValue("Pack");
  refuse("health.saveMeaning", { status: 404, detail: "No such metric." });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(dialog.getByRole("alert")).toHaveTextContent("No such metric.");
  answer("health.resetMeaning", { name: "battery" });
  list(battery);
  await dialog.getByRole("button", { name: "Back to the guess" }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(listInputs("health.resetMeaning")).toEqual([{ name: "battery", device_type: "" }]);
});

test("members read what metrics mean, and see why they cannot change it", async () => {
  list(battery);
  const { dialog } = await open({ role: "member" });
  const save = dialog.getByRole("button", { name: "Save" });
  await expect.element(save).toHaveAttribute("aria-disabled", "true");
});
