"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { signOut } from "@/components/account/sign-out";
import { Button, ButtonLink } from "@/components/kit/button";
import { NewOrganizationDialog } from "@/components/organizations/new-organization-dialog";
import { openOrganization } from "@/components/shell/open-organization";
import { useTRPC } from "@/components/trpc/client";
import { DeleteAccount } from "./delete-account";
import { DeletionList } from "./deletion-list";

export interface OwnOrganizationsProps {
  email: string;
  /** Whether the person is in one that is not being deleted. */
  isInOrganization: boolean;
}

/** What a person can do without an organization: take a deletion back, make a new one, delete the account, sign out. */
export function OwnOrganizations({ email, isInOrganization }: OwnOrganizationsProps) {
  const trpc = useTRPC();
  const deletions = useQuery(trpc.organizations.deletions.queryOptions()).data ?? [];
  const [creating, setCreating] = useState(false);
  return (
    <div className="flex flex-col gap-6">
      {deletions.length > 0 && (
        <section>
          <h2 className="mb-2 text-section font-semibold">Being deleted</h2>
          <DeletionList />
        </section>
      )}
      <div className="flex flex-wrap gap-2">
        {isInOrganization && (
          <ButtonLink variant="primary" href="/">
            Open Muster
          </ButtonLink>
        )}
        <Button variant={isInOrganization ? "secondary" : "primary"} onClick={() => setCreating(true)}>
          New organization
        </Button>
        <Button onClick={() => void signOut()}>Sign out</Button>
      </div>
      {!isInOrganization && (
        <section className="border-t pt-4">
          <p className="mb-2 text-table text-muted">
            {deletions.length > 0
              ? "You can delete your account too. Then nobody can take these deletions back."
              : "You can also delete your account."}
          </p>
          <DeleteAccount email={email} />
        </section>
      )}
      <NewOrganizationDialog open={creating} onOpenChange={setCreating} onCreated={openOrganization} />
    </div>
  );
}
