import type { Metadata } from "next";
import { getQueryClient, getSignedIn, trpc } from "@/app/prefetch";
import { InvitationAnswer } from "@/components/members/invitation-answer";
import { Standalone } from "@/components/shell/standalone";
import { isServiceError } from "@/server/platform/errors";

export const metadata: Metadata = { title: "Invitation" };

const roleText = ({ role, read_only: readOnly }: { role: string; read_only: boolean }): string =>
  role === "admin" ? "an admin" : readOnly ? "a member who can only view" : "a member";

export default async function InvitationPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const [signedIn, policy, invitation] = await Promise.all([
    getSignedIn(),
    getQueryClient().fetchQuery(trpc.account.signUpPolicy.queryOptions()),
    getQueryClient()
      .fetchQuery({ ...trpc.invitations.preview.queryOptions({ token }), retry: false })
      .catch((error: unknown) => {
        if (error instanceof Error && isServiceError(error.cause) && error.cause.code === "not_found") return null;
        throw error;
      }),
  ]);
  if (!invitation) {
    return (
      <Standalone
        title="This invitation is no longer valid"
        description="It was used, cancelled, or is older than seven days. Ask for a new one."
      >
        {null}
      </Standalone>
    );
  }
  return (
    <Standalone
      title={`Join ${invitation.organization_name}`}
      description={`${invitation.invited_by_username ?? "A colleague"} invited ${invitation.invited_email} as ${roleText(invitation)}.`}
    >
      <InvitationAnswer
        token={token}
        email={invitation.invited_email}
        organization={{ slug: invitation.organization_slug, name: invitation.organization_name }}
        hasAccount={invitation.has_account}
        signUpClosed={policy.mode === "closed"}
        signedInAs={signedIn?.email ?? null}
      />
    </Standalone>
  );
}
