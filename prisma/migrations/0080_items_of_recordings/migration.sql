-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "items_recording_idx" ON "items"("recording_id", "t_ns") WHERE (recording_id IS NOT NULL);
