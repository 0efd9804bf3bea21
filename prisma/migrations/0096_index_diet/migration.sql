-- outside a transaction
-- What each index that goes was for, and what the query uses instead, is in docs/operations/sizing.md, with plans at 3 million events.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "events_organization_id_timestamp_ns_idx" ON "events"("organization_id", "timestamp_ns");

DROP INDEX CONCURRENTLY IF EXISTS "events_organization_id_timestamp_ns_uid_idx";

CREATE INDEX CONCURRENTLY IF NOT EXISTS "events_organization_id_type_severity_timestamp_ns_idx" ON "events"("organization_id", "type", "severity", "timestamp_ns");

DROP INDEX CONCURRENTLY IF EXISTS "events_organization_id_type_severity_timestamp_ns_uid_idx";

CREATE INDEX CONCURRENTLY IF NOT EXISTS "events_recording_id_timestamp_ns_idx" ON "events"("recording_id", "timestamp_ns");

DROP INDEX CONCURRENTLY IF EXISTS "events_recording_id_timestamp_ns_uid_idx";

CREATE INDEX CONCURRENTLY IF NOT EXISTS "events_device_id_timestamp_ns_idx" ON "events"("device_id", "timestamp_ns");

DROP INDEX CONCURRENTLY IF EXISTS "events_device_id_timestamp_ns_uid_idx";

CREATE INDEX CONCURRENTLY IF NOT EXISTS "events_of_rules_idx" ON "events"("rule_id", "recording_id") WHERE (rule_id IS NOT NULL);

DROP INDEX CONCURRENTLY IF EXISTS "events_rule_id_recording_id_idx";

CREATE INDEX CONCURRENTLY IF NOT EXISTS "alerts_recent_idx" ON "alerts"("organization_id", "triggered_at", "rule_id", "device_id", "severity_rank", "demo", "status", "resolution_reason");

DROP INDEX CONCURRENTLY IF EXISTS "alerts_activity_idx";

CREATE INDEX CONCURRENTLY IF NOT EXISTS "alerts_inbox_assigned_idx" ON "alerts"("organization_id", "assignee_id", "severity_rank", "triggered_at", "uid") WHERE (status = 'open');

DROP INDEX CONCURRENTLY IF EXISTS "alerts_inbox_assignee_idx";

DROP INDEX CONCURRENTLY IF EXISTS "alerts_organization_id_assignee_id_status_severity_rank_uid_idx";

CREATE INDEX CONCURRENTLY IF NOT EXISTS "alerts_device_id_status_idx" ON "alerts"("device_id", "status");

DROP INDEX CONCURRENTLY IF EXISTS "alerts_device_id_status_uid_idx";

CREATE INDEX CONCURRENTLY IF NOT EXISTS "alerts_device_id_triggered_at_idx" ON "alerts"("device_id", "triggered_at");

DROP INDEX CONCURRENTLY IF EXISTS "alerts_device_id_triggered_at_uid_idx";

CREATE INDEX CONCURRENTLY IF NOT EXISTS "alerts_rule_id_device_id_triggered_at_idx" ON "alerts"("rule_id", "device_id", "triggered_at");

DROP INDEX CONCURRENTLY IF EXISTS "alerts_rule_id_device_id_triggered_at_uid_idx";

DROP INDEX CONCURRENTLY IF EXISTS "alerts_rule_id_device_id_uid_idx";

DROP INDEX CONCURRENTLY IF EXISTS "alerts_organization_id_status_severity_uid_idx";

DROP INDEX CONCURRENTLY IF EXISTS "alerts_organization_id_severity_uid_idx";

DROP INDEX CONCURRENTLY IF EXISTS "alerts_organization_id_status_severity_rank_uid_idx";
