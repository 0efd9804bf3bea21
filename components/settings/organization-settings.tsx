"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { PageBody, PageHeader, Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { UidChip } from "@/components/product/uid-chip";
import { startOverAt } from "@/components/shell/open-organization";
import { useTRPC } from "@/components/trpc/client";
import { deletionDays } from "@/domain/organizations/schema";
import { GeneralSection } from "./general-section";
import { KeyLimitSection } from "./key-limit-section";
import { PicturesSection } from "./pictures-section";
import { RetentionSection } from "./retention-section";
import { StorageSection } from "./storage-section";
import type { Organization } from "./use-saved";

/** What holds for the whole organization, and its end. */
export function OrganizationSettings() {
  const trpc = useTRPC();
  const organization = useQuery(trpc.organizations.current.queryOptions());
  return (
    <>
      <PageHeader title="Organization" meta={organization.data && <UidChip uid={organization.data.uid} max={24} />} />
      <PageBody narrow>
        {organization.data ? (
          <>
            <GeneralSection organization={organization.data} />
            <KeyLimitSection organization={organization.data} />
            <PicturesSection organization={organization.data} />
            <StorageSection />
            <RetentionSection organization={organization.data} />
            <Section title="Results" description="Admins decide results, and nobody decides a result of their own.">
              <Link href="/settings/members?tab=roles" className="text-table text-accent-text hover:underline">
                What each role can do
              </Link>
            </Section>
            <DeletionSection organization={organization.data} />
          </>
        ) : organization.error ? (
          <ErrorState error={organization.error} onRetry={() => void organization.refetch()} />
        ) : (
          <SkeletonText lines={6} />
        )}
      </PageBody>
    </>
  );
}

function DeletionSection({ organization }: { organization: Organization }) {
  const trpc = useTRPC();
  const { refusal } = usePermissions();
  const policy = useQuery(trpc.account.signUpPolicy.queryOptions());
  const remove = useMutation(trpc.organizations.delete.mutationOptions({ onError: (error) => toast.failure(error) }));
  const [asking, setAsking] = useState(false);
  const name = organization.name.trim();
  return (
    <Section
      title="Delete organization"
      description={`For ${deletionDays} days only its owner sees it and can take that back. Then all its devices, recordings and other data are deleted for good.`}
    >
      <Button variant="danger-quiet" disabledReason={refusal({ role: "owner" })} onClick={() => setAsking(true)}>
        Delete organization
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Delete ${name}?`}
        description={`Everybody loses access immediately: its API keys, device tokens and sessions are refused, and no alert, webhook or mail is sent. You can take that back for ${deletionDays} days, in your profile${policy.data?.sends_mail ? " or by the link that is mailed to you" : ""}.`}
        action="Delete organization"
        danger
        typeToConfirm={name}
        onConfirm={async () => {
          await remove.mutateAsync({ confirm_name: name });
          startOverAt("/organizations");
        }}
      />
    </Section>
  );
}
