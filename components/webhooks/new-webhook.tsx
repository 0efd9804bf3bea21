"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import { Button, ButtonLink } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { PageBody, PageHeader, Section } from "@/components/kit/page-header";
import { ElapsedTime } from "@/components/kit/time";
import { Waiting } from "@/components/kit/waiting";
import { EventPicker } from "@/components/platform-events/event-picker";
import { DocsTextLink } from "@/components/product/docs-link";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { SecretOnce } from "@/components/product/secret-once";
import { UnstoredSecret } from "@/components/product/unstored-secret";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { platformEventTypes } from "@/domain/platform-events/schema";
import { causeAdvice } from "@/domain/webhooks/failure-cause";
import { WebhookForm } from "@/domain/webhooks/schema";
import { UrlCheck } from "./url-check";
import { useWebhookActions } from "./use-webhook-actions";
import { VerifyingCode } from "./verifying-code";

type Created = Outputs["webhooks"]["create"];
const trail = [{ label: "Webhooks", href: "/webhooks" }];

/** Creates a webhook, then shows its secret once and waits with the person for the first delivery. */
export function NewWebhook() {
  const [created, setCreated] = useState<Created | null>(null);
  return created ? <Connect webhook={created} /> : <CreateForm onCreated={setCreated} />;
}

function CreateForm({ onCreated }: { onCreated: (webhook: Created) => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const form = useApiForm({
    schema: WebhookForm,
    defaultValues: { target_url: "", events: [] },
    onSubmit: async (values) => {
      onCreated(await client.webhooks.create.mutate(values));
      await queryClient.invalidateQueries(trpc.webhooks.pathFilter());
    },
  });
  const [url, events] = form.watch(["target_url", "events"]);
  return (
    <>
      <PageHeader
        title="New webhook"
        trail={trail}
        meta={
          <>
            Muster sends a signed POST for each event you choose.
            <DocsTextLink href={guideHref("webhooks", "webhook-subscriptions")}>How webhooks work</DocsTextLink>
          </>
        }
      />
      <PageBody>
        <Form form={form} className="max-w-220 gap-6">
          <FormField form={form} name="target_url" label="URL" hint={reason === undefined && <UrlCheck url={url} />}>
            {(control) => (
              <Input
                {...control}
                type="url"
                autoComplete="off"
                spellCheck={false}
                placeholder="https://example.com/muster"
                className="max-w-140 font-mono"
              />
            )}
          </FormField>
          <FormField
            form={form}
            name="events"
            label="Events"
            group
            hint={plural(events.length, "event chosen", "events chosen")}
          >
            {(control) => (
              <EventPicker value={control.value} onValueChange={control.onChange} events={platformEventTypes} />
            )}
          </FormField>
          <FormActions>
            <SubmitButton form={form} disabledReason={reason}>
              Create webhook
            </SubmitButton>
            <ButtonLink href="/webhooks">Cancel</ButtonLink>
          </FormActions>
        </Form>
      </PageBody>
    </>
  );
}

/** The secret, code that verifies with it, and a test whose result arrives while the person looks. */
function Connect({ webhook }: { webhook: Created }) {
  const trpc = useTRPC();
  const [stored, setStored] = useState(false);
  const actions = useWebhookActions();
  const [since] = useState(() => Date.now());
  const newest = useQuery(trpc.deliveries.list.queryOptions({ subscription: webhook.uid, limit: 1 })).data?.results[0];
  const status = newest?.response_status ?? null;
  const failed = newest !== undefined && newest.error !== null;
  const arrived = newest?.status === "delivered";
  return (
    <>
      <PageHeader
        title="Webhook created"
        trail={trail}
        meta={<span className="font-mono text-meta break-all">{webhook.target_url}</span>}
        actions={
          <ButtonLink variant={stored ? "primary" : "secondary"} href={`/webhooks/${webhook.uid}`}>
            Open webhook
          </ButtonLink>
        }
      />
      <PageBody>
        <div className="flex max-w-172 flex-col gap-8">
          <Section title="Signing secret">
            {stored ? (
              <p className="text-table text-muted">Stored. It is not shown again; you can rotate it at any time.</p>
            ) : (
              <SecretOnce
                label="Signing secret"
                secret={webhook.secret}
                file={{ name: "webhook.env", content: `MUSTER_WEBHOOK_SECRET=${webhook.secret}\n` }}
                action="Continue"
                onStored={() => setStored(true)}
              />
            )}
          </Section>
          <Section
            title="Test"
            description="Sends test.ping, so that you see a response before anything depends on it."
            actions={
              <Button
                icon={<Send aria-hidden />}
                busy={actions.testing === webhook.uid}
                disabledReason={actions.reason}
                onClick={() => void actions.test(webhook.uid)}
              >
                Send test
              </Button>
            }
          >
            <Waiting
              done={arrived}
              waiting={
                failed
                  ? `The first delivery failed: ${newest.error}`
                  : newest
                    ? "Sending …"
                    : "Waiting for the first delivery …"
              }
              arrived={`Delivered: your receiver answered ${status ?? "2xx"}${newest?.duration_ms == null ? "" : ` in ${newest.duration_ms} ms`}`}
              hint={
                arrived ? undefined : failed ? (
                  `${causeAdvice(status === null ? "" : String(status))} It is retried by itself.`.trim()
                ) : (
                  <>
                    <ElapsedTime since={since} /> so far
                  </>
                )
              }
            />
          </Section>
          <Section title="Verify what you receive" description="Over the raw body, before anything parses it.">
            <VerifyingCode />
          </Section>
        </div>
      </PageBody>
      {actions.dialogs}
      <UnstoredSecret stored={stored} />
    </>
  );
}
