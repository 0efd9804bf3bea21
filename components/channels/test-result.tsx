"use client";

import { useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck } from "lucide-react";
import { useState } from "react";
import { formatDuration } from "@/components/kit/format";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { Channel, TestResult } from "./query";

const statusText = ({ status_code: code, duration_ms: ms }: TestResult) =>
  [code === null ? null : `status ${code}`, formatDuration(ms)].filter(Boolean).join(", ");

/** Sends test messages; the last result is stored by channel. */
export function useChannelTest() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [sending, setSending] = useState<string | null>(null);
  const [results, setResults] = useState<Readonly<Record<string, TestResult>>>({});
  const run = async (channel: Pick<Channel, "uid" | "name">) => {
    setSending(channel.uid);
    try {
      const result = await client.channels.test.mutate({ uid: channel.uid });
      setResults((before) => ({ ...before, [channel.uid]: result }));
      if (result.ok) toast.success(`${channel.name} accepted the test`, { description: statusText(result) });
      else toast.failure(new Error(result.error ?? result.detail), { title: `The test did not reach ${channel.name}` });
      await queryClient.invalidateQueries(trpc.channels.pathFilter());
    } catch (error) {
      toast.failure(error, { title: "The test was not sent" });
    } finally {
      setSending(null);
    }
  };
  return { sending, results, send: (channel: Pick<Channel, "uid" | "name">) => void run(channel) };
}

export type ChannelTest = ReturnType<typeof useChannelTest>;

/** The receiver's response to a test message: status, duration, error. */
export function TestResultLine({ result }: { result: TestResult }) {
  return (
    <p role="status" className="flex items-start gap-2 text-table">
      {result.ok ? (
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-online" />
      ) : (
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-critical" />
      )}
      <span className="min-w-0 break-words">
        {result.detail} <span className="text-muted">({statusText(result)})</span>
        {result.error && <span className="block text-critical-text">{result.error}</span>}
      </span>
    </p>
  );
}
