import { expect, test } from "vitest";
import { EarlierVersionNote } from "@/components/recording/page/earlier-version-note";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { RecordingResource } from "@/server/features/recordings/resource";

const uid = "rec_00000000-0000-7000-8000-000000000001";
const path = `/recordings/${uid}`;
const news =
  "An earlier version of Muster processed it. Processing it again brings plots and SQL columns of the elements of lists";

test("a recording of an earlier version says what processing it again brings, which one press does", async () => {
  answer("recordings.reprocess", sample(RecordingResource, { status: "processing" }));
  const screen = await show(<EarlierVersionNote uid={uid} />, path);
  await expect.element(screen.getByText(news)).toBeVisible();
  await expectGoodLooks();
  await screen.getByRole("button", { name: "Process again" }).click();
  await expect.element(screen.getByText("Processing started again")).toBeVisible();
  expect(listInputs("recordings.reprocess")).toEqual([{ uid }]);
});

test("a refusal to process it again says why", async () => {
  refuse("recordings.reprocess", { status: 409, detail: "It is being processed.", request_id: "req-1" });
  const screen = await show(<EarlierVersionNote uid={uid} />, path);
  await screen.getByRole("button", { name: "Process again" }).click();
  await expect.element(screen.getByText("The recording was not processed again")).toBeVisible();
  await expect.element(screen.getByText("It is being processed.")).toBeVisible();
});

test("the button is off for who may only view", async () => {
  const screen = await show(<EarlierVersionNote uid={uid} />, path, { readOnly: true });
  await expect.element(screen.getByRole("button", { name: "Process again" })).toHaveAttribute("aria-disabled", "true");
});
