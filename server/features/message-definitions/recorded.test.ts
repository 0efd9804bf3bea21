import { MessageWriter as CdrWriter } from "@foxglove/rosmsg2-serialization";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openRecordingPack } from "@/components/recording/thread/recording-source";
import { createDecoder } from "@/engine/decode/decode";
import { memorySource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader/reader";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap, type TestChannel } from "@/engine/testing/write-mcap";
import { reprocessRecording } from "@/server/features/recordings/service";
import { prisma } from "@/server/platform/db";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { writeDb3 } from "@/server/testing/db3";
import { makeDevice, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { epoch, processedRecording, runJobs, second, writeSignals } from "@/server/testing/processing";
import { createTrpcCaller, request, fetchApp } from "@/server/testing/requests";

let org: TestOrganization;
let deviceId: string;
let cookie: string;
beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
  cookie = await sessionCookie(org.owner, { slug: org.slug });
});
beforeEach(() => prisma.messageDefinition.deleteMany({ where: { organizationId: org.uid } }));

interface Recording {
  status: string;
  warnings: string[];
  topics: { name: string; error: string | null; message_count: number; fields: { path: string; max?: number }[] }[];
}
const getRecording = async (uid: string): Promise<Recording> =>
  (await request<Recording>("GET", `/fleet/recordings/${uid}/`, { key: org.key })).body;
const define = (path: string, text: string) =>
  request("POST", "/fleet/message-definitions/", { key: org.key, body: { files: [{ path, text }] } });
async function reprocess(uid: string): Promise<Recording> {
  await reprocessRecording(org.ctx, uid);
  await runJobs();
  return getRecording(uid);
}

const header = { stamp: { sec: 1, nsec: 2 }, frame_id: "base" };
const imuText = `std_msgs/Header header
geometry_msgs/Quaternion orientation
float64[9] orientation_covariance
geometry_msgs/Vector3 angular_velocity
float64[9] angular_velocity_covariance
geometry_msgs/Vector3 linear_acceleration
float64[9] linear_acceleration_covariance
===
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
===
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
===
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
===
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec`;

/** Twenty messages of each channel: the payload for a number. */
const makeMessages = (topics: Record<string, (at: number) => Uint8Array>) =>
  Array.from({ length: 20 }, (_, at) =>
    Object.entries(topics).map(([topic, write]) => ({ topic, time: epoch + BigInt(at) * second, data: write(at) })),
  ).flat();
const without = (topic: string, schemaName: string, schema = "", schemaEncoding = ""): TestChannel => ({
  ...{ topic, messageEncoding: "cdr", schemaName, schemaEncoding, schema },
});
const parsed = await import("@foxglove/rosmsg").then(({ parse }) => parse(imuText, { ros2: true }));
const writeImu = (at: number) => {
  const zero = { x: 0, y: 0, z: 0 };
  const none = new Float64Array(9);
  return new CdrWriter(parsed).writeMessage({
    header: { stamp: { sec: 1, nanosec: 2 }, frame_id: "imu" },
    orientation: { ...zero, w: 1 },
    orientation_covariance: none,
    angular_velocity: { ...zero, z: at / 10 },
    angular_velocity_covariance: none,
    linear_acceleration: zero,
    linear_acceleration_covariance: none,
  });
};
const float64 = (value: number): Buffer => {
  const data = Buffer.alloc(12);
  data[1] = 1;
  data.writeDoubleLE(value, 4);
  return data;
};
const robot = () =>
  writeMcap(
    [without("/imu", "sensor_msgs/msg/Imu"), without("/mine", "my_msgs/msg/Load")],
    makeMessages({ "/imu": writeImu, "/mine": float64 }),
  );

const getTopic = ({ topics }: Recording, name: string) => {
  const topic = topics.find((each) => each.name === name);
  return { error: topic?.error, max: Object.fromEntries(topic?.fields.map(({ path, max }) => [path, max]) ?? []) };
};
const load = Buffer.from("float64 load\n");

describe("an MCAP file whose schemas have a name only", () => {
  test("is read with the standard messages and files uploaded beside it, which are no recordings", async () => {
    const uid = await processedRecording(org, deviceId, [await robot(), { path: "Load.msg", bytes: load }]);
    const recording = await getRecording(uid);
    expect([recording.status, recording.warnings]).toEqual(["ready", []]);
    expect(getTopic(recording, "/imu")).toMatchObject({ error: null, max: { "angular_velocity.z": 1.9 } });
    expect(getTopic(recording, "/mine")).toEqual({ error: null, max: { load: 19 } });
  });

  test("says what is missing and what to do, and is read with the organization's once it is processed again", async () => {
    const uid = await processedRecording(org, deviceId, [await robot()]);
    const before = await getRecording(uid);
    const reason = `The recording has no definition of "my_msgs/msg/Load". Add its .msg or .idl file to the settings' message definitions and reprocess, or upload it with the recording.`;
    expect(getTopic(before, "/mine").error).toBe(reason);
    expect(before.warnings).toEqual([`/mine could not be decoded: ${reason}`]);
    await define("my_msgs/msg/Load.msg", load.toString());
    expect(getTopic(await reprocess(uid), "/mine")).toEqual({ error: null, max: { load: 19 } });
  });

  test("is read everywhere with the definitions of when it was processed, until it is processed again", async () => {
    await define("my_msgs/msg/Load.msg", "float64 load");
    const uid = await processedRecording(org, deviceId, [await robot()]);
    await writeSignals(uid);
    await define("my_msgs/msg/Load.msg", "float64 renamed");
    const readAll = async () => {
      const path = `/fleet/recordings/${uid}`;
      const { body } = await request<{ messages: { value: unknown }[] }>(
        "GET",
        `${path}/messages/?topic=/mine&limit=1`,
        {
          key: org.key,
        },
      );
      const pack = await createTrpcCaller(org).recordings.openPack({ uid });
      const get = async (address: string) => fetchApp(address, { headers: { cookie } });
      const { chunks } = await openRecordingPack(uid, pack, await recordingCodecs(), get);
      const shown = (await chunks.findFirst("/mine"))!;
      const cut = await request<{ download_url: string }>("GET", `${path}/cut/?topics=/mine`, { key: org.key });
      const file = await fetchApp(cut.body.download_url.replace(/^https?:\/\/[^/]+/, ""));
      const own = await openRecording(
        [memorySource(new Uint8Array(await file.arrayBuffer()))],
        await recordingCodecs(),
      );
      const [channel] = (await own.summary()).channels;
      const fields = await prisma.signalFile.findMany({ where: { recordingId: uid, topic: "/mine" } });
      return {
        api: body.messages[0]?.value,
        page: createDecoder(shown.channel).decode(shown.data),
        cut: `${channel?.schemaEncoding} ${Buffer.from(channel?.schemaData ?? []).toString()}`,
        signals: fields[0]?.fields,
      };
    };
    const signals = (path: string) => [expect.objectContaining({ path })];
    expect(await readAll()).toEqual({
      ...{ api: { load: 0 }, page: { load: 0 } },
      cut: "ros2msg float64 load",
      signals: signals("load"),
    });
    await reprocess(uid);
    await writeSignals(uid);
    expect(await readAll()).toEqual({
      ...{ api: { renamed: 0 }, page: { renamed: 0 } },
      cut: "ros2msg float64 renamed",
      signals: signals("renamed"),
    });
  });

  test("is not read with the definitions of another organization", async () => {
    const other = await makeOrganization();
    await request("POST", "/fleet/message-definitions/", {
      key: other.key,
      body: { files: [{ path: "my_msgs/msg/Load.msg", text: "float64 load" }] },
    });
    const uid = await processedRecording(org, deviceId, [await robot()]);
    expect(getTopic(await getRecording(uid), "/mine").error).toMatch(/no definition of "my_msgs\/msg\/Load"/);
  });
});

describe("a definition that is empty, while its messages are not", () => {
  test.each(["", "# only a comment"])("is that of the standard type in MCAP: %j", async (schema) => {
    const channels = [
      without("/imu", "sensor_msgs/msg/Imu", schema, "ros2msg"),
      without("/mine", "my_msgs/msg/Load", schema, "ros2msg"),
      without("/ping", "std_msgs/msg/Empty", schema, "ros2msg"),
    ];
    const ping = () => Buffer.from([0, 1, 0, 0, 0]);
    const bytes = await writeMcap(channels, makeMessages({ "/imu": writeImu, "/mine": float64, "/ping": ping }));
    const recording = await getRecording(await processedRecording(org, deviceId, [bytes]));
    expect(getTopic(recording, "/imu")).toMatchObject({ error: null, max: { "angular_velocity.z": 1.9 } });
    expect(getTopic(recording, "/ping")).toEqual({ error: null, max: {} });
    const reason = expect.stringMatching(
      /^The definition of "my_msgs\/Load" is empty, but its messages are not\. Add /,
    );
    expect(getTopic(recording, "/mine").error).toEqual(reason);
    expect(recording.warnings).toEqual([expect.stringMatching(/^\/mine could not be decoded: The definition of /)]);
  });

  test("is that of the standard type of ROS 1 in a bag, where a type without a section is one too", async () => {
    const { MessageWriter } = await import("@foxglove/rosmsg-serialization");
    const { parse } = await import("@foxglove/rosmsg");
    const text = `Header header\nfloat64 x\n===\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id`;
    const writer = new MessageWriter(parse(text));
    const value = (at: number) => writer.writeMessage({ header: { seq: at, ...header }, x: at });
    const bag = writeBag(
      [
        { topic: "/empty", messageEncoding: "ros1", schemaName: "std_msgs/Header", schema: "" },
        { topic: "/bare", messageEncoding: "ros1", schemaName: "my_msgs/Own", schema: "Header header\nfloat64 x" },
      ],
      makeMessages({ "/empty": (at) => value(at).subarray(0, -8), "/bare": value }),
    );
    const recording = await getRecording(await processedRecording(org, deviceId, [bag]));
    expect(recording.warnings).toEqual([]);
    expect(getTopic(recording, "/empty")).toMatchObject({ error: null, max: { seq: 19 } });
    expect(getTopic(recording, "/bare")).toMatchObject({ error: null, max: { "header.seq": 19, x: 19 } });
  });
});

describe("what actions and services send", () => {
  const action = "int32 order\n---\nint32[] sequence\n---\nint32 done\n";
  const feedback = (at: number) => {
    const data = Buffer.alloc(4 + 16 + 4);
    data[1] = 1;
    data.writeInt32LE(at, 20);
    return data;
  };
  const type = "my_msgs/action/Fib_FeedbackMessage";

  test("is read with the text of the action in the recording, or its .action file in the settings", async () => {
    const channels = [
      without("/own/_action/feedback", type.replace("Fib", "Own"), action, "ros2msg"),
      without("/fib/_action/feedback", type),
    ];
    const topics = { "/own/_action/feedback": feedback, "/fib/_action/feedback": feedback };
    const uid = await processedRecording(org, deviceId, [await writeMcap(channels, makeMessages(topics))]);
    const before = await getRecording(uid);
    expect(getTopic(before, "/own/_action/feedback")).toMatchObject({ error: null, max: { "feedback.done": 19 } });
    expect(getTopic(before, "/fib/_action/feedback").error).toMatch(
      /Add the \.action file of "my_msgs\/action\/Fib" to/,
    );
    expect(await define("my_msgs/action/Fib.action", action)).toMatchObject({ status: 200 });
    const after = getTopic(await reprocess(uid), "/fib/_action/feedback");
    expect(after).toMatchObject({ error: null, max: { "feedback.done": 19 } });
  });

  test("in a db3 file is read with the .srv file that its reason asks for", async () => {
    const event = Buffer.alloc(4 + 12 + 16 + 4 + 8 + 4 + 4 + 4 + 4);
    event[1] = 1;
    event.writeUInt32LE(1, 44);
    event.writeInt32LE(7, 48);
    const uid = await processedRecording(org, deviceId, [
      writeDb3({
        topics: [{ name: "/add/_service_event", type: "my_msgs/srv/Add_Event" }],
        messages: [1n, 2n].map((at) => ({ topic: 1, time: epoch + at * second, data: event })),
      }),
    ]);
    const before = getTopic(await getRecording(uid), "/add/_service_event");
    expect(before.error).toMatch(
      /no definition of "my_msgs\/srv\/Add_Event"\. Add the \.srv file of "my_msgs\/srv\/Add" to/,
    );
    await define("my_msgs/srv/Add.srv", "int32 a\n---\nint32 sum\n");
    const { error } = getTopic(await reprocess(uid), "/add/_service_event");
    const { body } = await request<{ messages: { value: unknown }[] }>(
      "GET",
      `/fleet/recordings/${uid}/messages/?topic=/add/_service_event&limit=1`,
      { key: org.key },
    );
    expect([error, body.messages[0]?.value]).toEqual([
      null,
      expect.objectContaining({ request: [{ a: 7 }], response: [] }),
    ]);
  });
});
