-- AlterTable
ALTER TABLE "items" ADD COLUMN     "moment_id" TEXT,
ADD COLUMN     "t_ns" BIGINT;

-- CreateTable
CREATE TABLE "moments" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "every_ms" INTEGER NOT NULL DEFAULT 0,
    "first_only" BOOLEAN NOT NULL DEFAULT false,
    "clip" BOOLEAN NOT NULL DEFAULT false,
    "note" TEXT NOT NULL DEFAULT '',
    "planned" INTEGER NOT NULL DEFAULT 0,
    "added" INTEGER NOT NULL DEFAULT 0,
    "present" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT NOT NULL DEFAULT '',
    "created_by_id" TEXT,
    "created_by_name" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "moments_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "moment_spans" (
    "moment_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "organization_id" TEXT NOT NULL,
    "recording_id" TEXT NOT NULL,
    "alert_id" TEXT,
    "event_id" TEXT,
    "rule_id" TEXT,
    "from_ns" BIGINT NOT NULL,
    "to_ns" BIGINT NOT NULL,
    "topics" TEXT[],
    "next_ns" BIGINT,
    "finished" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "moment_spans_pkey" PRIMARY KEY ("moment_id","position")
);

-- CreateIndex
CREATE INDEX "moments_dataset_id_uid_idx" ON "moments"("dataset_id", "uid");

-- CreateIndex
CREATE INDEX "moments_unfinished_idx" ON "moments"("updated_at") WHERE (finished_at IS NULL);

-- CreateIndex
CREATE INDEX "moment_spans_alert_id_idx" ON "moment_spans"("alert_id") WHERE (alert_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "moment_spans_event_id_idx" ON "moment_spans"("event_id") WHERE (event_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "moment_spans_recording_id_idx" ON "moment_spans"("recording_id");

-- AddForeignKey
ALTER TABLE "moments" ADD CONSTRAINT "moments_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "datasets"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "moment_spans" ADD CONSTRAINT "moment_spans_moment_id_fkey" FOREIGN KEY ("moment_id") REFERENCES "moments"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
