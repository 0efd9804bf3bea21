import { listenForChanges } from "@/server/changes";
import { processWide } from "@/server/process-wide";
import { app } from "@/server/rest/app";
import { mount } from "@/server/rest/https";

export const dynamic = "force-dynamic";

/** Asked only where Next itself listens, as in development: there nothing else has begun to hear of changes. */
export const GET = mount((request) => {
  processWide("changesOfNext", listenForChanges);
  return app.fetch(request);
});
