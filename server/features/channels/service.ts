import { type ChannelType, channelTypes } from "@/domain/channels/channel-type";
import { channelKinds } from "@/domain/channels/registry";
import type { ChannelFilters, CreateChannel, UpdateChannel } from "@/domain/channels/schema";
import { audit, difference } from "@/server/features/audit/service";
import { mergeConfig, openConfig, parseConfig, showConfig, storeConfig } from "@/server/features/channels/config";
import type { ChannelResource, CreatedChannel } from "@/server/features/channels/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { newWebhookSecret } from "@/server/platform/http-client/signature";
import { requireMailToOthers } from "@/server/platform/mail/others";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { bool, jsonbObject, type Native, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { newUid } from "@/server/platform/uid";

const columns = Prisma.sql`c.uid, c.name, c.type, c.config, c.demo, c.created_at, c.updated_at`;

const channelRow = {
  uid: text,
  name: text,
  type: oneOf(channelTypes),
  config: jsonbObject,
  demo: bool,
  created_at: timestamptz,
  updated_at: timestamptz,
};
const sealedRow = { ...channelRow, secrets_sealed: nullable(text) };
type Row = Native<typeof sealedRow>;

/** Channels, newest first. */
export async function listChannels(ctx: Ctx, { limit, cursor, type }: ChannelFilters): Promise<Page<ChannelResource>> {
  const page = await keysetPage<ChannelResource>(ctx, {
    name: "channels",
    filters: { type },
    page: { limit, cursor },
    order: { columns: ["c.uid"], direction: "desc" },
    key: (channel) => [channel.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        channelRow,
        Prisma.sql`select ${columns} from channels c where c.organization_id = ${ctx.organizationId} and ${where}
        ${type ? Prisma.sql`and c.type = any(${type})` : Prisma.empty} order by ${orderBy} limit ${rows}`,
      ),
  });
  const results = page.results.map((channel) => ({
    ...channel,
    config: showConfig(ctx, channel.type, channel.config),
  }));
  return { ...page, results };
}

const serialize = (ctx: Ctx, { secrets_sealed: _, ...row }: Row): ChannelResource => ({
  ...row,
  config: showConfig(ctx, row.type, row.config),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

async function readChannel(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<Row> {
  const [row] = await query(
    ctx,
    sealedRow,
    Prisma.sql`select ${columns}, c.secrets_sealed from channels c
      where c.uid = ${uid} and c.organization_id = ${ctx.organizationId} ${lock}`,
  );
  if (!row) throw notFound();
  return row;
}

/** One channel, secrets masked, and addresses too for those who may not change them. Throws `not_found`. */
export const getChannel = async (ctx: Ctx, uid: string): Promise<ChannelResource> =>
  serialize(ctx, await readChannel(ctx, uid));

/** A channel's type and its configuration with secrets, for sending. Throws `not_found`. */
export async function openChannel(
  ctx: Ctx,
  uid: string,
): Promise<{ type: ChannelType; config: Record<string, unknown> }> {
  const row = await readChannel(ctx, uid);
  return { type: row.type, config: openRow(ctx, row) };
}

const openRow = (ctx: Ctx, row: Row) =>
  openConfig({
    uid: row.uid,
    organizationId: ctx.organizationId,
    config: row.config,
    secretsSealed: row.secrets_sealed,
  });

/**
 * Creates a channel. A type that needs a secret gets a generated one where none is given, in this response only. Throws
 * `invalid("config")`, also for blocked addresses.
 */
export async function createChannel(ctx: Ctx, input: CreateChannel): Promise<CreatedChannel> {
  if (input.type === "email") await requireMailToOthers(ctx);
  const uid = newUid("channel");
  const config: Record<string, unknown> = await parseConfig(input.type, input.config ?? {}, {
    demo: input.demo ?? false,
  });
  const member = channelKinds[input.type].generatedSecret;
  const generated = member !== null && config[member] === undefined ? { [member]: newWebhookSecret() } : {};
  Object.assign(config, generated);
  const { shown, sealed } = storeConfig(input.type, config, uid, ctx.organizationId);
  return transaction(ctx, async (tx) => {
    await tx.db.channel.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        name: input.name,
        type: input.type,
        config: shown as Prisma.InputJsonObject,
        secretsSealed: sealed,
        demo: input.demo ?? false,
      },
    });
    await audit(tx, {
      action: "channel.created",
      targetType: "channel",
      targetId: uid,
      targetName: input.name,
      after: { type: input.type, config: shown },
    });
    await announce(tx, "channel", uid, "created");
    return { ...(await getChannel(tx, uid)), ...generated };
  });
}

/** Changes a channel's name and configuration (see `UpdateChannel`). Throws `not_found`, `invalid("config")`. */
export async function updateChannel(ctx: Ctx, uid: string, input: UpdateChannel): Promise<ChannelResource> {
  return transaction(ctx, async (tx) => {
    const row = await readChannel(tx, uid, Prisma.sql`for update`);
    const before = serialize(tx, row);
    const data: Prisma.ChannelUpdateInput = {};
    if (input.name !== undefined) data.name = input.name;
    if (input.config !== undefined) {
      if (row.type === "email") await requireMailToOthers(tx);
      const config = await parseConfig(row.type, mergeConfig(row.config, openRow(tx, row), input.config), row);
      const { shown, sealed } = storeConfig(row.type, config, uid, tx.organizationId);
      data.config = shown as Prisma.InputJsonObject;
      data.secretsSealed = sealed;
    }
    if (Object.keys(data).length === 0) return before;
    await tx.db.channel.update({ where: { uid }, data });
    const after = await getChannel(tx, uid);
    const changed = difference({ ...before, updated_at: "" }, { ...after, updated_at: "" });
    await audit(tx, {
      action: "channel.updated",
      targetType: "channel",
      targetId: uid,
      targetName: after.name,
      ...changed,
    });
    await announce(tx, "channel", uid, "updated");
    return after;
  });
}

/** Names of the rules that notify a channel. */
async function listRules(tx: Ctx, uid: string): Promise<string[]> {
  const uses = JSON.stringify([{ type: "notify", channel_id: uid }]);
  const rows = await query(
    tx,
    { name: text },
    Prisma.sql`select name from rules where organization_id = ${tx.organizationId} and actions @> ${uses}::jsonb
      order by uid limit 20`,
  );
  return rows.map((row) => row.name);
}

/** Deletes a channel with its deliveries. Throws `not_found`, and `invalid` naming the rules that use it. */
export async function deleteChannel(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const channel = await readChannel(tx, uid, Prisma.sql`for update`);
    const rules = await listRules(tx, uid);
    if (rules.length > 0) {
      throw invalid([], `This channel is used by ${rules.map((name) => `"${name}"`).join(", ")}.`);
    }
    await tx.db.channel.delete({ where: { uid } });
    await audit(tx, { action: "channel.deleted", targetType: "channel", targetId: uid, targetName: channel.name });
    await announce(tx, "channel", uid, "deleted");
  });
}
