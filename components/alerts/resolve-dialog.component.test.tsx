import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { ResolveDialog } from "./resolve-dialog";

test("a digit chooses the reason at once, and belongs to the note while that is written", async () => {
  const resolved: unknown[] = [];
  const screen = await show(
    <ResolveDialog title="Motor too hot" onClose={() => {}} onResolve={(values) => resolved.push(values)} />,
    "/alerts",
  );
  await expect.element(screen.getByRole("radio", { name: "Fixed" })).toHaveFocus();
  await userEvent.keyboard("3");
  await expect.element(screen.getByRole("radio", { name: "False alarm" })).toBeChecked();
  await expectGoodLooks();
  await screen.getByRole("textbox", { name: /Note/ }).click();
  await userEvent.keyboard("1 of 2{Control>}{Enter}{/Control}");
  expect(resolved).toEqual([{ note: "1 of 2", reason: "false_alarm" }]);
});
