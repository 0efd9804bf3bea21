import { Bell, Bot, CircleDot, Clock, FileClock, Gavel, Hash, type LucideIcon } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { recordingHref } from "@/components/product/recording-links";
import { exactIsoFromNs } from "@/domain/time/nanoseconds";
import type { ViewedItem } from "./item-type";

type SourceLink = ViewedItem["source"]["links"][number];

const kinds: Readonly<Record<SourceLink["kind"], { label: string; icon: LucideIcon }>> = {
  device: { label: "Device", icon: Bot },
  recording: { label: "Recording", icon: FileClock },
  alert: { label: "Alert", icon: Bell },
  event: { label: "Event", icon: CircleDot },
  rule: { label: "Rule", icon: Gavel },
};

function toHref({ kind, uid }: SourceLink, at: string | null): string {
  switch (kind) {
    case "device":
      return `/devices/${uid}`;
    case "recording":
      return recordingHref(uid, at === null ? {} : { t: at });
    case "alert":
      return `/alerts/${uid}`;
    case "event":
      return `/events?selected=${uid}`;
    case "rule":
      return `/rules/${uid}`;
  }
}

const chip = "flex h-7 max-w-full items-center gap-1.5 rounded-full border px-2.5 text-meta";

function Chip({ icon: Icon, label, children }: { icon: LucideIcon; label: string; children: ReactNode }) {
  return (
    <>
      <Icon aria-hidden className="size-3.5 shrink-0 text-subtle" />
      <span className="shrink-0 text-subtle">{label}</span>
      {children}
    </>
  );
}

interface ProvenanceProps {
  item: Pick<ViewedItem, "source" | "added_by">;
  /** Where leaving the page would end the work on it. */
  inNewTab?: boolean;
}

/** What an item came from, as links back to it. */
export function Provenance({ item, inNewTab = false }: ProvenanceProps) {
  const { links, topic, t_ns: ns } = item.source;
  const at = ns === null ? null : exactIsoFromNs(BigInt(ns));
  if (links.length === 0 && topic === null && at === null)
    return (
      <p className="text-table text-subtle">It was uploaded{item.added_by === null ? "" : ` by ${item.added_by}`}.</p>
    );
  const facts = [
    ...(topic === null ? [] : [{ label: "Topic", icon: Hash, text: topic }]),
    ...(at === null ? [] : [{ label: "Moment", icon: Clock, text: at }]),
  ];
  return (
    <ul aria-label="Where it came from" className="flex flex-wrap gap-1.5">
      {links.map((link) => {
        const { label, icon } = kinds[link.kind];
        const text = link.name ?? link.uid;
        return (
          <li key={link.kind} className="max-w-full">
            {link.exists ? (
              <Link
                href={toHref(link, at)}
                prefetch={false}
                target={inNewTab ? "_blank" : undefined}
                className={`${chip} hover:bg-hover`}
              >
                <Chip icon={icon} label={label}>
                  <span className="truncate">{text}</span>
                </Chip>
              </Link>
            ) : (
              <span className={`${chip} text-subtle`} title={`This ${label.toLowerCase()} was deleted`}>
                <Chip icon={icon} label={label}>
                  <span className="truncate line-through">{text}</span>
                </Chip>
              </span>
            )}
          </li>
        );
      })}
      {facts.map(({ label, icon, text }) => (
        <li key={label} className={chip}>
          <Chip icon={icon} label={label}>
            <span className="truncate">{text}</span>
          </Chip>
        </li>
      ))}
    </ul>
  );
}
