import { getExport } from "@/server/features/exports/service";
import type { Ctx } from "@/server/platform/context";
import { env } from "@/server/platform/env";
import { isServiceError } from "@/server/platform/errors";

/**
 * The link to the file of an export for a program outside; null once the file has expired or was deleted, and where the
 * caller does not see the export.
 */
async function signLink(ctx: Ctx, uid: string): Promise<string | null> {
  try {
    const { download_url: link } = await getExport(ctx, uid);
    return link === null ? null : new URL(link, env.PUBLIC_URL).href;
  } catch (error) {
    if (isServiceError(error) && error.code === "not_found") return null;
    throw error;
  }
}

/**
 * The payload of a platform event as it is sent. Whoever has the link to an export gets its file, so that the link is
 * signed when the event is sent, and stored nowhere.
 */
export async function withDownloadLink(
  ctx: Ctx,
  payload: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { event, export_uid: uid } = payload;
  if (event !== "export.completed" || typeof uid !== "string") return { ...payload };
  return { ...payload, download_url: await signLink(ctx, uid) };
}
