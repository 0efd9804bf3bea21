import path from "node:path";
import type { APIRequestContext } from "@playwright/test";
import pg from "pg";
import { v7 } from "uuid";
import { z } from "zod";
import { clusterUrl, locateCluster } from "@/server/platform/database/cluster";
import { findServer } from "@/server/platform/database/server-process";
import { expect, unique, type Api } from "./fixtures";
import { makePictures, type MadeDataset } from "./pictures";

const Rows = z.array(z.record(z.string(), z.unknown()));

/** Runs one statement on the database of the server under test, for states that no operation leads to at once. */
export async function inDatabase(statement: string, values: unknown[] = []): Promise<void> {
  await readDatabase(statement, values);
}

/** The rows of one statement on the database of the server under test, for what no operation tells of many rows. */
export async function readDatabase(statement: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const cluster = locateCluster(path.resolve(process.env.E2E_DATA_DIR ?? ""));
  const server = findServer(cluster);
  if (!server) throw new Error("the database of the server under test is not running");
  const client = new pg.Client({ connectionString: clusterUrl(cluster, server.port) });
  await client.connect();
  try {
    return Rows.parse((await client.query(statement, values)).rows);
  } finally {
    await client.end();
  }
}

interface List<Row> {
  results: Row[];
}

export interface Annotated {
  dataset: MadeDataset;
  project: { uid: string; name: string };
}

const box = { label: "car", type: "bbox", coordinates: { x: 4, y: 4, width: 20, height: 20 } };
const polygon = {
  label: "robot",
  type: "polygon",
  coordinates: {
    points: [
      [0, 0],
      [12, 0],
      [12, 18],
    ],
  },
};
const cuboid = {
  label: "robot",
  type: "cuboid",
  coordinates: { center: [0, 0, 0], size: [1, 1, 1], rotation: [0, 0, 0, 1] },
};

/**
 * A dataset of three pictures and its project: the first has an accepted result with boxes, two polygons and a cuboid,
 * the second an undecided one.
 */
export async function annotateYard(request: APIRequestContext, api: Api): Promise<Annotated> {
  const dataset = await makePictures(api, request);
  const project = await api.post<Annotated["project"]>("/projects/", {
    name: unique("crossings"),
    task_type: "image-annotation",
    datasets: [dataset.uid],
    labels: [
      { name: "robot", color: "#0891b2" },
      { name: "car", color: "#c2410c" },
    ],
  });
  await api.post(`/projects/${project.uid}/approve/`);
  await expect
    .poll(async () => (await api.get<List<unknown>>(`/tasks/?project=${project.uid}`)).results.length)
    .toBe(3);
  const tasks = (await api.get<List<{ uid: string }>>(`/tasks/?project=${project.uid}`)).results.toReversed();
  const submit = (at: number, annotations: unknown[]) =>
    api.post<{ uid: string }>(`/tasks/${tasks[at]?.uid}/results/`, { annotations });
  const { uid } = await submit(0, [box, polygon, polygon, cuboid]);
  await submit(1, [box]);
  // Nobody decides a result of their own.
  await inDatabase("update results set status = 'accepted' where uid = $1", [uid]);
  return { dataset, project };
}

/** Rows of exports in states that last: under way with its number of items, failed, or expired. */
export async function seedExport(
  organization: string,
  dataset: string,
  row: { name: string; status: "exporting" | "failed" | "exported" },
): Promise<void> {
  await inDatabase(
    `insert into exports (uid, organization_id, name, format, status, datasets, slices, projects, total_task_count,
       exported_task_count, error_message, started_at, completed_at, expires_at, created_by_id, size_bytes, updated_at)
     select $5, o.uid, $2, 'avala-json-external', $3, array[$4], '{}', '{}', 10000, 4100,
       case when $3 = 'failed' then 'The bucket refused the file: access denied.' end, now() - interval '10 seconds',
       case when $3 <> 'exporting' then now() end, case when $3 = 'exported' then now() - interval '1 day' end,
       (select m.user_id from memberships m where m.organization_id = o.uid limit 1), 0,
       -- So that nothing takes it for one whose worker was killed.
       now() + interval '1 hour'
     from organizations o where o.name = $1`,
    // The uid of a row tells its place in a list.
    [organization, row.name, row.status, dataset, v7()],
  );
}

/**
 * A project with a task for each of `count` pictures. Resolves to a function that submits a result for one of them, as
 * a person who is no longer known, so that everybody may decide it.
 */
export async function makeTasks(
  request: APIRequestContext,
  api: Api,
  count: number,
): Promise<{ project: { uid: string; name: string }; submit: (at: number) => Promise<{ uid: string }> }> {
  const dataset = await makePictures(api, request, {
    names: Array.from({ length: count }, (_, each) => `front/crossing-${each}.png`),
  });
  const project = await api.post<{ uid: string; name: string }>("/projects/", {
    name: unique("crossings"),
    task_type: "image-annotation",
    datasets: [dataset.uid],
  });
  await api.post(`/projects/${project.uid}/approve/`);
  const list = async () => (await api.get<List<{ uid: string }>>(`/tasks/?project=${project.uid}`)).results;
  await expect.poll(async () => (await list()).length).toBe(count);
  const tasks = await list();
  const submit = async (at: number) => {
    const path = `/tasks/${tasks[at]?.uid}/results/`;
    const result = await api.post<{ uid: string }>(path, { annotations: [box] });
    await inDatabase("update results set submitted_by_id = null, submitted_by = 'ada' where uid = $1", [result.uid]);
    return result;
  };
  return { project, submit };
}
