import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { ProjectWizard } from "@/components/projects/new/project-wizard";
import { sourcesInput } from "@/components/projects/query";

export const metadata: Metadata = { title: "New project" };

export default async function NewProjectPage(props: QueryPageProps) {
  const { dataset } = await props.searchParams;
  const chosen = typeof dataset === "string" ? [dataset] : [];
  await getQueryClient().prefetchQuery(trpc.projects.sources.queryOptions(sourcesInput(chosen)));
  return (
    <Hydrate>
      <ProjectWizard dataset={chosen[0] ?? null} />
    </Hydrate>
  );
}
