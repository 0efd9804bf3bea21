"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronDown, Undo2, UserRound } from "lucide-react";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { Menu, type MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { fleetPageSize } from "@/domain/limits";
import { maxTaken } from "@/domain/tasks/queue-schema";
import type { QueuedTask } from "./query";

type Changed = Outputs["tasks"]["assignMany"];

type Skipped = Pick<QueuedTask, "uid" | "skip_reason" | "skip_text">;

/** What is done with many tasks at once; each says in a notice what was changed, and why some were not. */
export function useTaskActions() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { username, refusal } = usePermissions();

  /** `undo` takes the work back. */
  const run = async (done: string, work: () => Promise<Changed>, undo?: () => void): Promise<void> => {
    try {
      const { changed, failed } = await work();
      const title = `${plural(changed, "task")} ${done}`;
      if (changed > 0 && undo) toast.undo(title, undo);
      else if (changed > 0) toast.success(title);
      if (failed.length > 0) {
        const reasons = [...new Set(failed.map(({ error }) => error))].slice(0, 3).join(" ");
        toast.failure(new Error(reasons), { title: `${plural(failed.length, "task")} not ${done}` });
      }
    } catch (error) {
      toast.failure(error, { title: "No task was changed" });
    }
    await Promise.all([
      queryClient.invalidateQueries(trpc.tasks.queue.pathFilter()),
      queryClient.invalidateQueries(trpc.tasks.unassigned.pathFilter()),
    ]);
  };
  const skipAgain = (tasks: readonly Skipped[]) =>
    run("skipped again", () =>
      client.tasks.skipMany.mutate({
        tasks: tasks.map(({ uid, skip_reason: reason, skip_text: text }) => ({ uid, reason: reason ?? "other", text })),
      }),
    );
  return {
    adminReason: refusal({ role: "admin" }),
    memberReason: refusal(),
    assign: (uids: string[], assignee: string | null) =>
      run(assignee === null ? "given back" : `assigned to ${assignee === username ? "you" : assignee}`, () =>
        client.tasks.assignMany.mutate({ uids, assignee }),
      ),
    prioritise: (uids: string[], priority: number) =>
      run(`given priority ${priority}`, () => client.tasks.prioritise.mutate({ uids, priority })),
    release: (uids: string[]) => run("released", () => client.tasks.releaseMany.mutate({ uids })),
    /** Has skipped tasks labelled after all; Undo skips them for the same reasons. */
    unskip: async (tasks: readonly Skipped[]) => {
      const left = new Set<string>();
      await run(
        "to be labelled",
        async () => {
          const changed = await client.tasks.unskipMany.mutate({ uids: tasks.map(({ uid }) => uid) });
          for (const { uid } of changed.failed) left.add(uid);
          return changed;
        },
        () => void skipAgain(tasks.filter(({ uid }) => !left.has(uid))),
      );
    },
    /** Assigns the next twenty that wait for somebody in a project to the person. */
    take: (project: string) =>
      run("assigned to you", async () => {
        const { results } = await client.tasks.queue.query({ tab: "unassigned", project, limit: maxTaken });
        return client.tasks.assignMany.mutate({ uids: results.map(({ uid }) => uid), assignee: username });
      }),
    username,
  };
}

const priorities = [
  { label: "First of all", value: 100 },
  { label: "Before others", value: 10 },
  { label: "As it comes", value: 0 },
  { label: "After others", value: -10 },
];

/** What can be done with the ticked tasks. */
export function TaskBulk({ uids, clear }: { uids: string[]; clear: () => void }) {
  const trpc = useTRPC();
  const actions = useTaskActions();
  const { adminReason, memberReason, username } = actions;
  const members = useQuery(trpc.members.list.queryOptions({ limit: fleetPageSize.max })).data?.results ?? [];
  const act = (work: (uids: string[]) => Promise<void>) => () => {
    void work(uids);
    clear();
  };
  const tooMany =
    adminReason !== undefined && uids.length > maxTaken ? `Members take at most ${maxTaken} at once.` : undefined;
  const assignees: MenuItem[] = [
    { label: "Nobody", onSelect: act((all) => actions.assign(all, null)) },
    "separator",
    ...members
      .filter((member) => member.username !== username)
      .map((member) => ({
        label: member.username,
        hint: member.email === member.username ? undefined : member.email,
        onSelect: act((all) => actions.assign(all, member.username)),
      })),
  ];
  return (
    <>
      <Button
        icon={<UserRound aria-hidden />}
        disabledReason={memberReason ?? tooMany}
        onClick={act((all) => actions.assign(all, username))}
      >
        Assign to me
      </Button>
      <Menu
        align="start"
        items={assignees}
        disabledReason={adminReason}
        trigger={<Button icon={<ChevronDown aria-hidden />}>Assign</Button>}
      />
      <Menu
        align="start"
        items={priorities.map(({ label, value }) => ({
          label,
          hint: String(value),
          onSelect: act((all) => actions.prioritise(all, value)),
        }))}
        disabledReason={adminReason}
        trigger={<Button icon={<ChevronDown aria-hidden />}>Priority</Button>}
      />
      <Button icon={<Undo2 aria-hidden />} disabledReason={adminReason} onClick={act(actions.release)}>
        Release
      </Button>
    </>
  );
}
