import type { Change } from "@/domain/changes";
import { hasRole } from "@/domain/permissions";
import { endLostWork } from "@/server/features/membership/lost-access-service";
import { findVisible, isObjectKind, type ObjectKind } from "@/server/features/membership/object-visibility-queries";
import type { Ctx } from "@/server/platform/context";
import { announce } from "@/server/platform/realtime/changes";

/** The context of a member who is assigned to nothing: what they see, everybody in the organization does. */
const asAnyMember = (ctx: Ctx): Ctx => ({
  ...ctx,
  actor: { ...ctx.actor, userId: null },
  permissions: { ...ctx.permissions, role: "member" },
});

const isSeenByAll = async (ctx: Ctx, kind: ObjectKind, uid: string): Promise<boolean> =>
  (await findVisible(asAnyMember(ctx), kind, [uid])).has(uid);

/** Announces a deletion, before the row is deleted: to everybody if every member sees the object, or else to admins. */
export async function announceDeletion(tx: Ctx, kind: "dataset" | "slice" | "export", uid: string): Promise<void> {
  await announce(tx, kind, uid, "deleted", (await isSeenByAll(tx, kind, uid)) ? undefined : "admins");
}

/** The kinds of which somebody sees more or fewer after a dataset or project was assigned to them or taken from them. */
const hanging = ["dataset", "slice", "project", "export", "webhook", "agent"] as const;

/**
 * Announces, to a user or to everybody, that they see other datasets or projects than before; names none. Work ends on what
 * they do not see any more.
 */
export async function announceAccess(tx: Ctx, user?: string): Promise<void> {
  for (const kind of hanging) await announce(tx, kind, "", "updated", user === undefined ? undefined : { user });
  await endLostWork(tx);
}

/** The answers for the changes that streams report now, so that one search serves all streams of an organization. */
const known = new WeakMap<Change, Promise<boolean>>();

async function isChangeForAll(ctx: Ctx, change: Change, kind: ObjectKind): Promise<boolean> {
  const answer = known.get(change) ?? isSeenByAll(ctx, kind, change.uid);
  known.set(change, answer);
  return answer;
}

/** Those of the changes of which the caller is notified, in their order: the object is one that they see. */
export async function selectReported<Each extends Change>(ctx: Ctx, changes: readonly Each[]): Promise<Each[]> {
  if (hasRole(ctx.permissions, "admin")) {
    return changes.filter(({ audience }) => typeof audience !== "object" || audience.user === ctx.actor.userId);
  }
  const [only] = changes;
  if (changes.length === 1 && only && isLookedUp(only) && (await isChangeForAll(ctx, only, only.kind))) return [only];
  const asked = changes.filter(isLookedUp);
  const seen = new Map<ObjectKind, ReadonlySet<string>>();
  for (const kind of new Set(asked.map((change) => change.kind))) {
    const uids = asked.filter((change) => change.kind === kind).map(({ uid }) => uid);
    seen.set(kind, await findVisible(ctx, kind, [...new Set(uids)]));
  }
  return changes.filter((change) => {
    if (change.audience !== undefined) return change.audience !== "admins" && change.audience.user === ctx.actor.userId;
    return !isLookedUp(change) || seen.get(change.kind)?.has(change.uid) === true;
  });
}

/** Whether the object decides who is notified: it exists, and is of a kind that not everybody sees. */
const isLookedUp = <Each extends Change>(change: Each): change is Each & { kind: ObjectKind & Change["kind"] } =>
  change.audience === undefined && change.uid !== "" && change.action !== "deleted" && isObjectKind(change.kind);
