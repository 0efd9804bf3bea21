import { parquetMetadata } from "hyparquet";
import { toDataView } from "@/engine/bytes";

/** Bytes of a file, `to` exclusive. */
export interface FileRange {
  from: number;
  to: number;
}

/** Ranges closer than this are one: a request costs as much as reading so many bytes. */
const gapBytes = 65_536;

/** The length of the footer of a Parquet file with all that follows it, from the file's last eight bytes or more. */
export const footerSize = (end: Uint8Array): number => toDataView(end).getUint32(end.length - 8, true) + 8;

/**
 * Where columns lie in a Parquet file whose footer begins at `footer.from`; columns that the file does not have are left
 * out. Ranges are ascending and apart. Throws for a damaged footer.
 */
export function findColumnRanges(
  footer: { from: number; bytes: Uint8Array },
  columns: ReadonlySet<string>,
): FileRange[] {
  const { row_groups: groups } = parquetMetadata(Uint8Array.from(footer.bytes).buffer);
  const chunks = groups
    .flatMap((group) => group.columns)
    .flatMap(({ meta_data: own }) => {
      if (!own || !columns.has(own.path_in_schema.join("."))) return [];
      const from = Number(own.dictionary_page_offset || own.data_page_offset);
      return [{ from, to: from + Number(own.total_compressed_size) }];
    })
    .sort((a, b) => a.from - b.from);
  return joinRanges(chunks, footer.from);
}

function joinRanges(chunks: readonly FileRange[], footerFrom: number): FileRange[] {
  const joined: FileRange[] = [];
  for (const { from, to } of chunks) {
    const last = joined.at(-1);
    if (last && from - last.to < gapBytes) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  const last = joined.at(-1);
  // The indexes between the last column and the footer are not needed, the request for the footer was made before.
  if (last) last.to = Math.min(last.to, footerFrom);
  return joined.filter(({ from, to }) => to > from);
}
