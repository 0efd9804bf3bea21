import { expect, test } from "vitest";
import { severityList } from "@/domain/fields";
import { severities, severitiesWorstFirst, severityLabels, severityRank } from "@/domain/severity";

test("ranks, the order of screens and labels follow the one list of severities", () => {
  expect(severities.map(severityRank)).toEqual([0, 1, 2, 3]);
  expect(severitiesWorstFirst).toEqual(["critical", "error", "warning", "info"]);
  expect(Object.keys(severityLabels)).toEqual([...severities]);
});

test.each([
  ["critical,info", ["critical", "info"]],
  [">=error", ["error", "critical"]],
  [">=warning,warning", ["warning", "error", "critical"]],
])("%s in an address chooses %j", (text, chosen) => expect(severityList().parse(text)).toEqual(chosen));

test.each(["fatal", ">=fatal", "<=error"])("%s in an address is refused", (text) => {
  expect(severityList().safeParse(text).error?.issues[0]?.message).toBe(
    `"${text}" is not a valid choice. Choices: info, warning, error, critical.`,
  );
});
