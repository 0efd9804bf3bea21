"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { EmptyState } from "@/components/kit/empty-state";
import { PageHeader } from "@/components/kit/page-header";
import { RelativeTime } from "@/components/kit/time";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { useListQuery } from "@/components/list/use-list-query";
import { DocsTextLink } from "@/components/product/docs-link";
import { usePermissions } from "@/components/product/permissions";
import { Status, type Tone } from "@/components/product/status";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { canOnlyRead } from "@/domain/permissions";
import { CreateKeyDialog } from "./create-key-dialog";
import type { Key } from "./key";
import { RegenerateKeyDialog } from "./regenerate-key-dialog";

const tones: Record<Key["state"], { tone: Tone; label: string }> = {
  active: { tone: "online", label: "Active" },
  expired: { tone: "offline", label: "Expired" },
  revoked: { tone: "neutral", label: "Revoked" },
};

const columns: readonly DataTableColumn<Key>[] = [
  { id: "name", header: "Name", cell: (key) => key.name, required: true, narrow: "title" },
  {
    id: "key",
    header: "Key",
    width: 150,
    cell: (key) => <span className="font-mono text-muted">{`${key.prefix}…${key.last_four}`}</span>,
    narrow: "meta",
  },
  {
    id: "scopes",
    header: "Scopes",
    cell: (key) =>
      key.scopes.length === 0 ? (
        "Full access"
      ) : (
        <span title={key.scopes.join(", ")} className="flex min-w-0 items-center gap-1">
          <Badge mono>{key.scopes[0]}</Badge>
          {key.scopes.length > 1 && <span className="text-muted">+{key.scopes.length - 1}</span>}
        </span>
      ),
  },
  { id: "user", header: "Acts as", width: 130, cell: (key) => key.username },
  {
    id: "used",
    header: "Last used",
    width: 110,
    cell: (key) => <RelativeTime value={key.last_used_at} rich={false} />,
  },
  { id: "ip", header: "From", width: 130, cell: (key) => key.last_used_ip ?? "–", hidden: true },
  {
    id: "expires",
    header: "Expires",
    width: 110,
    cell: (key) => <RelativeTime value={key.expires_at} never="Never" rich={false} />,
  },
  { id: "created", header: "Created", width: 110, cell: (key) => <RelativeTime value={key.created_at} rich={false} /> },
  {
    id: "state",
    header: "State",
    width: 100,
    narrow: "trailing",
    cell: (key) => <Status tone={tones[key.state].tone}>{tones[key.state].label}</Status>,
  },
];

/** The organization's keys: one's own for members, all of them for admins. */
export function KeyList() {
  const trpc = useTRPC();
  const { refusal } = usePermissions();
  const keys = useListQuery(trpc.apiKeys.list.infiniteQueryOptions({}, nextPage));
  const [creating, setCreating] = useState(false);
  const [regenerating, setRegenerating] = useState<Key | null>(null);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const revoke = useMutation(trpc.apiKeys.revoke.mutationOptions());
  const create = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      Create key
    </Button>
  );

  return (
    <>
      <PageHeader
        title="API keys"
        meta={
          <>
            What programs use to act in this organization.
            <DocsTextLink href={guideHref("first-steps")}>First steps</DocsTextLink>
            <DocsTextLink href="/docs/api">API reference</DocsTextLink>
          </>
        }
        actions={create}
      />
      <DataTable
        id="api-keys"
        label="API keys"
        noun={["key", "keys"]}
        columns={columns}
        {...keys.table}
        rowKey={(key) => key.uid}
        rowLabel={(key) => key.name}
        rowMenu={(key) =>
          key.state === "active"
            ? [
                {
                  label: "Regenerate",
                  disabledReason: canOnlyRead(key.scopes) ? undefined : refusal(),
                  onSelect: () => setRegenerating(key),
                },
                { label: "Revoke", danger: true, onSelect: () => setRevoking(key) },
              ]
            : []
        }
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No API keys yet"
            description="A key lets a script or a service use the API as you, with all your rights or only some."
            action={create}
          />
        }
      />
      <CreateKeyDialog open={creating} onOpenChange={setCreating} onCreated={() => void keys.query.refetch()} />
      {regenerating && (
        <RegenerateKeyDialog
          stale={regenerating}
          onClose={() => setRegenerating(null)}
          onRegenerated={() => void keys.query.refetch()}
        />
      )}
      {revoking && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setRevoking(null)}
          title={`Revoke ${revoking.name}`}
          description="Requests with this key fail from the next one on. This cannot be undone."
          action="Revoke key"
          danger
          onConfirm={async () => {
            try {
              await revoke.mutateAsync({ uid: revoking.uid });
            } catch (error) {
              toast.failure(error);
              throw error;
            }
            toast.success(`Revoked ${revoking.name}`);
            void keys.query.refetch();
          }}
        >
          <KeyCallers uid={revoking.uid} />
        </ConfirmDialog>
      )}
    </>
  );
}

/** Where the key was used from in the last 24 hours. */
function KeyCallers({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.apiKeys.use.queryOptions({ uid }));
  if (!data) return <p className="h-5 text-table text-muted" aria-busy />;
  if (!data.used_in_last_day) return <p className="text-table text-muted">Not used in the last 24 hours.</p>;
  return (
    <div className="text-table text-muted">
      <p>
        Last used <RelativeTime value={data.last_used_at} />
        {data.last_used_ip && ` from ${data.last_used_ip}`}.
      </p>
      {data.callers.length > 0 && (
        <ul className="mt-1 list-disc pl-5">
          {data.callers.map((caller) => (
            <li key={caller.ip ?? "unknown"}>
              {caller.ip ?? "unknown address"}: {caller.writes} {caller.writes === 1 ? "write" : "writes"}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
