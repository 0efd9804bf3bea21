import type { Prisma } from "@/server/platform/database/generated/client";
import { prisma } from "@/server/platform/db";
import { newUid, uuidv7 } from "@/server/platform/uid";
import { addMember, makeKey, type TestOrganization } from "@/server/testing/factories";
import { dataLoopIds, seedDataLoop, slugOfMark, type DataLoopIds } from "@/server/testing/seed-data-loop";

/**
 * What an organization was filled with: every identifier, those a body names, and the lists in which its owner finds
 * the mark.
 */
export interface Seeded {
  ids: string[];
  by: Record<
    "device" | "group" | "recording" | "event" | "rule" | "channel" | "alert" | "silence" | "user" | "session",
    string
  > &
    DataLoopIds;
  /** What stands in addresses in place of an identifier. */
  slugs: string[];
  lists: string[];
}

const ns = 1_770_000_000_000_000_000n;

/** One row of every kind, with `mark` in every field that can hold text. */
export async function seedOrganization(organization: TestOrganization, mark: string): Promise<Seeded> {
  const organizationId = organization.uid;
  const text = (field: string) => `${mark} ${field}`;
  const json: Prisma.InputJsonObject = { [mark]: text("json") };
  const by = {
    device: newUid("device"),
    group: newUid("group"),
    recording: newUid("recording"),
    event: newUid("event"),
    rule: newUid("rule"),
    channel: newUid("channel"),
    alert: newUid("alert"),
    silence: newUid("silence"),
    user: "",
    session: uuidv7(),
    ...dataLoopIds(),
  };
  const member = await addMember(organization);
  by.user = member.uid;
  await makeKey(organization, member, { name: text("key") });
  const invitation = uuidv7();
  const run = uuidv7();
  const notification = uuidv7();
  const view = uuidv7();
  const webhook = uuidv7();
  const delivery = uuidv7();
  const { device: deviceId, recording: recordingId, rule: ruleId, alert: alertId, channel: channelId } = by;

  await prisma.invitation.create({
    data: {
      uid: invitation,
      organizationId,
      email: `${mark.toLowerCase()}@example.com`,
      role: "member",
      tokenHash: `${mark} token`,
      tokenSealed: text("sealed"),
      expiresAt: new Date("2099-01-01"),
    },
  });
  await prisma.device.create({
    data: {
      uid: deviceId,
      organizationId,
      name: text("device"),
      type: text("type"),
      tags: [text("tag")],
      firmwareVersion: text("firmware"),
      metadata: json,
      metrics: json,
      tokenHash: text("hash"),
      tokenLastFour: "mark",
    },
  });
  await prisma.deviceTag.create({ data: { organizationId, tag: text("tag"), deviceId } });
  await prisma.deviceGroup.create({
    data: { uid: by.group, organizationId, name: text("group"), description: text("description") },
  });
  await prisma.deviceGroupMember.create({ data: { groupId: by.group, deviceId } });
  await prisma.recording.create({
    data: {
      uid: recordingId,
      organizationId,
      deviceId,
      deviceName: text("device"),
      name: text("recording"),
      status: "ready",
      warnings: [text("warning")],
      tags: [text("tag")],
      startedAt: new Date("2026-01-01"),
      endedAt: new Date("2026-01-02"),
      startNs: ns,
      endNs: ns + 1_000_000_000n,
      topicCount: 1,
    },
  });
  await prisma.uploadSession.create({
    data: {
      uid: by.session,
      organizationId,
      recordingId,
      status: "finalized",
      filesHash: text("hash"),
      prefix: text("prefix"),
      totalFiles: 1,
      totalBytes: 1n,
    },
  });
  await prisma.storedFile.create({
    data: {
      uid: uuidv7(),
      organizationId,
      sessionId: by.session,
      recordingId,
      path: text("file.mcap"),
      storageKey: `recordings/${mark}`,
      sizeBytes: 1n,
      etag: text("etag"),
      confirmedAt: new Date(),
    },
  });
  await prisma.topic.create({
    data: {
      recordingId,
      name: `/${mark}`,
      organizationId,
      deviceId,
      schemaName: text("schema"),
      encoding: "cdr",
      messageCount: 1n,
      frequencyHz: 1,
      fields: [{ path: text("field"), kind: "number" }],
    },
  });
  await prisma.event.create({
    data: {
      uid: by.event,
      organizationId,
      recordingId,
      deviceId,
      type: "custom",
      severity: "info",
      label: text("event"),
      description: text("description"),
      timestampNs: ns,
      tags: [text("tag")],
      metadata: json,
      source: "user",
    },
  });
  const condition = { type: "threshold", topic: `/${mark}`, field: text("field"), operator: "gt", value: 1 };
  const actions = [{ type: "notify", channel_id: channelId }];
  await prisma.rule.create({
    data: {
      uid: ruleId,
      organizationId,
      name: text("rule"),
      description: text("description"),
      conditionType: "threshold",
      condition,
      actions,
      updatedByName: text("author"),
    },
  });
  await prisma.ruleVersion.create({ data: { ruleId, version: 1, condition, actions, note: text("note") } });
  await prisma.ruleEvaluation.create({
    data: { ruleId, recordingId, organizationId, deviceId, version: 1, status: "evaluated", reason: text("reason") },
  });
  await prisma.ruleHit.create({
    data: {
      ruleId,
      recordingId,
      organizationId,
      deviceId,
      position: 0,
      startedNs: ns,
      triggeredNs: ns,
      endedNs: ns,
      evidence: json,
    },
  });
  await prisma.ruleRun.create({
    data: {
      uid: run,
      organizationId,
      ruleId,
      ruleVersion: 1,
      kind: "apply",
      request: json,
      result: json,
      status: "completed",
    },
  });
  await prisma.channel.create({
    data: {
      uid: channelId,
      organizationId,
      name: text("channel"),
      type: "email",
      config: { recipients: [`${mark}@example.com`] },
    },
  });
  await prisma.alert.create({
    data: {
      uid: alertId,
      organizationId,
      ruleId,
      ruleName: text("rule"),
      ruleVersion: 1,
      deviceId,
      deviceName: text("device"),
      recordingId,
      severity: "critical",
      severityRank: 3,
      message: text("alert"),
      evidence: json,
      dedupeKey: `${ruleId}|${deviceId}|${recordingId}`,
      triggeredAt: new Date("2026-01-01"),
      triggeredNs: ns,
      note: text("note"),
    },
  });
  await prisma.alertComment.create({
    data: {
      uid: uuidv7(),
      organizationId,
      alertId,
      authorId: member.uid,
      authorName: text("author"),
      body: text("comment"),
    },
  });
  await prisma.notification.create({
    data: {
      uid: notification,
      organizationId,
      channelId,
      alertId,
      event: "alert.triggered",
      status: "delivered",
      dedupeKey: text("dedupe"),
      payload: json,
      error: text("error"),
    },
  });
  await prisma.silence.create({
    data: {
      uid: by.silence,
      organizationId,
      matchers: { device_ids: [deviceId] },
      reason: text("reason"),
      ticket: text("ticket"),
      createdByName: text("author"),
      startsAt: new Date("2026-01-01"),
      endsAt: new Date("2099-01-01"),
    },
  });
  await prisma.webhookSubscription.create({
    data: {
      uid: webhook,
      organizationId,
      targetUrl: `https://example.com/${mark}`,
      normalizedUrl: `https://example.com/${mark}`,
      events: ["dataset.created"],
      secretSealed: text("sealed"),
    },
  });
  await prisma.webhookDelivery.create({
    data: {
      uid: delivery,
      organizationId,
      subscriptionId: webhook,
      eventType: "dataset.created",
      payload: json,
      status: "failed",
      responseBody: text("response"),
      error: text("error"),
    },
  });
  await prisma.webhookAttempt.create({
    data: {
      uid: uuidv7(),
      deliveryId: delivery,
      startedAt: new Date("2026-01-01"),
      durationMs: 1,
      ok: false,
      response: text("response"),
    },
  });
  await seedDataLoop({ organizationId, mark, by, member: member.uid });
  await prisma.savedView.create({
    data: {
      uid: view,
      organizationId,
      ownerId: member.uid,
      ownerName: text("owner"),
      screen: "devices",
      name: text("view"),
      query: text("query"),
      shared: true,
    },
  });
  await prisma.auditEntry.create({
    data: {
      uid: uuidv7(),
      organizationId,
      actorType: "user",
      actorId: member.uid,
      actorName: text("actor"),
      action: "device.updated",
      targetType: "device",
      targetId: deviceId,
      targetName: text("device"),
      before: json,
      after: json,
    },
  });

  return {
    ids: [...Object.values(by), invitation, run, notification, view, webhook, delivery, organization.slug, "1"],
    by,
    slugs: [organization.slug, slugOfMark(mark)],
    lists: [
      "/fleet/devices/",
      `/fleet/devices/${deviceId}/`,
      "/fleet/groups/",
      "/fleet/recordings/",
      `/fleet/recordings/${recordingId}/`,
      "/fleet/events/",
      "/fleet/rules/",
      "/fleet/alerts/",
      `/fleet/alerts/${alertId}/`,
      "/fleet/alerts/channels/",
      "/fleet/silences/",
      "/webhooks/",
      "/webhook-deliveries/",
      `/webhook-deliveries/${delivery}/`,
      "/datasets/",
      `/datasets/${organization.slug}/${slugOfMark(mark)}/items/`,
      `/datasets/${organization.slug}/${slugOfMark(mark)}/sequences/`,
      `/slices/${organization.slug}/list/`,
      `/slices/${organization.slug}/${slugOfMark(mark)}/items/list/`,
      `/projects/${organization.slug}/`,
      "/tasks/",
      `/tasks/${by.task}/results/`,
      "/storage-configs/",
      "/exports/",
      "/models/",
      `/models/${by.model}/integrations/`,
      "/models/runs/",
      "/agents/",
      `/agents/${by.agent}/executions/`,
    ],
  };
}
