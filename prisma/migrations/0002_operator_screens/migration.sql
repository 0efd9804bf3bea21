-- AlterTable
ALTER TABLE "alerts" ADD COLUMN     "severity_rank" SMALLINT NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "storage_bytes" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "memberships" ADD COLUMN     "first_run" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "silences" ADD COLUMN     "recurrence" JSONB;

-- CreateTable
CREATE TABLE "device_status_changes" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT NOT NULL DEFAULT '',
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "device_status_changes_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "saved_views" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "owner_name" TEXT NOT NULL,
    "screen" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "shared" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_views_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "recording_event_types" (
    "organization_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "recording_id" TEXT NOT NULL,

    CONSTRAINT "recording_event_types_pkey" PRIMARY KEY ("organization_id","type","recording_id")
);

-- CreateIndex
CREATE INDEX "device_status_changes_device_id_at_idx" ON "device_status_changes"("device_id", "at");

-- CreateIndex
CREATE INDEX "saved_views_organization_id_screen_uid_idx" ON "saved_views"("organization_id", "screen", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "saved_views_organization_id_owner_id_screen_name_key" ON "saved_views"("organization_id", "owner_id", "screen", "name");

-- CreateIndex
CREATE INDEX "recording_event_types_recording_id_idx" ON "recording_event_types"("recording_id");

-- CreateIndex
CREATE INDEX "alerts_organization_id_status_severity_rank_uid_idx" ON "alerts"("organization_id", "status", "severity_rank", "uid");

-- CreateIndex
CREATE INDEX "alerts_organization_id_assignee_id_status_severity_rank_uid_idx" ON "alerts"("organization_id", "assignee_id", "status", "severity_rank", "uid");

-- CreateIndex
CREATE INDEX "devices_organization_id_firmware_version_uid_idx" ON "devices"("organization_id", "firmware_version", "uid");

-- AddForeignKey
ALTER TABLE "device_status_changes" ADD CONSTRAINT "device_status_changes_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recording_event_types" ADD CONSTRAINT "recording_event_types_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the new columns and tables say of rows that were there before.
UPDATE "alerts" SET "severity_rank" = CASE "severity" WHEN 'critical' THEN 3 WHEN 'error' THEN 2 WHEN 'info' THEN 0 ELSE 1 END;

UPDATE "devices" SET "storage_bytes" = "sums"."bytes"
FROM (SELECT "device_id", sum("size_bytes") AS "bytes" FROM "recordings" GROUP BY "device_id") AS "sums"
WHERE "devices"."uid" = "sums"."device_id";

INSERT INTO "recording_event_types" ("organization_id", "type", "recording_id")
SELECT DISTINCT "organization_id", "type", "recording_id" FROM "events";
