"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { lazyPart } from "@/components/kit/lazy-part";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { ProtectedBySecondFactor } from "@/domain/organizations/second-factor";

// Loaded when it is opened, because it brings the encoder of the QR code.
const SecondFactorSetUp = lazyPart(async () => (await import("./second-factor-set-up")).SecondFactorSetUp);
const RecoveryCodes = lazyPart(async () => (await import("./second-factor-set-up")).RecoveryCodes);

type State = Outputs["secondFactor"]["state"];
type Open = "set-up" | "turn-off" | "renew" | null;

/** One's own second factor: set up, its recovery codes renewed, or turned off. */
export function SecondFactor() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const state = useQuery(trpc.secondFactor.state.queryOptions());
  const [open, setOpen] = useState<Open>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [locked, setLocked] = useState(false);
  if (state.error) return <ErrorState error={state.error} onRetry={() => void state.refetch()} />;
  if (!state.data) return <SkeletonText lines={2} />;
  const close = () => {
    setOpen(null);
    setCodes(null);
    setLocked(false);
    void state.refetch();
    void queryClient.invalidateQueries(trpc.account.sessions.queryFilter());
  };
  const { enabled_at: enabledAt, needs_password: needsPassword } = state.data;
  return (
    <>
      <Summary state={state.data} />
      <div className="mt-4 flex flex-wrap gap-2">
        {enabledAt === null ? (
          <Button onClick={() => setOpen("set-up")}>Set up</Button>
        ) : (
          <>
            <Button onClick={() => setOpen("renew")}>New recovery codes</Button>
            <Button variant="danger-quiet" onClick={() => setOpen("turn-off")}>
              Turn off
            </Button>
          </>
        )}
      </div>
      <Dialog
        open={open === "set-up"}
        onOpenChange={(next) => !next && close()}
        locked={locked}
        size="sm"
        title="Set up a second factor"
      >
        <Suspense fallback={<SkeletonText lines={3} />}>
          <SecondFactorSetUp needsPassword={needsPassword} onEnabled={() => setLocked(true)} onDone={close} />
        </Suspense>
      </Dialog>
      <Dialog
        open={open === "renew"}
        onOpenChange={(next) => !next && close()}
        locked={codes !== null}
        size="sm"
        title="New recovery codes"
        description={codes ? undefined : "The ones you have now stop working."}
      >
        {codes ? (
          <Suspense fallback={<SkeletonText lines={3} />}>
            <RecoveryCodes codes={codes} onStored={close} />
          </Suspense>
        ) : (
          <ProtectedForm needsPassword={needsPassword} act="renew" onDone={setCodes} />
        )}
      </Dialog>
      <Dialog
        open={open === "turn-off"}
        onOpenChange={(next) => !next && close()}
        size="sm"
        title="Turn off the second factor"
        description={describeLoss(state.data)}
      >
        <ProtectedForm
          needsPassword={needsPassword}
          act="turn-off"
          onDone={() => {
            toast.success("The second factor is off");
            close();
          }}
        />
      </Dialog>
    </>
  );
}

function Summary({ state }: { state: State }) {
  const left = state.recovery_codes_left;
  if (state.enabled_at === null) return <p className="text-table text-muted">Off: your password alone signs you in.</p>;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-table">
      <Badge>On</Badge>
      <span>
        Since <InstantTime value={state.enabled_at} precision="minute" />
      </span>
      <span className={left <= 2 ? "text-warning-text" : "text-muted"}>
        {left === 1 ? "1 recovery code left" : `${left} recovery codes left`}
      </span>
    </p>
  );
}

const describeLoss = ({ required_by: required }: State): string =>
  required.length === 0
    ? "Your password alone signs you in then."
    : `${required.join(", ")} ${required.length === 1 ? "requires" : "require"} one: you have to set it up again before you can go on there.`;

interface ProtectedFormProps {
  needsPassword: boolean;
  act: "renew" | "turn-off";
  onDone: (codes: readonly string[]) => void;
}

/** Asks for the password and a code, without which a session alone changes nothing. */
function ProtectedForm({ needsPassword, act, onDone }: ProtectedFormProps) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: ProtectedBySecondFactor,
    defaultValues: { code: "", ...(needsPassword && { password: "" }) },
    onSubmit: async (values) => {
      if (act === "renew") return onDone((await client.secondFactor.renewCodes.mutate(values)).recovery_codes);
      await client.secondFactor.disable.mutate(values);
      return onDone([]);
    },
  });
  return (
    <Form form={form}>
      {needsPassword && (
        <FormField form={form} name="password" label="Password">
          {(control) => (
            <Input {...control} value={control.value ?? ""} type="password" autoComplete="current-password" />
          )}
        </FormField>
      )}
      <FormField form={form} name="code" label="Code" hint="From your app, or one of your recovery codes.">
        {(control) => <Input {...control} mono autoComplete="one-time-code" />}
      </FormField>
      <FormActions>
        <SubmitButton form={form} variant={act === "renew" ? "primary" : "danger"}>
          {act === "renew" ? "Make new codes" : "Turn off"}
        </SubmitButton>
      </FormActions>
    </Form>
  );
}
