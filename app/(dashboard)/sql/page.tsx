import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc } from "@/app/prefetch";
import { SqlPage } from "@/components/sql/sql-page";
import { fleetPageSize } from "@/domain/limits";

export const metadata: Metadata = { title: "SQL" };

export default async function Sql() {
  const client = getQueryClient();
  await Promise.all([
    client.prefetchQuery(trpc.signals.tables.queryOptions()),
    client.prefetchQuery(trpc.devices.list.queryOptions({ limit: fleetPageSize.max })),
  ]);
  return (
    <Hydrate>
      <SqlPage />
    </Hydrate>
  );
}
