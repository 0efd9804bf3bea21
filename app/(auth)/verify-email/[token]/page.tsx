import type { Metadata } from "next";
import { VerifyEmail } from "@/components/account/verify-email";
import { Standalone } from "@/components/shell/standalone";

export const metadata: Metadata = { title: "Confirm your e-mail address" };

export default async function VerifyEmailPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  return (
    <Standalone
      title="Confirm your e-mail address"
      description="Then invitations and alerts may be mailed in your name."
    >
      <VerifyEmail token={token.slice(0, 255)} />
    </Standalone>
  );
}
