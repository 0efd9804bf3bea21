import { StartDemo } from "@/domain/demo/schema";
import { DemoStatus } from "@/server/demo/resource";
import { demoStatus, removeDemo, startDemo } from "@/server/demo/service";
import { endpoint } from "@/server/transport/rest/endpoint";

export const get = endpoint({
  method: "GET",
  path: "/fleet/demo/",
  id: "demo.get",
  summary: "Get the state of the demo fleet",
  description: "And how much of it is there.",
  permission: ["fleet.read"],
  role: "member",
  response: DemoStatus,
  handler: ({ ctx }) => demoStatus(ctx),
});

export const create = endpoint({
  method: "POST",
  path: "/fleet/demo/",
  id: "demo.create",
  summary: "Create the demo fleet",
  description: "In the background: robots with recordings, rules, alerts, a webhook, an agent and exports.",
  permission: ["fleet.write"],
  role: "admin",
  body: StartDemo,
  response: DemoStatus,
  status: 202,
  handler: ({ ctx, body }) => startDemo(ctx, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/demo/",
  id: "demo.delete",
  summary: "Remove the demo fleet",
  description: "Everything marked `demo`, with the files of its recordings, and its datasets and projects.",
  permission: ["fleet.write"],
  role: "admin",
  status: 204,
  handler: ({ ctx }) => removeDemo(ctx),
});
