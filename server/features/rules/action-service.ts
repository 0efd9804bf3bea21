import { describeCondition, describeHit } from "@/domain/conditions/describe";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { defaultSeverity } from "@/domain/events/event-type";
import type { Action } from "@/domain/rules/actions";
import { defaultAlertSeverity, severityRank, type Severity } from "@/domain/severity";
import { isoFromNs } from "@/domain/time/nanoseconds";
import type { Hit, RuleResult } from "@/engine/rules/evaluate";
import { raiseAlert } from "@/server/features/alerts/raise-service";
import { writeTags } from "@/server/features/devices/tag-queries";
import { replaceDerivedEvents, type DerivedEvent } from "@/server/features/events/derived-service";
import { startLabelling } from "@/server/features/models/labelling-service";
import type { ActionResult } from "@/server/features/rules/resource";
import type { ActiveRule } from "@/server/features/rules/scope-queries";
import { withUnits } from "@/server/features/rules/unit-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { announce } from "@/server/platform/realtime/changes";
import { storedJson, storedText } from "@/server/platform/stored-text";

const log = logFor("rules");

/** The recording that rules were evaluated on; the current transaction has locked its row. */
export interface Target {
  recordingId: string;
  device: { uid: string; name: string };
  /** The tags of the recording, including those that actions added so far. */
  tags: string[];
  demo: boolean;
}

export interface Applied {
  /** The run that applies a saved rule to past recordings; null in ordinary processing. */
  runId: string | null;
  /** False when alerts send no messages. */
  notify: boolean;
}

const maxTags = 100;
const reviewTag = "needs-review";

const isAlerting = (action: Action) => action.type === "notify" || action.type === "flag_for_review";
const highestSeverity = (given: readonly (Severity | undefined)[]): Severity | undefined =>
  given.reduce<Severity | undefined>(
    (highest, one) =>
      one !== undefined && (highest === undefined || severityRank(one) > severityRank(highest)) ? one : highest,
    undefined,
  );

/** The severity of a rule's alert: that of its alerting actions, else of its events, else a warning. */
export function alertSeverity(actions: readonly Action[]): Severity {
  const given = highestSeverity(
    actions.map((action) =>
      action.type === "notify" || action.type === "flag_for_review" ? action.severity : undefined,
    ),
  );
  const ofEvents = highestSeverity(
    actions.map((action) =>
      action.type === "create_event" ? (action.severity ?? defaultSeverity[action.event_type]) : undefined,
    ),
  );
  return given ?? ofEvents ?? defaultAlertSeverity;
}

/**
 * Runs `work` in a savepoint, so that its failure rolls back only its own statements. Returns why it failed, or null.
 */
async function attempt(tx: Ctx, what: string, work: () => Promise<void>): Promise<string | null> {
  await execute(tx, Prisma.sql`savepoint rule_action`);
  try {
    await work();
    await execute(tx, Prisma.sql`release savepoint rule_action`);
    return null;
  } catch (error) {
    await execute(tx, Prisma.sql`rollback to savepoint rule_action`);
    log.error({ err: error, what }, "an action of a rule failed");
    return "It failed for an unexpected reason; the other actions were carried out.";
  }
}

const storable = (value: Record<string, unknown>) => JSON.parse(storedJson(value)) as Record<string, unknown>;

const toEvents = (rule: ActiveRule, hits: readonly Hit[], runId: string | null): DerivedEvent[] =>
  rule.actions.flatMap((action) =>
    action.type !== "create_event"
      ? []
      : hits.map((hit) => ({
          type: action.event_type,
          severity: action.severity ?? defaultSeverity[action.event_type],
          label: action.label,
          timestampNs: hit.startedAt,
          durationNs: hit.endedAt - hit.startedAt,
          metadata: storable({
            rule_id: rule.uid,
            rule_version: rule.version,
            run_id: runId,
            value: hit.value,
            peak: hit.peak,
          }),
        })),
  );

/** A trigger as evidence describes it; `endedAt` is null while its episode goes on. */
type Triggered = Pick<Hit, "startedAt" | "triggeredAt" | "value" | "peak" | "evidence"> & { endedAt: bigint | null };

/** Where the dashboard shows a trigger: in a recording, or else on a page of the device. */
interface Shown {
  recordingId: string | null;
  link: string;
}

/** The evidence of an alert, for its row. */
export function buildEvidence(
  rule: ActiveRule,
  hit: Triggered,
  leaves: readonly LeafEvidence[],
  { recordingId, link }: Shown,
): Record<string, unknown> {
  return storable({
    ...hit.evidence,
    leaves,
    rule_version: rule.version,
    condition: describeCondition(rule.condition),
    value: hit.value,
    peak: hit.peak,
    started_at: isoFromNs(hit.startedAt),
    triggered_at: isoFromNs(hit.triggeredAt),
    ended_at: hit.endedAt === null ? null : isoFromNs(hit.endedAt),
    triggered_ns: String(hit.triggeredAt),
    recording_id: recordingId,
    link,
  });
}

/** Adds a tag to the recording. Returns why it is not possible, or null. */
function addTag(target: Target, tag: string): string | null {
  if (target.tags.includes(tag)) return null;
  if (target.tags.length >= maxTags) return `A recording carries at most ${maxTags} tags.`;
  target.tags.push(tag);
  return null;
}

const outcome = (type: string, failure: string | null, note?: string): ActionResult => {
  const detail = failure ?? note;
  return { type, ok: failure === null, ...(detail !== undefined && { detail }) };
};

/**
 * Executes a rule's actions for its triggers on one recording, in their order, each with a result of its own. A
 * failure, such as a deleted channel, is reported in the result and does not affect the other actions.
 */
export async function executeActions(
  tx: Ctx,
  target: Target,
  rule: ActiveRule,
  result: RuleResult,
  applied: Applied,
): Promise<ActionResult[]> {
  const [first] = result.hits;
  if (!first) return [];
  const { recordingId, device } = target;
  const where = { ruleId: rule.uid, recordingId, deviceId: device.uid };
  const channelIds = listChannels(rule);

  let eventFailure: string | null | undefined;
  const events = async () => {
    if (eventFailure !== undefined) return eventFailure;
    return (eventFailure = await attempt(tx, "create_event", () =>
      replaceDerivedEvents(tx, where, toEvents(rule, result.hits, applied.runId)),
    ));
  };

  let alert: { failure: string | null; missing: string[]; silenced: boolean; created: boolean } | undefined;
  const raised = async () => {
    if (alert) return alert;
    const response = { failure: null as string | null, missing: [] as string[], silenced: false, created: false };
    response.failure = await attempt(tx, "alert", async () => {
      const leaves = await withUnits(tx, recordingId, first.evidence.leaves);
      const { missingChannelIds, silenced, created } = await raiseAlert(tx, {
        rule: { uid: rule.uid, name: rule.name, version: rule.version },
        device,
        recordingId,
        severity: alertSeverity(rule.actions),
        message: storedText(describeHit(rule, { evidence: { leaves } }) || describeCondition(rule.condition)),
        triggeredNs: first.triggeredAt,
        evidence: buildEvidence(rule, first, leaves, {
          recordingId,
          link: `/recordings/${recordingId}?t=${isoFromNs(first.triggeredAt)}`,
        }),
        occurrenceCount: result.hits.length,
        channelIds,
        notify: applied.notify,
        demo: target.demo,
      });
      Object.assign(response, { missing: missingChannelIds, silenced, created });
    });
    return (alert = response);
  };

  const results: ActionResult[] = [];
  for (const action of rule.actions) {
    switch (action.type) {
      case "tag":
        results.push(outcome(action.type, addTag(target, action.value)));
        break;
      case "create_event":
        results.push(outcome(action.type, await events()));
        break;
      case "flag_for_review": {
        const { failure } = await raised();
        results.push(outcome(action.type, failure ?? addTag(target, reviewTag)));
        break;
      }
      case "notify": {
        const { failure, missing, silenced, created } = await raised();
        const missingChannel = missing.includes(action.channel_id) ? "The channel does not exist any more." : null;
        const note = !applied.notify
          ? "Not sent: the rule was applied to the past."
          : silenced
            ? "Not sent: silenced."
            : created
              ? undefined
              : "Not sent again: the alert was open already.";
        results.push(outcome(action.type, failure ?? missingChannel, note));
        break;
      }
      case "auto_label": {
        let unavailable: string | null = null;
        const failure = await attempt(tx, "auto_label", async () => {
          unavailable = await startLabelling(tx, { ruleId: rule.uid, recordingId, integrationUid: action.pipeline_id });
        });
        results.push(outcome(action.type, failure ?? unavailable));
      }
    }
  }
  return results;
}

/** The channels that a rule notifies. */
export const listChannels = (rule: ActiveRule): string[] => [
  ...new Set(rule.actions.flatMap((action) => (action.type === "notify" ? [action.channel_id] : []))),
];

/** Whether a rule's triggers open an alert. */
export const opensAlert = (rule: ActiveRule): boolean => rule.actions.some(isAlerting);
export const createsEvents = (rule: ActiveRule): boolean =>
  rule.actions.some((action) => action.type === "create_event");

/** Writes the recording's tags after actions added some. */
export async function writeTargetTags(tx: Ctx, target: Target): Promise<void> {
  await tx.db.recording.update({ where: { uid: target.recordingId }, data: { tags: target.tags } });
  await writeTags(tx, "recording", target.recordingId, target.tags);
  await announce(tx, "recording", target.recordingId, "updated");
}
