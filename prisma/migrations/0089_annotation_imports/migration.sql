-- CreateTable
CREATE TABLE "annotation_imports" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "file_name" TEXT NOT NULL,
    "format" TEXT,
    "status" TEXT NOT NULL DEFAULT 'uploading',
    "mode" TEXT,
    "options" JSONB,
    "storage_key" TEXT,
    "size_bytes" BIGINT NOT NULL,
    "sha256" TEXT,
    "findings" JSONB,
    "total" INTEGER,
    "position" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "unchanged" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "annotation_count" INTEGER NOT NULL DEFAULT 0,
    "annotations_left" INTEGER NOT NULL DEFAULT 0,
    "report" JSONB NOT NULL DEFAULT '[]',
    "error_message" TEXT,
    "created_by_id" TEXT,
    "created_by_name" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "annotation_imports_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE UNIQUE INDEX "annotation_imports_storage_key_key" ON "annotation_imports"("storage_key");

-- CreateIndex
CREATE INDEX "annotation_imports_project_id_uid_idx" ON "annotation_imports"("project_id", "uid");

-- CreateIndex
CREATE INDEX "annotation_imports_stored_idx" ON "annotation_imports"("organization_id", "size_bytes") WHERE (storage_key IS NOT NULL);

-- CreateIndex
CREATE INDEX "annotation_imports_open_idx" ON "annotation_imports"("updated_at") WHERE (completed_at IS NULL);

-- CreateIndex
CREATE INDEX "annotation_imports_completed_at_idx" ON "annotation_imports"("completed_at");

-- AddForeignKey
ALTER TABLE "annotation_imports" ADD CONSTRAINT "annotation_imports_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "annotation_imports" ADD CONSTRAINT "annotation_imports_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
