"use client";

import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, Pause, Pencil, Play, Trash2 } from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { Dialog } from "@/components/kit/dialog";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { SecretOnce } from "@/components/product/secret-once";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { Integration, ModelDetail } from "./query";

// Loaded when a model is changed, because it brings the form library.
const ChangeDialog = lazyDialog(async () => (await import("./change-dialog")).ChangeDialog);

export interface ModelActions {
  /** Why the person may not change the model. */
  reason: string | undefined;
  menu: MenuItem[];
  change: () => void;
  setActive: (active: boolean) => Promise<void>;
  /** To be drawn once. */
  dialogs: ReactNode;
}

type Open = "change" | "rotate" | "delete" | null;

/** What can be done with a model and where it is. `onDeleted` is called after its deletion. */
export function useModelActions(
  model: ModelDetail | undefined,
  integration: Integration | undefined,
  onDeleted: () => void,
): ModelActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<Open>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const reason =
    usePermissions().refusal({ role: "admin" }) ??
    (model && !model.is_own ? "Public models are changed by who runs this Muster." : undefined);
  const refresh = () => queryClient.invalidateQueries(trpc.models.pathFilter());
  const close = (next: boolean) => !next && setOpen(null);

  const setActive = async (active: boolean) => {
    if (!integration) return;
    try {
      await client.models.updateIntegration.mutate({
        integration_uid: integration.uid,
        change: { is_active: active },
      });
      toast.success(active ? "The model is asked again" : "The model is paused", {
        description: active ? undefined : "No new run asks it until you let it go on.",
      });
    } catch (error) {
      toast.failure(error, { title: "The model could not be changed" });
    }
    await refresh();
  };
  const rotate = async () => {
    if (!integration) return;
    try {
      const answer = await client.models.rotateSecret.mutate({ integration_uid: integration.uid });
      setSecret(answer.secret ?? null);
    } catch (error) {
      toast.failure(error, { title: "The secret was not rotated" });
      throw error;
    }
  };
  const remove = async () => {
    if (!model) return;
    try {
      await client.models.delete.mutate({ model_uid: model.uid });
    } catch (error) {
      toast.failure(error, { title: `${model.name} was not deleted` });
      throw error;
    }
    toast.success(`${model.name} was deleted`);
    onDeleted();
    await refresh();
  };

  const isActive = integration?.is_active ?? false;
  const menu: MenuItem[] = [
    {
      label: "Change",
      icon: <Pencil aria-hidden />,
      disabledReason: reason,
      onSelect: () => setOpen("change"),
    },
    ...(integration
      ? [
          {
            label: isActive ? "Pause" : "Go on",
            icon: isActive ? <Pause aria-hidden /> : <Play aria-hidden />,
            disabledReason: reason,
            onSelect: () => void setActive(!isActive),
          },
        ]
      : []),
    ...(integration?.provider_name === "http"
      ? [
          {
            label: "Rotate secret",
            icon: <KeyRound aria-hidden />,
            disabledReason: reason,
            onSelect: () => setOpen("rotate"),
          },
        ]
      : []),
    "separator",
    {
      label: "Delete",
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabledReason: reason,
      onSelect: () => setOpen("delete"),
    },
  ];
  const dialogs = model && (
    <>
      <Suspense>
        {open === "change" && integration && (
          <ChangeDialog model={model} integration={integration} onClose={() => setOpen(null)} />
        )}
      </Suspense>
      <ConfirmDialog
        open={open === "rotate"}
        onOpenChange={close}
        title="Rotate the signing secret?"
        description="Requests carry signatures of both secrets for 24 hours, so that your server can change over."
        action="Rotate secret"
        onConfirm={rotate}
      />
      <ConfirmDialog
        open={open === "delete"}
        onOpenChange={close}
        title={`Delete ${model.name}?`}
        description="Its runs and everything that they predicted go with it. Results of people stay. This cannot be undone."
        action="Delete model"
        typeToConfirm={model.name.trim()}
        onConfirm={remove}
      />
      {secret !== null && (
        <Dialog open locked onOpenChange={() => {}} title="The new signing secret">
          <SecretOnce
            label="Signing secret"
            secret={secret}
            file={{ name: "model.env", content: `MUSTER_MODEL_SECRET=${secret}\n` }}
            onStored={() => {
              setSecret(null);
              void refresh();
            }}
          />
        </Dialog>
      )}
    </>
  );
  return { reason, menu, change: () => setOpen("change"), setActive, dialogs };
}
