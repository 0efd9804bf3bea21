-- CreateTable
CREATE TABLE "device_firmware_changes" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "before" TEXT NOT NULL,
    "after" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "device_firmware_changes_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE INDEX "device_firmware_changes_device_id_at_idx" ON "device_firmware_changes"("device_id", "at");

-- AddForeignKey
ALTER TABLE "device_firmware_changes" ADD CONSTRAINT "device_firmware_changes_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
