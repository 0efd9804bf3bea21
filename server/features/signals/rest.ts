import { SignalsQuery } from "@/domain/signals/schema";
import { querySignals } from "@/server/features/signals/query-service";
import { SignalsResult } from "@/server/features/signals/resource";
import { endpoint } from "@/server/transport/rest/endpoint";

export const query = endpoint({
  method: "POST",
  path: "/fleet/signals/query/",
  id: "signals.query",
  summary: "Query signals with SQL",
  description:
    "Topics are tables: `recording_id`, `device_id`, `device_name`, `log_time` (ns), its fields. At most 30 s, 512 MB, 2 GB read.",
  permission: ["fleet.read"],
  role: "member",
  changes: "nothing",
  body: SignalsQuery,
  response: SignalsResult,
  handler: ({ ctx, body, signal }) => querySignals(ctx, body, signal),
});
