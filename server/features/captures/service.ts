import { z } from "zod";
import { CapturedPicture, Findings, type Capture } from "@/server/features/captures/resource";
import type { Ctx } from "@/server/platform/context";

const Pictures = z.array(CapturedPicture);

/** Where the pictures of a capture are stored. */
export const toCapturePrefix = ({ organizationId, uid }: { organizationId: string; uid: string }): string =>
  `alert-captures/${organizationId}/${uid}/`;

export const toPictureKey = (capture: { organizationId: string; uid: string }, index: number): string =>
  `${toCapturePrefix(capture)}${index}`;

/** What was kept of the moment of an alert; null when there is nothing, or not yet. */
export async function findCapture(ctx: Ctx, alertId: string): Promise<Capture | null> {
  const row = await ctx.db.alertCapture.findFirst({ where: { alertId, organizationId: ctx.organizationId } });
  if (!row) return null;
  return {
    uid: row.uid,
    alert_id: alertId,
    triggered_ns: String(row.triggeredNs),
    pictures: Pictures.parse(row.pictures),
    ...Findings.parse(row.findings),
  };
}

/** A picture of a capture (`<capture uid>/<index>`), for pages; null when there is none of the organization. */
export async function findCapturedPicture(ctx: Ctx, uid: string, index: number) {
  const row = await ctx.db.alertCapture.findFirst({
    where: { uid, organizationId: ctx.organizationId, alertId: { not: null } },
  });
  const picture = row && Pictures.parse(row.pictures)[index];
  return row && picture
    ? { key: toPictureKey(row, index), size: picture.size_bytes, mediaType: "image/jpeg" as const }
    : null;
}
