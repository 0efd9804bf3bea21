"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { useLatest } from "@/components/kit/latest";
import { readFailure } from "@/components/product/failure";
import { usePermissions } from "@/components/product/permissions";
import { useTRPCClient } from "@/components/trpc/client";
import { DecisionSender, type HeldDecision, type SendAnswer } from "./decision-sender";
import { keepInMemory, openDecisions, type Decision } from "./decision-store";

interface Decisions {
  sender: DecisionSender;
  held: readonly HeldDecision[];
}

/** The server looked at it and said no; everything else may go better later. */
const isRefusal = (status: number | undefined): boolean =>
  status !== undefined && [400, 403, 404, 409].includes(status);

/** The decisions of the person who looks, kept in this browser until the server has them. */
export function useDecisions(
  organization: string,
  { undoMs, onSettled }: { undoMs: number; onSettled: (decision: Decision, answer: SendAnswer) => void },
): Decisions {
  const client = useTRPCClient();
  const { userUid, username } = usePermissions();
  const settled = useLatest(onSettled);
  const [sender] = useState(() => {
    const send = async ({ result, task, verdict, reason, issues = [] }: Decision): Promise<SendAnswer> => {
      try {
        if (verdict === "accept") await client.results.accept.mutate({ uid: result, reason });
        else await client.results.reject.mutate({ uid: result, reason, issues: [...issues] });
        return { said: "done" };
      } catch (error) {
        const { status, detail } = readFailure(error);
        if (!isRefusal(status)) return { said: "later", why: detail };
        // An answer may have been lost on its way: then it is decided, as it should be.
        const now = status === 400 ? await client.tasks.editor.query({ uid: task }).catch(() => null) : null;
        const found = now?.earlier.find(({ uid }) => uid === result);
        const isDone = found?.decided_by === username && found.status === `${verdict}ed`;
        return isDone ? { said: "done" } : { said: "refused", why: detail };
      }
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
