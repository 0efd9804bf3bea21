import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { expect, type Api, type Device } from "./fixtures";
import { uploadRecording } from "./recording-files";

const channel = (topic: string, schemaName: string, properties: object = {}): TestChannel => ({
  topic,
  messageEncoding: "json",
  schemaName,
  schemaEncoding: "jsonschema",
  schema: JSON.stringify({ type: "object", properties }),
});
const number = { value: { type: "number" } };

/** When the two recordings begin, nanoseconds since 1970: on different days. */
export const starts = { a: 1_770_000_000_000_000_000n, b: 1_770_200_000_000_000_000n };
/** How much later everything happens in the second, in seconds. */
export const delay = 2.5;
const seconds = 30;
/** The colour of the pictures of each second. */
export const colours = {
  a: (second: number): [number, number, number] => [second * 8, 0, 0],
  b: (second: number): [number, number, number] => [0, 0, second * 8],
};

/** A signal that does not repeat itself. */
const signal = (t: number): number => 40 * Math.sin(t * t * 0.03) + 10 * Math.sin(3 * t);

/**
 * Half a minute of a motor, a camera and a log. In the second everything is 2.5 s later, hotter and slower; its log has
 * errors, one topic is missing, one is new and one has another schema.
 */
async function comparedRecording(which: "a" | "b"): Promise<Buffer> {
  const isSecond = which === "b";
  const shift = isSecond ? delay : 0;
  const messages: TestMessage[] = [];
  const add = (topic: string, at: number, value: object) =>
    messages.push({
      topic,
      time: starts[which] + BigInt(Math.round(at * 1e9)),
      data: Buffer.from(JSON.stringify(value)),
    });
  for (let n = 0; n <= seconds * 10; n++) {
    const at = n / 10;
    add("/motor", at, { value: signal(at - shift) });
    add("/level", at, { value: isSecond ? 25 : 20 });
    if (n % (isSecond ? 4 : 2) === 0) add("/slow", at, { value: at });
    add("/steady", at, { value: at });
    if (n % 10 === 0) {
      const level = isSecond && n >= 250 ? 40 : 20;
      add("/rosout", at, { level, name: "motor", msg: `cycle ${n / 10} of ${which}` });
      const pixels = Buffer.concat(Array.from({ length: 48 }, () => Buffer.from(colours[which](n / 10))));
      const picture = { width: 8, height: 6, encoding: "rgb8", step: 24, data: pixels.toString("base64") };
      add("/front", at, picture);
      add(isSecond ? "/new" : "/old", at, { value: 1 });
    }
  }
  return writeMcap(
    [
      channel("/motor", "Motor", number),
      channel("/level", "Level", number),
      channel("/slow", "Slow", number),
      channel("/steady", isSecond ? "Steady2" : "Steady", number),
      channel("/rosout", "rcl_interfaces/msg/Log", { level: { type: "integer" }, msg: { type: "string" } }),
      channel("/front", "foxglove.RawImage"),
      channel(isSecond ? "/new" : "/old", "Extra", number),
    ],
    messages,
    { compression: "zstd", chunkBytes: 16_384 },
  );
}

/** Uploads one of the two recordings and waits until it is processed; resolves to its uid. */
export async function openCompared(
  api: Api,
  request: Parameters<typeof uploadRecording>[1],
  which: "a" | "b",
  device: Device,
): Promise<string> {
  const name = which === "a" ? "Good run" : "Bad run";
  const { uid } = await uploadRecording(api, request, { bytes: await comparedRecording(which), device, name });
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}
