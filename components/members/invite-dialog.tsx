"use client";

import { useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck } from "lucide-react";
import { useState } from "react";
import { useMailState, type MailState } from "@/components/account/mail-state";
import { Button } from "@/components/kit/button";
import { CopyButton } from "@/components/kit/copy-button";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { RadioGroup } from "@/components/kit/radio-group";
import { TagInput } from "@/components/kit/tag-input";
import { readFailure } from "@/components/product/failure";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { GivenRole } from "@/domain/organizations/schema";

type Invited = GivenRole | "viewer";

const roleOptions = [
  { value: "viewer", label: "Viewer", hint: "Sees everything and changes nothing." },
  {
    value: "member",
    label: "Member",
    hint: "Operates the fleet and works on data; changes only rules and silences of their own.",
  },
  {
    value: "admin",
    label: "Admin",
    hint: "Also registers and deletes devices, and manages channels, members, keys and settings.",
  },
] as const;

interface Result {
  email: string;
  /** Why it was refused; null when the invitation was made. */
  problem: string | null;
  /** To pass the invitation on by other means than mail. */
  link: string | null;
}

const descriptions: Record<MailState, string> = {
  sent: "Each gets an e-mail with a link that is good for seven days and for that address only.",
  "no-server":
    "No mail can be sent from here. Each address gets a link to pass on, good for seven days and that address only.",
  unconfirmed:
    "Your own address is not confirmed (see your profile), so no mail is sent. Pass on the links you get here.",
};

const looksLikeEmail = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

/** Invites several addresses, each with its own result. */
export function InviteDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const client = useTRPCClient();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const mail = useMailState(open);
  const [emails, setEmails] = useState<string[]>([]);
  const [role, setRole] = useState<Invited>("member");
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
          const { copy_link: link } = await client.invitations.create.mutate({
            email,
            role: role === "viewer" ? "member" : role,
            read_only: role === "viewer",
          });
          return { email, problem: null, link };
        } catch (error) {
          const failure = readFailure(error);
          // The API has one text for both.
          const known = failure.status === 409 ? "already invited, or a member" : failure.detail;
          return { email, problem: failure.issues[0]?.message ?? known, link: null };
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
      description={mail && descriptions[mail]}
      footer={
        <>
          {results.length > 0 && emails.length === 0 && <Button onClick={close}>Done</Button>}
          <Button variant="primary" busy={busy} disabled={emails.length === 0} onClick={() => void send()}>
            {emails.length > 1 ? `Invite ${emails.length} people` : "Invite"}
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
            {results.map(({ email, problem, link }) => (
              <li key={email} className="flex items-start gap-2 text-table">
                {problem === null ? (
                  <CircleCheck aria-hidden className="mt-0.5 size-4 text-online" />
                ) : (
                  <CircleAlert aria-hidden className="mt-0.5 size-4 text-critical" />
                )}
                <span className="min-w-0 flex-1 wrap-anywhere">
                  {email}: {problem ?? "invited"}
                </span>
                {link !== null && <CopyButton text={link} label="Copy link" name={`Copy link for ${email}`} />}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
