import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "@/server/testing/architecture/source-tree";

/** The requirements of levels 1 and 2 of OWASP ASVS 5.0.0, chapters V2 to V14 and V16: how many each section has. */
const sections: Record<string, number> = {
  ...{ "2.1": 3, "2.2": 3, "2.3": 4, "2.4": 1 },
  ...{ "3.2": 2, "3.3": 4, "3.4": 6, "3.5": 5, "3.7": 2 },
  ...{ "4.1": 3, "4.2": 1, "4.3": 2, "4.4": 4 },
  ...{ "5.1": 1, "5.2": 3, "5.3": 2, "5.4": 3 },
  ...{ "6.1": 3, "6.2": 12, "6.3": 4, "6.4": 4, "6.5": 5, "6.6": 3, "6.8": 4 },
  ...{ "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 2, "7.6": 2 },
  ...{ "8.1": 2, "8.2": 3, "8.3": 1, "8.4": 1 },
  ...{ "9.1": 3, "9.2": 4 },
  ...{ "10.1": 2, "10.2": 2, "10.3": 4, "10.4": 11, "10.5": 5, "10.6": 2, "10.7": 3 },
  ...{ "11.1": 2, "11.2": 3, "11.3": 3, "11.4": 4, "11.5": 1, "11.6": 1 },
  ...{ "12.1": 3, "12.2": 2, "12.3": 4 },
  ...{ "13.1": 1, "13.2": 5, "13.3": 2, "13.4": 5 },
  ...{ "14.1": 2, "14.2": 4, "14.3": 3 },
  ...{ "16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 3 },
};
const required = Object.entries(sections).flatMap(([section, count]) =>
  Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
);

const text = fs.readFileSync(path.join(root, "docs/security.md"), "utf8");
const rows = [...text.matchAll(/^\| (\d+\.\d+\.\d+) \| (.+?) \| (.+) \|$/gm)].map(([, id, status, where]) => ({
  id: id ?? "",
  status: status ?? "",
  where: where ?? "",
}));

describe("the security document", () => {
  test("has every requirement of the standard once, in its order", () => {
    expect(rows.map(({ id }) => id)).toEqual(required);
  });

  test("says of each whether it is met, and where or why not", () => {
    const statuses = ["met", "partly", "no", "operator", "n/a"];
    expect(rows.filter(({ status }) => !statuses.includes(status))).toEqual([]);
    expect(rows.filter(({ where }) => where.trim().length < 2)).toEqual([]);
    const unexplained = rows.filter(({ status, where }) => ["partly", "no"].includes(status) && where.length < 15);
    expect(unexplained.filter(({ where }) => !where.startsWith("as "))).toEqual([]);
  });
});
