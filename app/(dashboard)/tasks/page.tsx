import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { listInput } from "@/components/annotation/queue/query";
import { TaskList } from "@/components/annotation/queue/task-list";
import { nextPage } from "@/components/list/list-input";

export const metadata: Metadata = { title: "Tasks" };

export default async function TasksPage(props: QueryPageProps) {
  const input = listInput(await props.searchParams);
  await getQueryClient().prefetchInfiniteQuery(trpc.tasks.queue.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <TaskList />
    </Hydrate>
  );
}
