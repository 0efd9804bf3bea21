-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "tasks_project_id_open_issues_uid_idx" ON "tasks"("project_id", "open_issues", "uid");
