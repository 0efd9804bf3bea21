"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { CodeBlock } from "@/components/kit/code-block";
import { Dialog } from "@/components/kit/dialog";
import { DocsTextLink } from "@/components/product/docs-link";
import { SecretOnce } from "@/components/product/secret-once";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { exampleServer, promptServer } from "./example-server";
import { ModelForm } from "./model-form";
import { modelHref } from "./query";

/** Connects a model, then shows the secret that signs requests once, with a server that checks it. */
export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [made, setMade] = useState<Outputs["models"]["connect"] | null>(null);
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      locked={made !== null}
      size="lg"
      title={made ? `${made.model.name} is connected` : "Connect a model"}
      description={made ? undefined : "Muster sends it each item and draws what it answers."}
    >
      {made ? (
        <SecretOnce
          label="Signing secret"
          secret={made.integration.secret ?? ""}
          file={{ name: "model.env", content: `MUSTER_MODEL_SECRET=${made.integration.secret ?? ""}\n` }}
          // In place of the dialog's own address: Back leads to the list.
          onStored={() => router.replace(modelHref(made.model.uid))}
        >
          <p className="text-table text-muted">
            Every request to your address is signed with it. This server checks that and answers; put your model where
            its comment says so. <DocsTextLink href={guideHref("models")}>The protocol</DocsTextLink>
          </p>
          <div className="max-h-72 overflow-y-auto">
            <CodeBlock
              label="model_server.py"
              code={made.integration.prompts.length > 0 ? promptServer : exampleServer}
            />
          </div>
        </SecretOnce>
      ) : (
        <ModelForm
          action="Connect"
          onCancel={onClose}
          onSubmit={async (input) => {
            setMade(await client.models.connect.mutate(input));
            await queryClient.invalidateQueries(trpc.models.pathFilter());
          }}
        />
      )}
    </Dialog>
  );
}
