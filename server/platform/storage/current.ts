import { processWide } from "@/server/platform/process-wide";
import { ownStore } from "@/server/platform/storage/own";
import { RoutedStore } from "@/server/platform/storage/routed";
import type { ObjectStore } from "@/server/platform/storage/store";

/** The store of all objects: each in this installation's own store or in the customer's bucket that its key names. */
export const objectStore = (): ObjectStore => processWide("objectStore", () => new RoutedStore(ownStore()));
