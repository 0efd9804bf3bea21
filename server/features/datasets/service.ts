import {
  type CreateDataset,
  type DatasetAddress,
  type DatasetFilters,
  type DatasetListFilters,
  type DatasetPath,
  type UpdateDataset,
  dataTypes,
  datasetStatuses,
  visibilities,
} from "@/domain/datasets/schema";
import { accesses } from "@/domain/organizations/assignment";
import { wireInteger } from "@/domain/wire-values";
import { audit, difference } from "@/server/features/audit/service";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { requireOwn } from "@/server/features/membership/access-service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { leaveToAdmins } from "@/server/features/membership/assignment-service";
import { announceAccess, announceDeletion } from "@/server/features/membership/change-audience-service";
import { isReserved, nameCandidates, toSlug } from "@/server/features/membership/names";
import { publish } from "@/server/features/platform-events/service";
import { chosenBucket } from "@/server/features/storage-configs/service";
import type { Ctx } from "@/server/platform/context";
import { randomText } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { bool, int4, int8, type Native, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`d.uid, d.name, d.slug, d.data_type, d.is_sequence, d.visibility, d.status, o.slug as owner_name,
  d.item_count, d.project_count, d.annotation_count as annotations_count, d.size_bytes, d.created_at, d.updated_at,
  d.storage_config_id as storage_config_uid, d.access`;
const datasetRow = {
  uid: text,
  name: text,
  slug: text,
  data_type: oneOf(dataTypes),
  is_sequence: bool,
  visibility: oneOf(visibilities),
  status: oneOf(datasetStatuses),
  owner_name: text,
  item_count: int4,
  project_count: int4,
  annotations_count: int4,
  size_bytes: int8,
  created_at: timestamptz,
  updated_at: timestamptz,
  storage_config_uid: nullable(text),
  access: oneOf(accesses),
};
const tables = Prisma.sql`datasets d join organizations o on o.uid = d.organization_id`;

/** The datasets of the organization that the caller sees. */
const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`d.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)}`;

/** Datasets, newest first unless ordered otherwise. */
export async function listDatasets(
  ctx: Ctx,
  filters: DatasetFilters & Partial<DatasetListFilters>,
): Promise<Page<DatasetResource>> {
  const { limit, cursor, ordering, ...rest } = filters;
  return keysetPage<DatasetResource>(ctx, {
    name: "datasets",
    filters: rest,
    page: { limit, cursor },
    ...toOrder<DatasetResource>(ordering ?? "-created_at", "d.uid", {
      name: { column: "d.name", key: (row) => row.name },
    }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        datasetRow,
        Prisma.sql`select ${columns} from ${tables} where ${visible(ctx)} and ${where}
        ${rest.data_type ? Prisma.sql`and d.data_type = any(${rest.data_type})` : Prisma.empty}
        ${rest.status ? Prisma.sql`and d.status = any(${rest.status})` : Prisma.empty}
        ${demoFilter("d", rest.demo)}
        ${rest.search ? Prisma.sql`and d.name ilike ${`%${likeText(rest.search)}%`}` : Prisma.empty}
        order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** The datasets of an owner. Throws `not_found` for a slug other than that of the caller's organization. */
export async function listOwnedDatasets(
  ctx: Ctx,
  owner: string,
  filters: DatasetFilters,
): Promise<Page<DatasetResource>> {
  await requireOwn(ctx, owner);
  return listDatasets(ctx, filters);
}

const serialize = (row: Native<typeof datasetRow>): DatasetResource => ({
  ...row,
  size_bytes: wireInteger(row.size_bytes),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

async function readDataset(ctx: Ctx, where: Prisma.Sql, lock: Prisma.Sql): Promise<DatasetResource> {
  const [row] = await query(
    ctx,
    datasetRow,
    Prisma.sql`select ${columns} from ${tables} where ${visible(ctx)} and ${where} ${lock}`,
  );
  if (!row) throw notFound();
  return serialize(row);
}

/** One dataset by owner and slug. Throws `not_found`. */
export const getDataset = (ctx: Ctx, { owner, slug }: DatasetPath): Promise<DatasetResource> =>
  readDataset(ctx, Prisma.sql`d.slug = ${slug} and o.slug = ${owner}`, Prisma.empty);

export const getDatasetByUid = (ctx: Ctx, uid: string): Promise<DatasetResource> =>
  readDataset(ctx, Prisma.sql`d.uid = ${uid}`, Prisma.empty);

/** Locks and reads a dataset inside a transaction. Throws `not_found`. */
export const lockDataset = (tx: Ctx, uid: string): Promise<DatasetResource> =>
  readDataset(tx, Prisma.sql`d.uid = ${uid}`, Prisma.sql`for no key update of d`);

/** The datasets with the given uids, in their order without duplicates. Throws `invalid(field)` for an unknown one. */
export async function namedDatasets(tx: Ctx, field: string, uids: readonly string[]): Promise<DatasetResource[]> {
  const unique = [...new Set(uids)];
  const rows = await query(
    tx,
    datasetRow,
    Prisma.sql`select ${columns} from ${tables} where ${visible(tx)} and d.uid = any(${unique}) for key share of d`,
  );
  const found = new Map(rows.map((row) => [row.uid, serialize(row)]));
  return unique.map((uid) => {
    const dataset = found.get(uid);
    if (!dataset) throw invalid(field, `Invalid pk "${uid}" - object does not exist.`);
    return dataset;
  });
}

const toEventData = ({ uid, name, slug, owner_name }: DatasetResource) => ({
  dataset_uid: uid,
  name,
  slug,
  owner: owner_name,
});

/** Publishes that a dataset changed, in the transaction of the change. */
export const publishUpdated = (tx: Ctx, dataset: DatasetResource): Promise<void> =>
  publish(tx, "dataset.updated", toEventData(dataset));

/**
 * Creates an empty dataset. Throws `invalid("slug")` for a slug that is taken or reserved, and
 * `invalid("storage_config_uid")`.
 */
export async function createDataset(ctx: Ctx, input: CreateDataset & { demo?: boolean }): Promise<DatasetResource> {
  const {
    name,
    slug,
    data_type: dataType,
    is_sequence: isSequence,
    visibility,
    access,
    storage_config_uid: storageConfigId = null,
  } = input;
  if (slug !== undefined && isReserved(slug)) throw invalid("slug", "This slug is reserved.");
  const candidates = slug === undefined ? nameCandidates(toSlug(name) ?? "dataset", () => randomText(6)) : [slug];
  return transaction(ctx, async (tx) => {
    const uid = uuidv7();
    await chosenBucket(tx, storageConfigId);
    for (const candidate of candidates) {
      const { count } = await tx.db.dataset.createMany({
        data: [
          {
            uid,
            organizationId: tx.organizationId,
            name,
            slug: candidate,
            dataType,
            isSequence,
            visibility,
            access,
            storageConfigId,
            createdById: tx.actor.userId,
            demo: input.demo ?? false,
          },
        ],
        skipDuplicates: true,
      });
      if (count === 0) continue;
      const dataset = await getDatasetByUid(tx, uid);
      await audit(tx, { action: "dataset.created", targetType: "dataset", targetId: uid, targetName: name });
      await publish(tx, "dataset.created", toEventData(dataset));
      await announce(tx, "dataset", uid, "created");
      return dataset;
    }
    throw invalid("slug", "A dataset with this slug already exists.");
  });
}

/** The slug that a new dataset would get, and whether it is free. */
export async function checkAddress(ctx: Ctx, { name, slug }: DatasetAddress): Promise<{ slug: string; free: boolean }> {
  const wanted = slug ?? toSlug(name) ?? "dataset";
  if (isReserved(wanted)) return { slug: wanted, free: false };
  const taken = await ctx.db.dataset.count({ where: { organizationId: ctx.organizationId, slug: wanted } });
  return { slug: wanted, free: taken === 0 };
}

/** Changes the given members. Throws `not_found`, `invalid("storage_config_uid")`. */
export async function updateDataset(ctx: Ctx, path: DatasetPath, input: UpdateDataset): Promise<DatasetResource> {
  return transaction(ctx, async (tx) => {
    const before = await lockDataset(tx, (await getDataset(tx, path)).uid);
    const {
      name = before.name,
      visibility = before.visibility,
      access = before.access,
      storage_config_uid: storageConfigId = before.storage_config_uid,
    } = input;
    const after = { name, visibility, access, storageConfigId };
    const now = { ...before, storageConfigId: before.storage_config_uid };
    if ((["name", "visibility", "access", "storageConfigId"] as const).every((field) => after[field] === now[field]))
      return before;
    await chosenBucket(tx, storageConfigId);
    await tx.db.dataset.update({ where: { uid: before.uid }, data: after });
    const dataset = await getDatasetByUid(tx, before.uid);
    const changed = difference({ ...before, updated_at: "" }, { ...dataset, updated_at: "" });
    await audit(tx, {
      action: "dataset.updated",
      targetType: "dataset",
      targetId: dataset.uid,
      targetName: dataset.name,
      ...changed,
    });
    await publishUpdated(tx, dataset);
    await announce(tx, "dataset", dataset.uid, "updated");
    if (access !== before.access) await announceAccess(tx);
    return dataset;
  });
}

/**
 * Deletes a dataset with its items, slices and files. Throws `not_found`, and `invalid` naming unfinished projects that
 * annotate it.
 */
export async function deleteDataset(ctx: Ctx, path: DatasetPath): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { uid } = await getDataset(tx, path);
    const dataset = await readDataset(tx, Prisma.sql`d.uid = ${uid}`, Prisma.sql`for update of d`);
    const users = await query(
      tx,
      { name: text },
      Prisma.sql`select p.name from annotated_datasets a join projects p on p.uid = a.project_id
        where a.dataset_id = ${uid} and p.organization_id = ${tx.organizationId}
          and p.status in ('pending-approval', 'active', 'paused') order by p.uid limit 5`,
    );
    if (users.length > 0) {
      throw invalid(
        [],
        `Projects annotate this dataset: ${users.map(({ name }) => `"${name}"`).join(", ")}. Cancel them first.`,
      );
    }
    const prefixes = new Set([
      await getPrefix(tx, dataset, null),
      await getPrefix(tx, dataset, dataset.storage_config_uid),
    ]);
    for (const { prefix } of await tx.db.uploadSession.findMany({
      where: { datasetId: uid },
      distinct: ["prefix"],
      select: { prefix: true },
    })) {
      prefixes.add(prefix);
    }
    await execute(
      tx,
      Prisma.sql`update organizations o set slice_count = o.slice_count - d.slice_count from datasets d
        where d.uid = ${uid} and o.uid = d.organization_id`,
    );
    // While its row is there: whose subscribers an event concerns depends on whether its dataset is of the demo fleet.
    await publish(tx, "dataset.deleted", toEventData(dataset));
    await announceDeletion(tx, "dataset", uid);
    await leaveToAdmins(tx, { dataset: uid });
    await tx.db.dataset.delete({ where: { uid } });
    for (const prefix of prefixes) await enqueue(tx, jobs.deleteStoredObjects, { prefix });
    await audit(tx, { action: "dataset.deleted", targetType: "dataset", targetId: uid, targetName: dataset.name });
  });
}

/**
 * The key prefix of a dataset's files, in the bucket of a storage configuration or in the installation's storage.
 * Throws `invalid("storage_config_uid")`.
 */
export const getPrefix = async (ctx: Ctx, { uid }: { uid: string }, configUid: string | null): Promise<string> =>
  `${await chosenBucket(ctx, configUid)}datasets/${ctx.organizationId}/${uid}/`;
