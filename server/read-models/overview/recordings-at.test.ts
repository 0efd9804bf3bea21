import { beforeAll, describe, expect, test } from "vitest";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
const at = "2026-11-24T14:10:00.000Z";
const minutes = (count: number) => new Date(Date.parse(at) + count * 60_000);
const span = (from: number, to: number) => ({ startedAt: minutes(from), endedAt: minutes(to) });

beforeAll(async () => {
  org = await makeOrganization();
  const [c1, c2, amr] = await Promise.all(["Arm C1", "Arm C2", "AMR 03"].map((name) => makeDevice(org, { name })));
  const make = (device: { uid: string } | undefined, name: string, from: number, to: number, status = "ready") =>
    makeRecording(org, device?.uid ?? "", { name, status, ...span(from, to) });
  await make(c1, "whole shift", -240, 240);
  await make(c1, "ended within the shift", -20, -10);
  await make(c1, "failed", -1, 1, "error");
  await make(c2, "long before", -600, -500);
  await make(c2, "soon after", 12, 20);
  await make(amr, "just before", -30, -3);
  await make(amr, "later", 5, 20);
});

const find = async (text: string, when = at) =>
  (await createTrpcCaller(org).overview.recordingsAt({ text, at: when })).map((row) => [
    row.name,
    row.distance_seconds,
  ]);

describe("recordings at a moment", () => {
  test("a device's recording that covers the moment is found, although a later one ended before it", async () => {
    expect(await find("arm c1")).toEqual([["whole shift", 0]]);
  });

  test("else the nearest is found, before or after the moment, with its distance", async () => {
    expect(await find("ARM C2")).toEqual([["soon after", 720]]);
    expect(await find("03 amr")).toEqual([["just before", -180]]);
  });

  test("every device whose name has all words has one, the nearest first", async () => {
    expect(await find("arm")).toEqual([
      ["whole shift", 0],
      ["soon after", 720],
    ]);
    expect(await find("arm 03")).toEqual([]);
    expect(await find("%")).toEqual([]);
  });

  test("without a device, those that cover the moment are found, else the nearest", async () => {
    expect(await find("")).toEqual([["whole shift", 0]]);
    expect((await find(" ", minutes(300).toISOString()))[0]).toEqual(["whole shift", -3_600]);
    expect((await find("", minutes(-700).toISOString()))[0]).toEqual(["long before", 6_000]);
  });

  test("those of other organizations are not found", async () => {
    const other = createTrpcCaller(await makeOrganization());
    expect(await other.overview.recordingsAt({ text: "arm c1", at })).toEqual([]);
    expect(await other.overview.recordingsAt({ text: "", at })).toEqual([]);
  });
});
