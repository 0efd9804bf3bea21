"use client";

import { useQuery } from "@tanstack/react-query";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { longPageSize } from "@/domain/limits";

interface Reviewers {
  mayDecide: boolean;
  /** Why the person who looks decides nothing in the project. */
  refused: string | undefined;
  /** Who decides about what this person made: "ben, cleo or an admin". */
  whoDecides: string;
}

const maxNames = 2;

/** Who decides about the results of a project. */
export function useReviewers(project: string): Reviewers {
  const trpc = useTRPC();
  const { refusal, username } = usePermissions();
  const people = useQuery(trpc.projects.people.list.queryOptions({ uid: project, limit: longPageSize.max }));
  const reviewers = (people.data?.results ?? []).filter(({ roles }) => roles.includes("reviewer"));
  const isReviewer = reviewers.some((person) => person.username === username);
  const others = reviewers.map((person) => person.username).filter((name) => name !== username);
  const mayDecide = refusal({ role: "admin" }) === undefined || isReviewer;
  const names = others.slice(0, maxNames).join(", ");
  return {
    mayDecide,
    refused: refusal() ?? (mayDecide ? undefined : "Its reviewers and admins decide."),
    whoDecides: names === "" ? "another admin" : `${names} or an admin`,
  };
}
