import { randomBytes } from "node:crypto";
import { isForDevices } from "@/domain/permissions";
import { registry } from "@/server/composition/rest-registry";
import { seal, sha256 } from "@/server/platform/crypto";
import { prisma } from "@/server/platform/db";
import { processWide } from "@/server/platform/process-wide";
import { uuidv7 } from "@/server/platform/uid";
import { makeDevice, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { operations as selected } from "@/server/testing/operations";
import { request } from "@/server/testing/requests";
import { slugOfMark } from "@/server/testing/seed-data-loop";
import { seedOrganization, type Seeded } from "@/server/testing/seed-organization";
import type { Endpoint } from "@/server/transport/rest/endpoint";

/** An organization with an object for every operation of the registry, and another whose objects are foreign. */
export interface Fixture {
  /** Its owner is a member of staff, so that one key may call every operation. */
  org: TestOrganization;
  key: string;
  /** The token of a device of its own, for operations that only devices call. */
  deviceToken: string;
  /** The identifiers of this organization's objects: `device`, `dataset`, … */
  ids: Readonly<Record<Named, string>>;
  /** Those of the other organization. */
  foreign: Readonly<Record<Named, string>>;
}

export type Named =
  | keyof Seeded["by"]
  | "orgSlug"
  | "slug"
  | "membership"
  | "invitation"
  | "previewRun"
  | "webhook"
  | "delivery"
  | "replay"
  | "uploading"
  | "uploadSession"
  | "datasetSession"
  | "token"
  | "username";

/** The token of the lease of the task. */
export const leaseToken = "0".repeat(64);

/** The file of every unfinished upload. */
export const uploadedPath = "a.mcap";

/** Creates an object for every operation in an organization. */
export async function seedFixture(org: TestOrganization): Promise<Record<Named, string>> {
  const mark = unique("field");
  const { by } = await seedOrganization(org, mark);
  const slug = slugOfMark(mark);
  const where = { organizationId: org.uid };
  const create = async (path: string, body: unknown): Promise<{ uid: string }> => {
    const response = await request("POST", path, { key: org.key, body });
    if (response.status !== 201) throw new Error(`${path}: status ${response.status} ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const files = [{ path: uploadedPath, size_bytes: 1 }];
  // A service opens only what it sealed itself, so these objects are created by their services.
  const invitation = await create(`/organizations/${org.slug}/invitations/`, {
    email: `${unique()}@example.com`,
    role: "member",
  });
  await prisma.invitation.deleteMany({ where: { ...where, uid: { not: invitation.uid } } });
  const uploading = await create("/fleet/recordings/", { device_id: by.device });
  const upload = await create(`/fleet/recordings/${uploading.uid}/upload/init/`, { files });
  const datasetUpload = await create(`/datasets/${org.slug}/${slug}/upload/init/`, {
    files: [{ path: "a.png", size_bytes: 1 }],
  });
  await prisma.storageConfig.update({
    where: { uid: by.storageConfig },
    data: {
      // A blocked address, so that a test of the bucket fails before a packet is sent.
      endpointUrl: "https://127.0.0.1",
      credentialsSealed: seal(
        JSON.stringify({ accessKeyId: "key", secretAccessKey: "secret" }),
        `storage config ${org.uid} ${by.storageConfig}`,
      ),
    },
  });
  await prisma.ruleRun.updateMany({ where, data: { status: "running" } });

  const previewRun = uuidv7();
  await prisma.ruleRun.create({
    data: { uid: previewRun, organizationId: org.uid, kind: "preview", request: {}, status: "running" },
  });
  const [webhook, delivery, replay, membership, user] = await Promise.all([
    prisma.webhookSubscription.findFirstOrThrow({ where }),
    prisma.webhookDelivery.findFirstOrThrow({ where }),
    prisma.webhookReplay.findFirstOrThrow({ where }),
    prisma.membership.findFirstOrThrow({ where: { ...where, userId: by.user } }),
    prisma.user.findUniqueOrThrow({ where: { uid: by.user } }),
  ]);
  return {
    ...by,
    orgSlug: org.slug,
    slug,
    invitation: invitation.uid,

    previewRun,
    webhook: webhook.uid,
    delivery: delivery.uid,
    replay: replay.uid,
    membership: membership.uid,
    uploading: uploading.uid,
    uploadSession: upload.uid,
    datasetSession: datasetUpload.uid,
    token: await inviteTo(org),
    username: user.username,
  };
}

/** The token of an invitation that another organization sent to the owner of this one. */
async function inviteTo(org: TestOrganization): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const host = await makeOrganization();
  await prisma.invitation.create({
    data: {
      uid: uuidv7(),
      organizationId: host.uid,
      email: org.owner.email,
      role: "member",
      tokenHash: sha256(token),
      tokenSealed: "",
      expiresAt: new Date("2099-01-01"),
    },
  });
  return token;
}

/** One fixture for all test files whose requests are all refused. */
export async function sharedFixture(): Promise<Fixture> {
  const shared = processWide("badInputFixture", () => ({ current: makeFixture() }));
  const { uid } = (await shared.current).org.owner;
  // The tests of the first account delete every user of the worker's database.
  if (!(await prisma.user.findUnique({ where: { uid }, select: { uid: true } }))) shared.current = makeFixture();
  return shared.current;
}

export async function makeFixture(): Promise<Fixture> {
  const [org, other] = await Promise.all([makeOrganization({ staff: true }), makeOrganization()]);
  const [ids, foreign] = await Promise.all([seedFixture(org), seedFixture(other)]);
  await prisma.task.update({
    where: { uid: ids.task },
    data: { leaseUser: org.owner.uid, leaseHash: sha256(leaseToken), leaseUntil: new Date("2099-01-01") },
  });
  const { device_token: deviceToken } = await makeDevice(org);
  return { org, key: org.key, deviceToken, ids, foreign };
}

/** The credential by which the fixture's owner, or a device of theirs, may call an operation. */
export const credentialFor = (
  { key, deviceToken }: Fixture,
  { access }: Endpoint,
): { key: string } | { token: string } => (access && isForDevices(access) ? { token: deviceToken } : { key });

/** The object that `{uid}` names, by the start of the path; the first match counts. */
const subjects: readonly (readonly [string, Named])[] = [
  ["/organizations/{org_slug}/members/", "membership"],
  ["/organizations/{org_slug}/invitations/", "invitation"],
  ["/fleet/devices/", "device"],
  ["/fleet/groups/", "group"],
  ["/fleet/recordings/{uid}/upload/", "uploading"],
  ["/fleet/recordings/", "recording"],
  ["/fleet/events/", "event"],
  ["/fleet/alerts/channels/", "channel"],
  ["/fleet/alerts/", "alert"],
  ["/fleet/silences/", "silence"],
  ["/fleet/message-definitions/", "messageDefinition"],
  ["/fleet/robot-descriptions/", "robotDescription"],
  ["/fleet/rules/preview-runs/", "previewRun"],
  ["/fleet/rules/", "rule"],
  ["/webhooks/", "webhook"],
  ["/webhook-deliveries/", "delivery"],
  ["/webhook-replays/", "replay"],
  ["/datasets/{owner}/{slug}/items/", "item"],
  ["/datasets/{owner}/{slug}/moments/", "moment"],
  ["/datasets/{owner}/{slug}/sequences/", "sequence"],
  ["/slices/dataset/", "dataset"],
  ["/slices/{owner}/{slug}/", "slice"],
  ["/projects/", "project"],
  ["/results/", "result"],
  ["/tasks/", "task"],
  ["/issues/", "issue"],
  ["/work-batches/", "workBatch"],
  ["/agents/", "agent"],
  ["/imports/", "import"],
  ["/exports/", "export"],
  ["/models/runs/", "run"],
  ["/storage-configs/", "storageConfig"],
];

const byParameter: Readonly<Record<string, Named>> = {
  org_slug: "orgSlug",
  owner: "orgSlug",
  slug: "slug",
  name: "metric",
  token: "token",
  user_uid: "user",
  run_uid: "ruleRun",
  model_uid: "model",
  integration_uid: "integration",
};

/** Returns what a path parameter names, or null if it names no object (`version`). */
export function findSubject(endpoint: Endpoint, parameter: string): Named | null {
  if (parameter !== "uid") return byParameter[parameter] ?? null;
  return subjects.find(([start]) => endpoint.path.startsWith(start))?.[1] ?? null;
}

export const listParameters = (endpoint: Endpoint): string[] =>
  [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");

/** Returns the value with which a path parameter names this organization's object. */
export function getValue(endpoint: Endpoint, parameter: string, ids: Fixture["ids"]): string {
  const subject = findSubject(endpoint, parameter);
  return subject ? ids[subject] : "1";
}

/**
 * Returns the path of an operation on this organization's objects; `instead` overrides parameters with values that are
 * encoded for a URL.
 */
export function buildPath(
  endpoint: Endpoint,
  ids: Fixture["ids"],
  instead: Readonly<Record<string, string>> = {},
): string {
  return listParameters(endpoint).reduce(
    // A function, because a replacement text may hold `$&`.
    (path, name) => path.replace(`{${name}}`, () => instead[name] ?? getValue(endpoint, name, ids)),
    endpoint.path as string,
  );
}

/** Every operation by its method and path, as test titles. */
export const operations = selected.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);
export const withBody = operations.filter(([, endpoint]) => endpoint.body);
export const withQuery = operations.filter(([, endpoint]) => endpoint.query);
export const withKey = operations.filter(([, endpoint]) => endpoint.access);

export const operationNamed = (id: string): Endpoint => {
  const found = registry.find((endpoint) => endpoint.id === id);
  if (!found) throw new Error(`there is no operation ${id}`);
  return found;
};
