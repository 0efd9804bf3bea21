import { CutQuery } from "@/domain/cuts/schema";
import { RecordingUid } from "@/domain/recordings/schema";
import { RecordingCut } from "@/server/features/cuts/resource";
import { createCutLink } from "@/server/features/cuts/service";
import { findRecording } from "@/server/features/recordings/service";
import { endpoint } from "@/server/transport/rest/endpoint";

export const cut = endpoint({
  method: "GET",
  path: "/fleet/recordings/{uid}/cut/",
  id: "recordings.cut",
  summary: "Get a link to a range of a recording",
  description:
    "The range is cut out while the link is downloaded: as `mcap`, `csv` (a table for each topic, several as a ZIP) or " +
    "`pictures` of cameras (a ZIP). `from` and `to` take nanoseconds since 1970 or ISO 8601, both included; `topics` a comma " +
    "list of at most 100. Default: all of it.",
  permission: ["fleet.read"],
  role: "member",
  params: RecordingUid,
  query: CutQuery,
  response: RecordingCut,
  exists: (ctx, params) => findRecording(ctx, params.uid),
  handler: async ({ ctx, params, query, publicUrl }) => {
    const link = await createCutLink(ctx, params.uid, query);
    return { ...link, download_url: new URL(link.download_url, publicUrl).href };
  },
});
