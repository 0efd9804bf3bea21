import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, getSession, Hydrate, readForPage, trpc, type ResourcePageProps } from "@/app/prefetch";
import { ProjectPage } from "@/components/projects/project-page";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.projects.overviewOf.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  return { title: (await read(props))?.name ?? "Project not found" };
}

export default async function Page(props: ResourcePageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const found = await read(props);
  if (!found) notFound();
  return (
    <Hydrate>
      <ProjectPage uid={found.uid} />
    </Hydrate>
  );
}
