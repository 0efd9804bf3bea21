"use client";

import { useQueryClient } from "@tanstack/react-query";
import { PackageOpen, SquareArrowOutUpRight } from "lucide-react";
import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { formatNumber, plural } from "@/components/kit/format";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { stepsFrom, type ProjectStep } from "@/domain/projects/lifecycle";
import { stepLooks } from "./labels";
import { exportHref, projectHref, type Project } from "./query";

export interface ProjectActions {
  /** Items of a menu; `open` puts the link to the project's page in front, `but` leaves out a step that has a button. */
  menu: (project: Project, options?: { open?: boolean; but?: ProjectStep | undefined }) => MenuItem[];
  /** Takes a step, after asking where it cannot be taken back. */
  take: (project: Project, step: ProjectStep) => void;
  /** Archives several at once, after asking. */
  archive: (projects: readonly Project[]) => void;
  /** Why the person may take no step. */
  reason: string | undefined;
  /** The dialogs these actions need; draw it once. */
  dialogs: ReactNode;
}

/** What cannot be taken back. */
const asked: readonly ProjectStep[] = ["cancel", "archive"];

/** What can be done with projects, the same in the list, its menus and the page. */
export function useProjectActions(): ProjectActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { refusal } = usePermissions();
  const [targets, setTargets] = useState<readonly Project[]>([]);
  const [step, setStep] = useState<ProjectStep | null>(null);
  const reason = refusal({ role: "admin" });

  /** Rejects once a step of one of them is refused, after a notice of it. */
  const run = async (projects: readonly Project[], next: ProjectStep) => {
    let done = 0;
    try {
      for (const { uid } of projects) {
        await client.projects.step.mutate({ uid, step: next });
        done++;
      }
      const [first] = projects;
      const what = projects.length === 1 ? first?.name : plural(projects.length, "project");
      toast.success(`${what} ${stepLooks[next].done}`);
    } catch (error) {
      toast.failure(error, { title: `${projects[done]?.name} was not ${stepLooks[next].done}` });
      throw error;
    } finally {
      await Promise.all([
        queryClient.invalidateQueries(trpc.projects.pathFilter()),
        queryClient.invalidateQueries(trpc.datasets.projects.pathFilter()),
      ]);
    }
  };
  const ask = (projects: readonly Project[], next: ProjectStep) => {
    setTargets(projects);
    setStep(next);
  };
  const take = (project: Project, next: ProjectStep) => {
    if (asked.includes(next)) ask([project], next);
    // The failure is in a notice already.
    else run([project], next).catch(() => {});
  };

  const toItem = (project: Project, next: ProjectStep): MenuItem => {
    const { label, icon: Icon } = stepLooks[next];
    return {
      label,
      icon: <Icon aria-hidden />,
      danger: next === "cancel",
      disabledReason: reason,
      onSelect: () => take(project, next),
    };
  };
  const menu: ProjectActions["menu"] = (project, { open = false, but } = {}) => {
    const steps = stepsFrom(project.status).filter((next) => next !== but);
    const safe = steps.filter((next) => next !== "cancel");
    const items: MenuItem[][] = [
      open ? [{ label: "Open", icon: <SquareArrowOutUpRight aria-hidden />, href: projectHref(project.uid) }] : [],
      safe.map((next) => toItem(project, next)),
      [
        {
          label: "Export",
          icon: <PackageOpen aria-hidden />,
          disabledReason: refusal(),
          href: exportHref([project.uid]),
        },
      ],
      steps.includes("cancel") ? [toItem(project, "cancel")] : [],
    ];
    return items
      .filter((group) => group.length > 0)
      .flatMap((group, at) => (at === 0 ? group : ["separator", ...group]));
  };

  const [first] = targets;
  const name = first && targets.length === 1 ? first.name : plural(targets.length, "project");
  const left = first ? first.task_count - first.completed_count : 0;
  const dialogs = first && (
    <>
      <ConfirmDialog
        open={step === "cancel"}
        onOpenChange={(isOpen) => !isOpen && setStep(null)}
        title={`Cancel ${name}?`}
        description={
          <>
            Nobody can work on it again. Results and tasks are kept
            {left > 0 &&
              `; the items of ${formatNumber(left, 0)} open ${left === 1 ? "task" : "tasks"} no longer wait for it`}
            .
          </>
        }
        action="Cancel project"
        typeToConfirm={first.name}
        onConfirm={() => run(targets, "cancel")}
      />
      <ConfirmDialog
        open={step === "archive"}
        onOpenChange={(isOpen) => !isOpen && setStep(null)}
        title={`Archive ${name}?`}
        description="It cannot be opened again. Its results stay, and can be exported."
        action={targets.length === 1 ? "Archive project" : `Archive ${name}`}
        danger={false}
        onConfirm={() => run(targets, "archive")}
      />
    </>
  );
  return { menu, take, archive: (projects) => ask(projects, "archive"), reason, dialogs };
}
