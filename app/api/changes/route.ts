import { app } from "@/server/composition/rest-app";
import { processWide } from "@/server/platform/process-wide";
import { listenForChanges } from "@/server/platform/realtime/changes";
import { mount } from "@/server/transport/http/mount";

export const dynamic = "force-dynamic";

/** Used only where Next itself listens, as in development: there nothing else has subscribed to changes. */
export const GET = mount((request) => {
  processWide("changesOfNext", listenForChanges);
  return app.fetch(request);
});
