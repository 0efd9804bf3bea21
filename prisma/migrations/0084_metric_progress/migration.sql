-- A row for each statement that wrote late points: one that a job deletes must not stand for points that it does not see yet.
ALTER TABLE "metric_late" DROP CONSTRAINT "metric_late_pkey",
ADD COLUMN     "id" BIGSERIAL NOT NULL,
ADD CONSTRAINT "metric_late_pkey" PRIMARY KEY ("id");

-- CreateTable
CREATE TABLE "metric_progress" (
    "name" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "metric_progress_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "metric_clearings" (
    "device" INTEGER NOT NULL,

    CONSTRAINT "metric_clearings_pkey" PRIMARY KEY ("device")
);

-- Points from before now are noted as late.
INSERT INTO "metric_progress" ("name", "at") VALUES
  ('1h', date_trunc('hour', now(), 'UTC')),
  ('5m', date_bin('5 minutes', now(), '2000-01-01Z')),
  ('raw', date_trunc('day', now(), 'UTC') - interval '8 days');

-- Notes the numbers of deleted devices, whichever way they went, because the tables of points have no foreign keys.
CREATE FUNCTION note_metric_clearings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO metric_clearings (device) SELECT number FROM gone WHERE metric_list IS NOT NULL ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE TRIGGER note_metric_clearings AFTER DELETE ON devices REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION note_metric_clearings();
