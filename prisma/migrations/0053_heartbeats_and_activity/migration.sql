-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS "devices_status_last_seen_at_idx";

CREATE INDEX CONCURRENTLY IF NOT EXISTS "alerts_activity_idx" ON "alerts"("organization_id", "triggered_at", "rule_id", "device_id", "severity_rank", "status", "resolution_reason");
