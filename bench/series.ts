import { makeFile, untilStored, upload } from "@/bench/made-file";
import type { Product } from "@/bench/product";
import { getMedian, report } from "@/bench/report";
import { int8, queryRows } from "@/server/platform/rows";

const megabytes = 60;
const reads = 50;

interface Topic {
  name: string;
  fields: { path: string; kind: string }[];
}
interface Recording {
  start_ns: string;
  end_ns: string;
  topics: Topic[];
}

/** Plots of one recording whose series are read from the store, and from rows, in turns; and what each takes in the database. */
export async function benchSeries(product: Product): Promise<void> {
  const { database, call } = product;
  const { file } = await makeFile(product, megabytes);
  const { uid: device } = await call<{ uid: string }>("POST", "/fleet/devices/", { name: "plotted" });
  const { recording: stored } = await upload(product, device, file);
  const { recording: inRows } = await upload(product, device, file);
  await untilStored(product, device, 2);
  const [size] = await queryRows(
    database,
    { rows: int8, pack: int8 },
    `select (select sum(pg_column_size(s.*)) from series s where recording_id = $1)::int8 as rows,
       (select sum(pg_column_size(p.*)) from series_packs p where recording_id = $1)::int8 as pack`,
    [stored],
  );
  await database.query("delete from series_packs where recording_id = $1", [inRows]);
  const { topics, start_ns, end_ns } = await call<Recording>("GET", `/fleet/recordings/${stored}/`);
  const fields = topics.flatMap(({ name, fields: all }) =>
    all.filter(({ kind }) => kind === "number").map(({ path }) => ({ topic: name, field: path })),
  );
  const [from, to] = [BigInt(start_ns), BigInt(end_ns)];
  const third = (to - from) / 3n;
  for (const [name, window] of [
    ["of a whole recording", {}],
    ["of a third of it", { from: String(from + third), to: String(to - third) }],
  ] as const) {
    const times = { stored: [] as number[], rows: [] as number[] };
    for (let n = -5; n < reads; n++) {
      const query = new URLSearchParams({ ...fields[(n + fields.length) % fields.length]!, points: "500", ...window });
      const texts: string[] = [];
      for (const [recording, list] of [
        [stored, times.stored],
        [inRows, times.rows],
      ] as const) {
        const began = performance.now();
        texts.push(JSON.stringify(await call("GET", `/fleet/recordings/${recording}/series/?${query}`)));
        if (n >= 0) list.push(performance.now() - began);
      }
      if (texts[0] !== texts[1]) throw new Error(`the series of ${query} differ`);
    }
    const [measured, anchor] = [getMedian(times.stored), getMedian(times.rows)];
    report({
      name: `A plot ${name} from the store beside one from rows`,
      measured,
      anchor,
      unit: "ms",
      ratio: measured / anchor,
      below: 1.3,
      note: `p50 of ${reads}`,
    });
  }
  const [rows, pack] = [Number(size?.rows ?? 0) / 1_000, Number(size?.pack ?? 0) / 1_000];
  report({
    name: `The database's bytes for the series of a recording of ${megabytes} MB with ${fields.length} fields`,
    measured: pack,
    anchor: rows,
    unit: "kB",
    ratio: pack / rows,
    below: 0.1,
  });
}
