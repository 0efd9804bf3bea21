import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import yauzl from "yauzl";
import { z } from "zod";
import { Label } from "@/domain/projects/label-schema";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { withDownloadLink } from "@/server/features/exports/event-link-service";
import { expireExports } from "@/server/features/exports/expiry-service";
import * as exportJobs from "@/server/features/exports/jobs";
import type { ExportResource } from "@/server/features/exports/resource";
import type { SliceResource } from "@/server/features/slices/resource";
import { systemContext } from "@/server/platform/context";
import { pool, prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import type { Page } from "@/server/platform/pagination";
import { beginBackup, endAllLeases, renewLease } from "@/server/platform/storage/backup-lease";
import { uuidv7 } from "@/server/platform/uid";
import { annotatedPictures, box, shape } from "@/server/testing/annotated-pictures";
import { makeDataset, pictures } from "@/server/testing/datasets";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { runJobs } from "@/server/testing/processing";
import { jobIds, leaveOneAttempt } from "@/server/testing/queued-jobs";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let server: Loopback;
beforeAll(async () => {
  server = await startLoopback();
});
afterAll(() => server.close());
beforeEach(async () => {
  org = await makeOrganization();
});

const call = requestsWith(() => org.key);
const requestExport = (body: object) =>
  call<ExportResource>("POST", "/exports/", {
    name: unique("export"),
    format: "avala-json-external",
    datasets: [],
    projects: [],
    slices: [],
    ...body,
  });
const get = async (uid: string) => (await call<ExportResource>("GET", `/exports/${uid}/`)).body;
const runExportJobs = () => runJobs([exportJobs.start, exportJobs.run]);

/** The specified document, without any other member. */
const Document = z.strictObject({
  scheme_version: z.string(),
  export_info: z.strictObject({
    name: z.string(),
    created_at: z.iso.datetime(),
    format: z.literal("avala-json-external"),
    filter_query_string: z.string(),
  }),
  datasets: z.array(
    z.strictObject({
      uid: z.guid(),
      name: z.string(),
      items: z.array(
        z.strictObject({ uid: z.guid(), ref_id: z.string(), metadata: z.record(z.string(), z.unknown()) }),
      ),
    }),
  ),
  projects: z.array(
    z.strictObject({
      uid: z.guid(),
      name: z.string(),
      labels: z.array(z.strictObject({ name: z.string(), color: z.string() })),
      label_schema: z.array(Label),
    }),
  ),
  results: z.array(
    z.strictObject({
      uid: z.guid(),
      dataset_item_uid: z.guid(),
      project_uid: z.guid(),
      annotations: z.array(
        z.strictObject({
          label: z.string(),
          type: z.string(),
          coordinates: z.record(z.string(), z.unknown()),
          attributes: z.record(z.string(), z.unknown()),
        }),
      ),
    }),
  ),
});

async function downloadBytes(exported: ExportResource): Promise<Buffer> {
  const response = await fetch(server.here(exported.download_url ?? ""));
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}
const readDocument = async (exported: ExportResource) =>
  Document.parse(JSON.parse((await downloadBytes(exported)).toString()));

function listEntries(archive: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(archive, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      const entries = new Map<string, Buffer>();
      zip.on("entry", (entry: yauzl.Entry) => {
        zip.openReadStream(entry, (failed, stream) => {
          if (failed) return reject(failed);
          const chunks: Buffer[] = [];
          stream
            .on("data", (chunk: Buffer) => chunks.push(chunk))
            .on("end", () => {
              entries.set(entry.fileName, Buffer.concat(chunks));
              zip.readEntry();
            });
        });
      });
      zip.on("end", () => resolve(entries)).on("error", reject);
      zip.readEntry();
    });
  });
}

const annotated = (count = 3) => annotatedPictures(org, [box, shape], count);

describe("an export as JSON", () => {
  test("is queued, counts items, publishes an event, and is downloaded completely and by ranges", async () => {
    const { dataset, project, accepted, items, labels } = await annotated();
    const hook = await call("POST", "/webhooks/", {
      target_url: "https://example.com/hook",
      events: ["export.completed", "export.failed"],
    });
    const requested = await requestExport({ datasets: [dataset.uid] });
    expect([requested.status, requested.body]).toMatchObject([
      201,
      {
        status: "requested",
        total_task_count: null,
        exported_task_count: null,
        download_url: null,
        datasets: [dataset.uid],
        organization: { slug: org.slug },
      },
    ]);
    await runExportJobs();
    const done = await get(requested.body.uid);
    expect(done).toMatchObject({ status: "exported", total_task_count: 3, exported_task_count: 3 });
    expect(await readDocument(done)).toEqual({
      scheme_version: "1.0",
      export_info: {
        name: done.name,
        created_at: done.created_at,
        format: "avala-json-external",
        filter_query_string: "",
      },
      datasets: [
        {
          uid: dataset.uid,
          name: dataset.name,
          items: items.map(({ uid, key, metadata }) => ({ uid, ref_id: key, metadata })),
        },
      ],
      projects: [{ uid: project.uid, name: project.name, labels, label_schema: project.labels }],
      results: [
        {
          uid: accepted.uid,
          dataset_item_uid: items[0]?.uid,
          project_uid: project.uid,
          annotations: [
            { ...box, attributes: {} },
            { ...shape, attributes: {} },
          ],
        },
      ],
    });
    const part = await fetch(server.here(done.download_url ?? ""), { headers: { range: "bytes=0-18" } });
    expect([part.status, part.headers.get("content-length"), await part.text()]).toEqual([
      206,
      "19",
      '{"scheme_version":"',
    ]);
    expect(done.size_bytes).toBe((await downloadBytes(done)).length);
    const [delivery] = await prisma.webhookDelivery.findMany({ where: { subscriptionId: String(hook.body.uid) } });
    expect(delivery?.payload).toMatchObject({
      event: "export.completed",
      export_uid: done.uid,
      name: done.name,
      status: "exported",
      format: done.format,
      created_at: done.created_at,
    });
    expect(delivery?.payload).toMatchObject({ download_url: null });
    const sent = await withDownloadLink(systemContext(prisma, org.uid), delivery?.payload as Record<string, unknown>);
    expect(Object.keys(sent)).toEqual(Object.keys(delivery?.payload as object));
    expect(sent.download_url).toMatch(/^http:\/\/.*signature=/);
    const { pathname, search } = new URL(String(sent.download_url));
    expect((await fetch(server.here(pathname + search))).status).toBe(200);
    const elsewhere = await withDownloadLink(systemContext(prisma, (await makeOrganization()).uid), sent);
    expect(elsewhere.download_url).toBeNull();
  });

  test("holds masks, holes, hidden points, turned boxes and attributes as they were submitted", async () => {
    const points = [
      [10, 10],
      [30, 10],
      [30, 30],
    ];
    const hole = [
      [20, 12],
      [28, 12],
      [28, 18],
    ];
    const attributes = { id: uuidv7(), occluded: true, note: "bent" };
    const submitted = [
      { ...box, type: "mask", coordinates: { size: [48, 64], box: [20, 10, 4, 3], counts: "0<" }, attributes },
      { ...box, type: "polygon", coordinates: { points, holes: [hole] }, attributes: {} },
      { ...box, type: "keypoints", coordinates: { points, visibility: [2, 1, 0] }, attributes: {} },
      { ...box, coordinates: { x: 20, y: 12, width: 20, height: 10, rotation: 30 }, attributes: {} },
    ];
    const { dataset } = await annotatedPictures(org, submitted);
    const { uid } = (await requestExport({ datasets: [dataset.uid] })).body;
    await runExportJobs();
    const done = await get(uid);
    expect((await readDocument(done)).results.map(({ annotations }) => annotations)).toEqual([submitted]);
    expect(done.contents?.losses).toEqual([]);
  });

  test("contains the items of slices, projects and filters, each item once", async () => {
    const { dataset, project, items } = await annotated();
    const slice = (
      await call<SliceResource>("POST", "/slices/", {
        name: unique("s"),
        dataset: dataset.uid,
        filter_query_string: "key = 0002*",
      })
    ).body;
    const readContents = async (body: object) => {
      const { uid } = (await requestExport(body)).body;
      await runExportJobs();
      const { datasets, results } = await readDocument(await get(uid));
      return [datasets.flatMap((each) => each.items.map(({ ref_id }) => ref_id.slice(3, 4))).join(""), results.length];
    };
    expect(await readContents({ slices: [slice.uid] })).toEqual(["2", 0]);
    expect(await readContents({ projects: [project.uid] })).toEqual(["012", 1]);
    expect(await readContents({ slices: [slice.uid], datasets: [dataset.uid], projects: [project.uid] })).toEqual([
      "012",
      1,
    ]);
    expect(
      await readContents({ datasets: [dataset.uid], filter_query_string: "status = customer_approved OR key = 0002*" }),
    ).toEqual(["02", 1]);
    expect(items).toHaveLength(3);
  });

  test("is refused when it names nothing, or something that does not exist", async () => {
    const other = await makeOrganization();
    const otherDataset = await makeDataset(other);
    const dataset = await makeDataset(org);
    const refusal = async (body: object) => {
      const response = await requestExport(body);
      return [response.status, ...Object.keys(response.body)];
    };
    expect(await refusal({})).toEqual([400, "non_field_errors"]);
    expect(await refusal({ datasets: [otherDataset.uid] })).toEqual([400, "datasets"]);
    expect(await refusal({ projects: [uuidv7()] })).toEqual([400, "projects"]);
    expect(await refusal({ slices: [uuidv7()] })).toEqual([400, "slices"]);
    expect(await refusal({ datasets: [dataset.uid], format: "yolo" })).toEqual([400, "format"]);
    expect(await refusal({ datasets: [dataset.uid], filter_query_string: "status ~ x" })).toEqual([
      400,
      "filter_query_string",
    ]);
    expect(
      Object.keys((await call("POST", "/exports/", { name: "x", format: "YOLO", projects: [], slices: [] })).body),
    ).toEqual(["datasets"]);
  });
});

test("an export as YOLO has pictures with their labels beside them, and describes itself at its end", async () => {
  const { dataset } = await annotated();
  const { uid } = (await requestExport({ format: "YOLO", datasets: [dataset.uid] })).body;
  await runExportJobs();
  const entries = await listEntries(await downloadBytes(await get(uid)));
  const [picture = "", labels = "", ...others] = [...entries.keys()];
  expect(picture).toMatch(/^images\/train\/dataset-[0-9a-f]+\/0000_[0-9a-f]{12}\.png$/);
  expect(labels).toBe(picture.replace(/^images/, "labels").replace(/png$/, "txt"));
  expect(entries.get(labels)?.toString()).toBe(
    "1 0.500000 0.500000 0.500000 0.500000\n0 0.250000 0.500000 0.500000 1.000000\n",
  );
  expect(others).toEqual(["data.yaml"]);
  expect(entries.get("data.yaml")?.toString()).toBe(
    'train: images/train\nval: images/train\nnc: 2\nnames:\n  0: "person"\n  1: "car"\n',
  );
});

/** The paths below a folder, which may be deleted meanwhile. */
function pathsBelow(folder: string): string[] {
  try {
    return fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

/** The permissions of files and folders of unfinished exports until `run` is resolved. */
async function modesDuring(run: Promise<void>): Promise<{ folders: Set<number>; files: Set<number> }> {
  const folder = path.join(env.DATA_DIR, "tmp");
  const modes = { folders: new Set<number>(), files: new Set<number>() };
  let done = false;
  const finished = run.finally(() => (done = true));
  while (!done) {
    for (const found of pathsBelow(folder)) {
      const stat = fs.statSync(found, { throwIfNoEntry: false });
      if (stat) (stat.isDirectory() ? modes.folders : modes.files).add(stat.mode & 0o777);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await finished;
  return modes;
}

test.each(["avala-json-external", "YOLO"])(
  "other users of the system cannot read an unfinished export as %s",
  async (format) => {
    const { dataset } = await annotated(1);
    await requestExport({ datasets: [dataset.uid], format });
    const before = process.umask(0);
    try {
      expect(await modesDuring(runExportJobs())).toEqual({ folders: new Set([0o700]), files: new Set([0o600]) });
    } finally {
      process.umask(before);
    }
  },
);

describe("the queue", () => {
  test("runs five exports of an organization, the oldest first, and the next when one finishes", async () => {
    const dataset = await pictures(org, 1);
    const uids: string[] = [];
    for (let at = 0; at < 7; at++) uids.push((await requestExport({ datasets: [dataset.uid] })).body.uid);
    await runJobs([exportJobs.start]);
    const statuses = async () => (await Promise.all(uids.map(get))).map(({ status }) => status);
    expect(await statuses()).toEqual([...Array<string>(5).fill("exporting"), "requested", "requested"]);
    expect((await call<ExportResource>("POST", `/exports/${uids[0]}/abort/`)).body.status).toBe("aborted");
    await runJobs([exportJobs.start]);
    expect((await statuses()).slice(4)).toEqual(["exporting", "exporting", "requested"]);
    await runExportJobs();
    expect(await statuses()).toEqual(["aborted", ...Array<string>(6).fill("exported")]);
    expect((await call("POST", `/exports/${uids[0]}/abort/`)).body.status).toEqual(["This export is aborted already."]);
    expect((await call("POST", `/exports/${uids[1]}/retry/`)).status).toBe(400);
    expect((await call<ExportResource>("POST", `/exports/${uids[0]}/retry/`)).body).toMatchObject({
      status: "requested",
      total_task_count: null,
    });
    await runExportJobs();
    expect((await get(uids[0] ?? "")).status).toBe("exported");
  });

  test("is listed page by page, newest first or by name, by status, in its own organization only", async () => {
    const dataset = await makeDataset(org);
    const made: ExportResource[] = [];
    for (const name of ["b", "c", "a"]) made.push((await requestExport({ name, datasets: [dataset.uid] })).body);
    const names = async (query: string, key = org.key) =>
      (await call<Page<ExportResource> & { next: string | null }>("GET", `/exports/${query}`, undefined, key)).body;
    const first = await names("?limit=2");
    const rest = await names(first.next?.slice(first.next.indexOf("?")) ?? "");
    expect([...first.results, ...rest.results].map(({ name }) => name)).toEqual(["a", "c", "b"]);
    expect((await names("?ordering=name")).results.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    await call("POST", `/exports/${made[0]?.uid}/abort/`);
    expect((await names("?status=aborted")).results.map(({ name }) => name)).toEqual(["b"]);
    expect((await names("", (await makeOrganization()).key)).results).toEqual([]);
  });

  test("a download expires after seven days: there is no link, and the old one is 404", async () => {
    const dataset: DatasetResource = await pictures(org, 1);
    const { uid } = (await requestExport({ datasets: [dataset.uid] })).body;
    await runExportJobs();
    const before = await get(uid);
    await prisma.export.update({ where: { uid }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    expect((await get(uid)).download_url).toBeNull();
    // A backup that runs may name the file.
    const client = await pool.connect();
    await beginBackup(client, uid, "full");
    expect(await expireExports()).toBe(0);
    expect((await fetch(server.here(before.download_url ?? ""))).status).toBe(200);
    await renewLease(client, uid);
    await endAllLeases(client);
    client.release();
    expect(await expireExports()).toBe(1);
    expect((await fetch(server.here(before.download_url ?? ""))).status).toBe(404);
    expect(await get(uid)).toMatchObject({ status: "exported", download_url: null });
  });

  test("a failure in the last attempt is shown and published as an event", async () => {
    const { dataset, items } = await annotated(2);
    await call("POST", "/webhooks/", { target_url: "https://example.com/hook", events: ["export.failed"] });
    const { uid } = (await requestExport({ format: "YOLO", datasets: [dataset.uid] })).body;
    await prisma.item.updateMany({
      where: { datasetId: dataset.uid },
      data: { storageKey: undefined, status: "unattempted" },
    });
    const item = items[0];
    await prisma.item.update({ where: { uid: item?.uid ?? "" }, data: { storageKey: "datasets/nowhere" } });
    await runJobs([exportJobs.start]);
    await leaveOneAttempt(await jobIds({ exportId: uid }));
    await runExportJobs();
    expect(await get(uid)).toMatchObject({
      status: "failed",
      download_url: null,
      error_message: "The export failed for an unexpected reason. Try it again.",
    });
    expect(await prisma.webhookDelivery.count({ where: { organizationId: org.uid, eventType: "export.failed" } })).toBe(
      1,
    );
  });
});
