import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Product } from "@/bench/product";
import { runMuster } from "@/faults/muster";
import type { Chance } from "@/faults/random";

/** Somebody of the organization with an API key. */
export interface Labeller {
  name: string;
  key: string;
}

/** What the product acknowledged to labellers. */
export interface LabelLedger {
  /** Who was given each task. */
  given: Map<string, Set<string>>;
  /** The left edges of the boxes that were saved, by the ids of their shapes, of each task. */
  drawn: Map<string, Map<string, number>>;
  /** The result of each task that was submitted. */
  results: Map<string, string>;
  /** Requests without an answer, or with a 503, which were sent again. */
  repeated: number;
  /** Answers that no fault of a server explains. */
  complaints: string[];
}

interface Given {
  task: { uid: string; assignee: string | null };
  lease: { token: string } | null;
  draft: { version: number; shapes: { id: string; coordinates: { x: number } }[] } | null;
  project: { labels: { id: string; name: string }[] };
}

export interface LabelScene {
  product: Product;
  project: string;
  ledger: LabelLedger;
  chance: Chance;
}

const giveUpMs = 120_000;

/** Signs somebody up, has them join the product's organization as a member, and makes a key for them there. */
export async function addLabeller({ url, call, databaseUrl, dataDir }: Product, name: string): Promise<Labeller> {
  const email = `${name}@example.com`;
  const post = async <T>(at: string, body: object, key = ""): Promise<T> => {
    const response = await fetch(`${url}/api/v1${at}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { "x-service-api-key": key }) },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${at} responded ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const [organization] = (await call<{ results: { slug: string }[] }>("GET", "/organizations/")).results;
  const slug = organization?.slug ?? "";
  const invited = { email, role: "member" };
  const { copy_link: link } = await call<{ copy_link: string }>("POST", `/organizations/${slug}/invitations/`, invited);
  const { api_key: own } = await post<{ api_key: string }>("/signup/", { email, password: "a long enough password" });
  await post(`/organizations/invitations/${link.split("/").at(-1)}/accept/`, { invited_email: email }, own);
  const made = await runMuster(["keys", "create", "--user", email, "--organization", slug, "--name", "faults"], {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
  });
  if (made.code !== 0) throw new Error(`no key was made: ${made.text}`);
  return { name, key: made.text.trim().split("\n").at(-1) ?? "" };
}

/**
 * Sends a request, and again until it has an answer that is no 503: what a page does with drafts and submissions.
 * Undefined for any other refusal, which becomes a complaint, and for 204.
 */
export async function send<T>(
  { product, ledger }: LabelScene,
  { name, key }: Labeller,
  [method, at]: readonly [string, string],
  body?: object,
): Promise<T | undefined> {
  for (const end = performance.now() + giveUpMs; performance.now() < end; ledger.repeated++, await sleep(200)) {
    try {
      const response = await fetch(`${product.url}/api/v1${at}`, {
        method,
        headers: { "content-type": "application/json", "x-service-api-key": key },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      });
      const text = await response.text();
      if (response.status === 204) return undefined;
      if (response.ok) return JSON.parse(text) as T;
      if (response.status === 503 && response.headers.has("retry-after")) continue;
      ledger.complaints.push(`${name}: ${method} ${at} responded ${response.status}: ${text.slice(0, 300)}`);
      return undefined;
    } catch {
      // No answer: what it did is unknown.
    }
  }
  ledger.complaints.push(`${name}: ${method} ${at} had no answer for ${giveUpMs / 1_000} s`);
  return undefined;
}

/** Draws boxes in a task that was given, in several requests, and submits it. */
async function label(scene: LabelScene, who: Labeller, { task, lease, draft, project }: Given): Promise<void> {
  const { ledger, chance } = scene;
  const given = ledger.given.get(task.uid) ?? new Set();
  ledger.given.set(task.uid, given.add(who.name));
  const drawn = ledger.drawn.get(task.uid) ?? new Map<string, number>();
  ledger.drawn.set(task.uid, drawn);
  const client = randomUUID();
  let version = draft?.version ?? 0;
  const [first] = project.labels;
  if (!lease || !first) return void ledger.complaints.push(`${who.name} was given ${task.uid} without lease or label`);
  const saves = 1 + Math.floor(chance.between(0, 3));
  for (let n = 1; n <= saves; n++) {
    const [id, x] = [randomUUID(), Math.floor(chance.between(0, 500))];
    const coordinates = { x, y: 10, width: 20, height: 20 };
    const shape = { id, label_id: first.id, type: "bbox", coordinates, position: drawn.size };
    const saved = await send<{ version: number }>(scene, who, ["PATCH", `/tasks/${task.uid}/draft/`], {
      lease: lease.token,
      client,
      n,
      base: version,
      ops: [{ op: "put", id, shape }],
    });
    if (!saved) return;
    version = saved.version;
    drawn.set(id, x);
  }
  const submission = { lease: lease.token, version, key: randomUUID() };
  const at = `/tasks/${task.uid}/draft/submit/`;
  const result = await send<{ uid: string }>(scene, who, ["POST", at], submission);
  if (result) ledger.results.set(task.uid, result.uid);
}

/** Labels until there is no task left. */
export async function labelAll(scene: LabelScene, who: Labeller): Promise<void> {
  for (let missed = 0; missed < 3;) {
    const given = await send<Given>(scene, who, ["POST", "/tasks/next/"], { project: scene.project });
    // A task may be locked for a moment by the transaction of a process that was killed.
    if (given) await label(scene, who, given);
    else await sleep(300);
    missed = given ? 0 : missed + 1;
  }
}

/** Finishes what the labeller was given without learning of it, as a second tab does: by taking it over. */
export async function labelRest(scene: LabelScene, who: Labeller): Promise<void> {
  const at = `/tasks/?project=${scene.project}&status=in_progress&limit=100`;
  const listed = await send<{ results: Given["task"][] }>(scene, who, ["GET", at]);
  for (const { uid, assignee } of listed?.results ?? []) {
    if (assignee !== who.name) continue;
    const lease = await send<{ token: string }>(scene, who, ["POST", `/tasks/${uid}/take-over/`]);
    const found = await send<Given>(scene, who, ["GET", `/tasks/${uid}/editor/`]);
    if (lease && found) await label(scene, who, { ...found, lease });
  }
}
