"use client";

import { Archive } from "lucide-react";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { PageHeader } from "@/components/kit/page-header";
import { Tabs } from "@/components/kit/tabs";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { DocsTextLink } from "@/components/product/docs-link";
import { useOrigin } from "@/components/product/origin";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { statusAfter } from "@/domain/projects/lifecycle";
import { NewProjectButton } from "./new-project-button";
import { projectColumns } from "./project-columns";
import { listInput, listTabNames, listTabs, projectHref, type ListTab } from "./query";
import { useProjectActions } from "./use-project-actions";

const newestFirst = "-created_at";
const definitions: readonly FilterDefinition[] = [];

const createCommand = (origin: string): string => `curl ${origin}/api/v1/projects/ \\
  -H "X-Service-Api-Key: $KEY" -H "Content-Type: application/json" \\
  -d '{"name": "Yard crossings", "task_type": "image-annotation",
       "datasets": ["'"$DATASET"'"], "labels": [{"name": "robot"}]}'`;

/** Every project of the organization, newest first, by what is to be done with it. The tab is in the address as `status`. */
export function ProjectList() {
  const [tab, setTab] = useQueryState(
    "status",
    parseAsStringLiteral(listTabNames).withDefault("all").withOptions({ history: "push" }),
  );
  return (
    <>
      <PageHeader
        title="Projects"
        meta={
          <>
            What people are asked to label, and how far they are.
            <DocsTextLink href={guideHref("annotation")}>How pictures are labelled</DocsTextLink>
          </>
        }
        actions={<NewProjectButton />}
      />
      <Tabs
        label="Projects by status"
        layout="page"
        className="flex-1"
        value={tab}
        onValueChange={(next) => void setTab(next)}
        tabs={listTabNames.map((value) => ({
          value,
          label: listTabs[value].label,
          content: value === tab ? <ProjectTable tab={value} onLeaveTab={() => void setTab("all")} /> : null,
        }))}
      />
    </>
  );
}

function ProjectTable({ tab, onLeaveTab }: { tab: ListTab; onLeaveTab: () => void }) {
  const trpc = useTRPC();
  const origin = useOrigin();
  const [ordering, setOrdering] = useQueryState("ordering", parseAsString.withOptions({ history: "push" }));
  const list = useListPage({
    definitions,
    textKey: "search",
    query: (values) =>
      trpc.projects.overview.infiniteQueryOptions(listInput({ ...values, ordering, status: tab }), nextPage),
    probe: (values) => trpc.projects.overview.queryOptions({ ...listInput({ ...values, status: tab }), limit: 1 }),
    holdsFresh: ordering === null,
  });
  const actions = useProjectActions();
  return (
    <>
      <ListTable
        {...list.table}
        onSelect={undefined}
        list={list}
        id="projects"
        label="Projects"
        noun={["project", "projects"]}
        columns={projectColumns}
        rowLabel={(project) => project.name}
        href={(project) => projectHref(project.uid)}
        ordering={ordering ?? newestFirst}
        onOrderingChange={(next) => void setOrdering(next === newestFirst ? null : next)}
        rowMenu={(project) => actions.menu(project, { open: true })}
        bulkActions={(uids) => {
          const rows = list.findRows(uids);
          const open = rows.find(({ status }) => statusAfter("archive", status) === null);
          return (
            <Button
              icon={<Archive aria-hidden />}
              disabledReason={actions.reason ?? (open && `${open.name} is neither done nor canceled.`)}
              onClick={() => actions.archive(rows)}
            >
              Archive
            </Button>
          );
        }}
        filterBar={{ label: "Filter projects", placeholder: "Filter by name" }}
        tools={
          <>
            <SavedViews screen="projects" />
          </>
        }
        empty={
          tab === "all" ? (
            <EmptyState
              kind="nothing-yet"
              title="No projects yet"
              description="A project asks people to label the items of a dataset, and checks what they did."
              action={<NewProjectButton />}
              curl={{ command: createCommand(origin), guide: guideHref("data-loop") }}
            />
          ) : (
            <EmptyState kind="no-match" noun="projects" filterCount={1} onClear={onLeaveTab} />
          )
        }
      />
      {actions.dialogs}
    </>
  );
}
