import type { Prisma } from "@/server/platform/database/generated/client";
import { prisma } from "@/server/platform/db";
import { newUid, uuidv7 } from "@/server/platform/uid";
import { writeMetrics } from "@/server/testing/metric-rows";

const kinds = ["device", "group", "recording", "event", "rule", "channel", "alert", "silence"] as const;
const unprefixed = [
  "session",
  "ruleRun",
  "notification",
  "messageDefinition",
  "robotDescription",
  "capture",
  "share",
  "metric",
] as const;
export type FleetIds = Record<(typeof kinds)[number] | (typeof unprefixed)[number], string>;

export const fleetIds = (): FleetIds =>
  Object.fromEntries([
    ...kinds.map((kind) => [kind, newUid(kind)]),
    ...unprefixed.map((name) => [name, uuidv7()]),
  ]) as FleetIds;

const ns = 1_770_000_000_000_000_000n;

/** Creates one row of every kind from devices to silences, with `mark` in every field that can hold text. */
export async function seedFleet(input: {
  organizationId: string;
  mark: string;
  by: FleetIds;
  member: string;
}): Promise<void> {
  const { organizationId, mark, by, member } = input;
  const text = (field: string) => `${mark} ${field}`;
  const json: Prisma.InputJsonObject = { [mark]: text("json") };
  const { device: deviceId, recording: recordingId, rule: ruleId, alert: alertId, channel: channelId } = by;
  await prisma.metricMeaning.create({
    data: { organizationId, name: by.metric, deviceType: "", label: text("label"), unit: text("unit") },
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
  await writeMetrics(deviceId, [[Date.now(), { [by.metric]: text("state") }]]);
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
      uid: by.ruleRun,
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
      authorId: member,
      authorName: text("author"),
      body: text("comment"),
    },
  });
  await prisma.notification.create({
    data: {
      uid: by.notification,
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
  await prisma.messageDefinition.create({
    data: {
      uid: by.messageDefinition,
      organizationId,
      name: text("type"),
      format: "msg",
      text: text("definition"),
      createdByName: text("author"),
    },
  });
  await prisma.robotDescription.create({
    data: {
      uid: by.robotDescription,
      organizationId,
      deviceType: text("type"),
      status: "ready",
      storageKey: `robot-descriptions/${organizationId}/${by.robotDescription}`,
      sizeBytes: 22n,
      etag: '"00"',
      name: text("robot"),
      files: [{ path: text("robot.urdf"), size: 9, offset: 0, packed: 9, deflated: false }],
      missing: [text("mesh")],
      createdByName: text("author"),
    },
  });
  await prisma.recordingShare.create({
    data: {
      uid: by.share,
      organizationId,
      recordingId,
      fromNs: ns,
      toNs: ns + 1n,
      note: text("note"),
      tokenHash: text("share"),
      createdById: member,
      createdByName: text("author"),
      expiresAt: new Date("2099-01-01"),
    },
  });
  await prisma.alertCapture.create({
    data: {
      uid: by.capture,
      organizationId,
      alertId: by.alert,
      recordingId: by.recording,
      triggeredNs: 1n,
      findings: {
        lines: [{ time_ns: "1", topic: "/rosout", level: "error", node: "", text: text("line") }],
        errors: [],
        fix: null,
        notes: [],
      },
      expiresAt: new Date("2099-01-01"),
    },
  });
}
