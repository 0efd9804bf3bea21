"use client";

import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, Pencil, Power, Send, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { Suspense, useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { Dialog } from "@/components/kit/dialog";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { SecretOnce } from "@/components/product/secret-once";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { Webhook } from "./query";

// Loaded when a webhook is changed, because it brings the form library.
const EditWebhookDialog = lazyDialog(async () => (await import("./edit-webhook-dialog")).EditWebhookDialog);

type Open = { kind: "edit" | "rotate" | "delete"; webhook: Webhook } | { kind: "secret"; secret: string } | null;

export interface WebhookActions {
  /** Why the person may not change webhooks. */
  reason: string | undefined;
  testing: string | null;
  test: (uid: string) => Promise<void>;
  turn: (webhook: Webhook, on: boolean) => Promise<void>;
  edit: (webhook: Webhook) => void;
  rotate: (webhook: Webhook) => void;
  remove: (webhook: Webhook) => void;
  menu: (webhook: Webhook) => MenuItem[];
  /** To be rendered once. */
  dialogs: ReactNode;
}

/** What can be done to a webhook, with its dialogs. */
export function useWebhookActions(onDeleted: (uid: string) => void = () => {}): WebhookActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const reason = usePermissions().refusal({ role: "admin" });
  const [open, setOpen] = useState<Open>(null);
  const [testing, setTesting] = useState<string | null>(null);
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.webhooks.pathFilter()),
      queryClient.invalidateQueries(trpc.deliveries.pathFilter()),
    ]);

  const test = async (uid: string) => {
    setTesting(uid);
    try {
      const { delivery_uid: delivery } = await client.webhooks.test.mutate({ uid });
      toast.success("Test queued", {
        action: { label: "Open", onClick: () => router.push(`/webhooks/${uid}?selected=${delivery}`) },
      });
      await refresh();
    } catch (error) {
      toast.failure(error, { title: "The test was not sent" });
    } finally {
      setTesting(null);
    }
  };
  const turn = async (webhook: Webhook, on: boolean) => {
    try {
      await client.webhooks.update.mutate({ uid: webhook.uid, change: { is_active: on } });
      toast.success(on ? "Turned on" : "Turned off", {
        description: on ? undefined : "What was waiting failed. It can be replayed.",
      });
      await refresh();
    } catch (error) {
      toast.failure(error, { title: on ? "It was not turned on" : "It was not turned off" });
    }
  };
  const rotate = async (webhook: Webhook) => {
    try {
      const { secret } = await client.webhooks.rotateSecret.mutate({ uid: webhook.uid });
      setOpen({ kind: "secret", secret });
      await refresh();
    } catch (error) {
      toast.failure(error, { title: "The secret was not rotated" });
      throw error;
    }
  };
  const remove = async (webhook: Webhook) => {
    try {
      await client.webhooks.delete.mutate({ uid: webhook.uid });
    } catch (error) {
      toast.failure(error, { title: "The webhook was not deleted" });
      throw error;
    }
    toast.success("Webhook deleted");
    onDeleted(webhook.uid);
    await refresh();
  };

  // A dialog that closes after another has opened leaves that one open.
  const close = (kind: NonNullable<Open>["kind"]) => (next: boolean) =>
    !next && setOpen((current) => (current?.kind === kind ? null : current));
  const edit = (webhook: Webhook) => setOpen({ kind: "edit", webhook });
  const askRotate = (webhook: Webhook) => setOpen({ kind: "rotate", webhook });
  const askRemove = (webhook: Webhook) => setOpen({ kind: "delete", webhook });
  return {
    reason,
    testing,
    test,
    turn,
    edit,
    rotate: askRotate,
    remove: askRemove,
    menu: (webhook) => [
      {
        label: "Send test",
        icon: <Send aria-hidden />,
        disabledReason: reason,
        onSelect: () => void test(webhook.uid),
      },
      { label: "Change", icon: <Pencil aria-hidden />, disabledReason: reason, onSelect: () => edit(webhook) },
      {
        label: webhook.is_active ? "Turn off" : "Turn on",
        icon: <Power aria-hidden />,
        disabledReason: reason,
        onSelect: () => void turn(webhook, !webhook.is_active),
      },
      {
        label: "Rotate secret",
        icon: <KeyRound aria-hidden />,
        disabledReason: reason,
        onSelect: () => askRotate(webhook),
      },
      "separator",
      {
        label: "Delete",
        icon: <Trash2 aria-hidden />,
        danger: true,
        disabledReason: reason,
        onSelect: () => askRemove(webhook),
      },
    ],
    dialogs: (
      <>
        {open?.kind === "edit" && (
          <Suspense>
            <EditWebhookDialog webhook={open.webhook} onClose={() => setOpen(null)} />
          </Suspense>
        )}
        {open?.kind === "rotate" && (
          <ConfirmDialog
            open
            danger={false}
            onOpenChange={close("rotate")}
            title="Rotate the signing secret?"
            description="You get a new secret. For 24 hours messages are signed with both, so that your receiver can change over without losing any."
            action="Rotate secret"
            onConfirm={() => rotate(open.webhook)}
          />
        )}
        {open?.kind === "secret" && (
          <Dialog open locked onOpenChange={close("secret")} title="Your new signing secret">
            <SecretOnce label="Signing secret" secret={open.secret} onStored={() => setOpen(null)} />
          </Dialog>
        )}
        {open?.kind === "delete" && (
          <ConfirmDialog
            open
            onOpenChange={close("delete")}
            title="Delete this webhook?"
            description={`Nothing more is sent to ${open.webhook.target_url}, and what is waiting is dropped. Its deliveries stay on record in the API.`}
            action="Delete webhook"
            typeToConfirm={new URL(open.webhook.target_url).host}
            onConfirm={() => remove(open.webhook)}
          />
        )}
      </>
    ),
  };
}
