"use client";

import { useQuery } from "@tanstack/react-query";
import { Tags } from "lucide-react";
import { Suspense, useState } from "react";
import { taskHref } from "@/components/annotation/queue/query";
import { Button, ButtonLink } from "@/components/kit/button";
import { lazyPart } from "@/components/kit/lazy-part";
import { Popover } from "@/components/kit/popover";
import { SkeletonText } from "@/components/kit/skeleton";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { MomentProgress } from "./moment-progress";
import type { ManySource } from "./source";

const LabelPanel = lazyPart(async () => (await import("./label-panel")).default);

/** Moments whose pictures can be found among the tasks of a project. */
export type LabelSource = ManySource & { of: { alerts: string[] } | { rule_id: string } };

/** Makes tasks of what cameras saw at moments, and leads to the first of them. */
export function LabelThese({ source, name }: { source: LabelSource; name: string }) {
  const reason = usePermissions().refusal();
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState<{ project: string; added: string | null } | null>(null);
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      <Popover
        open={isOpen}
        onOpenChange={setOpen}
        title="Label these"
        showTitle
        className="max-h-[min(40rem,var(--available-height))] w-[26.25rem] overflow-y-auto"
        trigger={
          <Button icon={<Tags aria-hidden />} disabledReason={reason}>
            Label these
          </Button>
        }
      >
        <Suspense fallback={<SkeletonText lines={8} />}>
          <LabelPanel
            source={source}
            name={name}
            onDone={(project, added) => {
              setOpen(false);
              setDone({ project, added });
            }}
          />
        </Suspense>
      </Popover>
      {done && <FirstTask of={source.of} {...done} />}
    </span>
  );
}

/** How far the tasks of moments are, and the way to the first of them. */
export function FirstTask(props: { of: LabelSource["of"]; project: string; added: string | null }) {
  const { of, project, added } = props;
  const trpc = useTRPC();
  const { data } = useQuery(trpc.tasks.ofMoments.queryOptions({ project, ...of }));
  if (data && data.first !== null)
    return (
      <ButtonLink variant="primary" href={taskHref(data.first)}>
        {data.open === 0 ? "Show its task" : "Start labelling"}
      </ButtonLink>
    );
  return (
    <span className="inline-flex items-center gap-2 text-meta text-muted">
      {added !== null && <MomentProgress uid={added} />}
      <span role="status">Its tasks are made…</span>
    </span>
  );
}
