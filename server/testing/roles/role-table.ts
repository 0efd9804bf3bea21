import { scopes, type Scope } from "@/domain/permissions";

/**
 * Who may call what, written by hand from the product's rules about roles and compared with what the product does.
 * A line: the least role, what it does, the scopes of a key, and the operations. `author`: members only on what is
 * their own, of projects what they are reviewers of. `reads`, `changes`, or `own`: changes only what is the caller's, so that read-only members may.
 * `device`: nobody but a device. Scopes: any one of those separated by `|`, and all after `+`; `full` is a key without scopes, `device` a device token.
 */
const operations = `
anyone changes -: account.signup

# Organization
member reads full: organizations.list organizations.get members.list
member own full: organizations.create organizations.restore account.delete invitations.accept
member changes full: members.leave
admin reads full: invitations.list audit.list
admin changes full: organizations.update members.update members.delete invitations.create invitations.resend invitations.cancel
owner changes full: organizations.delete

# Fleet
member reads fleet.read: fleet.health fleet.open-alerts fleet.device-activity demo.get
member reads fleet.read: devices.list devices.get devices.metrics metrics.list groups.list groups.get
member changes fleet.write: devices.update
member changes fleet.write|device: devices.heartbeat
device changes device: devices.heartbeat-batch
admin changes fleet.write: devices.create devices.delete devices.rotate-token groups.create groups.update groups.delete metrics.save-meaning metrics.delete-meaning demo.create demo.delete
member reads fleet.read: recordings.list recordings.get recordings.files recordings.attachments recordings.series recordings.messages recordings.cut signals.query topics.list
member reads fleet.read: message-definitions.list message-definitions.get
member changes fleet.write: message-definitions.save
author changes fleet.write: message-definitions.delete
member reads fleet.read: robot-descriptions.list robot-descriptions.get
member changes fleet.write: robot-descriptions.upload-init
author changes fleet.write: robot-descriptions.upload-finalize robot-descriptions.delete
member changes fleet.write|device: recordings.create recordings.upload-init recordings.upload-urls recordings.upload-confirm recordings.upload-finalize
member reads fleet.read|fleet.write|device: recordings.upload-status
member changes fleet.write: recordings.update recordings.reprocess
admin changes fleet.write: recordings.delete
member reads fleet.read: events.list events.get
member changes fleet.write|device: events.create events.create-batch
author changes fleet.write: events.update events.delete
member reads fleet.read: alerts.list alerts.counts alerts.get alerts.comments alerts.timeline
member changes fleet.write: alerts.acknowledge alerts.resolve alerts.reopen alerts.assign alerts.snooze alerts.comment alerts.bulk
member reads fleet.read: rules.list rules.get rules.preview rules.preview-run rules.get-run rules.versions rules.evaluations rules.hits rules.noise
member changes fleet.write: rules.create
author changes fleet.write: rules.update rules.delete rules.run rules.restore
member reads fleet.read: silences.list silences.get silences.preview
member changes fleet.write: silences.create
author changes fleet.write: silences.update silences.expire silences.delete
member reads fleet.read: channels.list channels.get channels.deliveries
admin changes fleet.write: channels.create channels.update channels.delete channels.test

# Data
member reads datasets.read: datasets.list datasets.list-of-owner datasets.get items.list items.get sequences.list sequences.get
member reads datasets.read|datasets.write: datasets.upload-status
member changes datasets.write: datasets.upload-init datasets.upload-urls datasets.upload-confirm datasets.upload-finalize
member changes datasets.write+fleet.read: recordings.to-dataset
member changes datasets.write: items.update
author changes datasets.write: items.delete
member reads datasets.read: moments.list moments.get
member reads datasets.read+fleet.read: moments.preview moments.preview-many
member changes datasets.write+fleet.read: moments.add moments.add-many
author changes datasets.write: moments.undo
admin reads datasets.read: dataset-members.list
admin changes datasets.write: dataset-members.add dataset-members.remove datasets.create datasets.update datasets.delete sequences.update
member reads datasets.read: slices.list slices.list-of-dataset slices.get slices.items
member reads full: slices.validate-name
member changes full: slices.create
author changes full: slices.update slices.delete
member reads projects.read: projects.list projects.get
admin reads projects.read: project-members.list
member reads projects.read: project-people.list
admin changes projects.write: project-people.set project-people.remove
admin changes projects.write: project-members.add project-members.remove projects.create projects.clone projects.update projects.approve projects.pause projects.resume projects.cancel projects.archive
member reads projects.read|tasks.read: tasks.list tasks.get tasks.editor results.list results.get
member changes projects.write: tasks.next tasks.assign-many
admin changes projects.write: tasks.prioritise tasks.release-many tasks.unskip tasks.unskip-many
member reads projects.read|tasks.read: tasks.draft
author changes projects.write: tasks.save-draft tasks.submit tasks.skip
author changes projects.write: tasks.update tasks.open tasks.take-over tasks.renew tasks.release results.submit
author changes projects.write: results.accept results.reject results.revise results.decide-many
admin changes projects.write: results.reopen projects.pre-label
member reads projects.read|tasks.read: issues.list
author changes projects.write: issues.create issues.update issues.comment
member reads work_batches.read: work-batches.list work-batches.get
admin changes projects.write: work-batches.update
admin reads projects.read: imports.list imports.get imports.report
admin changes projects.write: imports.create imports.check imports.start imports.stop
member reads exports.create: exports.list exports.get
member changes exports.create: exports.create
author changes exports.create: exports.abort exports.retry exports.delete
member reads full: models.list models.integrations runs.list runs.get runs.predictions
member changes full: models.predict inference.invoke
author changes full: runs.abort runs.retry runs.delete
admin changes full: models.create models.update models.delete models.add-integration models.update-integration models.delete-integration models.rotate-secret models.try

# Connect
member reads webhooks.read: webhooks.list webhooks.get webhook-deliveries.list webhook-deliveries.get webhook-replays.get
admin changes webhooks.write: webhooks.create webhooks.replace webhooks.update webhooks.delete webhooks.test webhooks.rotate-secret webhooks.replay webhook-deliveries.redeliver webhook-replays.stop
member reads agents.read: agents.list agents.get agents.executions
member changes agents.write: agent-actions.submit
admin changes agents.write: agents.register agents.replace agents.update agents.delete agents.test
member reads storage.read: storage-configs.list storage-configs.setup-info
admin changes storage.write: storage-configs.create storage-configs.update storage-configs.test
admin changes full: storage-configs.delete
member reads staff: mcp.message
`;

/** Operations on what hangs on a dataset or project: 404 for members who are not assigned, where its access is `assigned`. */
const assignedOnly = new Set(
  `datasets.get datasets.overviewOf datasets.health datasets.projects datasets.runs items.survey items.first items.window items.place items.fresh items.facets items.shapes items.predicted items.list items.get sequences.list sequences.get slices.list-of-dataset slices.get slices.items
  datasets.upload-init datasets.upload-urls datasets.upload-confirm datasets.upload-finalize datasets.upload-status
  datasets.upload.init datasets.upload.urls datasets.upload.confirm datasets.upload.finalize datasets.upload.status
  datasets.upload.lookUp datasets.upload.reading datasets.uploads datasets.failedFiles items.neighbours items.annotations
  items.predictions items.activity items.beside items.file sequences.frames
  tasks.draft tasks.save-draft tasks.submit tasks.skip tasks.unskip
  projects.get tasks.get tasks.editor tasks.update tasks.open tasks.take-over tasks.renew tasks.release results.compare results.queue results.list results.submit results.get results.accept results.reject results.revise results.reopen issues.list issues.create issues.update issues.comment project-people.list work-batches.get work-batches.update batches.update
  moments.list moments.get moments.undo moments.preview moments.preview-many moments.previewMany moments.add
  moments.add-many moments.addMany
  exports.get exports.overviewOf exports.repeat exports.abort exports.retry exports.delete
  runs.get runs.predictions runs.overviewOf runs.reasons runs.failures runs.histogram runs.abort runs.stop runs.retry runs.delete items.update items.delete slices.update slices.delete
  webhook-deliveries.get deliveries.get agents.execution agents.executionOverview`.split(/\s+/),
);

/** The dashboard's procedures. They have no scopes: a session has full access, within its role. */
const procedures = `
anyone changes -: account.signUp account.requestPasswordReset account.resetPassword account.verifyEmail
anyone reads -: invitations.preview account.signUpPolicy account.previewAddress account.isResetLinkValid

# Account and organization
member reads full: account.profile account.sessions organizations.list organizations.deletions organizations.previewAddress organizations.current organizations.storage organizations.retention members.list apiKeys.list apiKeys.get apiKeys.use views.list layouts.list layouts.get layouts.open demo.status demo.presence demo.steps secondFactor.state
member own full: account.updateProfile account.updatePreferences account.changePassword account.signOutEverywhere account.endSession account.endOtherSessions account.requestVerification organizations.create organizations.restore account.delete invitations.accept apiKeys.create apiKeys.revoke apiKeys.regenerate views.save views.delete layouts.create layouts.update layouts.delete layouts.use demo.tick demo.dismiss secondFactor.start secondFactor.enable secondFactor.disable secondFactor.renewCodes
member changes full: organizations.leave
admin reads full: invitations.list audit.list apiKeys.endingUnder organizations.countDeletions
admin changes full: layouts.setDefault organizations.update organizations.setLogo members.changeRole members.remove invitations.create invitations.resend invitations.cancel audit.export demo.start demo.remove
owner changes full: organizations.transferOwnership organizations.delete

# Fleet
member reads full: devices.list devices.vocabulary devices.get fleet.devices fleet.groups fleet.firmware fleet.timeline fleet.alerts fleet.rules fleet.metadataChanges health.metrics health.columns health.now health.series groups.list groups.get groups.overview groups.overviewOf groups.targets groups.uses fleet.changes fleet.picture
member reads full: overview.tiles overview.fleet overview.robots overview.activity overview.loop overview.attention overview.searchDevices overview.searchAlerts overview.searchRules overview.recordingsAt overview.map
member changes full: devices.update fleet.tag fleet.maintain
admin changes full: devices.register devices.delete devices.rotateToken health.saveMeaning health.resetMeaning groups.create groups.update groups.delete groups.addDevices groups.removeDevices
member reads full: recordings.list recordings.vocabulary recordings.get recordings.files recordings.attachments recordings.series recordings.derived recordings.messages recordings.densities recordings.openPack recordings.filmstrip recordings.track recordings.viewers cuts.sizes recordings.upload.status recordings.overview recordings.coverage recordings.lanes recordings.events recordings.compare recordings.anchors recordings.comparableRuns recordings.lastGoodRun topics.list topics.heartbeat
member reads full: shares.list
member changes full: shares.create
author changes full: shares.revoke
member changes full: recordings.create recordings.update recordings.reprocess recordings.tagMany recordings.archiveMany recordings.restoreMany recordings.upload.init recordings.upload.urls recordings.upload.confirm recordings.upload.finalize
admin changes full: recordings.delete recordings.deleteMany
member reads full: events.list events.get events.overview events.overviewOf events.histogram events.vocabulary
member changes full: events.create events.tagMany events.deleteMany
author changes full: events.update events.delete
member reads full: alerts.counts alerts.lastResolved alerts.occurrences alerts.previous alerts.neighbours alerts.get alerts.timeline alerts.comments alerts.inbox alerts.inboxCounts alerts.groups alerts.suggestedGrouping alerts.openBadge alerts.around alerts.covering alerts.ofRule alerts.capture
member changes full: alerts.acknowledge alerts.resolve alerts.reopen alerts.assign alerts.snooze alerts.comment alerts.bulk alerts.bulkMatching alerts.test alerts.removeTest
member reads full: rules.list rules.get rules.preview rules.previewColumns rules.previewLive rules.liveState rules.previewRun rules.getRun rules.versions rules.evaluations rules.hits rules.noise rules.activity rules.outcomes rules.scope models.pipelines mcp.info mcp.calls items.count items.vocabulary items.survey items.first items.window items.place items.fresh items.facets items.shapes items.predicted
member changes full: rules.create
author changes full: rules.update rules.delete rules.run rules.restore
member reads full: silences.list silences.get silences.names silences.preview
member changes full: silences.create
author changes full: silences.update silences.expire silences.delete
member reads full: messageDefinitions.list messageDefinitions.get
member changes full: messageDefinitions.save
author changes full: messageDefinitions.delete
member reads full: robotDescriptions.list robotDescriptions.get robotDescriptions.ofRecording robotDescriptions.ofDevice
member changes full: robotDescriptions.create
author changes full: robotDescriptions.finalize robotDescriptions.delete
member reads full: signals.run signals.tables signals.saved
member changes full: signals.save
author changes full: signals.remove
member reads full: channels.list channels.get channels.deliveries channels.overview
admin changes full: channels.create channels.update channels.delete channels.test

# Data
member reads full: datasets.get datasets.overview datasets.overviewOf datasets.health datasets.projects datasets.runs datasets.address
admin reads full: datasets.members.list projects.members.list
admin changes full: datasets.create datasets.update datasets.delete datasets.members.add datasets.members.remove projects.create projects.update projects.step projects.preLabel projects.members.add projects.members.remove projects.people.set projects.people.remove
member reads full: moments.targets moments.marks moments.list moments.get moments.preview moments.previewMany
member reads full: tasks.queue tasks.neighbours tasks.ofMoments tasks.unassigned tasks.editor results.compare results.queue issues.list
author changes full: results.accept results.reject
admin changes full: tasks.prioritise tasks.releaseMany tasks.unskip tasks.unskipMany tasks.skipMany batches.update
member changes full: tasks.assignMany tasks.next tasks.open tasks.takeOver tasks.renew tasks.release
author changes full: issues.create issues.update issues.comment
member reads full: tasks.draft
member changes full: tasks.saveDraft tasks.submit tasks.skip
author changes full: results.revise results.decideMany
admin changes full: results.reopen
member changes full: moments.add moments.addMany
author changes full: moments.undo
admin changes full: moments.createTarget
member reads full: exports.get exports.overview exports.overviewOf exports.preview exports.sources exports.chosenSources exports.buckets exports.watched
member reads full: datasets.upload.status datasets.upload.lookUp datasets.upload.reading datasets.uploads datasets.failedFiles
member reads full: items.get items.neighbours items.annotations items.predictions items.activity items.beside items.file items.ofTask items.labelsOfAlert sequences.list sequences.frames
member changes full: items.update models.run models.prompt
admin changes full: sequences.setStatus
member changes full: datasets.upload.init datasets.upload.urls datasets.upload.confirm datasets.upload.finalize
admin reads full: imports.list imports.get imports.report
admin changes full: imports.create imports.check imports.start imports.stop
member changes full: exports.create exports.repeat exports.repeatMany exports.deleteMany
author changes full: exports.abort exports.retry

member reads full: items.edit items.edits items.editFailures
member changes full: items.updateMany items.deleteMany items.copyTo
author changes full: items.stopEdit items.undoEdit
member reads full: slices.overview slices.overviewOf slices.usedBy slices.changes slices.checkName
member reads full: projects.people.list projects.overview projects.stats projects.overviewOf projects.sources projects.labelTargets projects.batches projects.labelCounts projects.byPerson projects.byLabel
member changes full: slices.create
author changes full: slices.update slices.delete

member reads full: models.overview models.page runs.overview runs.overviewOf runs.reasons runs.failures runs.predictions runs.histogram
admin reads full: models.checkUrl
admin changes full: models.connect models.update models.delete models.updateIntegration models.rotateSecret models.tryOn
author changes full: runs.stop runs.retry runs.delete

# Connect
member reads full: webhooks.overview webhooks.page webhooks.turnedOff webhooks.replayPreview webhooks.replays deliveries.list deliveries.get deliveries.groups
admin reads full: webhooks.checkUrl
admin changes full: webhooks.create webhooks.update webhooks.delete webhooks.rotateSecret webhooks.test webhooks.replay webhooks.stopReplay deliveries.redeliver
member reads full: agents.overview agents.activity agents.get agents.named agents.projects agents.executions agents.executionOverview agents.execution
admin changes full: agents.register agents.update agents.delete agents.test agents.resend agents.act
member reads full: storage.overview storage.get storage.tests storage.usage storage.setUpInfo
admin changes full: storage.create storage.tryOut storage.update storage.test storage.delete
`;

export interface Line {
  name: string;
  area: string;
  least: "anyone" | "device" | "member" | "author" | "admin" | "owner";
  does: "reads" | "changes" | "own";
  /** Any one of these scopes is enough, together with all of `scopesToo`. Empty: a key without scopes. */
  scopes: Scope[];
  scopesToo: Scope[];
  device: boolean;
  staff: boolean;
}

const toScopes = (text: string): Scope[] => scopes.filter((scope) => text.split("|").includes(scope));

function parse(text: string): Map<string, Line> {
  const lines = new Map<string, Line>();
  let area = "";
  for (const line of text.split("\n").filter(Boolean)) {
    if (line.startsWith("# ")) area = line.slice(2);
    const [, least, does, keys = "", names = ""] = /^(\w+) (\w+) (\S+): (.+)$/.exec(line) ?? [];
    for (const name of names.split(" ").filter(Boolean)) {
      if (lines.has(name)) throw new Error(`${name} is listed twice`);
      const [any = "", too = ""] = keys.split("+");
      lines.set(name, {
        name,
        area,
        least: least as Line["least"],
        does: does as Line["does"],
        scopes: toScopes(any),
        scopesToo: toScopes(too),
        device: any.split("|").includes("device"),
        staff: any === "staff",
      });
    }
  }
  return lines;
}

export const operationTable: ReadonlyMap<string, Line> = parse(operations);
export const procedureTable: ReadonlyMap<string, Line> = parse(procedures);

export const callers = [
  "owner",
  "admin",
  "member",
  "read-only member",
  /** In an organization whose dataset and project are for assigned members. */
  "member not assigned",
  "read-only member not assigned",
  /** An admin's keys: with just the scopes of the operation, and with all others. */
  "scoped key",
  "key of other scopes",
  "device",
  /** A member's key with the scopes of agents. */
  "agent",
  "anonymous",
] as const;
export type Caller = (typeof callers)[number];

/** Whose an object is; `none` for operations without one. */
export type Whose = "none" | "own" | "another's" | "foreign";

const rank: Partial<Record<Caller, number>> = { owner: 2, admin: 1, "scoped key": 1, "key of other scopes": 1 };
const needed = { anyone: 0, device: 3, member: 0, author: 0, admin: 1, owner: 2 };

/** Whether the caller's credential has the scopes, its role aside. */
function hasScopes({ staff, scopes: any, scopesToo }: Line, caller: Caller): boolean {
  if (staff) return false;
  if (caller === "scoped key") return any.length > 0;
  if (caller === "key of other scopes") return false;
  const held = caller === "agent" ? ["agents.read", "agents.write"] : null;
  return (
    held === null || (any.some((scope) => held.includes(scope)) && scopesToo.every((scope) => held.includes(scope)))
  );
}

/** The status that a caller gets; `allowed` is any other than 401, 403, 404 and those of server errors. */
export function getExpected(line: Line, caller: Caller, whose: Whose): 401 | 403 | 404 | "allowed" {
  if (line.least === "anyone") return "allowed";
  if (caller === "anonymous") return 401;
  if (caller === "device") return !line.device ? 403 : whose === "another's" || whose === "foreign" ? 404 : "allowed";
  if (!hasScopes(line, caller) || (rank[caller] ?? 0) < needed[line.least]) return 403;
  if (caller.startsWith("read-only member") && line.does === "changes") return 403;
  if (whose === "foreign") return 404;
  if (caller.endsWith("not assigned") && assignedOnly.has(line.name)) return 404;
  return line.least === "author" && whose === "another's" && rank[caller] === undefined ? 403 : "allowed";
}
