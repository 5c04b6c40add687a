-- Leaderboards sort by the lower end of the interval of a rating, and a rating is provisional while its margin is more than
-- 200 points. These are the formulas of server/src/store/ratings.rs.
UPDATE ratings SET listed = mu - 1.96::float8 * sigma
    - CASE WHEN 1.96::float8 * 27 * sigma > 200 THEN 1000::float8 ELSE 0 END WHERE listed IS NOT NULL;
