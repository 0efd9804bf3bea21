import { beforeEach, describe, expect, test } from "vitest";
import { describeApi } from "@/server/composition/openapi";
import { registry } from "@/server/composition/rest-registry";
import { pool } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { int8, nullable, queryRows, text } from "@/server/platform/rows";
import { addMember, makeKey, makeOrganization, unique } from "@/server/testing/factories";
import type { TestOrganization } from "@/server/testing/factories";
import { runQueuedJobs } from "@/server/testing/queued-jobs";
import { request } from "@/server/testing/requests";
import { performOnce, type Repeatable } from "@/server/transport/rest/idempotency";

let org: TestOrganization;
let key: string;
beforeEach(async () => {
  org = await makeOrganization();
  key = unique("once");
});

interface Created {
  uid: string;
  device_token: string;
}
const create = (body: unknown, options: { by?: string; path?: string; key?: string } = {}) =>
  request<Created & Record<string, unknown>>("POST", options.path ?? "/fleet/devices/", {
    key: options.by ?? org.key,
    body,
    headers: { "idempotency-key": options.key ?? key },
  });
const countDevices = async () => {
  const columns = { count: int8 };
  const rows = await queryRows(pool, columns, "select count(*) from devices where organization_id = $1", [org.uid]);
  return Number(rows[0]?.count);
};
const isReplay = ({ headers }: { headers: Headers }) => headers.get("idempotent-replayed") === "true";

describe("a create that is repeated with its Idempotency-Key", () => {
  test("gets the first response again, its one-time secret too, and creates nothing more", async () => {
    const first = await create({ name: "arm" });
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    for (const path of ["/fleet/devices/", "/fleet/devices"]) {
      const again = await create({ name: "arm" }, { path });
      expect([again.status, isReplay(again), again.body]).toEqual([201, true, first.body]);
    }
    expect(first.body.device_token).toMatch(/^svd_/);
    expect(await countDevices()).toBe(1);
  });

  test("gets it by another key of the same person", async () => {
    const first = await create({ name: "arm" });
    const again = await create({ name: "arm" }, { by: await makeKey(org, org.owner) });
    expect([isReplay(again), again.body.uid]).toEqual([true, first.body.uid]);
  });

  test("is 400 with another body, and leaves the first response as it was", async () => {
    const first = await create({ name: "arm" });
    const other = await create({ name: "leg" });
    expect([other.status, other.body]).toEqual([
      400,
      { non_field_errors: ["This Idempotency-Key was used with another body."] },
    ]);
    expect((await create({ name: "arm" })).body.uid).toBe(first.body.uid);
  });

  test("is another request for another person, organization, key or path", async () => {
    const admin = await addMember(org, "admin");
    const elsewhere = await makeOrganization();
    const responses = [
      await create({ name: "arm" }),
      await create({ name: "arm" }, { by: admin.key }),
      await create({ name: "arm" }, { by: elsewhere.key }),
      await create({ name: "arm" }, { key: `${key}-2` }),
      await create({ name: "arm" }, { path: "/fleet/groups/" }),
    ];
    expect(responses.map((response) => [response.status, isReplay(response)])).toEqual(
      responses.map(() => [201, false]),
    );
  });

  test("gets a refusal again, too", async () => {
    const first = await create({ name: "" });
    const again = await create({ name: "" });
    expect([first.status, again.status, isReplay(again)]).toEqual([400, 400, true]);
    expect(again.body).toEqual(first.body);
  });

  test("creates once when it is sent many times concurrently; the others are 409 or the same response", async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => create({ name: "arm" })));
    const made = responses.filter((response) => response.status === 201 && !isReplay(response));
    expect(made).toHaveLength(1);
    for (const response of responses) {
      if (response.status === 201) expect(response.body.uid).toBe(made[0]?.body.uid);
      else expect([response.status, response.body.detail]).toEqual([409, expect.stringContaining("still running")]);
    }
    expect(await countDevices()).toBe(1);
  });

  test("runs again after 24 hours, when the daily job has deleted what was stored", async () => {
    const first = await create({ name: "arm" });
    await pool.query("update idempotency_keys set expires_at = now() - interval '1 second'");
    expect((await create({ name: "arm" })).body.uid).not.toBe(first.body.uid);
    await pool.query("update idempotency_keys set expires_at = now() - interval '1 second'");
    await enqueue({ db: org.ctx.db }, jobs.cleanDaily, {});
    await runQueuedJobs(jobs.cleanDaily);
    expect(await queryRows(pool, { key: text }, "select key from idempotency_keys")).toEqual([]);
  });

  test("needs a key of 1 to 255 characters", async () => {
    expect((await create({ name: "a" }, { key: "x".repeat(255) })).status).toBe(201);
    for (const bad of ["", "x".repeat(256)]) {
      const { status, body } = await create({ name: "b" }, { key: bad });
      expect([status, Object.keys(body)]).toEqual([400, ["non_field_errors"]]);
    }
  });
});

test("a stored response is sealed: a one-time secret does not lie in the database", async () => {
  const { body } = await create({ name: "arm" });
  const rows = await queryRows(pool, { sealed: nullable(text) }, "select sealed from idempotency_keys");
  expect(rows.length).toBeGreaterThan(0);
  for (const { sealed } of rows) {
    expect(sealed).toMatch(/^v1\./);
    expect(sealed).not.toContain(body.device_token);
  }
});

describe("a request with an Idempotency-Key", () => {
  const repeatable = (): Repeatable => ({ key, caller: org.uid, operation: "x", path: "/x", document: { a: 1 } });
  const reply = { status: 201, body: { uid: "u" } };
  const never = () => Promise.reject(new Error("ran twice"));

  test.each([500, 503, 401, 408, 429])("that ended with %i runs again", async (status) => {
    const failing = performOnce(
      repeatable(),
      () => Promise.reject(new Error("refused")),
      () => ({ status, body: {} }),
    );
    await expect(failing).rejects.toThrow("refused");
    expect(
      await performOnce(
        repeatable(),
        () => Promise.resolve(reply),
        () => null,
      ),
    ).toEqual(reply);
    expect(await performOnce(repeatable(), never, () => null)).toMatchObject(reply);
  });

  test("that was killed runs again once its time is over, and cannot store its response any more", async () => {
    let end = (_reply: typeof reply): void => {};
    let killed: Promise<unknown> = Promise.resolve();
    await new Promise<void>((started) => {
      const perform = () => {
        started();
        return new Promise<typeof reply>((resolve) => (end = resolve));
      };
      killed = performOnce(repeatable(), perform, () => null);
    });
    await expect(performOnce(repeatable(), never, () => null)).rejects.toThrow("still running");
    await pool.query("update idempotency_keys set running_until = now() - interval '1 second' where status is null");
    expect(
      await performOnce(
        repeatable(),
        () => Promise.resolve(reply),
        () => null,
      ),
    ).toEqual(reply);
    end({ status: 201, body: { uid: "late" } });
    await killed;
    expect(await performOnce(repeatable(), never, () => null)).toMatchObject(reply);
  });
});

describe("every create of the REST API", () => {
  const creates = registry.filter((endpoint) => endpoint.creates);

  test("accepts the header, and documents it", () => {
    const statuses = registry.filter(({ status, alternatives }) => [status, ...(alternatives ?? [])].includes(201));
    expect(statuses.filter((endpoint) => !endpoint.creates).map(({ id }) => id)).toEqual([]);
    expect(creates.length).toBeGreaterThan(30);
    const { paths, components } = describeApi("https://muster.example") as unknown as {
      paths: Record<
        string,
        Record<string, { operationId: string; parameters?: ({ name: string } | { $ref: string })[] }>
      >;
      components: { parameters: Record<string, { name: string }> };
    };
    const nameParameter = (parameter: { name: string } | { $ref: string }) =>
      "name" in parameter ? parameter.name : components.parameters[parameter.$ref.split("/").at(-1) ?? ""]?.name;
    const documented = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ parameters = [] }) => parameters.some((each) => nameParameter(each) === "Idempotency-Key"))
      .map(({ operationId }) => operationId);
    expect(documented.sort()).toEqual(creates.map(({ id }) => id).sort());
  });

  test("is named here, so that a change of the rule shows", () => {
    expect(creates.map(({ id }) => id).sort()).toMatchInlineSnapshot(`
      [
        "account.signup",
        "agents.register",
        "agents.test",
        "alerts.comment",
        "channels.create",
        "dataset-members.add",
        "datasets.create",
        "datasets.upload-init",
        "demo.create",
        "devices.create",
        "events.create",
        "events.create-batch",
        "exports.create",
        "groups.create",
        "imports.create",
        "invitations.accept",
        "invitations.create",
        "issues.comment",
        "issues.create",
        "models.add-integration",
        "models.create",
        "models.predict",
        "moments.add",
        "moments.add-many",
        "organizations.create",
        "project-members.add",
        "project-people.set",
        "projects.clone",
        "projects.create",
        "projects.pre-label",
        "recordings.create",
        "recordings.to-dataset",
        "recordings.upload-init",
        "results.submit",
        "robot-descriptions.upload-init",
        "rules.create",
        "rules.run",
        "silences.create",
        "slices.create",
        "storage-configs.create",
        "tasks.submit",
        "webhook-deliveries.redeliver",
        "webhooks.create",
        "webhooks.replay",
        "webhooks.test",
      ]
    `);
  });
});
