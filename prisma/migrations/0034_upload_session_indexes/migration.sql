-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "upload_sessions_active_idx" on "upload_sessions"("organization_id") where (status = 'active');

CREATE INDEX CONCURRENTLY IF NOT EXISTS "upload_sessions_stored_idx" on "upload_sessions"("organization_id", "total_bytes", "total_files") where (recording_id IS NOT NULL AND status = 'finalized' AND prefix !~~ 'bucket/%');
