"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis, KeyRound, Stethoscope } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { CodeBlock, CodeTabs } from "@/components/kit/code-block";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { PageBody, PageHeader, Section, usePageTitle } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { Tabs, useTab } from "@/components/kit/tabs";
import { RelativeTime } from "@/components/kit/time";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { refuseShortcut } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { BucketBanner } from "./bucket-banner";
import { CheckList } from "./check-list";
import { corsSnippet, gcsPolicies, s3Policies } from "./policies";
import { bucketPath, type Bucket } from "./query";
import { StorageFacts } from "./storage-facts";
import { StorageState } from "./storage-state";
import { StorageTests } from "./storage-tests";
import { StorageUsage } from "./storage-usage";
import { useStorageActions } from "./use-storage-actions";

const list = { label: "Storage", href: "/storage" };
const tabs = ["overview", "tests", "set-up"] as const;

/** One bucket: what its last test found, what is in it, every test, and what it has to allow. */
export function StoragePage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [tab, setTab] = useTab(tabs);
  const [deleted, setDeleted] = useState(false);
  const query = useQuery({ ...trpc.storage.get.queryOptions({ uid }), enabled: !deleted });
  const bucket = query.data;
  const actions = useStorageActions(() => {
    setDeleted(true);
    router.push("/storage");
  });
  useShortcuts([
    refuseShortcut(
      { keys: "t", label: "Test now", group: "Storage", run: () => bucket && actions.test(bucket) },
      actions.reason,
    ),
  ]);
  usePageTitle(bucket?.name);

  if (deleted) return null;
  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={bucket?.name}
        noun="bucket"
        deletedMessage="This bucket was removed from Muster. What is in it stays there."
        list={list}
        query={query}
      />
    );
  }
  if (!bucket) return null;
  return (
    <>
      <PageHeader
        title={bucket.name}
        trail={[list]}
        status={<StorageState bucket={bucket} />}
        meta={<span className="font-mono text-meta break-all">{bucketPath(bucket)}</span>}
        actions={
          <>
            <CopyLink compact />
            <Button
              icon={<KeyRound aria-hidden />}
              className="max-sm:hidden"
              disabledReason={actions.reason}
              onClick={() => actions.rotate(bucket)}
            >
              Replace credentials
            </Button>
            <Button
              variant="primary"
              icon={<Stethoscope aria-hidden />}
              busy={actions.testing === uid}
              disabledReason={actions.reason}
              onClick={() => actions.test(bucket)}
            >
              Test now
            </Button>
            <Menu
              items={actions.menu(bucket)}
              trigger={
                <IconButton label={`Actions for ${bucket.name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      <BucketBanner buckets={[bucket]} linked={false} />
      <Tabs
        label="About this bucket"
        layout="page"
        className="flex-1"
        value={tab}
        onValueChange={(next) => void setTab(next)}
        tabs={[
          {
            value: "overview",
            label: "Overview",
            content: <Overview bucket={bucket} testing={actions.testing === uid} />,
          },
          { value: "tests", label: "Tests", content: <StorageTests uid={uid} /> },
          { value: "set-up", label: "Set-up", content: <SetUp bucket={bucket} /> },
        ]}
      />
      {actions.dialogs}
    </>
  );
}

function Overview({ bucket, testing }: { bucket: Bucket; testing: boolean }) {
  return (
    <PageBody className="max-w-300">
      <div className="grid gap-x-10 gap-y-8 lg:grid-cols-2">
        <Section
          title="Last test"
          description={
            bucket.last ? (
              <>
                Made <RelativeTime value={bucket.last.at} />. Every bucket is tested once a day.
              </>
            ) : (
              "Not tested yet. Every bucket is tested once a day."
            )
          }
        >
          <CheckList checks={bucket.last?.checks} testing={testing} />
        </Section>
        <Section
          title="Where it is"
          description="A connected bucket keeps its address; connect another one for other files."
        >
          <StorageFacts bucket={bucket} />
        </Section>
      </div>
      <StorageUsage bucket={bucket} />
    </PageBody>
  );
}

function SetUp({ bucket }: { bucket: Bucket }) {
  const place = {
    bucket: bucket.s3_bucket_name ?? bucket.gc_storage_bucket_name ?? "",
    prefix: bucket.s3_bucket_prefix ?? bucket.gc_storage_prefix ?? "",
  };
  const isS3 = bucket.provider === "aws_s3";
  return (
    <PageBody narrow>
      <Section
        title="What it has to allow"
        description="Everything that Muster does in the bucket, and nothing else. Change it there, then test again."
      >
        <CodeTabs label="Policies" tabs={isS3 ? s3Policies(place, bucket.s3_endpoint_url ?? "") : gcsPolicies(place)} />
      </Section>
      <Section
        title="CORS"
        description="Only if your own pages upload to the bucket. Muster's pages need nothing: what they show is sent through Muster. Put your page's address in place of the example."
      >
        <CodeBlock code={corsSnippet(bucket.provider, "https://fleet.example.com")} label="CORS configuration" />
      </Section>
    </PageBody>
  );
}
