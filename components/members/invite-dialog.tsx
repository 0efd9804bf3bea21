"use client";

import { useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { RadioGroup } from "@/components/kit/radio-group";
import { TagInput } from "@/components/kit/tag-input";
import { readFailure } from "@/components/product/failure";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { GivenRole } from "@/domain/organizations/schema";

const roleOptions = [
  { value: "member", label: "Member", hint: "Sees and works on everything in the organization." },
  { value: "admin", label: "Admin", hint: "Also manages members, keys and settings." },
] as const;

interface Result {
  email: string;
  /** Why it was refused; null when it was sent. */
  problem: string | null;
}

const looksLikeEmail = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

/** Invites several addresses, each with its own result. */
export function InviteDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const client = useTRPCClient();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [emails, setEmails] = useState<string[]>([]);
  const [role, setRole] = useState<GivenRole>("member");
  const [results, setResults] = useState<Result[]>([]);
  const [busy, setBusy] = useState(false);

  const close = () => {
    onOpenChange(false);
    setEmails([]);
    setResults([]);
  };
  const send = async () => {
    setBusy(true);
    const sent = await Promise.all(
      emails.map(async (email): Promise<Result> => {
        try {
          await client.invitations.create.mutate({ email, role });
          return { email, problem: null };
        } catch (error) {
          const failure = readFailure(error);
          return { email, problem: failure.issues[0]?.message ?? failure.detail };
        }
      }),
    );
    setBusy(false);
    setResults(sent);
    // Refused addresses stay in the box to be corrected.
    setEmails(sent.filter((result) => result.problem !== null).map((result) => result.email));
    void queryClient.invalidateQueries(trpc.invitations.list.pathFilter());
  };

  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title="Invite people"
      description="Each gets an e-mail with a link that is good for seven days and for that address only."
      footer={
        <>
          {results.length > 0 && emails.length === 0 && <Button onClick={close}>Done</Button>}
          <Button variant="primary" busy={busy} disabled={emails.length === 0} onClick={() => void send()}>
            {emails.length > 1 ? `Send ${emails.length} invitations` : "Send invitation"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="E-mail addresses" hint="Enter or paste several.">
          <TagInput
            value={emails}
            onValueChange={setEmails}
            noun="address"
            max={50}
            problem={(email) => (looksLikeEmail(email) ? undefined : "Not an e-mail address.")}
          />
        </Field>
        <Field label="Role" group>
          <RadioGroup options={roleOptions} value={role} onValueChange={setRole} />
        </Field>
        {results.length > 0 && (
          <ul className="flex flex-col gap-1" aria-live="polite">
            {results.map(({ email, problem }) => (
              <li key={email} className="flex items-start gap-2 text-table">
                {problem === null ? (
                  <CircleCheck aria-hidden className="mt-0.5 size-4 text-online" />
                ) : (
                  <CircleAlert aria-hidden className="mt-0.5 size-4 text-critical" />
                )}
                <span>
                  {email}: {problem ?? "invited"}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
