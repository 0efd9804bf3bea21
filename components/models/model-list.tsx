"use client";

import { Plus } from "lucide-react";
import { parseAsString, useQueryState } from "nuqs";
import { Suspense } from "react";
import { Button, ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { PageHeader } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { DocsTextLink } from "@/components/product/docs-link";
import { refuseShortcut, usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { modelColumns } from "./model-columns";
import { listInput, modelHref } from "./query";

// Loaded when a model is connected, because it brings the form library.
const ConnectDialog = lazyDialog(async () => (await import("./connect-dialog")).ConnectDialog);

const definitions: readonly FilterDefinition[] = [];

/** The models that the organization may use: its own and the public ones, with how they did. */
export function ModelList() {
  const trpc = useTRPC();
  const reason = usePermissions().refusal({ role: "admin" });
  const [connect, setConnect] = useQueryState("connect", parseAsString.withOptions({ history: "push" }));
  const list = useListPage({
    definitions,
    textKey: "search",
    query: (values) => trpc.models.overview.infiniteQueryOptions(listInput(values), nextPage),
    probe: (values) => trpc.models.overview.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const open = () => void setConnect("1");
  useShortcuts([refuseShortcut({ keys: "n", label: "Connect a model", group: "Models", run: open }, reason)]);
  const connectButton = (
    <Button variant="primary" icon={<Plus aria-hidden />} disabledReason={reason} onClick={open}>
      Connect a model
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Models"
        meta={
          <>
            Programs that mark what they find in items.
            <DocsTextLink href={guideHref("models")}>How models are asked</DocsTextLink>
          </>
        }
        actions={
          <>
            <ButtonLink href="/models/runs">Runs</ButtonLink>
            {!list.isEmpty && connectButton}
          </>
        }
      />
      <ListTable
        {...list.table}
        list={list}
        id="models"
        label="Models"
        noun={["model", "models"]}
        columns={modelColumns}
        rowLabel={(model) => model.name}
        href={(model) => modelHref(model.uid)}
        filterBar={{ label: "Filter models", placeholder: "Filter by name or kind" }}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No models yet"
            description="Muster asks a model over HTTPS and draws what it says."
            action={connectButton}
          />
        }
      />
      <Suspense>{connect === "1" && <ConnectDialog onClose={() => void setConnect(null)} />}</Suspense>
    </>
  );
}
