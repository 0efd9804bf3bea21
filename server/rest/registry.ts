import type { Endpoint } from "@/server/rest/endpoint";
import * as devices from "@/server/devices/rest";
import * as events from "@/server/events/rest";
import * as groups from "@/server/devices/groups-rest";
import * as recordings from "@/server/recordings/rest";
import * as uploads from "@/server/recordings/upload-rest";

/** Every operation of the REST API. One line a domain; everything else about an operation stands in its own declaration. */
const domains: readonly Readonly<Record<string, Endpoint>>[] = [devices, groups, recordings, uploads, events];

export const registry: readonly Endpoint[] = domains.flatMap((domain) => Object.values(domain));
