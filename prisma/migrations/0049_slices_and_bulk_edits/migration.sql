-- CreateTable
CREATE TABLE "slice_counts" (
    "slice_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "item_count" INTEGER NOT NULL,
    "came_count" INTEGER NOT NULL DEFAULT 0,
    "left_count" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "slice_counts_pkey" PRIMARY KEY ("slice_id","day")
);

-- CreateTable
CREATE TABLE "slice_filter_changes" (
    "uid" TEXT NOT NULL,
    "slice_id" TEXT NOT NULL,
    "before" TEXT NOT NULL,
    "after" TEXT NOT NULL,
    "came_count" INTEGER,
    "left_count" INTEGER,
    "changed_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "slice_filter_changes_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "bulk_edits" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'running',
    "metadata" JSONB,
    "target_id" TEXT,
    "undoes_id" TEXT,
    "of_anybody" BOOLEAN NOT NULL DEFAULT false,
    "total_count" INTEGER NOT NULL,
    "done_count" INTEGER NOT NULL DEFAULT 0,
    "failed_count" INTEGER NOT NULL DEFAULT 0,
    "error_message" TEXT,
    "created_by_id" TEXT,
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "bulk_edits_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "bulk_edit_items" (
    "edit_id" TEXT NOT NULL,
    "item_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "key" TEXT NOT NULL DEFAULT '',
    "error" TEXT,
    "before" JSONB,

    CONSTRAINT "bulk_edit_items_pkey" PRIMARY KEY ("edit_id","item_id")
);

-- CreateIndex
CREATE INDEX "slice_filter_changes_slice_id_uid_idx" ON "slice_filter_changes"("slice_id", "uid");

-- CreateIndex
CREATE INDEX "bulk_edits_dataset_id_uid_idx" ON "bulk_edits"("dataset_id", "uid");

-- CreateIndex
CREATE INDEX "bulk_edits_open_idx" ON "bulk_edits"("updated_at") WHERE (completed_at IS NULL);

-- CreateIndex
CREATE INDEX "bulk_edits_completed_at_idx" ON "bulk_edits"("completed_at");

-- CreateIndex
CREATE INDEX "bulk_edit_items_waiting_idx" ON "bulk_edit_items"("edit_id", "item_id") WHERE (state = 'waiting');

-- CreateIndex
CREATE INDEX "bulk_edit_items_failed_idx" ON "bulk_edit_items"("edit_id", "item_id") WHERE (state = 'failed');

-- AddForeignKey
ALTER TABLE "slice_counts" ADD CONSTRAINT "slice_counts_slice_id_fkey" FOREIGN KEY ("slice_id") REFERENCES "slices"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "slice_filter_changes" ADD CONSTRAINT "slice_filter_changes_slice_id_fkey" FOREIGN KEY ("slice_id") REFERENCES "slices"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bulk_edits" ADD CONSTRAINT "bulk_edits_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "datasets"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bulk_edit_items" ADD CONSTRAINT "bulk_edit_items_edit_id_fkey" FOREIGN KEY ("edit_id") REFERENCES "bulk_edits"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
