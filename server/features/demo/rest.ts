import { removeDemo } from "@/server/features/demo/service";
import { endpoint } from "@/server/transport/rest/endpoint";

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/demo/",
  id: "demo.delete",
  summary: "Remove the demo fleet",
  description:
    "Everything marked `demo`: devices, groups, recordings with their files, rules, channels, silences and alerts.",
  permission: ["fleet.write"],
  role: "admin",
  status: 204,
  handler: ({ ctx }) => removeDemo(ctx),
});
