-- AlterTable
ALTER TABLE "exports" ADD COLUMN     "storage_config_id" TEXT;
