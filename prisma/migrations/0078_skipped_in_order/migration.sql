-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "tasks_skipped_idx" ON "tasks"("organization_id", "uid") WHERE (skip_reason IS NOT NULL);

CREATE INDEX CONCURRENTLY IF NOT EXISTS "tasks_project_skipped_idx" ON "tasks"("project_id", "uid") WHERE (skip_reason IS NOT NULL);
