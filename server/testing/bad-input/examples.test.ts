import { beforeAll, describe, expect, test } from "vitest";
import { describeApi } from "@/server/composition/openapi";
import { credentialFor, buildPath, makeFixture, withBody, type Fixture } from "@/server/testing/bad-input/fixture";
import { completions, listFields, named } from "@/server/testing/bad-input/samples";
import { request } from "@/server/testing/requests";

/** The examples of the API's description, sent as they are but for identifiers and what has to be unique. */

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { example: unknown }> };
}

const { paths } = describeApi("http://127.0.0.1:3000") as unknown as {
  paths: Record<string, Record<string, Operation>>;
};
const examples = new Map(
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, requestBody }) => [operationId, requestBody?.content["application/json"]?.example]),
);

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture();
  const { org, key, ids } = fixture;
  // A result with the labels of the project can be submitted to an open task once the project is approved.
  const body = { labels: [{ name: "car" }] };
  expect((await request("PATCH", `/projects/${org.slug}/${ids.project}/`, { key, body })).status).toBe(200);
  for (const step of [`/projects/${ids.project}/approve/`, `/tasks/${ids.task}/open/`])
    expect((await request("POST", step, { key })).status, step).toBe(200);
});

/** What has to be unique, and who has to be a member of the organization. */
const ofFixture = new Set(["name", "slug", "email", "invited_email", "target_url", "user", "lease"]);
const isIdentifier = (value: unknown) => /^\w*0199c0de-/.test(String([value].flat()[0]));

/** The example with identifiers of the fixture's objects. */
function withIdentifiers(example: unknown, depth = 0): unknown {
  if (Array.isArray(example)) return example.map((entry) => withIdentifiers(entry, depth + 1));
  if (typeof example !== "object" || example === null) return example;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]: [string, unknown]) => [
      name,
      (depth === 0 && ofFixture.has(name)) || isIdentifier(value)
        ? named(name, fixture.ids, fixture.org)
        : withIdentifiers(value, depth + 1),
    ]),
  );
}

/** The refusals of valid bodies that the state of the fixture causes. */
const refusedByState: Readonly<Record<string, unknown>> = {
  "recordings.upload-confirm": { files: ["0.path: It is not a file of this upload."] },
  "recordings.upload-finalize": { session_uid: ["1 file is not confirmed yet."] },
  "datasets.upload-confirm": { files: ["0.path: It is not a file of this upload."] },
  "datasets.upload-finalize": { session_uid: ["1 file is not confirmed yet."] },
  "moments.preview": { recording_id: ["The recording holds no messages that could be read."] },
  "moments.add": { recording_id: ["The recording holds no messages that could be read."] },
  "moments.add-many": { non_field_errors: ["None of these moments has a recording with something to add."] },
  "alerts.snooze": { status: ["A resolved alert cannot be snoozed."] },
  "signals.query": { sql: ['There is no topic "/motor" in these recordings.'] },
  "projects.pre-label": { run: ["It predicted nothing for tasks of this project that nobody has begun."] },
  "imports.check": { status: ["This import is failed."] },
  "imports.start": { status: ["This import is failed."] },
  "tasks.submit": { status: ["This task is completed."] },
  "tasks.skip": { status: ["This task is completed."] },
  "results.reject": { status: ["This result is accepted already."] },
  "results.revise": { status: ["This result is accepted already."] },
  "organizations.delete": { confirm_name: ["This is not the name of the organization."] },
  "account.delete": {
    email: ["This is not the address of your account."],
    password: ["The password is not right."],
  },
  "storage-configs.update": {
    s3_endpoint_url: [
      "The bucket could not be reached: blocked address: This address is not reachable from here: it is not on the public internet.",
    ],
  },
  "storage-configs.create": {
    s3_endpoint_url: ["This address is not reachable from here: it is not on the public internet."],
  },
};

describe("the example of a body is accepted:", () => {
  test.each(withBody)("%s", async (_, endpoint) => {
    const example = examples.get(endpoint.id);
    expect(example, "has an example").toBeDefined();
    const body = withIdentifiers(example);
    const own = completions[endpoint.id]?.(fixture) ?? {};
    // Uploads have sessions, files and secrets of their own, and tasks uids without a prefix.
    const sent = /upload|storage-configs|heartbeat-batch|^tasks\.|^results\.decide/.test(endpoint.id)
      ? { ...(body as object), ...own }
      : body;
    const organization = listFields(endpoint.query).some(({ name }) => name === "organization")
      ? `?organization=${fixture.org.slug}`
      : "";
    const response = await request(endpoint.method, `${buildPath(endpoint, fixture.ids)}${organization}`, {
      ...credentialFor(fixture, endpoint),
      body: sent,
    });
    const refusal = refusedByState[endpoint.id];
    if (refusal) expect([response.status, response.body]).toEqual([400, refusal]);
    else expect([200, 201, 202, 204], JSON.stringify([sent, response.body])).toContain(response.status);
  });
});
