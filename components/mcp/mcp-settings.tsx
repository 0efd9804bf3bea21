"use client";

import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { CodeBlock } from "@/components/kit/code-block";
import { CopyButton } from "@/components/kit/copy-button";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { PageBody, PageHeader, Section } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { SkeletonText } from "@/components/kit/skeleton";
import { Tabs } from "@/components/kit/tabs";
import { DocsTextLink } from "@/components/product/docs-link";
import { ErrorState } from "@/components/product/error-state";
import { useOrigin } from "@/components/product/origin";
import { Status } from "@/components/product/status";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { toAddress } from "./areas";
import { McpAreas } from "./mcp-areas";
import { McpCalls } from "./mcp-calls";
import { McpCheck } from "./mcp-check";
import { mcpSnippets } from "./snippets";

const mcpPath = "/api/v1/mcp/";

/** The address for hosts of models, what to enter in them, and what they called. */
export function McpSettings({ email }: { email: string }) {
  const trpc = useTRPC();
  const origin = useOrigin();
  const info = useQuery(trpc.mcp.info.queryOptions());
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const path = toAddress(mcpPath, chosen);
  const url = `${origin}${path}`;
  const [key, setKey] = useState("");
  const [made, setMade] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(url).then(
      () => toast.success("Address copied"),
      () => toast.failure(new Error("The browser does not allow copying.")),
    );
  useShortcuts([{ keys: "y", label: "Copy the address", group: "MCP", run: copy }]);
  return (
    <>
      <PageHeader title="MCP" meta="Lets models use Muster: every read of the API is a tool." />
      <PageBody className="max-w-232">
        <Section title="Address">
          <div className="flex min-w-0 items-center gap-2 rounded-panel border border-border-strong bg-background py-1 pr-1 pl-3">
            <code className="min-w-0 flex-1 font-mono text-table break-all select-all">{url}</code>
            <CopyButton text={url} name="Copy the address" />
          </div>
          <div className="mt-2 min-h-5">
            {info.data ? (
              <McpState writes={info.data.writes} />
            ) : info.error ? (
              <ErrorState error={info.error} onRetry={() => void info.refetch()} />
            ) : (
              <SkeletonText lines={1} />
            )}
          </div>
        </Section>
        {info.data && <McpAreas areas={info.data.areas} value={chosen} onValueChange={setChosen} />}
        <Section
          title="Key"
          description="An API key of a staff user, without scopes. It acts in this organization, with its owner’s role."
        >
          {info.data &&
            (info.data.staff ? (
              <StaffKey
                value={key}
                made={made}
                onMade={(next) => {
                  setKey(next);
                  setMade(true);
                }}
                onChange={(next) => {
                  setKey(next);
                  setMade(false);
                }}
              />
            ) : (
              <NoStaff email={email} />
            ))}
        </Section>
        <Connect url={url} apiKey={key.trim() || null} />
        <McpCheck path={path} apiKey={key} />
        <McpCalls />
      </PageBody>
    </>
  );
}

function McpState({ writes }: { writes: boolean }) {
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-table">
      <Status tone="online">Reads on</Status>
      <Status tone={writes ? "online" : "neutral"}>{writes ? "Writes on" : "Writes off"}</Status>
      <span className="text-muted">
        by the operator: <code className="font-mono">MCP_WRITES={writes ? "on" : "off"}</code>
      </span>
      <DocsTextLink href={guideHref("mcp")}>How it works</DocsTextLink>
    </p>
  );
}

function NoStaff({ email }: { email: string }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="text-table text-muted">
        You are not staff, so your keys are refused there. Somebody who operates this installation runs:
      </p>
      <CodeBlock label="Terminal" code={`npm run muster -- users make-staff ${email}`} />
    </div>
  );
}

interface StaffKeyProps {
  value: string;
  /** It was made here and is shown this once. */
  made: boolean;
  onMade: (key: string) => void;
  onChange: (key: string) => void;
}

function StaffKey({ value, made, onMade, onChange }: StaffKeyProps) {
  const client = useTRPCClient();
  const [busy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    try {
      onMade((await client.apiKeys.create.mutate({ name: "MCP", expiry: "90" })).key);
    } catch (error) {
      toast.failure(error, { title: "The key was not made" });
    } finally {
      setBusy(false);
    }
  };
  if (made) {
    return (
      <div className="flex flex-col gap-2">
        <div className="flex min-w-0 items-center gap-2 rounded-panel border border-border-strong bg-background py-1 pr-1 pl-3">
          <code aria-label="API key" className="min-w-0 flex-1 font-mono text-table break-all select-all">
            {value}
          </code>
          <CopyButton text={value} label="Copy" name="Copy API key" variant="primary" />
        </div>
        <p className="text-meta text-muted">
          Shown this once, and filled in below. It ends in 90 days; API keys lists it as “MCP”.
        </p>
      </div>
    );
  }
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Button variant="primary" icon={<KeyRound aria-hidden />} busy={busy} onClick={() => void make()}>
        Make a key
      </Button>
      <Field label="Or enter one, which stays in this page" className="min-w-60 flex-1">
        <Input mono type="password" autoComplete="off" placeholder="svk_…" value={value} onValueChange={onChange} />
      </Field>
    </div>
  );
}

function Connect({ url, apiKey }: { url: string; apiKey: string | null }) {
  const snippets = mcpSnippets(url, apiKey);
  const [tab, setTab] = useState(snippets[0]?.label ?? "");
  return (
    <Section title="Connect" description="Enter one of these where the model runs.">
      <Tabs
        label="Hosts"
        value={tab}
        onValueChange={setTab}
        tabs={snippets.map(({ label, place, code }) => ({
          value: label,
          label,
          content: (
            <div className="flex flex-col gap-2 pt-3">
              <p className="text-table text-muted">{place}</p>
              <CodeBlock label={label} code={code} />
            </div>
          ),
        }))}
      />
    </Section>
  );
}
