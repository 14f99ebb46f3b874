-- claim moves lagging records ahead by a lease, those that are still behind by
-- the time this runs. One whose record is gone is dropped from the index.
--
-- KEYS  1 lagging  2... the records
-- ARGV  1 the lease  2... the ids of the records
--
-- Times are microseconds since 1970; the clock is this server's.
--
-- Replies with the ids that the caller has claimed.

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local ahead = string.format('%.0f', now + tonumber(ARGV[1]))

local claimed = {}
for i = 2, #KEYS do
  local score = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if score and tonumber(score) <= now then
    if redis.call('EXISTS', KEYS[i]) == 1 then
      redis.call('ZADD', KEYS[1], ahead, ARGV[i])
      claimed[#claimed + 1] = ARGV[i]
    else
      redis.call('ZREM', KEYS[1], ARGV[i])
    end
  end
end
return claimed
