import { formatInstant } from "@/components/kit/format";

/** A bucket's beginning as an axis shows it: an hour within a day, else the day. */
export function bucketLabel(at: string, bucketMs: number, zone: string): string {
  const text = formatInstant(Date.parse(at), zone, "minute");
  const [day = "", time = ""] = text.split(" ");
  return bucketMs < 6 * 3_600_000 ? time : bucketMs < 86_400_000 ? `${day.slice(5)} ${time}` : day.slice(5);
}
