"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc/client";

/**
 * Whether mails that the person causes reach others: `sent`, or why not. `no-server`: the installation has no mail
 * server; `unconfirmed`: the person's own address is not confirmed. Undefined until it is known.
 */
export type MailState = "sent" | "no-server" | "unconfirmed";

export function useMailState(enabled = true): MailState | undefined {
  const trpc = useTRPC();
  const policy = useQuery({ ...trpc.account.signUpPolicy.queryOptions(), enabled }).data;
  const profile = useQuery({ ...trpc.account.profile.queryOptions(), enabled }).data;
  if (policy?.sends_mail === false) return "no-server";
  if (!policy || !profile) return undefined;
  return profile.email_verified ? "sent" : "unconfirmed";
}
