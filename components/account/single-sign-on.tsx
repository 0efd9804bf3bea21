"use client";

import { useState } from "react";
import { Button } from "@/components/kit/button";
import { toast } from "@/components/product/toast";
import { signInByIssuer } from "./sign-in";

/** Leads to the organization's own sign-in page, and from there to `next`. */
export function SingleSignOn({ name, next }: { name: string; next: string }) {
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    try {
      await signInByIssuer(next);
    } catch (error) {
      setBusy(false);
      toast.failure(error);
    }
  };
  return (
    <div className="mb-6 flex flex-col gap-6">
      <Button className="w-full" busy={busy} onClick={() => void start()}>
        Sign in with {name}
      </Button>
      <p className="flex items-center gap-3 text-meta text-subtle before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
        or with a password
      </p>
    </div>
  );
}
