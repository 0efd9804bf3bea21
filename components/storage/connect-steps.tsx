"use client";

import { useQuery } from "@tanstack/react-query";
import { CodeTabs } from "@/components/kit/code-block";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { KeyValue } from "@/components/kit/key-value";
import { RadioGroup } from "@/components/kit/radio-group";
import { useTRPC } from "@/components/trpc/client";
import { maxNameLength } from "@/domain/limits";
import { CheckList } from "./check-list";
import type { Draft, ProviderChoice } from "./connect-draft";
import { CredentialFields } from "./credential-fields";
import { fieldLabels } from "./labels";
import { gcsPolicies, s3Policies } from "./policies";
import type { StorageCheck } from "./query";

interface StepProps {
  draft: Draft;
  errors: Readonly<Record<string, string>>;
  onChange: (name: string, value: string) => void;
}

const choices: readonly { value: ProviderChoice; label: string; hint: string }[] = [
  { value: "s3", label: "Amazon S3", hint: "A bucket of AWS, in any region." },
  {
    value: "s3_compatible",
    label: "S3-compatible",
    hint: "MinIO, Ceph, Cloudflare R2, Wasabi and others, at an address of their own.",
  },
  { value: "gcs", label: "Google Cloud Storage", hint: "With the key of a service account." },
];

/** Step 1: which store, and what the bucket is called in Muster. */
export function ConnectProvider({ draft, errors, onChange }: StepProps) {
  return (
    <div className="flex max-w-128 flex-col gap-5">
      <Field label="Provider" group>
        <RadioGroup
          aria-label="Provider"
          options={choices}
          value={draft.choice}
          onValueChange={(value) => onChange("choice", value)}
        />
      </Field>
      <Field label="Name" hint="Under which it is chosen for recordings, datasets and exports." error={errors.name}>
        <Input
          value={draft.name ?? ""}
          onValueChange={(value) => onChange("name", value)}
          maxLength={maxNameLength}
          autoComplete="off"
          placeholder="Fleet bucket"
        />
      </Field>
    </div>
  );
}

/** Step 2: where the bucket is, beside the policy that allows what Muster does there, filled in as one types. */
export function ConnectPermissions({ draft, errors, onChange }: StepProps) {
  const isS3 = draft.choice !== "gcs";
  const kind = isS3 ? "s3_bucket" : "gc_storage";
  const bucket = draft[isS3 ? "s3_bucket_name" : "gc_storage_bucket_name"] ?? "";
  const prefix = draft[`${kind}_prefix`] ?? "";
  const box = (name: string, more: { placeholder?: string; hint?: string; optional?: boolean } = {}) => (
    <Field label={fieldLabels[name]} hint={more.hint} optional={more.optional} error={errors[name]}>
      <Input
        mono
        spellCheck={false}
        autoComplete="off"
        placeholder={more.placeholder}
        value={draft[name] ?? ""}
        onValueChange={(value) => onChange(name, value)}
      />
    </Field>
  );
  return (
    <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)]">
      <div className="flex flex-col gap-4">
        {draft.choice === "s3_compatible" && box("s3_endpoint_url", { placeholder: "https://minio.example.com" })}
        {box(isS3 ? "s3_bucket_name" : "gc_storage_bucket_name", { placeholder: "fleet-robots" })}
        {isS3 &&
          box("s3_bucket_region", {
            placeholder: draft.choice === "s3" ? "eu-central-1" : "us-east-1",
            hint: draft.choice === "s3" ? undefined : "Stores without regions take us-east-1.",
          })}
        {box(isS3 ? "s3_bucket_prefix" : "gc_storage_prefix", {
          placeholder: "muster/",
          optional: true,
          hint: "Everything of Muster is stored below it.",
        })}
      </div>
      <section className="flex min-w-0 flex-col gap-3">
        <div>
          <h2 className="text-section font-semibold">A ready policy</h2>
          <p className="text-table text-muted">
            {isS3
              ? "Allows what Muster does in the bucket, below the prefix, and nothing else. Give it to a user of its own and take an access key of that user."
              : "Makes a service account that may use the objects of the bucket, and its key."}
          </p>
        </div>
        <CodeTabs
          label="Policies"
          tabs={
            isS3
              ? s3Policies({ bucket, prefix }, draft.choice === "s3_compatible" ? "https://" : "")
              : gcsPolicies({ bucket, prefix })
          }
        />
        {draft.choice === "s3" && <AccountNote />}
      </section>
    </div>
  );
}

/** For trust policies of the customer's own, where the operator set the account of this installation. */
function AccountNote() {
  const trpc = useTRPC();
  const info = useQuery(trpc.storage.setUpInfo.queryOptions()).data;
  if (!info || info.service_aws_account_id === "") return null;
  return (
    <KeyValue
      items={[
        [
          "AWS account of Muster",
          <code key="account" className="font-mono text-meta">
            {info.service_aws_account_id}
          </code>,
        ],
        [
          "External id",
          <code key="id" className="font-mono text-meta break-all">
            {info.external_id}
          </code>,
        ],
      ]}
    />
  );
}

interface CredentialsProps extends StepProps {
  checks: readonly StorageCheck[] | undefined;
  testing: boolean;
  /** Leads to a field of an earlier step. */
  onField: (field: string) => void;
}

/** Step 3: the credentials, and what each step of the test found. */
export function ConnectCredentials({ draft, errors, onChange, checks, testing, onField }: CredentialsProps) {
  return (
    <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
      <div className="flex flex-col gap-4">
        <CredentialFields
          provider={draft.choice === "gcs" ? "gc_storage" : "aws_s3"}
          values={draft}
          errors={errors}
          onChange={onChange}
        />
        <p className="text-meta text-subtle">They are stored encrypted and never shown again.</p>
      </div>
      <section>
        <h2 className="text-section font-semibold">Test</h2>
        <p className="mb-2 text-table text-muted">
          Everything that Muster does in a bucket is tried with one small object, which is deleted again.
        </p>
        <CheckList checks={checks} testing={testing} onField={onField} />
      </section>
    </div>
  );
}
