import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { ItemsBulk } from "./items-bulk";
import type { BulkSelection } from "./selection";

const dataset = "018f0000-0000-7000-8000-000000000001";
const integration = "018f0000-0000-7000-8000-000000000002";

async function open(selection: BulkSelection, onMoved = () => {}) {
  answer("models.pipelines", [{ uid: integration, name: "In the yard", model_name: "Standout", prompts: [] }]);
  const screen = await show(<ItemsBulk dataset={dataset} selection={selection} onMoved={onMoved} />, "/");
  await screen.getByRole("button", { name: "Run a model" }).click();
  const dialog = screen.getByRole("dialog");
  await expect.element(dialog.getByRole("combobox", { name: "Model" })).toHaveTextContent("Standout, In the yard");
  return { screen, dialog, run: () => dialog.getByRole("button", { name: "Run", exact: true }).click() };
}

test("a model runs over what a filter holds, of which there have to be as many as was shown", async () => {
  let moved = 0;
  const { dialog, run } = await open({ filter: "status = completed", expected: 41 }, () => void (moved += 1));
  await expect.element(dialog).toHaveTextContent("Run a model over 41 items");
  await expectGoodLooks();
  refuse("models.run", { status: 409, detail: "The filter holds 40 items now, not 41." });
  await run();
  await expect.poll(() => moved).toBe(1);
  const over = { dataset, filter: "status = completed", expected: 41 };
  expect(listInputs("models.run")).toEqual([{ integration, over }]);
});

test.each<[BulkSelection, object]>([
  [{ uids: [integration] }, { dataset, uids: [integration] }],
  [{ filter: "", expected: 7 }, { dataset }],
])("a model runs over %j", async (selection, over) => {
  const { dialog, run } = await open(selection);
  answer("models.run", []);
  await run();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(listInputs("models.run")).toEqual([{ integration, over }]);
});
