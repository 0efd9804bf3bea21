"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useRef, useState, type ReactNode } from "react";
import { plural } from "@/components/kit/format";
import { useLatest } from "@/components/kit/latest";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { Progress } from "@/components/kit/progress";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import type { Matchers } from "@/components/silences/query";
import { useTRPC, useTRPCClient, type Inputs } from "@/components/trpc/client";
import type { InboxTab } from "@/domain/alerts/lifecycle";
import { FailureDialog, type Failures } from "./dialogs/failure-dialog";
import type { Alert, Target } from "./query";
import { ResolveDialog } from "./resolve-dialog";
import { offerSilence } from "./silence-matchers";
import { buildUndo, type Action, type Result } from "./triage-undo";

// Fetched when something is silenced.
const SilenceDialog = lazyDialog(async () => (await import("@/components/silences/silence-dialog")).SilenceDialog);

export interface TriageOptions {
  /** The list's filters; actions on groups use them. */
  tab: InboxTab;
  filters: Inputs["alerts"]["inboxCounts"];
  /** The newest alert the person has seen; a group's later ones are left alone. */
  newest: string | null;
  /** Called with the targets before they leave the list. */
  onLeave?: (targets: readonly Target[]) => void;
  /** Called with the targets of a step that was undone, once the list has them again. */
  onRestore?: (targets: readonly Target[]) => void;
}

/** A step that can be undone, by its toast or, the last first, by key. */
interface Step {
  at: number;
  undo: () => Promise<void>;
}

const undoMs = 10_000;
/** How many alerts one request changes: each takes a moment, and the server takes 1,000 at most. */
const partSize = 500;

const toParts = (uids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(uids.length / partSize) }, (_, at) => uids.slice(at * partSize, (at + 1) * partSize));

const doneLabels: Record<Action["action"], string> = {
  acknowledge: "Acknowledged",
  resolve: "Resolved",
  reopen: "Reopened",
  assign: "Assigned",
  snooze: "Snoozed",
};

const doingLabels: Record<Action["action"], string> = {
  acknowledge: "Acknowledging",
  resolve: "Resolving",
  reopen: "Reopening",
  assign: "Assigning",
  snooze: "Snoozing",
};

export const countAlerts = (targets: readonly Target[]): number =>
  targets.reduce((sum, target) => sum + (target.kind === "group" ? target.group.count : 1), 0);

export const targetKey = (target: Target): string =>
  target.kind === "alert" ? target.alert.uid : `g:${target.group.key}`;
const formatName = (alert: Pick<Alert, "rule_name" | "device_name">) => `${alert.rule_name} on ${alert.device_name}`;

function formatTitle(targets: readonly Target[], count: number): string {
  const [only] = targets;
  if (targets.length === 1 && only?.kind === "alert") return formatName(only.alert);
  return plural(count, "alert");
}

/** Which actions take an alert out of which tab. */
const leaves: Record<InboxTab, readonly Action["action"][]> = {
  open: ["acknowledge", "resolve", "snooze"],
  acknowledged: ["resolve", "reopen", "snooze"],
  resolved: ["reopen"],
  silenced: ["resolve"],
};

/** What can be done with alerts, for the inbox, its drawer and an alert's page: each step can be undone. */
export function useTriage({ tab, filters, newest, onLeave, onRestore }: TriageOptions) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal();
  const steps = useRef<readonly Step[]>([]);
  const sending = useRef<Promise<unknown>>(Promise.resolve());
  const restore = useLatest(onRestore ?? (() => {}));
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set());
  const [resolving, setResolving] = useState<readonly Target[]>([]);
  const [silencing, setSilencing] = useState<Matchers | null>(null);
  const [failures, setFailures] = useState<Failures | null>(null);
  const [progress, setProgress] = useState<{ label: string; share: number } | null>(null);
  const refresh = () => queryClient.invalidateQueries(trpc.alerts.pathFilter());

  /** Shows how far a step is that takes several requests. */
  const follow = (label: string, total: number) => (done: number) => {
    if (total > partSize) setProgress({ label, share: Math.min(1, done / total) });
  };

  /** A part of them at a time; an error after the first part ends it with what was done. */
  const send = async (
    targets: readonly Target[],
    action: Action,
    onPart: (done: number) => void,
  ): Promise<{ result: Result; stopped: { error: unknown } | null }> => {
    const results: Result["results"] = [];
    const take = (part: Result) => {
      results.push(...part.results);
      onPart(results.length);
    };
    let stopped: { error: unknown } | null = null;
    try {
      const uids = targets.flatMap((target) => (target.kind === "alert" ? [target.alert.uid] : []));
      for (const part of toParts(uids)) take(await client.alerts.bulk.mutate({ ...action, uids: part }));
      for (const target of targets) {
        if (target.kind === "alert") continue;
        const key = target.by === "rule" ? "rule_id" : "device_id";
        const matching = { tab, filters: { ...filters, [key]: target.group.key }, newest: newest ?? undefined };
        let cursor: string | undefined;
        do {
          const part = await client.alerts.bulkMatching.mutate({ ...action, ...matching, limit: partSize, cursor });
          take(part);
          cursor = part.next ?? undefined;
        } while (cursor !== undefined);
      }
    } catch (error) {
      if (results.length === 0) throw error;
      stopped = { error };
    }
    const succeeded = results.filter((each) => each.ok).length;
    return { result: { results, succeeded, failed: results.length - succeeded }, stopped };
  };

  const sendBack = async (change: Action, uids: string[]): Promise<void> => {
    const onPart = follow(`Undoing ${plural(uids.length, "change")}`, uids.length);
    let done = 0;
    for (const part of toParts(uids)) {
      onPart(done);
      await client.alerts.bulk.mutate({ ...change, uids: part });
      done += part.length;
    }
  };

  /** Offers to undo a step once, by its toast or by key; `left` are the targets that it took out of the list. */
  const offerUndo = (title: string, undo: () => Promise<unknown>, left: readonly Target[] = []) => {
    const step: Step = {
      at: Date.now(),
      undo: async () => {
        if (!steps.current.includes(step)) return;
        steps.current = steps.current.filter((each) => each !== step);
        dismiss();
        await attempt();
      },
    };
    const attempt = async () => {
      try {
        await undo();
        await refresh();
        toast.success(`Undone: ${title.charAt(0).toLowerCase()}${title.slice(1)}`);
        if (left.length > 0) restore(left);
      } catch (error) {
        toast.failure(error, { title: "This could not be undone", onRetry: () => void attempt() });
      } finally {
        setProgress(null);
      }
    };
    steps.current = [...steps.current.filter(({ at }) => step.at - at < undoMs), step];
    const dismiss = toast.undo(title, () => void step.undo());
  };

  /** Sends a step, offers to undo it, and reports what failed. Never rejects. */
  const perform = async (targets: readonly Target[], action: Action, left: readonly Target[]): Promise<void> => {
    const total = countAlerts(targets);
    try {
      const onPart = follow(`${doingLabels[action.action]} ${plural(total, "alert")}`, total);
      onPart(0);
      const { result, stopped } = await send(targets, action, onPart);
      const title = `${doneLabels[action.action]} ${formatTitle(targets, result.succeeded)}`;
      const undo = buildUndo(targets, action, result);
      if (stopped) {
        const rest = Math.max(total - result.results.length, 1);
        const answered = new Set(result.results.map(({ uid }) => uid));
        // What a group still holds is asked again; alerts that were answered would be refused.
        const unsent = targets.filter((each) => each.kind === "group" || !answered.has(each.alert.uid));
        toast.failure(stopped.error, {
          title: `${plural(rest, "alert")} ${rest === 1 ? "was" : "were"} left`,
          onRetry: () => void run(unsent, action),
        });
      }
      if (result.succeeded > 0 && undo) offerUndo(title, () => undo(sendBack), left);
      else if (result.succeeded > 0) toast.success(title);
      else if (result.failed === 0)
        toast.success("Nothing was left to do", { description: "Someone else had already done it." });
      if (result.failed > 0) setFailures({ action: action.action, result, names: listNames(targets) });
    } catch (error) {
      toast.failure(error, { title: "Nothing was changed", onRetry: () => void run(targets, action) });
    } finally {
      setProgress(null);
    }
  };

  const run = async (targets: readonly Target[], action: Action): Promise<void> => {
    if (targets.length === 0) return;
    const left = leaves[tab].includes(action.action) ? targets : [];
    const keys = left.map(targetKey);
    if (keys.length > 0) {
      onLeave?.(targets);
      setLeaving((before) => new Set([...before, ...keys]));
    }
    const performed = perform(targets, action, left);
    sending.current = Promise.all([sending.current, performed]);
    await performed;
    await refresh();
    setLeaving((before) => new Set([...before].filter((key) => !keys.includes(key))));
  };

  /** Undoes the last step, also one whose response is still awaited. */
  const undoLast = async (): Promise<void> => {
    await sending.current;
    const step = steps.current.findLast(({ at }) => Date.now() - at < undoMs);
    if (step) await step.undo();
    else toast.success("Nothing to undo");
  };

  const dialogs: ReactNode = (
    <>
      {resolving.length > 0 && (
        <ResolveDialog
          title={formatTitle(resolving, countAlerts(resolving))}
          onClose={() => setResolving([])}
          onResolve={({ note, reason }) => {
            setResolving([]);
            void run(resolving, { action: "resolve", note, reason });
          }}
        />
      )}
      <Suspense>
        {silencing && (
          <SilenceDialog
            open
            onClose={() => setSilencing(null)}
            matchers={silencing}
            onCreated={(silence) => {
              void refresh();
              offerUndo("Silenced", () => client.silences.expire.mutate({ uid: silence.uid }));
            }}
          />
        )}
      </Suspense>
      {failures && <FailureDialog failures={failures} onClose={() => setFailures(null)} />}
      {progress && (
        // At the top, where neither toasts nor buttons are.
        <div className="fixed top-14 left-1/2 z-35 w-80 max-w-[calc(100vw-2rem)] -translate-x-1/2 rounded-panel bg-raised p-4 shadow-float">
          <Progress {...progress} showLabel />
        </div>
      )}
    </>
  );

  return {
    tab,
    /** Why the person may do none of it, for its controls and keys. */
    reason,
    /** Keys of rows that are about to leave the tab. */
    leaving,
    acknowledge: (targets: readonly Target[]) => run(targets, { action: "acknowledge" }),
    reopen: (targets: readonly Target[]) => run(targets, { action: "reopen" }),
    assign: (targets: readonly Target[], assignee: string | null) => run(targets, { action: "assign", assignee }),
    snooze: (targets: readonly Target[], until: string | null) => run(targets, { action: "snooze", until }),
    /** Opens a dialog for a note first. */
    resolve: (targets: readonly Target[]) => setResolving(targets),
    /** Opens a dialog for duration and reason; nothing happens where one silence cannot mute them. */
    silence: (targets: readonly Target[]) => {
      const offer = offerSilence(targets);
      if ("matchers" in offer) setSilencing(offer.matchers);
    },
    undo: () => void undoLast(),
    dialogs,
  };
}

export type Triage = ReturnType<typeof useTriage>;

const listNames = (targets: readonly Target[]): ReadonlyMap<string, string> =>
  new Map(
    targets.flatMap((target) =>
      target.kind === "alert" ? [[target.alert.uid, formatName(target.alert)] as const] : [],
    ),
  );
