"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useMailState } from "@/components/account/mail-state";
import { Checkbox } from "@/components/kit/checkbox";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { RadioGroup } from "@/components/kit/radio-group";
import { severityOptions } from "@/components/product/severity-options";
import { StatusMark } from "@/components/product/status";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { Severity } from "@/domain/severity";

const options = severityOptions.map((option) => ({ ...option, icon: <StatusMark tone={option.value} /> }));

/** Sends a test alert through every step: silences, the chosen channels, the inbox. */
export function TestAlertDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const channels = useQuery(trpc.channels.list.queryOptions({ limit: 50 })).data?.results;
  const mail = useMailState();
  const [severity, setSeverity] = useState<Severity>("info");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      const { uid, silenced } = await client.alerts.test.mutate({ severity, channel_ids: [...chosen] });
      await queryClient.invalidateQueries(trpc.alerts.pathFilter());
      onClose();
      toast.success(silenced ? "The test alert is silenced" : "The test alert is in the inbox", {
        description: silenced
          ? "A silence mutes it, so no channel is notified. It is listed under Silenced."
          : chosen.length > 0
            ? "Its timeline shows how each channel responded."
            : undefined,
        action: { label: "Open", onClick: () => router.push(`/alerts/${uid}`) },
      });
    } catch (error) {
      toast.failure(error, { title: "No test alert was raised" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Test an alert"
      description="Raises an alert that is marked as a test. It is processed like a real one, belongs to no rule and no device, and can be removed afterwards."
      footer={<DialogActions action="Send test alert" busy={busy} onAction={send} onCancel={onClose} />}
    >
      <div className="flex flex-col gap-4">
        <Field
          label="Severity"
          group
          hint="A critical alert is sent immediately; others wait 8 seconds, so that they can be undone."
        >
          <RadioGroup
            aria-label="Severity"
            layout="segments"
            className="flex w-full"
            options={options}
            value={severity}
            onValueChange={setSeverity}
          />
        </Field>
        <Field label="Also notify these channels" group>
          {channels?.length === 0 && (
            <p className="text-table text-muted">
              There are no channels yet.{" "}
              <Link href="/settings/channels" className="text-accent-text hover:underline">
                Add one
              </Link>{" "}
              to be notified outside of Muster.
            </p>
          )}
          <div className="flex max-h-60 flex-col gap-2 overflow-y-auto">
            {channels?.map(({ uid, name, type }) => (
              <Checkbox
                key={uid}
                label={name}
                hint={type === "email" && mail === "no-server" ? "email: no mail can be sent from here" : type}
                checked={chosen.includes(uid)}
                onCheckedChange={(on) => setChosen(on ? [...chosen, uid] : chosen.filter((each) => each !== uid))}
              />
            ))}
          </div>
        </Field>
      </div>
    </Dialog>
  );
}
