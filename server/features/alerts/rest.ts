import {
  AlertCountFilters,
  AlertFilters,
  AlertUid,
  AssignAlert,
  BulkAlerts,
  CommentFilters,
  CreateComment,
  ResolveAlert,
  SnoozeAlert,
} from "@/domain/alerts/schema";
import { createComment, listComments } from "@/server/features/alerts/comments-service";
import {
  Acknowledgement,
  AlertCounts,
  AlertDetail,
  AlertResource,
  BulkResult,
  CommentResource,
  TimelineEntry,
} from "@/server/features/alerts/resource";
import { countAlerts, getAlert, listAlerts } from "@/server/features/alerts/service";
import { acknowledgeAlert, reopenAlert, resolveAlert } from "@/server/features/alerts/state-service";
import { alertTimeline } from "@/server/features/alerts/timeline-queries";
import { assignAlert, bulkAlerts, snoozeAlert } from "@/server/features/alerts/triage-service";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof AlertUid> = (ctx, params) => getAlert(ctx, params.uid);
const filterNames = { device: "device_id", recording: "recording_id", rule: "rule_id", channel: "channel_id" };

export const list = endpoint({
  method: "GET",
  path: "/fleet/alerts/",
  id: "alerts.list",
  summary: "List alerts",
  description: "Newest first, without their evidence.",
  permission: ["fleet.read"],
  role: "member",
  query: AlertFilters,
  renames: filterNames,
  response: toPageSchema(AlertResource),
  handler: ({ ctx, query }) => listAlerts(ctx, query),
});

export const counts = endpoint({
  method: "GET",
  path: "/fleet/alerts/counts/",
  id: "alerts.counts",
  summary: "Count alerts by state",
  description: "What is silenced or snoozed counts there and nowhere else. Counting stops at `ceiling`.",
  permission: ["fleet.read"],
  role: "member",
  query: AlertCountFilters,
  renames: filterNames,
  response: AlertCounts,
  handler: ({ ctx, query }) => countAlerts(ctx, query),
});

export const bulk = endpoint({
  method: "POST",
  path: "/fleet/alerts/bulk/",
  id: "alerts.bulk",
  summary: "Update alerts in bulk",
  description:
    "Each alert on its own, with its result beside it: `acknowledge`, `resolve`, `reopen`, `assign` or `snooze`.",
  permission: ["fleet.write"],
  role: "member",
  body: BulkAlerts,
  renames: { resolution_note: "note" },
  response: BulkResult,
  handler: ({ ctx, body }) => bulkAlerts(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/fleet/alerts/{uid}/",
  id: "alerts.get",
  summary: "Get an alert",
  permission: ["fleet.read"],
  role: "member",
  params: AlertUid,
  response: AlertDetail,
  handler: ({ ctx, params }) => getAlert(ctx, params.uid),
});

export const acknowledge = endpoint({
  method: "POST",
  path: "/fleet/alerts/{uid}/acknowledge/",
  id: "alerts.acknowledge",
  summary: "Acknowledge an alert",
  description: "Again changes nothing; the first name is kept.",
  permission: ["fleet.write"],
  role: "member",
  params: AlertUid,
  response: Acknowledgement,
  handler: ({ ctx, params }) => acknowledgeAlert(ctx, params.uid),
});

export const resolve = endpoint({
  method: "POST",
  path: "/fleet/alerts/{uid}/resolve/",
  id: "alerts.resolve",
  summary: "Resolve an alert",
  permission: ["fleet.write"],
  role: "member",
  params: AlertUid,
  body: ResolveAlert,
  renames: { resolution_note: "note" },
  response: AlertDetail,
  exists,
  handler: ({ ctx, params, body }) => resolveAlert(ctx, params.uid, body),
});

export const reopen = endpoint({
  method: "POST",
  path: "/fleet/alerts/{uid}/reopen/",
  id: "alerts.reopen",
  summary: "Reopen an alert",
  description: "acknowledged → open, resolved → what it was before.",
  permission: ["fleet.write"],
  role: "member",
  params: AlertUid,
  response: AlertDetail,
  handler: ({ ctx, params }) => reopenAlert(ctx, params.uid),
});

export const assign = endpoint({
  method: "POST",
  path: "/fleet/alerts/{uid}/assign/",
  id: "alerts.assign",
  summary: "Assign an alert",
  description: "`assignee` is a username or user uid of the organization, `me`, or null.",
  permission: ["fleet.write"],
  role: "member",
  params: AlertUid,
  body: AssignAlert,
  response: AlertDetail,
  exists,
  handler: ({ ctx, params, body }) => assignAlert(ctx, params.uid, body),
});

export const snooze = endpoint({
  method: "POST",
  path: "/fleet/alerts/{uid}/snooze/",
  id: "alerts.snooze",
  summary: "Snooze an alert",
  description: "`until` is a time; null brings it back.",
  permission: ["fleet.write"],
  role: "member",
  params: AlertUid,
  body: SnoozeAlert,
  response: AlertDetail,
  exists,
  handler: ({ ctx, params, body }) => snoozeAlert(ctx, params.uid, body),
});

export const comments = endpoint({
  method: "GET",
  path: "/fleet/alerts/{uid}/comments/",
  id: "alerts.comments",
  summary: "List an alert's comments",
  description: "Oldest first.",
  permission: ["fleet.read"],
  role: "member",
  params: AlertUid,
  query: CommentFilters,
  response: toPageSchema(CommentResource),
  exists,
  handler: ({ ctx, params, query }) => listComments(ctx, params.uid, query),
});

export const comment = endpoint({
  method: "POST",
  path: "/fleet/alerts/{uid}/comments/",
  id: "alerts.comment",
  summary: "Comment on an alert",
  permission: ["fleet.write"],
  role: "member",
  params: AlertUid,
  body: CreateComment,
  response: CommentResource,
  status: 201,
  exists,
  handler: ({ ctx, params, body }) => createComment(ctx, params.uid, body),
});

export const timeline = endpoint({
  method: "GET",
  path: "/fleet/alerts/{uid}/timeline/",
  id: "alerts.timeline",
  summary: "Get an alert's timeline",
  description: "How it began, what people did and wrote, what was sent; oldest first, in one page.",
  permission: ["fleet.read"],
  role: "member",
  params: AlertUid,
  response: toPageSchema(TimelineEntry),
  handler: ({ ctx, params }) => alertTimeline(ctx, params.uid),
});
