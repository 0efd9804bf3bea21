-- CreateTable
CREATE TABLE "alert_captures" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "alert_id" TEXT,
    "recording_id" TEXT NOT NULL,
    "triggered_ns" BIGINT NOT NULL,
    "pictures" JSONB NOT NULL DEFAULT '[]',
    "findings" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_captures_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE UNIQUE INDEX "alert_captures_alert_id_key" ON "alert_captures"("alert_id");

-- CreateIndex
CREATE INDEX "alert_captures_organization_id_idx" ON "alert_captures"("organization_id");

-- CreateIndex
CREATE INDEX "alert_captures_recording_id_idx" ON "alert_captures"("recording_id");

-- CreateIndex
CREATE INDEX "alert_captures_expires_at_idx" ON "alert_captures"("expires_at");

-- CreateIndex
CREATE INDEX "alert_captures_detached_idx" ON "alert_captures"("created_at") WHERE (alert_id is null);

-- AddForeignKey
ALTER TABLE "alert_captures" ADD CONSTRAINT "alert_captures_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_captures" ADD CONSTRAINT "alert_captures_alert_id_fkey" FOREIGN KEY ("alert_id") REFERENCES "alerts"("uid") ON DELETE SET NULL ON UPDATE CASCADE;
