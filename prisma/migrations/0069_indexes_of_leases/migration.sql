-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "tasks_assignee_id_status_uid_idx" ON "tasks"("assignee_id", "status", "uid");

CREATE INDEX CONCURRENTLY IF NOT EXISTS "tasks_todo_idx" ON "tasks"("project_id", "priority" DESC, "batch_id", "uid") WHERE (status = 'pending' AND assignee_id IS NULL);

CREATE INDEX CONCURRENTLY IF NOT EXISTS "tasks_lease_idx" ON "tasks"("lease_until") WHERE (lease_user IS NOT NULL);
