import { openLinkedCut } from "@/server/features/cuts/download";
import { readCutLink } from "@/server/features/cuts/link";
import type { CutDownload } from "@/server/features/cuts/service";
import { findLiveShare } from "@/server/features/shares/live-queries";
import { notFound } from "@/server/platform/errors";
import { noteAccess } from "@/server/platform/observability/access-log";

/** Begins the download that a link grants, which of a share's page only while it is shared. Throws as `openLinkedCut`. */
export async function openGrantedCut(url: URL, ip: string | null): Promise<CutDownload> {
  const link = readCutLink(url);
  if (link?.by.type !== "share") return openLinkedCut(url, ip);
  const share = await findLiveShare(link.by.id);
  if (share?.recording_id !== link.uid) throw notFound();
  const download = await openLinkedCut(url, ip);
  noteAccess({
    where: { organizationId: share.organization_id },
    actor: { type: "anonymous", id: ip ?? "unknown", name: ip ?? "unknown" },
    action: "file.downloaded",
    target: { type: "recording", id: link.uid, name: download.fileName },
    ip,
    requestId: null,
    minutes: 60,
  });
  return download;
}
