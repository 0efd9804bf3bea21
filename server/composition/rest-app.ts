import { registry } from "@/server/composition/rest-registry";
import { filesRouter } from "@/server/transport/files/files-router";
import { defaultMaxBodyBytes } from "@/server/transport/rest/body";
import { restRouter } from "@/server/transport/rest/router";
import { changesRouter } from "@/server/transport/sse/changes-stream";

/**
 * Everything that Next is not asked for (REST API, changes, files) as a fetch handler: mounted by server/main.ts, by
 * Next's catch-all route, and called by tests.
 */
export const app = restRouter(registry).route("/", changesRouter).route("/", filesRouter);

/** The largest body that any operation takes, in bytes: what the server in front may let through to all of them. */
export const maxBodyBytes = Math.max(defaultMaxBodyBytes, ...registry.map((endpoint) => endpoint.maxBodyBytes ?? 0));
