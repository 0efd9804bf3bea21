import { expect, test } from "vitest";
import { product, readText } from "@/server/testing/architecture/source-tree";

/** Which statements of features are limited to one organization by what stands beside them. */

/** Their rows are those of an object, or of uids, that a limited statement of the same call found. */
const ofFound = [
  "features/alerts/around-queries",
  "features/alerts/messages-queries",
  "features/alerts/offline-service",
  "features/bulk-edits/metadata-service",
  "features/bulk-edits/run-service",
  "features/captures/make-service",
  "features/channels/deliveries-service",
  "features/channels/queue-service",
  "features/conversions/stored-service",
  "features/datasets/examination-service",
  "features/datasets/item-deletion-service",
  "features/datasets/sequences-service",
  "features/datasets/sequencing-service",
  "features/devices/group-members-service",
  "features/devices/group-queries",
  "features/health/late-service",
  "features/health/list-service",
  "features/health/points-queries",
  "features/message-definitions/recording-service",
  "features/moments/undo-service",
  "features/processing/finish-service",
  "features/processing/progress-service",
  "features/projects/service",
  "features/recordings/pack-service",
  "features/rules/apply-service",
  "features/rules/live-points-queries",
  "features/rules/run-work-service",
  "features/slices/count-service",
  "features/tasks/result-service",
  "features/uploads/session-service",
  "features/webhooks/health-service",
  "features/webhooks/service",
  "read-models/storage/storage-list",
];

/** Parts and statements whose condition their callers build with the context. */
const ofCondition = [
  "features/exports/held-queries",
  "features/exports/json-queries",
  "features/exports/selection-queries",
  "features/exports/split-queries",
  "features/tasks/label-count-queries",
  "read-models/events/histogram",
  "read-models/items/facets",
  "read-models/items/vocabulary",
];

/** Jobs over all organizations, accounts, which belong to none, and statements that read no table. */
const overAll = [
  "features/accounts/mail-link-service",
  "features/accounts/second-factor-service",
  "features/accounts/session-service",
  "features/bulk-edits/sweep-service",
  "features/channels/delivery-service",
  "features/datasets/expiry-service",
  "features/datasets/item-counts-service",
  "features/exports/preview-service",
  "features/health/clear-service",
  "features/health/part-retention-service",
  "features/health/parts-service",
  "features/health/progress-service",
  "features/health/rollup-queries",
  "features/health/rollup-service",
  "features/membership/founding-service",
  "features/membership/invitation-service",
  "features/retention/batch-service",
  "features/retention/operator-service",
  "features/robot-descriptions/expiry-service",
  "features/secrets/rotation-service",
  "features/signals/queue-service",
  "features/silences/service",
  "features/tasks/kept-drafts-service",
  "features/webhooks/delivery-service",
  "read-models/items/count",
];

const beginning = /^(?:export )?(?:async )?(?:function\*?|const|class|abstract class) (\w+)/gm;
const statement = /Prisma\.sql`\s*(?:select|insert|update|delete|with)\b/;
/** Throws, or finds nothing, for an object of another organization. */
const guard = /\b(?:get|find|read|require|lock)[A-Z]\w*\(\s*(?:ctx|tx)\b/;
/** A condition that is made of the context, such as `${visibleResults(ctx)}`. */
const condition = /\$\{\w+\((?:ctx|tx)\b/;

/** The declarations of a file by name, with their texts. */
function listDeclarations(text: string): Map<string, string> {
  const starts = [...text.matchAll(beginning)];
  return new Map(starts.map(({ index, 1: name = "" }, at) => [name, text.slice(index, starts[at + 1]?.index)]));
}

/** The declarations with a statement that neither name the organization nor use one of the file that does. */
function listUnlimited(file: string): string[] {
  const declarations = listDeclarations(readText(file));
  const limited = new Set<string>();
  const isLimited = (body: string): boolean =>
    /organizationId|organization_id/.test(body) ||
    guard.test(body) ||
    condition.test(body) ||
    [...limited].some((name) => new RegExp(`\\b${name}\\b`).test(body));
  for (let before = -1; before < limited.size;) {
    before = limited.size;
    for (const [name, body] of declarations) if (isLimited(body)) limited.add(name);
  }
  return [...declarations].flatMap(([name, body]) => (statement.test(body) && !limited.has(name) ? [name] : []));
}

test("a statement is limited to the organization, beside it or by its caller, which is listed", () => {
  const files = product.filter((file) => /^server\/(features|read-models)\//.test(file));
  const unlimited = files.filter((file) => listUnlimited(file).length > 0);
  expect(unlimited).toEqual([...ofFound, ...ofCondition, ...overAll].map((name) => `server/${name}.ts`).sort());
});
