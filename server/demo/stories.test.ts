import sharp from "sharp";
import { expect, test } from "vitest";
import { demoRecordings, sampleStory } from "@/server/demo/fleet";
import { messageTypes } from "@/server/demo/messages";
import { visiblePallets } from "@/server/demo/scene";
import { generateMessages, recordStory } from "@/server/demo/stories";
import { droneHome, type RecordingStory } from "@/server/demo/story";
import { share } from "@/server/testing/generated-cases";
import { readRos2Messages, type ReadMessage } from "@/server/testing/ros2-messages";

const story: RecordingStory = {
  robot: "amr",
  seed: 31,
  start: 1_767_258_000_000_000_000n,
  seconds: 60,
  pictures: true,
  log: true,
  incidents: ["emergency_stop"],
};

interface Message {
  data: Uint8Array;
  msg: string;
  percentage: number;
  latitude: number;
  altitude: number;
  pose: { position: { x: number; y: number; z: number }; orientation: { z: number; w: number } };
}
type Seen = ReadMessage<Message>;

const readMessages = readRos2Messages<Message>;

const before = (seen: readonly Seen[], time: bigint): Seen["message"] =>
  seen.findLast((each) => each.time <= time + 5_000_000n)!.message;

/** How many of the ten lamps on the bumper are lit, and whether they are red. */
async function readLamps(jpeg: Uint8Array): Promise<{ lit: number; red: boolean }> {
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  const colors = Array.from({ length: 10 }, (_, n) => {
    const at = 3 * ((info.height - 8) * info.width + info.width / 2 - 79 + n * 16 + 6);
    return { red: data[at]!, green: data[at + 1]! };
  }).filter(({ red, green }) => Math.max(red, green) > 140);
  return { lit: colors.length, red: colors.every(({ red, green }) => red > 2 * green) };
}

test("the camera's pictures are JPEG files that agree with the battery and the emergency stop", async () => {
  const messages = await readMessages(await recordStory(story));
  const pictures = messages.get("/camera/front/image/compressed") ?? [];
  expect(pictures).toHaveLength(30);
  for (const { time, message } of pictures) {
    const { format, width, height } = await sharp(message.data).metadata();
    expect({ format, width, height }).toEqual({ format: "jpeg", width: 256, height: 192 });
    const seconds = Number(time - story.start) / 1e9;
    const { lit, red } = await readLamps(message.data);
    expect(Math.abs(lit / 10 - before(messages.get("/battery_state")!, time).percentage)).toBeLessThan(0.06);
    expect(red).toBe(seconds >= 30 && seconds < 50);
  }
});

test("a mobile robot stands still while its emergency stop is pressed, and its log says so", async () => {
  const messages = await readMessages(await recordStory(story));
  const places = messages
    .get("/pose")!
    .map(({ time, message }) => ({ seconds: Number(time - story.start) / 1e9, ...message.pose.position }));
  const stopped = places.filter(({ seconds }) => seconds > 31 && seconds < 49);
  expect(new Set(stopped.map(({ x, y }) => `${x} ${y}`)).size).toBe(1);
  expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBeGreaterThan(300);
  const lines = messages.get("/rosout")!.map(({ message }) => message.msg);
  expect(lines.filter((line) => /emergency stop/i.test(line))).toEqual([
    "Emergency stop pressed at the cell gate, all motion halted",
    "Emergency stop released, motion resumes",
  ]);
});

test("a drone's GPS fixes are its pose on the earth", async () => {
  const messages = await readMessages(await recordStory({ ...story, robot: "drone", pictures: false, incidents: [] }));
  const fixes = messages.get("/gps/fix") ?? [];
  expect(fixes).toHaveLength(60);
  for (const { time, message } of fixes) {
    const { position } = before(messages.get("/pose")!, time).pose;
    expect(message.latitude).toBeCloseTo(droneHome.lat + position.y / 111_320, 4);
    expect(message.altitude).toBeCloseTo(droneHome.altitude + position.z, 0);
  }
});

/** Every text in a message, in the order of its members' names. */
function listTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, each]) => listTexts(each));
}

const now = new Date("2026-01-31T09:00:00Z");
const minute = { seconds: 60, pictures: false };
const isWhole = ({ incidents = [] }: RecordingStory): boolean => !incidents.includes("truncated");
const allStories = [...demoRecordings(now, false).filter(isWhole), { ...sampleStory, fileName: "sample" }];

test("every text of the demo's recordings comes back whole", async () => {
  const stories = [...share(allStories).map((each) => ({ ...each, ...minute })), { ...story, lidar: "cloud" as const }];
  const seen = new Set<string>();
  for (const each of stories) {
    const written = new Map<string, string[]>();
    for (const { kind, message } of generateMessages(each)) {
      const { topic } = messageTypes[kind];
      const texts = listTexts(message);
      written.set(topic, [...(written.get(topic) ?? []), ...texts.filter((text) => text !== "")]);
      for (const text of texts) seen.add(text);
    }
    const read = await readMessages(await recordStory(each));
    for (const [topic, texts] of written) {
      const found = (read.get(topic) ?? []).flatMap(({ message }) => listTexts(message)).filter((text) => text !== "");
      // A reader orders messages by their time, of which two may have the same.
      expect([topic, found.sort()]).toEqual([topic, texts.sort()]);
    }
  }
  expect([...seen].filter((text) => /°C, (over its limit of 80 °C|below its limit again)$/.test(text))).not.toEqual([]);
});

test("the boxes of a scene lie in the picture and are larger for what is nearer", () => {
  const view = { y: -3, z: 0, yaw: 0, charge: 0.5, stopped: false };
  const [far, near] = [visiblePallets({ ...view, x: -2 }), visiblePallets({ ...view, x: 2.5 })].map((boxes) =>
    boxes.find(({ x }) => x > 128),
  );
  expect(far && near && near.width > far.width && near.x + near.width <= 256).toBe(true);
});
