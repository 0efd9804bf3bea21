-- outside a transaction
-- Partial and therefore small: only rows that wait to be sent.

-- CreateIndex
CREATE INDEX CONCURRENTLY IF NOT EXISTS "agent_executions_next_idx" ON "agent_executions"("next_attempt_at") WHERE (status = 'pending' AND next_attempt_at IS NOT NULL);

-- CreateIndex
CREATE INDEX CONCURRENTLY IF NOT EXISTS "notifications_next_idx" ON "notifications"("next_attempt_at") WHERE (status = 'pending' AND next_attempt_at IS NOT NULL);

-- CreateIndex
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_deliveries_next_idx" ON "webhook_deliveries"("next_attempt_at") WHERE (status = 'pending' AND next_attempt_at IS NOT NULL);
