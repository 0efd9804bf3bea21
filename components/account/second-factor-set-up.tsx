"use client";

import encodeQR from "qr";
import { useState } from "react";
import { CopyButton } from "@/components/kit/copy-button";
import { Input } from "@/components/kit/input";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { SecretOnce } from "@/components/product/secret-once";
import { useTRPCClient, type Outputs } from "@/components/trpc/client";
import { SecondFactorCode, StartSecondFactor } from "@/domain/organizations/second-factor";

type Pending = Outputs["secondFactor"]["start"];

export interface SecondFactorSetUpProps {
  needsPassword: boolean;
  /** Called when it is on; the recovery codes, which are shown only once, are on screen from then on. */
  onEnabled?: () => void;
  /** Called when the recovery codes are stored. */
  onDone: () => void;
}

/** Sets up an authenticator app in three steps: the password, a first code, and the recovery codes. */
export function SecondFactorSetUp({ needsPassword, onEnabled, onDone }: SecondFactorSetUpProps) {
  const [pending, setPending] = useState<Pending | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes) return <RecoveryCodes codes={codes} onStored={onDone} />;
  const show = (made: readonly string[]) => {
    setCodes(made);
    onEnabled?.();
  };
  if (pending) return <FirstCode pending={pending} onEnabled={show} />;
  return <Start needsPassword={needsPassword} onStarted={setPending} />;
}

function Start({ needsPassword, onStarted }: { needsPassword: boolean; onStarted: (pending: Pending) => void }) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: StartSecondFactor,
    defaultValues: needsPassword ? { password: "" } : {},
    onSubmit: async (values) => onStarted(await client.secondFactor.start.mutate(values)),
  });
  return (
    <Form form={form}>
      <p className="text-table text-muted">
        You need an app that makes one-time codes, on your phone or in your password manager.
      </p>
      {needsPassword && (
        <FormField form={form} name="password" label="Password">
          {(control) => (
            <Input {...control} value={control.value ?? ""} type="password" autoComplete="current-password" />
          )}
        </FormField>
      )}
      <FormActions>
        <SubmitButton form={form}>Continue</SubmitButton>
      </FormActions>
    </Form>
  );
}

function FirstCode({ pending, onEnabled }: { pending: Pending; onEnabled: (codes: readonly string[]) => void }) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: SecondFactorCode,
    defaultValues: { code: "" },
    onSubmit: async (values) => onEnabled((await client.secondFactor.enable.mutate(values)).recovery_codes),
  });
  return (
    <Form form={form}>
      <p className="text-table text-muted">Scan this with the app, or enter the key there by hand.</p>
      <QrCode text={pending.uri} label="QR code for the authenticator app" />
      <div className="flex min-w-0 items-center gap-2 rounded-panel border py-1 pr-1 pl-3">
        <code aria-label="Key" className="min-w-0 flex-1 font-mono text-table break-all select-all">
          {pending.secret}
        </code>
        <CopyButton text={pending.secret} label="Copy" name="Copy key" />
      </div>
      <FormField form={form} name="code" label="Code" hint="The six digits that the app shows now.">
        {(control) => <Input {...control} mono inputMode="numeric" autoComplete="one-time-code" autoFocus />}
      </FormField>
      <FormActions>
        <SubmitButton form={form}>Turn on</SubmitButton>
      </FormActions>
    </Form>
  );
}

/** The recovery codes, shown once. */
export function RecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored: () => void }) {
  const text = codes.join("\n");
  return (
    <SecretOnce
      label="Recovery codes"
      secret={text}
      file={{ name: "muster-recovery-codes.txt", content: `${text}\n` }}
      onStored={onStored}
    >
      <p className="text-table text-muted">Each of these signs you in once when you do not have the app at hand.</p>
    </SecretOnce>
  );
}

/** A QR code, dark on light in both themes, because many cameras read no other. */
function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, "raw", { border: 4 });
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-panel border"
    >
      <rect width="100%" height="100%" fill="white" />
      <path d={path} fill="black" />
    </svg>
  );
}
