"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { MailNote } from "@/components/channels/mail-note";
import { Button } from "@/components/kit/button";
import { Field } from "@/components/kit/field";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { Menu } from "@/components/kit/menu";
import { Select } from "@/components/kit/select";
import { eventLooks } from "@/components/product/event-type";
import { usePermissions } from "@/components/product/permissions";
import { Status } from "@/components/product/status";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { eventTypes } from "@/domain/events/event-type";
import { issuesBelow, wholeMessage, type Issue } from "@/domain/issues";
import { defaultAlertSeverity, severities, severityLabels } from "@/domain/severity";
import type { ActionDraft } from "./draft";
import { actionLabels } from "./labels";
import { MessagePreview } from "./message-preview";
import { useChannels } from "./rule-action-list";

const offered = ["notify", "flag_for_review", "create_event", "tag", "auto_label"] as const;

const fresh: Record<(typeof offered)[number], ActionDraft> = {
  notify: { type: "notify", channel_id: "", severity: "error" },
  flag_for_review: { type: "flag_for_review", severity: "warning" },
  create_event: { type: "create_event", event_type: "anomaly", label: "" },
  tag: { type: "tag", value: "" },
  auto_label: { type: "auto_label", pipeline_id: "" },
};

const severityOptions = [
  { value: "default", label: "As the event" },
  ...severities.map((value) => ({ value, label: severityLabels[value] })),
] as const;

const eventTypeOptions = eventTypes.map((value) => ({ value, label: eventLooks[value].label }));

interface RowProps {
  action: ActionDraft;
  onChange: (action: ActionDraft) => void;
  error?: string | undefined;
  /** For the preview of a message. */
  ruleName: string;
  sentence: string;
}

function Severity({ action, onChange }: Pick<RowProps, "action" | "onChange">) {
  return (
    <Field label="Severity" className="w-36">
      <Select
        options={severityOptions}
        value={severityOptions.find((each) => each.value === action.severity)?.value ?? "default"}
        onValueChange={(severity) => onChange({ ...action, severity: severity === "default" ? undefined : severity })}
      />
    </Field>
  );
}

function Notify({ action, onChange, error, ruleName, sentence }: RowProps) {
  const client = useTRPCClient();
  const channels = useChannels();
  const refused = usePermissions().refusal({ role: "admin" });
  const [result, setResult] = useState<{ ok: boolean; text: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const channel = channels?.find(({ uid }) => uid === action.channel_id);
  const send = async () => {
    if (!channel) return;
    setBusy(true);
    try {
      const { ok, detail, error: fault } = await client.channels.test.mutate({ uid: channel.uid });
      setResult({ ok, text: ok ? detail : (fault ?? detail) });
    } catch (failure) {
      setResult({ ok: false, text: failure instanceof Error ? failure.message : "The test was not sent." });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Channel" error={error} className="min-w-40 flex-1">
          <Select
            placeholder={channels?.length === 0 ? "No channels yet" : "Choose"}
            options={(channels ?? []).map(({ uid, name, type }) => ({ value: uid, label: name, hint: type }))}
            value={action.channel_id || null}
            onValueChange={(uid) => {
              setResult(null);
              onChange({ ...action, channel_id: uid });
            }}
          />
        </Field>
        <Severity action={action} onChange={onChange} />
        <Button
          busy={busy}
          disabledReason={refused ?? (channel ? undefined : "Choose a channel first.")}
          onClick={() => void send()}
        >
          Send test
        </Button>
      </div>
      {result && (
        <p role="status" className="text-table">
          <Status tone={result.ok ? "online" : "error"} className="whitespace-normal!">
            {result.ok ? `Sent. ${result.text}` : `Not sent: ${result.text}`}
          </Status>
        </p>
      )}
      {channel && <MailNote type={channel.type} />}
      {channel && (
        <MessagePreview
          type={channel.type}
          name={ruleName}
          sentence={sentence}
          severity={action.severity ?? defaultAlertSeverity}
        />
      )}
    </div>
  );
}

function AutoLabel({ action, onChange, error }: RowProps) {
  const trpc = useTRPC();
  const pipelines = useQuery(trpc.models.pipelines.queryOptions()).data;
  return (
    <Field
      label="Pipeline"
      error={error}
      hint="Once per recording: its files are added to a dataset and sent to the model."
      className="min-w-40 flex-1"
    >
      <Select
        placeholder={pipelines?.length === 0 ? "No models yet" : "Choose"}
        options={(pipelines ?? []).map(({ uid, name, model_name }) => ({ value: uid, label: model_name, hint: name }))}
        value={action.pipeline_id || null}
        onValueChange={(pipeline_id) => onChange({ ...action, pipeline_id })}
      />
    </Field>
  );
}

function Row(props: RowProps) {
  const { action, onChange, error } = props;
  switch (action.type) {
    case "notify":
      return <Notify {...props} />;
    case "create_event":
      return (
        <div className="flex min-w-0 flex-1 flex-wrap items-end gap-3">
          <Field label="Type" className="w-36">
            <Select
              options={eventTypeOptions}
              value={eventTypeOptions.find((each) => each.value === action.event_type)?.value ?? null}
              onValueChange={(event_type) => onChange({ ...action, event_type })}
            />
          </Field>
          <Field label="Label" error={error} className="min-w-40 flex-1">
            <Input
              value={action.label ?? ""}
              placeholder="Motor too hot"
              onValueChange={(label) => onChange({ ...action, label })}
            />
          </Field>
          <Severity action={action} onChange={onChange} />
        </div>
      );
    case "tag":
      return (
        <Field label="Tag" error={error} className="min-w-40 flex-1">
          <Input
            value={action.value ?? ""}
            placeholder="overheating"
            onValueChange={(value) => onChange({ ...action, value })}
          />
        </Field>
      );
    case "flag_for_review":
      return <Severity action={action} onChange={onChange} />;
    case "auto_label":
      return <AutoLabel {...props} />;
  }
}

export interface ActionsEditorProps extends Pick<RowProps, "ruleName" | "sentence"> {
  actions: readonly ActionDraft[];
  onChange: (actions: ActionDraft[]) => void;
  /** What the server found wrong, by the action's position. */
  issues: readonly Issue[];
}

/** The actions of the rule, one row each. */
export function ActionsEditor({ actions, onChange, issues, ...rest }: ActionsEditorProps) {
  const findError = (at: number) =>
    issuesBelow(issues, at)
      .map(({ message }) => message)
      .join(" ") || undefined;
  const others = wholeMessage(issues);
  return (
    <div className="flex flex-col gap-4">
      {others && <p className="text-table text-critical-text">{others}</p>}
      <ol className="flex flex-col gap-4">
        {actions.map((action, at) => {
          const { icon: Icon, label } = actionLabels[action.type];
          return (
            <li key={`${at} ${action.type}`}>
              <div className="mb-1.5 flex items-center gap-2">
                <Icon aria-hidden className="size-4 text-muted" strokeWidth={1.75} />
                <h3 className="text-table font-medium">{label}</h3>
                <IconButton
                  label={`Remove: ${label.toLowerCase()}`}
                  size="sm"
                  className="ml-auto"
                  icon={<Trash2 aria-hidden />}
                  onClick={() => onChange(actions.filter((_, other) => other !== at))}
                />
              </div>
              <Row
                {...rest}
                action={action}
                error={findError(at)}
                onChange={(next) => onChange(actions.map((each, other) => (other === at ? next : each)))}
              />
            </li>
          );
        })}
      </ol>
      <div>
        <Menu
          align="start"
          items={offered.map((type) => {
            const Icon = actionLabels[type].icon;
            return {
              label: actionLabels[type].label,
              icon: <Icon aria-hidden />,
              onSelect: () => onChange([...actions, { ...fresh[type] }]),
            };
          })}
          trigger={
            <Button size="sm" icon={<Plus aria-hidden />}>
              Add action
            </Button>
          }
        />
      </div>
    </div>
  );
}
