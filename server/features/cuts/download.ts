import { readCutLink } from "@/server/features/cuts/link";
import { openCut, parseCutQuery, type CutDownload } from "@/server/features/cuts/service";
import { actorTypes, systemContext, type Ctx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { noteDownload } from "@/server/platform/observability/access-notes";

/** Begins the download that a person asked for on a page. Throws as `openCut`, and `invalid` for a wrong query. */
export async function openOwnCut(ctx: Ctx, uid: string, search: URLSearchParams): Promise<CutDownload> {
  const download = await openCut(ctx, uid, parseCutQuery(search));
  note(ctx, uid, download);
  return download;
}

/** Begins the download that a link grants. Throws as `openCut`, and `not_found` for a link that is not valid. */
export async function openLinkedCut(url: URL, ip: string | null): Promise<CutDownload> {
  const link = readCutLink(url);
  if (link === null) throw notFound();
  const { organizationId, uid, by, query } = link;
  const ctx = systemContext(prisma, organizationId);
  const download = await openCut(ctx, uid, parseCutQuery(query));
  const type = actorTypes.find((each) => each === by.type);
  if (type) note({ ...ctx, ip, actor: { ...ctx.actor, type, id: by.id, name: "" } }, uid, download);
  return download;
}

function note({ organizationId, actor, ip, requestId }: Ctx, uid: string, { fileName }: CutDownload): void {
  const { type, id, name } = actor;
  const by = name === "" ? { type, id } : { type, id, name };
  noteDownload(organizationId, by, { type: "recording", id: uid, name: fileName }, { ip, requestId });
}
