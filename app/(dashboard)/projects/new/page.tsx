import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { ProjectWizard } from "@/components/projects/new/project-wizard";
import { membersInput, sourcesInput } from "@/components/projects/query";

export const metadata: Metadata = { title: "New project" };

export default async function NewProjectPage(props: QueryPageProps) {
  const { dataset, slice } = await props.searchParams;
  const of = typeof dataset === "string" ? { dataset } : typeof slice === "string" ? { slice } : null;
  const chosen = of === null ? [] : Object.values(of);
  await Promise.all([
    getQueryClient().prefetchQuery(trpc.projects.sources.queryOptions(sourcesInput(chosen))),
    getQueryClient().prefetchQuery(trpc.members.list.queryOptions(membersInput)),
  ]);
  return (
    <Hydrate>
      <ProjectWizard of={of} />
    </Hydrate>
  );
}
