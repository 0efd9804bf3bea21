import { SaveDraft } from "@/domain/annotations/draft-schema";
import { HeldTask, NextTask } from "@/domain/tasks/labelling-schema";
import { TaskUid } from "@/domain/tasks/schema";
import { absoluteItem } from "@/server/features/datasets/absolute-urls";
import { getDraft, saveDraft } from "@/server/features/tasks/draft-service";
import { getTaskForEditor } from "@/server/features/tasks/editor-service";
import {
  DraftResource,
  LeaseResource,
  RenewedLease,
  SavedDraft,
  TaskForEditor,
} from "@/server/features/tasks/labelling-resource";
import { releaseTask, renewLease } from "@/server/features/tasks/lease-service";
import { nextTask } from "@/server/features/tasks/next-service";
import { takeOverTask } from "@/server/features/tasks/open-service";
import { TaskResource } from "@/server/features/tasks/resource";
import { requireWorkableTask } from "@/server/features/tasks/service";
import { endpoint } from "@/server/transport/rest/endpoint";

const withLinks = (found: TaskForEditor, publicUrl: string): TaskForEditor => ({
  ...found,
  item: absoluteItem(found.item, publicUrl),
});

export const next = endpoint({
  method: "POST",
  path: "/tasks/next/",
  id: "tasks.next",
  summary: "Get the next task",
  description: "Leases it to the caller for 30 minutes; 204 when there is none.",
  permission: ["projects.write"],
  role: "member",
  leased: true,
  body: NextTask,
  response: TaskForEditor,
  alternatives: [204],
  handler: async ({ ctx, body, setStatus, publicUrl }) => {
    const found = await nextTask(ctx, body);
    if (!found) setStatus(204);
    return found && withLinks(found, publicUrl);
  },
});

export const editor = endpoint({
  method: "GET",
  path: "/tasks/{uid}/editor/",
  id: "tasks.editor",
  summary: "Get what an editor shows of a task",
  permission: ["projects.read", "tasks.read"],
  role: "member",
  leased: true,
  params: TaskUid,
  response: TaskForEditor,
  handler: async ({ ctx, params, publicUrl }) => withLinks(await getTaskForEditor(ctx, params.uid), publicUrl),
});

export const takeOver = endpoint({
  method: "POST",
  path: "/tasks/{uid}/take-over/",
  id: "tasks.take-over",
  summary: "Take over the lease of a task",
  description: "Of one's own, or of anybody as an admin.",
  permission: ["projects.write"],
  role: "member",
  leased: true,
  params: TaskUid,
  response: LeaseResource,
  handler: ({ ctx, params }) => takeOverTask(ctx, params.uid),
});

export const renew = endpoint({
  method: "POST",
  path: "/tasks/{uid}/renew/",
  id: "tasks.renew",
  frequent: true,
  summary: "Renew the lease of a task",
  permission: ["projects.write"],
  role: "member",
  leased: true,
  params: TaskUid,
  body: HeldTask,
  response: RenewedLease,
  exists: (ctx, params) => requireWorkableTask(ctx, params.uid),
  handler: ({ ctx, params, body }) => renewLease(ctx, params.uid, body),
});

export const draft = endpoint({
  method: "GET",
  path: "/tasks/{uid}/draft/",
  id: "tasks.draft",
  summary: "Get the draft of a task",
  permission: ["projects.read", "tasks.read"],
  role: "member",
  leased: true,
  params: TaskUid,
  response: DraftResource,
  handler: ({ ctx, params }) => getDraft(ctx, params.uid),
});

export const save = endpoint({
  method: "PATCH",
  path: "/tasks/{uid}/draft/",
  id: "tasks.save-draft",
  summary: "Change the draft of a task",
  description: "Renews the lease. Changes that arrive again are ignored.",
  permission: ["projects.write"],
  role: "member",
  leased: true,
  params: TaskUid,
  body: SaveDraft,
  response: SavedDraft,
  exists: (ctx, params) => requireWorkableTask(ctx, params.uid),
  handler: ({ ctx, params, body }) => saveDraft(ctx, params.uid, body),
});

export const release = endpoint({
  method: "POST",
  path: "/tasks/{uid}/release/",
  id: "tasks.release",
  summary: "Give a task back",
  permission: ["projects.write"],
  role: "member",
  leased: true,
  params: TaskUid,
  body: HeldTask,
  response: TaskResource,
  exists: (ctx, params) => requireWorkableTask(ctx, params.uid),
  handler: ({ ctx, params, body }) => releaseTask(ctx, params.uid, body),
});
