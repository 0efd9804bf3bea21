-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "metric_list" INTEGER,
ADD COLUMN     "number" SERIAL NOT NULL;

-- CreateTable
CREATE TABLE "metric_names" (
    "id" SERIAL NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "metric_names_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "metric_lists" (
    "id" SERIAL NOT NULL,
    "organization_id" TEXT NOT NULL,
    "names" INTEGER[],

    CONSTRAINT "metric_lists_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "metric_points" (
    "device" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "list" INTEGER NOT NULL,
    "values" DOUBLE PRECISION[],

    CONSTRAINT "metric_points_pkey" PRIMARY KEY ("device","at")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "metric_changes" (
    "device" INTEGER NOT NULL,
    "name" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "value" JSONB NOT NULL,

    CONSTRAINT "metric_changes_pkey" PRIMARY KEY ("device","name","at")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "metric_rollups_5m" (
    "device" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "list" INTEGER NOT NULL,
    "minimum" DOUBLE PRECISION[],
    "mean" DOUBLE PRECISION[],
    "maximum" DOUBLE PRECISION[],
    "last" DOUBLE PRECISION[],
    "counts" INTEGER[],

    CONSTRAINT "metric_rollups_5m_pkey" PRIMARY KEY ("device","at","list")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "metric_rollups_1h" (
    "device" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "list" INTEGER NOT NULL,
    "minimum" DOUBLE PRECISION[],
    "mean" DOUBLE PRECISION[],
    "maximum" DOUBLE PRECISION[],
    "last" DOUBLE PRECISION[],
    "counts" INTEGER[],

    CONSTRAINT "metric_rollups_1h_pkey" PRIMARY KEY ("device","at","list")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "metric_late" (
    "device" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "metric_late_pkey" PRIMARY KEY ("device","at")
);

-- CreateTable
CREATE TABLE "metric_meanings" (
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "device_type" TEXT NOT NULL,
    "label" TEXT,
    "unit" TEXT,
    "kind" TEXT,
    "rank" INTEGER,
    "warning_min" DOUBLE PRECISION,
    "warning_max" DOUBLE PRECISION,
    "critical_min" DOUBLE PRECISION,
    "critical_max" DOUBLE PRECISION,

    CONSTRAINT "metric_meanings_pkey" PRIMARY KEY ("organization_id","name","device_type")
);

-- CreateIndex
CREATE UNIQUE INDEX "metric_names_organization_id_name_key" ON "metric_names"("organization_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "metric_lists_organization_id_names_key" ON "metric_lists"("organization_id", "names");

-- CreateIndex
CREATE UNIQUE INDEX "devices_number_key" ON "devices"("number");

-- AddForeignKey
ALTER TABLE "metric_names" ADD CONSTRAINT "metric_names_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "metric_lists" ADD CONSTRAINT "metric_lists_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "metric_meanings" ADD CONSTRAINT "metric_meanings_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;


-- Makes the parts of the tables of points that hold the times from `since` until `until`, in UTC, where they are missing.
-- Each is attached when it is made: that does not wait for those who write to the other parts.
CREATE FUNCTION make_metric_parts(since timestamptz, until timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  made integer := 0;
  parent text;
  unit text;
  begins timestamp;
  part text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('make_metric_parts', 0));
  FOR parent, unit IN VALUES ('metric_points', 'day'), ('metric_changes', 'month'), ('metric_rollups_5m', 'month'),
    ('metric_rollups_1h', 'month')
  LOOP
    FOR begins IN SELECT generate_series(date_trunc(unit, since AT TIME ZONE 'UTC'), until AT TIME ZONE 'UTC', ('1 ' || unit)::interval)
    LOOP
      part := parent || '_' || to_char(begins, CASE unit WHEN 'day' THEN 'YYYYMMDD' ELSE 'YYYYMM' END);
      CONTINUE WHEN to_regclass(part) IS NOT NULL;
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part,
        begins || '+00', begins + ('1 ' || unit)::interval || '+00');
      made := made + 1;
    END LOOP;
  END LOOP;
  RETURN made;
END
$$;

SELECT make_metric_parts(now() - interval '8 days', now() + interval '14 days');
