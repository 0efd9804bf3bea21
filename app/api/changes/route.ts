import { listenForChanges } from "@/server/changes";
import { processWide } from "@/server/process-wide";
import { app } from "@/server/rest/app";

export const dynamic = "force-dynamic";

/** Asked only where Next itself listens, as in development: there nothing else has begun to hear of changes. */
export function GET(request: Request) {
  processWide("changesOfNext", listenForChanges);
  return app.fetch(request);
}
