-- CreateTable
CREATE TABLE "project_slices" (
    "project_id" TEXT NOT NULL,
    "slice_id" TEXT NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "project_slices_pkey" PRIMARY KEY ("project_id","slice_id")
);

-- CreateIndex
CREATE INDEX "project_slices_slice_id_idx" ON "project_slices"("slice_id");

-- CreateIndex
CREATE INDEX "project_slices_dataset_id_idx" ON "project_slices"("dataset_id");

-- AddForeignKey
ALTER TABLE "project_slices" ADD CONSTRAINT "project_slices_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_slices" ADD CONSTRAINT "project_slices_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "datasets"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- The datasets of which a project annotates all items or some: each once.
CREATE VIEW "annotated_datasets" AS
SELECT "project_id", "dataset_id", "position" FROM "project_datasets"
UNION ALL
SELECT "project_id", "dataset_id", 1000 + min("position") FROM "project_slices" GROUP BY 1, 2;
