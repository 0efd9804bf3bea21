"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { CodeTabs } from "@/components/kit/code-block";
import { CopyLink } from "@/components/kit/copy-link";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { PageBody, PageHeader, Section, usePageTitle } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { useStaleSince } from "@/components/live/liveness";
import { useOrigin } from "@/components/product/origin";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { hasParts } from "@/domain/exports/formats";
import { keyCommand, linkCommand } from "./commands";
import { ExportContents } from "./export-contents";
import { ExportFacts } from "./export-facts";
import { ExportOutcome } from "./export-outcome";
import { ExportState } from "./export-status";
import { pollMs } from "./export-watch";
import { describeSources, formatNames, isUnderWay } from "./labels";
import { useExportActions } from "./use-export-actions";

const exportList = { label: "Exports", href: "/exports" };

/** Everything about one export: how far it is, what is in its file, and how to get it. */
export function ExportPage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const origin = useOrigin();
  const stale = useStaleSince() !== null;
  const [deleted, setDeleted] = useState(false);
  const query = useQuery({
    ...trpc.exports.overviewOf.queryOptions({ uid }),
    enabled: !deleted,
    refetchInterval: ({ state }) => (stale && state.data && isUnderWay(state.data) ? pollMs : false),
  });
  const actions = useExportActions({
    onDeleted: () => {
      setDeleted(true);
      router.push("/exports");
    },
  });
  const of = query.data;
  usePageTitle(of?.name);
  useShortcuts([
    { keys: "y", label: "Copy the curl command", group: "Exports", run: () => of && actions.copyCommand(of) },
  ]);
  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={of?.name}
        noun="export"
        deletedMessage="This export was deleted, and its file with it."
        list={exportList}
        query={query}
      />
    );
  }
  if (!of) return null;
  const link = linkCommand(of, origin);
  return (
    <>
      <PageHeader
        title={of.name}
        trail={[exportList]}
        status={<ExportState of={of} bar={false} />}
        meta={
          <>
            <span>{formatNames[of.format]}</span>
            <span className="truncate">{describeSources(of.sources)}</span>
            <UidChip uid={of.uid} />
          </>
        }
        actions={
          <>
            <CopyLink compact />
            <Menu
              items={actions.menu(of)}
              trigger={
                <IconButton label={`Actions for ${of.name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      <PageBody>
        <div className="max-w-172">
          <ExportOutcome of={of} actions={actions} />
        </div>
        <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
          <Section title="About this export">
            <ExportFacts of={of} />
          </Section>
          <Section
            title="Contents"
            description={
              of.contents === null
                ? "Counted while the file is written."
                : hasParts(of.format) && of.contents.classes.length > 0
                  ? `${plural(of.contents.classes.length, "class", "classes")} in the order of data.yaml.`
                  : undefined
            }
          >
            {of.contents !== null && <ExportContents contents={of.contents} numbered={hasParts(of.format)} />}
          </Section>
        </div>
        {link !== null && (
          <Section
            title="From a terminal"
            description="The link works for whoever has it, until the file expires. A script asks for a new one with an API key."
          >
            <CodeTabs
              label="Ways to download"
              tabs={[
                { label: "This link", code: link },
                { label: "With an API key", code: keyCommand(of, origin) },
              ]}
            />
          </Section>
        )}
      </PageBody>
      {actions.dialogs}
    </>
  );
}
