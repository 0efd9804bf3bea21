-- AlterTable
ALTER TABLE "items" ADD COLUMN     "added_by_id" TEXT;
