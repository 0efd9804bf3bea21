import type { Metadata } from "next";
import { AuditLog } from "@/components/audit/audit-log";
import { getSession } from "@/components/trpc/server";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";

export const metadata: Metadata = { title: "Audit log" };

export default async function AuditPage() {
  const session = await getSession();
  if (session?.role !== "member") return <AuditLog />;
  return (
    <>
      <PageHeader title="Audit log" />
      <EmptyState kind="no-access" noun="the audit log" missing="the admin role" />
    </>
  );
}
