import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc } from "@/app/prefetch";
import { ExportWizard } from "@/components/exports/new/export-wizard";

export const metadata: Metadata = { title: "New export" };

export default async function NewExportPage() {
  await Promise.all([
    getQueryClient().prefetchQuery(trpc.exports.sources.queryOptions({})),
    getQueryClient().prefetchQuery(trpc.exports.buckets.queryOptions()),
  ]);
  return (
    <Hydrate>
      <ExportWizard />
    </Hydrate>
  );
}
