"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis, Play } from "lucide-react";
import { useRouter } from "next/navigation";
import { Suspense, useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { KeyValue } from "@/components/kit/key-value";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { lazyPart } from "@/components/kit/lazy-part";
import { Menu } from "@/components/kit/menu";
import { PageBody, PageHeader, usePageTitle } from "@/components/kit/page-header";
import { Tabs } from "@/components/kit/tabs";
import { InstantTime } from "@/components/kit/time";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { usePermissions } from "@/components/product/permissions";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { formatLabelMap } from "@/domain/models/label-map";
import type { PromptKind } from "@/domain/models/prompt";
import { promptNames, type Integration, type ModelDetail } from "./query";
import { RunTable } from "./run-list";
import { useModelActions } from "./use-model-actions";

const TryOn = lazyPart(async () => (await import("./try-on")).TryOn);
const StartRun = lazyDialog(async () => (await import("./start-run")).StartRun);

const list = { label: "Models", href: "/models" };

/** "Points, boxes". */
const describePrompts = (kinds: readonly PromptKind[]): string => {
  const text = kinds.map((kind) => promptNames[kind].toLowerCase()).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

function Facts({ model, integration }: { model: ModelDetail; integration: Integration | undefined }) {
  const isHttp = integration?.provider_name === "http";
  const labels = formatLabelMap(integration?.label_map ?? {});
  return (
    <KeyValue
      className="max-w-172"
      items={[
        ["Kind", model.model_type_name],
        ["Description", model.description || null],
        [
          "Runs at",
          integration === undefined ? null : isHttp ? (
            <span key="url" className="font-mono text-meta break-all">
              {integration.url || "An address that is not shown"}
            </span>
          ) : (
            "Muster itself"
          ),
        ],
        ["Own header", integration?.header_name ? `${integration.header_name}, sealed` : null],
        [
          "Labels",
          labels === "" ? (
            "As the model calls them"
          ) : (
            <pre key="labels" className="font-mono text-meta leading-5">
              {labels}
            </pre>
          ),
        ],
        ["Prompts", integration && integration.prompts.length > 0 ? describePrompts(integration.prompts) : null],
        ["Integration", integration ? <UidChip key="integration" uid={integration.uid} max={20} /> : null],
        ["Created", <InstantTime key="created" value={model.created_at} precision="minute" />],
      ]}
    />
  );
}

/** One model: where it is, its runs, and how it answers for an item. */
export function ModelPage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  // Once deleted here nothing of it is requested again while the list loads.
  const [isDeleted, setDeleted] = useState(false);
  const [isStarting, setStarting] = useState(false);
  const query = useQuery({ ...trpc.models.page.queryOptions({ model_uid: uid }), enabled: !isDeleted });
  const model = query.data;
  const integration = model?.integrations[0];
  const mayRun = usePermissions().refusal();
  const actions = useModelActions(model, integration, () => {
    setDeleted(true);
    router.push("/models");
  });
  usePageTitle(model?.name);
  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={model?.name}
        noun="model"
        deletedMessage="This model was deleted, and its runs with it."
        list={list}
        query={query}
      />
    );
  }
  if (!model) return null;
  const runRefusal =
    mayRun ?? (integration === undefined ? "It has no address." : integration.is_active ? undefined : "It is paused.");
  return (
    <>
      <PageHeader
        title={model.name}
        trail={[list]}
        status={
          <span className="flex items-center gap-2">
            {model.is_public && <Badge>Public</Badge>}
            {integration && !integration.is_active && <Badge>Paused</Badge>}
          </span>
        }
        actions={
          <>
            <CopyLink compact />
            <Button icon={<Play aria-hidden />} disabledReason={runRefusal} onClick={() => setStarting(true)}>
              Run
            </Button>
            <Menu
              items={actions.menu}
              trigger={
                <IconButton label={`Actions for ${model.name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      <Tabs
        label="Parts of the model"
        layout="page"
        className="flex-1"
        tabs={[
          { value: "runs", label: "Runs", content: <RunTable model={model.uid} /> },
          {
            value: "about",
            label: "About",
            content: (
              <PageBody>
                <Facts model={model} integration={integration} />
              </PageBody>
            ),
          },
          ...(integration
            ? [
                {
                  value: "try",
                  label: "Try on an item",
                  content: (
                    <PageBody>
                      <TryOn integration={integration.uid} reason={actions.reason} />
                    </PageBody>
                  ),
                },
              ]
            : []),
        ]}
      />
      <Suspense>
        {isStarting && integration && (
          <StartRun integration={integration.uid} name={model.name} onClose={() => setStarting(false)} />
        )}
      </Suspense>
      {actions.dialogs}
    </>
  );
}
