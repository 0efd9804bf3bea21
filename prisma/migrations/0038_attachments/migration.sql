-- AlterTable
ALTER TABLE "recordings" ADD COLUMN "attachments" JSONB NOT NULL DEFAULT '[]';
