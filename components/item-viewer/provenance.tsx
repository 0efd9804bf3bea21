"use client";

import { Bell, Bot, CircleDot, FileClock, Gavel, type LucideIcon } from "lucide-react";
import Link from "next/link";
import { KeyValue } from "@/components/kit/key-value";
import { recordingHref } from "@/components/product/recording-links";
import { exactIsoFromNs } from "@/domain/time/nanoseconds";
import type { ViewedItem } from "./item-type";

type Link = ViewedItem["source"]["links"][number];

const kinds: Readonly<Record<Link["kind"], { label: string; icon: LucideIcon }>> = {
  device: { label: "Device", icon: Bot },
  recording: { label: "Recording", icon: FileClock },
  alert: { label: "Alert", icon: Bell },
  event: { label: "Event", icon: CircleDot },
  rule: { label: "Rule", icon: Gavel },
};

function toHref({ kind, uid }: Link, at: string | null): string {
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

/** What an item came from, as links back to it. */
export function Provenance({ item }: { item: ViewedItem }) {
  const { links, topic, t_ns: ns } = item.source;
  const at = ns === null ? null : exactIsoFromNs(BigInt(ns));
  if (links.length === 0 && topic === null)
    return (
      <p className="text-table text-subtle">It was uploaded{item.added_by === null ? "" : ` by ${item.added_by}`}.</p>
    );
  return (
    <div className="flex flex-col gap-2">
      <ul aria-label="Came from" className="flex flex-wrap gap-1.5">
        {links.map((link) => {
          const { label, icon: Icon } = kinds[link.kind];
          const text = link.name ?? link.uid;
          const chip = "flex h-7 max-w-full items-center gap-1.5 rounded-full border px-2.5 text-meta";
          return (
            <li key={link.kind} className="max-w-full">
              {link.exists ? (
                <Link href={toHref(link, at)} className={`${chip} hover:bg-hover`}>
                  <Icon aria-hidden className="size-3.5 shrink-0 text-subtle" />
                  <span className="shrink-0 text-subtle">{label}</span>
                  <span className="truncate">{text}</span>
                </Link>
              ) : (
                <span className={`${chip} text-subtle`} title={`This ${label.toLowerCase()} was deleted`}>
                  <Icon aria-hidden className="size-3.5 shrink-0" />
                  {label}
                  <span className="truncate line-through">{text}</span>
                </span>
              )}
            </li>
          );
        })}
      </ul>
      <KeyValue
        items={[
          ...(topic === null ? [] : [["Topic", topic] as const]),
          ...(at === null ? [] : [["Moment", at] as const]),
        ]}
      />
    </div>
  );
}
