"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, X } from "lucide-react";
import Link from "next/link";
import { useId, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatNumber, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useSuggestion } from "@/components/rules/use-suggestion";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { firstStepKeys, type FirstStep } from "@/domain/demo/first-steps";
import type { Need } from "@/domain/permissions";
import { readFormats } from "@/domain/recordings/file-names";

type Steps = Outputs["demo"]["steps"];

interface StepTexts {
  title: string;
  hint: string;
  href: string;
  /** What taking the step needs; without it every person may. */
  need?: Need;
}

/** `suggested`: the threshold that the noisy rule's own page suggests. */
function getStepTexts({ noisy, alert_uid: alertUid }: Steps, suggested: number | null): Record<FirstStep, StepTexts> {
  return {
    evidence: {
      title: "See an alert’s evidence",
      hint: "The plot around the moment a rule triggered, and the recording behind it.",
      href: alertUid ? `/alerts/${alertUid}` : "/alerts",
    },
    backtest: {
      title: "Edit a threshold and watch the backtest",
      hint: noisy
        ? `“${noisy.name}” raised ${plural(noisy.alerts, "alert")}; ${suggested === null ? "raise its threshold" : `try ${formatNumber(suggested, 4)}`}.`
        : "Change a rule and see immediately what it would have found.",
      href: noisy ? `/rules/${noisy.uid}/edit` : "/rules",
    },
    device: {
      title: "Register a device",
      hint: "Done with its first heartbeat.",
      href: "/devices?register=1",
      need: { role: "admin" },
    },
    recording: {
      title: "Upload a recording",
      hint: `One of your own: ${readFormats}.`,
      href: "/recordings?upload=1",
      need: {},
    },
    channel: {
      title: "Connect a channel and send a test",
      hint: "Slack, mail, Teams, PagerDuty or a webhook.",
      href: "/settings/channels",
      need: { role: "admin" },
    },
    teammate: {
      title: "Invite a teammate",
      hint: "Alerts are better shared.",
      href: "/settings/members",
      need: { role: "admin" },
    },
  };
}

/** The first steps on one line with the next of them, ticked as they happen; gone when all are done or dismissed. */
export function Checklist() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { refusal } = usePermissions();
  const [open, setOpen] = useState(false);
  const listId = useId();
  const { data } = useQuery(trpc.demo.steps.queryOptions());
  // Fetched when its sentence is shown.
  const suggested = useSuggestion(open && data && !data.dismissed ? (data.noisy?.uid ?? null) : null)?.value ?? null;
  const dismiss = useMutation(
    trpc.demo.dismiss.mutationOptions({
      onSuccess: async (steps) => {
        // A refresh that is under way may have read the state before.
        await queryClient.cancelQueries({ queryKey: trpc.demo.steps.queryKey() });
        queryClient.setQueryData(trpc.demo.steps.queryKey(), steps);
      },
      onError: (error) => toast.failure(error),
    }),
  );
  if (!data || data.dismissed || firstStepKeys.every((key) => data.done[key])) return null;
  const texts = getStepTexts(data, suggested);
  const steps = firstStepKeys.map((key) => {
    const { need, ...step } = texts[key];
    return { key, ...step, done: data.done[key], reason: need && refusal(need) };
  });
  const next = steps.find(({ done, reason }) => !done && reason === undefined);
  const dismissAll = () => {
    dismiss.mutate({ dismissed: true });
    toast.undo("First steps dismissed", () => dismiss.mutate({ dismissed: false }));
  };
  return (
    <section aria-label="First steps" className="-mt-4 border-y">
      <div className="flex flex-wrap items-center gap-x-3 py-1">
        <h2 className="text-table font-semibold">First steps</h2>
        <span className="text-meta text-muted tabular-nums">
          {steps.filter(({ done }) => done).length} of {steps.length} done
        </span>
        {next && (
          <Link
            href={next.href}
            className="min-w-0 flex-1 basis-56 truncate text-table text-accent-text hover:underline"
            title={next.hint}
          >
            Next: {next.title}
          </Link>
        )}
        <span className="ml-auto flex items-center gap-1">
          <Button variant="ghost" size="sm" aria-expanded={open} aria-controls={listId} onClick={() => setOpen(!open)}>
            {open ? "Hide steps" : "All steps"}
          </Button>
          <IconButton size="sm" label="Dismiss the first steps" icon={<X aria-hidden />} onClick={dismissAll} />
        </span>
      </div>
      <ol id={listId} hidden={!open} className={cn(open && "grid border-t sm:grid-cols-2 sm:gap-x-8 xl:grid-cols-3")}>
        {steps.map(({ key, ...step }) => (
          <li key={key} className="border-b last:border-b-0">
            <StepLink {...step} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** A step with its tick; `reason` is why the person cannot take it. */
function StepLink(props: Omit<StepTexts, "need"> & { done: boolean; reason: string | undefined }) {
  const { title, hint, href, done, reason } = props;
  const className = "flex h-full items-start gap-3 rounded-control py-2.5";
  const content = (
    <>
      <span
        aria-hidden
        className={cn(
          "mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-border-strong [&_svg]:size-3",
          done && "border-transparent bg-accent text-accent-foreground",
        )}
      >
        {done && <Check strokeWidth={3} />}
      </span>
      <span className="min-w-0">
        <span className={cn("block text-table font-medium", (done || reason !== undefined) && "text-muted")}>
          {title}
          {done && <span className="sr-only"> (done)</span>}
        </span>
        <span className="block text-meta text-subtle">{done ? hint : (reason ?? hint)}</span>
      </span>
    </>
  );
  if (reason !== undefined) return <div className={className}>{content}</div>;
  return (
    <Link href={href} className={cn(className, "hover:bg-hover")}>
      {content}
    </Link>
  );
}
