"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsInteger, useQueryState } from "nuqs";
import { useState } from "react";
import { Button, ButtonLink } from "@/components/kit/button";
import { PageBody, PageHeader } from "@/components/kit/page-header";
import { readFailure } from "@/components/product/failure";
import { FormError } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { messagesByField } from "@/domain/issues";
import { isVerified } from "@/domain/storage-configs/checks";
import { type Draft, emptyDraft, findErrors, stepFields, stepTitles, toBucket } from "./connect-draft";
import { ConnectCredentials, ConnectPermissions, ConnectProvider } from "./connect-steps";
import { storageHref, type StorageCheck } from "./query";

type Errors = Readonly<Record<string, string>>;
const lastStep = stepTitles.length;

/** Connects a bucket in three steps: where it is kept, what it has to allow, and the credentials, which are tried. */
export function ConnectStorage() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const reason = usePermissions().refusal({ role: "admin" });
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [errors, setErrors] = useState<Errors>({});
  const [checks, setChecks] = useState<readonly StorageCheck[] | undefined>();
  const [busy, setBusy] = useState<"testing" | "saving" | null>(null);
  const [wanted, setStep] = useQueryState("step", parseAsInteger.withDefault(1).withOptions({ history: "push" }));
  // What was typed is not in the address: a link to a later step begins at the first that lacks something.
  const reachable = [1, 2].find((step) => Object.keys(findErrors(draft, step)).length > 0) ?? lastStep;
  const step = Math.max(1, Math.min(wanted, reachable, lastStep));

  const change = (name: string, value: string) => {
    setDraft((before) => ({ ...before, [name]: value }));
    setErrors(({ [name]: _corrected, root: _root, ...others }) => others);
    if (name !== "name") setChecks(undefined);
  };
  /** Shows what is wrong up to a step, beginning at the first such step. */
  const complain = (upTo: number): boolean => {
    const found = findErrors(draft, upTo);
    setErrors(found);
    const at = stepFields(draft).findIndex((fields) => fields.some((field) => found[field] !== undefined));
    if (at >= 0 && at + 1 < step) void setStep(at + 1);
    return at >= 0;
  };
  const fail = (error: unknown, title: string) => {
    const { issues } = readFailure(error);
    setErrors(messagesByField(issues));
    if (issues.length === 0) toast.failure(error, { title });
  };
  const test = async () => {
    if (busy || complain(lastStep)) return;
    setBusy("testing");
    try {
      const found = (await client.storage.tryOut.mutate(toBucket(draft))).checks;
      setChecks(found);
      setErrors(
        Object.fromEntries(found.flatMap(({ field, message }) => (field && message ? [[field, message]] : []))),
      );
    } catch (error) {
      fail(error, "The bucket was not tested");
    } finally {
      setBusy(null);
    }
  };
  const save = async () => {
    if (busy || complain(lastStep)) return;
    setBusy("saving");
    try {
      const created = await client.storage.create.mutate(toBucket(draft));
      toast.success(`${created.name} is connected`);
      await queryClient.invalidateQueries(trpc.storage.pathFilter());
      router.push(storageHref(created.uid));
    } catch (error) {
      fail(error, "The bucket was not connected");
      setBusy(null);
    }
  };

  /** Opens the step that has a field, which says there what the test found. */
  const goTo = (field: string) => {
    const at = stepFields(draft).findIndex((names) => names.includes(field));
    if (at >= 0 && at + 1 !== step) void setStep(at + 1);
  };

  const verified = checks !== undefined && isVerified(checks);
  const passed = checks !== undefined && checks.every(({ ok }) => ok);
  const fields = { draft, errors, onChange: change };
  return (
    <>
      <PageHeader title="Connect a bucket" trail={[{ label: "Storage", href: "/storage" }]} />
      <PageBody className="max-w-300 gap-6">
        <ol aria-label="Steps" className="flex flex-wrap gap-x-6 gap-y-1 text-table">
          {stepTitles.map((title, at) => (
            <li
              key={title}
              aria-current={step === at + 1 ? "step" : undefined}
              className={step === at + 1 ? "font-semibold" : "text-muted"}
            >
              <span className="tabular-nums">{at + 1}</span> {title}
            </li>
          ))}
        </ol>
        <form
          noValidate
          className="flex flex-col gap-6"
          onSubmit={(event) => {
            event.preventDefault();
            if (step === lastStep) void (verified ? save() : test());
            else if (!complain(step)) void setStep(step + 1);
          }}
        >
          {errors.root && <FormError>{errors.root}</FormError>}
          {step === 1 && <ConnectProvider {...fields} />}
          {step === 2 && <ConnectPermissions {...fields} />}
          {step === 3 && <ConnectCredentials {...fields} checks={checks} testing={busy === "testing"} onField={goTo} />}
          <div className="flex flex-wrap items-center gap-2 border-t pt-4">
            {step === 1 ? (
              <ButtonLink href="/storage">Cancel</ButtonLink>
            ) : (
              <Button onClick={() => void setStep(step - 1)}>Back</Button>
            )}
            {step < lastStep ? (
              <Button type="submit" variant="primary">
                Continue
              </Button>
            ) : (
              <>
                <Button
                  variant={verified ? "secondary" : "primary"}
                  busy={busy === "testing"}
                  disabledReason={reason}
                  onClick={() => void test()}
                >
                  {checks ? "Test again" : "Test now"}
                </Button>
                <Button
                  variant={verified ? "primary" : "secondary"}
                  busy={busy === "saving"}
                  disabledReason={reason ?? (verified ? undefined : "Test it first: it has to be reached and listed.")}
                  onClick={() => void save()}
                >
                  {verified && !passed ? "Save anyway" : "Save"}
                </Button>
              </>
            )}
          </div>
        </form>
      </PageBody>
    </>
  );
}
