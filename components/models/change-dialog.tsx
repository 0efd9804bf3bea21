"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@/components/kit/dialog";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { ModelForm } from "./model-form";
import type { Integration, ModelDetail } from "./query";

/** Changes a model and where it is; the secret that signs stays. */
export function ChangeDialog(props: { model: ModelDetail; integration: Integration; onClose: () => void }) {
  const { model, integration, onClose } = props;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} size="lg" title={`Change ${model.name}`}>
      <ModelForm
        model={{ ...model, ...integration }}
        hasAddress={integration.provider_name === "http"}
        action="Save"
        onCancel={onClose}
        onSubmit={async ({ name, model_type_name: kind, url, header_name, header_value, label_map, prompts }) => {
          const header = { header_name, ...(header_value !== "" && { header_value }) };
          const change = { label_map, ...(integration.provider_name === "http" && { url, prompts, ...header }) };
          // First what may be refused.
          await client.models.updateIntegration.mutate({ integration_uid: integration.uid, change });
          await client.models.update.mutate({ model_uid: model.uid, change: { name, model_type_name: kind } });
          await queryClient.invalidateQueries(trpc.models.pathFilter());
          toast.success(`${name} changed`);
          onClose();
        }}
      />
    </Dialog>
  );
}
