-- CreateIndex
CREATE INDEX "events_ranges_idx" ON "events"("recording_id", "timestamp_ns") WHERE (duration_ns IS NOT NULL);
