import { beforeAll, describe, expect, test } from "vitest";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
const hours = (count: number) => new Date(Date.UTC(2026, 10, 24) + count * 3_600_000);

beforeAll(async () => {
  org = await makeOrganization();
});

/** A device with runs at these hours; those whose name ends with an exclamation mark have an open alert. */
async function makeRuns(runs: readonly [name: string, hour: number, more?: object][]) {
  const device = await makeDevice(org, { name: "Arm C1" });
  const made: string[] = [];
  for (const [name, hour, more] of runs) {
    const run = await makeRecording(org, device.uid, {
      ...{ name: name.replace("!", ""), messageCount: 1n, startedAt: hours(hour), endedAt: hours(hour + 1) },
      ...more,
    });
    if (name.endsWith("!")) await makeAlert(org, { device, recordingId: run.uid });
    made.push(run.uid);
  }
  return made;
}

const find = async (uid: string | undefined) => {
  const { calm, same_name } = await createTrpcCaller(org).recordings.comparableRuns({ uid: uid ?? "" });
  return [calm?.name ?? null, same_name?.started_at ?? null];
};

describe("runs to compare a recording with", () => {
  test("are the last earlier one without an open alert and the last of the same name, of its device", async () => {
    const [own] = await makeRuns([
      ["Pick cycle", 0],
      ["Older", -9],
      ["Calm", -5],
      ["Pick cycle!", -3],
      ["Empty", -2, { messageCount: 0n }],
      ["Broken", -1, { status: "error" }],
      ["Later", 1],
    ]);
    await makeRuns([["Pick cycle", -1]]);
    expect(await find(own)).toEqual(["Calm", hours(-3).toISOString()]);
  });

  test("are later ones where there is no earlier one, the next first", async () => {
    const [own] = await makeRuns([
      ["", 0],
      ["Much later", 9],
      ["Later", 3],
      ["Alarming!", -1],
      ["", 2],
    ]);
    // Unnamed recordings have no name in common.
    expect(await find(own)).toEqual(["", null]);
  });

  test("are none where the device has no other, and are not found by another organization", async () => {
    const [own = ""] = await makeRuns([["Only", 0]]);
    expect(await find(own)).toEqual([null, null]);
    const other = createTrpcCaller(await makeOrganization());
    await expect(other.recordings.comparableRuns({ uid: own })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
