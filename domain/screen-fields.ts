import { z } from "zod";
import { commaList, noLaterNs, parseDateTimeNs } from "@/domain/fields";
import { severities, type Severity } from "@/domain/severity";

/** Fields as the address of a screen carries them; the REST API does not take these forms. */

const spans: Record<string, bigint> = { m: 60n, h: 3_600n, d: 86_400n, w: 604_800n };

/** A time, or how long before now: `-24h`. What is relative stays so in an address and is read when the list is. */
export const momentNs = () =>
  z.string().transform((value, issues) => {
    const relative = /^-(\d{1,5})([mhdw])$/.exec(value.trim());
    const span = relative && spans[relative[2] ?? ""];
    if (relative && span) return BigInt(Date.now()) * 1_000_000n - BigInt(relative[1] ?? 0) * span * 1_000_000_000n;
    const ns = parseDateTimeNs(value);
    if (ns !== null) return noLaterNs(ns);
    issues.addIssue({ code: "custom", message: "Enter a time, or how long ago, such as -24h." });
    return z.NEVER;
  });

/** The same to the millisecond. */
export const moment = () => momentNs().transform((ns) => new Date(Number(ns / 1_000_000n)));

/** Severities, or the least of them: `critical,error` or `>=error`. */
export const severityList = () =>
  commaList().transform((list, issues): Severity[] => {
    const chosen = new Set<Severity>();
    for (const entry of list) {
      const least = severities.findIndex((each) => entry === `>=${each}`);
      const exact = severities.find((each) => entry === each);
      if (least >= 0) for (const each of severities.slice(least)) chosen.add(each);
      else if (exact) chosen.add(exact);
      else {
        issues.addIssue({ code: "custom", message: `"${entry}" is not a valid choice.` });
        return z.NEVER;
      }
    }
    return [...chosen];
  });
