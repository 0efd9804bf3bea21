"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { AccessChoice } from "@/components/members/access-choice";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { longPageSize } from "@/domain/limits";
import type { Project } from "./query";

/** Who sees a project, and who is assigned to it. */
export function ProjectAccess({ project }: { project: Pick<Project, "uid" | "name" | "access"> }) {
  const { uid, name, access } = project;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const assigned = useQuery({
    ...trpc.projects.members.list.queryOptions({ uid, limit: longPageSize.max }),
    enabled: reason === undefined,
  }).data?.results;
  const change = async (work: Promise<unknown>) => {
    await work;
    await queryClient.invalidateQueries(trpc.projects.pathFilter());
  };
  return (
    <AccessChoice
      access={access}
      reason={reason}
      assigned={assigned}
      onAccess={async (next) => {
        try {
          await client.projects.update.mutate({ uid, change: { access: next } });
        } catch (error) {
          toast.failure(error, { title: `${name} was not changed` });
        }
        await Promise.all([
          queryClient.invalidateQueries(trpc.projects.pathFilter()),
          queryClient.invalidateQueries(trpc.datasets.projects.pathFilter()),
        ]);
      }}
      onAssign={(user) => change(client.projects.members.add.mutate({ uid, user }))}
      onUnassign={(user) => change(client.projects.members.remove.mutate({ uid, user_uid: user }))}
    />
  );
}
