-- outside a transaction
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "results_task_id_submit_key_key" ON "results"("task_id", "submit_key");
