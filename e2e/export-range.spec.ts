import { readFile } from "node:fs/promises";
import zstd from "@foxglove/wasm-zstd";
import { McapIndexedReader } from "@mcap/core";
import { openCameras, start } from "./camera-recording";
import { checkAxe, expect, live, test } from "./fixtures";

/** The messages of an uncompressed or zstd file, by another project's reader. */
async function readTopics(file: string): Promise<{ topic: string; time: bigint }[]> {
  await zstd.isLoaded;
  const bytes = await readFile(file);
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: () => Promise.resolve(BigInt(bytes.length)),
      read: (from, size) => Promise.resolve(bytes.subarray(Number(from), Number(from + size))),
    },
    decompressHandlers: { zstd: (packed, size) => zstd.decompress(packed, Number(size)) },
  });
  const messages: { topic: string; time: bigint }[] = [];
  for await (const { channelId, logTime } of reader.readMessages({ validateCrcs: true }))
    messages.push({ topic: reader.channelsById.get(channelId)?.topic ?? "", time: logTime });
  return messages;
}

const second = 1_000_000_000n;

test("a range of a recording is exported with chosen topics, by keys and by menu", async ({ page, api, request }) => {
  const uid = await openCameras(api, request);
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await expect(page.getByRole("slider", { name: "Playhead" })).toBeVisible();
  // The second to the third second becomes the playback range, and with it the range that is offered.
  for (const key of ["ArrowRight", "i", "ArrowRight", "o", "Shift+C"]) await page.keyboard.press(key);
  const dialog = page.getByRole("dialog", { name: "Export a range" });
  await expect(dialog.getByLabel("From, UTC")).toHaveValue("2026-02-02 02:40:01");
  await expect(dialog.getByLabel("To, UTC")).toHaveValue("2026-02-02 02:40:02");
  await expect(dialog.getByText(/^About/)).toBeVisible();
  await checkAxe(page);
  await dialog.getByRole("checkbox", { name: "/left" }).click();
  await dialog.getByRole("checkbox", { name: "/late" }).click();
  await expect(dialog.getByRole("checkbox", { name: /^All/ })).toBeChecked({ indeterminate: true });
  await expect(dialog.getByLabel("Code")).toContainText(`muster download ${uid} --from 2026-02-02T02:40:01Z`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("Cameras 2026-02-02T02-40-01Z.mcap");
  const messages = await readTopics(await download.path());
  const inside = messages.filter(({ time }) => time >= start + second);
  expect(inside.filter(({ topic }) => topic === "/front")).toHaveLength(11);
  expect(messages.some(({ topic }) => topic === "/left" || topic === "/late")).toBe(false);
  expect(messages.every(({ time }) => time <= start + 2n * second)).toBe(true);
  await expect(dialog).toBeHidden();

  await page.getByRole("button", { name: "Actions for Cameras" }).click();
  await page.getByRole("menuitem", { name: "Export a range" }).click();
  await dialog.getByRole("combobox", { name: "Format" }).click();
  await page.getByRole("option", { name: "Pictures" }).click();
  await expect(dialog.getByRole("checkbox", { name: "/rosout" })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Whole recording" }).click();
  await dialog.getByLabel("To, UTC").fill("soon");
  await expect(dialog.getByText("Enter a time such as 2026-01-02 03:04:05.")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Download" })).toBeDisabled();
  await dialog.getByRole("button", { name: "Visible range" }).click();
  const [pictures] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(pictures.suggestedFilename()).toMatch(/\.zip$/);
  expect((await readFile(await pictures.path())).subarray(0, 2).toString()).toBe("PK");
});
