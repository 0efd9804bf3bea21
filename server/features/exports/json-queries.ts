import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ExportContent, FormatWriter } from "@/server/features/exports/format";
import {
  selectProjects,
  isExportedResult,
  type SelectedDataset,
  type ExportSelection,
} from "@/server/features/exports/selection-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, nullable, text } from "@/server/platform/rows";

/** The version of the document's schema. */
const schemeVersion = "1.0";

/** The JSON document of an export, in pieces: datasets with their items, projects with their labels, results. */
async function* jsonDocument({ ctx, info, selection, datasets, onProgress }: ExportContent): AsyncGenerator<string> {
  yield `{"scheme_version":${JSON.stringify(schemeVersion)},"export_info":${JSON.stringify(info)},"datasets":[`;
  for (const [at, dataset] of datasets.entries()) {
    yield `${at > 0 ? "," : ""}{"uid":${JSON.stringify(dataset.uid)},"name":${JSON.stringify(dataset.name)},"items":[`;
    let first = true;
    for await (const { text } of selectLines(ctx, dataset, items)) {
      if (text !== "") yield first ? text : `,${text}`;
      if (text !== "") first = false;
    }
    yield "]}";
  }
  const projects = await selectProjects(ctx, selection, datasets);
  yield `],"projects":${JSON.stringify(projects.map(({ uid, name, labels }) => ({ uid, name, labels })))},"results":[`;
  let first = true;
  for (const dataset of datasets) {
    for await (const { text, count } of selectLines(ctx, dataset, results(selection))) {
      if (text !== "") yield first ? text : `,${text}`;
      if (text !== "") first = false;
      await onProgress(count);
    }
  }
  yield "]}";
}

/** Number of items of one query. */
const chunk = 1_000;

/**
 * Both select the document's lines for the items in `picked`. The database composes the JSON, so that it is not parsed
 * and serialized here.
 */
const items = Prisma.sql`select string_agg(json_build_object('uid', p.uid, 'ref_id', p.key, 'metadata', p.metadata)::text, ',' order by p.uid) from picked p`;
const results = ({
  projects,
}: ExportSelection) => Prisma.sql`select string_agg(json_build_object('uid', r.uid, 'dataset_item_uid', r.item_id,
    'project_uid', r.project_id, 'annotations', r.annotations)::text, ',' order by r.item_id, r.uid)
  from results r where r.item_id = any(select p.uid from picked p) and ${isExportedResult(projects)}`;

async function* selectLines(
  ctx: Ctx,
  { where }: SelectedDataset,
  lines: Prisma.Sql,
): AsyncGenerator<{ text: string; count: number }> {
  for (let after = ""; ;) {
    const [part] = await query(
      ctx,
      { count: int4, last: nullable(text), text: nullable(text) },
      Prisma.sql`with picked as materialized (select i.uid, i.key, i.metadata from items i where ${where} and i.uid > ${after} order by i.uid limit ${chunk})
        select (select count(*)::int from picked) as count, (select max(p.uid) from picked p) as last, (${lines}) as text`,
    );
    if (!part?.last) return;
    yield { text: part.text ?? "", count: part.count };
    after = part.last;
  }
}

export const json: FormatWriter = {
  extension: "json",
  write: (target, content) =>
    pipeline(Readable.from(jsonDocument(content)), createWriteStream(target, { mode: 0o600 })),
};
