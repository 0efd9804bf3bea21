import { v7 } from "uuid";
import { type UidKind, uidPrefixes } from "@/domain/uid";

/** The time so many days ago. */
export const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);

/** The identifier and the creation time of a row that is so many days old. */
export const aged = (kind: UidKind | null, days: number): { uid: string; createdAt: Date } => ({
  uid: `${kind ? uidPrefixes[kind] : ""}${v7({ msecs: daysAgo(days).getTime() })}`,
  createdAt: daysAgo(days),
});
