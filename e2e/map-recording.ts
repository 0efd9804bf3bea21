import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { expect, unique, type Api } from "./fixtures";
import { once } from "./onlookers";
import { uploadRecording } from "./recording-files";

/** When the drive begins, nanoseconds since 1970. */
export const start = 1_770_000_000_000_000_000n;
const seconds = 20;

/** A robot that drives east for twenty seconds, a thousandth of a degree each; without a fix from 12 to 14 s. */
function driveRecording(): Promise<Buffer> {
  const schema = { messageEncoding: "json", schemaEncoding: "jsonschema", schema: "{}" };
  const channels = [
    { topic: "/gps/fix", schemaName: "sensor_msgs/NavSatFix", ...schema },
    { topic: "/gps/spare", schemaName: "foxglove.LocationFix", ...schema },
  ];
  const messages = Array.from({ length: 10 * seconds + 1 }, (_, n): TestMessage[] => {
    const time = start + BigInt(n) * 100_000_000n;
    const status = { status: n > 120 && n < 140 ? -1 : 0 };
    const fix = { status, latitude: 47, longitude: 8 + n * 1e-4, altitude: 400 };
    const json = (value: object) => Buffer.from(JSON.stringify(value));
    return [
      { topic: "/gps/fix", time, data: json(fix) },
      { topic: "/gps/spare", time, data: json({ latitude: 0, longitude: 0 }) },
    ];
  });
  return writeMcap(channels, messages.flat(), { compression: "zstd" });
}

/** Uploads the drive and waits until it is processed. Resolves to its recording. */
export async function openDrive(api: Api, request: Parameters<typeof uploadRecording>[1]): Promise<string> {
  const { uid } = await uploadRecording(api, request, {
    bytes: await driveRecording(),
    device: unique("robot"),
    name: "Drive",
  });
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}

/** The same, uploaded once for all that only look at it. */
export const drive = once(openDrive);
