import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { getQueryClient, getSignedIn, trpc } from "@/app/prefetch";
import { safePath } from "@/components/account/safe-path";
import { SignInForm } from "@/components/account/sign-in-form";
import { Standalone } from "@/components/shell/standalone";

export const metadata: Metadata = { title: "Sign in" };

export default async function LoginPage({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) {
  const next = safePath((await searchParams).next);
  const [signedIn, policy] = await Promise.all([
    getSignedIn(),
    getQueryClient().fetchQuery(trpc.account.signUpPolicy.queryOptions()),
  ]);
  if (signedIn) redirect(next);
  return (
    <Standalone
      title="Sign in"
      footer={
        policy.first || policy.mode === "open" ? (
          <>
            No account yet?{" "}
            <Link
              href={`/signup?next=${encodeURIComponent(next)}`}
              className="text-accent-text underline underline-offset-2"
            >
              Sign up
            </Link>
          </>
        ) : policy.mode === "invited" ? (
          "No account yet? Ask an admin of your organization for an invitation."
        ) : (
          "No account yet? Ask those who run this installation."
        )
      }
    >
      <SignInForm next={next} />
    </Standalone>
  );
}
