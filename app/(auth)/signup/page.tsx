import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { getQueryClient, getSignedIn, trpc } from "@/app/prefetch";
import { safePath } from "@/components/account/safe-path";
import { SignUp } from "@/components/account/sign-up";
import { Standalone } from "@/components/shell/standalone";

export const metadata: Metadata = { title: "Sign up" };

const descriptions = {
  open: "You get an organization of your own; colleagues join it by invitation.",
  invited: "Ask an admin of your organization for an invitation, and open its link.",
  closed: "Accounts are made by those who run this installation.",
};

export default async function SignupPage({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) {
  const next = safePath((await searchParams).next);
  const [signedIn, policy] = await Promise.all([
    getSignedIn(),
    getQueryClient().fetchQuery(trpc.account.signUpPolicy.queryOptions()),
  ]);
  if (signedIn) redirect(next);
  const admits = policy.first || policy.mode === "open";
  const title = policy.mode === "invited" ? "Sign-up needs an invitation" : "Sign-up is closed";
  const first = "It is the first of this installation, with an organization of its own.";
  return (
    <Standalone
      title={admits ? "Create your account" : title}
      description={policy.first ? first : descriptions[policy.mode]}
      footer={
        policy.first && policy.single_sign_on === null ? undefined : (
          <>
            Already have an account?{" "}
            <Link
              href={`/login?next=${encodeURIComponent(next)}`}
              className="text-accent-text underline underline-offset-2"
            >
              Sign in
            </Link>
          </>
        )
      }
    >
      {admits ? <SignUp next={next} setupToken={policy.setup_token} /> : null}
    </Standalone>
  );
}
