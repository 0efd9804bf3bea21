"use client";

import { HardDrive, Sparkles, Upload, type LucideIcon } from "lucide-react";
import { Button, ButtonLink } from "@/components/kit/button";
import { DocsTextLink } from "@/components/product/docs-link";
import { usePermissions } from "@/components/product/permissions";
import { guideHref } from "@/domain/docs/guides";
import { readFormats } from "@/domain/recordings/file-names";
import { useDemo } from "./use-demo";

/** The three ways to start, for an organization without data. */
export function Welcome() {
  const { start } = useDemo();
  const { refusal } = usePermissions();
  const [view, manage] = [refusal(), refusal({ role: "admin" })];
  return (
    <div className="flex max-w-200 flex-col gap-6">
      <p className="max-w-152 text-body text-muted">
        Muster stores what your robots record, watches it with rules, and notifies you when something is wrong. Start
        with a fleet made for you, or with your own.
      </p>
      <ul className="border-t">
        <StartOption
          icon={Sparkles}
          title="Explore demo fleet"
          description="12 robots with a week of recordings, rules that watch them and alerts to look into, made by the same pipeline as yours. The first alerts are there within a minute; one press removes all of it."
        >
          <Button
            variant="primary"
            size="lg"
            busy={start.isPending}
            disabledReason={manage}
            onClick={() => start.mutate()}
          >
            Explore demo fleet
          </Button>
        </StartOption>
        <StartOption
          icon={HardDrive}
          title="Register a device"
          description="Give a robot its token; it reports and uploads for itself with one command."
        >
          <ButtonLink href="/devices?register=1" size="lg" disabledReason={manage}>
            Register a device
          </ButtonLink>
        </StartOption>
        <StartOption
          icon={Upload}
          title="Upload a recording"
          description={`See what you have at hand: its topics, plots and what rules find in it. ${readFormats}; drop it anywhere.`}
        >
          <ButtonLink href="/recordings?upload=1" size="lg" disabledReason={view}>
            Upload a recording
          </ButtonLink>
        </StartOption>
      </ul>
      <p className="text-table text-muted">
        Everything can be done over the API too:{" "}
        <DocsTextLink href={guideHref("first-steps")}>first steps by curl</DocsTextLink>,{" "}
        <DocsTextLink href="/docs">all guides</DocsTextLink>,{" "}
        <DocsTextLink href="/docs/api">API reference</DocsTextLink>.
      </p>
    </div>
  );
}

function StartOption(props: { icon: LucideIcon; title: string; description: string; children: React.ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-3 border-b py-5">
      <props.icon aria-hidden className="size-5 shrink-0 self-start text-subtle max-sm:hidden" strokeWidth={1.5} />
      <div className="min-w-0 flex-1 basis-72">
        <h2 className="text-section font-semibold">{props.title}</h2>
        <p className="max-w-120 text-table text-muted">{props.description}</p>
      </div>
      {props.children}
    </li>
  );
}
