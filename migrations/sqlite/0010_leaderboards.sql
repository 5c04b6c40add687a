-- Leaderboards sort by the lower end of the interval of a rating, and a rating is provisional while its margin is more than
-- 200 points. These are the formulas of server/src/store/ratings.rs.
UPDATE ratings SET listed = mu - 1.96 * sigma - iif(1.96 * 27.0 * sigma > 200.0, 1000.0, 0.0) WHERE listed IS NOT NULL;
