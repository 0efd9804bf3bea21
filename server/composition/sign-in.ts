import type { NextAuthOptions } from "next-auth";
import { admitIdentity } from "@/server/features/accounts/identity-service";
import { createAuthOptions } from "@/server/transport/session/sign-in";

/** next-auth's options for a request with these headers. */
export const getAuthOptions = (headers?: Headers): NextAuthOptions =>
  createAuthOptions({ admitIdentity, ...(headers && { headers }) });
