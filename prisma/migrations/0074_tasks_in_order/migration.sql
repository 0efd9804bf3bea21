-- outside a transaction
-- What waits for somebody, in the order in which it is given out; an index of an expression has no line in the schema.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "tasks_waiting_idx" ON "tasks"("project_id", (- "priority"), "batch_id", "uid") WHERE (assignee_id IS NULL AND status <> 'completed');

CREATE INDEX CONCURRENTLY IF NOT EXISTS "results_undecided_idx" ON "results"("organization_id", "task_id") WHERE (status = 'submitted');

CREATE INDEX CONCURRENTLY IF NOT EXISTS "results_project_undecided_idx" ON "results"("project_id", "task_id") WHERE (status = 'submitted');
