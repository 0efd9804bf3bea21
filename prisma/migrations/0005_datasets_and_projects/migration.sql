-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "slice_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "upload_sessions" ADD COLUMN     "dataset_id" TEXT,
ADD COLUMN     "failures" JSONB NOT NULL DEFAULT '[]';

-- CreateTable
CREATE TABLE "datasets" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "data_type" TEXT NOT NULL,
    "is_sequence" BOOLEAN NOT NULL DEFAULT false,
    "visibility" TEXT NOT NULL DEFAULT 'private',
    "status" TEXT NOT NULL DEFAULT 'created',
    "item_count" INTEGER NOT NULL DEFAULT 0,
    "project_count" INTEGER NOT NULL DEFAULT 0,
    "slice_count" INTEGER NOT NULL DEFAULT 0,
    "annotation_count" INTEGER NOT NULL DEFAULT 0,
    "size_bytes" BIGINT NOT NULL DEFAULT 0,
    "storage_config_id" TEXT,
    "created_by_id" TEXT,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "datasets_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "items" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "media_type" TEXT NOT NULL DEFAULT '',
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "storage_key" TEXT NOT NULL,
    "thumbnail_key" TEXT,
    "size_bytes" BIGINT NOT NULL DEFAULT 0,
    "annotation_count" INTEGER NOT NULL DEFAULT 0,
    "sequence_id" TEXT,
    "view" TEXT NOT NULL DEFAULT '',
    "frame" INTEGER,
    "recording_id" TEXT,
    "copy_from" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "items_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "sequences" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "frame_count" INTEGER NOT NULL DEFAULT 0,
    "views" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sequences_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "slices" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "filter" TEXT NOT NULL DEFAULT '',
    "item_count" INTEGER NOT NULL DEFAULT 0,
    "counted_at" TIMESTAMPTZ(3),
    "created_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "slices_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "projects" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "task_type" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending-approval',
    "visibility" TEXT NOT NULL DEFAULT 'private',
    "short_description" TEXT NOT NULL DEFAULT '',
    "labels" JSONB NOT NULL DEFAULT '[]',
    "quality_target" JSONB,
    "cloned_from" TEXT,
    "task_count" INTEGER NOT NULL DEFAULT 0,
    "completed_count" INTEGER NOT NULL DEFAULT 0,
    "accepted_count" INTEGER NOT NULL DEFAULT 0,
    "rejected_count" INTEGER NOT NULL DEFAULT 0,
    "created_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "project_datasets" (
    "project_id" TEXT NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "project_datasets_pkey" PRIMARY KEY ("project_id","dataset_id")
);

-- CreateTable
CREATE TABLE "work_batches" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "task_count" INTEGER NOT NULL DEFAULT 0,
    "started_count" INTEGER NOT NULL DEFAULT 0,
    "completed_count" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "work_batches_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "tasks" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "item_id" TEXT NOT NULL,
    "batch_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "assignee_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "results" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "item_id" TEXT NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'submitted',
    "annotations" JSONB NOT NULL DEFAULT '[]',
    "annotation_count" INTEGER NOT NULL DEFAULT 0,
    "labels" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "reason" TEXT NOT NULL DEFAULT '',
    "submitted_by_id" TEXT,
    "submitted_by" TEXT NOT NULL DEFAULT '',
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "results_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE INDEX "datasets_organization_id_uid_idx" ON "datasets"("organization_id", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "datasets_organization_id_slug_key" ON "datasets"("organization_id", "slug");

-- CreateIndex
CREATE INDEX "items_dataset_id_uid_idx" ON "items"("dataset_id", "uid");

-- CreateIndex
CREATE INDEX "items_dataset_id_status_uid_idx" ON "items"("dataset_id", "status", "uid");

-- CreateIndex
CREATE INDEX "items_sequence_id_view_frame_idx" ON "items"("sequence_id", "view", "frame");

-- CreateIndex
CREATE UNIQUE INDEX "items_dataset_id_key_key" ON "items"("dataset_id", "key");

-- CreateIndex
CREATE INDEX "sequences_dataset_id_uid_idx" ON "sequences"("dataset_id", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "sequences_dataset_id_key_key" ON "sequences"("dataset_id", "key");

-- CreateIndex
CREATE INDEX "slices_organization_id_uid_idx" ON "slices"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "slices_dataset_id_uid_idx" ON "slices"("dataset_id", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "slices_organization_id_slug_key" ON "slices"("organization_id", "slug");

-- CreateIndex
CREATE INDEX "projects_organization_id_uid_idx" ON "projects"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "projects_organization_id_name_uid_idx" ON "projects"("organization_id", "name", "uid");

-- CreateIndex
CREATE INDEX "project_datasets_dataset_id_idx" ON "project_datasets"("dataset_id");

-- CreateIndex
CREATE INDEX "work_batches_organization_id_uid_idx" ON "work_batches"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "work_batches_project_id_uid_idx" ON "work_batches"("project_id", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "work_batches_project_id_number_key" ON "work_batches"("project_id", "number");

-- CreateIndex
CREATE INDEX "tasks_organization_id_uid_idx" ON "tasks"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "tasks_organization_id_status_uid_idx" ON "tasks"("organization_id", "status", "uid");

-- CreateIndex
CREATE INDEX "tasks_project_id_uid_idx" ON "tasks"("project_id", "uid");

-- CreateIndex
CREATE INDEX "tasks_project_id_status_uid_idx" ON "tasks"("project_id", "status", "uid");

-- CreateIndex
CREATE INDEX "tasks_item_id_idx" ON "tasks"("item_id");

-- CreateIndex
CREATE INDEX "tasks_batch_id_idx" ON "tasks"("batch_id");

-- CreateIndex
CREATE UNIQUE INDEX "tasks_project_id_item_id_key" ON "tasks"("project_id", "item_id");

-- CreateIndex
CREATE INDEX "results_task_id_uid_idx" ON "results"("task_id", "uid");

-- CreateIndex
CREATE INDEX "results_item_id_uid_idx" ON "results"("item_id", "uid");

-- CreateIndex
CREATE INDEX "results_project_id_uid_idx" ON "results"("project_id", "uid");

-- CreateIndex
CREATE INDEX "results_labels_idx" ON "results" USING GIN ("labels");

-- CreateIndex
CREATE INDEX "upload_sessions_dataset_id_uid_idx" ON "upload_sessions"("dataset_id", "uid");

-- AddForeignKey
ALTER TABLE "datasets" ADD CONSTRAINT "datasets_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "items" ADD CONSTRAINT "items_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "datasets"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "items" ADD CONSTRAINT "items_sequence_id_fkey" FOREIGN KEY ("sequence_id") REFERENCES "sequences"("uid") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sequences" ADD CONSTRAINT "sequences_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "datasets"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "slices" ADD CONSTRAINT "slices_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "datasets"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_datasets" ADD CONSTRAINT "project_datasets_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_datasets" ADD CONSTRAINT "project_datasets_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "datasets"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "work_batches" ADD CONSTRAINT "work_batches_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "items"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_batch_id_fkey" FOREIGN KEY ("batch_id") REFERENCES "work_batches"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "results" ADD CONSTRAINT "results_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_sessions" ADD CONSTRAINT "upload_sessions_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "datasets"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
