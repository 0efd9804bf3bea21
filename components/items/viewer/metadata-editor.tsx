"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check, Pencil, Plus, X } from "lucide-react";
import { useState, type FormEvent } from "react";
import type { DatasetAddress } from "@/components/items/item-links";
import type { ViewedItem } from "@/components/items/item-type";
import { listMetadataRows, parseMetadataValue, toMetadataText } from "@/components/items/metadata-value";
import { Button } from "@/components/kit/button";
import { CopyButton } from "@/components/kit/copy-button";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";
import { fileMetadataKeys } from "@/domain/datasets/schema";

const fixedKeys: ReadonlySet<string> = new Set([...fileMetadataKeys, "source"]);

/** The metadata of an item: what was read from its file, and what people keep with it, which they change here. */
export function MetadataEditor({ dataset, item }: { dataset: DatasetAddress; item: ViewedItem }) {
  const [editing, setEditing] = useState<string | null>(null);
  const refused = usePermissions().refusal();
  const { save, busy } = useSave(dataset, item, () => setEditing(null));
  const entries = Object.entries(item.metadata).filter(([key]) => key !== "source");
  return (
    <div className="flex flex-col gap-2">
      <dl className="text-table">
        {entries.map(([key, value]) => {
          const text = toMetadataText(value);
          if (editing === key)
            return (
              <ValueForm
                key={key}
                name={key}
                text={text}
                busy={busy}
                onCancel={() => setEditing(null)}
                onSave={(to) => save(key, to)}
              />
            );
          const isOwn = !fixedKeys.has(key);
          return (
            <div key={key} className="group flex min-h-8 items-center gap-2 border-b">
              <dt className="w-28 shrink-0 truncate font-mono text-meta text-muted" title={key}>
                {key}
              </dt>
              <dd className="flex min-w-0 flex-1 items-center gap-1">
                <span className="min-w-0 flex-1 break-words">
                  <MetadataValue value={value} text={text} />
                </span>
                <CopyButton name={`Copy ${key}`} text={text} />
                {isOwn && (
                  <>
                    <IconButton
                      size="sm"
                      label={`Change ${key}`}
                      disabledReason={refused}
                      icon={<Pencil aria-hidden />}
                      onClick={() => setEditing(key)}
                    />
                    <IconButton
                      size="sm"
                      label={`Remove ${key}`}
                      disabledReason={refused}
                      icon={<X aria-hidden />}
                      onClick={() => save(key, null)}
                    />
                  </>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      {editing === "" ? (
        <NewKeyForm busy={busy} taken={item.metadata} onCancel={() => setEditing(null)} onSave={save} />
      ) : (
        <Button
          size="sm"
          className="self-start"
          icon={<Plus aria-hidden />}
          disabledReason={refused}
          onClick={() => setEditing("")}
        >
          Add a key
        </Button>
      )}
    </div>
  );
}

/** A value as text; of an object, each of its values with its name. */
function MetadataValue({ value, text }: { value: unknown; text: string }) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return text;
  const { rows, more } = listMetadataRows({ ...value });
  if (rows.length === 0) return text;
  return (
    <>
      {rows.map(([path, of]) => (
        <span key={path} className="block">
          <span className="font-mono text-meta text-muted">{path}</span> {toMetadataText(of)}
        </span>
      ))}
      {more > 0 && <span className="block text-meta text-subtle">{plural(more, "more value")}</span>}
    </>
  );
}

function useSave(dataset: DatasetAddress, item: ViewedItem, onSaved: () => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const update = useMutation(
    trpc.items.update.mutationOptions({
      onSuccess: async () => {
        onSaved();
        await queryClient.invalidateQueries({ queryKey: trpc.items.get.queryKey({ ...dataset, uid: item.uid }) });
        await queryClient.invalidateQueries({ queryKey: trpc.items.activity.queryKey({ ...dataset, uid: item.uid }) });
      },
      onError: (error) => toast.failure(error, { title: "The metadata was not changed" }),
    }),
  );
  /** Saves a value as it was typed; null removes the key. */
  const save = (key: string, text: string | null) =>
    update.mutate({
      ...dataset,
      uid: item.uid,
      change: { metadata: { [key]: text === null ? null : parseMetadataValue(text) } },
    });
  return { save, busy: update.isPending };
}

interface ValueFormProps {
  name: string;
  text: string;
  busy: boolean;
  onCancel: () => void;
  onSave: (text: string) => void;
}

function ValueForm({ name, text, busy, onCancel, onSave }: ValueFormProps) {
  const [value, setValue] = useState(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(value);
  };
  return (
    <form onSubmit={submit} className="flex items-center gap-1 border-b py-1">
      <span className="w-28 shrink-0 truncate font-mono text-meta text-muted">{name}</span>
      <Input
        autoFocus
        aria-label={`Value of ${name}`}
        value={value}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <IconButton size="sm" type="submit" label="Save" busy={busy} icon={<Check aria-hidden />} />
      <IconButton size="sm" label="Cancel" icon={<X aria-hidden />} onClick={onCancel} />
    </form>
  );
}

interface NewKeyFormProps {
  busy: boolean;
  taken: Readonly<Record<string, unknown>>;
  onCancel: () => void;
  onSave: (key: string, text: string) => void;
}

function NewKeyForm({ busy, taken, onCancel, onSave }: NewKeyFormProps) {
  const [key, setKey] = useState("");
  const [value, setValue] = useState("");
  const name = key.trim();
  const problem =
    name === "" ? "Name the key." : fixedKeys.has(name) || Object.hasOwn(taken, name) ? `${name} is taken.` : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem === undefined) onSave(name, value);
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-1">
      <Input
        autoFocus
        aria-label="Key"
        placeholder="Key"
        className="w-28"
        value={key}
        onChange={({ currentTarget }) => setKey(currentTarget.value)}
      />
      <Input
        aria-label="Value"
        placeholder="Value"
        className="min-w-0 flex-1"
        value={value}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <Button size="sm" type="submit" variant="primary" busy={busy} disabledReason={problem}>
        Save
      </Button>
      <IconButton size="sm" label="Cancel" icon={<X aria-hidden />} onClick={onCancel} />
    </form>
  );
}
