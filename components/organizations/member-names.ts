"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { longPageSize } from "@/domain/limits";
import { hasRole } from "@/domain/permissions";

export type Member = Outputs["members"]["list"]["results"][number];

export const fullName = (member: Pick<Member, "first_name" | "last_name" | "username">): string =>
  `${member.first_name} ${member.last_name}`.trim() || member.username;

/** The names of the organization's admins and its owner; empty while they are loaded. */
export function useAdminNames({ enabled = true } = {}): string[] {
  const trpc = useTRPC();
  const members = useQuery({ ...trpc.members.list.queryOptions({ limit: longPageSize.max }), enabled }).data?.results;
  return (members ?? []).filter((member) => hasRole(member, "admin")).map(fullName);
}
