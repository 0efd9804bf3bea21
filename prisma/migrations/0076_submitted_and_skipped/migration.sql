-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "skipped_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "results" ADD COLUMN     "submit_key" TEXT;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "skip_reason" TEXT,
ADD COLUMN     "skip_text" TEXT NOT NULL DEFAULT '';
