import { storageChecks } from "@/domain/storage-configs/checks";
import { type StorageProvider, storageProviders } from "@/domain/storage-configs/providers";
import type {
  CreateStorageConfig,
  StorageConfigFilters,
  StorageFilters,
  UpdateStorageConfig,
} from "@/domain/storage-configs/schema";
import type { BucketState } from "@/domain/storage-configs/states";
import { audit } from "@/server/features/audit/service";
import { requireOwn } from "@/server/features/membership/access-service";
import { bucketMembers, storageKinds } from "@/server/features/storage-configs/registry";
import type { SetupInfo, StorageConfigResource } from "@/server/features/storage-configs/resource";
import { failedChecks, lastFailures, recordTest } from "@/server/features/storage-configs/test-service";
import type { Ctx } from "@/server/platform/context";
import { sign } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { invalid, invalidInput, notFound } from "@/server/platform/errors";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { bool, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { openCredentials, sealCredentials } from "@/server/platform/storage/bucket-credentials";
import { forgetBucket } from "@/server/platform/storage/buckets";
import { bucketPrefix } from "@/server/platform/storage/keys";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`c.uid, c.name, c.provider, c.bucket, c.prefix, c.region, c.endpoint_url as "endpointUrl", c.accelerated,
  c.is_verified, c.last_verified_at, c.created_at, c.updated_at`;
const configRow = {
  uid: text,
  name: text,
  provider: oneOf(storageProviders),
  bucket: text,
  prefix: nullable(text),
  region: nullable(text),
  endpointUrl: nullable(text),
  accelerated: bool,
  is_verified: bool,
  last_verified_at: nullable(timestamptz),
  created_at: timestamptz,
  updated_at: timestamptz,
};

const serialize = ({
  bucket,
  prefix,
  region,
  endpointUrl,
  accelerated,
  ...row
}: Wire<typeof configRow>): StorageConfigResource => ({
  ...row,
  ...bucketMembers(row.provider, { bucket, prefix, region, endpointUrl, accelerated }),
});

/**
 * Checks that `slug` is the caller's own organization. Throws `invalid("organization")` when it is missing and the
 * caller is a member of several organizations, and `not_found` for any other.
 */
async function requireOrganization(ctx: Ctx, slug: string | undefined): Promise<void> {
  if (slug !== undefined) return requireOwn(ctx, slug);
  const { userId } = ctx.actor;
  const memberships = userId === null ? 1 : await ctx.db.membership.count({ where: { userId } });
  if (memberships > 1)
    throw invalid("organization", "This field is required: you are a member of several organizations.");
}

const inState: Readonly<Record<BucketState, Prisma.Sql>> = {
  working: Prisma.sql`c.tested_at is not null and c.failing_since is null`,
  failing: Prisma.sql`c.failing_since is not null`,
  untested: Prisma.sql`c.tested_at is null`,
};

/** Storage configurations, newest first. Throws `invalid("organization")`, `not_found`. */
export async function listStorageConfigs(
  ctx: Ctx,
  { organization, ...page }: StorageConfigFilters,
): Promise<Page<StorageConfigResource>> {
  await requireOrganization(ctx, organization);
  return filterStorageConfigs(ctx, page);
}

/** Those of the caller's organization that match, newest first. */
export async function filterStorageConfigs(
  ctx: Ctx,
  { search, provider, state, ...page }: StorageFilters,
): Promise<Page<StorageConfigResource>> {
  const conditions = [Prisma.sql`c.organization_id = ${ctx.organizationId}`];
  if (search) {
    const pattern = `%${likeText(search)}%`;
    conditions.push(Prisma.sql`(c.name ilike ${pattern} or c.bucket ilike ${pattern})`);
  }
  if (provider) conditions.push(Prisma.sql`c.provider = any(${provider})`);
  if (state)
    conditions.push(
      Prisma.sql`(${Prisma.join(
        state.map((each) => inState[each]),
        " or ",
      )})`,
    );
  const found = await keysetPage<Wire<typeof configRow>>(ctx, {
    name: "storage-configs",
    filters: { search, provider, state },
    page,
    order: { columns: ["c.uid"], direction: "desc" },
    key: (config) => [config.uid],
    fetch: ({ where, orderBy, limit }) =>
      sql(
        configRow,
        Prisma.sql`select ${columns} from storage_configs c where ${Prisma.join(conditions, " and ")} and ${where} order by ${orderBy} limit ${limit}`,
      ),
  });
  return { ...found, results: found.results.map(serialize) };
}

/** One storage configuration, without its credentials. Throws `not_found`. */
export async function getStorageConfig(ctx: Ctx, uid: string): Promise<StorageConfigResource> {
  const [row] = await query(
    ctx,
    configRow,
    Prisma.sql`select ${columns} from storage_configs c where c.uid = ${uid} and c.organization_id = ${ctx.organizationId}`,
  );
  if (!row) throw notFound();
  return serialize({
    ...row,
    last_verified_at: row.last_verified_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  });
}

/** Stores a bucket's address and credentials after verifying them. Throws `invalid` naming the offending field. */
export async function createStorageConfig(
  ctx: Ctx,
  organization: string | undefined,
  input: CreateStorageConfig,
): Promise<StorageConfigResource> {
  await requireOrganization(ctx, organization);
  const { provider } = input;
  const { address, credentials } = storageKinds[provider].read(input);
  const checks = await storageKinds[provider].check(address, credentials);
  // What else fails is part of the stored result: a bucket may be meant to be read only.
  const issues = failedChecks(checks, ["reach", "list"]);
  if (issues.length > 0) throw invalidInput(issues);
  return transaction(ctx, async (tx) => {
    const uid = uuidv7();
    await tx.db.storageConfig.create({
      data: {
        ...address,
        uid,
        provider,
        organizationId: tx.organizationId,
        name: input.name,
        credentialsSealed: sealCredentials({ uid, organizationId: tx.organizationId }, credentials),
        createdById: tx.actor.userId,
      },
    });
    await audit(tx, {
      action: "storage_config.created",
      targetType: "storage_config",
      targetId: uid,
      targetName: input.name,
      after: { provider, bucket: address.bucket },
    });
    await recordTest(tx, uid, "connected", checks);
    await announce(tx, "storage_config", uid, "created");
    return getStorageConfig(tx, uid);
  });
}

/**
 * Changes a bucket's name, its credentials or both. New credentials are tested first: those that fail where the current
 * ones did not are refused, and the current ones stay. Throws `not_found`, and `invalid` naming the offending field.
 */
export async function updateStorageConfig(
  ctx: Ctx,
  uid: string,
  input: UpdateStorageConfig,
): Promise<StorageConfigResource> {
  const row = await ctx.db.storageConfig.findFirst({ where: { uid, organizationId: ctx.organizationId } });
  if (!row) throw notFound();
  const provider = row.provider as StorageProvider;
  const given = storageKinds[provider].readCredentials(input);
  const credentials = given && { ...openCredentials(row), ...given };
  const checks = credentials && (await storageKinds[provider].check(row, credentials));
  if (checks) {
    const known = (await lastFailures(ctx, uid)) ?? [];
    const lost = storageChecks.filter((name) => name === "reach" || name === "list" || !known.includes(name));
    const issues = failedChecks(checks, lost);
    if (issues.length > 0) throw invalidInput(issues);
  }
  const updated = await transaction(ctx, async (tx) => {
    const before = await getStorageConfig(tx, uid);
    await tx.db.storageConfig.update({
      where: { uid },
      data: {
        ...(input.name !== undefined && { name: input.name }),
        ...(credentials && { credentialsSealed: sealCredentials(row, credentials) }),
      },
    });
    const isRenamed = input.name !== undefined && input.name !== before.name;
    if (isRenamed || credentials) {
      await audit(tx, {
        action: "storage_config.updated",
        targetType: "storage_config",
        targetId: uid,
        targetName: input.name ?? before.name,
        ...(isRenamed && { before: { name: before.name } }),
        after: { ...(isRenamed && { name: input.name }), ...(credentials && { credentials: "replaced" }) },
      });
    }
    if (checks) await recordTest(tx, uid, "rotated", checks);
    else await announce(tx, "storage_config", uid, "updated");
    return getStorageConfig(tx, uid);
  });
  forgetBucket(uid);
  return updated;
}

/** Deletes a bucket's configuration and credentials; its datasets then have no bucket. Throws `not_found`. */
export async function deleteStorageConfig(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const config = await getStorageConfig(tx, uid);
    await execute(
      tx,
      Prisma.sql`update datasets set storage_config_id = null where storage_config_id = ${uid} and organization_id = ${tx.organizationId}`,
    );
    await tx.db.storageConfig.delete({ where: { uid } });
    await audit(tx, {
      action: "storage_config.deleted",
      targetType: "storage_config",
      targetId: uid,
      targetName: config.name,
    });
    await announce(tx, "storage_config", uid, "deleted");
  });
  forgetBucket(uid);
}

/**
 * The key prefix for files in a configuration's bucket; empty without a configuration. Throws
 * `invalid("storage_config_uid")` for an unknown one.
 */
export async function chosenBucket(ctx: Ctx, uid: string | null | undefined): Promise<string> {
  if (uid === null || uid === undefined) return "";
  const config = await ctx.db.storageConfig.findFirst({ where: { uid, organizationId: ctx.organizationId } });
  if (!config) throw invalid("storage_config_uid", `Invalid pk "${uid}" - object does not exist.`);
  return bucketPrefix(uid);
}

/** The values for a customer's trust policy. Throws `invalid("organization")`, `not_found`. */
export async function storageSetupInfo(ctx: Ctx, organization: string | undefined): Promise<SetupInfo> {
  await requireOrganization(ctx, organization);
  return {
    service_aws_account_id: env.SERVICE_AWS_ACCOUNT_ID,
    external_id: sign("storage external id", ctx.organizationId).slice(0, 32),
  };
}
