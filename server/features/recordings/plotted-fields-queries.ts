import { Prisma } from "@/server/platform/database/generated/client";

/**
 * The fields of the row `topics` (an alias) that have a series, as jsonb in their stored order. Topics stored by earlier
 * versions also name fields that their messages never carried; those of recordings with an object of series do not.
 */
export const plottedFields = (topics: "t" | "newest"): Prisma.Sql => {
  const row = Prisma.raw(topics);
  return Prisma.sql`(select coalesce(jsonb_agg(f.field order by f.place), '[]'::jsonb)
    from jsonb_array_elements(${row}.fields) with ordinality f(field, place)
    where exists (select 1 from series_packs p where p.recording_id = ${row}.recording_id)
      or exists (select 1 from series s where s.recording_id = ${row}.recording_id and s.topic = ${row}.name
      and s.field = f.field ->> 'path'))`;
};
