import type { Metadata } from "next";
import Link from "next/link";
import { getQueryClient, trpc } from "@/app/prefetch";
import { ResetPasswordForm } from "@/components/account/reset-password-form";
import { Standalone } from "@/components/shell/standalone";

export const metadata: Metadata = { title: "Set a new password" };

export default async function ResetPasswordPage({ params }: { params: Promise<{ token: string }> }) {
  const token = (await params).token.slice(0, 255);
  const isValid = await getQueryClient().fetchQuery(trpc.account.isResetLinkValid.queryOptions({ token }));
  if (!isValid) {
    return (
      <Standalone
        title="This link is no longer valid"
        description="It was used, is older than 30 minutes, or a later mail has another one."
        footer={
          <Link href="/forgot-password" className="text-accent-text underline underline-offset-2">
            Ask for a new link
          </Link>
        }
      >
        {null}
      </Standalone>
    );
  }
  return (
    <Standalone title="Set a new password" description="It signs you out of every browser.">
      <ResetPasswordForm token={token} />
    </Standalone>
  );
}
