import type { APIRequestContext } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { expect, inEveryLook, live, unique, type Api } from "./fixtures";
import { once, onlookers as test } from "./onlookers";
import { uploadRecording, waitUntilReady } from "./recording-files";
import { jsonTopic, ros2Topic, second, start, toStamp, type WireTopic } from "./wire-formats";

const count = 20;
const vendorBytes = Buffer.concat([Buffer.from("VENDOR01"), Buffer.alloc(1_992, 0xff)]);

const battery = (n: number, percentage: number) => ({
  // Seven hours before the log.
  header: { stamp: toStamp(start - 25_200n * second), frame_id: "base" },
  voltage: 24.5,
  temperature: Number.NaN,
  current: n < 10 ? -1.25 : 2,
  charge: Number.NaN,
  capacity: Number.NaN,
  design_capacity: 10,
  percentage,
  power_supply_status: n < 10 ? 2 : 1,
  power_supply_health: 1,
  power_supply_technology: 3,
  present: true,
  cell_voltage: [4.125],
  cell_temperature: [],
  location: "slot",
  serial_number: "42",
});

const layout = {
  dim: [
    { label: "rows", size: 2, stride: 4 },
    { label: "joints", size: 2, stride: 2 },
  ],
  data_offset: 0,
};

const sent: readonly { wire: WireTopic; value: (n: number) => object }[] = [
  { wire: ros2Topic("/battery", "sensor_msgs/BatteryState"), value: (n) => battery(n, 0.75) },
  { wire: ros2Topic("/battery_of_100", "sensor_msgs/BatteryState"), value: (n) => battery(n, 12) },
  { wire: ros2Topic("/torques", "std_msgs/Float64MultiArray"), value: (n) => ({ layout, data: [1, 2, 3, n] }) },
  { wire: jsonTopic("/sound", "audio_common_msgs/AudioData"), value: () => ({ data: Buffer.from("sound") }) },
  {
    wire: ros2Topic("/arm/transition_event", "lifecycle_msgs/TransitionEvent"),
    value: (n) => ({
      timestamp: n,
      transition: { id: 3, label: "activate" },
      start_state: { id: 2, label: "inactive" },
      goal_state: { id: n < 10 ? 2 : 3, label: n < 10 ? "inactive" : "active" },
    }),
  },
  {
    wire: jsonTopic("/pick/_action/status", "action_msgs/GoalStatusArray"),
    value: (n) => ({
      status_list: [{ goal_info: { goal_id: { uuid: [171, 1, 2, 3] } }, status: n < 10 ? 2 : 4 }],
    }),
  },
  { wire: jsonTopic("/drive", "pkg/Drive"), value: (n) => ({ drive_mode: n < 5 ? 1 : 4, speed: n }) },
];

/** A message of each topic in each of twenty seconds. */
async function openValues(api: Api, request: APIRequestContext): Promise<string> {
  const messages = Array.from({ length: count }, (_, n): TestMessage[] => {
    const time = start + BigInt(n) * second;
    return [
      ...sent.map(({ wire, value }) => ({ topic: wire.channel.topic, time, data: wire.write(value(n)) })),
      { topic: "/vendor", time, data: vendorBytes },
    ];
  }).flat();
  const vendor = { topic: "/vendor", messageEncoding: "vendor", schemaName: "", schemaEncoding: "", schema: "" };
  const bytes = await writeMcap([...sent.map(({ wire }) => wire.channel), vendor], messages, { compression: "zstd" });
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Values" });
  await waitUntilReady(api, uid);
  return uid;
}

const values = once(openValues);

const at = (seconds: number): string => isoFromNs(start + BigInt(seconds) * second);

test("batteries, modes and life cycles are states, with the battery at the playhead in words @full", async ({
  page,
}) => {
  const uid = await values();
  await inEveryLook(page, async () => {
    await page.goto(`/recordings/${uid}?tab=states&t=${at(5)}`);
    await live(page);
    await expect(page.getByRole("region", { name: "Battery /battery", exact: true })).toContainText("75 %");
  });
  const full = page.getByRole("region", { name: "Battery /battery", exact: true });
  await expect(full).toContainText("discharging at 1.25 A, 24.5 V, good, LiPo");
  await expect(full).not.toContainText("divided");
  const other = page.getByRole("region", { name: "Battery /battery_of_100" });
  await expect(other).toContainText("12 %");
  await expect(other).toContainText("it was divided by 100");

  await expect(page.getByRole("region", { name: "Goals of /pick/_action/status" })).toContainText("executingab010203");

  await page.getByRole("textbox", { name: "Find a state" }).fill("drive");
  const mode = page.getByRole("region", { name: "/drive.drive_mode" });
  await expect(mode).toContainText("4 for 14 s, since 02:40:05");
  await mode.getByRole("button", { name: "Change before of /drive.drive_mode" }).click();
  await expect(mode).toContainText("1 for 5.0 s, since 02:40:00");
  await expect(page.getByRole("region", { name: "/drive.speed" })).toHaveCount(0);

  await page.getByRole("textbox", { name: "Find a state" }).fill("goal_state.label");
  await expect(page.getByRole("region", { name: "/arm/transition_event.goal_state.label" })).toContainText(
    "inactive for 10 s, since 02:40:00",
  );
});

test("values of messages have units and labels; what is wrong with their stamp and their sound is said", async ({
  page,
}) => {
  const uid = await values();
  const open = async (topic: string) => {
    await page.goto(`/recordings/${uid}?tab=message&topic=${topic}&t=${at(15)}`);
    await live(page);
  };
  const tree = page.getByRole("group", { name: "Message" });
  await open("/battery");
  await expect(page.getByText("Stamp 7 h off: the time of the log counts.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Battery /battery" })).toContainText("charging at 2 A");
  for (const text of ["voltage24.5 V", "current2 A", "temperatureNaN", 'location"slot"'])
    await expect(tree.getByRole("button", { name: new RegExp(`^${text.match(/^[a-z]+/)![0]}`) })).toContainText(text);

  await open("/torques");
  await expect(tree.getByRole("button", { name: /^3 15/ })).toHaveText("315 rows 1, joints 1");

  await open("/sound");
  await expect(page.getByText("Sound is not played yet.")).toBeVisible();
});

test("messages that nothing decodes have their size, rate and first bytes @full", async ({ page }) => {
  const uid = await values();
  await inEveryLook(page, async () => {
    await page.goto(`/recordings/${uid}?tab=message&topic=/vendor&t=${at(5)}`);
    await live(page);
    await expect(page.getByRole("table", { name: "Bytes of the message" })).toBeVisible();
  });
  await expect(page.getByText('"vendor" messages cannot be read; 2,000 bytes each, 1 a second.')).toBeVisible();
  await expect(page.getByText("The first 1,024 bytes of 2,000")).toBeVisible();
  const rows = page.getByRole("table", { name: "Bytes of the message" }).getByRole("row");
  await expect(rows).toHaveCount(129);
  await expect(rows.nth(1)).toHaveText("000056 45 4e 44 4f 52 30 31VENDOR01");
  await expect(rows.nth(2)).toHaveText("0008ff ff ff ff ff ff ff ff........");
});
