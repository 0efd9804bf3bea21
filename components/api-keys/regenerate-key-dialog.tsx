"use client";

import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Select } from "@/components/kit/select";
import { SecretOnce } from "@/components/product/secret-once";
import { toast } from "@/components/product/toast";
import { useTRPCClient } from "@/components/trpc/client";
import { overlapHours } from "@/domain/api-keys/schema";
import type { Key } from "./key";

const overlaps = overlapHours.map((hours) => ({
  value: String(hours),
  label: hours === 0 ? "Stops immediately" : hours === 1 ? "For 1 more hour" : `For ${hours} more hours`,
}));

/** Replaces a key's secret; the old one may stay valid for a while, so that programs can be migrated. */
export function RegenerateKeyDialog({
  stale,
  onClose,
  onRegenerated,
}: {
  stale: Key;
  onClose: () => void;
  onRegenerated: () => void;
}) {
  const client = useTRPCClient();
  const [hours, setHours] = useState("0");
  const [secret, setSecret] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const regenerate = async () => {
    setBusy(true);
    try {
      const keepOldHours = overlapHours.find((candidate) => String(candidate) === hours) ?? 0;
      const created = await client.apiKeys.regenerate.mutate({ uid: stale.uid, keep_old_hours: keepOldHours });
      setSecret(created.key);
      onRegenerated();
    } catch (error) {
      toast.failure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      locked={secret !== null}
      title={secret === null ? `Regenerate ${stale.name}` : "Your new key"}
      description={secret === null ? "You get a new secret with the same name and scopes." : undefined}
      footer={
        secret === null && (
          <Button variant="primary" busy={busy} onClick={() => void regenerate()}>
            Regenerate key
          </Button>
        )
      }
    >
      {secret === null ? (
        <Field label="Old key">
          <Select options={overlaps} value={hours} onValueChange={setHours} />
        </Field>
      ) : (
        <SecretOnce label="API key" secret={secret} onStored={onClose} />
      )}
    </Dialog>
  );
}
