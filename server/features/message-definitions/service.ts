import {
  maxDefinitionBytes,
  maxDefinitions,
  type MessageDefinitionFilters,
  type SaveMessageDefinitions,
} from "@/domain/message-definitions/schema";
import { definitionFormats, getDefinitionFormat, toTypeName } from "@/domain/message-definitions/type-name";
import { mayChange } from "@/domain/permissions";
import { checkRos2File } from "@/engine/decode/ros-schema";
import { RecordingError } from "@/engine/formats/recording-error";
import { audit } from "@/server/features/audit/service";
import type {
  MessageDefinitionDetail,
  MessageDefinitionResource,
  SavedMessageDefinitions,
} from "@/server/features/message-definitions/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound } from "@/server/platform/errors";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { int4, int8, notNull, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`d.uid, d.name, d.format, octet_length(d.text) as size_bytes, d.created_by_id as created_by,
  d.created_by_name, d.created_at, d.updated_at`;
const row = {
  uid: text,
  name: text,
  format: oneOf(definitionFormats),
  size_bytes: int4,
  created_by: nullable(text),
  created_by_name: text,
  created_at: timestamptz,
  updated_at: timestamptz,
};

/** The organization's message definitions, by name. */
export async function listDefinitions(
  ctx: Ctx,
  { limit, cursor, ...filters }: MessageDefinitionFilters,
): Promise<Page<MessageDefinitionResource>> {
  const { name = "" } = filters;
  const named = name === "" ? Prisma.sql`true` : Prisma.sql`d.name ilike ${`%${likeText(name)}%`}`;
  return keysetPage<MessageDefinitionResource>(ctx, {
    name: "message-definitions",
    filters,
    page: { limit, cursor },
    order: { columns: ["d.name", "d.format"], direction: "asc" },
    key: ({ name, format }) => [name, format],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        row,
        Prisma.sql`select ${columns} from message_definitions d
        where d.organization_id = ${ctx.organizationId} and ${named} and ${where} order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One definition with its text. Throws `not_found`. */
export async function getDefinition(ctx: Ctx, uid: string): Promise<MessageDefinitionDetail> {
  const [found] = await query(
    ctx,
    { ...row, text },
    Prisma.sql`select ${columns}, d.text from message_definitions d
      where d.uid = ${uid} and d.organization_id = ${ctx.organizationId}`,
  );
  if (!found) throw notFound();
  return { ...found, created_at: found.created_at.toISOString(), updated_at: found.updated_at.toISOString() };
}

interface Definition {
  name: string;
  format: string;
  text: string;
}

const toKey = ({ name, format }: Omit<Definition, "text">): string => `${name}.${format}`;

/** The files by type; of two for one type the last counts. Throws `invalid("files")` for a message with a bad line. */
function readFiles({ files }: SaveMessageDefinitions): Map<string, Definition & { position: number }> {
  const wanted = new Map<string, Definition & { position: number }>();
  for (const [position, { path, text: content }] of files.entries()) {
    const format = getDefinitionFormat(path) ?? "msg";
    const definition = { name: toTypeName(path), format, text: content };
    // An .idl file cannot be checked alone: types that it uses are in other files.
    if (format !== "idl") {
      try {
        checkRos2File(content, format);
      } catch (error) {
        if (!(error instanceof RecordingError)) throw error;
        throw invalid(["files", position, "text"], error.message);
      }
    }
    wanted.set(toKey(definition), { ...definition, position });
  }
  return wanted;
}

/**
 * Keeps definitions for the whole organization, all or none. One of the same type and format is replaced, by who added
 * it and by admins. Throws `invalid("files")` for another member's, for a message with a bad line, and when there would
 * be more than `maxDefinitions`.
 */
export async function saveDefinitions(ctx: Ctx, input: SaveMessageDefinitions): Promise<SavedMessageDefinitions> {
  const wanted = readFiles(input);
  return transaction(ctx, async (tx) => {
    const { organizationId, actor } = tx;
    // Concurrent saves are serialized, so that the limit holds.
    await execute(
      tx,
      Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${`definitions ${organizationId}`}, 0))`,
    );
    const present = await tx.db.messageDefinition.findMany({
      where: { organizationId, name: { in: [...wanted.values()].map(({ name }) => name) } },
    });
    const before = new Map(present.map((definition) => [toKey(definition), definition]));
    for (const definition of wanted.values()) {
      const { text: known, createdById, createdByName } = before.get(toKey(definition)) ?? { text: definition.text };
      if (known === definition.text || mayChange(tx.permissions, actor.userId, createdById ?? null)) continue;
      throw invalid(
        ["files", definition.position, "path"],
        `${createdByName} has added another definition of this type.`,
      );
    }
    const added = [...wanted].filter(([key]) => !before.has(key)).map(([, definition]) => definition);
    const replaced = [...wanted].filter(([key, { text: content }]) => (before.get(key)?.text ?? content) !== content);
    const count = await tx.db.messageDefinition.count({ where: { organizationId } });
    if (count + added.length > maxDefinitions)
      throw invalid("files", `An organization keeps at most ${maxDefinitions} message definitions.`);
    await tx.db.messageDefinition.createMany({
      data: added.map(({ name, format, text: content }) => ({
        uid: uuidv7(),
        organizationId,
        name,
        format,
        text: content,
        createdById: actor.userId,
        createdByName: actor.username ?? actor.name,
      })),
    });
    for (const [key, { text: content }] of replaced) {
      await tx.db.messageDefinition.update({ where: { uid: before.get(key)?.uid ?? "" }, data: { text: content } });
    }
    await checkBytes(tx);
    if (added.length + replaced.length > 0) {
      await audit(tx, {
        action: "message_definition.saved",
        targetType: "message_definition",
        targetId: organizationId,
        after: { added: added.map(toKey), replaced: replaced.map(([key]) => key) },
      });
    }
    return { added: added.length, replaced: replaced.length };
  });
}

/** Throws `invalid("files")` when the definitions of the organization hold more than `maxDefinitionBytes`. */
async function checkBytes(tx: Ctx): Promise<void> {
  const [row] = await query(
    tx,
    { bytes: notNull(int8) },
    Prisma.sql`select coalesce(sum(octet_length(text)), 0)::bigint as bytes from message_definitions
      where organization_id = ${tx.organizationId}`,
  );
  if ((row?.bytes ?? 0n) > BigInt(maxDefinitionBytes))
    throw invalid(
      "files",
      `The message definitions of an organization hold at most ${maxDefinitionBytes / 1024 ** 2} MiB.`,
    );
}

/** Deletes a definition. Throws `not_found`, and `forbidden` unless the caller added it or is an admin. */
export async function deleteDefinition(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const found = await tx.db.messageDefinition.findFirst({ where: { uid, organizationId: tx.organizationId } });
    if (!found) throw notFound();
    if (!mayChange(tx.permissions, tx.actor.userId, found.createdById)) throw forbidden();
    await tx.db.messageDefinition.delete({ where: { uid } });
    await audit(tx, {
      action: "message_definition.deleted",
      targetType: "message_definition",
      targetId: uid,
      targetName: toKey(found),
    });
  });
}

/** All definitions of the organization with their texts, for reading a recording. */
export async function readDefinitions(ctx: Ctx): Promise<{ path: string; text: string }[]> {
  const found = await ctx.db.messageDefinition.findMany({
    where: { organizationId: ctx.organizationId },
    select: { name: true, format: true, text: true },
    take: maxDefinitions,
  });
  return found.map((definition) => ({ path: toKey(definition), text: definition.text }));
}
