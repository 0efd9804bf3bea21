import { expect } from "vitest";
import { registry } from "@/server/composition/rest-registry";
import { listParameters, buildPath, type Fixture } from "@/server/testing/bad-input/fixture";
import { request } from "@/server/testing/requests";
import type { Endpoint } from "@/server/transport/rest/endpoint";

type Json = Record<string, unknown>;

/** Finds the operation that reads one object of the kind that an operation creates. */
function findReader(endpoint: Endpoint): Endpoint | undefined {
  const kind =
    endpoint.id === "projects.clone" ? "projects" : /^([\w-]+)\.(create|register|submit)$/.exec(endpoint.id)?.[1];
  return registry.find(({ id }) => id === `${kind}.get`);
}

/** Operations whose objects only a list shows, with the list's path. */
const lists: Readonly<Record<string, (fixture: Pick<Fixture, "ids">) => string>> = {
  // A key reads only its own organization, but lists all organizations of its user.
  "organizations.create": () => "/organizations/?limit=1000",
  "invitations.create": ({ ids }) => `/organizations/${ids.orgSlug}/invitations/?limit=1000`,
  "models.create": () => "/models/?limit=1000",
  "models.add-integration": ({ ids }) => `/models/${ids.model}/integrations/?limit=1000`,
};

/** Members that only the response to the creation has. */
const shownOnce = new Set(["device_token", "secret", "token", "key", "api_key", "accept_url", "copy_link"]);

/**
 * Reads a created object and expects the same members as in the 201 response, except those that are shown only once.
 * Returns false if no operation reads the object.
 */
export async function expectReadBack(
  endpoint: Endpoint,
  fixture: Pick<Fixture, "ids" | "key">,
  created: Json,
): Promise<boolean> {
  const read = await readAgain(endpoint, fixture, created);
  if (!read) return false;
  const shared = Object.keys(read).filter((member) => member in created && !shownOnce.has(member));
  const pick = (from: Json) => Object.fromEntries(shared.map((member) => [member, from[member]]));
  expect(shared.length, `${endpoint.id} and its reader have members in common`).toBeGreaterThan(1);
  expect(pick(read), `${endpoint.id} reads back as returned`).toEqual(pick(created));
  return true;
}

async function readAgain(
  endpoint: Endpoint,
  fixture: Pick<Fixture, "ids" | "key">,
  created: Json,
): Promise<Json | undefined> {
  const list = lists[endpoint.id]?.(fixture);
  if (list !== undefined) {
    const { body } = await request<{ results: Json[] }>("GET", list, { key: fixture.key });
    const found = body.results.find(({ uid }) => uid === created.uid);
    expect(found, `${list} holds what ${endpoint.id} created`).toBeDefined();
    return found;
  }
  const reader = findReader(endpoint);
  if (!reader) return undefined;
  const own = Object.fromEntries(
    listParameters(reader).flatMap((name) => {
      const value = created[name === "org_slug" ? "slug" : name];
      return typeof value === "string" && name !== "owner" ? [[name, value]] : [];
    }),
  );
  const response = await request<Json>("GET", buildPath(reader, fixture.ids, own), { key: fixture.key });
  expect(response.status, `${reader.id} of what ${endpoint.id} created`).toBe(200);
  return response.body;
}
