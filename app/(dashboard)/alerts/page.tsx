import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { AlertInbox } from "@/components/alerts/alert-inbox";
import { alertFilters, parseGrouping, groupInput, inboxInput, tabInput } from "@/components/alerts/query";
import { nextPage } from "@/components/list/list-input";

export const metadata: Metadata = { title: "Alerts" };

export default async function AlertsPage(props: QueryPageProps) {
  const values = await readListAddress(props);
  const client = getQueryClient();
  const chosen = parseGrouping(values);
  const suggestion = trpc.alerts.suggestedGrouping.queryOptions(tabInput(values));
  await client.prefetchQuery(suggestion);
  const by = chosen === undefined ? (client.getQueryData(suggestion.queryKey)?.by ?? null) : chosen;
  await Promise.all([
    by === null
      ? client.prefetchInfiniteQuery(trpc.alerts.inbox.infiniteQueryOptions(inboxInput(values), nextPage))
      : client.prefetchQuery(trpc.alerts.groups.queryOptions(groupInput(values, by))),
    client.prefetchQuery(trpc.alerts.inboxCounts.queryOptions(alertFilters(values))),
  ]);
  return (
    <Hydrate>
      <AlertInbox />
    </Hydrate>
  );
}
