import { z } from "zod";
import { getDefinitionFormat } from "@/domain/message-definitions/type-name";
import { utf8Text } from "@/engine/bytes";
import type { Definitions } from "@/engine/decode/definitions";
import {
  KnownDefinitions,
  storedDefinitions,
  type DefinitionFile,
} from "@/server/features/message-definitions/known-definitions";
import { readDefinitions } from "@/server/features/message-definitions/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { jsonb, text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { storedJson } from "@/server/platform/stored-text";

/** Limits of one file that was uploaded with a recording, and of all that are read. */
const [maxFileBytes, maxBytes] = [1024 * 1024, 16 * 1024 * 1024];
const maxFiles = 500;

/** What is known now of types that a recording does not define: for processing it. */
export async function findKnownDefinitions(ctx: Ctx, recordingId: string): Promise<KnownDefinitions> {
  return new KnownDefinitions(await readUploaded(ctx, recordingId), await readDefinitions(ctx));
}

async function readUploaded(ctx: Ctx, recordingId: string): Promise<DefinitionFile[]> {
  const files = await ctx.db.storedFile.findMany({
    where: { recordingId, organizationId: ctx.organizationId, confirmedAt: { not: null }, derivedFrom: null },
    orderBy: [{ position: "asc" }, { uid: "asc" }],
    select: { path: true, storageKey: true, sizeBytes: true },
  });
  const wanted = files.filter(({ path, sizeBytes }) => getDefinitionFormat(path) !== null && sizeBytes <= maxFileBytes);
  const read: DefinitionFile[] = [];
  let bytes = 0;
  for (const { path, storageKey, sizeBytes } of wanted.slice(0, maxFiles)) {
    bytes += Number(sizeBytes);
    if (bytes > maxBytes) break;
    read.push({ path, text: utf8Text(await objectStore().readBytes(storageKey, 0, Number(sizeBytes))) });
  }
  return read;
}

/** Replaces what was found when a recording was processed, so that it is read with the same from now on. */
export async function replaceFound(
  tx: Ctx,
  recordingId: string,
  found: Readonly<Record<string, string>>,
): Promise<void> {
  await execute(tx, Prisma.sql`delete from recording_definitions where recording_id = ${recordingId}`);
  if (Object.keys(found).length === 0) return;
  await execute(
    tx,
    Prisma.sql`insert into recording_definitions (recording_id, found)
      select uid, ${storedJson(found)}::jsonb from recordings where uid = ${recordingId}`,
  );
}

/** What was found when a recording was processed; null when that was nothing. */
export async function readFound(ctx: Ctx, recordingId: string): Promise<Definitions | null> {
  const [row] = await query(
    ctx,
    { found: jsonb(z.record(z.string(), z.string())), id: text },
    Prisma.sql`select d.found, md5(d.found::text) as id from recording_definitions d
      join recordings r on r.uid = d.recording_id
      where d.recording_id = ${recordingId} and r.organization_id = ${ctx.organizationId}`,
  );
  return row ? storedDefinitions(new Map(Object.entries(row.found)), row.id) : null;
}
