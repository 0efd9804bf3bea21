import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { getSession } from "@/app/prefetch";
import { safePath } from "@/components/account/safe-path";
import { SignUpForm } from "@/components/account/sign-up-form";
import { Standalone } from "@/components/shell/standalone";

export const metadata: Metadata = { title: "Sign up" };

export default async function SignupPage({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) {
  const next = safePath((await searchParams).next);
  if (await getSession()) redirect(next);
  return (
    <Standalone
      title="Create your account"
      description="You get an organization of your own; colleagues join it by invitation."
      footer={
        <>
          Already have an account?{" "}
          <Link
            href={`/login?next=${encodeURIComponent(next)}`}
            className="text-accent-text underline underline-offset-2"
          >
            Sign in
          </Link>
        </>
      }
    >
      <SignUpForm next={next} />
    </Standalone>
  );
}
