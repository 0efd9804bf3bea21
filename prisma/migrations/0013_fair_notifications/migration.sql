-- DropIndex
DROP INDEX "notifications_status_next_attempt_at_idx";

-- CreateIndex
CREATE INDEX "notifications_status_channel_id_next_attempt_at_idx" ON "notifications"("status", "channel_id", "next_attempt_at");
