import { describe, expect, test } from "vitest";
import { roleSummary, type RoleLevel, type RoleLine } from "@/domain/organizations/role-summary";
import { operationTable, procedureTable, type Line } from "@/server/testing/roles/role-table";

/** The operations and procedures behind each line that people see. */
const behind: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Fleet: {
    view: "devices.list recordings.get events.list rules.list alerts.list alerts.inbox",
    triage: "alerts.acknowledge alerts.resolve alerts.assign alerts.snooze alerts.comment alerts.bulkMatching",
    record:
      "recordings.create recordings.upload-finalize recordings.tagMany recordings.update recordings.reprocess events.create",
    tend: "devices.update fleet.tag fleet.maintain",
    watch: "rules.create silences.create",
    rework: "rules.update rules.delete silences.update silences.delete events.update events.delete",
    manage:
      "devices.register devices.create devices.delete devices.rotate-token groups.create channels.create channels.delete recordings.delete",
  },
  Data: {
    view: "datasets.list slices.list projects.list exports.list",
    add: "datasets.upload-init recordings.to-dataset moments.add slices.create exports.create models.predict",
    label: "tasks.open results.submit",
    review: "results.accept results.reject",
    manage: "datasets.create datasets.delete projects.create projects.update project-people.set",
  },
  "Webhooks, agents and storage": {
    view: "webhooks.list agents.list storage-configs.list",
    manage: "webhooks.create webhooks.delete webhooks.test agents.register agents.delete storage-configs.create",
  },
  Organization: {
    own: "account.updateProfile account.endSession views.save apiKeys.create",
    manage: "members.update members.remove invitations.create organizations.update audit.list",
    give: "organizations.transferOwnership",
  },
} satisfies { [Area in keyof typeof roleSummary]: Record<keyof (typeof roleSummary)[Area], string> };

const toLevel = ({ least, does }: Line): RoleLevel =>
  least === "author"
    ? "own"
    : least === "owner" || least === "admin"
      ? least
      : does === "changes"
        ? "member"
        : "viewer";

describe("the roles that people see", () => {
  const lines = Object.entries<Record<string, RoleLine>>(roleSummary).flatMap(([area, of]) =>
    Object.entries(of).map(([key, line]) => ({ ...line, area, names: behind[area]?.[key] ?? "" })),
  );
  test.each(lines)("$area: “$text” is what its operations need", ({ from, names }) => {
    for (const name of names.split(" ")) {
      const line = operationTable.get(name) ?? procedureTable.get(name);
      expect(line && toLevel(line), name).toBe(from);
    }
  });
});
