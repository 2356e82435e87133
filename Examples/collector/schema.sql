-- The tables of collector.py in PostgreSQL 15 or later, for `collector.py init`. To read this file again changes no data.

-- Names this database. Somebody who restores it from a backup gives it another name: `collector.py new-epoch`.
CREATE TABLE IF NOT EXISTS epoch (
    epoch uuid NOT NULL DEFAULT gen_random_uuid(),
    one boolean PRIMARY KEY DEFAULT true CHECK (one)
);
INSERT INTO epoch DEFAULT VALUES ON CONFLICT DO NOTHING;

-- What is known of each activity. One that was deleted on its board keeps its line, so that no late row brings it back.
CREATE TABLE IF NOT EXISTS activity (
    device uuid,
    activity uuid,
    revision bigint NOT NULL DEFAULT 0,          -- of the newest head; 0 before the first one
    deleted_revision bigint NOT NULL DEFAULT 0,  -- of the newest deletion: rows of this revision or before are dropped
    next integer NOT NULL DEFAULT 0,             -- all rows before this place are in `sample`
    places integer,                              -- the place after the last row of an activity that has ended
    open boolean NOT NULL DEFAULT false,         -- it is in progress
    deleted boolean NOT NULL DEFAULT false,
    started timestamptz,
    summary jsonb,
    PRIMARY KEY (device, activity)
);

-- A row of an activity, as `pacectl rows` prints it. `n` is its place in the activity.
CREATE TABLE IF NOT EXISTS sample (
    device uuid,
    activity uuid,
    n integer,
    body jsonb NOT NULL,
    PRIMARY KEY (device, activity, n)
) PARTITION BY HASH (device);

DO $$
BEGIN
    FOR part IN 0..7 LOOP
        EXECUTE format('CREATE TABLE IF NOT EXISTS sample_%s PARTITION OF sample
            FOR VALUES WITH (MODULUS 8, REMAINDER %s)', part, part);
    END LOOP;
END $$;

CREATE TABLE IF NOT EXISTS event (
    device uuid,
    seq bigint,
    body jsonb NOT NULL,
    PRIMARY KEY (device, seq)
);

-- A number of a row; NULL for what is none, so that one wrong row does not spoil a query of all.
CREATE OR REPLACE FUNCTION figure(value jsonb) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    CASE WHEN jsonb_typeof(value) = 'number' AND abs(value::numeric) < 1e12 THEN value::double precision END;

CREATE OR REPLACE VIEW activity_sample AS
SELECT
    device, activity, n,
    started + figure(body -> 'at_ms') * interval '1 ms' AS at,  -- NULL if the start is unknown
    figure(body -> 'elapsed_ms') AS elapsed_ms,
    figure(body -> 'distance_m') AS distance_m,
    figure(body -> 'latitude') AS latitude,
    figure(body -> 'longitude') AS longitude,
    figure(body -> 'altitude_m') AS altitude_m,
    figure(body -> 'speed_mps') AS speed_mps,
    figure(body -> 'grade_percent') AS grade_percent,
    figure(body -> 'bpm') AS bpm,
    figure(body -> 'cadence_rpm') AS cadence_rpm,
    figure(body -> 'power_w') AS power_w,
    figure(body -> 'temperature_c') AS temperature_c
FROM sample JOIN activity USING (device, activity)
WHERE body ->> 'row' = 'sample';

-- With PostGIS, the line of each activity.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'postgis') THEN
        EXECUTE 'CREATE OR REPLACE VIEW activity_line AS
            SELECT device, activity, ST_SetSRID(ST_MakeLine(ST_MakePoint(longitude, latitude) ORDER BY n), 4326) AS line
            FROM activity_sample WHERE latitude IS NOT NULL AND longitude IS NOT NULL GROUP BY device, activity';
    END IF;
END $$;
