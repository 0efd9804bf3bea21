import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { bool, type Native } from "@/server/platform/rows";

/**
 * Whether a file may be uploaded: not once its session was `deleted`, or its organization is being, nor once the client
 * `confirmed` the file.
 */
export type Admission = "open" | "confirmed" | "deleted";

/** What the keys of zips of robot descriptions begin with. */
const robotPrefix = "robot-descriptions/";
/** And those of files of annotations. */
const importPrefix = "annotation-imports/";

const fileStateRow = { confirmed: bool, active: bool };
type FileState = Native<typeof fileStateRow>;

const toAdmission = (file: FileState | undefined): Admission => {
  if (!file) return "deleted";
  return file.confirmed || !file.active ? "confirmed" : "open";
};

const fileState = (key: string, lock: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select f.confirmed_at is not null as confirmed, s.status = 'active' as active
  from stored_files f join upload_sessions s on s.uid = f.session_id
  join organizations o on o.uid = f.organization_id
  where f.storage_key = ${key} and o.deletes_at is null ${lock}`;

/** The same of the zip of a robot description, which belongs to no session. */
const robotState = (key: string, lock: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select d.status <> 'uploading' as confirmed, true as active
  from robot_descriptions d join organizations o on o.uid = d.organization_id
  where d.storage_key = ${key} and o.deletes_at is null ${lock}`;

/** The same of a file of annotations. */
const importState = (key: string, lock: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select m.status <> 'uploading' as confirmed, true as active
  from annotation_imports m join organizations o on o.uid = m.organization_id
  where m.storage_key = ${key} and o.deletes_at is null ${lock}`;

function uploadState(key: string, isLocked: boolean): Prisma.Sql {
  const getLock = (lock: Prisma.Sql): Prisma.Sql => (isLocked ? lock : Prisma.empty);
  if (key.startsWith(robotPrefix)) return robotState(key, getLock(Prisma.sql`for update of d`));
  if (key.startsWith(importPrefix)) return importState(key, getLock(Prisma.sql`for update of m`));
  return fileState(key, getLock(Prisma.sql`for update of f`));
}

/** Whether an organization is being deleted, and its files are not served any more. */
export async function isBeingDeleted(organizationId: string): Promise<boolean> {
  const statement = Prisma.sql`select exists (select from organizations o
    where o.uid = ${organizationId} and o.deletes_at is not null) as deleted`;
  return (await query({ db: prisma }, { deleted: bool }, statement))[0]?.deleted === true;
}

/** Reads whether the file of this key may be uploaded, and records the activity of its uploader. */
export async function readAdmission(key: string): Promise<Admission> {
  const [file] = await query({ db: prisma }, fileStateRow, uploadState(key, false));
  const admission = toAdmission(file);
  if (admission === "open") await noteActivity(key);
  return admission;
}

/**
 * Runs `publish` while it holds the file's row, so that the file cannot be confirmed meanwhile: confirmed bytes must
 * never change. Resolves to `open` when it ran.
 */
export function publishAdmitted(key: string, publish: () => Promise<void>): Promise<Admission> {
  return prisma.$transaction(
    async (db) => {
      const [file] = await query({ db }, fileStateRow, uploadState(key, true));
      const admission = toAdmission(file);
      if (admission === "open") await publish();
      return admission;
    },
    { maxWait: 10_000, timeout: 60_000 },
  );
}

/** Records the activity of an upload, so that its recording does not expire. */
export async function noteActivity(key: string): Promise<void> {
  await prisma.$executeRaw`
    update recordings r set active_at = now() from stored_files f
    where f.storage_key = ${key} and r.uid = f.recording_id and r.active_at < now() - interval '1 minute'`;
}
