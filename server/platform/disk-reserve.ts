import { z } from "zod";

/** The space of the files' disk that uploads leave free: bytes, a fraction of the disk, or the smaller of both. */
export interface DiskReserve {
  bytes?: number;
  fraction?: number;
}

const units = { "": 1, MB: 1e6, GB: 1e9, TB: 1e12 } as const;
const form = /^(\d{1,15}(?:\.\d{1,3})?)\s*(%|MB|GB|TB|)$/i;

/** The setting DISK_RESERVE: bytes such as `500000000` or `2GB`, or a part of the disk such as `5%`. */
export const diskReserve = z.string().transform((value, context): DiskReserve => {
  const [, number, given = ""] = form.exec(value.trim()) ?? [];
  const unit = given.toUpperCase();
  if (number !== undefined && unit === "%" && Number(number) <= 50) return { fraction: Number(number) / 100 };
  const factor = Object.entries(units).find(([name]) => name === unit)?.[1];
  if (number !== undefined && factor !== undefined) return { bytes: Math.round(Number(number) * factor) };
  context.addIssue({
    code: "custom",
    message: "must be bytes such as 2GB, or a part of the disk such as 5%, at most 50%",
  });
  return {};
});

export const defaultDiskReserve: DiskReserve = { bytes: 2e9, fraction: 0.05 };

/** The reserve on a disk of a size, in bytes. */
export const computeReserve = ({ bytes = Infinity, fraction = Infinity }: DiskReserve, diskBytes: number): number =>
  Math.min(bytes, fraction * diskBytes);
