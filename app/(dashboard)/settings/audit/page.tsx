import type { Metadata } from "next";
import { getSession } from "@/app/prefetch";
import { AuditLog } from "@/components/audit/audit-log";
import { EmptyState } from "@/components/kit/empty-state";
import { PageHeader } from "@/components/kit/page-header";

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
