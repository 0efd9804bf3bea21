import { createHash, randomBytes } from "node:crypto";
import path from "node:path";
import fc from "fast-check";
import { highLimits, startProduct } from "@/bench/product";
import { startBucket } from "@/faults/bucket";
import { startProcess } from "@/faults/processes";
import type { FaultRun } from "@/faults/run";
import { signIn } from "@/faults/sign-in";
import { type Site, type Tally, UploadModel, uploadStep } from "@/faults/upload-model";
import { promise } from "@/faults/verdict";
import { getPartSize } from "@/server/platform/storage/part-size";
import { computeEtag } from "@/server/testing/stored-files";

const limitMs = 150_000;

/** The tag that S3 gives to a file that was uploaded in parts. */
function computePartsTag(bytes: Uint8Array): string {
  const size = getPartSize(bytes.length);
  const count = Math.ceil(bytes.length / size);
  if (count === 1) return computeEtag(bytes);
  const whole = createHash("md5");
  for (let n = 0; n < count; n++)
    whole.update(
      createHash("md5")
        .update(bytes.subarray(n * size, (n + 1) * size))
        .digest(),
    );
  return `"${whole.digest("hex")}-${count}"`;
}

/** Uploads of one key through two web processes in random order, with the files on disk and in a bucket. */
export async function proveUploads(run: FaultRun): Promise<void> {
  await proveStore(run, "disk", {}, { runs: 60, size: 200_000, computeTag: computeEtag });
  const bucket = await startBucket().catch((error: unknown) => String(error));
  if (typeof bucket === "string") return promise("uploads to a bucket", [`this part was not run: ${bucket}`]);
  try {
    // More than one part of a multipart upload.
    await proveStore(run, "bucket", bucket.environment, { runs: 25, size: 9_000_000, computeTag: computePartsTag });
  } finally {
    await bucket.close();
  }
}

async function proveStore(
  { folder, chance, at }: FaultRun,
  name: string,
  store: Record<string, string>,
  { runs, size, computeTag }: { runs: number; size: number; computeTag: Site["computeTag"] },
): Promise<void> {
  const secret = { AUTH_SECRET: randomBytes(24).toString("hex") };
  const product = await startProduct({ ...store, ...secret });
  const environment = {
    ...{ DATABASE_URL: product.databaseUrl, DATA_DIR: product.dataDir, RATE_LIMITS: highLimits },
    ...store,
    ...secret,
  };
  const log = path.join(folder, `uploads-${name}.log`);
  const webs = await Promise.all([startProcess("web", environment, log), startProcess("web", environment, log)]);
  try {
    const device = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "robot" });
    const urls = [webs[0]!.url, webs[1]!.url] as const;
    const access = { key: product.key, cookie: await signIn(product) };
    const site = { urls, ...access, database: product.database, device: device.uid, computeTag };
    const tally: Tally = new Map();
    let uploads = 0;
    const property = fc.asyncProperty(fc.array(uploadStep, { minLength: 2, maxLength: 14 }), async (steps) => {
      const model = await UploadModel.begin(site, size, tally);
      for (const step of steps) await model.run(step);
      await model.conclude();
      uploads++;
    });
    const seed = Math.floor(chance.between(0, 2 ** 31));
    const result = await fc.check(property, {
      ...{ numRuns: runs, seed, endOnFailure: true, interruptAfterTimeLimit: limitMs },
    });
    console.log(`${at()}  ${uploads} uploads on ${name} (seed ${seed})`);
    const statuses = [...tally].sort(([a], [b]) => (a < b ? -1 : 1)).map(([step, count]) => `${step}: ${count}`);
    promise(
      `after random steps through two processes on ${name}, confirmed bytes are those of one sender: ${statuses.join(", ")}`,
      result.failed ? [JSON.stringify(result.counterexample), String(result.errorInstance)] : [],
    );
  } finally {
    await Promise.all(webs.map((each) => each.end("SIGTERM")));
    await product.stop();
  }
}
