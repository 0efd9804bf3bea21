"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { EventPicker } from "@/components/platform-events/event-picker";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { platformEventTypes, type PlatformEventType } from "@/domain/platform-events/schema";
import { WebhookForm } from "@/domain/webhooks/schema";
import type { Webhook } from "./query";
import { UrlCheck } from "./url-check";

/** Changes the URL and the events of a webhook. */
export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const known: readonly string[] = platformEventTypes;
  const form = useApiForm({
    schema: WebhookForm,
    defaultValues: {
      target_url: webhook.target_url,
      events: webhook.events.filter((event): event is PlatformEventType => known.includes(event)),
    },
    onSubmit: async (change) => {
      await client.webhooks.update.mutate({ uid: webhook.uid, change });
      toast.success("Webhook changed");
      onClose();
      await queryClient.invalidateQueries(trpc.webhooks.pathFilter());
    },
  });
  const url = form.watch("target_url");
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} size="lg" title="Change webhook">
      <Form form={form}>
        <FormField form={form} name="target_url" label="URL" hint={<UrlCheck url={url} uid={webhook.uid} />}>
          {(control) => <Input {...control} type="url" autoComplete="off" spellCheck={false} className="font-mono" />}
        </FormField>
        <FormField form={form} name="events" label="Events" group>
          {(control) => (
            <EventPicker value={control.value} onValueChange={control.onChange} events={platformEventTypes} />
          )}
        </FormField>
        <FormActions>
          <SubmitButton form={form}>Save</SubmitButton>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
