import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, getSession, Hydrate, readForPage, trpc, type ResourcePageProps } from "@/app/prefetch";
import { RunPage } from "@/components/models/run-page";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.runs.overviewOf.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  const found = await read(props);
  return { title: found ? `Run of ${found.model_name}` : "Run not found" };
}

export default async function Page(props: ResourcePageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const found = await read(props);
  if (!found) notFound();
  return (
    <Hydrate>
      <RunPage uid={found.uid} />
    </Hydrate>
  );
}
