import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { getQueryClient, getSettingUp, getSignedIn, isAwaitingSignIn, trpc, type QueryPageProps } from "@/app/prefetch";
import { readPath, safePath } from "@/components/account/safe-path";
import { SecondFactorForm } from "@/components/account/second-factor-form";
import { SignInForm } from "@/components/account/sign-in-form";
import { SingleSignOn } from "@/components/account/single-sign-on";
import { FormError } from "@/components/product/form";
import { Standalone } from "@/components/shell/standalone";
import { explainSignInRefusal } from "@/domain/organizations/sign-in-refusal";

export const metadata: Metadata = { title: "Sign in" };

export default async function LoginPage({ searchParams }: QueryPageProps) {
  const query = await searchParams;
  // A sign-in elsewhere that failed returns with the address where it would have led.
  const next = safePath(query.next ?? readPath(query.callbackUrl));
  const [signedIn, settingUp, awaiting, policy] = await Promise.all([
    getSignedIn(),
    getSettingUp(),
    isAwaitingSignIn(),
    getQueryClient().fetchQuery(trpc.account.signUpPolicy.queryOptions()),
  ]);
  if (settingUp) redirect(`/second-factor?next=${encodeURIComponent(next)}`);
  if (signedIn) redirect(next);
  if (awaiting) {
    return (
      <Standalone title="Enter your code" description="Your account has a second factor.">
        <SecondFactorForm next={next} />
      </Standalone>
    );
  }
  const problem = explainSignInRefusal(query.refused, query.error);
  const signUpHref = `/signup?next=${encodeURIComponent(next)}`;
  // Nobody can sign in yet, but for those whose accounts are elsewhere.
  if (policy.first && policy.single_sign_on === null) redirect(signUpHref);
  return (
    <Standalone
      title="Sign in"
      footer={
        policy.first || policy.mode === "open" ? (
          <>
            No account yet?{" "}
            <Link href={signUpHref} className="text-accent-text underline underline-offset-2">
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
      {problem !== undefined && (
        <div className="mb-6">
          <FormError>{problem}</FormError>
        </div>
      )}
      {policy.single_sign_on !== null && <SingleSignOn name={policy.single_sign_on} next={next} />}
      <SignInForm next={next} />
    </Standalone>
  );
}
