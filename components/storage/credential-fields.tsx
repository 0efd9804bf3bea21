"use client";

import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Textarea } from "@/components/kit/textarea";
import type { StorageProvider } from "@/domain/storage-configs/providers";
import { fieldLabels } from "./labels";

export type Values = Readonly<Record<string, string>>;

export interface FieldsProps {
  provider: StorageProvider;
  values: Values;
  errors: Readonly<Record<string, string>>;
  onChange: (name: string, value: string) => void;
}

/** The credentials of a bucket. They are stored encrypted and never shown again. */
export function CredentialFields({ provider, values, errors, onChange }: FieldsProps) {
  if (provider === "gc_storage") {
    const name = "gc_storage_auth_json_content";
    return (
      <Field
        label={fieldLabels[name]}
        hint="The whole JSON file that Google gave you for the service account."
        error={errors[name]}
      >
        <Textarea
          mono
          rows={6}
          spellCheck={false}
          autoComplete="off"
          data-secret
          placeholder='{"type": "service_account", …}'
          value={values[name] ?? ""}
          onChange={(event) => onChange(name, event.currentTarget.value)}
        />
      </Field>
    );
  }
  return (
    <>
      {(["s3_access_key_id", "s3_secret_access_key"] as const).map((name) => (
        <Field key={name} label={fieldLabels[name]} error={errors[name]}>
          <Input
            mono
            type={name === "s3_secret_access_key" ? "password" : "text"}
            autoComplete={name === "s3_secret_access_key" ? "new-password" : "off"}
            spellCheck={false}
            value={values[name] ?? ""}
            onValueChange={(value) => onChange(name, value)}
          />
        </Field>
      ))}
    </>
  );
}
