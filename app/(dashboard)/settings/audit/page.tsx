import type { Metadata } from "next";
import { AuditLog } from "@/components/audit/audit-log";
import { PageHeader } from "@/components/ui/page-header";
import { EmptyState } from "@/components/ui/empty-state";
import { getSession } from "@/components/trpc/server";

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
