import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { ProjectList } from "@/components/projects/project-list";
import { listInput } from "@/components/projects/query";

export const metadata: Metadata = { title: "Projects" };

export default async function ProjectsPage(props: QueryPageProps) {
  const input = listInput(await readListAddress(props));
  await getQueryClient().prefetchInfiniteQuery(trpc.projects.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <ProjectList />
    </Hydrate>
  );
}
