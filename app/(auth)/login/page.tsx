import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { getSession } from "@/app/prefetch";
import { safePath } from "@/components/account/safe-path";
import { SignInForm } from "@/components/account/sign-in-form";
import { Standalone } from "@/components/shell/standalone";

export const metadata: Metadata = { title: "Sign in" };

export default async function LoginPage({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) {
  const next = safePath((await searchParams).next);
  if (await getSession()) redirect(next);
  return (
    <Standalone
      title="Sign in"
      footer={
        <>
          No account yet?{" "}
          <Link
            href={`/signup?next=${encodeURIComponent(next)}`}
            className="text-accent-text underline underline-offset-2"
          >
            Sign up
          </Link>
        </>
      }
    >
      <SignInForm next={next} />
    </Standalone>
  );
}
