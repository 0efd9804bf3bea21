import { CreateRule } from "@/domain/rules/schema";
import { dateFromNs } from "@/domain/time/nanoseconds";
import { applyDemoAlertSteps } from "@/server/demo/alerts-service";
import { freeName, startBuild, type Build } from "@/server/demo/build-step";
import { demoDevices, demoGroups, demoRecordings, demoRules, type DemoRecording } from "@/server/demo/fleet";
import { connectDemoDevice, sendDemoHeartbeats } from "@/server/demo/heartbeat-service";
import { addDemoMoments } from "@/server/demo/moments-service";
import { demoPictures } from "@/server/demo/pictures";
import { makeDemoChannel, makeDemoWebhook } from "@/server/demo/receivers-service";
import { recordStory } from "@/server/demo/stories";
import { droneHome, type RobotKind } from "@/server/demo/story";
import {
  ageDemoExecutions,
  exportDemoPictures,
  labelDemoPictures,
  uploadDemoPictures,
} from "@/server/demo/training-service";
import { createGroup } from "@/server/features/devices/group-service";
import { registerDevice } from "@/server/features/devices/service";
import { createRecording } from "@/server/features/recordings/service";
import { confirmUpload, finalizeUpload, initUpload } from "@/server/features/recordings/upload-service";
import { createRule } from "@/server/features/rules/service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { objectStore } from "@/server/platform/storage/current";

export interface DemoOrder {
  organizationId: string;
  /** The user who requested the demo; alerts are assigned to them. */
  userId: string;
  username: string;
  /** The end of the fleet's week; the same in every attempt, so that a later one finds what an earlier one created. */
  now: Date;
  /** Ten recordings of two minutes in place of thirty longer ones. */
  quick?: boolean | undefined;
}

/** Created first: short recordings in which something goes wrong, so that there is an alert within seconds. */
const firstRecordings = [4, 7, 0, 9];
const firstTimeoutMs = 25_000;

/**
 * Creates the demo fleet step by step. Every step looks for what an earlier attempt created, so that an attempt
 * continues after a killed worker. When the fleet is removed meanwhile, the job no longer exists and the next step
 * throws.
 */
export async function buildDemo(order: DemoOrder, run: JobRun): Promise<void> {
  const build = startBuild(demoContext(order), run);
  const { step } = build;
  const stories = demoRecordings(order.now, order.quick ?? false);
  const devices = await step((tx) => makeDevices(tx, order, stories));
  const groups = await step((tx) => makeGroups(tx, devices));
  await step(async (tx) => makeRules(tx, groups, await makeDemoChannel(tx)));
  const chosen = new Set(firstRecordings);
  const first: string[] = [];
  for (const n of firstRecordings) first.push(await uploadRecording(build, devices, stories[n]!));
  await waitUntilProcessed(build, first, firstTimeoutMs);
  await step(makeDemoWebhook);
  const pictures = demoPictures(stories);
  const dataset = await uploadDemoPictures(build, pictures);
  // Before the recordings, which take minutes: who looks around finds work to do.
  const project = await labelDemoPictures(build, dataset, pictures);
  const rest = stories.filter((_, n) => !chosen.has(n)).reverse();
  for (const story of rest) await uploadRecording(build, devices, story);
  await waitUntilProcessed(build, null, 15 * 60_000);
  await applyDemoAlertSteps(build.ctx, order, step);
  await addDemoMoments(build);
  await ageDemoExecutions(build);
  await exportDemoPictures(build, project);
}

/** A context with the user who requested the demo as actor, and the permissions of the platform. */
function demoContext({ organizationId, userId, username }: DemoOrder): Ctx {
  return {
    ...systemContext(prisma, organizationId),
    actor: { type: "user", id: userId, name: username, userId, username },
  };
}

const siteByRobot: Record<RobotKind, { site: string; lat: number; lon: number }> = {
  arm: { site: "Plant north", lat: 53.5488, lon: 9.9872 },
  amr: { site: "Warehouse 2", lat: 53.5321, lon: 10.0204 },
  drone: { site: "Plant north", lat: droneHome.lat, lon: droneHome.lon },
};

async function makeDevices(tx: Ctx, { now }: DemoOrder, stories: readonly DemoRecording[]): Promise<string[]> {
  const present = await tx.db.device.findMany({
    where: { organizationId: tx.organizationId, demo: true },
    select: { uid: true, name: true },
  });
  const known = new Map(present.map(({ uid, name }) => [name, uid]));
  const uids: string[] = [];
  for (const [n, device] of demoDevices.entries()) {
    const { site, lat, lon } = siteByRobot[device.robot];
    const earlier = known.get(device.name);
    const spread = (seed: number) => Math.round(((seed * 7) % 5) - 2) * 0.0011;
    const uid =
      earlier ??
      (
        await registerDevice(tx, {
          name: device.name,
          type: device.robot,
          tags: device.tags,
          firmware_version: device.firmware,
          metadata: { site, location: { lat: lat + spread(n), lon: lon + 2 * spread(n + 2) } },
          demo: true,
        })
      ).uid;
    uids.push(uid);
    if (earlier !== undefined) continue;
    const recordings = stories.filter((story) => story.device === n);
    await connectDemoDevice(tx, uid, device, recordings, now);
  }
  await sendDemoHeartbeats(tx);
  return uids;
}

async function makeGroups(tx: Ctx, devices: readonly string[]): Promise<Record<RobotKind, string>> {
  const uids: Record<RobotKind, string> = { arm: "", amr: "", drone: "" };
  const present = await tx.db.deviceGroup.findMany({
    where: { organizationId: tx.organizationId },
    select: { uid: true, name: true, demo: true },
  });
  for (const { name, robot, description } of demoGroups) {
    const earlier = present.find((group) => group.demo && group.name.startsWith(name));
    const free = freeName(
      name,
      present.filter((group) => !group.demo).map((group) => group.name),
    );
    const deviceIds = devices.filter((_, n) => demoDevices[n]?.robot === robot);
    uids[robot] =
      earlier?.uid ?? (await createGroup(tx, { name: free, description, device_ids: deviceIds, demo: true })).uid;
  }
  return uids;
}

async function makeRules(tx: Ctx, groups: Readonly<Record<RobotKind, string>>, channel: string): Promise<void> {
  const present = await tx.db.rule.findMany({
    where: { organizationId: tx.organizationId, demo: true },
    select: { name: true },
  });
  const names = new Set(present.map(({ name }) => name));
  for (const rule of demoRules(groups, channel)) {
    if (!names.has(String(rule.name))) await createRule(tx, CreateRule.parse({ ...rule, demo: true }));
  }
}

/** Uploads a recording as a device would and finalizes it, which starts processing. Returns its uid. */
async function uploadRecording(
  { ctx, step }: Build,
  devices: readonly string[],
  story: DemoRecording,
): Promise<string> {
  const place = { path: story.fileName, recording: { organizationId: ctx.organizationId, demo: true } };
  const select = {
    recordingId: true,
    storageKey: true,
    sizeBytes: true,
    session: { select: { uid: true, status: true } },
  } as const;
  const earlier = await ctx.db.storedFile.findFirst({ where: place, select });
  if (earlier?.recordingId && earlier.session.status === "finalized") return earlier.recordingId;
  const bytes = await recordStory(story);
  const size_bytes = bytes.length;
  const uid =
    earlier?.recordingId ??
    (await step(async (tx) => {
      const startedAt = dateFromNs(story.start);
      const created = await createRecording(tx, {
        device_id: devices[story.device],
        name: story.name,
        tags: story.tags,
        started_at: startedAt,
      });
      await initUpload(tx, created.uid, { files: [{ path: story.fileName, size_bytes }] });
      return created.uid;
    }));
  const file = earlier ?? (await ctx.db.storedFile.findFirstOrThrow({ where: { ...place, recordingId: uid }, select }));
  const { etag } = await objectStore().put(file.storageKey, new Blob([new Uint8Array(bytes)]).stream(), size_bytes);
  await step(async (tx) => {
    const sessionUid = file.session.uid;
    await confirmUpload(tx, uid, { session_uid: sessionUid, files: [{ path: story.fileName, etag, size_bytes }] });
    await finalizeUpload(tx, uid, { session_uid: sessionUid });
  });
  return uid;
}

/** Waits until recordings (null: all of the demo) are processed, or until the timeout. */
const waitUntilProcessed = (
  { ctx, waitUntil }: Build,
  uids: readonly string[] | null,
  timeoutMs: number,
): Promise<void> =>
  waitUntil(async () => {
    const of = { organizationId: ctx.organizationId, demo: true, status: "processing" };
    return (await ctx.db.recording.count({ where: { ...of, ...(uids && { uid: { in: [...uids] } }) } })) === 0;
  }, timeoutMs);
