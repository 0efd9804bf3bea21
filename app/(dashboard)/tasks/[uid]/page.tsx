import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, getSession, Hydrate, readForPage, trpc, type ResourcePageProps } from "@/app/prefetch";
import { TaskPage } from "@/components/annotation/task/task-page";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.tasks.editor.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  return { title: (await read(props))?.item.key ?? "Task not found" };
}

export default async function Page(props: ResourcePageProps) {
  // Without a session the layout redirects to the sign-in page.
  const session = await getSession();
  if (!session) return null;
  const found = await read(props);
  if (!found) notFound();
  return (
    <Hydrate>
      <TaskPage uid={found.task.uid} organization={session.organizationId} />
    </Hydrate>
  );
}
