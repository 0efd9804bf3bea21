import { expect, test } from "vitest";
import { SharedRecordingPage } from "@/components/shares/shared-recording-page";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import type { SharedRecording } from "@/domain/shares/shared-recording";

const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const shared: SharedRecording = {
  name: "Night run",
  device_name: "arm-04",
  started_at: "2025-10-09T08:53:20.000Z",
  organization_name: "Acme Robotics",
  shared_by: "ada",
  expires_at: "2026-02-09T09:00:00.000Z",
  note: "Look at the arm.\n<b>Not bold</b>",
  from_ns: "1760000001000000000",
  to_ns: "1760000004000000000",
  plots: [
    {
      topic: "/motor",
      field: "data.value",
      kind: "number",
      unit: "°C",
      level: 0,
      from: "1760000001000000000",
      to: "1760000004000000000",
      points: [
        ["1760000001000000000", 20, 20, 20, 20, 1],
        ["1760000002000000000", 25, 25, 25, 25, 1],
        ["1760000003000000000", 22, 22, 22, 22, 1],
      ],
    },
  ],
  cameras: [
    {
      topic: "/front",
      stills: [
        { at_ns: "1760000002000000000", url: pixel },
        { at_ns: "1760000003000000000", url: "data:image/png;base64,AAAA" },
      ],
    },
  ],
  download: { url: "/files/cuts/rec_1?signature=x", file_name: "Night run.mcap" },
  viewers: [
    { name: "Foxglove", href: "https://app.foxglove.dev/~/view?ds=remote-file", reason: null },
    { name: "Lichtblick", href: null, reason: "It has 2 files." },
  ],
};

test("what is shared is named, shown and offered, and a picture that is missing says so", async () => {
  const screen = await show(<SharedRecordingPage shared={shared} />, "/share/x");
  await expect.element(screen.getByRole("heading", { level: 1, name: "Night run" })).toBeVisible();
  await expect
    .element(screen.getByText("ada of Acme Robotics shared this part of a recording with you."))
    .toBeVisible();
  await expect.element(screen.getByText("2025-10-09 08:53:21.000 UTC to 2025-10-09 08:53:24.000 UTC")).toBeVisible();
  await expect.element(screen.getByText("<b>Not bold</b>", { exact: false })).toBeVisible();
  await expect
    .element(screen.getByRole("link", { name: "Download MCAP" }))
    .toHaveAttribute("href", "/files/cuts/rec_1?signature=x");
  await expect.element(screen.getByRole("link", { name: "Open in Foxglove" })).toBeVisible();
  await expect.element(screen.getByRole("link", { name: "Open in Lichtblick" })).not.toBeInTheDocument();
  await expect.element(screen.getByRole("img", { name: "/front, 1.0 s after the start" })).toBeVisible();
  await expect.element(screen.getByText("No picture")).toBeVisible();
  await expect
    .element(screen.getByRole("img", { name: "/motor.data.value over time, from 20 to 25 °C" }))
    .toBeVisible();
  await expectGoodLooks();
});

test("what cannot be downloaded at the moment says so", async () => {
  const screen = await show(
    <SharedRecordingPage shared={{ ...shared, download: null, viewers: null, cameras: [], plots: [], note: "" }} />,
    "/share/x",
  );
  await expect.element(screen.getByText("It cannot be downloaded at the moment.", { exact: false })).toBeVisible();
  await expect.element(screen.getByRole("link", { name: /Open in/ })).not.toBeInTheDocument();
  await expect.element(screen.getByRole("heading", { name: "Cameras" })).not.toBeInTheDocument();
});
