import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

/**
 * The tests that prove each row of the table of bad input (there is no row 68). Rows about bodies, paths, queries and
 * keys are proved here for all operations of the registry, by their published schemas; rows of one operation by the
 * tests of its feature or in `single.test.ts`. `fuzz.test.ts` mixes all of them.
 */
const here = "server/testing/bad-input";
const document = `${here}/document.test.ts`;
const fields = `${here}/fields.test.ts`;
const paths = `${here}/paths.test.ts`;
const queries = `${here}/queries.test.ts`;
const accepted = `${here}/accepted.test.ts`;
const single = `${here}/single.test.ts`;
const contract = "server/composition/contract.test.ts";
const isolation = "server/testing/isolation.test.ts";
const http = "server/transport/http/http-server.test.ts";
const events = "server/features/events/events.test.ts";
const rules = "server/features/rules/rules.test.ts";
const conditions = "domain/conditions/condition.test.ts";
const egress = "server/platform/http-client/http-client.test.ts";
const webhooks = "server/features/webhooks/webhooks.test.ts";
const agents = "server/features/agents/agents.test.ts";
const invitations = "server/features/membership/invitation-service.test.ts";
const uploads = "server/features/recordings/upload-service.test.ts";
const hostile = "engine/formats/hostile.test.ts";
const damage = "engine/formats/damage.test.ts";
const devices = "server/features/devices/devices.test.ts";

/** The file and a part of it: the title of a test, or the line for the row. */
type Proof = readonly [file: string, piece: string];

const proofs: Readonly<Record<number, readonly Proof[]>> = {
  1: [
    [document, " * Row 1."],
    [contract, "%s blames every required field of an empty body"],
  ],
  2: [
    [document, "/** Rows 2–6 and 9. */"],
    [contract, "%s refuses what is not a JSON object"],
  ],
  3: [[document, "/** Rows 2–6 and 9. */"]],
  4: [[document, "/** Rows 2–6 and 9. */"]],
  5: [
    [document, "/** Rows 2–6 and 9. */"],
    [document, "row 5, 8 and 15: a byte order mark"],
  ],
  6: [[document, "/** Rows 2–6 and 9. */"]],
  7: [[document, "/** Rows 7 and 10. */"]],
  8: [[document, "row 5, 8 and 15: a byte order mark, no Content-Type"]],
  9: [[document, "Buffer.from([0x7b, 0x22, 0xc3, 0x28"]],
  10: [[document, "/** Rows 7 and 10. */"]],
  11: [[document, "/** Row 11. */"]],
  12: [[document, "row 12: 200 MB of spaces"]],
  13: [
    [document, "/** Rows 13, 24 and 25"],
    [document, "row 13: half a million levels"],
  ],
  14: [[document, "row 14: %s refuses 100,000 keys"]],
  15: [
    [document, "row 5, 8 and 15"],
    [single, "row 15: the last value of a repeated key"],
  ],
  16: [
    [accepted, "rows 16–18: members that no client may set"],
    [accepted, "a dangerous key inside metadata"],
  ],
  17: [[accepted, "rows 16–18: members that no client may set"]],
  18: [[accepted, "rows 16–18: members that no client may set"]],
  19: [[fields, "row: 19,"]],
  20: [[fields, "row: 20,"]],
  21: [[fields, "row: 21,"]],
  22: [
    [fields, "row: 22,"],
    [accepted, "row 22: the longest text"],
  ],
  23: [
    [accepted, "row 23: emoji"],
    [devices, "255 astral characters are 255 characters"],
  ],
  24: [
    [fields, "row: 24,"],
    [document, "row 24, key"],
    [queries, "row 24"],
    [paths, "%00"],
  ],
  25: [[fields, "row: 25,"]],
  26: [
    [accepted, "row 26: combining marks"],
    [accepted, "rows 26–28:"],
  ],
  27: [
    [accepted, "rows 26–28:"],
    ["server/features/audit/audit.test.ts", "nothing a spreadsheet would run"],
  ],
  28: [
    [accepted, "rows 26–28:"],
    [queries, "hostile text finds nothing"],
  ],
  29: [
    [fields, "row: 29,"],
    [paths, "rows 29–32: a value that names no object"],
  ],
  30: [
    [fields, "row: 30,"],
    [paths, "rows 29–32: a value that names no object"],
  ],
  31: [
    [fields, "row: 31,"],
    [paths, "rows 29–32: a value that names no object"],
  ],
  32: [[paths, "00000000-0000-0000-0000-000000000001"]],
  33: [
    [paths, "row 33: another organization's object"],
    [single, "row 33: naming another"],
    [isolation, "another organization's data"],
  ],
  34: [
    [fields, "row: 34,"],
    [queries, "add(34,"],
  ],
  35: [
    [events, "an event of type %s is of severity %s unless"],
    [events, "{ severity: null }"],
  ],
  36: [
    [devices, "an unknown status is refused"],
    [fields, "row: 34,"],
  ],
  37: [
    ["server/features/recordings/recordings.test.ts", "the status cannot be set to %s"],
    ["server/features/recordings/recordings.test.ts", "only an archived recording with its files"],
  ],
  38: [[accepted, "row 38: an empty change changes nothing"]],
  39: [
    [fields, "row: 39,"],
    [accepted, "row 39: a tag given twice is one"],
  ],
  40: [
    [fields, "2024-02-30T00:00:00Z"],
    [queries, "add(40,"],
  ],
  41: [
    [fields, "2024-W01-1"],
    [queries, "add(41,"],
  ],
  42: [[fields, "23:59:60"]],
  43: [
    [fields, "+275760-09-13"],
    [queries, "row 43:"],
    [single, "row 43:"],
  ],
  44: [
    [accepted, "rows 44 and 45"],
    [events, "times are kept to the nanosecond"],
  ],
  45: [
    [accepted, "rows 44 and 45"],
    [events, "times are kept to the nanosecond"],
  ],
  46: [[queries, "row 46:"]],
  47: [[queries, "add(47,"]],
  48: [
    [fields, "row: 48,"],
    [document, "1e400"],
  ],
  49: [
    [conditions, "an integer beyond 2^53 is refused as a number"],
    [rules, "answers symbols by their names and keeps a decimal string"],
  ],
  50: [
    [queries, "add(50,"],
    [queries, "row 50: %s clamps"],
    [queries, "row 50, twice"],
  ],
  51: [
    [queries, "add(51,"],
    [devices, "a cursor is refused when it was changed"],
  ],
  52: [[devices, "pages both ways without repeating or skipping while rows are added and deleted"]],
  53: [
    [queries, "add(53,"],
    [queries, '{"$ne":1}'],
  ],
  54: [
    [queries, "add(54,"],
    [single, "row 54: empty entries"],
  ],
  55: [
    [queries, 'name === "order_by" ? 55 : 56'],
    [events, "order_by=label"],
  ],
  56: [[queries, "owner__email"]],
  57: [[queries, "add(57,"]],
  58: [[events, "1,000 of which the last but one is bad"]],
  59: [[single, "rows 59 and 60"]],
  60: [
    [single, "rows 59 and 60"],
    [events, "an archived recording takes no events"],
  ],
  61: [
    [rules, "a condition without type"],
    [rules, "a condition of an unknown type"],
    [rules, "a condition without topic"],
  ],
  62: [
    [conditions, "nest at most five deep, and 100,000 levels"],
    [conditions, "need a known operator and a child"],
  ],
  63: [
    [conditions, '"1e9d", "10 s"'],
    [rules, "with a window of %s is taken"],
  ],
  64: [
    [rules, "with a hostile but linear regex"],
    ["engine/rules/truth.test.ts", "searched in linear time"],
  ],
  65: [
    [conditions, "%s is refused with its position"],
    [conditions, "of more than 512 characters"],
  ],
  66: [
    [rules, "an unknown channel"],
    [rules, "naming another organization's objects"],
  ],
  67: [
    [rules, '["no actions"'],
    [fields, "row: 74,"],
  ],
  69: [
    [rules, "1,001 devices"],
    [rules, "naming another organization's objects"],
  ],
  70: [
    [single, "rows 70 and 71"],
    [egress, "https://example.com:6379/"],
  ],
  71: [
    [single, "rows 70 and 71"],
    [egress, "https://%s/ is refused"],
  ],
  72: [
    [egress, "a name that resolves to %s is blocked before any packet"],
    ["server/features/channels/senders.test.ts", "an address that has become blocked gets no packet"],
  ],
  73: [
    [single, "rows 73 and 74"],
    [webhooks, "however the address is spelled"],
  ],
  74: [
    [fields, "row: 74,"],
    [single, "rows 73 and 74"],
    [agents, '["auto_label.completed"]'],
  ],
  75: [[webhooks, "shows its secret once, and is changed without it"]],
  76: [
    [single, "on an execution that is %s"],
    [agents, "is not open to another organization, and refuses an unknown action"],
  ],
  77: [[single, "is accepted once among several concurrent ones"]],
  78: [[agents, "registered by eight concurrent requests is created once, with one secret"]],
  79: [["server/features/alerts/alerts.test.ts", "twice is refused and changes nothing"]],
  80: [
    [invitations, "%j is refused, naming its fields"],
    [invitations, "an address is invited once, whatever the case"],
  ],
  81: [
    [invitations, "makes the invited person a member in the role of the invitation"],
    [invitations, "a cancelled, expired or unknown token"],
    [invitations, "to be the body's and the caller's own"],
  ],
  82: [
    ["server/features/accounts/signup-service.test.ts", "input %# is refused, naming its field"],
    [single, "row 82: a password"],
  ],
  83: [
    ["server/features/storage-configs/storage-configs.test.ts", "is refused for its %s: %s"],
    ["server/features/storage-configs/storage-configs.test.ts", "is refused for %s, and nothing leaves"],
    [fields, "row: 22,"],
  ],
  84: [
    ["server/features/exports/exports.test.ts", "is refused when it names nothing, or something that does not exist"],
  ],
  85: [
    [paths, "rows 85 and 86"],
    [contract, "%s is 401 without a key"],
  ],
  86: [
    [paths, "rows 85 and 86"],
    [http, "refuses what could be read in two ways"],
  ],
  87: [
    [contract, "%s is 405 with Allow for methods it has not"],
    [http, "answers methods that nobody has with 405"],
  ],
  88: [
    [http, "refuses 101 headers and heads above 16 KiB"],
    [http, "hangs up on a head that does not end"],
  ],
  89: [[http, "refuses what could be read in two ways"]],
  90: [
    [uploads, "paths that lead elsewhere are refused"],
    ["domain/uploads/file-path.test.ts", "is refused: %j"],
    ["server/features/datasets/datasets.test.ts", "whose paths that lead elsewhere are refused"],
    [uploads, "odd names are data"],
    [uploads, "a NUL in a path"],
  ],
  91: [
    [uploads, "a size or tag other than what is stored is refused"],
    ["server/features/processing/processing.test.ts", "that leaves $what ends as an error"],
    ["server/features/datasets/datasets.test.ts", "are detected from their bytes and not from their names"],
  ],
  92: [
    [hostile, "a chunk that declares %s is refused"],
    [hostile, "200 times"],
    [hostile, "too many channels"],
    [hostile, "too large a schema"],
    [damage, "beyond the end, with a wrong checksum or with one chunk twice is not used"],
    [damage, "with a wrong checksum are read with a warning"],
    [damage, "anywhere yields every message that is still complete"],
  ],
  93: [["server/features/datasets/datasets.test.ts", "with too many pixels are refused from the header"]],
  94: [["server/transport/files/files-router.test.ts", "the eleventh upload at once"]],
  95: [
    [single, "row 95: the Model Context Protocol"],
    ["server/transport/mcp/mcp.test.ts", "who is no member of staff is refused"],
  ],
};

describe("the table of bad input", () => {
  test("has a proof for every row", () => {
    const rows = Array.from({ length: 95 }, (_, n) => n + 1).filter((row) => row !== 68);
    expect(Object.keys(proofs).map(Number)).toEqual(rows);
  });

  test.each(Object.entries(proofs))("the proofs of row %s exist", (_, places) => {
    for (const [file, piece] of places) {
      expect(fs.readFileSync(path.resolve(file), "utf8"), `${file} holds ${piece}`).toContain(piece);
    }
  });
});
