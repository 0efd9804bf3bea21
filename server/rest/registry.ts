import type { Endpoint } from "@/server/rest/endpoint";
import * as alerts from "@/server/alerts/rest";
import * as channels from "@/server/channels/rest";
import * as devices from "@/server/devices/rest";
import * as events from "@/server/events/rest";
import * as groups from "@/server/devices/groups-rest";
import * as recordings from "@/server/recordings/rest";
import * as uploads from "@/server/recordings/upload-rest";
import * as silences from "@/server/silences/rest";

/** Every operation of the REST API. One line a domain; everything else about an operation stands in its own declaration. */
const domains: readonly Readonly<Record<string, Endpoint>>[] = [devices, groups, recordings, uploads, events, channels, silences, alerts];

export const registry: readonly Endpoint[] = domains.flatMap((domain) => Object.values(domain));
