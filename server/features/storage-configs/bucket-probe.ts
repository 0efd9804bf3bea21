import { randomBytes } from "node:crypto";
import { type StorageCheckName, storageChecks } from "@/domain/storage-configs/checks";
import type { StorageCheck } from "@/server/features/storage-configs/resource";
import { nameInBucket } from "@/server/platform/storage/bucket-store";
import { uuidv7 } from "@/server/platform/uid";

/** What was wrong with a request to a bucket. */
export interface BucketFault {
  /** `reach`: the bucket itself cannot be used, so nothing else is tried. */
  at: "reach" | "step";
  /** The field of the configuration to change. */
  field: string;
  message: string;
  /** The permission that the credentials lack, in the store's own words. */
  permission?: string | undefined;
}

/** What is said of a bucket that gave no response. */
export const unreachedMessage = (error: Error): string =>
  `The bucket could not be reached: ${error.message.replace(/\.$/, "")}.`;

/** Requests to a bucket of one kind, each rejecting with what `explain` reads. */
export interface BucketProbe {
  list: () => Promise<unknown>;
  write: (name: string, bytes: Buffer) => Promise<unknown>;
  /** Null when there is no such object. */
  read: (name: string) => Promise<Buffer | null>;
  /** Succeeds also when there is no such object. */
  delete: (name: string) => Promise<unknown>;
  /** Begins an upload in parts, sends one, lists what is begun where the store can, and aborts it. */
  multipart: (name: string, bytes: Buffer) => Promise<unknown>;
  /** Throws what it does not know. */
  explain: (error: unknown, step: StorageCheckName) => BucketFault;
}

const untried = { ok: null, ms: null, field: null, message: null, permission: null };

/** A fault that no response names: the bytes read are not those written. */
class Unfaithful extends Error {}

/**
 * Tries everything that Muster does in a bucket, with one small object that it deletes again. All that can be tried is,
 * so that one run names every missing permission.
 */
export async function probeBucket(probe: BucketProbe, prefix: string | null, field: string): Promise<StorageCheck[]> {
  const name = nameInBucket(prefix, `muster-test/${uuidv7()}`);
  const bytes = randomBytes(64);
  const found = new Map<StorageCheckName, StorageCheck>();
  const note = (step: StorageCheckName, ms: number, fault?: BucketFault) =>
    found.set(step, {
      name: step,
      ok: fault === undefined,
      ms,
      field: fault?.field ?? null,
      message: fault?.message ?? null,
      permission: fault?.permission ?? null,
    });
  /** Resolves to whether the bucket can be used at all. */
  const attempt = async (step: StorageCheckName, work: () => Promise<unknown>): Promise<boolean> => {
    const started = performance.now();
    const ms = () => Math.round(performance.now() - started);
    try {
      if ((await work()) !== null) note(step, ms());
      return true;
    } catch (error) {
      const unfaithful = error instanceof Unfaithful;
      const fault = unfaithful ? { at: "step" as const, field, message: error.message } : probe.explain(error, step);
      const isLost = fault.at === "reach";
      note(isLost && step === "list" ? "reach" : step, ms(), fault);
      return !isLost;
    }
  };
  const readBack = async () => {
    const read = await probe.read(name);
    const isWritten = found.get("write")?.ok === true;
    if (!isWritten) return null;
    if (read === null) throw new Unfaithful("The object that was written is not there.");
    if (!read.equals(bytes)) throw new Unfaithful("The object that was read is not the one that was written.");
    return read;
  };
  const steps: readonly [StorageCheckName, () => Promise<unknown>][] = [
    ["list", async () => void (await probe.list())],
    ["write", async () => void (await probe.write(name, bytes))],
    ["read", readBack],
    ["delete", async () => void (await probe.delete(name))],
    ["multipart", async () => void (await probe.multipart(`${name}-parts`, bytes))],
  ];
  for (const [step, work] of steps) {
    const isUsable = await attempt(step, work);
    if (step === "list" && isUsable) note("reach", found.get("list")?.ms ?? 0);
    if (!isUsable) break;
  }
  if (found.get("write")?.ok === true && found.get("delete")?.ok !== true) {
    // Without a deletion, the step after which nothing else was tried.
    const fault = found.get("delete") ?? [...found.values()].find(({ ok }) => ok === false);
    if (fault) fault.message = `${fault.message} The object ${name} stays there.`;
  }
  return storageChecks.map((check) => found.get(check) ?? { name: check, ...untried });
}
