import type { CommentFilters, CreateComment } from "@/domain/alerts/schema";
import { readAlert } from "@/server/features/alerts/alert-queries";
import { getActorName } from "@/server/features/alerts/messages-queries";
import type { CommentResource } from "@/server/features/alerts/resource";
import { lockAlert, recordChange } from "@/server/features/alerts/state-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql, transaction } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { text, timestamptz } from "@/server/platform/rows";
import { uidTime, uuidv7 } from "@/server/platform/uid";

const commentRow = { uid: text, alert_id: text, author: text, author_id: text, body: text, created_at: timestamptz };

/** The comments on an alert, oldest first. Throws `not_found`. */
export async function listComments(
  ctx: Ctx,
  alertId: string,
  { limit, cursor }: CommentFilters,
): Promise<Page<CommentResource>> {
  await readAlert(ctx, alertId);
  return keysetPage<CommentResource>(ctx, {
    name: "alert-comments",
    filters: { alertId },
    page: { limit, cursor },
    order: { columns: ["c.uid"], direction: "asc" },
    key: (comment) => [comment.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        commentRow,
        Prisma.sql`select c.uid, c.alert_id, c.author_name as author, c.author_id, c.body, c.created_at from alert_comments c
        where c.alert_id = ${alertId} and c.organization_id = ${ctx.organizationId} and ${where}
        order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** Adds a comment under the caller's name. Throws `not_found`. */
export async function createComment(ctx: Ctx, alertId: string, { body }: CreateComment): Promise<CommentResource> {
  const uid = uuidv7();
  const createdAt = new Date(uidTime(uid));
  const author = { name: getActorName(ctx), id: ctx.actor.userId ?? ctx.actor.id };
  return transaction(ctx, async (tx) => {
    const alert = await lockAlert(tx, alertId);
    await tx.db.alertComment.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        alertId,
        authorId: author.id,
        authorName: author.name,
        body,
        createdAt,
      },
    });
    await recordChange(tx, alert, "commented", null, { comment_id: uid });
    return {
      uid,
      alert_id: alertId,
      author: author.name,
      author_id: author.id,
      body,
      created_at: createdAt.toISOString(),
    };
  });
}
