"use client";

import { useQuery } from "@tanstack/react-query";
import { Section } from "@/components/kit/page-header";
import { useTRPC } from "@/components/trpc/client";
import { DeleteAccount } from "./delete-account";
import { DeletionList } from "./deletion-list";

/** The organizations that the person is having deleted, if there are any. */
export function DeletionsSection() {
  const trpc = useTRPC();
  const deletions = useQuery(trpc.organizations.deletions.queryOptions());
  if (!deletions.data || deletions.data.length === 0) return null;
  return (
    <Section title="Organizations being deleted" description="Until then you can take that back; only you see them.">
      <DeletionList />
    </Section>
  );
}

/** The end of one's own account, once the person owns no organization. */
export function DeleteAccountSection({ email }: { email: string }) {
  const trpc = useTRPC();
  const organizations = useQuery(trpc.organizations.list.queryOptions({}));
  const owned = (organizations.data?.results ?? []).filter((each) => each.role === "owner" && each.deletes_at === null);
  const names = owned.map(({ name }) => name).join(", ");
  return (
    <Section
      title="Delete account"
      description="Your sessions, API keys and saved views are deleted, and you leave every organization."
    >
      <DeleteAccount
        email={email}
        disabledReason={owned.length > 0 ? `You own ${names}. Transfer or delete what you own first.` : undefined}
      />
    </Section>
  );
}
