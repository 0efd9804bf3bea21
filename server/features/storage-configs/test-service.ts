import { z } from "zod";
import type { Issue } from "@/domain/issues";
import {
  hasPassed,
  isVerified,
  retainedTests,
  type StorageCheckName,
  type TestOrigin,
  testOrigins,
} from "@/domain/storage-configs/checks";
import type { StorageProvider } from "@/domain/storage-configs/providers";
import type { CreateStorageConfig, StorageTestFilters } from "@/domain/storage-configs/schema";
import { audit } from "@/server/features/audit/service";
import { storageKinds } from "@/server/features/storage-configs/registry";
import { StorageCheck, type StorageTestResource, type Verification } from "@/server/features/storage-configs/resource";
import { databaseMs } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, sql, transaction } from "@/server/platform/db";
import { fieldErrors, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { bool, jsonb, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { openCredentials } from "@/server/platform/storage/bucket-credentials";
import { uuidv7 } from "@/server/platform/uid";

/** A bucket is tested again after this time; a little less than a day, so that the hourly sweep does it daily. */
const testAgainAfterMs = 23.5 * 3_600_000;
/** How many buckets one sweep queues at most. */
const sweptBuckets = 1_000;

const testRow = {
  uid: text,
  origin: oneOf(testOrigins),
  by_name: text,
  passed: bool,
  checks: jsonb(z.array(StorageCheck)),
  created_at: timestamptz,
};

const toIssue = ({ field, message }: StorageCheck): Issue => ({ path: [field ?? ""], message: message ?? "" });

/** What failed, as issues at its fields; of those with these names where they are given. */
export const failedChecks = (checks: readonly StorageCheck[], names?: readonly StorageCheckName[]): Issue[] =>
  checks.filter(({ name, ok }) => ok === false && (names?.includes(name) ?? true)).map(toIssue);

/** The answer to a test: as before there were steps, with what each of them found. */
function toVerification(checks: StorageCheck[]): Verification {
  if (isVerified(checks)) return { verified: true, checks };
  return { verified: false, errors: fieldErrors(failedChecks(checks, ["reach", "list"])), checks };
}

/** Tests a bucket that is not connected yet, and stores nothing. Throws `invalid` naming the offending field. */
export async function tryBucket(input: CreateStorageConfig): Promise<Verification> {
  const kind = storageKinds[input.provider];
  const { address, credentials } = kind.read(input);
  return toVerification(await kind.check(address, credentials));
}

/** Stores the result of a test with its bucket, and drops the oldest results beyond those retained. */
export async function recordTest(
  tx: Ctx,
  uid: string,
  origin: TestOrigin,
  checks: readonly StorageCheck[],
): Promise<void> {
  const passed = hasPassed(checks);
  // `last_verified_at` stays the time of the last success.
  const found = await execute(
    tx,
    Prisma.sql`update storage_configs set tested_at = now(), is_verified = ${isVerified(checks)},
      last_verified_at = case when ${isVerified(checks)} then now() else last_verified_at end,
      failing_since = case when ${passed} then null else coalesce(failing_since, now()) end
    where uid = ${uid} and organization_id = ${tx.organizationId}`,
  );
  if (found === 0) return;
  await tx.db.storageTest.create({
    data: {
      uid: uuidv7(),
      organizationId: tx.organizationId,
      storageConfigId: uid,
      origin,
      byName: tx.actor.username ?? tx.actor.name,
      passed,
      checks: checks.map((check) => ({ ...check })),
    },
  });
  await execute(
    tx,
    Prisma.sql`delete from storage_tests where storage_config_id = ${uid} and uid < (
      select uid from storage_tests where storage_config_id = ${uid} order by uid desc offset ${retainedTests - 1}::int limit 1)`,
  );
  await announce(tx, "storage_config", uid, "updated");
}

/** Tests everything that Muster does in the bucket, and stores the result. Throws `not_found`. */
export async function testStorageConfig(
  ctx: Ctx,
  uid: string,
  origin: "by_hand" | "daily" = "by_hand",
): Promise<Verification> {
  const row = await ctx.db.storageConfig.findFirst({ where: { uid, organizationId: ctx.organizationId } });
  if (!row) throw notFound();
  const checks = await storageKinds[row.provider as StorageProvider].check(row, openCredentials(row));
  await transaction(ctx, async (tx) => {
    const current = await tx.db.storageConfig.findFirst({
      where: { uid, organizationId: tx.organizationId },
      select: { credentialsSealed: true },
    });
    // Of credentials that were replaced meanwhile nothing is stored.
    if (current?.credentialsSealed !== row.credentialsSealed) return;
    await recordTest(tx, uid, origin, checks);
    if (origin === "daily") return;
    await audit(tx, {
      action: "storage_config.tested",
      targetType: "storage_config",
      targetId: uid,
      targetName: row.name,
      after: { is_verified: isVerified(checks) },
    });
  });
  return toVerification(checks);
}

/** The results of a bucket's tests, newest first. Throws `not_found`. */
export async function listStorageTests(
  ctx: Ctx,
  { uid, ...page }: StorageTestFilters,
): Promise<Page<StorageTestResource>> {
  const config = await ctx.db.storageConfig.count({ where: { uid, organizationId: ctx.organizationId } });
  if (config === 0) throw notFound();
  return keysetPage<Wire<typeof testRow>>(ctx, {
    name: "storage-tests",
    filters: { uid },
    page,
    order: { columns: ["t.uid"], direction: "desc" },
    key: (test) => [test.uid],
    fetch: ({ where, orderBy, limit }) =>
      sql(
        testRow,
        Prisma.sql`select t.uid, t.origin, t.by_name, t.passed, t.checks, t.created_at from storage_tests t
          where t.storage_config_id = ${uid} and t.organization_id = ${ctx.organizationId} and ${where}
          order by ${orderBy} limit ${limit}`,
      ),
  });
}

/** What failed in the last test of a bucket; null when there was none. */
export async function lastFailures(ctx: Ctx, uid: string): Promise<StorageCheckName[] | null> {
  const [last] = await query(
    ctx,
    { checks: testRow.checks },
    Prisma.sql`select t.checks from storage_tests t
      where t.storage_config_id = ${uid} and t.organization_id = ${ctx.organizationId} order by t.uid desc limit 1`,
  );
  return last?.checks.filter(({ ok }) => !ok).map(({ name }) => name) ?? null;
}

/** Queues the daily test of every bucket whose last one is a day ago. Returns how many. */
export async function sweepBucketTests(): Promise<number> {
  const due = await query(
    { db: prisma },
    { uid: text, organization_id: text },
    Prisma.sql`select c.uid, c.organization_id from storage_configs c
      join organizations o on o.uid = c.organization_id and o.deletes_at is null
      where c.tested_at is null or c.tested_at < ${new Date(databaseMs() - testAgainAfterMs)}
      order by c.tested_at nulls first limit ${sweptBuckets}::int`,
  );
  for (const { uid, organization_id: organizationId } of due) {
    const key = `storage-configs.test:${uid}`;
    await enqueue({ db: prisma }, jobs.testBucket, { organizationId, configUid: uid }, { key });
  }
  return due.length;
}

/** The daily test of one bucket; nothing where it was disconnected meanwhile. */
export async function testDaily(organizationId: string, uid: string): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  if ((await prisma.storageConfig.count({ where: { uid, organizationId } })) > 0)
    await testStorageConfig(ctx, uid, "daily");
}
