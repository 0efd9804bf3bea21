-- AlterTable
ALTER TABLE "items" ADD COLUMN     "sha256" TEXT,
ADD COLUMN     "tint" TEXT;
