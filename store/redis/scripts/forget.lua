-- forget removes the index members of a record that is gone.
--
-- KEYS  1 record  2 index
-- ARGV  1 id
--
-- Replies with the number of members dropped.

if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
return redis.call('ZREM', KEYS[2], 'r' .. ARGV[1], 'l' .. ARGV[1], 't' .. ARGV[1])
