import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, Option } from "commander";
import { ApiClient, CommandError, RetryPolicy } from "@/cli/api-client";
import { applyAlertSteps } from "@/cli/demo-alerts";
import { runUpload } from "@/cli/upload-run";
import { demoReceiver } from "@/domain/demo/receiver";
import {
  demoDevices,
  demoGroups,
  demoRecordings,
  demoRules,
  type DemoDevice,
  type DemoRecording,
} from "@/server/features/demo/fleet";
import { recordStory } from "@/server/features/demo/stories";
import type { RobotKind } from "@/server/features/demo/story";

export interface DemoOptions {
  url: string;
  key: string;
  /** Ten short recordings in place of thirty. */
  quick: boolean;
  now: Date;
  print: (line: string) => void;
}

interface Registered extends DemoDevice {
  uid: string;
  token: string;
}

const demoApi = ({ url, key, print }: Pick<DemoOptions, "url" | "key" | "print">): ApiClient => {
  if (!URL.canParse(url)) throw new CommandError(`${url} is no address. Give one such as http://127.0.0.1:3000.`);
  return new ApiClient(
    new URL(url).origin,
    { header: "x-service-api-key", secret: key },
    () => new RetryPolicy(9, 1_000, print),
  );
};

/** Creates the demo fleet through the API only, so that its recordings run through the same pipeline as a robot's. */
export async function makeDemo(options: DemoOptions): Promise<{ recordings: string[]; alerts: number }> {
  const api = demoApi(options);
  await refuseSecondDemo(api);
  options.print("Registering 12 devices, 3 groups and 6 rules …");
  const devices = await registerDevices(api);
  const groups = await makeGroups(api, devices);
  const channel = await makeChannel(api);
  for (const rule of demoRules(groups, channel))
    await api.call("POST", "/fleet/rules/", "Creating a rule", { ...rule, demo: true });
  const recordings = await uploadAll(options, devices);
  await setStates(api, devices, options.now);
  options.print("Waiting until all recordings are processed …");
  for (const uid of recordings) await waitUntilProcessed(api, uid);
  const alerts = await applyAlertSteps(api, options.now);
  return { recordings, alerts };
}

/** Removes the demo fleet with all that belongs to it, and nothing else. */
export const removeDemo = async (options: Pick<DemoOptions, "url" | "key" | "print">): Promise<void> => {
  await demoApi(options).call("DELETE", "/fleet/demo/", "Removing the demo fleet");
};

async function refuseSecondDemo(api: ApiClient): Promise<void> {
  const { results } = await api.call<{ results: { demo: boolean }[] }>(
    "GET",
    "/fleet/groups/?limit=200",
    "Looking for an earlier demo",
  );
  if (results.some(({ demo }) => demo))
    throw new CommandError("The demo fleet is there already. Remove it first: muster demo --remove");
}

async function registerDevices(api: ApiClient): Promise<Registered[]> {
  const registered: Registered[] = [];
  for (const device of demoDevices) {
    const { uid, device_token: token } = await api.call<{ uid: string; device_token: string }>(
      "POST",
      "/fleet/devices/",
      "Registering a device",
      {
        name: device.name,
        type: device.robot,
        tags: device.tags,
        firmware_version: device.firmware,
        metadata: { site: device.robot === "amr" ? "Warehouse 2" : "Plant north" },
        demo: true,
      },
    );
    registered.push({ ...device, uid, token });
  }
  return registered;
}

async function makeGroups(api: ApiClient, devices: readonly Registered[]): Promise<Record<RobotKind, string>> {
  const uids: Record<RobotKind, string> = { arm: "", amr: "", drone: "" };
  for (const { name, robot, description } of demoGroups) {
    const device_ids = devices.filter((device) => device.robot === robot).map(({ uid }) => uid);
    const body = { name, description, device_ids, demo: true };
    uids[robot] = (await api.call<{ uid: string }>("POST", "/fleet/groups/", "Creating a group", body)).uid;
  }
  return uids;
}

/** The channel of the most severe rules; what it sends is answered by Muster itself. */
async function makeChannel(api: ApiClient): Promise<string> {
  const body = { name: "Demo control room", type: "webhook", config: { url: demoReceiver.alerts }, demo: true };
  return (await api.call<{ uid: string }>("POST", "/fleet/alerts/channels/", "Creating a channel", body)).uid;
}

async function uploadAll(options: DemoOptions, devices: readonly Registered[]): Promise<string[]> {
  const stories = demoRecordings(options.now, options.quick);
  const folder = await mkdtemp(path.join(os.tmpdir(), "muster-demo-"));
  const uids: string[] = [];
  try {
    for (const [n, story] of stories.entries()) {
      uids.push(await upload(options, devices[story.device]!, story, folder));
      if ((n + 1) % 5 === 0) options.print(`${n + 1} of ${stories.length} recordings uploaded`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return uids;
}

/** Uploads a recording as its device, with the device's token. */
async function upload(options: DemoOptions, device: Registered, story: DemoRecording, folder: string): Promise<string> {
  const bytes = await recordStory(story);
  const location = path.join(folder, story.fileName);
  await writeFile(location, bytes);
  const { recording } = await runUpload(
    {
      origin: new URL(options.url).origin,
      credential: { header: "x-service-device-token", secret: device.token },
      device: undefined,
      files: [{ location, path: story.fileName, size: bytes.length }],
      name: story.name,
      tags: story.tags,
      wait: false,
      stateFolder: path.join(folder, "state"),
    },
    { line: options.print, begin: () => {}, progress: () => {}, end: () => {} },
  );
  await rm(location);
  return recording;
}

async function setStates(api: ApiClient, devices: readonly Registered[], now: Date): Promise<void> {
  for (const [n, { uid, state }] of devices.entries()) {
    const change =
      state === "offline"
        ? { last_seen_at: new Date(now.getTime() - 26 * 3_600_000).toISOString() }
        : { status: state, last_seen_at: new Date(now.getTime() - n * 700).toISOString() };
    await api.call("PATCH", `/fleet/devices/${uid}/`, "Setting the state of a device", change);
  }
}

async function waitUntilProcessed(api: ApiClient, uid: string): Promise<void> {
  for (;;) {
    const { status } = await api.call<{ status: string }>("GET", `/fleet/recordings/${uid}/`, "Reading a recording");
    if (status !== "processing" && status !== "uploading") return;
    await sleep(500);
  }
}

interface CommandOptions {
  url: string;
  key?: string;
  quick?: boolean;
  remove?: boolean;
}

async function demo(given: CommandOptions): Promise<void> {
  if (given.key === undefined) throw new CommandError("Give an API key: --key or MUSTER_API_KEY.");
  const print = (line: string) => void process.stderr.write(`${line}\n`);
  const options = { url: given.url, key: given.key, quick: given.quick ?? false, now: new Date(), print };
  if (given.remove) {
    await removeDemo(options);
    return print("The demo fleet was removed.");
  }
  const { recordings, alerts } = await makeDemo(options);
  print(
    `Ready: ${demoDevices.length} devices, ${recordings.length} recordings, ${alerts} alerts. Remove all of it with: muster demo --remove`,
  );
}

export const demoCommand = (): Command =>
  new Command("demo")
    .description("Fill the organization with a demo fleet: 12 robots whose recordings run through the real pipeline.")
    .addOption(new Option("--url <address>", "where Muster is").env("MUSTER_URL").default("http://127.0.0.1:3000"))
    .addOption(new Option("--key <key>", "an API key of the organization").env("MUSTER_API_KEY"))
    .option("--quick", "ten recordings of two minutes in place of thirty longer ones")
    .option("--remove", "remove the demo fleet with everything that belongs to it")
    .action(demo);
