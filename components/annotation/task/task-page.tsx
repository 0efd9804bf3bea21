"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { usePathname, useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";
import { taskHref } from "@/components/annotation/queue/query";
import { ButtonLink } from "@/components/kit/button";
import { announce } from "@/components/kit/live-region";
import { PageHeader, usePageTitle } from "@/components/kit/page-header";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { projectHref } from "@/components/projects/query";
import { useTRPC } from "@/components/trpc/client";
import { lookHref, queueHref, type TaskForEditor } from "./query";
import { TaskEditor } from "./task-editor";

interface TaskPageProps {
  /** The task that the page was opened with; the address names the one that is shown. */
  uid: string;
  organization: string;
}

/** The page on which a task is worked on, and the tasks after it. */
export function TaskPage({ uid: opened, organization }: TaskPageProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const uid = usePathname().split("/").at(-1) ?? opened;
  const isLooking = useSearchParams().has("look");
  // Changes of other tasks do not concern it, and those of its draft it asks for itself.
  const query = useQuery({ ...trpc.tasks.editor.queryOptions({ uid }), staleTime: "static" });
  const [finished, setFinished] = useState<TaskForEditor["project"] | null>(null);
  usePageTitle(query.data?.item.key);
  // Whoever comes back later sees what it is then.
  useEffect(
    () => () => {
      const { queryKey } = trpc.tasks.editor.queryOptions({ uid });
      setTimeout(() => queryClient.removeQueries({ queryKey, exact: true, type: "inactive" }));
    },
    [trpc, queryClient, uid],
  );

  const onEnded = (how: string, next: TaskForEditor | null) => {
    announce(`${how}. ${next ? "The next picture is there." : "Nothing is left."}`);
    if (!next) return setFinished(query.data?.project ?? null);
    queryClient.setQueryData(trpc.tasks.editor.queryKey({ uid: next.task.uid }), next);
    // Without a request to the server, and Back leads to where the work began.
    history.replaceState(null, "", taskHref(next.task.uid));
  };

  const goTo = async (to: string, href: string, how: "pushState" | "replaceState") => {
    // It is there when its page is shown; what cannot be read says so there.
    await queryClient.prefetchQuery({ ...trpc.tasks.editor.queryOptions({ uid: to }), staleTime: 0 });
    history[how](null, "", href);
  };
  const look = (to: string) => void goTo(to, lookHref(to), "pushState");
  const work = () => void goTo(uid, taskHref(uid), "replaceState");

  if (finished) return <AllDone project={finished} />;
  if (isUnavailable(query))
    return (
      <PageFailure
        title={query.data?.item.key}
        noun="task"
        deletedMessage="This task is gone: its item was deleted, or you do not see its project."
        list={{ label: "Tasks", href: "/tasks" }}
        query={query}
      />
    );
  if (!query.data) return <p className="m-auto p-6 text-table text-muted">The task is loaded…</p>;
  return (
    <TaskEditor
      key={`${uid} ${isLooking}`}
      organization={organization}
      found={query.data}
      isLooking={isLooking}
      onLook={look}
      onWork={work}
      onEnded={onEnded}
    />
  );
}

function AllDone({ project }: { project: TaskForEditor["project"] }) {
  return (
    <>
      <PageHeader title="All done" trail={[{ label: project.name, href: projectHref(project.uid) }]} />
      <div className="flex flex-col items-start gap-4 px-4 sm:px-6">
        <p className="text-body text-muted">Nothing is left for you in {project.name}.</p>
        <div className="flex gap-2">
          <ButtonLink href={queueHref(project.uid)} variant="primary">
            Tasks
          </ButtonLink>
          <ButtonLink href={projectHref(project.uid)}>{project.name}</ButtonLink>
        </div>
      </div>
    </>
  );
}
