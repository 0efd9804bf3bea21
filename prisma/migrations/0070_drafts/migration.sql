-- CreateTable
CREATE TABLE "task_drafts" (
    "task_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "version" BIGINT NOT NULL DEFAULT 0,
    "shape_count" INTEGER NOT NULL DEFAULT 0,
    "bytes" INTEGER NOT NULL DEFAULT 0,
    "by_user" TEXT,
    "clients" JSONB NOT NULL DEFAULT '{}',
    "from_result" TEXT,
    "ended_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "task_drafts_pkey" PRIMARY KEY ("task_id")
);

-- CreateTable
CREATE TABLE "draft_shapes" (
    "task_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "label_id" TEXT NOT NULL,
    "position" DOUBLE PRECISION NOT NULL,
    "body" JSONB NOT NULL,
    "bytes" INTEGER NOT NULL,
    "by_user" TEXT,
    "version" BIGINT NOT NULL,

    CONSTRAINT "draft_shapes_pkey" PRIMARY KEY ("task_id","id")
);

-- CreateIndex
CREATE INDEX "task_drafts_ended_at_idx" ON "task_drafts"("ended_at");

-- CreateIndex
CREATE INDEX "task_drafts_updated_at_idx" ON "task_drafts"("updated_at");

-- CreateIndex
CREATE INDEX "draft_shapes_project_id_label_id_idx" ON "draft_shapes"("project_id", "label_id");

-- AddForeignKey
ALTER TABLE "task_drafts" ADD CONSTRAINT "task_drafts_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "draft_shapes" ADD CONSTRAINT "draft_shapes_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task_drafts"("task_id") ON DELETE CASCADE ON UPDATE CASCADE;
