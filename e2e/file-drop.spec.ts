import type { Page } from "@playwright/test";
import { expect, inEveryLook, live, registerDevice, test, unique } from "./fixtures";
import { openAsMember } from "./members";
import type { MadeDataset } from "./pictures";
import { recordingBytes } from "./recording-files";

interface Dropped {
  name: string;
  bytes: Buffer;
}
const recording = (name: string, messages = 50): Dropped => ({ name, bytes: recordingBytes(messages) });
const text = (name: string): Dropped => ({ name, bytes: Buffer.from("a,b\n1,2\n") });

/** What a drag carries: these files, or text. */
const carry = (page: Page, files: readonly Dropped[]) =>
  page.evaluateHandle(
    (given) => {
      const transfer = new DataTransfer();
      for (const { name, base64 } of given)
        transfer.items.add(new File([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], name));
      if (given.length === 0) transfer.setData("text/plain", "some text");
      return transfer;
    },
    files.map(({ name, bytes }) => ({ name, base64: bytes.toString("base64") })),
  );

/** Drags files, or text when there are none, above the page. */
async function dragOver(page: Page, ...files: Dropped[]): Promise<() => Promise<void>> {
  const dataTransfer = await carry(page, files);
  await page.dispatchEvent("main", "dragenter", { dataTransfer });
  await page.dispatchEvent("main", "dragover", { dataTransfer });
  return () => page.dispatchEvent("main", "drop", { dataTransfer });
}
const dropFiles = async (page: Page, ...files: Dropped[]) => (await dragOver(page, ...files))();

const uploadDialog = (page: Page) => page.getByRole("dialog", { name: "Upload recordings" });
const owner = (page: Page) => uploadDialog(page).getByRole("combobox", { name: "Whose is it?" });

test("the first file leads to its timeline in one press, whether it is dropped anywhere or chosen", async ({
  page,
  api,
}) => {
  const begin = [
    async (file: Dropped) => {
      await page.goto("/settings/members");
      await live(page);
      await dropFiles(page, file);
    },
    async ({ name, bytes }: Dropped) => {
      await page.goto("/recordings?upload=1");
      await live(page);
      await uploadDialog(page)
        .getByLabel("Files to upload")
        .setInputFiles([{ name, mimeType: "", buffer: bytes }]);
    },
  ];
  for (const [n, choose] of begin.entries()) {
    await choose(recording(`press-line-0${n}_2026-01-02.mcap`));
    await expect(owner(page)).toHaveValue(`press-line-0${n}`);
    await uploadDialog(page)
      .getByRole("button", { name: `Register “press-line-0${n}” and upload` })
      .click();
    await page.waitForURL("**/recordings/rec_*");
    await expect(page.getByRole("slider", { name: "Playhead" })).toBeVisible();
    await expect(uploadDialog(page)).toBeHidden();
    expect(await page.content()).not.toContain("svd_");
  }
  const { results } = await api.get<{ results: { name: string; device_name: string }[] }>("/fleet/recordings/");
  expect(results.map(({ name, device_name }) => [name, device_name]).sort()).toEqual([
    ["press-line-00_2026-01-02", "press-line-00"],
    ["press-line-01_2026-01-02", "press-line-01"],
  ]);
});

test("files go to the device that they name, to the one of the page, or to one that is typed", async ({
  page,
  api,
}) => {
  const arm = await registerDevice(api, { name: "Arm-01" });
  const other = await registerDevice(api, { name: "mobile-7" });
  await page.goto("/devices");
  await live(page);
  await dropFiles(page, recording("arm-01_2026-01-02.mcap"));
  await expect(owner(page)).toHaveValue("Arm-01");
  await expect(uploadDialog(page).getByRole("button", { name: "Upload 1 recording" })).toBeEnabled();

  await page.goto(`/devices/${other.uid}`);
  await live(page);
  await dropFiles(page, recording("arm-01_2026-01-02.mcap"));
  await expect(owner(page)).toHaveValue("mobile-7");

  await page.goto("/devices");
  await live(page);
  await dropFiles(page, recording("arm-01_2026-01-02.mcap"), recording("arm-02_2026-01-02.mcap"));
  await expect(uploadDialog(page).getByText("The files name several devices: arm-01 or arm-02.")).toBeVisible();
  await expect(owner(page)).toHaveValue("");
  await owner(page).fill("press 9");
  await page.getByRole("option", { name: /press 9/ }).click();
  await uploadDialog(page).getByRole("button", { name: "Register “press 9” and upload 2 recordings" }).click();
  await expect(uploadDialog(page).getByRole("link", { name: "Open timeline" })).toHaveCount(2);
  const { results } = await api.get<{ results: { name: string }[] }>("/fleet/devices/");
  expect(results.map(({ name }) => name).sort()).toEqual(["Arm-01", "mobile-7", "press 9"]);
  expect(arm.uid).toMatch(/^dev_/);
});

test("files that are not read are said before the upload, text is left alone, and a dialog lets nothing through @full", async ({
  page,
}) => {
  await page.goto("/overview");
  await live(page);
  await dropFiles(page);
  await expect(uploadDialog(page)).toBeHidden();

  const drop = await dragOver(page, text("table.csv"), recording("arm-01.mcap"));
  await expect(page.getByText("Drop to upload recordings")).toBeVisible();
  await drop();
  await expect(page.getByText("Drop to upload recordings")).toBeHidden();
  const alert = uploadDialog(page).getByRole("alert");
  await expect(alert).toContainText("Left out: table.csv. None of these files is a recording in MCAP, ROS 1 bag");
  await expect(alert).toContainText(".csv: Write its rows to an MCAP file");
  await expect(uploadDialog(page).getByRole("button", { name: "Register “arm-01” and upload" })).toBeEnabled();
  // A second drop adds to what is there, wherever it falls.
  await dropFiles(page, recording("arm-01_b.mcap"));
  await expect(uploadDialog(page).getByRole("list", { name: "Chosen files" }).getByRole("listitem")).toHaveCount(3);
  for (const name of ["arm-01.mcap", "arm-01_b.mcap"])
    await uploadDialog(page)
      .getByRole("button", { name: `Leave out ${name}` })
      .click();
  await expect(uploadDialog(page).getByRole("button", { name: /^Upload/ })).toHaveAttribute("aria-disabled", "true");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: /^Organization:/ }).click();
  await page.getByRole("menuitem", { name: "New organization" }).click();
  await dropFiles(page, recording("arm-01.mcap"));
  await expect(page.getByRole("dialog", { name: "New organization" })).toBeVisible();
  await expect(uploadDialog(page)).toBeHidden();
});

test("a dataset takes the files that are dropped on its page", async ({ page, api }) => {
  const dataset = await api.post<MadeDataset>("/datasets/", { name: unique("yard"), data_type: "image" });
  await page.goto(`/datasets/${dataset.owner_name}/${dataset.slug}`);
  await live(page);
  const drop = await dragOver(page, { name: "a.png", bytes: Buffer.from("no picture") });
  await expect(page.getByText(`Drop to upload to ${dataset.name}`)).toBeVisible();
  await drop();
  const dialog = page.getByRole("dialog", { name: `Upload to ${dataset.name}` });
  await expect(dialog.getByRole("button", { name: "Upload 1 file" })).toBeEnabled();
});

test("a member reads whom to ask for a new device, and who can only view drops nothing @full", async ({
  browser,
  request,
  api,
  person,
}) => {
  const member = await openAsMember(browser, request, api);
  await member.goto("/devices");
  await live(member);
  await dropFiles(member, recording("press-line-07_2026-01-02.mcap"));
  const name = person.email.split("@")[0];
  await expect(
    uploadDialog(member).getByText(
      `No device is called “press-line-07”. Choose another, or ask ${name} to register it.`,
    ),
  ).toBeVisible();
  await expect(uploadDialog(member).getByRole("button", { name: "Upload 1 recording" })).toHaveAttribute(
    "aria-disabled",
    "true",
  );
  await member.context().close();

  const viewer = await openAsMember(browser, request, api, true);
  await viewer.goto("/devices");
  await live(viewer);
  const drop = await dragOver(viewer, recording("arm-01.mcap"));
  await expect(viewer.getByText("You can only view.", { exact: true })).toBeVisible();
  await drop();
  await expect(uploadDialog(viewer)).toBeHidden();
  await viewer.context().close();
});

test("the question fits every width, in both themes @full", async ({ page }) => {
  await inEveryLook(page, async () => {
    await page.goto("/devices");
    await live(page);
    await dropFiles(page, text("table.csv"), recording("press-line-07_2026-01-02.mcap"));
    await expect(owner(page)).toHaveValue("press-line-07");
  });
});
