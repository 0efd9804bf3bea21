"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { PageHeader, Section, usePageTitle } from "@/components/kit/page-header";
import { useShortcuts, type Shortcut } from "@/components/kit/shortcuts";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { refuseShortcut } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";
import type { InboxTab } from "@/domain/alerts/lifecycle";
import { AlertAround } from "./alert-around";
import { AlertFacts, AlertStatusLine } from "./alert-facts";
import { AlertFindings } from "./alert-findings";
import { AlertGuidance } from "./alert-guidance";
import { AlertHistory } from "./alert-history";
import { AlertSteps } from "./alert-steps";
import { AlertTimeline } from "./alert-timeline";
import { useCapture } from "./capture/alert-capture";
import { CommentForm } from "./comment-form";
import { CoveringRecording, isLive } from "./covering-recording";
import { alertTitle, isTest } from "./labels";
import { alertMenu } from "./menus";
import { toTab, type Target } from "./query";
import { useRemoveTest } from "./remove-test";
import { useTriage } from "./triage";
import { focusComment } from "./triage-keys";

const list = { label: "Alerts", href: "/alerts" };
const noFilters = {};

/** Everything about one alert on a page of its own, with the same keys as the inbox. */
export function AlertPage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const query = useQuery(trpc.alerts.get.queryOptions({ uid }));
  const alert = query.data;
  const triage = useTriage({ tab: "open", filters: noFilters, newest: null });
  const remove = useRemoveTest(() => router.push("/alerts"));
  const capture = useCapture(uid);
  usePageTitle(alert && alertTitle(alert));
  const shown = useDemoFilter();
  // As it was when it was opened: acknowledging an alert goes on with those that are open.
  const [opened, setOpened] = useState<{ uid: string; tab: InboxTab } | null>(null);
  if (alert && opened?.uid !== uid) setOpened({ uid, tab: toTab(alert) });

  const target: Target | null = alert ? { kind: "alert", alert } : null;
  const withTarget = (act: (target: Target) => unknown) => () => void (target && act(target));
  const go = async (to: "previous" | "next") => {
    // The one that comes is not known yet.
    if (opened?.uid !== uid) return;
    try {
      const beside = await queryClient.fetchQuery(trpc.alerts.neighbours.queryOptions({ ...opened, ...shown }));
      if (beside[to] !== null) router.push(`/alerts/${beside[to]}`);
      else toast.success(`No ${opened.tab} alert comes ${to === "next" ? "after" : "before"} this one`);
    } catch (error) {
      toast.failure(error, { title: `The ${to} alert could not be opened` });
    }
  };
  const group = "Triage";
  const steps: Shortcut[] = [
    {
      keys: "a",
      label: "Acknowledge",
      group,
      run: withTarget((each) => alert?.status === "open" && triage.acknowledge([each])),
    },
    {
      keys: "r",
      label: "Resolve",
      group,
      run: withTarget((each) => alert?.status !== "resolved" && triage.resolve([each])),
    },
    {
      keys: "s",
      label: "Silence",
      group,
      run: withTarget((each) => alert && !isTest(alert) && triage.silence([each])),
    },
    { keys: "i", label: "Assign to me", group, run: withTarget((each) => triage.assign([each], "me")) },
    { keys: "c", label: "Comment", group, run: () => focusComment() },
    { keys: "u", label: "Undo the last step", group, run: triage.undo },
  ];
  useShortcuts([
    ...steps.map((each) => refuseShortcut(each, triage.reason)),
    { keys: "n", label: "Next alert", group, run: () => void go("next") },
    { keys: "p", label: "Previous alert", group, run: () => void go("previous") },
    { keys: "escape", label: "Back to the inbox", group, run: () => router.push("/alerts") },
  ]);

  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={alert && alertTitle(alert)}
        noun="alert"
        deletedMessage="This alert is gone: it was a test, or its rule was run again and no longer finds it."
        list={list}
        query={query}
      />
    );
  }
  if (!alert) return null;

  return (
    // Where its parts are below each other, the head scrolls away with them.
    <div className="flex min-h-0 flex-1 flex-col max-lg:overflow-y-auto">
      <PageHeader
        title={alertTitle(alert)}
        trail={[list]}
        meta={
          <>
            <AlertStatusLine alert={alert} />
          </>
        }
        actions={
          <>
            <span className="flex max-sm:hidden">
              <IconButton
                label="Previous alert"
                keys="p"
                icon={<ChevronUp aria-hidden />}
                onClick={() => void go("previous")}
              />
              <IconButton
                label="Next alert"
                keys="n"
                icon={<ChevronDown aria-hidden />}
                onClick={() => void go("next")}
              />
            </span>
            <CopyLink compact />
            <AlertSteps
              alert={alert}
              triage={triage}
              menu={alertMenu(alert, triage, { comment: () => focusComment(), remove })}
            />
          </>
        }
      />
      <div className="flex-1 border-t max-lg:shrink-0 lg:min-h-0 lg:overflow-y-auto">
        <div className="grid gap-x-10 gap-y-8 px-4 pt-5 pb-12 sm:px-6 lg:grid-cols-[minmax(0,1fr)_24rem]">
          <div className="flex min-w-0 flex-col gap-8">
            <AlertGuidance guidance={alert.guidance} />
            <AlertFindings alert={alert} capture={capture} />
            {isLive(alert) && (
              <Section title="Recording of this moment">
                <CoveringRecording alert={alert} />
              </Section>
            )}
            <Section title="What else happened within a minute">
              <AlertAround alert={alert} capture={capture} />
            </Section>
            <Section title="Timeline">
              <AlertTimeline alert={alert} />
              <div className="mt-4">
                <CommentForm uid={uid} />
              </div>
            </Section>
          </div>
          <div className="flex min-w-0 flex-col gap-8">
            <Section title="Details">
              <AlertFacts alert={alert} triage={triage} />
            </Section>
            <Section title="This rule on this device before">
              <AlertHistory uid={uid} />
            </Section>
          </div>
        </div>
      </div>
      {triage.dialogs}
    </div>
  );
}
