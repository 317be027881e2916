-- The core of an analysis, for direct ways and ways through one proxy, stamped at each message: what each receiver was sent, got and
-- lacks of each stream, and on which hop that was lost. {folder} is where files were landed;
-- proxy is there already, empty where nobody landed any.

CREATE VIEW lane AS FROM read_parquet('{folder}/kind=lane/*/*/*.parquet', hive_partitioning=false);
CREATE VIEW gap AS FROM read_parquet('{folder}/kind=gap/*/*/*.parquet', hive_partitioning=false);
CREATE TABLE connection AS FROM read_parquet('{folder}/kind=connection/*/*/*.parquet', hive_partitioning=false);
CREATE TABLE subscription AS FROM read_parquet('{folder}/kind=subscription/*/*/*.parquet', hive_partitioning=false);

CREATE TABLE sockets AS
WITH landed AS (FROM read_parquet('{folder}/kind=socket/*/*/*.parquet', hive_partitioning=false)),
     gone AS (SELECT process, max("at") AS gone_at FROM read_parquet('{folder}/kind=process/*/*/*.parquet', hive_partitioning=false)
              WHERE state = 'gone' GROUP BY process)
SELECT socket, any_value(type) AS type, any_value(name) AS name,
       coalesce(max("at") FILTER (state = 'closed'), any_value(gone_at)) AS ended_at
FROM landed LEFT JOIN gone USING (process) GROUP BY socket;

CREATE TABLE links AS
WITH ends AS (SELECT DISTINCT socket, "local", remote FROM connection WHERE action = 'connected')
SELECT DISTINCT a.socket AS sender, b.socket AS receiver
FROM ends a JOIN ends b ON a."local" = b.remote AND a.remote = b."local"
JOIN sockets x ON x.socket = a.socket JOIN sockets y ON y.socket = b.socket
WHERE (x.type IN ('PUB', 'XPUB') AND y.type IN ('SUB', 'XSUB')) OR (x.type = 'PUSH' AND y.type = 'PULL');

CREATE TABLE ways AS
SELECT sender AS stream, receiver, NULL AS front, NULL AS back FROM links
JOIN sockets x ON x.socket = sender JOIN sockets y ON y.socket = receiver
WHERE x.type IN ('PUB', 'PUSH') AND y.type IN ('SUB', 'PULL')
UNION ALL
SELECT a.sender, b.receiver, frontend, backend
FROM proxy JOIN links a ON a.receiver = frontend JOIN links b ON b.sender = backend;

CREATE TABLE sent AS
SELECT stream, lane, max("count") AS sent, max(topic) AS topic FROM lane WHERE role = 'send' GROUP BY stream, lane;

CREATE TABLE got AS
SELECT stream, lane, socket AS receiver, max("count") AS got, arg_max("first", "count") AS "first", arg_max("next", "count") AS "next"
FROM lane WHERE role = 'receive' AND "count" IS NOT NULL GROUP BY stream, lane, socket;

CREATE TABLE left_at AS
SELECT w.stream, w.receiver, max(c.sent) AS sent
FROM ways w JOIN sockets y ON y.socket = w.receiver AND y.ended_at IS NOT NULL
JOIN connection mine ON mine.socket = w.stream AND mine.action = 'connected'
JOIN connection theirs ON theirs.socket = w.receiver AND theirs.action = 'connected' AND theirs.remote = mine."local" AND theirs."local" = mine.remote
JOIN connection c ON c.socket = w.stream AND c.action = 'disconnected' AND c.connection = mine.connection
GROUP BY w.stream, w.receiver;

CREATE TABLE owed AS
SELECT w.stream, w.receiver, w.front, w.back, s.lane, coalesce(least(l.sent, s.sent), s.sent) AS "end",
       coalesce(g.got, 0) AS got, coalesce(g."first", 0) AS "first", coalesce(g."next", 0) AS "next"
FROM ways w JOIN sockets x ON x.socket = w.stream AND x.type = 'PUB' JOIN sent s USING (stream)
LEFT JOIN got g ON g.stream = w.stream AND g.lane = s.lane AND g.receiver = w.receiver
LEFT JOIN left_at l ON l.stream = w.stream AND l.receiver = w.receiver
WHERE EXISTS (FROM subscription t WHERE t.socket = w.receiver AND t.action = 'subscribe' AND starts_with(s.topic, t.topic));

CREATE TABLE missing AS
SELECT stream, receiver, lane, 0 AS "first", "first" - 1 AS "last" FROM owed WHERE got > 0 AND "first" > 0
UNION ALL SELECT stream, receiver, lane, "next", "end" - 1 FROM owed WHERE "end" > "next"
UNION ALL SELECT stream, socket, lane, "first", "last" FROM gap WHERE action = 'gap';

CREATE TABLE shared_out AS
SELECT w.stream, w.receiver, g.got, g."next", y.ended_at IS NOT NULL AND g."next" < t.sent AS left_unread,
       t.sent - sum(g.got) OVER (PARTITION BY w.stream) AS lacking
FROM ways w JOIN sockets x ON x.socket = w.stream AND x.type = 'PUSH' JOIN sockets y ON y.socket = w.receiver
JOIN got g ON g.stream = w.stream AND g.receiver = w.receiver JOIN sent t ON t.stream = w.stream;

CREATE TABLE ledger AS
SELECT stream, receiver, CAST(sum("end") AS BIGINT) AS sent, CAST(sum(got) AS BIGINT) AS delivered,
       CAST(coalesce(any_value(lost), 0) AS BIGINT) AS lost, coalesce(any_value(runs), 0) AS runs
FROM owed LEFT JOIN (SELECT stream, receiver, sum("last" - "first" + 1) AS lost, count(*) AS runs FROM missing GROUP BY ALL)
USING (stream, receiver) GROUP BY stream, receiver
UNION ALL
SELECT stream, receiver, CAST(got + if(left_unread, lacking, 0) AS BIGINT), got, CAST(if(left_unread, lacking, 0) AS BIGINT),
       CAST(left_unread AND lacking > 0 AS BIGINT)
FROM shared_out;

-- behind a proxy: what all receivers miss was lost before it
CREATE TABLE segments AS
WITH behind AS (SELECT m.*, front, back FROM missing m JOIN ways USING (stream, receiver) WHERE front IS NOT NULL),
     steps AS (SELECT stream, lane, front, "first" AS position, 1 AS step FROM behind
               UNION ALL SELECT stream, lane, front, "last" + 1, -1 FROM behind),
     summed AS (SELECT stream, lane, front, position, sum(step) AS step FROM steps GROUP BY ALL)
SELECT stream, lane, front, position AS "first", lead(position) OVER later - 1 AS "last", sum(step) OVER later AS missing_at
FROM summed WINDOW later AS (PARTITION BY stream, lane, front ORDER BY position);

CREATE TABLE hops AS
WITH readers AS (SELECT stream, front, count(*) AS readers FROM ways WHERE front IS NOT NULL GROUP BY ALL),
     before AS (SELECT stream, front, sum("last" - "first" + 1) AS lost FROM segments JOIN readers USING (stream, front)
                WHERE missing_at = readers GROUP BY ALL),
     total AS (SELECT stream, receiver, front, back, lost FROM ledger JOIN ways USING (stream, receiver))
SELECT sender, receiver, CAST(sum(lost) AS BIGINT) AS lost FROM (
    SELECT stream AS sender, receiver, lost FROM total WHERE front IS NULL
    UNION ALL SELECT stream, front, lost FROM before
    UNION ALL SELECT back, t.receiver, t.lost - coalesce(b.lost, 0) FROM total t LEFT JOIN before b USING (stream, front) WHERE t.front IS NOT NULL
) GROUP BY ALL HAVING sum(lost) > 0;
