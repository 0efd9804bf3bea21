"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { TagInput } from "@/components/kit/tag-input";
import { readFailure } from "@/components/product/failure";
import { FormError } from "@/components/product/form";
import { SecretOnce } from "@/components/product/secret-once";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { type ChannelType, channelTypes } from "@/domain/channels/channel-type";
import { required } from "@/domain/field-messages";
import type { Issue } from "@/domain/issues";
import { maxNameLength } from "@/domain/limits";
import type { ChannelField } from "./kinds/kind";
import { channelViews } from "./kinds/registry";
import { MailNote } from "./mail-note";
import type { Channel } from "./query";

type Values = Readonly<Record<string, string | string[]>>;

const typeOptions = channelTypes.map((value) => ({ value, label: channelViews[value].label }));
const looksLikeEmail = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

export interface ChannelDialogProps {
  /** The channel to change; without it one is created. */
  channel?: Channel;
  onClose: () => void;
  /** Called with a new channel once its secret, if any, was stored. */
  onCreated?: (uid: string) => void;
}

/** Creates a channel or changes one. Stored secrets are not shown; left alone they stay as they are. */
export function ChannelDialog({ channel, onClose, onCreated }: ChannelDialogProps) {
  const [created, setCreated] = useState<{ uid: string; secret: string } | null>(null);
  const close = () => {
    if (created) onCreated?.(created.uid);
    onClose();
  };
  if (created) {
    return (
      <Dialog
        open
        locked
        onOpenChange={close}
        title="Signing secret"
        description="Receivers use it to verify that a message comes from Muster."
      >
        <SecretOnce label="Signing secret" secret={created.secret} onStored={close} />
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={channel ? `Change ${channel.name}` : "Create channel"}
      description={channel ? undefined : "Where alerts are sent. Rules name the channels they notify."}
    >
      <ChannelForm
        channel={channel}
        onClose={onClose}
        onCreated={(uid, secret) => {
          if (secret !== undefined) return setCreated({ uid, secret });
          onCreated?.(uid);
          onClose();
        }}
      />
    </Dialog>
  );
}

/** The form's initial values; stored secrets are left empty, because they cannot be read. */
function initial(channel: Channel | undefined): Values {
  if (!channel) return {};
  const entries = channelViews[channel.type].fields.flatMap(({ name, secret, list }): [string, string | string[]][] => {
    const value = channel.config[name];
    if (secret || value === undefined) return [];
    return [[name, list && Array.isArray(value) ? value.map(String) : String(value)]];
  });
  return Object.fromEntries(entries);
}

const isEmpty = (value: string | string[] | undefined): boolean =>
  value === undefined || value.length === 0 || (typeof value === "string" && value.trim() === "");

/** The configuration to send: empty fields are left out, or removed where they were set before. */
function buildConfig(type: ChannelType, values: Values, channel: Channel | undefined): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const { name, secret } of channelViews[type].fields) {
    const value = values[name];
    if (value !== undefined && !isEmpty(value)) config[name] = typeof value === "string" ? value.trim() : value;
    else if (channel && !secret && channel.config[name] !== undefined) config[name] = null;
  }
  return config;
}

/** The API's issues by field name; `root` holds those of no field. */
function boxErrors(issues: readonly Issue[], fields: readonly ChannelField[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of issues) {
    const [top, member] = path;
    const field = top === "config" ? fields.find(({ name }) => name === member) : undefined;
    const box = top === "name" ? "name" : (field?.name ?? "root");
    errors[box] = errors[box] === undefined ? message : `${errors[box]} ${message}`;
  }
  return errors;
}

function ChannelForm({
  channel,
  onClose,
  onCreated,
}: {
  channel?: Channel;
  onClose: () => void;
  onCreated: (uid: string, secret?: string) => void;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [name, setName] = useState(channel?.name ?? "");
  const [type, setType] = useState<ChannelType>(channel?.type ?? "slack");
  const [values, setValues] = useState<Values>(() => initial(channel));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const fields = channelViews[type].fields;

  const save = async () => {
    const missing = Object.fromEntries(
      fields
        .filter((field) => !field.optional && isEmpty(values[field.name]) && !(channel && field.secret))
        .map((field) => [field.name, required]),
    );
    if (name.trim() === "") missing.name = required;
    setErrors(missing);
    if (Object.keys(missing).length > 0 || busy) return;
    setBusy(true);
    try {
      const config = buildConfig(type, values, channel);
      if (channel) {
        await client.channels.update.mutate({ uid: channel.uid, change: { name, config } });
        toast.success(`${name} changed`);
        onClose();
      } else {
        const created = await client.channels.create.mutate({ name, type, config });
        toast.success(`${name} created`);
        onCreated(created.uid, created.signing_secret);
      }
      await queryClient.invalidateQueries(trpc.channels.pathFilter());
    } catch (error) {
      const { issues } = readFailure(error);
      setErrors(boxErrors(issues, fields));
      if (issues.length === 0) toast.failure(error, { title: "The channel was not saved" });
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {errors.root && <FormError>{errors.root}</FormError>}
      <Field label="Name" error={errors.name}>
        <Input
          value={name}
          onValueChange={setName}
          maxLength={maxNameLength}
          autoComplete="off"
          placeholder="On-call"
        />
      </Field>
      <Field label="Kind" hint={channel && "A channel's kind cannot be changed."}>
        <Select options={typeOptions} value={type} onValueChange={setType} disabled={channel !== undefined} />
      </Field>
      <MailNote type={type} own />
      {fields.map((field) => (
        <Field
          key={`${type} ${field.name}`}
          label={field.label}
          optional={field.optional}
          hint={field.hint}
          error={errors[field.name]}
        >
          <Control
            field={field}
            stored={
              channel && field.secret && channel.config[field.name] !== undefined
                ? String(channel.config[field.name])
                : null
            }
            value={values[field.name]}
            onValueChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        </Field>
      ))}
      <div className="flex justify-end gap-2 border-t pt-4">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy}>
          {channel ? "Save" : "Create channel"}
        </Button>
      </div>
    </form>
  );
}

function Control(props: {
  field: ChannelField;
  stored: string | null;
  value: string | string[] | undefined;
  onValueChange: (value: string | string[]) => void;
}) {
  const { field, stored, value, onValueChange } = props;
  if (field.list) {
    return (
      <TagInput
        value={Array.isArray(value) ? value : []}
        onValueChange={onValueChange}
        noun="address"
        problem={(email) => (looksLikeEmail(email) ? undefined : "Not an e-mail address.")}
      />
    );
  }
  return (
    <Input
      value={typeof value === "string" ? value : ""}
      onValueChange={onValueChange}
      type={field.secret ? "password" : "text"}
      autoComplete={field.secret ? "new-password" : "off"}
      spellCheck={false}
      mono={field.secret}
      placeholder={stored ? `${stored} – leave empty to keep it` : field.placeholder}
    />
  );
}
