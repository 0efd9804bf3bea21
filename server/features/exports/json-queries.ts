import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import type { ExportContent, FormatWriter, TextFile } from "@/server/features/exports/format";
import {
  isExportedResult,
  listClasses,
  selectProjects,
  type SelectedProject,
  type ExportSelection,
  type SelectedDataset,
} from "@/server/features/exports/selection-queries";
import { Tally } from "@/server/features/exports/tally";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, jsonb, nullable, text } from "@/server/platform/rows";
import { displayName } from "@/server/platform/storage/file-name";

/** The version of the document's schema. */
const schemeVersion = "1.0";

/** The JSON document of an export, in pieces: datasets with their items, projects with their labels, results. */
async function* jsonDocument(
  { ctx, info, selection, datasets, onProgress }: ExportContent,
  tally: Tally,
): AsyncGenerator<string> {
  yield `{"scheme_version":${JSON.stringify(schemeVersion)},"export_info":${JSON.stringify(info)},"datasets":[`;
  for (const [at, dataset] of datasets.entries()) {
    yield `${at > 0 ? "," : ""}{"uid":${JSON.stringify(dataset.uid)},"name":${JSON.stringify(dataset.name)},"items":[`;
    let first = true;
    for await (const { text } of selectLines(ctx, dataset, linesOfItems)) {
      if (text !== "") yield first ? text : `,${text}`;
      if (text !== "") first = false;
    }
    yield "]}";
  }
  const projects = await selectProjects(ctx, selection, datasets);
  yield `],"projects":${JSON.stringify(projects.map(toDocument))},"results":[`;
  let first = true;
  for (const dataset of datasets) {
    for await (const { text, count, results, labels } of selectLines(ctx, dataset, linesOfResults(selection))) {
      if (text !== "") yield first ? text : `,${text}`;
      if (text !== "") first = false;
      tally.addItems(count, results);
      for (const [label, annotations] of Object.entries(labels)) tally.addAnnotations(label, annotations);
      await onProgress(count);
    }
  }
  yield "]}";
}

/** A project of the document; `label_schema` has everything about its labels. */
const toDocument = ({ uid, name, labels }: SelectedProject) => ({
  uid,
  name,
  labels: labels.map((label) => ({ name: label.name, color: label.color })),
  label_schema: labels,
});

/** Number of items of one query. */
const chunk = 1_000;

/**
 * Both select the document's lines for the items in `picked`, how many results these are, and the number of their
 * annotations by label. The database composes the JSON, so that it is not parsed and serialized here.
 */
const linesOfItems = Prisma.sql`select string_agg(json_build_object('uid', p.uid, 'ref_id', p.key, 'metadata', p.metadata)::text, ',' order by p.uid) as text,
    0 as results, '{}'::jsonb as labels from picked p`;
const linesOfResults = (
  selection: ExportSelection,
) => Prisma.sql`select string_agg(json_build_object('uid', r.uid, 'dataset_item_uid', r.item_id,
      'project_uid', r.project_id, 'annotations', r.annotations)::text, ',' order by r.item_id, r.uid) as text, count(*)::int as results,
    (select coalesce(jsonb_object_agg(c.label, c.count), '{}') from (
      select a ->> 'label' as label, count(*)::int as count
      from results r, jsonb_array_elements(r.annotations) a
      where r.item_id = any(select p.uid from picked p) and ${isExportedResult(selection)} group by 1) c) as labels
  from results r where r.item_id = any(select p.uid from picked p) and ${isExportedResult(selection)}`;

const lineRow = {
  count: int4,
  last: nullable(text),
  text: nullable(text),
  results: int4,
  labels: jsonb(z.record(z.string(), z.number())),
};

async function* selectLines(
  ctx: Ctx,
  { where }: SelectedDataset,
  lines: Prisma.Sql,
): AsyncGenerator<{ text: string; count: number; results: number; labels: Readonly<Record<string, number>> }> {
  for (let after = ""; ;) {
    const [part] = await query(
      ctx,
      lineRow,
      Prisma.sql`with picked as materialized (select i.uid, i.key, i.metadata from items i where ${where} and i.uid > ${after} order by i.uid limit ${chunk}),
          lines as (${lines})
        select (select count(*)::int from picked) as count, (select max(p.uid) from picked p) as last, l.text, l.results, l.labels from lines l`,
    );
    if (!part?.last) return;
    yield { ...part, text: part.text ?? "" };
    after = part.last;
  }
}

/** The document with one item, indented to be read. */
async function showItem(content: ExportContent): Promise<TextFile[]> {
  let text = "";
  for await (const part of jsonDocument(content, new Tally({ names: [], numbers: new Map(), labels: new Map() })))
    text += part;
  return [{ name: displayName(`${content.info.name}.json`), text: JSON.stringify(JSON.parse(text), null, 2) }];
}

export const json: FormatWriter = {
  extension: "json",
  write: async (target, content) => {
    const { ctx, selection, datasets } = content;
    const tally = new Tally(await listClasses(ctx, selection, datasets));
    await pipeline(Readable.from(jsonDocument(content, tally)), createWriteStream(target, { mode: 0o600 }));
    return tally.toContents();
  },
  startTally: ({ classes }) => new Tally(classes),
  // The document holds everything.
  *count(_item, results, _outline, tally) {
    tally.addItem(results.length);
    for (const { annotations } of results) {
      yield;
      for (const { label } of annotations) tally.addAnnotations(label);
    }
  },
  show: showItem,
};
