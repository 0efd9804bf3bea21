"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { useLatest } from "@/components/kit/latest";
import { readFailure } from "@/components/product/failure";
import { usePermissions } from "@/components/product/permissions";
import { useTRPCClient } from "@/components/trpc/client";
import { maxDecided } from "@/domain/tasks/review-schema";
import { DecisionSender, type HeldDecision, type SendAnswer, type SettledDecision } from "./decision-sender";
import { keepInMemory, openDecisions, type Decision } from "./decision-store";

interface Decisions {
  sender: DecisionSender;
  held: readonly HeldDecision[];
}

/** The server looked at it and said no; everything else may go better later. */
const isRefusal = (status: number | undefined): boolean =>
  status !== undefined && [400, 403, 404, 409].includes(status);

/** What one request decides: the same of all of them, and nothing that is about one alone. */
function groupAlike(decisions: readonly Decision[]): Decision[][] {
  const groups = new Map<string, Decision[]>();
  for (const decision of decisions) {
    const { result, verdict, reason, issues = [] } = decision;
    const key = JSON.stringify([verdict, reason, issues.length > 0 && result]);
    groups.set(key, [...(groups.get(key) ?? []), decision]);
  }
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / maxDecided) }, (_, at) =>
      group.slice(at * maxDecided, (at + 1) * maxDecided),
    ),
  );
}

/** The decisions of the person who looks, kept in this browser until the server has them. */
export function useDecisions(
  organization: string,
  { undoMs, onSettled }: { undoMs: number; onSettled: (settled: readonly SettledDecision[]) => void },
): Decisions {
  const client = useTRPCClient();
  const { userUid, username } = usePermissions();
  const settled = useLatest(onSettled);
  const [sender] = useState(() => {
    const refuse = async ({ result, task, verdict }: Decision, why: string): Promise<SendAnswer> => {
      // An answer may have been lost on its way: then it is decided, as it should be.
      const now = await client.tasks.editor.query({ uid: task }).catch(() => null);
      const found = now?.earlier.find(({ uid }) => uid === result);
      const isDone = found?.decided_by === username && found.status === `${verdict}ed`;
      return isDone ? { said: "done" } : { said: "refused", why };
    };
    const sendOne = async (decision: Decision): Promise<SendAnswer> => {
      const { result, verdict, reason, issues = [] } = decision;
      try {
        if (verdict === "accept") await client.results.accept.mutate({ uid: result, reason });
        else await client.results.reject.mutate({ uid: result, reason, issues: [...issues] });
        return { said: "done" };
      } catch (error) {
        const { status, detail } = readFailure(error);
        if (!isRefusal(status)) return { said: "later", why: detail };
        return status === 400 ? refuse(decision, detail) : { said: "refused", why: detail };
      }
    };
    const sendAlike = async (decisions: readonly Decision[], answers: Map<string, SendAnswer>): Promise<void> => {
      const [first, second] = decisions;
      if (!first) return;
      const { verdict, reason } = first;
      const uids = decisions.map(({ result }) => result);
      try {
        // One that is gone would refuse all: then each is sent alone.
        if (!second) return void answers.set(first.result, await sendOne(first));
        const { failed } = await client.results.decideMany.mutate({ uids, decision: verdict, reason });
        const errors = new Map(failed.map(({ uid, error }) => [uid, error]));
        for (const decision of decisions) {
          const error = errors.get(decision.result);
          answers.set(decision.result, error === undefined ? { said: "done" } : await refuse(decision, error));
        }
      } catch (error) {
        const { status, detail } = readFailure(error);
        for (const decision of decisions)
          answers.set(decision.result, isRefusal(status) ? await sendOne(decision) : { said: "later", why: detail });
      }
    };
    const send = async (decisions: readonly Decision[]) => {
      const answers = new Map<string, SendAnswer>();
      for (const alike of groupAlike(decisions)) await sendAlike(alike, answers);
      return answers;
    };
    const open = () => openDecisions({ organization, user: userUid }).catch(() => keepInMemory());
    const keeper = typeof indexedDB === "undefined" ? Promise.resolve(keepInMemory()) : open();
    return new DecisionSender(keeper, { send, onSettled: settled, undoMs });
  });
  useEffect(() => {
    void sender.start();
    const onHide = () => document.visibilityState === "hidden" && void sender.flush();
    const onOnline = () => void sender.flush();
    document.addEventListener("visibilitychange", onHide);
    addEventListener("online", onOnline);
    return () => {
      document.removeEventListener("visibilitychange", onHide);
      removeEventListener("online", onOnline);
      sender.stop();
    };
  }, [sender]);
  const held = useSyncExternalStore(sender.subscribe, sender.getHeld, sender.getHeld);
  return { sender, held };
}
