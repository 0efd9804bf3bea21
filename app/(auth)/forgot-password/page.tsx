import type { Metadata } from "next";
import Link from "next/link";
import { getQueryClient, trpc } from "@/app/prefetch";
import { ForgotPasswordForm } from "@/components/account/forgot-password-form";
import { Standalone } from "@/components/shell/standalone";

export const metadata: Metadata = { title: "Forgot your password" };

export default async function ForgotPasswordPage() {
  const policy = await getQueryClient().fetchQuery(trpc.account.signUpPolicy.queryOptions());
  return (
    <Standalone
      title="Forgot your password?"
      description={
        policy.sends_mail
          ? "You get a mail with a link to set a new one."
          : "No mail can be sent from here. Those who run this installation can set a new password for you."
      }
      footer={
        <Link href="/login" className="text-accent-text underline underline-offset-2">
          Back to signing in
        </Link>
      }
    >
      {policy.sends_mail ? (
        <ForgotPasswordForm />
      ) : (
        <p className="text-table text-muted">
          They run:{" "}
          <code className="block font-mono wrap-anywhere">npm run muster -- users reset-password you@example.com</code>
        </p>
      )}
    </Standalone>
  );
}
