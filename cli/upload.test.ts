import { randomBytes } from "node:crypto";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { TransferScreen } from "@/cli/client/transfer-screen";
import { filesFrom } from "@/cli/upload";
import { runUpload, type UploadPlan } from "@/cli/upload-run";
import { openByteSources } from "@/server/features/recordings/file-service";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { unique } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";
import { openUploadSite } from "@/server/testing/uploads";

const { org, deviceId, token, server } = await openUploadSite();
afterAll(() => server.close());

let folder: string;
let lines: string[];
let screen: TransferScreen & { done: number };

beforeEach(() => {
  folder = path.join(env.DATA_DIR, unique("cli"));
  fs.mkdirSync(folder, { recursive: true });
  lines = [];
  screen = {
    done: 0,
    line: (text) => void lines.push(text),
    begin: () => {},
    progress(bytes) {
      this.done = bytes;
    },
    end: () => {},
  };
});

const file = (name: string, bytes: Uint8Array): string => {
  const location = path.join(folder, name);
  fs.mkdirSync(path.dirname(location), { recursive: true });
  fs.writeFileSync(location, bytes);
  return location;
};
const plan = async (names: string[], change: Partial<UploadPlan> = {}): Promise<UploadPlan> => ({
  origin: server.url,
  credential: { header: "x-service-device-token", secret: token },
  device: undefined,
  files: await filesFrom(names, folder),
  name: undefined,
  tags: [],
  wait: false,
  stateFolder: path.join(folder, "state"),
  backoffMs: 5,
  ...change,
});
async function stored(recording: string): Promise<Buffer[]> {
  const sources = await openByteSources(org.ctx, recording);
  return Promise.all(sources.map(async (source) => Buffer.from(await source.read(0, source.size))));
}

/** Whether the recording's files hold exactly these bytes. (toEqual takes seconds for large buffers.) */
async function holds(recording: string, bytes: Buffer[]): Promise<boolean> {
  const files = await stored(recording);
  return files.length === bytes.length && files.every((each, i) => bytes[i]?.equals(each));
}

/** A proxy to the server that breaks each of the next connections after so many bytes. */
async function startBreakingProxy(breaks: number[]): Promise<{ url: string; broken: () => number; close: () => void }> {
  const target = new URL(server.url);
  let broken = 0;
  const proxy = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    let passed = 0;
    client.on("data", (chunk) => {
      passed += chunk.length;
      upstream.write(chunk);
      if (breaks[0] === undefined || passed < breaks[0]) return;
      breaks.shift();
      broken++;
      // oxlint-disable-next-line no-restricted-globals -- after what was passed on has arrived
      setTimeout(() => client.destroy(), 50);
      upstream.end();
    });
    upstream.pipe(client);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    broken: () => broken,
    close: () => proxy.close(),
  };
}

describe("uploading from the command line", () => {
  test("a device's token is sufficient", async () => {
    const bytes = [randomBytes(700_000), randomBytes(10)];
    file("a.mcap", bytes[0]!);
    file("b.bag", bytes[1]!);
    const { recording, status } = await runUpload(
      await plan(["a.mcap", "b.bag"], { name: "Run", tags: ["x"] }),
      screen,
    );
    expect(status).toBe("processing");
    expect(await holds(recording, bytes)).toBe(true);
    const { body } = await request("GET", `/fleet/recordings/${recording}/`, { key: org.key });
    expect(body).toMatchObject({
      device_id: deviceId,
      name: "Run",
      tags: ["x"],
      status: "processing",
      size_bytes: 700_010,
    });
    expect(screen.done).toBe(700_010);
    expect(fs.readdirSync(path.join(folder, "state"))).toEqual([]);
  });

  test("with an API key the device is named", async () => {
    file("a.mcap", randomBytes(10));
    const credential = { header: "x-service-api-key", secret: org.key } as const;
    const { recording } = await runUpload(await plan(["a.mcap"], { credential, device: deviceId }), screen);
    expect((await stored(recording))[0]?.length).toBe(10);
    await expect(runUpload(await plan(["a.mcap"], { credential, device: "dev_x" }), screen)).rejects.toThrow(
      "Creating the recording: device_id: Must be a valid UUID.",
    );
  });

  test("an upload resumes mid-file after a broken connection, and no byte is lost", async () => {
    const bytes = randomBytes(3_000_000);
    file("a.mcap", bytes);
    const proxy = await startBreakingProxy([500_000, 500_000, 1_000_000]);
    try {
      const { recording } = await runUpload(await plan(["a.mcap"], { origin: proxy.url }), screen);
      expect(proxy.broken()).toBe(3);
      expect((await stored(recording))[0]?.equals(bytes)).toBe(true);
    } finally {
      proxy.close();
    }
  });

  test("the next run of an interrupted upload sends only what is missing", async () => {
    const bytes = [randomBytes(200_000), randomBytes(1_000_000)];
    file("a.mcap", bytes[0]!);
    file("b.mcap", bytes[1]!);
    const wanted = await plan(["a.mcap", "b.mcap"]);
    const stop = new Error("killed");
    const interrupted: TransferScreen = {
      ...screen,
      progress(done) {
        if (done > 1_000_000) throw stop;
      },
    };
    await expect(runUpload(wanted, interrupted)).rejects.toBe(stop);
    const recordings = await prisma.recording.count({ where: { deviceId } });
    const progress: number[] = [];
    const { recording } = await runUpload(wanted, { ...screen, progress: (done) => void progress.push(done) });
    // The first file was confirmed, and the second resumes after its stored bytes.
    expect(progress[0]).toBeGreaterThan(200_000);
    expect(lines).toEqual([`Going on with ${recording}.`]);
    expect(await prisma.recording.count({ where: { deviceId } })).toBe(recordings);
    expect(await holds(recording, bytes)).toBe(true);
  });

  test("other bytes under the same name become another recording", async () => {
    file("a.mcap", randomBytes(10));
    const first = await runUpload(await plan(["a.mcap"]), screen);
    file("a.mcap", randomBytes(11));
    const second = await runUpload(await plan(["a.mcap"]), screen);
    expect(second.recording).not.toBe(first.recording);
  });

  test("bytes that changed since the interruption are sent again", async () => {
    const location = file("a.mcap", randomBytes(300_000));
    const wanted = await plan(["a.mcap"]);
    const interrupted: TransferScreen = {
      ...screen,
      progress(done) {
        if (done > 200_000) throw new Error("killed");
      },
    };
    await expect(runUpload(wanted, interrupted)).rejects.toThrow("killed");
    const bytes = randomBytes(300_000);
    fs.writeFileSync(location, bytes);
    const { recording } = await runUpload(wanted, screen);
    expect((await stored(recording))[0]?.equals(bytes)).toBe(true);
  });

  test("an upload whose recording was deleted starts from the beginning", async () => {
    file("a.mcap", randomBytes(100_000));
    const wanted = await plan(["a.mcap"]);
    const interrupted: TransferScreen = {
      ...screen,
      progress() {
        throw new Error("killed");
      },
    };
    await expect(runUpload(wanted, interrupted)).rejects.toThrow("killed");
    const left = await prisma.recording.findFirstOrThrow({ where: { deviceId }, orderBy: { uid: "desc" } });
    await request("DELETE", `/fleet/recordings/${left.uid}/`, { key: org.key });
    const { recording } = await runUpload(wanted, screen);
    expect(recording).not.toBe(left.uid);
    expect((await stored(recording))[0]?.length).toBe(100_000);
  });

  test("waits for the end of processing and reports why a recording is unusable", async () => {
    file("a.mcap", randomBytes(10));
    const finishing = async (data: { status: string; errorMessage?: string }) => {
      await vi.waitFor(() => expect(lines.at(-1)).toBe("Processing …"), { timeout: 60_000 });
      const newest = await prisma.recording.findFirstOrThrow({ where: { deviceId }, orderBy: { uid: "desc" } });
      await prisma.recording.update({ where: { uid: newest.uid }, data });
    };
    const wanted = await plan(["a.mcap"], { wait: true });
    const [ready] = await Promise.all([runUpload(wanted, screen), finishing({ status: "ready" })]);
    expect(ready.status).toBe("ready");
    lines = [];
    await Promise.all([
      expect(runUpload(wanted, screen)).rejects.toThrow("The recording could not be processed: not an MCAP file."),
      finishing({ status: "error", errorMessage: "not an MCAP file." }),
    ]);
  });

  test("failures are reported in readable messages", async () => {
    file("a.mcap", randomBytes(10));
    const credential = { header: "x-service-device-token", secret: "svd_wrong" } as const;
    await expect(runUpload(await plan(["a.mcap"], { credential }), screen)).rejects.toThrow(
      "Creating the recording: Invalid API key.",
    );
    const closed = await startBreakingProxy([]);
    closed.close();
    const testOrigin = await plan(["a.mcap"], { origin: closed.url });
    await expect(runUpload(testOrigin, screen)).rejects.toThrow(`${closed.url} cannot be reached`);
    await expect(filesFrom(["missing.mcap"], folder)).rejects.toThrow("does not exist or cannot be read");
    await expect(filesFrom(["."], folder)).rejects.toThrow("is not a file");
    await expect(filesFrom(["a.mcap", "./a.mcap"], folder)).rejects.toThrow("is named twice");
  });

  test("a file whose name could not be saved safely is refused before anything is created", async () => {
    for (const name of ["..\\x.mcap", "a\nb.mcap", "a\u202eb.mcap"]) {
      file(name, randomBytes(1));
      await expect(filesFrom([name], folder)).rejects.toThrow(/^".+" cannot be uploaded by this name\. Must not have /);
    }
  });

  test("a db3 file comes with the write-ahead log beside it, once", async () => {
    for (const name of ["run_0.db3", "run_0.db3-wal", "run_0.db3-shm", "run_1.db3", "a.mcap", "a.mcap-wal"]) {
      file(name, randomBytes(3));
    }
    file("run_1.db3-wal", Buffer.alloc(0)); // of a recording that was closed
    const toPaths = async (...named: string[]) => (await filesFrom(named, folder)).map((each) => each.path);
    expect(await toPaths("run_0.db3", "run_1.db3", "a.mcap")).toEqual([
      "run_0.db3",
      "run_0.db3-wal",
      "run_1.db3",
      "a.mcap",
    ]);
    expect(await toPaths("run_0.db3-wal", "run_0.db3")).toEqual(["run_0.db3-wal", "run_0.db3"]);
  });

  test("files of one name in several folders are named with their folders", async () => {
    file("front/run.bag", randomBytes(1));
    file("rear/run.bag", randomBytes(2));
    const files = await filesFrom(["front/run.bag", "rear/run.bag"], folder);
    expect(files.map((each) => [each.path, each.size])).toEqual([
      ["front/run.bag", 1],
      ["rear/run.bag", 2],
    ]);
  });
});
