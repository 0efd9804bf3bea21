import { beforeAll, describe, expect, test } from "vitest";
import { PagePreview, type OpenFile } from "@/components/rules/page-preview";
import type { Condition } from "@/domain/conditions/condition";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { memorySource } from "@/engine/formats/byte-source";
import { makeRules } from "@/engine/testing/compare-passes";
import { makeCase } from "@/engine/testing/recording-cases";
import { createRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { signalCodecs } from "@/server/platform/files/signal-compression";
import { makeDevice, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording, temperatures } from "@/server/testing/processing";
import { createTrpcCaller, fetchApp } from "@/server/testing/requests";

let org: TestOrganization;
let trpc: ReturnType<typeof createTrpcCaller>;
let cookie: string;
let recordings: string[];
let conditions: Condition[];

const seeds = [1, 2, 4];
const wheel = { type: "threshold", topic: "/wheel", field: "data", operator: "gt", value: 0 } as const;

beforeAll(async () => {
  org = await makeOrganization();
  trpc = createTrpcCaller(org);
  cookie = await sessionCookie(org.owner, { slug: org.slug });
  const { uid } = await makeDevice(org);
  recordings = [];
  conditions = [];
  for (const seed of seeds) {
    const { files } = await makeCase(seed, 200);
    const recording = await processedRecording(
      org,
      uid,
      files.map((file) => Buffer.from(file)),
    );
    recordings.push(recording);
    const rules = await makeRules(files.map(memorySource), await recordingCodecs());
    conditions.push(...rules.slice(0, 30).map(({ condition }) => condition));
  }
});

const getAddress = (uid: string, { topic, version }: { topic: string; version: string }, part: string): string =>
  `/media/signals/${uid}/${version}/${part}?topic=${encodeURIComponent(topic)}`;

const fetchPart = (address: string, headers: Record<string, string> = { cookie }) => fetchApp(address, { headers });

/** Reads files as the page's thread does, over the route. */
const openFile: OpenFile = (uid, file) => ({
  size: file.size_bytes,
  async read(offset, wanted) {
    const length = Math.min(wanted, file.size_bytes - offset);
    const response = await fetchPart(getAddress(uid, file, `${offset}-${length}`));
    expect(response.status).toBe(200);
    return new Uint8Array(await response.arrayBuffer());
  },
});

const load = async (input: Parameters<typeof trpc.rules.previewColumns>[0]) => {
  const columns = await trpc.rules.previewColumns(input);
  return columns && PagePreview.load(columns, openFile, await signalCodecs());
};

/** A threshold whose columns a page can load. */
async function findLoadable(): Promise<Condition> {
  for (const condition of conditions)
    if (condition.type === "threshold" && (await load({ condition, recordings }))) return condition;
  throw new Error("no threshold is on a column of numbers");
}

describe("a preview computed in the page", () => {
  test("is the server's, for every condition that columns of numbers are enough for", async () => {
    let compared = 0;
    for (const condition of conditions) {
      const input = { condition, recordings };
      const preview = await load(input);
      if (!preview) continue;
      compared += 1;
      expect(await preview.evaluate(condition), JSON.stringify(condition)).toEqual(await trpc.rules.preview(input));
    }
    expect(compared).toBeGreaterThan(20);
  });

  test("is the server's with other numbers and durations, without anything loaded again", async () => {
    let compared = 0;
    for (const condition of conditions) {
      if (condition.type !== "threshold" || typeof condition.value !== "number") continue;
      const preview = await load({ condition, recordings });
      if (!preview) continue;
      for (const [value, window] of [
        [condition.value * 2 + 1, "20ms"],
        [condition.value - 1, "1s"],
      ] as const) {
        compared += 1;
        const moved = parseCondition({ ...condition, value, window });
        const answer = await trpc.rules.preview({ condition: moved, recordings });
        expect(await preview.evaluate(moved)).toEqual(answer);
      }
    }
    expect(compared).toBeGreaterThan(5);
  });

  test("compares with a saved rule, and says why a recording is not evaluated", async () => {
    const condition = await findLoadable();
    const { uid: rule_id } = await createRule(org.ctx, {
      name: "Saved",
      condition,
      actions: [{ type: "tag", value: "x" }],
    });
    const { uid: device } = await makeDevice(org);
    const waiting = await processedRecording(org, device, [await jsonRecording({ "/motor": temperatures([1, 2]) })]);
    await prisma.recording.update({ where: { uid: waiting }, data: { status: "error" } });
    const input = { condition, recordings: [...recordings, waiting], rule_id };
    const preview = await load(input);
    const answer = await trpc.rules.preview(input);
    expect(await preview?.evaluate(condition)).toEqual(answer);
    expect(JSON.stringify(answer)).toContain("The recording could not be processed.");
    expect(answer).toHaveProperty("compare.version", 1);
  });

  test("is left to the server where columns are not enough", async () => {
    const { uid } = await makeDevice(org);
    const json = await processedRecording(org, uid, [await jsonRecording({ "/motor": temperatures([1, 2]) })]);
    const condition = { ...wheel, topic: "/motor", field: "data.value" };
    expect(await trpc.rules.previewColumns({ condition, recordings: [json] })).toBeNull();
    // Another field than the loaded ones.
    const loaded = await load({ condition: { ...wheel, topic: "/absent" }, recordings });
    expect(await loaded!.evaluate(await findLoadable())).toBeNull();
  });
});

describe("parts of files for pages", () => {
  const findFile = async () => {
    const columns = await trpc.rules.previewColumns({ condition: conditions[0]!, recordings });
    const [recording] = columns!.recordings.filter(({ files }) => files.length > 0);
    return { uid: recording!.uid, file: recording!.files[0]! };
  };

  test("are the file's bytes, to be cached by the browser of a signed-in person", async () => {
    const { uid, file } = await findFile();
    const whole = await fetchPart(getAddress(uid, file, `0-${file.size_bytes}`));
    const bytes = new Uint8Array(await whole.arrayBuffer());
    const part = await fetchPart(getAddress(uid, file, "4-100"));
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(4, 104));
    expect(Object.fromEntries(part.headers)).toMatchObject({
      "cache-control": "private, max-age=86400, immutable",
      "content-length": "100",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    });
  });

  test("are refused to others, after a change, and beyond the end", async () => {
    const { uid, file } = await findFile();
    const getStatus = async (address: string, headers?: Record<string, string>) =>
      (await fetchPart(address, headers)).status;
    const foreign = await makeOrganization();
    const own = getAddress(uid, file, "0-4");
    expect({
      signedOut: await getStatus(own, {}),
      key: await getStatus(own, { "x-service-api-key": org.key }),
      foreign: await getStatus(own, { cookie: await sessionCookie(foreign.owner) }),
      unknownTopic: await getStatus(getAddress(uid, { ...file, topic: "/none" }, "0-4")),
      unknownKind: await getStatus(own.replace("/signals/", "/toString/")),
      changed: await getStatus(getAddress(uid, { ...file, version: "1" }, "0-4")),
      beyond: await getStatus(getAddress(uid, file, `1-${file.size_bytes}`)),
      malformed: await getStatus(getAddress(uid, file, "0-x")),
      empty: await getStatus(getAddress(uid, file, "0-0")),
      large: await getStatus(getAddress(uid, file, `0-${64 * 1024 * 1024 + 1}`)),
    }).toEqual({
      signedOut: 401,
      key: 401,
      foreign: 404,
      unknownTopic: 404,
      unknownKind: 404,
      changed: 409,
      beyond: 416,
      malformed: 400,
      empty: 400,
      large: 400,
    });
    await prisma.signalFile.deleteMany({ where: { recordingId: uid, topic: file.topic } });
    expect(await getStatus(own)).toBe(404);
  });
});
