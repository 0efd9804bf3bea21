import { z } from "zod";
import { isCameraSchema } from "@/engine/messages/pictures/picture-schemas";
import { enqueueFilmstrip, isFilmstripQueued } from "@/server/features/filmstrips/queue-queries";
import { FilmCamera, type Filmstrip } from "@/server/features/filmstrips/resource";
import { findRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";

const Cameras = z.array(FilmCamera);

/** The last part of a key: each attempt has its own, so that an address never gets other bytes. */
const toVersion = (storageKey: string): string => storageKey.slice(storageKey.lastIndexOf("/") + 1);

/**
 * The small pictures of a recording's cameras; null when there are none, or not yet: those of a recording that was
 * processed by an earlier version are made when it is first opened. Throws `not_found`.
 */
export async function openFilmstrip(ctx: Ctx, recordingId: string): Promise<Filmstrip | null> {
  const recording = await findRecording(ctx, recordingId);
  const row = await ctx.db.filmstrip.findFirst({ where: { recordingId, organizationId: ctx.organizationId } });
  if (row) {
    const cameras = Cameras.parse(row.cameras);
    return cameras.length === 0 ? null : { version: row.storageKey === null ? "" : toVersion(row.storageKey), cameras };
  }
  const isDue = recording.status === "ready" && (await listCameras(ctx, recordingId)).length > 0;
  if (isDue && !(await isFilmstripQueued(ctx, recordingId)))
    await transaction(ctx, (tx) => enqueueFilmstrip(tx, recordingId));
  return null;
}

/** The topics of a recording that hold pictures or video. */
export async function listCameras(ctx: Ctx, recordingId: string): Promise<string[]> {
  const topics = await ctx.db.topic.findMany({
    where: { recordingId, organizationId: ctx.organizationId },
    select: { name: true, schemaName: true },
    orderBy: { name: "asc" },
  });
  return topics.filter(({ schemaName }) => isCameraSchema(schemaName)).map(({ name }) => name);
}

/** The object with the small pictures of a recording, for pages; null when there is none. */
export async function findFilmMedia(ctx: Ctx, recordingId: string) {
  const row = await ctx.db.filmstrip.findFirst({ where: { recordingId, organizationId: ctx.organizationId } });
  return row?.storageKey
    ? { key: row.storageKey, size: Number(row.sizeBytes), version: toVersion(row.storageKey) }
    : null;
}
