"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Send } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/kit/button";
import { CodeTabs } from "@/components/kit/code-block";
import { ElapsedTime } from "@/components/kit/time";
import { Waiting } from "@/components/kit/waiting";
import { useOrigin } from "@/components/product/origin";
import { SecretOnce } from "@/components/product/secret-once";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { actionLooks } from "./execution-status";
import { firstActionInput } from "./query";
import { agentSnippets } from "./snippets";

/** An agent that was just registered, with its secret. */
export type NewAgent = Outputs["agents"]["register"] & { secret: string };

/** The secret of a new agent, once, the code that puts it to work, and its first action when it comes. */
export function ConnectAgent({ agent, onDone }: { agent: NewAgent; onDone: () => void }) {
  const origin = useOrigin();
  const [key, setKey] = useState<string | null>(null);
  const polls = agent.callback_url === "";
  const top = useRef<HTMLParagraphElement>(null);
  // The form that was here before may be scrolled.
  useEffect(() => {
    // Not returned: in newer browsers it is a promise, which React would call as the effect's cleanup.
    top.current?.parentElement?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <SecretOnce label="Signing secret" secret={agent.secret} onStored={onDone}>
      <p ref={top} className="text-table text-muted">
        {polls
          ? "It signs what is pushed. An agent that polls needs it only if it gets a callback address later; its requests carry an API key."
          : "Every request to your address is signed with it, so that your program can tell that it comes from Muster."}
      </p>
      {polls && <AgentKey agent={agent} made={key !== null} onMade={setKey} />}
      <CodeTabs label="Code of the agent" tabs={agentSnippets({ origin, agent, secret: agent.secret, key })} />
      <FirstAction agent={agent} />
    </SecretOnce>
  );
}

/** Makes an API key that allows just what an agent does, which fills in the code. */
function AgentKey({ agent, made, onMade }: { agent: NewAgent; made: boolean; onMade: (key: string) => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [busy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    try {
      const name = `Agent ${agent.name}`.slice(0, 255);
      const created = await client.apiKeys.create.mutate({ name, scopes: ["agents.read", "agents.write"] });
      onMade(created.key);
      await queryClient.invalidateQueries(trpc.apiKeys.pathFilter());
    } catch (error) {
      toast.failure(error, { title: "The key was not made" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-panel border px-3 py-2 text-table">
      <span className="min-w-0 flex-1 basis-72">
        {made ? (
          <>The code below holds a key of yours, shown only here. It may read and act for agents, nothing else.</>
        ) : (
          <>
            The code reads the key from <code className="font-mono text-meta">MUSTER_API_KEY</code>. Nobody decides a
            result of their own: use the key of somebody who does not annotate.
          </>
        )}
      </span>
      {!made && (
        <Button icon={<KeyRound aria-hidden />} busy={busy} onClick={() => void make()}>
          Make a key
        </Button>
      )}
    </div>
  );
}

/** Sends a test, and turns green when the agent acts for the first time. */
function FirstAction({ agent }: { agent: NewAgent }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [busy, setBusy] = useState(false);
  // The server announces changes; this is for networks that block event streams.
  const interval = { refetchInterval: 15_000 };
  const first = useQuery({ ...trpc.agents.executions.queryOptions(firstActionInput(agent.uid)), ...interval }).data
    ?.results[0];
  const seen =
    useQuery({ ...trpc.agents.get.queryOptions({ uid: agent.uid }), ...interval }).data?.last_seen_at ?? null;
  const newest = useQuery({ ...trpc.agents.executions.queryOptions({ uid: agent.uid, limit: 1 }), ...interval }).data
    ?.results[0];
  const test = async () => {
    setBusy(true);
    try {
      await client.agents.test.mutate({ uid: agent.uid });
    } catch (error) {
      toast.failure(error, { title: "The test was not sent" });
    } finally {
      setBusy(false);
    }
  };
  const polls = agent.callback_url === "";
  return (
    <div className="flex flex-wrap items-start gap-3">
      <Waiting
        className="min-w-0 flex-1 basis-72"
        done={first !== undefined}
        waiting={seen === null ? "Waiting for its first action…" : "It was seen. Waiting for its first action…"}
        arrived={`${agent.name} works`}
        hint={
          first ? (
            `Its first action: ${actionLooks[first.action ?? "skip"].label.toLowerCase()}${first.reason ? `, “${first.reason}”` : ""}.`
          ) : newest?.error_message ? (
            `The last attempt failed: ${newest.error_message}`
          ) : (
            <>
              {polls ? "Run the code" : "Start the code where the address leads"}, then send a test. Waiting for{" "}
              <ElapsedTime since={agent.created_at} />.
            </>
          )
        }
      />
      <Button icon={<Send aria-hidden />} busy={busy} onClick={() => void test()}>
        Send test
      </Button>
    </div>
  );
}
