import { getExpected, operationTable, procedureTable, type Caller, type Line } from "@/server/testing/roles/role-table";

const people = ["owner", "admin", "member", "read-only member"] as const satisfies readonly Caller[];

/** What a person may do: everything, only with what is their own, or nothing. */
function describeAccess(line: Line, caller: Caller): string {
  const own = getExpected(line, caller, "own");
  if (own !== "allowed") return "no";
  const words = getExpected(line, caller, "another's") === "allowed" ? "yes" : "own";
  const unassigned =
    caller === "member" || caller === "read-only member" ? (`${caller} not assigned` as const) : caller;
  return getExpected(line, unassigned, "own") === 404 ? `${words}, assigned` : words;
}

function describeKey({ least, staff, scopes, scopesToo, device }: Line): string {
  if (least === "anyone") return "none needed";
  if (least === "device") return "device token";
  if (staff) return "without scopes, of staff";
  if (scopes.length === 0) return "without scopes";
  const any = scopes.map((scope) => `\`${scope}\``).join(" or ");
  return `${any}${scopesToo.map((scope) => ` and \`${scope}\``).join("")}${device ? ", device token" : ""}`;
}

/** Lines, in one where those below each other are about the same kind of objects and have the same cells. */
function joinLines(lines: readonly { name: string; cells: string }[]): string[] {
  const kind = (name: string) => name.slice(0, name.indexOf("."));
  const joined: { names: string[]; cells: string }[] = [];
  for (const { name, cells } of lines) {
    const last = joined.at(-1);
    if (last?.cells === cells && kind(last.names[0] ?? "") === kind(name)) last.names.push(name);
    else joined.push({ names: [name], cells });
  }
  return joined.map(({ names, cells }) => `| ${names.map((name) => `\`${name}\``).join(", ")} | ${cells} |`);
}

function renderArea(lines: readonly Line[], withKeys: boolean): string[] {
  const head = [
    withKeys ? "operation" : "procedure",
    "owner",
    "admin",
    "member",
    "read-only",
    ...(withKeys ? ["key"] : []),
  ];
  return [
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---|").join("")}`,
    ...joinLines(
      lines.map((line) => {
        const cells = people.map((caller) => (line.least === "anyone" ? "yes" : describeAccess(line, caller)));
        return { name: line.name, cells: [...cells, ...(withKeys ? [describeKey(line)] : [])].join(" | ") };
      }),
    ),
  ];
}

function renderTable(table: ReadonlyMap<string, Line>, withKeys: boolean): string[] {
  const all = [...table.values()];
  return [...new Set(all.map(({ area }) => area))].flatMap((area) => [
    ...(area === "" ? [] : [`### ${area}${withKeys ? "" : " in the dashboard"}`, ""]),
    ...renderArea(
      all.filter((line) => line.area === area),
      withKeys,
    ),
    "",
  ]);
}

/** The text of docs/roles.md. */
export const rolesDocument = (): string =>
  [
    "# Roles",
    "",
    "Who may call which operation. `server/composition/roles.test.ts` writes this page from its own table and compares every",
    "cell with what Muster does.",
    "",
    "- **own**: only on what the caller made: rules, silences, events, message definitions and exports, tasks that are",
    "  theirs or nobody's, or results of projects that they review.",
    "- Without a key or session: 401. What a role, a scope or the field **own** does not allow: 403. An object of another",
    "  organization: 404, as if it did not exist.",
    "- A key acts with the role of its owner and, if it has scopes, only within them. A device token acts on its own device.",
    '- **assigned**: with `access: "assigned"`, a dataset or project and what hangs on it is 404 for members who are not',
    "  assigned to it; deliveries and executions about what was deleted are 404 for all but admins.",
    "- More rules about fields and objects are in [the API](api.md#roles).",
    "",
    "## Operations of the API",
    "",
    ...renderTable(operationTable, true),
    "## Procedures of the dashboard",
    "",
    ...renderTable(procedureTable, false).slice(0, -1),
    "",
  ].join("\n");
