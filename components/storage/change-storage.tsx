"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { readFailure } from "@/components/product/failure";
import { Form, FormError, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { required } from "@/domain/field-messages";
import { messagesByField } from "@/domain/issues";
import { maxNameLength } from "@/domain/limits";
import { UpdateStorageConfig } from "@/domain/storage-configs/schema";
import { CredentialFields, type Values } from "./credential-fields";
import type { Bucket } from "./query";

const Rename = UpdateStorageConfig.pick({ name: true }).required();

interface ChangeProps {
  bucket: Bucket;
  onClose: () => void;
}

/** Changes the name under which a bucket is chosen. */
export function RenameDialog({ bucket, onClose }: ChangeProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const form = useApiForm({
    schema: Rename,
    defaultValues: { name: bucket.name },
    onSubmit: async (change) => {
      await client.storage.update.mutate({ uid: bucket.uid, change });
      toast.success(`Renamed to ${change.name}`);
      onClose();
      await queryClient.invalidateQueries(trpc.storage.pathFilter());
    },
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`Rename ${bucket.name}`} size="sm">
      <Form form={form}>
        <FormField form={form} name="name" label="Name">
          {(control) => <Input {...control} maxLength={maxNameLength} autoComplete="off" />}
        </FormField>
        <div className="flex justify-end gap-2 border-t pt-4">
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form}>Rename</SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}

const needed = {
  aws_s3: ["s3_access_key_id", "s3_secret_access_key"],
  gc_storage: ["gc_storage_auth_json_content"],
} as const;

/** Replaces a bucket's credentials once the new ones passed the test; until then the old ones go on working. */
export function RotateDialog({ bucket, onClose }: ChangeProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [values, setValues] = useState<Values>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);

  const save = async () => {
    const names = needed[bucket.provider];
    const missing = names.filter((name) => (values[name] ?? "").trim() === "");
    setErrors(Object.fromEntries(missing.map((name) => [name, required])));
    if (missing.length > 0 || busy) return;
    setBusy(true);
    try {
      const change = Object.fromEntries(names.map((name) => [name, (values[name] ?? "").trim()]));
      await client.storage.update.mutate({ uid: bucket.uid, change });
      toast.success(`${bucket.name} uses the new credentials`);
      onClose();
      await queryClient.invalidateQueries(trpc.storage.pathFilter());
    } catch (error) {
      const { issues } = readFailure(error);
      setErrors(messagesByField(issues));
      if (issues.length === 0) toast.failure(error, { title: "The credentials were not replaced" });
    } finally {
      setBusy(false);
    }
  };
  const elsewhere = Object.entries(errors).filter(
    ([name]) => !(needed[bucket.provider] as readonly string[]).includes(name),
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Replace the credentials of ${bucket.name}`}
      description="They are tested first. Until they pass, the old ones go on working."
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {elsewhere.length > 0 && <FormError>{elsewhere.map(([, message]) => message).join(" ")}</FormError>}
        {Object.keys(errors).length > 0 && !Object.values(errors).includes(required) && (
          <p role="status" className="text-table text-muted">
            The old credentials are still in use.
          </p>
        )}
        <CredentialFields
          provider={bucket.provider}
          values={values}
          errors={errors}
          onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
        />
        <div className="flex justify-end gap-2 border-t pt-4">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={busy}>
            Test and replace
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
