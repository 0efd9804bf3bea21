-- AlterTable
ALTER TABLE "recordings" ADD COLUMN     "processing_version" SMALLINT;

-- AlterTable
ALTER TABLE "topics" ADD COLUMN     "long_lists" JSONB NOT NULL DEFAULT '[]';
