-- outside a transaction
-- What is given out next, in its order. Of expressions, so that no other index can be taken for them: by statistics of before
-- there were many tasks, one that is then sorted costs the same. Those have no line in the schema.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "tasks_next_idx" ON "tasks"((CASE WHEN status = 'pending' THEN project_id END), (coalesce(assignee_id, '')), "priority" DESC, "batch_id", "uid") WHERE ((CASE WHEN status = 'pending' THEN project_id END) IS NOT NULL);

CREATE INDEX CONCURRENTLY IF NOT EXISTS "tasks_left_idx" ON "tasks"((CASE WHEN status = 'in_progress' AND assignee_id IS NULL THEN project_id END), "uid") WHERE ((CASE WHEN status = 'in_progress' AND assignee_id IS NULL THEN project_id END) IS NOT NULL);

DROP INDEX CONCURRENTLY IF EXISTS "tasks_todo_idx";
