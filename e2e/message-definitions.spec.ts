import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { writeDb3 } from "@/server/testing/db3";
import { expect, inEveryLook, live, registerDevice, test } from "./fixtures";

/** Ten messages of `/status`, of a type that the file does not define. */
function statusBag(): Buffer {
  const load = (value: number): Buffer => {
    const data = Buffer.from([0, 1, 0, 0, 0, 0, 0, 0]); // CDR's header, then a float32
    data.writeFloatLE(value, 4);
    return data;
  };
  return writeDb3({
    topics: [{ name: "/status", type: "my_msgs/msg/Status" }],
    messages: Array.from({ length: 10 }, (_, at) => ({
      topic: 1,
      time: 1_750_000_000_000_000_000n + BigInt(at) * 1_000_000_000n,
      data: load(at),
    })),
  });
}

/** Writes files into a folder of its own. */
function makeFolder(folder: string, files: Record<string, string | Buffer>): string {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

test("a rosbag2 folder of a type of one's own is uploaded, and read once its package is added", async ({
  page,
  api,
  faults,
}, info) => {
  const device = await registerDevice(api, { name: "arm-01" });
  const bag = makeFolder(info.outputPath("monday"), {
    "metadata.yaml": "rosbag2_bagfile_information:\n  version: 5\n",
    "monday_0.db3": statusBag(),
  });
  await page.goto(`/recordings?upload=1&device_id=${device.uid}`);
  await live(page);
  const upload = page.getByRole("dialog", { name: "Upload recordings" });
  await upload.getByLabel("Folder").setInputFiles(bag);
  await expect(upload.getByRole("list", { name: "Chosen files" })).toContainText("monday/monday_0.db3");
  await upload.getByRole("button", { name: "Upload 1 recording" }).click();
  await page.waitForURL("**/recordings/rec_*");
  const { results } = await api.get<{ results: { uid: string; name: string; warnings: string[] }[] }>(
    "/fleet/recordings/",
  );
  const [recording] = results;
  expect(recording?.name).toBe("monday");
  const { warnings } = await api.get<{ warnings: string[] }>(`/fleet/recordings/${recording?.uid}/`);
  expect(warnings).toContainEqual(expect.stringMatching(/no definition of "my_msgs\/msg\/Status"/));

  await page.goto("/settings/message-definitions");
  await expect(page.getByRole("heading", { name: "No message definitions yet" })).toBeVisible();
  await live(page);
  await page.getByRole("button", { name: "Add files" }).click();
  const dialog = page.getByRole("dialog", { name: "Add message definitions" });
  const folder = makeFolder(info.outputPath("my_msgs"), {
    "msg/Status.msg": "float32 load\nwrong",
    "CMakeLists.txt": "project(my_msgs)",
  });
  await dialog.getByLabel("Folder").setInputFiles(folder);
  await expect(dialog.getByText("1 file of other kinds left out.")).toBeVisible();
  faults.expect(/status of 400 .*messageDefinitions\.save/);
  await dialog.getByRole("button", { name: "Add 1 file" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(/^my_msgs\/msg\/Status\.msg: .*"wrong"/);
  await dialog.getByRole("button", { name: "Leave out my_msgs/msg/Status.msg" }).click();

  // A file by itself gets the package that is typed.
  await dialog
    .getByLabel("Definition files")
    .setInputFiles([{ name: "Status.msg", mimeType: "text/plain", buffer: Buffer.from("float32 load\n") }]);
  await dialog.getByRole("textbox", { name: "Package" }).fill("my_msgs");
  await expect(dialog.getByRole("list", { name: "Chosen files" })).toContainText("my_msgs/msg/Status.msg");
  await dialog.getByRole("button", { name: "Add 1 file" }).click();
  await expect(page.getByText("1 definition added")).toBeVisible();
  const row = page.getByRole("row", { name: /my_msgs\/Status/ });
  await expect(row).toBeVisible();

  await api.post(`/fleet/recordings/${recording?.uid}/reprocess/`, {});
  await expect
    .poll(async () => {
      const { status, topics } = await api.get<{
        status: string;
        topics: { fields: { path: string; max: number }[] }[];
      }>(`/fleet/recordings/${recording?.uid}/`);
      return [status, topics[0]?.fields.map(({ path: name, max }) => [name, max])];
    })
    .toEqual(["ready", [["load", 9]]]);

  await row.click();
  await expect(page.getByRole("dialog", { name: "my_msgs/Status" })).toContainText("float32 load");
  await page.keyboard.press("Escape");
  await row.getByRole("button", { name: /^Actions/ }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(page.getByRole("heading", { name: "No message definitions yet" })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row).toBeVisible();
  await inEveryLook(page, async () => {
    await page.goto("/settings/message-definitions");
    await expect(page.getByText("my_msgs/Status").first()).toBeVisible();
    await live(page);
  });
});
